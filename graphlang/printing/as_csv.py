r"""CSV: cells apart by commas, rows by line feeds, in quotes where need be (RFC 4180, but for the carriage return).

Python's ``csv`` reads back each cell as it was. Two things cannot be exact: halves of surrogate pairs, which no file in
UTF-8 can hold, are written as escapes (``\udc80``); and what a spreadsheet would take for a formula, if the cells are
to be safe for one.
"""

from __future__ import annotations

import csv
import io
import re
from typing import IO, TYPE_CHECKING, Any

from graphlang.printing.cells import cell, format_blocks, join_column, numbers
from graphlang.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SURROGATE = re.compile("[\ud800-\udfff]")
#: What spreadsheets take for the beginning of a formula, the wide forms of East Asia included (OWASP, CSV injection).
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_MAY_BE_FORMULA = re.compile("\n[" + re.escape("".join(FORMULA)) + "]")
_END = "\r\n"


def write_csv(
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    file: IO[str],
    *,
    safe: bool = False,
    for_screen: bool = False,
) -> int:
    """Write rows with a header; return their number."""
    file.write(_lines([columns], returns=True))
    written = 0
    for text, count in format_blocks(rows, lambda block: _format_rows(block, safe=safe, for_screen=for_screen)):
        file.write(text)
        written += count
    return written


def _format_rows(rows: Sequence[Sequence[Any]], *, safe: bool, for_screen: bool) -> str:
    returns = False  # there may be a carriage return in a cell
    columns: list[Sequence[Any]] = []
    cells: Sequence[Any] | None
    for column in zip(*rows, strict=True):
        cells = numbers(column)
        if cells is None:
            texts = join_column(column, "\n")
            if texts is None or for_screen or (safe and _MAY_BE_FORMULA.search(texts)) or _has_surrogates(texts):
                cells, returns = [_text(value, safe=safe, for_screen=for_screen) for value in column], True
            else:
                cells, returns = column, returns or "\r" in texts
        columns.append(cells)
    return _lines(zip(*columns, strict=True), returns=returns)


def _lines(rows: Iterable[Sequence[Any]], *, returns: bool) -> str:
    out = io.StringIO(newline="")
    if not returns:
        csv.writer(out, lineterminator="\n").writerows(rows)
        return out.getvalue()
    # The module puts cells in quotes that hold a character of the row's end: a carriage return alone is one to readers.
    writer = csv.writer(_LineBuffer(out), lineterminator=_END)
    writer.writerows(rows)
    return out.getvalue()


class _LineBuffer:
    """Takes rows from the writer, and gives them on with a line feed at their end."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row[: -len(_END)] + "\n")


def _has_surrogates(text: str) -> bool:
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _text(value: Any, *, safe: bool, for_screen: bool) -> str:
    text = cell(value)
    if safe and isinstance(value, str) and text.startswith(FORMULA):
        text = "'" + text
    if for_screen:
        return visible(text)
    return _SURROGATE.sub(lambda match: visible(match[0]), text)
