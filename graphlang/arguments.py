"""What callers of the library give: one text or several, a probability, a number; anything else is named."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from numbers import Real
from operator import index
from typing import SupportsIndex, TypeGuard

_READABLE = 256  # bits: 78 digits


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


def flag(name: str, value: object) -> bool:
    """A truth value as Python has it: that of numpy is none for what takes values from process to process.

    Args:
        name: of the argument.
        value: what was given.

    Raises:
        TypeError: it is none.

    >>> flag("all_bytes", True)
    True
    """
    if value not in (True, False):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected bool")
    return bool(value)


def is_number(value: object) -> TypeGuard[float]:
    """Whether something is a real number; a truth value is none.

    Args:
        value: what was given.

    >>> [is_number(value) for value in (2, 0.5, True, "2", 1j)]
    [True, True, False, False, False]
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def number(name: str, value: object) -> int | float:
    """A number as Python has it: those of numpy are none for JSON, for a database or for what compares their types.

    Args:
        name: of the argument.
        value: what was given.

    Returns:
        An int for a whole number, so that none is rounded, else a float.

    Raises:
        TypeError: it is no number.
        ValueError: it is larger than all that a float holds.

    >>> number("below", 0.5), number("rounds", 3)
    (0.5, 3)
    """
    if not is_number(value):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected a number")
    try:
        real = float(value)
    except OverflowError:
        raise ValueError(f"{name} is {shown(value)}, which is too large a number") from None
    return index(value) if isinstance(value, SupportsIndex) else real


def whole_number(name: str, value: object, *, least: int = 1, most: int | None = None) -> int:
    """A whole number as Python has it: those of numpy, as they come out of a table, are none for a database.

    Args:
        name: of the argument.
        value: what was given.
        least: the least that it may be.
        most: the most that it may be; no bound if not given.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is less, or more.

    >>> whole_number("run", 3)
    3
    """
    found = _whole(value)
    if found is None:
        raise TypeError(f"{name} is of type {type(value).__name__}, expected int")
    if found < least or (most is not None and found > most):
        bounds = f"{least} or more" if most is None else f"from {least} to {most}"
        raise ValueError(f"{name} is {shown(found)}; it must be {bounds}")
    return found


def _whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return None
    try:
        return index(value)
    except TypeError:  # an array of several numbers has the method, and no index
        return None


def run_number(name: str, value: object) -> int:
    """The number of a run, which need not be one that there is.

    Args:
        name: of the argument.
        value: what was given.

    Raises:
        TypeError: it is no whole number.
        ValueError: no database can number a run so.
    """
    return whole_number(name, value, least=-sys.maxsize, most=sys.maxsize)


def probability(name: str, value: object) -> float:
    """A probability as Python has it: SQLite takes one of numpy for a blob, which is more than any number.

    Args:
        name: of the argument.
        value: what was given.

    Raises:
        ValueError: it is no number from 0 to 1.

    >>> probability("below", 1)
    1.0
    """
    if not (is_number(value) and 0 <= value <= 1):
        raise ValueError(f"{name} is {shown(value)}; it must be a number from 0 to 1")
    return float(value)


def shown(value: object) -> str:
    """A value in a sentence; of a whole number that nobody would read to its end only how long it is.

    Args:
        value: what was given.

    >>> shown("0.5"), shown(-3), shown(10**400)
    ("'0.5'", '-3', 'a whole number of 1,329 bits')
    """
    if isinstance(value, int) and value.bit_length() > _READABLE:
        return f"a {'negative' if value < 0 else 'whole'} number of {value.bit_length():,} bits"
    return repr(value)
