"""What the inference learns from the whole collection, before it looks at any single page.

The active languages, the languages of the collection and of its sites, the reliability of the signals and the
compatibility of links are common to many pages. They can be computed once, from all of the collection or from a sample
of its hosts, and passed to ``inference.propagate`` for each part of it. `Elsewhere` has what was counted in the whole
collection, of pages, hosts and directories of which a partition has only a part.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.language_tables import BLOCK
from graphlang.graph.propagation import compatibility, site_prior
from graphlang.graph.propagation import reliability as signals_
from graphlang.graph.propagation.site_prior import PAGES, Counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links
    from graphlang.graph.data import Signal
    from graphlang.graph.language_tables import ScoreTables
    from graphlang.graph.propagation.compatibility import CompatibilityModel
    from graphlang.graph.propagation.edge_features import Degrees, EdgeFeatures
    from graphlang.graph.propagation.reliability import Reliability
    from graphlang.graph.propagation.roles import PageRoles


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """H hosts, L active languages."""

    codes: tuple[str, ...]  #: of the evidence that it was learned from
    active: NDArray[np.int16]  #: indices of the active languages, shape (L,)
    hosts: NDArray[np.int32]  #: numbers of the hosts in the evidence, ascending, shape (H,)
    collection: NDArray[np.float64]  #: languages of all pages, shape (L,)
    sites: NDArray[np.float64]  #: languages of the pages of each host, shape (H, L)
    reliability: Mapping[str, Reliability]  #: of each signal, by name
    compatibility: CompatibilityModel  #: of links within each host, and between hosts

    def for_pages(
        self,
        tables: ScoreTables,
        signals: Mapping[str, Signal],
        roles: PageRoles,
        links: Links,
        features: EdgeFeatures,
    ) -> Learned:
        """The same for the hosts of some pages: hosts that it does not know are learned from these pages.

        Args:
            tables: scores of the texts of these pages.
            signals: of these pages, by name.
            roles: of these pages.
            links: between them.
            features: of the links.

        Raises:
            ValueError: the pages' languages are others than those that it was learned with.
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
        local = learn_from(tables, signals, roles, links, features, given=self)
        known = rows >= 0
        reliability = {}
        for name, one in local.reliability.items():
            of_hosts = one.of_hosts
            if name in self.reliability and known.any():
                of_hosts = np.where(known, self.reliability[name].of_hosts[rows], of_hosts)
            reliability[name] = replace(one, of_hosts=of_hosts)
        return replace(
            local,
            sites=np.where(known[:, None], self.sites[rows], local.sites) if known.any() else local.sites,
            reliability=reliability,
            compatibility=self.compatibility.for_hosts(rows, local.compatibility),
        )


def learn_from(  # noqa: PLR0917  the stages before
    tables: ScoreTables,
    signals: Mapping[str, Signal],
    roles: PageRoles,
    links: Links,
    features: EdgeFeatures,
    given: Learned | None = None,
) -> Learned:
    """Learn from some pages and their links.

    Args:
        tables: scores of the texts of n pages.
        signals: of the pages, by name; those without weight are left out.
        roles: which of the pages are certain.
        links: between them.
        features: of the links.
        given: what was learned of the whole collection, of which these pages are a part: only what is particular to
            their hosts is learned.
    """
    label, hosts = roles.label, len(roles.hosts)
    collection = site_prior.collection(roles.scores, label, roles.every_page) if given is None else given.collection
    sites = site_prior.distributions(label, roles.host, hosts, collection[None])
    usual = {} if given is None else {name: one.overall for name, one in given.reliability.items()}
    reliability = {
        name: _reliability(tables, signal, roles, usual.get(name)) for name, signal in signals.items() if signal.weight
    }
    model = compatibility.learn(
        links,
        features,
        roles.host,
        label,
        sites,
        collection,
        tables.evidence.length,
        given=None if given is None else given.compatibility,
    )
    return Learned(tables.evidence.codes, tables.active, roles.hosts, collection, sites, reliability, model)


def _reliability(tables: ScoreTables, signal: Signal, roles: PageRoles, overall: float | None) -> Reliability:
    """How often a signal is right on the certain pages of each host."""
    labelled = np.flatnonzero(roles.label >= 0)
    pages: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    right: list[NDArray[np.float32]] = [np.zeros(0, np.float32)]
    for at in range(0, len(labelled), BLOCK):
        part = labelled[at : at + BLOCK]
        scores = tables.scores(part, signal)
        some = np.flatnonzero(scores.sum(axis=1) > 0)
        pages.append(part[some])
        right.append(scores[some, roles.label[part[some]]])
    host = roles.host[np.concatenate(pages)]
    return signals_.reliability(np.concatenate(right), host, len(roles.hosts), overall=overall)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceCounts:
    """Certain pages of hosts or directories by language.

    Raises:
        ValueError: bounds that do not fit the lists.
    """

    place: NDArray[np.int64]  #: numbers of the hosts or directories in the evidence, ascending, shape (p,)
    start: NDArray[np.int64]  #: place i has ``language[start[i]:start[i + 1]]``, shape (p + 1,)
    language: NDArray[np.int16]  #: indices of languages, shape (c,)
    pages: NDArray[np.int64]  #: how many certain pages the place has in the language, shape (c,)

    def __post_init__(self) -> None:
        if len(self.start) != len(self.place) + 1 or self.start[-1] != len(self.language):
            raise ValueError(f"{len(self.place)} places and {len(self.language)} counts have {len(self.start)} bounds")

    def table(self, active: NDArray[np.int16], codes: int) -> Counted:
        """The same with a column for each active language.

        Args:
            active: languages of the columns, shape (L,).
            codes: how many languages there are in all.

        >>> counts = PlaceCounts(np.array([4]), np.array([0, 2]), np.int16([2, 0]), np.array([7, 1]))
        >>> counts.table(np.int16([0, 2]), 3).pages.tolist()
        [[1, 7]]
        """
        column = np.full(codes + 1, -1, np.int64)
        column[active[active >= 0]] = np.flatnonzero(active >= 0)
        found = np.zeros((len(self.place), len(active)), np.int64)
        rows = np.repeat(np.arange(len(self.place)), np.diff(self.start))
        at = column[self.language]
        np.add.at(found, (rows[at >= 0], at[at >= 0]), self.pages[at >= 0])
        return Counted(self.place, found)


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """What a partition receives about its ghosts, and about hosts and directories that it has only a part of."""

    degrees: Degrees  #: of the ghosts
    hosts: PlaceCounts
    directories: PlaceCounts

    def sites_of(self, learned: Learned, hosts: NDArray[np.int32]) -> Learned:
        """What was learned, the languages of these hosts being those that were counted.

        Args:
            learned: of the hosts of the pages.
            hosts: their numbers in the evidence, ascending, shape (H,).
        """
        counted = self.hosts.table(learned.active, len(learned.codes))
        at = np.searchsorted(hosts, counted.place)
        here = np.append(hosts, -1)[at] == counted.place
        pages = counted.pages[here]
        sites = learned.sites.copy()
        sites[at[here]] = (pages + PAGES * learned.collection) / (pages.sum(axis=1, keepdims=True) + PAGES)
        return replace(learned, sites=sites)
