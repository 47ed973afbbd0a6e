"""How likely links keep the language: a regression for each link-kind class, over features, kinds and groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.propagation.edges.edge_features import NAMES
from graphlang.graph.propagation.edges.link_kinds import CLASSES, PRIOR, PRIOR_ELSE, class_of
from graphlang.graph.propagation.edges.random_intercept_logistic import fit, fit_intercepts, sigmoid
from graphlang.native.threads import in_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links
    from graphlang.graph.propagation.edges.edge_features import EdgeFeatures

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
    of_kind = class_of()
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
    link_class = class_of().take(kind)
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
        link_class = class_of().take(of_part)
        for number in np.flatnonzero(np.bincount(link_class)).tolist():
            some, one = np.flatnonzero(link_class == number), regressions[number]
            log_odds[some] = log_odds[some] + one.of_kind.take(of_part[some]) + one.of_group.take(group[part][some])
        found[part] = np.clip(sigmoid(log_odds), LOWEST, HIGHEST)

    list(in_blocks(len(numbers), BLOCK, fill))
    return found
