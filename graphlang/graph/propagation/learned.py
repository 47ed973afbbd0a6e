"""Parameters that the inference learns from the whole collection: common to many pages.

These are the active languages, the language distributions of the collection and its sites, the reliability of signals
and the compatibility of links. They are computed once, from the whole collection or a sample of its hosts, and passed
to ``inference.propagate`` for each part. `Elsewhere` has counts of the whole collection for pages, hosts and
directories that are only partly in a partition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.propagation import compatibility, site_prior
from graphlang.graph.propagation.likelihoods import estimate_reliability
from graphlang.graph.propagation.site_prior import PAGES, Counted
from graphlang.graph.tables import BLOCK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import SortedLinks
    from graphlang.graph.data import Signal
    from graphlang.graph.propagation.compatibility import CompatibilityModel
    from graphlang.graph.propagation.edge_features import Degrees, EdgeFeatures
    from graphlang.graph.propagation.likelihoods import Reliability
    from graphlang.graph.propagation.roles import PageRoles
    from graphlang.graph.tables import ScoreTables


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Learned parameters; H hosts, L active languages."""

    codes: tuple[str, ...]  #: codes of the evidence
    active: NDArray[np.int16]  #: indices of the active languages, shape (L,)
    hosts: NDArray[np.int32]  #: numbers of the hosts in the evidence, ascending, shape (H,)
    collection: NDArray[np.float64]  #: language distribution of all pages, shape (L,)
    sites: NDArray[np.float64]  #: language distribution of each host, shape (H, L)
    reliability: Mapping[str, Reliability]  #: of each signal, by name
    compatibility: CompatibilityModel  #: groups are the hosts, and links between hosts

    def extend_to(
        self,
        tables: ScoreTables,
        signals: Mapping[str, Signal],
        roles: PageRoles,
        links: SortedLinks,
        features: EdgeFeatures,
    ) -> Learned:
        """Extend to the hosts of some pages; unknown hosts are learned from these pages.

        Raise a ValueError if the pages have other languages than those learned from.
        """
        if tables.evidence.codes != self.codes:
            ours, theirs = set(self.codes), set(tables.evidence.codes)
            raise ValueError(
                f"learned with {len(ours)} languages, the evidence has {len(theirs)}, {len(ours & theirs)} of them the"
                " same; codes must be equal and in one order"
            )
        rows = np.searchsorted(self.hosts, roles.hosts)
        rows = np.where(np.append(self.hosts, -1)[rows] == roles.hosts, rows, -1)
        weighted = {name for name, signal in signals.items() if signal.weight}
        if len(rows) == len(self.hosts) and (rows >= 0).all() and weighted <= self.reliability.keys():
            return self
        local = learn_from(tables, signals, roles, links, features, global_model=self)
        is_known = rows >= 0
        reliability = {}
        for name, estimate in local.reliability.items():
            by_host = estimate.by_host
            if name in self.reliability and is_known.any():
                by_host = np.where(is_known, self.reliability[name].by_host[rows], by_host)
            reliability[name] = replace(estimate, by_host=by_host)
        return replace(
            local,
            sites=np.where(is_known[:, None], self.sites[rows], local.sites) if is_known.any() else local.sites,
            reliability=reliability,
            compatibility=self.compatibility.merge_hosts(rows, local.compatibility),
        )


def learn_from(  # noqa: PLR0917  internal
    tables: ScoreTables,
    signals: Mapping[str, Signal],
    roles: PageRoles,
    links: SortedLinks,
    features: EdgeFeatures,
    global_model: Learned | None = None,
) -> Learned:
    """Learn from some pages and their links; signals without weight are ignored.

    With ``global_model``, learned from the whole collection, only parameters of the hosts are fitted.
    """
    label, hosts = roles.label, len(roles.hosts)
    collection = (
        site_prior.compute_collection_shares(roles.scores, label, roles.every_page)
        if global_model is None
        else global_model.collection
    )
    sites = site_prior.compute_group_shares(label, roles.host, hosts, collection[None])
    overall = (
        {} if global_model is None else {name: estimate.overall for name, estimate in global_model.reliability.items()}
    )
    reliability = {
        name: _reliability(tables, signal, roles, overall.get(name))
        for name, signal in signals.items()
        if signal.weight
    }
    model = compatibility.learn(
        links,
        features,
        roles.host,
        label,
        sites,
        collection,
        tables.evidence.length,
        global_model=None if global_model is None else global_model.compatibility,
    )
    return Learned(tables.evidence.codes, tables.active, roles.hosts, collection, sites, reliability, model)


def _reliability(tables: ScoreTables, signal: Signal, roles: PageRoles, overall: float | None) -> Reliability:
    """Estimate the reliability of a signal on the certain pages of each host."""
    labelled = np.flatnonzero(roles.label >= 0)
    pages: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    right: list[NDArray[np.float32]] = [np.zeros(0, np.float32)]
    for at in range(0, len(labelled), BLOCK):
        block = labelled[at : at + BLOCK]
        scores = tables.scores(block, signal)
        answered = np.flatnonzero(scores.sum(axis=1) > 0)
        pages.append(block[answered])
        right.append(scores[answered, roles.label[block[answered]]])
    host = roles.host[np.concatenate(pages)]
    return estimate_reliability(np.concatenate(right), host, len(roles.hosts), overall=overall)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceCounts:
    """Certain pages of hosts or directories by language.

    Raises:
        ValueError: bounds that do not fit the lists.
    """

    place: NDArray[np.int64]  #: numbers of the hosts or directories in the evidence, ascending, shape (p,)
    start: NDArray[np.int64]  #: place i has ``language[start[i]:start[i + 1]]``, shape (p + 1,)
    language: NDArray[np.int16]  #: indices of languages, shape (c,)
    pages: NDArray[np.int64]  #: certain pages of the place in the language, shape (c,)

    def __post_init__(self) -> None:
        if len(self.start) != len(self.place) + 1 or self.start[-1] != len(self.language):
            raise ValueError(f"{len(self.place)} places and {len(self.language)} counts have {len(self.start)} bounds")

    def table(self, active: NDArray[np.int16], codes: int) -> Counted:
        """Return the counts with a column for each active language, shape (p, L).

        ``codes`` is the number of all languages.

        >>> counts = PlaceCounts(np.array([4]), np.array([0, 2]), np.int16([2, 0]), np.array([7, 1]))
        >>> counts.table(np.int16([0, 2]), 3).pages.tolist()
        [[1, 7]]
        """
        column = np.full(codes + 1, -1, np.int64)
        column[active[active >= 0]] = np.flatnonzero(active >= 0)
        pages = np.zeros((len(self.place), len(active)), np.int64)
        rows = np.repeat(np.arange(len(self.place)), np.diff(self.start))
        at = column[self.language]
        np.add.at(pages, (rows[at >= 0], at[at >= 0]), self.pages[at >= 0])
        return Counted(self.place, pages)


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """Counts that a partition receives about its ghosts, and about hosts and directories that are cut."""

    degrees: Degrees  #: of the ghosts
    hosts: PlaceCounts
    directories: PlaceCounts

    def update_sites(self, learned: Learned, hosts: NDArray[np.int32]) -> Learned:
        """Replace the language distributions of hosts that are cut; ``hosts`` are ascending numbers, shape (H,)."""
        counted = self.hosts.table(learned.active, len(learned.codes))
        at = np.searchsorted(hosts, counted.place)
        here = np.append(hosts, -1)[at] == counted.place
        pages = counted.pages[here]
        sites = learned.sites.copy()
        sites[at[here]] = (pages + PAGES * learned.collection) / (pages.sum(axis=1, keepdims=True) + PAGES)
        return replace(learned, sites=sites)
