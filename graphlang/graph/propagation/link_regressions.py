"""Logistic regressions of whether a link keeps the language, on its kind and the features of the graph around it.

A regression with ridge penalty and an intercept per group is fitted to each class of link kinds (numbers of
``graphlang.db.records.LinkKind``). Newton's method updates weights and intercepts together. The intercepts' block of
the Hessian is diagonal and is eliminated, so that a step costs as much as without groups; half a dozen steps are
enough. The last bits depend on the number of threads of the BLAS library; the command line uses one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.propagation.edge_features import NAMES
from graphlang.native.threads import run_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import SortedLinks
    from graphlang.graph.propagation.edge_features import EdgeFeatures

BLOCK = 1 << 14  #: links that one core handles at a time
STEEPEST = 4.0  #: standardised features are clipped at this value, as in the kernel
LOWEST, HIGHEST = 0.005, 0.98  #: bounds of the probability that a link keeps the language


@dataclass(frozen=True, slots=True, eq=False)
class Regression:
    """Model of the log-odds that links of a kind class keep the language; G groups."""

    mean: NDArray[np.float32]  #: of the features, shape (14,)
    deviation: NDArray[np.float32]  #: shape (14,)
    weights: NDArray[np.float64]  #: shape (14,)
    kind_log_odds: NDArray[np.float64]  #: log-odds of each kind, intercept included, shape (256,)
    group_log_odds: NDArray[np.float64]  #: intercept of each group, shape (G,)


def fit_classes(  # noqa: PLR0917  internal
    links: SortedLinks,
    features: EdgeFeatures,
    numbers: NDArray[np.int32],
    same: NDArray[np.bool_],
    group: NDArray[np.int64],
    groups: int,
    global_regressions: Mapping[int, Regression] | None,
) -> dict[int, Regression]:
    """Fit the regression of each kind class.

    ``numbers`` selects links between certain pages; ``same`` (they keep the language) and ``group`` have shape
    (m,) like it. With ``global_regressions`` of the whole collection, only the group intercepts are fitted.
    """
    present = links.kinds()
    class_of_kind = link_classes()
    regressions = {}
    for number in sorted({0, *CLASSES.values()}):
        members = np.flatnonzero(class_of_kind[links.kind[numbers]] == number)
        kind, outcome = links.kind[numbers[members]], same[members].astype(np.float64)
        if global_regressions is not None:
            shared = global_regressions[number]
            table = (shared.mean, shared.deviation, shared.weights)
            offset = features.log_odds(numbers[members], *table) + shared.kind_log_odds[kind]
            regressions[number] = Regression(
                *table, shared.kind_log_odds, fit_intercepts(outcome, offset, group[members], groups)
            )
        else:
            regressions[number] = fit_class(
                features.compute(numbers[members]), kind, outcome, group[members], groups, present
            )
    return regressions


def fit_class(  # noqa: PLR0917  internal
    features: NDArray[np.float32],
    kind: NDArray[np.uint8],
    outcome: NDArray[np.float64],
    group: NDArray[np.int64],
    groups: int,
    present: NDArray[np.bool_],
) -> Regression:
    """Fit the regression of one kind class.

    ``features`` has shape (m, 14); ``kind``, ``outcome`` (1: keeps the language) and ``group`` (G - 1: between hosts)
    have shape (m,). ``present`` are the kinds in the collection, shape (256,).
    """
    probability = np.full(256, PRIOR_ELSE)
    probability[list(PRIOR)] = list(PRIOR.values())
    usual = np.log(probability / (1 - probability))
    is_kind = (np.arange(256)[:, None] == np.flatnonzero(present)[1:]).astype(np.float32)
    design = np.column_stack([features, is_kind[kind]])
    if len(kind):
        mean, deviation = design.mean(0), design.std(0) + np.float32(1e-3)
    else:
        mean, deviation = np.zeros(design.shape[1], np.float32), np.ones(design.shape[1], np.float32)
    scaled = np.clip((design - mean) / deviation, -STEEPEST, STEEPEST)
    intercept, weights, group_log_odds = fit(scaled, outcome, usual[kind], group, groups)
    shapes = len(NAMES)
    kind_log_odds = np.clip((is_kind - mean[shapes:]) / deviation[shapes:], -STEEPEST, STEEPEST) @ weights[shapes:]
    return Regression(
        mean[:shapes], deviation[:shapes], weights[:shapes], usual + intercept + kind_log_odds, group_log_odds
    )


def compute_feature_log_odds(
    regressions: Mapping[int, Regression], kind: NDArray[np.uint8], features: EdgeFeatures, numbers: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Return the part of the log-odds that the features of some links contribute; shape (w,)."""
    link_class = link_classes().take(kind)
    classes = np.flatnonzero(np.bincount(link_class)).tolist()
    log_odds = np.empty(len(numbers), np.float32)
    for number in classes:
        model = regressions[number]
        members = slice(None) if len(classes) == 1 else np.flatnonzero(link_class == number)
        log_odds[members] = features.log_odds(numbers[members], model.mean, model.deviation, model.weights)
    return log_odds


def predict_same(
    regressions: Mapping[int, Regression],
    kind: NDArray[np.uint8],
    features: EdgeFeatures,
    numbers: NDArray[np.int32],
    group: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Return the probability that some links keep the language, as the kernel computes it; shape (w,)."""
    result = np.empty(len(numbers))

    def fill(block: slice) -> None:
        block_kind, log_odds = (
            kind[block],
            compute_feature_log_odds(regressions, kind[block], features, numbers[block]).astype(np.float64),
        )
        link_class = link_classes().take(block_kind)
        for number in np.flatnonzero(np.bincount(link_class)).tolist():
            members, model = np.flatnonzero(link_class == number), regressions[number]
            log_odds[members] = (
                log_odds[members]
                + model.kind_log_odds.take(block_kind[members])
                + model.group_log_odds.take(group[block][members])
            )
        result[block] = np.clip(sigmoid(log_odds), LOWEST, HIGHEST)

    list(run_blocks(len(numbers), BLOCK, fill))
    return result


#: Prior probability that a link keeps the language, by kind (numbers of ``graphlang.db.records.LinkKind``).
PRIOR = {1: 0.98, 2: 0.98, 3: 0.97, 4: 0.98, 5: 0.9, 6: 0.1, 7: 0.9, 8: 0.9}
PRIOR_ELSE = 0.9
#: Classes of kinds with their own regression; all other kinds are class 0. Whether the anchors of a site keep the
#: language does not predict its canonical links (kind 3) and its links to translations (6).
CLASSES = {3: 1, 6: 2}
#: Redirects, refreshes and frames: a reader of the source sees the target. Nothing is learned from them, since the
#: sources have almost no text, and anchors of a site do not predict its redirects.
FOLLOWED = (1, 2, 4)


def link_classes() -> NDArray[np.uint8]:
    """Return the class of each kind, shape (256,)."""
    classes = np.zeros(256, np.uint8)
    classes[list(CLASSES)] = list(CLASSES.values())
    return classes


def is_followed(kind: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return whether links of these kinds forward the reader to the target."""
    forwards = np.zeros(256, bool)
    forwards[list(FOLLOWED)] = True
    return forwards[kind]


STEPS = 25  #: largest number of Newton steps
SMALL = 1e-6  #: the fit ends when no coefficient changes by more
LONGEST = 3.0  #: largest change of a coefficient in a step, so that separable data do not diverge
HALVED = 20  #: largest number of times that a step is halved


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / (1 + exp(-x)), element by element."""
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

    All coefficients are shrunk towards 0: without data the prediction is the offset. `ridge` is the precision of the
    prior of every weight and of the intercept, `variance` that of the prior of a group's intercept.

    Shapes: features (m, f), standardised; outcome (m,), 0 or 1; offset (m,), prior log-odds; group (m,). Return the
    intercept, the weights (f,), and the intercepts of the groups (groups,).
    """
    size = features.shape[1] + 1
    design, weighted = np.ones((size, len(outcome))), np.empty((size, len(outcome)))  # a row for each feature
    design[1:] = features.T
    weights, intercepts = np.zeros(size), np.zeros(groups)
    log_odds = offset.astype(np.float64)
    objective = _compute_objective(log_odds, outcome, weights, intercepts, ridge, variance)
    for _ in range(STEPS if len(outcome) else 0):
        probability = sigmoid(log_odds)
        irls_weight = probability * (1 - probability) + 1e-6
        np.multiply(design, irls_weight, out=weighted)
        residual = outcome - probability
        gradient = design @ residual - ridge * weights
        group_gradient = np.bincount(group, residual, minlength=groups) - intercepts / variance
        hessian = weighted @ design.T + ridge * np.eye(size)
        cross = np.stack([np.bincount(group, row, minlength=groups) for row in weighted])
        group_hessian = cross[0] + 1 / variance
        step = np.linalg.solve(
            hessian - (cross / group_hessian) @ cross.T, gradient - cross @ (group_gradient / group_hessian)
        )
        group_step = (group_gradient - cross.T @ step) / group_hessian
        largest = max(float(np.abs(step).max()), float(np.abs(group_step).max(initial=0)))
        rate = min(1.0, LONGEST / max(largest, 1e-9))
        direction = step @ design + group_step[group]
        for _ in range(HALVED):
            candidate = (weights + rate * step, intercepts + rate * group_step)
            improved = _compute_objective(log_odds + rate * direction, outcome, *candidate, ridge, variance)
            if improved >= objective:
                break
            rate /= 2
        else:
            break
        weights += rate * step
        intercepts += rate * group_step
        log_odds += rate * direction
        objective = improved
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
    """Fit the intercepts alone: P(outcome) = sigmoid(offset + intercepts[group]); see ``fit``. Shape (groups,).

    ``outcome`` (0 or 1), ``offset`` (log-odds without the intercepts) and ``group`` have shape (m,). ``variance`` is
    the prior variance of an intercept.
    """
    intercepts = np.zeros(groups)
    for _ in range(STEPS):
        probability = sigmoid(offset + intercepts[group])
        gradient = np.bincount(group, outcome - probability, minlength=groups) - intercepts / variance
        hessian = np.bincount(group, probability * (1 - probability), minlength=groups) + 1 / variance
        steps = np.clip(gradient / hessian, -LONGEST, LONGEST)
        intercepts += steps
        if float(np.abs(steps).max(initial=0)) < SMALL:
            break
    return intercepts


def _compute_objective(  # noqa: PLR0917  internal
    log_odds: NDArray[np.float64],
    outcome: NDArray[np.float64],
    weights: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    ridge: float,
    variance: float,
) -> float:
    """Return the penalised log-likelihood, which the fit maximises."""
    likelihood = float((outcome * log_odds - np.logaddexp(0, log_odds)).sum())
    return likelihood - float(ridge * weights @ weights + intercepts @ intercepts / variance) / 2
