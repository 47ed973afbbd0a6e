"""Names that have changed: the former ones are understood for a while, and warn (docs/stability.md)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

Value = TypeVar("Value")


def current(name: str, former: Mapping[str, str], kind: str, *, level: int = 3) -> str:
    """The name that something has now; a former one warns.

    Args:
        name: the name that was given, a former or a present one.
        former: former name -> present name.
        kind: what it names, for the warning.
        level: how far up the caller stands who is to be warned; 3: who called the function that calls this one.

    >>> current("link_order", {"listed": "link_order"}, "the weight")
    'link_order'
    """
    if name not in former:
        return name
    words = f"{kind} {name!r} is called {former[name]!r} now; the former name will go"
    warnings.warn(words, DeprecationWarning, stacklevel=level)
    return former[name]


def renamed(given: Mapping[str, Value], former: Mapping[str, str], kind: str) -> dict[str, Value]:
    """Values by the names that these have now; former ones warn.

    Args:
        given: values by former or present names.
        former: former name -> present name.
        kind: what they name, for the warning.
    """
    found = {}
    for name, value in given.items():  # no comprehension: it would be a caller of its own in Python 3.11
        found[current(name, former, kind, level=4)] = value
    return found
