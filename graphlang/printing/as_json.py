r"""JSON and JSON lines: letters as they are, and ``\u`` with four digits for what could steer a terminal."""

from __future__ import annotations

import json
import math
from typing import IO, TYPE_CHECKING, Any

from graphlang.printing.cells import plain
from graphlang.visible import CONTROL

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence


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
    written = 0
    for row in rows:
        record = {name: plain(value) for name, value in zip(columns, row, strict=True)}
        file.write(json_text(record) + "\n")
        written += 1
    return written


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
