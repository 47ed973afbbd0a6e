r"""JSON and JSON lines: letters as they are, and ``\u`` with four digits for what could steer a terminal."""

from __future__ import annotations

import json
import math
from typing import IO, TYPE_CHECKING, Any, Final

from graphlang.printing.cells import format_blocks, join_column, to_json_value
from graphlang.visible import CONTROL

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence


_WHOLE: Final = frozenset((int, type(None)))
_NUMBERS: Final = _WHOLE | {float}


def json_text(value: Any, *, indent: int | None = None) -> str:
    r"""Return a value as JSON, without a line feed at its end.

    >>> json_text({"a": "é\u202e\x7f"})
    '{"a": "é\\u202e\\u007f"}'
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, indent=indent)
    # The module escapes what JSON requires. All others occur in strings only, and line feeds only between.
    return "\n".join(CONTROL.sub(_escape, line) for line in text.split("\n"))


def write_jsonl(columns: Sequence[str], rows: Iterable[Sequence[Any]], file: IO[str]) -> int:
    """Write each row as an object on its own line; return their number."""
    names = [json_text(name).replace("%", "%%") for name in columns]

    def made(block: Sequence[Sequence[Any]]) -> str:
        values = list(map(_values, zip(*block, strict=True)))
        members = ", ".join(f"{name}: {place}" for name, (place, _) in zip(names, values, strict=True))
        return "".join(map(f"{{{members}}}\n".__mod__, zip(*(cells for _, cells in values), strict=True)))

    written = 0
    for text, count in format_blocks(rows, made):
        file.write(text)
        written += count
    return written


def _values(column: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """Return a column as JSON: the placeholder of its values in a row, and the values."""
    kinds = set(map(type, column))
    if kinds == {int}:
        return "%s", column
    if kinds <= _WHOLE:
        return "%s", ["null" if value is None else value for value in column]
    if kinds <= _NUMBERS:
        return "%s", ["null" if (number := to_json_value(value)) is None else number for value in column]
    texts = join_column(column)
    if texts is not None and texts.isprintable() and '"' not in texts and "\\" not in texts:  # nothing is escaped
        if kinds == {str}:
            return '"%s"', column
        return "%s", ["null" if value is None else f'"{value}"' for value in column]
    return "%s", [json_text(to_json_value(value)) for value in column]


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
