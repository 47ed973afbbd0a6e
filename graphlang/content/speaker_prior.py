"""The speaker prior: the probability of each language before the text is read.

A rare language needs more evidence than a common one. The prior is a power of the number of people who can use a
language, the sum over territories in Unicode's CLDR; nothing is trained. The exponent is small: with equal
probabilities the hundreds of small languages would win most short texts, and with proportional ones none of them would
win any. It is greatest for a word or two, and near 0 for a long text, where the evidence decides.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from graphlang.codes import languages, territories
from graphlang.content import calibration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FEWEST = 10_000  #: added to the speakers of every language, because CLDR lists none for some


@cache
def count_speakers(label: str) -> int:
    """Count the people who can use the language of a label; 0 if CLDR lists it in no territory.

    >>> count_speakers("deu") > 50_000_000, count_speakers("vot")
    (True, 0)
    """
    return _read_speakers().get(languages.code(label) or "", 0)


@cache
def _read_speakers() -> dict[str, int]:
    codes = {territories.find_territory(first + second) for first, second in product(ascii_lowercase, repeat=2)}
    numbers: dict[str, int] = {}
    for territory in sorted(code for code in codes if code):
        for use in territories.list_uses(territory):
            numbers[use.language] = numbers.get(use.language, 0) + use.speakers
    return numbers


def compute_log_prior(labels: Sequence[str], exponent: float) -> NDArray[np.float32]:
    """Compute the log prior of each label, 0 for the greatest: exponent * log(speakers + FEWEST), (labels,)."""
    people = np.array([count_speakers(label) + FEWEST for label in labels], dtype=np.float64)
    logs: NDArray[np.float32] = (exponent * np.log(people / people.max())).astype(np.float32)
    return logs


def interpolate_exponents(knots: NDArray[np.floating], lengths: NDArray[np.int64]) -> NDArray[np.float32]:
    """Interpolate exponents (knots,) between `calibration.KNOTS`, (texts,), linear in the log of a text's letters.

    >>> interpolate_exponents(np.array([0.3, 0.3, 0.2, 0.1, 0.0, 0.0, 0.0]), np.array([1, 16, 400])).round(2).tolist()
    [0.30000001192092896, 0.20000000298023224, 0.0]
    """
    position = calibration.place_lengths(lengths)
    values: NDArray[np.float32] = np.interp(position, np.arange(len(calibration.KNOTS)), knots).astype(np.float32)
    return values
