r"""JSON and JSON lines: letters as they are, and ``\u`` with four digits for what could steer a terminal."""

from __future__ import annotations

import json
import math
from typing import IO, TYPE_CHECKING, Any, Final

from graphlang.printing.cells import joined, plain, printed
from graphlang.visible import CONTROL

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence


_WHOLE: Final = frozenset((int, type(None)))
_NUMBERS: Final = _WHOLE | {float}


def json_text(value: Any, *, indent: int | None = None) -> str:
    r"""A value as JSON, without a line feed at its end.

    Args:
        value: what JSON can hold; floats that are no numbers become null.
        indent: spaces for each level; None for one line.

    >>> json_text({"a": "é\u202e\x7f"})
    '{"a": "é\\u202e\\u007f"}'
    """
    try:
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, indent=indent)
    # The module escapes what JSON requires. All of the others can only stand in strings, and line feeds only between.
    return "\n".join(CONTROL.sub(_escape, line) for line in text.split("\n"))


def write_jsonl(columns: Sequence[str], rows: Iterable[Sequence[Any]], file: IO[str]) -> int:
    """Write each row as an object on a line of its own; returns how many there were.

    Args:
        columns: their names.
        rows: as many values each as there are columns.
        file: opened with ``newline=""``, or a terminal.
    """
    names = [json_text(name).replace("%", "%%") for name in columns]

    def made(block: Sequence[Sequence[Any]]) -> str:
        values = list(map(_values, zip(*block, strict=True)))
        members = ", ".join(f"{name}: {place}" for name, (place, _) in zip(names, values, strict=True))
        return "".join(map(f"{{{members}}}\n".__mod__, zip(*(cells for _, cells in values), strict=True)))

    written = 0
    for text, count in printed(rows, made):
        file.write(text)
        written += count
    return written


def _values(column: Sequence[Any]) -> tuple[str, Sequence[Any]]:
    """A column as JSON: what stands in a row for one of its values, and the values that are put there."""
    kinds = set(map(type, column))
    if kinds == {int}:
        return "%s", column
    if kinds <= _WHOLE:
        return "%s", ["null" if value is None else value for value in column]
    if kinds <= _NUMBERS:
        return "%s", ["null" if (number := plain(value)) is None else number for value in column]
    texts = joined(column)
    if texts is not None and texts.isprintable() and '"' not in texts and "\\" not in texts:  # nothing is escaped
        if kinds == {str}:
            return '"%s"', column
        return "%s", ["null" if value is None else f'"{value}"' for value in column]
    return "%s", [json_text(plain(value)) for value in column]


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
