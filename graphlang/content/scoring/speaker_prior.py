"""The prior: how probable each language is before any text has been read.

A language that hardly occurs on the web needs more evidence than one that is everywhere. What is known everywhere and
trained on nothing is how many people can use a language: the sum over territories in Unicode's CLDR. The prior is a
power of that number, with a small exponent: equal probabilities would let hundreds of small languages take every short
text between them, and probabilities in proportion would never let one of them win. The exponent is greatest for a word
or two and next to nothing for a long text. There the evidence decides, and what is left of doubt between a small
language and a great one that resembles it is no question of how many speak them.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from graphlang.codes import languages, territories
from graphlang.content.scoring import calibration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FEWEST = 10_000  # speakers that a language is given which CLDR lists nowhere


@cache
def speakers(label: str) -> int:
    """People who can use the language of a label, or 0 when CLDR lists it in no territory.

    >>> speakers("deu") > 50_000_000, speakers("vot")
    (True, 0)
    """
    return _speakers().get(languages.code(label) or "", 0)


@cache
def _speakers() -> dict[str, int]:
    codes = {territories.territory(first + second) for first, second in product(ascii_lowercase, repeat=2)}
    found: dict[str, int] = {}
    for territory in sorted(code for code in codes if code):
        for use in territories.uses(territory):
            found[use.language] = found.get(use.language, 0) + use.speakers
    return found


def log_prior(labels: Sequence[str], exponent: float) -> NDArray[np.float32]:
    """Logarithm of the prior of each label, 0 for the greatest: exponent * log(speakers + FEWEST).

    Args:
        labels: Of languages.
        exponent: Of the number of speakers.
    """
    people = np.array([speakers(label) + FEWEST for label in labels], dtype=np.float64)
    logs: NDArray[np.float32] = (exponent * np.log(people / people.max())).astype(np.float32)
    return logs


def exponents(knots: NDArray[np.floating], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """The exponent for texts of so many letters, linear in the log of the length between `calibration.KNOTS`.

    Args:
        knots: Exponents at the knots, (knots,).
        lengths: Letters of each text, (texts,).

    >>> exponents(np.array([0.3, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0]), np.array([1, 16, 400])).round(2).tolist()
    [0.30000001192092896, 0.20000000298023224, 0.0]
    """
    place = calibration.position(lengths)
    found: NDArray[np.float32] = np.interp(place, np.arange(len(calibration.KNOTS)), knots).astype(np.float32)
    return found
