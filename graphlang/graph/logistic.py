"""Logistic regression with a ridge and an intercept for each group, fitted by Newton's method: deterministic."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = 25  #: Newton steps; a handful is enough, the rest cost nothing that counts
SMALL = 1e-6  #: steps below this end the fit
LONGEST = 3.0  #: no step moves a coefficient by more, which keeps separable data from running away


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(-x)), element by element."""
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -40, 40))))


def fit(
    features: NDArray[np.float64],
    answer: NDArray[np.float64],
    offset: NDArray[np.float64],
    group: NDArray[np.int64],
    groups: int,
    *,
    ridge: float = 1.0,
    variance: float = 1.0,
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Fit P(answer) = sigmoid(offset + intercept + features @ weights + intercepts[group]).

    Everything is shrunk towards 0, so that without data the offset alone decides.

    Args:
        features: standardised, shape (m, f).
        answer: 0 or 1, shape (m,).
        offset: log-odds expected beforehand, shape (m,).
        group: number of each row's group, shape (m,).
        groups: how many groups there are.
        ridge: precision of the prior of every weight and of the intercept.
        variance: variance of the prior of a group's intercept.

    Returns:
        the intercept, the weights of shape (f,), the intercepts of the groups of shape (groups,).
    """
    design = np.column_stack([np.ones(len(answer)), features])
    weights, intercepts = np.zeros(design.shape[1]), np.zeros(groups)
    for _ in range(STEPS if len(answer) else 0):
        chance = sigmoid(offset + design @ weights + intercepts[group])
        spread = chance * (1 - chance) + 1e-6
        gradient = design.T @ (answer - chance) - ridge * weights
        curvature = (design * spread[:, None]).T @ design + ridge * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        weights += step * min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-9))
        chance = sigmoid(offset + design @ weights + intercepts[group])
        slope = np.bincount(group, answer - chance, minlength=groups) - intercepts / variance
        bend = np.bincount(group, chance * (1 - chance), minlength=groups) + 1 / variance
        shift = np.clip(slope / bend, -2, 2)
        intercepts += shift
        if max(float(np.abs(step).max()), float(np.abs(shift).max(initial=0))) < SMALL:
            break
    return float(weights[0]), weights[1:], intercepts
