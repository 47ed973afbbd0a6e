"""Shrink the differences between close languages by the part that chance explains.

Of two close languages the one with little text lacks most of the words of its news, and the other has them, because
more of everything was counted. Such n-grams then favour the rich language in any text that either could have written,
a little each, and in a long text they add up: Rundi becomes Kinyarwanda, Xhosa Zulu. So the difference d of an n-gram's
log frequency in the two is compared with its sampling error s,

    s**2 = 1 / (n + 0.1) + 1 / (m + 0.1)    of n and m occurrences,

and the part max(0, 1 - s**2 / d**2) of the difference of the weights stays (James & Stein 1961). Where that is 0, the
poor language gets the weight of the rich one, whose weights do not change.

Held-out lines decide which rich language a poor one leans on: the one that it is confused with most. The same lines
decide how far it leans: the fraction that makes them likeliest, which may be 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphlang.content.calibration import probabilities
from graphlang.training import logistic_regression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.training.logistic_regression import Vectors

    Floats = NDArray[np.float64]
    Scores = NDArray[np.float32]


_PSEUDO_COUNT = 0.1  # to every count
_POOR_SHARE = 0.65  # a language with less than this part of another's text is poor
_FEWEST_LETTERS = 52_000  # letters of a language that leans: one with less is rare, and would win texts of the other
_FRACTIONS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


class Leaning(NamedTuple):
    """A poor language, the rich one that it leans on, and the fraction of the way, above 0."""

    poor: int
    rich: int
    way: float


def shrink_differences(
    vectors: Vectors,
    counts: NDArray[np.int32],
    letters: NDArray[np.int64],
    texts: sparse.csr_array,
    truth: NDArray[np.int64],
    *,
    confused: float,
) -> list[Leaning]:
    """Shrink the differences of poor languages from the rich ones that they are confused with; in place.

    `vectors` are those of one script. Shapes: counts (languages, features), occurrences in each language's text;
    letters (languages,), characters of these; texts (texts, features), vectors of excerpts that were not counted; truth
    (texts,). Languages are close if excerpts of one are taken for the other with at least the probability `confused`.
    """
    scores = logistic_regression.score_texts(vectors, texts)
    equally = 1 / np.bincount(truth, minlength=len(letters))[truth]  # every language counts the same
    leanings, changes = [], []
    for poor, rich in confused_pairs(mean_probabilities(scores, truth), letters, confused):
        weights = remove_chance(vectors, counts, letters, poor, rich)
        poor_vectors = logistic_regression.Vectors(weights[:, None], vectors.base[[rich]], vectors.bias[[poor]])
        then = logistic_regression.score_texts(poor_vectors, texts)[:, 0]
        way = _best_fraction(scores, then, poor, truth, equally)
        if way:
            scores[:, poor] += np.float32(way) * (then - scores[:, poor])
            leanings.append(Leaning(poor, rich, way))
            changes.append((poor, np.float32(way), weights, vectors.base[rich]))
    for poor, fraction, weights, base in changes:
        vectors.weights[:, poor] += fraction * (weights - vectors.weights[:, poor])
        vectors.base[poor] += fraction * (base - vectors.base[poor])
    return leanings


def mean_probabilities(scores: Scores, truth: NDArray[np.int64]) -> Floats:
    """Mean probability of each language for the texts of each language, (languages, languages).

    Shapes: scores (texts, languages).
    """
    total = np.zeros((scores.shape[1],) * 2)
    np.add.at(total, truth, probabilities(scores.copy()))
    mean: Floats = total / np.maximum(np.bincount(truth, minlength=len(total)), 1)[:, None]
    return mean


def confused_pairs(confusion: Floats, letters: NDArray[np.int64], confused: float) -> Iterator[tuple[int, int]]:
    """Yield each poor language with the rich one that it is confused with most.

    `confusion` comes from `mean_probabilities`; other arguments are as for `shrink_differences`.

    >>> often = np.array([[0.9, 0.1, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.8, 0.2], [0.0, 0.0, 0.2, 0.8]])
    >>> list(confused_pairs(often, np.array([60_000, 200_000, 90_000, 90_000]), 0.05))
    [(0, 1)]
    """
    either = np.maximum(confusion, confusion.T)
    for poor in np.flatnonzero(letters >= _FEWEST_LETTERS).tolist():
        rich = (letters[poor] < _POOR_SHARE * letters) & (either[poor] > confused)
        if rich.any():
            yield poor, int(np.where(rich, either[poor], -1).argmax())


def remove_chance(
    vectors: Vectors, counts: NDArray[np.int32], letters: NDArray[np.int64], poor: int, rich: int
) -> Scores:
    """Return the weights of a poor language, with the base of a rich one, without the differences that chance explains.

    `poor` and `rich` are columns; other arguments are as for `shrink_differences`.

    >>> apart = logistic_regression.Vectors(
    ...     np.array([[0.0, 4.0], [0.0, 4.0]], dtype=np.float32),
    ...     np.zeros(2, dtype=np.float32),
    ...     np.zeros(2, dtype=np.float32),
    ... )
    >>> often, letters = np.array([[0, 0], [3, 9_000]], dtype=np.int32), np.array([1_000, 9_000])
    >>> found = remove_chance(apart, often, letters, 0, 1)  # 1 - 10 / 9.21**2 of the second is no chance
    >>> found.astype(float).round(2).tolist()
    [4.0, 0.47]
    """
    poor_counts, rich_counts = counts[poor].astype(np.float64), counts[rich].astype(np.float64)
    difference = np.log((poor_counts + _PSEUDO_COUNT) / (rich_counts + _PSEUDO_COUNT)) - np.log(
        letters[poor] / letters[rich]
    )
    error = 1 / (poor_counts + _PSEUDO_COUNT) + 1 / (rich_counts + _PSEUDO_COUNT)
    kept_share = np.maximum(0, 1 - error / np.maximum(difference**2, 1e-9)).astype(np.float32)
    lean_on = vectors.weights[:, rich]
    gap = vectors.weights[:, poor] + (vectors.base[poor] - vectors.base[rich]) - lean_on
    weights: Scores = lean_on + kept_share * gap
    weights[poor_counts + rich_counts == 0] = 0  # a feature that neither has counts against both
    return weights


def _best_fraction(scores: Scores, then: Scores, poor: int, truth: NDArray[np.int64], equally: Floats) -> float:
    """The fraction of the way to the new scores of a language that makes all texts likeliest."""
    rest = np.delete(scores, poor, axis=1)
    greatest = rest.max(axis=1)
    log_sum = np.log(np.exp(rest - greatest[:, None]).sum(axis=1)) + greatest
    losses = []
    for way in _FRACTIONS:
        score = scores[:, poor] + np.float32(way) * (then - scores[:, poor])
        lost = np.logaddexp(log_sum, score) - np.where(truth == poor, score, 0)  # the scores of others stay as they are
        losses.append(float((equally * lost).sum(dtype=np.float64)))
    return _FRACTIONS[int(np.argmin(losses))]
