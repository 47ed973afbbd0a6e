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
    outcome: NDArray[np.float64],
    offset: NDArray[np.float64],
    group: NDArray[np.int64],
    groups: int,
    *,
    ridge: float = 1.0,
    variance: float = 1.0,
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """Fit P(outcome) = sigmoid(offset + intercept + features @ weights + intercepts[group]).

    Everything is shrunk towards 0, so that without data the offset alone decides.

    Args:
        features: standardised, shape (m, f).
        outcome: 0 or 1, shape (m,).
        offset: log-odds expected beforehand, shape (m,).
        group: number of each row's group, shape (m,).
        groups: how many groups there are.
        ridge: precision of the prior of every weight and of the intercept.
        variance: variance of the prior of a group's intercept.

    Returns:
        the intercept, the weights of shape (f,), the intercepts of the groups of shape (groups,).
    """
    size = features.shape[1] + 1
    design, weighted = np.ones((size, len(outcome))), np.empty((size, len(outcome)))  # a row for each feature
    design[1:] = features.T
    weights, intercepts = np.zeros(size), np.zeros(groups)
    log_odds = offset.astype(np.float64)
    objective = _objective(log_odds, outcome, weights, intercepts, ridge, variance)
    for _ in range(STEPS if len(outcome) else 0):
        probability = sigmoid(log_odds)
        spread = probability * (1 - probability) + 1e-6
        np.multiply(design, spread, out=weighted)
        missed = outcome - probability
        slope = design @ missed - ridge * weights
        slopes = np.bincount(group, missed, minlength=groups) - intercepts / variance
        curvature = weighted @ design.T + ridge * np.eye(size)
        mixed = np.stack([np.bincount(group, row, minlength=groups) for row in weighted])
        bends = mixed[0] + 1 / variance
        step = np.linalg.solve(curvature - (mixed / bends) @ mixed.T, slope - mixed @ (slopes / bends))
        shifts = (slopes - mixed.T @ step) / bends
        largest = max(float(np.abs(step).max()), float(np.abs(shifts).max(initial=0)))
        rate = min(1.0, LONGEST / max(largest, 1e-9))
        along = step @ design + shifts[group]
        for _ in range(HALVED):
            moved = (weights + rate * step, intercepts + rate * shifts)
            better = _objective(log_odds + rate * along, outcome, *moved, ridge, variance)
            if better >= objective:
                break
            rate /= 2
        else:
            break
        weights += rate * step
        intercepts += rate * shifts
        log_odds += rate * along
        objective = better
        if rate * largest < SMALL:
            break
    return float(weights[0]), weights[1:], intercepts


def fit_intercepts(
    outcome: NDArray[np.float64],
    offset: NDArray[np.float64],
    group: NDArray[np.int64],
    groups: int,
    *,
    variance: float = 1.0,
) -> NDArray[np.float64]:
    """Fit P(outcome) = sigmoid(offset + intercepts[group]), all else being known; see ``fit``.

    Args:
        outcome: 0 or 1, shape (m,).
        offset: log-odds without the intercepts, shape (m,).
        group: number of each row's group, shape (m,).
        groups: how many groups there are.
        variance: variance of the prior of an intercept.

    Returns:
        shape (groups,).
    """
    intercepts = np.zeros(groups)
    for _ in range(STEPS):
        probability = sigmoid(offset + intercepts[group])
        slopes = np.bincount(group, outcome - probability, minlength=groups) - intercepts / variance
        bends = np.bincount(group, probability * (1 - probability), minlength=groups) + 1 / variance
        steps = np.clip(slopes / bends, -LONGEST, LONGEST)
        intercepts += steps
        if float(np.abs(steps).max(initial=0)) < SMALL:
            break
    return intercepts


def _objective(  # noqa: PLR0917  internal
    log_odds: NDArray[np.float64],
    outcome: NDArray[np.float64],
    weights: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    ridge: float,
    variance: float,
) -> float:
    """What the fit makes as large as it can: the log-likelihood, less what large coefficients cost."""
    likelihood = float((outcome * log_odds - np.logaddexp(0, log_odds)).sum())
    return likelihood - float(ridge * weights @ weights + intercepts @ intercepts / variance) / 2
