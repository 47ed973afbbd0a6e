"""Measures of answers with gold labels: calibration error, macro-F, accuracy and its interval. Only numpy is needed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

BINS: Final = 15  #: of confidence, as in Guo et al. 2017
#: Buckets of text length in characters, from and below; Hayati 2004, table 5.1, has the first two.
BUCKETS: Final = ((0, 25), (25, 50), (50, 150), (150, None))
_NORMAL: Final = 1.959963984540054  # of a standard normal variable, 2.5 % are above


def wilson_interval(right: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of the accuracy on all texts, some of which were drawn at random.

    Wilson, "Probable Inference, the Law of Succession, and Statistical Inference", JASA 22, 1927. It stays within 0..1,
    and is useful even if all answers are right: three of three are compatible with an accuracy of .44.

    Args:
        right: number of right answers.
        total: number of texts that were drawn.

    Returns:
        Its ends; two NaN if no text was drawn.

    Raises:
        ValueError: `right` is negative or greater than `total`.

    >>> [round(end, 3) for end in wilson_interval(50, 100)], [round(end, 3) for end in wilson_interval(3, 3)]
    ([0.404, 0.596], [0.439, 1.0])
    """
    if not 0 <= right <= total:
        raise ValueError(f"{right} right of {total}")
    if not total:
        return math.nan, math.nan
    share, room = right / total, _NORMAL**2 / total
    middle, half = share + room / 2, _NORMAL * math.sqrt(share * (1 - share) / total + room / (4 * total))
    return max(0.0, (middle - half) / (1 + room)), min(1.0, (middle + half) / (1 + room))


def calibration_error(confidence: ArrayLike, right: ArrayLike, *, bins: int = BINS) -> float:
    """Compute the expected calibration error: |accuracy - mean confidence| in equal bins, weighted by their size.

    Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural Networks", ICML 2017, section 2 (formula 3).

    Args:
        confidence: Probability of each answer, from 0 to 1.
        right: Whether it is right, of the same length.
        bins: Number of bins.

    Returns:
        From 0 (confidence is accuracy) to 1; NaN without answers.

    Raises:
        ValueError: the lengths differ, or a confidence is outside 0..1.

    >>> calibration_error([0.9, 0.9, 0.1, 0.1], [True, True, False, True])
    0.25
    """
    sure, sound = np.asarray(confidence, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if sure.shape != sound.shape or sure.ndim != 1:
        raise ValueError(f"confidence has shape {sure.shape}, and right {sound.shape}")
    if not len(sure):
        return float("nan")
    outside = np.flatnonzero(~((sure >= 0) & (sure <= 1 + 1e-6)))
    if len(outside):
        raise ValueError(f"confidence[{outside[0]}] = {sure[outside[0]]} is outside 0..1")
    place = np.minimum((sure * bins).astype(np.int64), bins - 1)
    gap = np.bincount(place, weights=sound - sure, minlength=bins)
    return float(np.abs(gap).sum() / len(sure))


def macro_f(gold: ArrayLike, answers: ArrayLike) -> float:
    """Average the F1 of the gold languages: each language counts the same, however few texts it has.

    Args:
        gold: Language of each text.
        answers: Answer for each text, in the same order.

    Returns:
        From 0 to 1; NaN without texts.

    Raises:
        ValueError: the lengths differ.

    >>> macro_f(["fra", "fra", "deu"], ["fra", "deu", "deu"])  # fra: P 1, R 1/2; deu: P 1/2, R 1
    0.6666666666666666
    """
    truth, answer = np.asarray(gold), np.asarray(answers)
    if truth.shape != answer.shape or truth.ndim != 1:
        raise ValueError(f"gold has shape {truth.shape}, and answers {answer.shape}")
    if not len(truth):
        return float("nan")
    names, number = np.unique(np.concatenate([truth, answer]), return_inverse=True)
    expected, answered = number[: len(truth)], number[len(truth) :]
    hits, texts, answer_counts = (
        np.bincount(numbers, minlength=len(names)) for numbers in (expected[expected == answered], expected, answered)
    )
    scores = 2 * hits[texts > 0] / (texts + answer_counts)[texts > 0]
    return float(scores.mean())


class LengthScore(NamedTuple):
    """Accuracy on texts of some length."""

    texts: int
    accuracy: float  #: NaN without texts
    calibration_error: float


def measure_by_length(
    confidence: NDArray[np.floating], right: NDArray[np.bool_], lengths: NDArray[np.int64]
) -> dict[str, LengthScore]:
    """Compute accuracy and calibration error by length.

    Args:
        confidence: Probability of each answer.
        right: Whether it is right.
        lengths: Characters of each text.

    Returns:
        One entry for each of `BUCKETS`, named ``<25``, ``25-49``, ``50-149``, ``150+``.

    >>> measure_by_length(np.array([1.0, 0.5]), np.array([True, True]), np.array([24, 30]))["25-49"]
    LengthScore(texts=1, accuracy=1.0, calibration_error=0.5)
    """
    scores = {}
    for low, high in BUCKETS:
        inside = (lengths >= low) & (lengths < (high if high is not None else np.iinfo(np.int64).max))
        name = f"{low}+" if high is None else f"<{high}" if not low else f"{low}-{high - 1}"
        share = float(right[inside].mean()) if inside.any() else float("nan")
        scores[name] = LengthScore(int(inside.sum()), share, calibration_error(confidence[inside], right[inside]))
    return scores
