"""What `graphlang train --option` may say: every value is checked before anything is read, not when training fails."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Rule(Protocol):
    """What the values of an option are; as a string, in words."""

    def allows(self, value: Any) -> bool:
        """Whether a value is one of them."""


class Range(NamedTuple):
    """The values that an option may have, both ends included."""

    least: float
    most: float
    whole: bool = True

    def allows(self, value: Any) -> bool:
        """Whether a value is one of them."""
        types = (int,) if self.whole else (int, float)
        # A comparison with NaN is false; true and false are numbers to Python, and no numbers here.
        return type(value) in types and self.least <= value <= self.most

    def __str__(self) -> str:
        return f"a {'whole ' * self.whole}number from {self.least:,} to {self.most:,}"


class Flag(NamedTuple):
    """Either of the two truths."""

    def allows(self, value: Any) -> bool:
        """Whether a value is one of them."""
        return type(value) is bool

    def __str__(self) -> str:
        return "true or false"


class Several(NamedTuple):
    """Some numbers, each of which is in a range; the last `zeros` of them must be 0.

    >>> orders = Several(Range(1, 5), 1, 5, rising=True)
    >>> str(orders), orders.allows((1, 3)), orders.allows((3, 3)), orders.allows(())
    ('1 to 5 whole numbers from 1 to 5, each above the one before', True, False, False)
    """

    each: Range
    fewest: int
    most: int
    rising: bool = False
    zeros: int = 0
    note: str = ""

    def allows(self, value: Any) -> bool:
        """Whether a value is a list or tuple of so many."""
        return (
            isinstance(value, tuple | list)
            and self.fewest <= len(value) <= self.most
            and all(map(self.each.allows, value))
            and not (self.rising and any(a >= b for a, b in pairwise(value)))
            and not any(value[len(value) - self.zeros :])
        )

    def __str__(self) -> str:
        number = f"{self.most}" if self.fewest == self.most else f"{self.fewest} to {self.most}"
        note = self.note or "each above the one before" * self.rising
        whole = "whole " * self.each.whole
        return f"{number} {whole}numbers from {self.each.least:,} to {self.each.most:,}{', ' * bool(note)}{note}"


def checked(given: Mapping[str, Any], known: Mapping[str, Rule], *, method: str) -> None:
    """Refuse options that a method does not have, and values that are none.

    Args:
        given: Names of options and their values.
        known: The options that there are, and what each may be.
        method: For messages.

    Raises:
        ModelError: with the names, or the range, that there are.

    >>> checked({"features": 0}, {"features": Range(1, 1_000)}, method="textcat")
    Traceback (most recent call last):
    graphlang.modelfile.ModelError: features=0: a whole number from 1 to 1,000
    """
    if unknown := sorted(set(given) - set(known)):
        names = ", ".join(sorted(known))
        raise ModelError(f"{', '.join(unknown)}: no option of training {method} (it has {names})")
    for name, value in given.items():
        if not known[name].allows(value):
            raise ModelError(f"{name}={value}: {known[name]}")
