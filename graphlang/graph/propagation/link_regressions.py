"""How likely a link keeps the language, by its kind and the shape of the graph around it.

A logistic regression with a ridge and an intercept for each group is fitted to each class of link kinds. Kinds are the
numbers of ``graphlang.db.records.LinkKind``. Newton's method moves weights and intercepts together: the intercepts are
eliminated from each step's equations (their part of the curvature is diagonal), so that a step costs what it would cost
without groups, and half a dozen are enough. The last bits depend on the number of threads of the matrix library; the
command line gives it one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.propagation.edge_features import NAMES
from graphlang.native.threads import in_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links
    from graphlang.graph.propagation.edge_features import EdgeFeatures

BLOCK = 1 << 14  #: links that one core works on at once
STEEPEST = 4.0  #: standardised features beyond are cut, as in the kernel
LOWEST, HIGHEST = 0.005, 0.98  #: no link is surer than this


@dataclass(frozen=True, slots=True, eq=False)
class Regression:
    """Log-odds that links of one link-kind class keep the language; G groups."""

    mean: NDArray[np.float32]  #: of the features, shape (14,)
    deviation: NDArray[np.float32]  #: shape (14,)
    weights: NDArray[np.float64]  #: shape (14,)
    of_kind: NDArray[np.float64]  #: log-odds that each kind adds, shape (256,)
    of_group: NDArray[np.float64]  #: and each group, shape (G,)


def fit_classes(  # noqa: PLR0917  all that it depends on
    links: Links,
    features: EdgeFeatures,
    seen: NDArray[np.int32],
    same: NDArray[np.bool_],
    group: NDArray[np.int64],
    groups: int,
    given: Mapping[int, Regression] | None,
) -> dict[int, Regression]:
    """Fit the regression of each link-kind class.

    Args:
        links: all of them.
        features: of these links.
        seen: numbers of links between certain pages, shape (m,).
        same: whether each of them keeps the language, shape (m,).
        group: of each, shape (m,).
        groups: G.
        given: what was fitted to the whole collection: only the groups' intercepts are.
    """
    present = links.kinds()
    of_kind = link_classes()
    found = {}
    for number in sorted({0, *CLASSES.values()}):
        known = np.flatnonzero(of_kind[links.kind[seen]] == number)
        kind, outcome = links.kind[seen[known]], same[known].astype(np.float64)
        if given is not None:
            one = given[number]
            table = (one.mean, one.deviation, one.weights)
            offset = features.log_odds(seen[known], *table) + one.of_kind[kind]
            found[number] = Regression(*table, one.of_kind, fit_intercepts(outcome, offset, group[known], groups))
        else:
            found[number] = fit_class(features.of(seen[known]), kind, outcome, group[known], groups, present)
    return found


def fit_class(  # noqa: PLR0917  all that it depends on
    features: NDArray[np.float32],
    kind: NDArray[np.uint8],
    outcome: NDArray[np.float64],
    group: NDArray[np.int64],
    groups: int,
    present: NDArray[np.bool_],
) -> Regression:
    """Fit the regression of one link-kind class.

    Args:
        features: of links between certain pages, shape (m, 14).
        kind: how each links, shape (m,).
        outcome: 1 where it keeps the language, shape (m,).
        group: host of each, G - 1 between hosts, shape (m,).
        groups: G.
        present: which kinds of links the collection has, shape (256,).
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
    intercept, weights, of_group = fit(scaled, outcome, usual[kind], group, groups)
    shapes = len(NAMES)
    of_kind = np.clip((is_kind - mean[shapes:]) / deviation[shapes:], -STEEPEST, STEEPEST) @ weights[shapes:]
    return Regression(mean[:shapes], deviation[:shapes], weights[:shapes], usual + intercept + of_kind, of_group)


def by_features(
    regressions: Mapping[int, Regression], kind: NDArray[np.uint8], features: EdgeFeatures, numbers: NDArray[np.int32]
) -> NDArray[np.float32]:
    """What the features of some links add to the log-odds that they keep the language.

    Args:
        regressions: by link-kind class.
        kind: how each links, shape (w,).
        features: of all links.
        numbers: of these, shape (w,).

    Returns:
        shape (w,).
    """
    link_class = link_classes().take(kind)
    of_all = np.flatnonzero(np.bincount(link_class)).tolist()
    told = np.empty(len(numbers), np.float32)
    for number in of_all:
        one = regressions[number]
        some = slice(None) if len(of_all) == 1 else np.flatnonzero(link_class == number)
        told[some] = features.log_odds(numbers[some], one.mean, one.deviation, one.weights)
    return told


def p_same(
    regressions: Mapping[int, Regression],
    kind: NDArray[np.uint8],
    features: EdgeFeatures,
    numbers: NDArray[np.int32],
    group: NDArray[np.int64],
) -> NDArray[np.float64]:
    """How likely some links keep the language, as the kernel of ``compatibility`` works it out.

    Args:
        regressions: by link-kind class.
        kind: how each links, shape (w,).
        features: of all links.
        numbers: of these, shape (w,).
        group: of each, shape (w,).

    Returns:
        shape (w,).
    """
    found = np.empty(len(numbers))

    def fill(part: slice) -> None:
        of_part, log_odds = kind[part], by_features(regressions, kind[part], features, numbers[part]).astype(np.float64)
        link_class = link_classes().take(of_part)
        for number in np.flatnonzero(np.bincount(link_class)).tolist():
            some, one = np.flatnonzero(link_class == number), regressions[number]
            log_odds[some] = log_odds[some] + one.of_kind.take(of_part[some]) + one.of_group.take(group[part][some])
        found[part] = np.clip(sigmoid(log_odds), LOWEST, HIGHEST)

    list(in_blocks(len(numbers), BLOCK, fill))
    return found


#: How often a link keeps the language before anything was seen, by kind (numbers of ``graphlang.db.records.LinkKind``).
PRIOR = {1: 0.98, 2: 0.98, 3: 0.97, 4: 0.98, 5: 0.9, 6: 0.1, 7: 0.9, 8: 0.9}
PRIOR_ELSE = 0.9
#: Link-kind classes: kinds that are learned apart, each with the number of its class, the others being class 0. That a
#: site's anchors keep the language says nothing of its canonical links (kind 3) and of those to its translations (6).
CLASSES = {3: 1, 6: 2}
#: Redirects, refreshes and frames: what a reader of the source sees is the target. That is not learned, for the sources
#: have almost no text, and a site whose anchors switch the language says nothing of its redirects.
FOLLOWED = (1, 2, 4)


def link_classes() -> NDArray[np.uint8]:
    """The link-kind class of each kind, shape (256,)."""
    found = np.zeros(256, np.uint8)
    found[list(CLASSES)] = list(CLASSES.values())
    return found


def followed(kind: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether links are of a kind whose target stands for the source."""
    shown = np.zeros(256, bool)
    shown[list(FOLLOWED)] = True
    return shown[kind]


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
