"""Values -> what stands for them in a cell, and in JSON."""

from __future__ import annotations

import math
from typing import Any


def cell(value: Any) -> str:
    """What stands for a value in a cell.

    Floats have four digits after the point; none, and what is no number, is an empty cell.

    Args:
        value: a string, a number, or None.

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


def plain(value: Any) -> Any:
    """The same for JSON.

    Args:
        value: what JSON can hold.

    >>> plain(1 / 3), plain(float("inf")), plain("a")
    (0.3333, None, 'a')
    """
    if isinstance(value, float):
        return round(value, 4) if math.isfinite(value) else None
    return value
