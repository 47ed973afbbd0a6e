"""What `graphlang train --option` may say: every value is checked before anything is read, not when training fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping


class Range(NamedTuple):
    """The values that an option may have, both ends included."""

    least: float
    most: float
    whole: bool = True


def checked(given: Mapping[str, Any], known: Mapping[str, Range], *, method: str) -> None:
    """Refuse options that a method does not have, and values that are none.

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
        least, most, whole = known[name]
        kinds = (int,) if whole else (int, float)
        # A comparison with NaN is false; true and false are numbers to Python, and no numbers here.
        if type(value) not in kinds or not least <= value <= most:
            raise ModelError(f"{name}={value}: a {'whole ' * whole}number from {least:,} to {most:,}")
