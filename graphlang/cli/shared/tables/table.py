"""Tables for people: written as the rows come, as wide as the terminal, and through the user's pager.

Widths come from the first rows. On a terminal the columns are chosen for its width: numbers and headers are whole,
long texts are cut, URLs in their middle, and a line says which columns found no room. Where nobody looks on, all is
written whole.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

import click

from graphlang.cli.shared.tables.cell_width import cell_width
from graphlang.cli.shared.tables.pager import paged
from graphlang.printing.counted import counted
from graphlang.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_GAP = "  "
_DOTS = "..."
_SAMPLE = 1000  #: rows from which widths are taken, where nobody waits for the first
_SECONDS = 0.1  #: for which rows are gathered before the first are shown, once there is a screenful
_SHORT = 24  #: texts of so many characters are never cut
_ADDRESS = 36  #: characters of a URL that are left of it, at least


@dataclass(slots=True)
class _Column:
    number: int
    name: str
    numeric: bool
    natural: int  #: width of the longest cell of the sample, or of the header
    least: int  #: width below which the column is rather left out
    width: int = 0


def write_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    file: IO[str],
    *,
    cell: Callable[[Any], str],
    wide: bool = False,
    first: Sequence[str] = (),
    pager: bool = False,
) -> int:
    """Write rows as a table.

    Args:
        columns: their names.
        rows: read as they are written.
        file: where to; a terminal is written to in its width.
        cell: from a value to its text.
        wide: write all columns whole, on a terminal too.
        first: columns in the order of their importance, where not all have room; then the others as they stand.
        pager: let the user's pager show what is longer than the terminal.

    Returns:
        How many rows there were.
    """
    screen = shutil.get_terminal_size() if file.isatty() else None
    coming = iter(rows)
    sample = _sample(coming, screen.lines if screen else None)
    texts = [_texts(row, cell) for row in sample]
    numeric = {place for row in sample for place, value in enumerate(row) if isinstance(value, (int, float))}
    room = screen.columns if screen and not wide else None
    address = _ADDRESS if room is None else min(_ADDRESS, max(_SHORT, room // 2))
    given = [_column(place, name, numeric, texts, address) for place, name in enumerate(columns)]
    shown = given if room is None else _fitting(given, room, first)
    for column in shown:
        column.width = column.width or column.natural
    left_out = [column.name for column in given if column not in shown]
    head = [_missing(left_out, room)] if room is not None and left_out else []
    names = [column.name for column in given]
    head += [
        _bold(_line(shown, names, None), on=screen is not None),
        _rule(file) * (sum(column.width for column in shown) + len(_GAP) * (len(shown) - 1)),
    ]
    written = 0
    long = screen is not None and len(texts) + len(head) + 1 > screen.lines
    with paged(file, wanted=pager and long) as out:
        for line in head:
            out.write(f"{line}\n")
        for cells in texts:
            out.write(f"{_line(shown, cells, room)}\n")
            written += 1
        out.flush()
        for row in coming:
            out.write(f"{_line(shown, _texts(row, cell), room)}\n")
            written += 1
    return written


def _rule(file: IO[str]) -> str:
    """What the line below the head is made of: a charset that has no lines would show an escape for each of them."""
    try:
        "─".encode(getattr(file, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return "-"
    return "─"


def _sample(rows: Iterator[Sequence[Any]], screen: int | None) -> list[Sequence[Any]]:
    """The first rows; where somebody waits for them, no more than a screenful that took long."""
    if screen is None:
        return list(islice(rows, _SAMPLE))
    found: list[Sequence[Any]] = []
    started = time.monotonic()
    for row in islice(rows, _SAMPLE):
        found.append(row)
        if len(found) >= screen and time.monotonic() - started > _SECONDS:
            break
    return found


def _missing(names: Sequence[str], room: int) -> str:
    """One line on the columns that are not shown."""
    words = f"(no room for {', '.join(names)}; --wide shows them)"
    have = "has" if len(names) == 1 else "have"
    return words if len(words) <= room else f"({counted(len(names), 'column')} {have} no room; --wide)"


def _texts(row: Sequence[Any], cell: Callable[[Any], str]) -> list[str]:
    return [visible(cell(value)) for value in row]


def _column(place: int, name: str, numeric: set[int], texts: Sequence[Sequence[str]], address: int) -> _Column:
    cells = [row[place] for row in texts]
    natural = max(map(cell_width, [name, *cells]))
    least = natural
    if place not in numeric and natural > _SHORT:
        least = max(_SHORT, cell_width(name))
        if any("://" in text for text in cells):
            least = max(least, min(natural, address))
    return _Column(place, name, place in numeric, natural, least)


def _fitting(given: list[_Column], room: int, first: Sequence[str]) -> list[_Column]:
    """The columns that have room, with their widths."""
    order = sorted(given, key=lambda column: first.index(column.name) if column.name in first else len(first))
    kept: list[_Column] = []
    used = 0
    for column in order:
        more = column.least + (len(_GAP) if kept else 0)
        if kept and used + more > room:
            break  # and not a less important one, because it happens to be narrow
        kept.append(column)
        used += more
    spare = room - used
    for column in kept:
        column.width = min(column.natural, column.least + max(spare, 0))
        spare -= column.width - column.least
    if len(kept) == 1:
        kept[0].width = min(kept[0].natural, max(room, len(_DOTS) + 2))
    return sorted(kept, key=lambda column: column.number)


def _line(shown: Sequence[_Column], cells: Sequence[str], room: int | None) -> str:
    """One line; what a cell has beyond its column, the longest text that can be cut gives up."""
    texts = [cells[column.number] for column in shown]
    if room is not None:
        excess = sum(
            max(0, cell_width(text) - column.width)
            for text, column in zip(texts, shown, strict=True)
            if column.natural == column.least
        )
        for place, column in enumerate(shown):
            if column.natural > column.least or len(shown) == 1:
                width = max(column.width - excess, len(_DOTS) + 2)
                excess = max(0, excess - (column.width - width))
                texts[place] = _cut(texts[place], width)
    padded = [
        " " * (column.width - cell_width(text)) + text
        if column.numeric
        else text + " " * (column.width - cell_width(text))
        for text, column in zip(texts, shown, strict=True)
    ]
    return _GAP.join(padded).rstrip()


def _cut(text: str, width: int) -> str:
    """A text in so many cells: a URL without its middle, another without its end.

    >>> _cut("http://a.example/long/path/page.html", 24)
    'http://a.ex.../page.html'
    >>> _cut("a long sentence without any end", 15)
    'a long sente...'
    """
    if cell_width(text) <= width:
        return text
    left = width - len(_DOTS)
    tail = left // 2 if "://" in text else 0
    end = _beginning(text[::-1], tail)[::-1]
    return _beginning(text, left - tail) + _DOTS + end


def _beginning(text: str, width: int) -> str:
    if text.isascii():
        return text[:width]
    used = 0
    for place, letter in enumerate(text):
        used += cell_width(letter)
        if used > width:
            return text[:place]
    return text


def _bold(line: str, *, on: bool) -> str:
    return click.style(line, bold=True) if on and os.environ.get("TERM", "dumb") != "dumb" else line
