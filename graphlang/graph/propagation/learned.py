"""What the inference learns from the whole collection, before it looks at any single page.

The active languages, the languages of the collection and of its sites, the reliability of the signals and the
compatibility of links are common to many pages. They can be computed once, from all of the collection or from a sample
of its hosts, and handed to ``inference.propagate`` for each part of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.propagation.edges import compatibility
from graphlang.graph.propagation.nodes import signals as signals_
from graphlang.graph.propagation.nodes import site_prior
from graphlang.graph.propagation.nodes.score_table import BLOCK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links
    from graphlang.graph.data import Signal
    from graphlang.graph.propagation.edges.compatibility import CompatibilityModel
    from graphlang.graph.propagation.edges.edge_features import EdgeFeatures
    from graphlang.graph.propagation.nodes.roles import PageRoles
    from graphlang.graph.propagation.nodes.score_table import ScoreTables
    from graphlang.graph.propagation.nodes.signals import Reliability


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
        scores = tables.of(part, signal)
        some = np.flatnonzero(scores.sum(axis=1) > 0)
        pages.append(part[some])
        right.append(scores[some, roles.label[part[some]]])
    host = roles.host[np.concatenate(pages)]
    return signals_.reliability(np.concatenate(right), host, len(roles.hosts), overall=overall)
