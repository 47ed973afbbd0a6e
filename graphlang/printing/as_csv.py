r"""CSV: cells apart by commas, rows by line feeds, in quotes where need be (RFC 4180, but for the carriage return).

Python's ``csv`` reads back each cell as it was. Two things cannot be exact: halves of surrogate pairs, which no file in
UTF-8 can hold, are written as escapes (``\udc80``); and what a spreadsheet would take for a formula, if the cells are
to be safe for one.
"""

from __future__ import annotations

import csv
import re
from typing import IO, TYPE_CHECKING, Any

from graphlang.printing.cells import cell
from graphlang.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SURROGATE = re.compile("[\ud800-\udfff]")
#: What spreadsheets take for the beginning of a formula, the wide forms of East Asia included (OWASP, CSV injection).
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_END = "\r\n"


def write_csv(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], file: IO[str], *, safe: bool = False, shown: bool = False
) -> int:
    """Write rows, with a header; returns how many there were.

    Args:
        columns: their names.
        rows: as many values each as there are columns.
        file: opened with ``newline=""``, or a terminal.
        safe: put an apostrophe before texts that begin like a formula; numbers stay as they are.
        shown: the file is a terminal: what could steer it is an escape.
    """
    # The module puts cells in quotes that hold a character of the row's end: a carriage return alone is one to readers.
    writer = csv.writer(_Rows(file), lineterminator=_END)
    writer.writerow(columns)
    written = 0
    for row in rows:
        writer.writerow([_text(value, safe=safe, shown=shown) for value in row])
        written += 1
    return written


class _Rows:
    """Takes rows from the writer, and gives them on with a line feed at their end."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row[: -len(_END)] + "\n")


def _text(value: Any, *, safe: bool, shown: bool) -> str:
    text = cell(value)
    if safe and isinstance(value, str) and text.startswith(FORMULA):
        text = "'" + text
    if shown:
        return visible(text)
    return _SURROGATE.sub(lambda found: visible(found[0]), text)
