"""One method's card: words, training data, languages and measured figures together."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content import registry as content_methods
from graphlang.method_cards import sources
from graphlang.method_cards.figures import figures
from graphlang.method_cards.model_file import is_model_file
from graphlang.method_cards.training_text import Trained, training_text
from graphlang.modelfile import ModelError
from graphlang.urls import url_methods
from graphlang.urls.url_methods import PAPER_METHODS as BAYKAN

if TYPE_CHECKING:
    from collections.abc import Mapping


class NoCardError(ValueError):
    """No method has this name, or it has no languages of its own; the message is one line."""


class Measure(NamedTuple):
    """Accuracy on some texts, URLs or pages."""

    on: str
    tested: int  #: how many
    accuracy: float
    macro_f: float | None = None  #: F1 averaged over the languages
    calibration_error: float | None = None  #: expected calibration error, 15 bins
    text_alone: float | None = None  #: graph methods: accuracy of the content method that they started from


class Confusion(NamedTuple):
    """A language that is taken for another."""

    language: str
    taken_for: str
    tested: int  #: texts in the language
    share: float  #: of these, taken for the other


class OfLanguage(NamedTuple):
    """A label that a method knows, with its accuracy where that was measured."""

    label: str  #: as the model has it
    language: str  #: ISO 639-3
    script: str  #: ISO 15924
    name: str  #: in English
    tag: str  #: BCP 47
    tested: int | None  #: texts or URLs in the language; None where nothing was tested
    accuracy: float | None  #: of whole lines, or of URLs
    first_49: float | None  #: of the first 49 characters
    first_24: float | None  #: of the first 24


@dataclass(frozen=True, slots=True)
class Card:
    """All that is known of a method; ``measured`` and the figures are empty where nothing could be measured."""

    name: str
    kind: str  #: content, url or graph
    about: str
    command: str
    source: str
    differs: tuple[str, ...]
    labels: int  #: languages and scripts that it tells apart; 0: those of the method that it starts from
    training: tuple[Trained, ...]
    model: str  #: SHA-256 of the shipped model that was measured; of the model that it started from, for graph methods
    test: str  #: what it was measured on
    measured: str  #: with what, where that is not the shipped model alone
    date: str
    made_by: str  #: command that measures
    accuracy: tuple[Measure, ...]
    confusions: tuple[Confusion, ...]

    def as_dict(self) -> dict[str, Any]:
        """The card as what JSON can hold."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: [one._asdict() if hasattr(one, "_asdict") else one for one in value]
            if isinstance(value, tuple)
            else value
            for name, value in fields.items()
        }


def card(name: str, measured: Mapping[str, Any] | None = None) -> Card:
    """The card of a method.

    Args:
        name: As `sources.names` has it.
        measured: The file of figures; the shipped one if not given.

    Raises:
        NoCardError: there is no such method.

    >>> card("nfc-2004").source.startswith("K. Hayati")
    True
    """
    known = sources.names()
    if name not in known:
        raise NoCardError(f"{name}: no such method ('graphlang methods' lists them)")
    kind, about = known[name]
    source, differs = sources.words(name)
    found = figures() if measured is None else measured
    own = found["methods"].get(name, {})
    return Card(
        name=name,
        kind=kind,
        about=about,
        command=sources.command(name),
        source=source,
        differs=differs,
        labels=own.get("labels", 0),
        training=_training(name, found),
        model=own.get("model", ""),
        test=found["tests"][own["test"]]["what"] if own else "",
        measured=own.get("measured", ""),
        date=found["date"] if own else "",
        made_by=f"{found['command']} {shlex.quote(name)}" if own else "",
        accuracy=tuple(Measure(**row) for row in own.get("accuracy", ())),
        confusions=tuple(Confusion(**row) for row in own.get("confusions", ())),
    )


def _training(name: str, found: Mapping[str, Any]) -> tuple[Trained, ...]:
    if name == url_methods.DEFAULT or name in BAYKAN:
        rows = [
            Trained(f"{row['source']} ({row['kind']})", "", 1, row["languages"], row["urls"], "URLs")
            for row in found["training_urls"]
        ]
        return (*rows, *(training_text("nfc-2004") if name == url_methods.DEFAULT else ()))
    return training_text(name)


def languages_of(name: str) -> list[OfLanguage]:
    """The languages that a method or model knows, by name, with the accuracy in each where that was measured.

    Args:
        name: A content or URL method with a shipped model, another program that is installed, or a model file.

    Raises:
        NoCardError: there is no such method, or it has no languages of its own.
        ModelError: it has no model here.
    """
    try:
        if is_model_file(name):
            labels = modelfile.read(Path(name))[0].labels
        elif name not in sources.names():
            raise NoCardError(f"{name}: no such method ('graphlang methods' lists them)")
        else:
            labels = (url_methods if url_methods.is_url_method(name) else content_methods).load(name).labels
    except ModelError:
        if name not in sources.names() or name in content_methods.names():
            raise
        raise NoCardError(f"{name} has no languages of its own") from None
    tested = figures()["methods"].get(name, {}).get("languages", {})
    found = []
    for label in labels:
        if label != languages.UND:
            language, script = languages.split(label)
            number, *shares = tested.get(language, (None, None, None, None))
            shares += [None] * (3 - len(shares))
            row = (label, language, script, languages.name(label), languages.bcp47(label), number, *shares)
            found.append(OfLanguage(*row))
    return sorted(found, key=lambda one: (one.name, one.script))
