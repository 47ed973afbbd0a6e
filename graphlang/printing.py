r"""Write rows and values as CSV, TSV or JSON, for all verbs and exports.

Strings from a crawl are hostile, but programs need them exactly. TSV and JSON escape every character that could control
a terminal, and a reader restores it. CSV has no escapes, so it is exact in a file or a pipe, and escaped only on a
terminal. Lines and tables for people are made with `visible`.

*CSV*: cells are separated by commas, rows by line feeds, and quoted where necessary (RFC 4180, but for the carriage
return). Python's ``csv`` reads back each cell as it was. Two things cannot be exact: halves of surrogate pairs, which
no file in UTF-8 can hold, are written as escapes (``\udc80``); and what a spreadsheet would take for a formula, if the
cells are to be safe for one.

*TSV*: cells are separated by tabs, rows by line feeds, without quotes. A tab is ``\t``, a line feed ``\n``, a carriage
return ``\r``, a backslash ``\\``; any other character that could control a terminal or end a line is ``\u`` and four
hexadecimal digits. Nothing else is escaped, so that a split at line feeds and tabs gives the cells, and `split_tsv`
their values.

*JSON* and JSON lines: letters as they are, and ``\u`` with four digits for characters that could control a terminal.

>>> print(format_json({"title": "a\x1b[2J"}))
{"title": "a\u001b[2J"}
"""

from __future__ import annotations

import io
import json
import math
import re
from itertools import islice
from math import isnan
from typing import IO, TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

#: Control characters, those that end a line or set the direction of writing, and halves of surrogate pairs, which no
#: encoding can write. A path whose bytes are no UTF-8 has such halves.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Replace control and direction characters by escapes.

    >>> visible("a\x1b[2Jb"), visible("\u202egnp.exe")
    ('a\\x1b[2Jb', '\\u202egnp.exe')
    """
    return CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def visible_lines(text: str) -> str:
    r"""Apply `visible` to each line of a text.

    >>> visible_lines("one\ntwo\r\x1b[1A")
    'one\ntwo\\r\\x1b[1A'
    """
    return "\n".join(map(visible, text.split("\n")))


def quantity(number: int, what: str) -> str:
    """Write a number with its unit, an English noun that takes an s in the plural.

    >>> quantity(1, "page"), quantity(1234, "page"), quantity(0, "further capture")
    ('1 page', '1,234 pages', '0 further captures')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def format_cell(value: Any) -> str:
    """Return the text of a value in a cell.

    Floats have four digits after the point; none, and what is no number, is an empty cell.

    >>> format_cell("a"), format_cell(0.25), format_cell(7), format_cell(None), format_cell(float("nan"))
    ('a', '0.2500', '7', '', '')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.4f}"
    return str(value)


def to_json_value(value: Any) -> Any:
    """Return the value as JSON takes it.

    >>> to_json_value(1 / 3), to_json_value(float("inf")), to_json_value("a")
    (0.3333, None, 'a')
    """
    if isinstance(value, float):
        return round(value, 4) if math.isfinite(value) else None
    return value


_MOST: Final = 1_024  # rows of a block
_LARGE: Final = 1 << 19  # characters of a block that is too large
_TEXTS: Final = frozenset((str, type(None)))
_NUMBERS: Final = frozenset((int, float, type(None)))


def format_blocks(
    rows: Iterable[Sequence[Any]], write: Callable[[list[Sequence[Any]]], str]
) -> Iterator[tuple[str, int]]:
    """Yield the text of rows in blocks, with the number of rows in each.

    Blocks begin with one row and grow, so that the first rows come at once, and long texts take no more memory.
    """
    remaining, size = iter(rows), 1
    while block := list(islice(remaining, size)):
        text = write(block)
        yield text, len(block)
        if len(text) > _LARGE:
            size = max(1, size // 4)
        elif 2 * len(text) < _LARGE:
            size = min(_MOST, 2 * size)


def join_column(column: Sequence[Any], between: str = "") -> str | None:
    """Join all texts of a column; None where it holds other values than texts and None.

    >>> join_column(["a", None, "b"], "-"), join_column([1, "a"])
    ('-a-b', None)
    """
    if not _TEXTS.issuperset(map(type, column)):
        return None
    return between + between.join(filter(None, column))


def format_numbers(column: Sequence[Any]) -> list[str] | None:
    """Return the cells of a column of numbers and None; None where it holds other values.

    >>> format_numbers([1, 0.25, None, float("nan")]), format_numbers([1, "a"])
    (['1', '0.2500', '', ''], None)
    """
    kinds = set(map(type, column))
    if not kinds <= _NUMBERS:
        return None
    if kinds == {int}:
        return list(map(str, column))
    if kinds == {float} and not any(map(isnan, column)):
        return [f"{value:.4f}" for value in column]
    return list(map(format_cell, column))


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
    file.write(_write_rows([columns], returns=True))
    written = 0
    for text, count in format_blocks(rows, lambda block: _format_csv(block, safe=safe, for_screen=for_screen)):
        file.write(text)
        written += count
    return written


def _format_csv(rows: Sequence[Sequence[Any]], *, safe: bool, for_screen: bool) -> str:
    returns = False  # there may be a carriage return in a cell
    columns: list[Sequence[Any]] = []
    cells: Sequence[Any] | None
    for column in zip(*rows, strict=True):
        cells = format_numbers(column)
        if cells is None:
            texts = join_column(column, "\n")
            if texts is None or for_screen or (safe and _MAY_BE_FORMULA.search(texts)) or _has_surrogates(texts):
                cells, returns = [_format_csv_cell(value, safe=safe, for_screen=for_screen) for value in column], True
            else:
                cells, returns = column, returns or "\r" in texts
        columns.append(cells)
    return _write_rows(zip(*columns, strict=True), returns=returns)


def _write_rows(rows: Iterable[Sequence[Any]], *, returns: bool) -> str:
    import csv  # noqa: PLC0415 - most verbs print no CSV

    out = io.StringIO(newline="")
    if not returns:
        csv.writer(out, lineterminator="\n").writerows(rows)
        return out.getvalue()
    # The module puts cells in quotes that hold a character of the row's end: a carriage return alone is one to readers.
    writer = csv.writer(_LineBuffer(out), lineterminator=_END)
    writer.writerows(rows)
    return out.getvalue()


class _LineBuffer:
    """Receives rows from the CSV writer, and ends them with a line feed."""

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


def _format_csv_cell(value: Any, *, safe: bool, for_screen: bool) -> str:
    text = format_cell(value)
    if safe and isinstance(value, str) and text.startswith(FORMULA):
        text = "'" + text
    if for_screen:
        return visible(text)
    return _SURROGATE.sub(lambda match: visible(match[0]), text)


_LETTERS: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"}
_ESCAPED: Final = re.compile(rf"\\|{CONTROL.pattern}")
_ESCAPE: Final = re.compile(r"\\(?:([tnr\\])|u([0-9a-f]{4}))")
_MEANT: Final = {escape[1]: letter for letter, escape in _LETTERS.items()}


def write_tsv(columns: Sequence[str], rows: Iterable[Sequence[Any]], file: IO[str]) -> int:
    """Write rows with a header; return their number."""
    file.write(_format_tsv([columns]))
    written = 0
    for text, count in format_blocks(rows, _format_tsv):
        file.write(text)
        written += count
    return written


def split_tsv(line: str) -> list[str]:
    r"""Return the cells of a line.

    >>> split_tsv("C:\\\\temp\ttwo\\nlines\t\\u001b[2J\n")
    ['C:\\temp', 'two\nlines', '\x1b[2J']
    """
    return [_ESCAPE.sub(_unescape_tsv, cell) for cell in line.removesuffix("\n").split("\t")]


def _format_tsv(rows: Sequence[Sequence[Any]]) -> str:
    columns = map(_format_tsv_cells, zip(*rows, strict=True))
    return "\n".join(map("\t".join, zip(*columns, strict=True))) + "\n"


def _format_tsv_cells(column: Sequence[Any]) -> Iterable[str]:
    texts = format_numbers(column)
    if texts is not None:
        return texts
    text = join_column(column)
    if text is not None and text.isprintable() and "\\" not in text:  # what is escaped is not printable
        return [value or "" for value in column]
    return [_ESCAPED.sub(_escape_tsv, format_cell(value)) for value in column]


def _escape_tsv(match: re.Match[str]) -> str:
    return _LETTERS.get(match[0]) or f"\\u{ord(match[0]):04x}"


def _unescape_tsv(match: re.Match[str]) -> str:
    return _MEANT[match[1]] if match[1] else chr(int(match[2], 16))


_WHOLE: Final = frozenset((int, type(None)))
_JSON_NUMBERS: Final = _WHOLE | {float}


def format_json(value: Any, *, indent: int | None = None) -> str:
    r"""Return a value as JSON, without a line feed at its end.

    >>> format_json({"a": "é\u202e\x7f"})
    '{"a": "é\\u202e\\u007f"}'
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(_replace_infinite(value), ensure_ascii=False, indent=indent)
    # The module escapes what JSON requires. All others occur in strings only, and line feeds only between.
    return "\n".join(CONTROL.sub(_escape_json, line) for line in text.split("\n"))


def write_jsonl(columns: Sequence[str], rows: Iterable[Sequence[Any]], file: IO[str]) -> int:
    """Write each row as an object on its own line; return their number."""
    names = [format_json(name).replace("%", "%%") for name in columns]

    def format_block(block: Sequence[Sequence[Any]]) -> str:
        values = list(map(_format_json_values, zip(*block, strict=True)))
        members = ", ".join(f"{name}: {place}" for name, (place, _) in zip(names, values, strict=True))
        return "".join(map(f"{{{members}}}\n".__mod__, zip(*(cells for _, cells in values), strict=True)))

    written = 0
    for text, count in format_blocks(rows, format_block):
        file.write(text)
        written += count
    return written


def _format_json_values(column: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """Return a column as JSON: the placeholder of its values in a row, and the values."""
    kinds = set(map(type, column))
    if kinds == {int}:
        return "%s", column
    if kinds <= _WHOLE:
        return "%s", ["null" if value is None else value for value in column]
    if kinds <= _JSON_NUMBERS:
        return "%s", ["null" if (number := to_json_value(value)) is None else number for value in column]
    texts = join_column(column)
    if texts is not None and texts.isprintable() and '"' not in texts and "\\" not in texts:  # nothing is escaped
        if kinds == {str}:
            return '"%s"', column
        return "%s", ["null" if value is None else f'"{value}"' for value in column]
    return "%s", [format_json(to_json_value(value)) for value in column]


def _replace_infinite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _replace_infinite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_replace_infinite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _escape_json(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
