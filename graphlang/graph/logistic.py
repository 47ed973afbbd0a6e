"""Logistic regression with a ridge and an intercept for each group, fitted by Newton's method: deterministic.

Weights and intercepts move together: the intercepts are eliminated from each step's equations (their part of the
curvature is diagonal), so that a step costs what it would cost without groups, and half a dozen are enough.
The last bits depend on how many threads the matrix library has; the command line gives it one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

STEPS = 25  #: Newton steps at most
SMALL = 1e-6  #: steps below this end the fit
LONGEST = 3.0  #: no step moves a coefficient by more, which keeps separable data from running away
HALVED = 20  #: a step that makes things worse is halved so often at most


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
    size = design.shape[1]
    weights, intercepts = np.zeros(size), np.zeros(groups)
    odds = offset.astype(np.float64)
    worth = _worth(odds, answer, weights, intercepts, ridge, variance)
    for _ in range(STEPS if len(answer) else 0):
        chance = sigmoid(odds)
        spread = chance * (1 - chance) + 1e-6
        weighted = design * spread[:, None]
        slope = design.T @ (answer - chance) - ridge * weights
        slopes = np.bincount(group, answer - chance, minlength=groups) - intercepts / variance
        curvature = weighted.T @ design + ridge * np.eye(size)
        bends = np.bincount(group, spread, minlength=groups) + 1 / variance
        mixed = np.stack([np.bincount(group, column, minlength=groups) for column in weighted.T])
        step = np.linalg.solve(curvature - (mixed / bends) @ mixed.T, slope - mixed @ (slopes / bends))
        shifts = (slopes - mixed.T @ step) / bends
        largest = max(float(np.abs(step).max()), float(np.abs(shifts).max(initial=0)))
        rate = min(1.0, LONGEST / max(largest, 1e-9))
        along = design @ step + shifts[group]
        for _ in range(HALVED):
            better = _worth(
                odds + rate * along, answer, weights + rate * step, intercepts + rate * shifts, ridge, variance
            )
            if better >= worth:
                break
            rate /= 2
        else:
            break
        weights += rate * step
        intercepts += rate * shifts
        odds += rate * along
        worth = better
        if rate * largest < SMALL:
            break
    return float(weights[0]), weights[1:], intercepts


def _worth(  # noqa: PLR0917  internal
    odds: NDArray[np.float64],
    answer: NDArray[np.float64],
    weights: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    ridge: float,
    variance: float,
) -> float:
    """What the fit makes as large as it can: the log likelihood, less what large coefficients cost."""
    likelihood = float((answer * odds - np.logaddexp(0, odds)).sum())
    return likelihood - float(ridge * weights @ weights + intercepts @ intercepts / variance) / 2
