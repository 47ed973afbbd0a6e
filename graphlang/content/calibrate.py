"""Similarities -> probabilities that mean what they say, at every length of text.

A similarity of 0.8 says little on three words and much on three hundred. So the softmax over the languages has a
sharpness (the inverse of what is called the temperature) that depends on how many letters a text has: piecewise linear
in log length between `KNOTS`, fitted by maximum likelihood on lines that training did not see, cut to all lengths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.kernel import KernelError, Library, checked, pointer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_kernel = Library("graphlang.content._scores")
_linear = _kernel.function("sc_linear", "piiipppppppp")
_softmax = _kernel.function("sc_softmax", "piippd")
KNOTS = (4, 8, 16, 32, 64, 128, 256)
BUCKETS = ((0, 25), (25, 50), (50, 150), (150, None))


def position(lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Where lengths lie between the knots: 0 at the first or below, 1 at the second, ..., the last index at the last.

    >>> position(np.array([1, 4, 8, 300])).tolist()
    [0.0, 0.0, 1.0, 6.0]
    """
    places = np.interp(np.log2(np.maximum(lengths, 1)), np.log2(KNOTS), np.arange(len(KNOTS)))
    return np.asarray(places, dtype=np.float64)


def sharpness(logs: NDArray[np.floating], lengths: NDArray[np.int64], kinds: NDArray[np.uint8] | None = None) -> Floats:
    """The factor on the similarities of each text: exp of the log sharpness between its two knots.

    Args:
        logs: Log sharpness at the knots, (knots,); or (kinds, knots), where texts of different kinds have their own.
        lengths: Letters of each text.
        kinds: The kind of each text, where there are several.
    """
    table = np.asarray(logs, dtype=np.float64).reshape(-1, len(KNOTS))
    kind = np.zeros(len(lengths), dtype=np.uint8) if kinds is None else kinds
    place = position(lengths)
    below = np.minimum(place.astype(np.int64), len(KNOTS) - 2)
    factor = np.exp(table[kind, below] * (1 - (place - below)) + table[kind, below + 1] * (place - below))
    return np.asarray(factor, dtype=np.float32)


def linear(
    sums: NDArray[np.int16],
    *,
    scale: Floats,
    factor: Floats,
    sharp: Floats,
    lean: Floats,
    base: Floats,
    bias: Floats,
    prior: Floats,
) -> Floats:
    """Scores from sums of steps, (texts, labels).

    They are the sums times `scale`, plus `factor` times `base`, plus `sharp` times `bias`, plus `lean` times `prior`.

    Args:
        sums: Of texts and labels, int16; the rows may have a distance.
        scale: Of each text.
        factor: Of each text.
        sharp: Of each text.
        lean: Of each text.
        base: Of each label.
        bias: Of each label.
        prior: Of each label.
    """
    rows, width = sums.shape
    if sums.dtype != np.int16 or sums.strides[1] != sums.itemsize:
        raise KernelError("sums of another kind than the kernel takes")
    scores = np.empty((rows, width), dtype=np.float32)
    checked(
        _linear(
            sums.ctypes.data,
            rows,
            sums.strides[0] // sums.itemsize,
            width,
            *(pointer(own, np.float32) for own in (scale, factor, sharp, lean, base, bias, prior)),
            pointer(scores, np.float32),
        )
    )
    return scores


def softmax(
    scores: Floats, prior: Floats | None = None, spoken: NDArray[np.bool_] | None = None, *, odd: float = 0.0
) -> Floats:
    """Rows of non-negative numbers that sum to one; `scores` may be overwritten.

    Args:
        scores: Of texts and labels.
        prior: To be added to every row first.
        spoken: Rows that are not become 0.
        odd: The part of the probability that all labels share equally, whatever the scores.

    >>> softmax(np.log(np.array([[1.0, 3.0]], dtype=np.float32))).round(2).tolist()
    [[0.25, 0.75]]
    """
    scores = np.ascontiguousarray(scores, dtype=np.float32)
    if scores.size:
        checked(
            _softmax(
                pointer(scores, np.float32),
                *scores.shape,
                None if prior is None else pointer(prior, np.float32),
                None if spoken is None else pointer(spoken, np.bool_),
                odd,
            )
        )
    return scores


def fit(
    scores: Floats, lengths: NDArray[np.int64], truth: NDArray[np.int64], known: Floats | None = None
) -> NDArray[np.float64]:
    """Log sharpness at every knot that makes the true labels of some texts likeliest.

    A weak pull towards equal neighbours decides where a knot has seen few texts.

    Args:
        scores: Similarities, (texts, labels).
        lengths: Letters of each text.
        truth: Index of each text's label.
        known: What is added to the similarities when they have been sharpened, (texts, labels).
    """
    from scipy import optimize  # noqa: PLC0415 - a tenth of a second that only training needs

    if scores.shape[1] < 2:  # noqa: PLR2004 - a label alone is as likely at any sharpness
        return np.zeros(len(KNOTS))
    place = position(lengths)
    below = np.minimum(place.astype(np.int64), len(KNOTS) - 2)
    part = place - below
    rows = np.arange(len(truth))

    def loss(logs: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        factor = np.exp(logs[below] * (1 - part) + logs[below + 1] * part)
        sharpened = scores * factor[:, None].astype(np.float32)
        chance = softmax(sharpened if known is None else sharpened + known)
        value = -np.log(np.maximum(chance[rows, truth], 1e-9)).mean(dtype=np.float64)
        mean = np.einsum("ij,ij->i", chance, scores).astype(np.float64)
        slope = (mean - scores[rows, truth]) * factor / len(rows)
        gradient = np.zeros(len(KNOTS))
        np.add.at(gradient, below, slope * (1 - part))
        np.add.at(gradient, below + 1, slope * part)
        step = np.diff(logs)
        pull = 1e-3
        gradient[1:] += pull * step
        gradient[:-1] -= pull * step
        return float(value + pull * (step**2).sum() / 2), gradient

    # Start where the scores spread by about the log of the number of labels.
    spread = float(np.mean(scores.max(axis=1) - scores.mean(axis=1)))
    start = np.full(len(KNOTS), np.log(np.log(scores.shape[1]) / max(spread, 1e-6)))
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60})
    return np.asarray(found.x, dtype=np.float64)


def expected_error(confidence: NDArray[np.floating], right: NDArray[np.bool_], bins: int = 15) -> float:
    """Expected calibration error: |accuracy - mean confidence| in bins of equal width, weighted by their size.

    >>> expected_error(np.array([0.9, 0.9, 0.1, 0.1]), np.array([True, True, False, True]))
    0.25
    """
    if not len(confidence):
        return 0.0
    place = np.minimum((np.asarray(confidence, dtype=np.float64) * bins).astype(np.int64), bins - 1)
    gap = np.bincount(place, weights=right.astype(np.float64) - confidence, minlength=bins)
    return float(np.abs(gap).sum() / len(confidence))


def by_length(
    confidence: NDArray[np.floating], right: NDArray[np.bool_], lengths: NDArray[np.int64]
) -> dict[str, tuple[int, float, float]]:
    """Per bucket of length (`<25`, `25-49`, `50-149`, `150+`): texts, accuracy, expected calibration error."""
    answer = {}
    for low, high in BUCKETS:
        inside = (lengths >= low) & (lengths < (high if high is not None else np.iinfo(np.int64).max))
        name = f"{low}+" if high is None else f"<{high}" if not low else f"{low}-{high - 1}"
        share = float(right[inside].mean()) if inside.any() else 0.0
        answer[name] = (int(inside.sum()), share, expected_error(confidence[inside], right[inside]))
    return answer
