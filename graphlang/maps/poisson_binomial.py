"""How many of some pages are in a language, where each is so with a probability of its own.

The number of successes of independent trials with unequal probabilities has the Poisson binomial distribution, with the
mean sum p and the variance sum p (1 - p). Up to `EXACT` doubtful trials it is computed exactly (by convolution), beyond
that by the normal approximation with continuity correction (Hong 2013, "On computing the distribution function for the
Poisson binomial distribution").

The intervals are as good as the probabilities, and as the assumption that pages err apart from each other: pages of one
template err together, and then the truth may lie outside more often than the level says.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Trials beyond these are approximated.
EXACT: Final = 2_000
_LEVEL: Final = 0.95
_NORMAL: Final = 1.959963984540054  # of a standard normal variable, 2.5 % are above


def distribution(probabilities: ArrayLike) -> NDArray[np.float64]:
    """Probability of each number of successes, 0 to n; takes time by the square of n.

    Args:
        probabilities: of each trial, shape (n,).

    >>> distribution([0.5, 0.5]).tolist()
    [0.25, 0.5, 0.25]
    """
    probability = np.ones(1)
    for p in np.asarray(probabilities, dtype=np.float64):
        probability = np.convolve(probability, (1 - p, p))
    return probability


def interval(probabilities: ArrayLike, counts: ArrayLike, *, exact: int = EXACT) -> tuple[int, int]:
    """The central interval that the number of successes lies in with 95 %.

    Args:
        probabilities: shape (k,).
        counts: how many trials have each of them, shape (k,).
        exact: doubtful trials up to which the interval is exact.

    Returns:
        The smallest numbers with at least 2.5 % and 97.5 % of the probability at or below them.

    >>> interval([1.0], [7]), interval([0.5], [2]), interval([0.3, 0.4], [1, 2])
    ((7, 7), (0, 2), (0, 3))
    """
    p = np.clip(np.asarray(probabilities, dtype=np.float64), 0.0, 1.0)
    n = np.asarray(counts, dtype=np.int64)
    certain = int(n[p == 1.0].sum())
    doubtful = (p > 0.0) & (p < 1.0)
    p, n = p[doubtful], n[doubtful]
    total = int(n.sum())
    if total <= exact:
        below = np.cumsum(distribution(np.repeat(p, n)))
        tail = (1 - _LEVEL) / 2
        low, high = (int(np.searchsorted(below, point - 1e-12)) for point in (tail, 1 - tail))
        return certain + min(low, total), certain + min(high, total)
    mean, deviation = float((n * p).sum()), math.sqrt(float((n * p * (1 - p)).sum()))
    low = max(0, math.ceil(mean - 0.5 - _NORMAL * deviation))
    high = min(total, math.ceil(mean - 0.5 + _NORMAL * deviation))
    return certain + low, certain + high


def any_at_all(probabilities: ArrayLike, counts: ArrayLike) -> float:
    """Probability of one success or more.

    Args:
        probabilities: shape (k,).
        counts: how many trials have each, shape (k,).

    >>> any_at_all([0.5], [2]), any_at_all([], [])
    (0.75, 0.0)
    """
    p = np.clip(np.asarray(probabilities, dtype=np.float64), 0.0, 1.0)
    with np.errstate(divide="ignore"):
        none = float((np.asarray(counts) * np.log1p(-p)).sum())
    return 0.0 - math.expm1(none)  # where there is no trial this is 0, not -0
