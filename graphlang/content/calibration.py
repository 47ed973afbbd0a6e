"""Calibrate similarities to probabilities, for every length of text.

A similarity of 0.8 means little for three words and much for three hundred. So the softmax over the labels has an
inverse temperature (Guo et al. 2017, section 4.2) that depends on the number of letters: its log is piecewise linear in
the log of the length between `KNOTS`. It is fitted by maximum likelihood on held-out lines, cut to all lengths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.native import scores as _kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

KNOTS = (4, 8, 16, 32, 64, 128, 256)


def place_lengths(lengths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Place lengths among the knots: 0 at the first or below, `len(KNOTS) - 1` at the last or above, (texts,).

    >>> place_lengths(np.array([1, 4, 8, 1000])).tolist()
    [0.0, 0.0, 1.0, 6.0]
    """
    positions = np.interp(np.log2(np.maximum(lengths, 1)), np.log2(KNOTS), np.arange(len(KNOTS)))
    return np.asarray(positions, dtype=np.float64)


def interpolate_inverse_temperature(logs: NDArray[np.floating], lengths: NDArray[np.int64]) -> Floats:
    """Interpolate the factor on the similarities of each text, (texts,).

    Shapes: logs (knots,), its log at the knots; lengths (texts,), letters of each text.
    """
    knots = np.asarray(logs, dtype=np.float64)
    at = place_lengths(lengths)
    below = np.minimum(at.astype(np.int64), len(KNOTS) - 2)
    factor = np.exp(knots[below] * (1 - (at - below)) + knots[below + 1] * (at - below))
    return np.asarray(factor, dtype=np.float32)


def compute_linear(
    sums: NDArray[np.int16],
    *,
    scale: Floats,
    base_scale: Floats,
    bias_scale: Floats,
    prior_scale: Floats,
    base: Floats,
    bias: Floats,
    prior: Floats,
) -> Floats:
    """Compute `sums * scale + base_scale * base + bias_scale * bias + prior_scale * prior`, (texts, labels).

    Shapes: sums (texts, labels or more); the scales (texts,); base, bias and prior (labels,). Raise a KernelError if
    they differ.
    """
    scores = np.empty((len(sums), len(base)), dtype=np.float32)
    _kernels.scores_linear(
        sums=sums,
        scale=scale,
        base_scale=base_scale,
        bias_scale=bias_scale,
        prior_scale=prior_scale,
        base=base,
        bias=bias,
        prior=prior,
        out=scores,
    )
    return scores


def compute_probabilities(
    scores: Floats, prior: Floats | None = None, has_letters: NDArray[np.bool_] | None = None, *, outliers: float = 0.0
) -> Floats:
    """Compute the softmax of each row, (texts, labels); 0 in rows without letters. `scores` may be overwritten.

    Exponentials are exact to two units in the last place, and equal on every machine. `prior` (labels,) is added to
    every row first. Rows that are False in `has_letters` (texts,) become 0. `outliers` is the share of the probability
    that all labels share equally. Raise a KernelError if the shapes differ, or there are texts and no labels.

    >>> compute_probabilities(np.log(np.array([[1.0, 3.0]], dtype=np.float32))).round(2).tolist()
    [[0.25, 0.75]]
    """
    scores = np.ascontiguousarray(scores, dtype=np.float32)
    if scores.size:
        _kernels.scores_softmax(scores=scores, prior=prior, has_letters=has_letters, outliers=outliers)
    return scores


def fit_inverse_temperature(
    scores: Floats,
    lengths: NDArray[np.int64],
    truth: NDArray[np.int64],
    constant: Floats | None = None,
    *,
    outliers: float = 0.0,
) -> NDArray[np.float64]:
    """Fit the log of the inverse temperature at every knot by maximum likelihood, (knots,).

    A weak pull towards equal neighbours decides where a knot has few texts. Shapes: scores (texts, labels), the
    similarities; lengths (texts,), letters; truth (texts,), the column of each label; constant (texts, labels), added
    to the scaled similarities. With `outliers`, as in `compute_probabilities`, a few lines with a wrong label do not
    make all long texts doubtful.
    """
    from scipy import optimize  # noqa: PLC0415 - slow to import, and only training needs it

    if scores.shape[1] < 2:  # noqa: PLR2004 - a single label is as likely at any temperature
        return np.zeros(len(KNOTS))
    at = place_lengths(lengths)
    below = np.minimum(at.astype(np.int64), len(KNOTS) - 2)
    share = at - below
    rows = np.arange(len(truth))

    def loss(logs: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        factor = np.exp(logs[below] * (1 - share) + logs[below + 1] * share)
        scaled = scores * factor[:, None].astype(np.float32)
        chances = compute_probabilities(scaled if constant is None else scaled + constant)
        true = chances[rows, truth].astype(np.float64)
        mixed = np.maximum(true * (1 - outliers) + outliers / scores.shape[1], 1e-9)
        value = -np.log(mixed).mean()
        mean = np.einsum("ij,ij->i", chances, scores).astype(np.float64)
        slope = (mean - scores[rows, truth]) * factor / len(rows)
        if outliers:
            slope *= true * (1 - outliers) / mixed
        gradient = np.zeros(len(KNOTS))
        np.add.at(gradient, below, slope * (1 - share))
        np.add.at(gradient, below + 1, slope * share)
        step = np.diff(logs)
        pull = 1e-3
        gradient[1:] += pull * step
        gradient[:-1] -= pull * step
        return float(value + pull * (step**2).sum() / 2), gradient

    # Start at the temperature that makes the scores spread by about the log of the number of labels.
    spread = float(np.mean(scores.max(axis=1) - scores.mean(axis=1)))
    start = np.full(len(KNOTS), np.log(np.log(scores.shape[1]) / max(spread, 1e-6)))
    optimum = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 60})
    return np.asarray(optimum.x, dtype=np.float64)
