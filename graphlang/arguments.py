"""What callers of the library give: one text or several, a probability, a number; anything else is named."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from operator import index
from typing import SupportsFloat, SupportsIndex


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


def text(name: str, value: object) -> None:
    """Refuse what is no text.

    Args:
        name: of the argument.
        value: what was given.

    Raises:
        TypeError: it is none.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected str")


def mapping(name: str, value: object) -> None:
    """Refuse what does not give values to names.

    Args:
        name: of the argument.
        value: what was given.

    Raises:
        TypeError: it does not.
    """
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected a mapping of names to numbers")


def whole_number(name: str, value: object, *, least: int = 1) -> int:
    """A whole number as Python has it: those of numpy, as they come out of a table, are none for a database.

    Args:
        name: of the argument.
        value: what was given.
        least: the least that it may be.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is less.

    >>> whole_number("run", 3)
    3
    """
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected int")
    number = index(value)
    if number < least:
        raise ValueError(f"{name} is {number}; it must be {least} or more")
    return number


def run_number(name: str, value: object) -> int:
    """The number of a run, which need not be one that there is.

    Args:
        name: of the argument.
        value: what was given.

    Raises:
        TypeError: it is no whole number.
    """
    return whole_number(name, value, least=-sys.maxsize)


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
