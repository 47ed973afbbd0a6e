r"""TSV: cells apart by tabs, rows by line feeds, no quotes.

A tab is ``\t``, a line feed ``\n``, a carriage return ``\r``, a backslash ``\\``; any other character that could steer
a terminal or end a line is ``\u`` and four hexadecimal digits. Nothing else is escaped, so that a split at line feeds
and tabs gives the cells, and `cells` what was in them.
"""

from __future__ import annotations

import re
from typing import IO, TYPE_CHECKING, Any, Final

from graphlang.printing.cells import cell, format_blocks, join_column, numbers
from graphlang.visible import CONTROL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LETTERS: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"}
_ESCAPED: Final = re.compile(rf"\\|{CONTROL.pattern}")
_ESCAPE: Final = re.compile(r"\\(?:([tnr\\])|u([0-9a-f]{4}))")
_MEANT: Final = {escape[1]: letter for letter, escape in _LETTERS.items()}


def write_tsv(columns: Sequence[str], rows: Iterable[Sequence[Any]], file: IO[str]) -> int:
    """Write rows with a header; return their number."""
    file.write(_format_rows([columns]))
    written = 0
    for text, count in format_blocks(rows, _format_rows):
        file.write(text)
        written += count
    return written


def cells(line: str) -> list[str]:
    r"""Return the cells that a line was written from.

    >>> cells("C:\\\\temp\ttwo\\nlines\t\\u001b[2J\n")
    ['C:\\temp', 'two\nlines', '\x1b[2J']
    """
    return [_ESCAPE.sub(_unescape, cell) for cell in line.removesuffix("\n").split("\t")]


def _format_rows(rows: Sequence[Sequence[Any]]) -> str:
    columns = map(_cells, zip(*rows, strict=True))
    return "\n".join(map("\t".join, zip(*columns, strict=True))) + "\n"


def _cells(column: Sequence[Any]) -> Iterable[str]:
    texts = numbers(column)
    if texts is not None:
        return texts
    text = join_column(column)
    if text is not None and text.isprintable() and "\\" not in text:  # what is escaped is not printable
        return [value or "" for value in column]
    return [_ESCAPED.sub(_escape, cell(value)) for value in column]


def _escape(match: re.Match[str]) -> str:
    return _LETTERS.get(match[0]) or f"\\u{ord(match[0]):04x}"


def _unescape(match: re.Match[str]) -> str:
    return _MEANT[match[1]] if match[1] else chr(int(match[2], 16))
