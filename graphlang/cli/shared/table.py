"""Tables for people: written as the rows come, as wide as the terminal, and through the user's pager.

Widths come from the first rows. On a terminal the columns are chosen for its width: numbers and headers are whole,
long texts are cut, and a line names the columns that have no room. The URL of a page is the last column, and whole, so
that it can be copied; other URLs are cut in their middle. Elsewhere all cells are whole.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from itertools import islice
from typing import IO, TYPE_CHECKING, Any

import click

from graphlang.printing import quantity, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_GAP = "  "
_LINK = "url"  #: the column with the URL of a page
_DOTS = "..."
_SAMPLE = 1000  #: rows from which widths are taken, other than on a terminal
_SECONDS = 0.1  #: for which rows are gathered before the first are shown, once there is a screenful
_SHORT = 24  #: shorter texts are never cut
_ADDRESS = 36  #: characters of a cut URL, at least


@dataclass(slots=True)
class _Column:
    number: int
    name: str
    numeric: bool
    natural: int  #: width of the longest cell of the sample, or of the header
    minimum: int  #: width below which the column is left out
    width: int = 0


def write_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    file: IO[str],
    *,
    cell: Callable[[Any, str], str],
    wide: bool = False,
    first: Sequence[str] = (),
    pager: bool = False,
) -> int:
    """Write rows as a table, in the width of a terminal unless ``wide``; return how many there were.

    ``cell`` gives the text of a value in a column.

    Where columns have no room, those of ``first`` come before the others. With ``pager``, the user's pager shows a
    table that is longer than the terminal.
    """
    screen = shutil.get_terminal_size() if file.isatty() else None
    order = sorted(range(len(columns)), key=lambda place: columns[place] == _LINK)
    columns = [columns[place] for place in order]
    following = (tuple(row[place] for place in order) for row in rows)
    sample = _sample(following, screen.lines if screen else None)
    texts = [_format_texts(row, columns, cell) for row in sample]
    numeric = {place for row in sample for place, value in enumerate(row) if isinstance(value, (int, float))}
    room = screen.columns if screen and not wide else None
    address = _ADDRESS if room is None else min(_ADDRESS, max(_SHORT, room // 2))
    available = [_format_column(place, name, numeric, texts, address) for place, name in enumerate(columns)]
    fitting = available if room is None else _fit_columns(available, room, first)
    for column in fitting:
        column.width = column.width or column.natural
    missing = [column.name for column in available if column not in fitting]
    head = [_describe_missing(missing, room)] if room is not None and missing else []
    names = [column.name for column in available]
    head += [
        _format_bold(_format_line(fitting, names, None), on=screen is not None),
        _choose_rule(file) * min(room or sys.maxsize, sum(column.width + len(_GAP) for column in fitting) - len(_GAP)),
    ]
    pages = pager and screen is not None and len(texts) + len(head) + 1 > screen.lines and _has_pager()
    written = 0
    stopped = suppress(KeyboardInterrupt) if pages else nullcontext()  # Ctrl-C in the pager: the reader has seen enough
    with stopped, click.get_pager_file(color=True) if pages else nullcontext(file) as out:
        for line in head:
            out.write(f"{line}\n")
        for cells in texts:
            out.write(f"{_format_line(fitting, cells, room)}\n")
            written += 1
        out.flush()
        for row in following:
            out.write(f"{_format_line(fitting, _format_texts(row, columns, cell), room)}\n")
            written += 1
    file.flush()
    return written


def _has_pager() -> bool:
    """Return True if the user wants a pager: PAGER is neither empty, nor cat, nor an unknown command."""
    os.environ.setdefault("LESS", "-RS")  # lines longer than the terminal are not broken, and bold is bold
    try:
        return shlex.split(os.environ.get("PAGER", "less")) not in ([], ["cat"])
    except ValueError:  # a quote that is not closed
        return False


def measure_width(text: str) -> int:
    r"""Return how many cells of a terminal a text takes.

    >>> [measure_width(text) for text in ("Nebel", "霧", "é", "각", "e\u0301")]
    [5, 2, 1, 2, 1]
    """
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # noqa: PLC0415 - ASCII does without

    return max(0, wcswidth(text))


def _choose_rule(file: IO[str]) -> str:
    """The character of the line below the head: a charset without box drawing would show escapes."""
    try:
        "─".encode(getattr(file, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return "-"
    return "─"


def _sample(rows: Iterator[Sequence[Any]], screen: int | None) -> list[Sequence[Any]]:
    """The first rows; on a terminal no more than a screenful that took long."""
    if screen is None:
        return list(islice(rows, _SAMPLE))
    sample: list[Sequence[Any]] = []
    started = time.monotonic()
    for row in islice(rows, _SAMPLE):
        sample.append(row)
        if len(sample) >= screen and time.monotonic() - started > _SECONDS:
            break
    return sample


def _describe_missing(names: Sequence[str], room: int) -> str:
    """Describe the hidden columns in one line."""
    note = f"(no room for {', '.join(names)}; --wide shows them)"
    have = "has" if len(names) == 1 else "have"
    return note if len(note) <= room else f"({quantity(len(names), 'column')} {have} no room; --wide)"


def _format_texts(row: Sequence[Any], columns: Sequence[str], cell: Callable[[Any, str], str]) -> list[str]:
    return [visible(cell(value, name)) for value, name in zip(row, columns, strict=True)]


def _format_column(place: int, name: str, numeric: set[int], texts: Sequence[Sequence[str]], address: int) -> _Column:
    cells = [row[place] for row in texts]
    natural = max(map(measure_width, [name, *cells]))
    minimum = natural
    if place not in numeric and natural > _SHORT:
        minimum = max(_SHORT, measure_width(name))
        if any("://" in text for text in cells):
            minimum = max(minimum, min(natural, address))
    return _Column(place, name, place in numeric, natural, minimum)


def _fit_columns(columns: list[_Column], room: int, first: Sequence[str]) -> list[_Column]:
    """The columns that have room, with their widths; the URL of a page always has."""
    link = columns[-1] if columns[-1].name == _LINK and len(columns) > 1 else None
    if link is not None:
        link.width = link.natural
        columns = columns[:-1]
        room = max(0, room - len(_GAP) - min(link.natural, room // 2))
    order = sorted(columns, key=lambda column: first.index(column.name) if column.name in first else len(first))
    chosen: list[_Column] = []
    used = 0
    for column in order:
        width = column.minimum + (len(_GAP) if chosen else 0)
        if (chosen or link is not None) and used + width > room:
            break  # and not a less important one, because it happens to be narrow
        chosen.append(column)
        used += width
    spare = room - used
    for column in chosen:
        column.width = min(column.natural, column.minimum + max(spare, 0))
        spare -= column.width - column.minimum
    if len(chosen) == 1 and link is None:
        chosen[0].width = min(chosen[0].natural, max(room, len(_DOTS) + 2))
    return sorted(chosen, key=lambda column: column.number) + ([] if link is None else [link])


def _format_line(columns: Sequence[_Column], cells: Sequence[str], room: int | None) -> str:
    """Format one line; if a cell is wider than its column, the first text that can be cut is cut further."""
    texts = [cells[column.number] for column in columns]
    if room is not None:
        excess = sum(
            max(0, measure_width(text) - column.width)
            for text, column in zip(texts, columns, strict=True)
            if column.natural == column.minimum and column.name != _LINK
        )
        for place, column in enumerate(columns):
            if (column.natural > column.minimum and column.name != _LINK) or len(columns) == 1:
                width = max(column.width - excess, len(_DOTS) + 2)
                excess = max(0, excess - (column.width - width))
                texts[place] = _cut(texts[place], width)
    padded = [
        " " * (column.width - measure_width(text)) + text
        if column.numeric
        else text + " " * (column.width - measure_width(text))
        for text, column in zip(texts, columns, strict=True)
    ]
    return _GAP.join(padded).rstrip()


def _cut(text: str, width: int) -> str:
    """A text that fits a width: a URL without its middle, another without its end.

    >>> _cut("http://a.example/long/path/page.html", 24)
    'http://a.ex.../page.html'
    >>> _cut("a long sentence without any end", 15)
    'a long sente...'
    """
    if measure_width(text) <= width:
        return text
    rest = width - len(_DOTS)
    tail = rest // 2 if "://" in text else 0
    end = _cut_text(text[::-1], tail)[::-1]
    return _cut_text(text, rest - tail) + _DOTS + end


def _cut_text(text: str, width: int) -> str:
    if text.isascii():
        return text[:width]
    used = 0
    for place, letter in enumerate(text):
        used += measure_width(letter)
        if used > width:
            return text[:place]
    return text


def _format_bold(line: str, *, on: bool) -> str:
    return click.style(line, bold=True) if on and os.environ.get("TERM", "dumb") != "dumb" else line
