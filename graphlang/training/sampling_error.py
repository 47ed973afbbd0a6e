"""Shrink the differences between close languages by the part that chance explains.

Of two close languages, the one with little text lacks many words that the other has. Each n-gram of these words then
favours the rich language a little, and in a long text they add up: Rundi becomes Kinyarwanda, Xhosa becomes Zulu. So
the difference d of an n-gram's log frequency in the two is compared with its sampling error s,

    s**2 = 1 / (n + 0.1) + 1 / (m + 0.1)    for n and m occurrences,

and the share max(0, 1 - s**2 / d**2) of the difference of the weights stays (James & Stein 1961). If it is 0, the poor
language gets the weight of the rich one, whose weights do not change.

A poor language leans on the rich one that it is confused with most in held-out lines. It leans by the fraction that
makes these lines likeliest, which may be 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphlang.content.calibration import compute_probabilities
from graphlang.training import logistic_regression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.training.logistic_regression import Vectors

    Floats = NDArray[np.float64]
    Scores = NDArray[np.float32]


_PSEUDO_COUNT = 0.1  # added to every count
_POOR_SHARE = 0.65  # a language with less than this share of another's text is poor
_FEWEST_LETTERS = 52_000  # a language with fewer is rare, and would win texts of the other if it leaned
_FRACTIONS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)


class Leaning(NamedTuple):
    """A poor language, the rich one that it leans on, and by what fraction, above 0."""

    poor: int
    rich: int
    fraction: float


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

    `vectors` are those of one script. Shapes: counts (languages, features), occurrences in the text of each language;
    letters (languages,), characters of that text; texts (texts, features), vectors of excerpts that were not counted;
    truth (texts,). Languages are close if excerpts of one get a mean probability above `confused` for the other.
    """
    scores = logistic_regression.score_texts(vectors, texts)
    weight = 1 / np.bincount(truth, minlength=len(letters))[truth]  # every language has the same weight
    leanings, changes = [], []
    for poor, rich in find_confused_pairs(compute_confusion(scores, truth), letters, confused):
        weights = remove_chance(vectors, counts, letters, poor, rich)
        poor_vectors = logistic_regression.Vectors(weights[:, None], vectors.base[[rich]], vectors.bias[[poor]])
        leaning_scores = logistic_regression.score_texts(poor_vectors, texts)[:, 0]
        fraction = _choose_fraction(scores, leaning_scores, poor, truth, weight)
        if fraction:
            scores[:, poor] += np.float32(fraction) * (leaning_scores - scores[:, poor])
            leanings.append(Leaning(poor, rich, fraction))
            changes.append((poor, np.float32(fraction), weights, vectors.base[rich]))
    for poor, step, weights, base in changes:
        vectors.weights[:, poor] += step * (weights - vectors.weights[:, poor])
        vectors.base[poor] += step * (base - vectors.base[poor])
    return leanings


def compute_confusion(scores: Scores, truth: NDArray[np.int64]) -> Floats:
    """Compute the mean probability of each language for the texts of each language, (languages, languages).

    Shapes: scores (texts, languages).
    """
    total = np.zeros((scores.shape[1],) * 2)
    np.add.at(total, truth, compute_probabilities(scores.copy()))
    mean: Floats = total / np.maximum(np.bincount(truth, minlength=len(total)), 1)[:, None]
    return mean


def find_confused_pairs(confusion: Floats, letters: NDArray[np.int64], confused: float) -> Iterator[tuple[int, int]]:
    """Yield each poor language with the rich one that it is confused with most.

    `confusion` comes from `compute_confusion`; other arguments are as for `shrink_differences`.

    >>> confusion = np.array([[0.9, 0.1, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.8, 0.2], [0.0, 0.0, 0.2, 0.8]])
    >>> list(find_confused_pairs(confusion, np.array([60_000, 200_000, 90_000, 90_000]), 0.05))
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
    """Compute the weights of a poor language without the differences from a rich one that chance explains.

    They are for the base of the rich language. `poor` and `rich` are columns; other arguments are as for
    `shrink_differences`.

    >>> vectors = logistic_regression.Vectors(
    ...     np.array([[0.0, 4.0], [0.0, 4.0]], dtype=np.float32),
    ...     np.zeros(2, dtype=np.float32),
    ...     np.zeros(2, dtype=np.float32),
    ... )
    >>> counts, letters = np.array([[0, 0], [3, 9_000]], dtype=np.int32), np.array([1_000, 9_000])
    >>> weights = remove_chance(vectors, counts, letters, 0, 1)  # 1 - 10 / 9.21**2 of the second stays
    >>> weights.astype(float).round(2).tolist()
    [4.0, 0.47]
    """
    poor_counts, rich_counts = counts[poor].astype(np.float64), counts[rich].astype(np.float64)
    difference = np.log((poor_counts + _PSEUDO_COUNT) / (rich_counts + _PSEUDO_COUNT)) - np.log(
        letters[poor] / letters[rich]
    )
    error = 1 / (poor_counts + _PSEUDO_COUNT) + 1 / (rich_counts + _PSEUDO_COUNT)
    share = np.maximum(0, 1 - error / np.maximum(difference**2, 1e-9)).astype(np.float32)
    rich_weights = vectors.weights[:, rich]
    gap = vectors.weights[:, poor] + (vectors.base[poor] - vectors.base[rich]) - rich_weights
    weights: Scores = rich_weights + share * gap
    weights[poor_counts + rich_counts == 0] = 0  # a feature that neither language has counts against both
    return weights


def _choose_fraction(
    scores: Scores, leaning_scores: Scores, poor: int, truth: NDArray[np.int64], weight: Floats
) -> float:
    """Choose the fraction of the change of a language's scores that makes all texts likeliest."""
    rich_scores = np.delete(scores, poor, axis=1)  # they do not change
    greatest = rich_scores.max(axis=1)
    log_sum = np.log(np.exp(rich_scores - greatest[:, None]).sum(axis=1)) + greatest
    losses = []
    for fraction in _FRACTIONS:
        score = scores[:, poor] + np.float32(fraction) * (leaning_scores - scores[:, poor])
        loss = np.logaddexp(log_sum, score) - np.where(truth == poor, score, 0)
        losses.append(float((weight * loss).sum(dtype=np.float64)))
    return _FRACTIONS[int(np.argmin(losses))]
