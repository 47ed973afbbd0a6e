"""What callers of the library give: one text or several, a probability, a number; anything else is named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import SupportsFloat


def several(name: str, value: object) -> list[str]:
    """One text, or several, as a list.

    Args:
        name: of the argument, for the words of an error.
        value: what was given.

    Raises:
        TypeError: it is neither, or one of them is no text.

    >>> several("hosts", "a.example"), several("hosts", ("a.example", "b.example"))
    (['a.example'], ['a.example', 'b.example'])
    """
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable) or isinstance(value, bytes):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected str, or several of them")
    given = list(value)
    for number, one in enumerate(given):
        if not isinstance(one, str):
            raise TypeError(f"{name}[{number}] is of type {type(one).__name__}, expected str")
    return given


def probability(name: str, value: object) -> None:
    """Refuse what is no probability.

    Args:
        name: of the argument.
        value: what was given.

    Raises:
        ValueError: it is no number from 0 to 1.
    """
    if not (isinstance(value, SupportsFloat) and 0 <= float(value) <= 1):
        raise ValueError(f"{name} is {value!r}; it must be a number from 0 to 1")
