"""The card of a method: its source, training data, languages and measured figures."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content import registry as content_methods
from graphlang.method_cards import sources
from graphlang.method_cards.model_file import is_model_file
from graphlang.method_cards.training_text import TrainingSource, list_training_text, read_label_facts
from graphlang.modelfile import ModelError
from graphlang.urls import url_methods
from graphlang.urls.url_methods import PAPER_METHODS as BAYKAN

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Measured figures of the methods, which ``tests/benchmarks/method_cards.py`` writes.
FIGURES_FILE: Final = Path(__file__).parent.parent / "data" / "method-figures.json"


class NoCardError(ValueError):
    """There is no method of this name, or it has no languages; the message is one line."""


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


class MethodLanguage(NamedTuple):
    """A label that a method has, with its accuracy if that was measured."""

    label: str  #: as the model has it
    language: str  #: ISO 639-3
    script: str  #: ISO 15924
    name: str  #: in English
    tag: str  #: BCP 47
    tested: int | None  #: texts or URLs in the language; None where nothing was tested
    accuracy: float | None  #: of whole lines, or of URLs
    first_49: float | None  #: of the first 49 characters
    first_24: float | None  #: of the first 24
    kinds: str | None = None  #: of training text, most first; `nfc` alone, as the columns that follow
    characters: int | None = None  #: of training text
    kept_out: int | None = None  #: lines kept out of training that were identified; no word lists
    kept_out_accuracy: float | None = None  #: of these lines
    kept_out_49: float | None = None  #: of their first 49 characters
    kept_out_24: float | None = None  #: of their first 24
    taken_for: str | None = None  #: the language that more than one in twenty of these lines is taken for


@dataclass(frozen=True, slots=True)
class Card:
    """The facts about a method; ``measured`` and the figures are empty if nothing was measured."""

    name: str
    kind: str  #: content, url or graph
    about: str
    command: str
    source: str
    differs: tuple[str, ...]
    labels: int  #: number of languages and scripts; 0: those of the method that it starts from
    training: tuple[TrainingSource, ...]
    model: str  #: SHA-256 of the shipped model that was measured; of the model that it started from, for graph methods
    test: str  #: the test data
    measured: str  #: the setup, if that is not the shipped model alone
    date: str
    made_by: str  #: command that measures
    accuracy: tuple[Measure, ...]
    confusions: tuple[Confusion, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the card as values that JSON can hold."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {
            name: [row._asdict() if hasattr(row, "_asdict") else row for row in value]
            if isinstance(value, tuple)
            else value
            for name, value in fields.items()
        }


@cache
def read_figures() -> dict[str, Any]:
    """Read `FIGURES_FILE`: command, date, tests, URLs of training, and the figures of each method."""
    figures: dict[str, Any] = json.loads(FIGURES_FILE.read_text(encoding="utf-8"))
    return figures


def make_card(name: str, figures: Mapping[str, Any] | None = None) -> Card:
    """Return the card of one of `sources.names`, with the shipped figures by default.

    Raise a NoCardError for other names.

    >>> make_card("nfc-2004").source.startswith("K. Hayati")
    True
    """
    methods = sources.names()
    if name not in methods:
        raise NoCardError(f"{name}: no such method ('graphlang methods' lists them)")
    kind, about = methods[name]
    source, differs = sources.describe_method(name)
    figures = read_figures() if figures is None else figures
    row = figures["methods"].get(name, {})
    return Card(
        name=name,
        kind=kind,
        about=about,
        command=sources.command(name),
        source=source,
        differs=differs,
        labels=row.get("labels", 0),
        training=_training(name, figures),
        model=row.get("model", ""),
        test=figures["tests"][row["test"]]["what"] if row else "",
        measured=row.get("measured", ""),
        date=figures["date"] if row else "",
        made_by=f"{figures['command']} {shlex.quote(name)}" if row else "",
        accuracy=tuple(Measure(**cells) for cells in row.get("accuracy", ())),
        confusions=tuple(Confusion(**cells) for cells in row.get("confusions", ())),
    )


def _training(name: str, figures: Mapping[str, Any]) -> tuple[TrainingSource, ...]:
    if name == url_methods.DEFAULT or name in BAYKAN:
        rows = [
            TrainingSource(f"{row['source']} ({row['kind']})", "", 1, row["languages"], row["urls"], "URLs")
            for row in figures["training_urls"]
        ]
        return (*rows, *(list_training_text("nfc-2004") if name == url_methods.DEFAULT else ()))
    return list_training_text(name)


def _describe_training(label: str) -> tuple[Any, ...]:
    """The last fields of `MethodLanguage` for a label of the default method."""
    row = read_label_facts().get(label)
    if row is None:
        return ()
    shares = [float(row[column]) if row[column] else None for column in ("accuracy", "first_49", "first_24")]
    return row["kinds"], int(row["characters"]), int(row["kept_out"]), *shares, row["taken_for"] or None


def list_languages(name: str) -> list[MethodLanguage]:
    """List the languages of a content or URL method, installed program or model file, by name.

    Raise a NoCardError if there is no such method or it has no languages, a ModelError if its model is not installed.
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
    tested = read_figures()["methods"].get(name, {}).get("languages", {})
    rows = []
    for label in labels:
        if label != languages.UND:
            language, script = languages.split(label)
            number, *shares = tested.get(language, (None, None, None, None))
            shares += [None] * (3 - len(shares))
            row = (label, language, script, languages.name(label), languages.bcp47(label), number, *shares)
            rows.append(MethodLanguage(*row, *(_describe_training(label) if name == content_methods.DEFAULT else ())))
    return sorted(rows, key=lambda row: (row.name, row.script))
