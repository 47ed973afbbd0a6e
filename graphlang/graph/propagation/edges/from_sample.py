"""The compatibility of links learned from a sample of them, without the graph around: their features came with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.propagation.edges import by_language, group_tables, link_regressions
from graphlang.graph.propagation.edges.compatibility import CompatibilityModel
from graphlang.graph.propagation.edges.link_kinds import CLASSES, class_of
from graphlang.graph.propagation.edges.link_regressions import Regression
from graphlang.graph.propagation.edges.random_intercept_logistic import fit_intercepts, sigmoid

if TYPE_CHECKING:
    from numpy.typing import NDArray

GROUPS = 4096  #: hosts whose tables are held at once


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """m links between certain pages, on G hosts; languages are columns."""

    features: NDArray[np.float32]  #: shape (m, 14)
    kind: NDArray[np.uint8]  #: shape (m,)
    a: NDArray[np.int64]  #: language of the source, shape (m,)
    b: NDArray[np.int64]  #: language of the target, shape (m,)
    group: NDArray[np.int64]  #: number of the host of both ends, G between hosts, shape (m,)
    usual: NDArray[np.bool_]  #: drawn for what is common to all; the others tell of their hosts alone, shape (m,)

    def of(self, some: NDArray[Any]) -> Sample:
        """Some of the links."""
        return Sample(*(getattr(self, name)[some] for name in ("features", "kind", "a", "b", "group", "usual")))


def learn(
    sample: Sample,
    sites: NDArray[np.float64],
    collection: NDArray[np.float64],
    present: NDArray[np.bool_],
    longest: int,
    *,
    keep: int,
) -> CompatibilityModel:
    """What ``compatibility.learn`` learns, from a sample.

    Args:
        sample: the links.
        sites: languages of the pages of each host, shape (G, L).
        collection: languages of all pages, shape (L,).
        present: which kinds of links the collection has, shape (256,).
        longest: lists of neighbours that the features looked at.
        keep: the model is of so many of the hosts, the first ones.
    """
    sites = np.vstack([sites, collection])
    groups = len(sites)
    of_kind = class_of()
    regressions: dict[int, Regression] = {}
    for number in sorted({0, *CLASSES.values()}):
        of_class = of_kind[sample.kind] == number
        few = sample.of(of_class & sample.usual)
        given = (few.features, few.kind, (few.a == few.b).astype(np.float64), few.group, groups, present)
        one = link_regressions.fit_class(*given)
        more = sample.of(of_class)
        if len(more.kind) > len(few.kind):  # hosts that are cut have more links than those of the sample
            offset = _shape(one, more) + one.of_kind[more.kind]
            same = (more.a == more.b).astype(np.float64)
            intercepts = fit_intercepts(same, offset, more.group, groups)
            extra = np.setdiff1d(more.group[~more.usual], [groups - 1])
            of_group = one.of_group.copy()
            of_group[extra] = intercepts[extra]
            one = Regression(one.mean, one.deviation, one.weights, one.of_kind, of_group)
        regressions[number] = one
    p_same = np.empty(len(sample.kind))
    for number, one in regressions.items():
        some = np.flatnonzero(of_kind[sample.kind] == number)
        part = sample.of(some)
        p_same[some] = _shape(one, part) + one.of_kind[part.kind] + one.of_group[part.group]
    p_same = np.clip(sigmoid(p_same), link_regressions.LOWEST, link_regressions.HIGHEST)
    kept = np.append(np.arange(keep), groups - 1)
    counted = np.zeros(len(by_language.EXCLUSIONS))
    blocks = []
    for at in range(0, groups, GROUPS):
        stop = min(at + GROUPS, groups)
        inside = np.flatnonzero((sample.group >= at) & (sample.group < stop))
        part = sample.of(inside)
        found = group_tables.tables(part.a, part.b, part.group - at, sites[at:stop], p_same[inside])
        counted += found.votes
        blocks.append(found.of(kept[(kept >= at) & (kept < stop)] - at, int(np.searchsorted(kept, at))))
    usual = by_language.usual_exclusion(counted)
    joined = group_tables.GroupTables(
        np.concatenate([one.source_marginal for one in blocks]),
        np.concatenate([one.switch_to for one in blocks]),
        np.concatenate([one.pair for one in blocks]),
        np.concatenate([one.fits for one in blocks], axis=1),
    )
    inside = np.flatnonzero(np.isin(sample.group, kept))
    part = sample.of(inside)
    group = np.searchsorted(kept, part.group)
    return CompatibilityModel(
        longest,
        {
            number: Regression(one.mean, one.deviation, one.weights, one.of_kind, one.of_group[kept])
            for number, one in regressions.items()
        },
        *group_tables.of_languages(joined, usual, part.a, part.b, group, p_same[inside]),
        usual,
    )


def _shape(regression: Regression, sample: Sample) -> NDArray[np.float64]:
    """What the features add to the log-odds, as the kernel works it out."""
    scaled = (sample.features - regression.mean) / regression.deviation
    clipped = np.clip(scaled, -link_regressions.STEEPEST, link_regressions.STEEPEST)
    return np.asarray((clipped.astype(np.float64) @ regression.weights).astype(np.float32), np.float64)
