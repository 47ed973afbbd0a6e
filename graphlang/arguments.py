"""Validate arguments of the public API."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, signature
from numbers import Real
from operator import index
from typing import Any, ParamSpec, SupportsIndex, TypeGuard, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

#: The maximum of workers: each is a process of some 100 MB.
MOST_WORKERS = 256
_READABLE = 256  # bits: 78 digits


def check_arguments(**checks: Callable[[str, Any], Any]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check, and convert, arguments of a function before it is called; None passes where it is the default.

    >>> @check_arguments(count=whole_number)
    ... def double(count: int | None = None) -> int:
    ...     return 2 * (count or 0)
    >>> double(), double(4)
    (0, 8)
    >>> double(count="4")
    Traceback (most recent call last):
    TypeError: count is of type str, expected int
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = signature(function).parameters
        places = [name for name, each in parameters.items() if each.kind is Parameter.POSITIONAL_OR_KEYWORD]
        optional = {name for name, each in parameters.items() if each.default is None}

        def convert(name: str, value: Any) -> Any:
            if name not in checks or (value is None and name in optional):
                return value
            return checks[name](name, value)

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            by_place: Any = [convert(name, value) for name, value in zip(places, args, strict=False)]
            by_name: Any = {name: convert(name, value) for name, value in kwargs.items()}
            rest: Any = args[len(by_place) :]
            return function(*by_place, *rest, **by_name)

        return call

    return decorate


def list_texts(name: str, value: object) -> list[str]:
    """Return one text, or several, as a list.

    >>> list_texts("hosts", "a.example"), list_texts("hosts", ("a.example", "b.example"))
    (['a.example'], ['a.example', 'b.example'])
    """
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable) or isinstance(value, bytes):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected str, or several of them")
    return [text(f"{name}[{number}]", item) for number, item in enumerate(value)]


def text(name: str, value: object) -> str:
    """Return a text; raise TypeError for anything else."""
    if not isinstance(value, str):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected str")
    return value


def mapping(name: str, value: object) -> Mapping[Any, Any]:
    """Return a mapping; raise TypeError for anything else."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected a mapping of names to numbers")
    return value


def flag(name: str, value: object) -> bool:
    """Return a truth value as a `bool`: one of numpy cannot be sent from process to process.

    >>> flag("all_bytes", True)
    True
    """
    if value not in (True, False):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected bool")
    return bool(value)


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a real number; a truth value is not.

    >>> [is_number(value) for value in (2, 0.5, True, "2", 1j)]
    [True, True, False, False, False]
    """
    return isinstance(value, Real) and not isinstance(value, bool)


def number(name: str, value: object) -> int | float:
    """Return a number as an `int` where it is whole, so that it is not rounded, else as a `float`.

    JSON, SQLite and comparisons of types do not take numbers of numpy.

    >>> number("below", 0.5), number("rounds", 3)
    (0.5, 3)
    """
    if not is_number(value):
        raise TypeError(f"{name} is of type {type(value).__name__}, expected a number")
    try:
        real = float(value)
    except OverflowError:
        raise ValueError(f"{name} is {format_value(value)}, which is too large") from None
    return index(value) if isinstance(value, SupportsIndex) else real


def whole_number(name: str, value: object, *, minimum: int = 1, maximum: int | None = None) -> int:
    """Return a whole number within bounds as an `int`.

    >>> whole_number("run", 3)
    3
    """
    whole = _to_whole(value)
    if whole is None:
        raise TypeError(f"{name} is of type {type(value).__name__}, expected int")
    if whole < minimum or (maximum is not None and whole > maximum):
        bounds = f"{minimum} or more" if maximum is None else f"from {minimum} to {maximum}"
        raise ValueError(f"{name} is {format_value(whole)}; it must be {bounds}")
    return whole


def worker_count(name: str, value: object) -> int:
    """Return a number of workers as an `int`.

    >>> worker_count("workers", 1_000_000)
    Traceback (most recent call last):
    ValueError: workers is 1000000; it must be from 1 to 256
    """
    return whole_number(name, value, maximum=MOST_WORKERS)


def _to_whole(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return None
    try:
        return index(value)
    except TypeError:  # an array of several numbers has the method, and no index
        return None


def length(name: str, value: object) -> int:
    """Return a whole number that is not negative."""
    return whole_number(name, value, minimum=0)


def run_number(name: str, value: object) -> int:
    """Return a number that a run can have; a run of this number need not exist."""
    return whole_number(name, value, minimum=-sys.maxsize, maximum=sys.maxsize)


def probability(name: str, value: object) -> float:
    """Return a probability as a `float`: SQLite takes one of numpy for a blob, which is more than any number.

    >>> probability("below", 1)
    1.0
    """
    if not (is_number(value) and 0 <= value <= 1):
        raise ValueError(f"{name} is {format_value(value)}; it must be a number from 0 to 1")
    return float(value)


def format_value(value: object) -> str:
    """Return a value as an error message shows it; of an integer too long to read only the length.

    >>> format_value("0.5"), format_value(-3), format_value(10**400)
    ("'0.5'", '-3', 'a whole number of 1,329 bits')
    """
    if isinstance(value, int) and value.bit_length() > _READABLE:
        return f"a {'negative' if value < 0 else 'whole'} number of {value.bit_length():,} bits"
    return repr(value)
