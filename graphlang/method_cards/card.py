"""The card of a method: its source, training data, languages and measured figures, as values and as text.

A model file has a description instead: method, labels, digest, and the languages that were added or removed.
"""

from __future__ import annotations

import json
import shlex
import textwrap
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang import modelfile
from graphlang.codes import languages
from graphlang.content import registry as content_methods
from graphlang.method_cards import sources
from graphlang.method_cards.training_text import TrainingSource, list_training_text, read_label_facts
from graphlang.modelfile import ModelError
from graphlang.printing import quantity, visible
from graphlang.urls import url_methods
from graphlang.urls.url_methods import PAPER_METHODS as BAYKAN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
        training=_list_training(name, figures),
        model=row.get("model", ""),
        test=figures["tests"][row["test"]]["what"] if row else "",
        measured=row.get("measured", ""),
        date=figures["date"] if row else "",
        made_by=f"{figures['command']} {shlex.quote(name)}" if row else "",
        accuracy=tuple(Measure(**cells) for cells in row.get("accuracy", ())),
        confusions=tuple(Confusion(**cells) for cells in row.get("confusions", ())),
    )


def _list_training(name: str, figures: Mapping[str, Any]) -> tuple[TrainingSource, ...]:
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
            language, script = languages.split_label(label)
            number, *shares = tested.get(language, (None, None, None, None))
            shares += [None] * (3 - len(shares))
            row = (label, language, script, languages.name(label), languages.bcp47(label), number, *shares)
            rows.append(MethodLanguage(*row, *(_describe_training(label) if name == content_methods.DEFAULT else ())))
    return sorted(rows, key=lambda row: (row.name, row.script))


_WIDTH: Final = 100


def format_card(card: Card) -> str:
    """Lay out a card for people, with a line for each sentence on how the method differs."""
    sections = [
        f"{card.name} ({card.kind})\n{_wrap_sentences(card.about)}",
        _format_section("Run it", [f"  {card.command}"]),
        _format_section("Source", [_wrap_sentences(card.source)]),
        _format_section("Differs from it", [_wrap_sentences(sentence, "- ") for sentence in card.differs]),
        _format_section("Trained on", _format_training(card)),
        _format_section("Labels", _format_labels(card)),
        _format_section("Accuracy", _format_accuracy(card)),
        _format_section("Taken for another, most texts first", _format_confusions(card)),
    ]
    return "\n\n".join(filter(None, sections)) + "\n"


def _format_section(title: str, lines: Iterable[str]) -> str:
    body = [line for line in lines if line]
    return "\n".join([title, *body]) if body else ""


def _wrap_sentences(text: str, mark: str = "") -> str:
    return textwrap.fill(
        text, _WIDTH, initial_indent=f"  {mark}", subsequent_indent=" " * (2 + len(mark)), break_on_hyphens=False
    )


def _format_labels(card: Card) -> list[str]:
    if not card.labels:
        return []
    listed = f"; graphlang methods {card.name} --languages lists them" if card.model else ""
    return [_wrap_sentences(f"{card.labels:,} languages and scripts{listed}")]


def _format_training(card: Card) -> list[str]:
    return _format_table(
        ("kind", "languages", "amount", "licence"),
        [(row.kind, f"{row.languages:,}", f"{row.amount:,} {row.unit}", row.licence) for row in card.training],
    )


def _format_accuracy(card: Card) -> list[str]:
    if not card.accuracy:
        return []
    with_text = any(row.text_alone is not None for row in card.accuracy)
    names = ("on", "tested", "right") + (("text alone",) if with_text else ("macro-F", "calibration error"))
    rows = [
        (
            row.on,
            f"{row.tested:,}",
            _format_share(row.accuracy),
            *(
                (_format_share(row.text_alone),)
                if with_text
                else (_format_number(row.macro_f), _format_number(row.calibration_error))
            ),
        )
        for row in card.accuracy
    ]
    model = f"model {card.model[:12]}" if card.model else ""
    setup = ", ".join(filter(None, (card.measured, model, card.date)))
    return [*_format_table(names, rows), _wrap_sentences(f"On {card.test}; {setup}; made by: {card.made_by}")]


def _format_confusions(card: Card) -> list[str]:
    rows = [(row.language, row.taken_for, _format_share(row.share), f"{row.tested:,}") for row in card.confusions]
    return _format_table(("language", "taken for", "share", "of"), rows)


def _format_share(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _format_number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _format_table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table; numbers are aligned to the right."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in (names, *rows)) for column in range(len(names))]
    right = [all(row[column][:1].isdigit() or not row[column] for row in rows) for column in range(len(names))]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in (names, *rows)
    ]


_SHORT = 16  # digits of a digest in text


def is_model_file(name: str) -> bool:
    """Return True if a name from a user is a file, and not a method of graphlang or of another package."""
    return name not in sources.names() and Path(name).is_file()


def describe_model_file(path: Path) -> dict[str, Any]:
    """Return `file`, `method`, `labels`, `sha256`, `corpus` and `extended` of a model file.

    Raise a ModelError if it is not a model file.
    """
    model, digest = modelfile.read(path)
    extended: Any = model.parameters.get("extended", [])
    steps = [step for step in extended if isinstance(step, dict)] if isinstance(extended, list) else []
    return {
        "file": str(path),
        "method": model.method,
        "labels": len(model.labels),
        "sha256": digest,
        "corpus": model.parameters.get("corpus"),
        "extended": steps,
    }


def format_model_file(description: Mapping[str, Any]) -> str:
    """Format a description of `describe_model_file` as lines; names from the file are made visible.

    >>> facts = {"file": "m.npz", "method": "nfc", "labels": 9, "sha256": "c" * 64}
    >>> step = {"base": "ab" * 32, "labels": {"xho": {"characters": 9000, "files": ["xho/a.txt"]}}, "replaced": []}
    >>> print(format_model_file({**facts, "extended": [step]}), end="")
    m.npz: a model of nfc, 9 labels
    sha256 cccccccccccccccc...
    <BLANKLINE>
    Languages were added to the model abababababababab...:
      xho  9,000 characters  xho/a.txt
    >>> source = {"characters": 9000, "made": {"plain": 900, "words": 7000}, "bias": -0.5}
    >>> step = {"base": "ab" * 32, "labels": {"xho": {**source, "files": ["a.txt"], "more_files": 2}}}
    >>> format_model_file({**facts, "extended": [step]}).splitlines()[-1]
    '  xho  9,000 characters + 900 plain + 7,000 words, bias -0.5  a.txt and 2 more'
    >>> fewer = {"base": "ab" * 32, "removed": 569}
    >>> format_model_file({**facts, "extended": [fewer]}).splitlines()[-1]
    'Left out of the model abababababababab...: 569 labels'
    """
    file, method = visible(description["file"]), visible(description["method"])
    lines = [
        f"{file}: a model of {method}, {quantity(description['labels'], 'label')}",
        f"sha256 {description['sha256'][:_SHORT]}...",
    ]
    for step in description["extended"]:
        base = f"{visible(str(step.get('base'))[:_SHORT])}..."
        if type(removed := step.get("removed")) is int:
            lines += ["", f"Left out of the model {base}: {quantity(removed, 'label')}"]
            continue
        lines += ["", f"Languages were added to the model {base}:"]
        labels = step.get("labels")
        for label, source in sorted(labels.items()) if isinstance(labels, dict) else ():
            facts = source if isinstance(source, dict) else {}
            lines.append(f"  {visible(str(label))}  {_size(facts)}  {visible(_files(facts))}".rstrip())
        if replaced := step.get("replaced"):
            lines.append(f"  instead of the model's own: {visible(str(replaced))}")
    return "\n".join(lines) + "\n"


def _size(source: Mapping[str, Any]) -> str:
    """Format the amounts of text and of derived text of a label, and its bias against close relatives."""
    number, derived, bias = source.get("characters"), source.get("made"), source.get("bias")
    size = f"{number:,} characters" if type(number) is int else "? characters"
    for genre, amount in sorted(derived.items()) if isinstance(derived, dict) else ():
        size += f" + {amount:,} {visible(str(genre))}" if type(amount) is int else ""
    return size + (f", bias {bias:g}" if type(bias) is float and bias else "")


def _files(source: Mapping[str, Any]) -> str:
    files, omitted = source.get("files"), source.get("more_files")
    names = ", ".join(map(str, files)) if isinstance(files, list) else ""
    return f"{names} and {omitted:,} more" if type(omitted) is int and omitted else names
