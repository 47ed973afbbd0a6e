"""Values -> their text in a cell, and in JSON."""

from __future__ import annotations

import math
from itertools import islice
from math import isnan
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


def cell(value: Any) -> str:
    """Return the text of a value in a cell.

    Floats have four digits after the point; none, and what is no number, is an empty cell.

    >>> cell("a"), cell(0.25), cell(7), cell(None), cell(float("nan"))
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


def numbers(column: Sequence[Any]) -> list[str] | None:
    """Return the cells of a column of numbers and None; None where it holds other values.

    >>> numbers([1, 0.25, None, float("nan")]), numbers([1, "a"])
    (['1', '0.2500', '', ''], None)
    """
    kinds = set(map(type, column))
    if not kinds <= _NUMBERS:
        return None
    if kinds == {int}:
        return list(map(str, column))
    if kinds == {float} and not any(map(isnan, column)):
        return [f"{value:.4f}" for value in column]
    return list(map(cell, column))
