"""Method cards as plain text: sentences in 100 columns, tables as wide as their cells."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphlang.method_cards.card import Card

_WIDTH: Final = 100


def format_card(card: Card) -> str:
    """Lay out a card for people, with a line for each sentence on how the method differs."""
    sections = [
        f"{card.name} ({card.kind})\n{_wrap(card.about)}",
        _section("Run it", [f"  {card.command}"]),
        _section("Source", [_wrap(card.source)]),
        _section("Differs from it", [_wrap(sentence, "- ") for sentence in card.differs]),
        _section("Trained on", _training(card)),
        _section("Labels", _labels(card)),
        _section("Accuracy", _accuracy(card)),
        _section("Taken for another, most texts first", _confusions(card)),
    ]
    return "\n\n".join(filter(None, sections)) + "\n"


def _section(title: str, lines: Iterable[str]) -> str:
    body = [line for line in lines if line]
    return "\n".join([title, *body]) if body else ""


def _wrap(text: str, mark: str = "") -> str:
    return textwrap.fill(
        text, _WIDTH, initial_indent=f"  {mark}", subsequent_indent=" " * (2 + len(mark)), break_on_hyphens=False
    )


def _labels(card: Card) -> list[str]:
    if not card.labels:
        return []
    listed = f"; graphlang methods {card.name} --languages lists them" if card.model else ""
    return [_wrap(f"{card.labels:,} languages and scripts{listed}")]


def _training(card: Card) -> list[str]:
    return _table(
        ("kind", "languages", "amount", "licence"),
        [(row.kind, f"{row.languages:,}", f"{row.amount:,} {row.unit}", row.licence) for row in card.training],
    )


def _accuracy(card: Card) -> list[str]:
    if not card.accuracy:
        return []
    with_text = any(row.text_alone is not None for row in card.accuracy)
    names = ("on", "tested", "right") + (("text alone",) if with_text else ("macro-F", "calibration error"))
    rows = [
        (
            row.on,
            f"{row.tested:,}",
            _per_cent(row.accuracy),
            *((_per_cent(row.text_alone),) if with_text else (_number(row.macro_f), _number(row.calibration_error))),
        )
        for row in card.accuracy
    ]
    model = f"model {card.model[:12]}" if card.model else ""
    setup = ", ".join(filter(None, (card.measured, model, card.date)))
    return [*_table(names, rows), _wrap(f"On {card.test}; {setup}; made by: {card.made_by}")]


def _confusions(card: Card) -> list[str]:
    rows = [(row.language, row.taken_for, _per_cent(row.share), f"{row.tested:,}") for row in card.confusions]
    return _table(("language", "taken for", "share", "of"), rows)


def _per_cent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
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
