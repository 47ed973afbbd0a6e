"""How a link binds the languages of its two pages, learned from the collection itself.

No gold label is needed: links between two certain pages show how often a link keeps the language, and what the
languages are where it does not. A logistic regression carries that over to the links of short pages: from the shape of
the graph around the link (``edge_features``), its kind, and an intercept for each host, all shrunk towards what is
usual on the web (Hayati 2004, section 5.3: 95 % of links keep the language) where a host has few such links.

For a link from page s to page t the model is

    P(t = b | s = a) = k [a = b] + (1 - k) D(b) (1 - x [a = b]) / (1 - x D(a))

with k the coupling, the share of links that keep the language on purpose, D the languages that links which switch lead
to on this host (often one: every page links to untranslated English pages), and x the exclusion, how far the latter
avoid the language of their own page (1: a switcher lists only *other* languages: a neighbour's language is evidence
*against* one's own). Not all languages of a host do the same: x, and what is added to the log-odds of k, are those of
the source's language (``group_tables``).

Of a large collection a sample of the links is learned from. `learn_from_sample` learns the same where the graph lies on
several machines: the features come with the links.

Links within a host are a group, and links between hosts are one more, the last. The languages that a host's pages have
are no news to its own pages, but they are to others: were links between hosts told by the tables of their source, a
site in one language could say nothing of the pages that it links to elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.adjacency import padded
from graphlang.graph.native import couplings as _kernels
from graphlang.graph.propagation import group_tables, link_regressions
from graphlang.graph.propagation.group_tables import group_of, of_languages, tables
from graphlang.graph.propagation.link_regressions import (
    CLASSES,
    HIGHEST,
    LOWEST,
    Regression,
    by_features,
    fit_classes,
    fit_intercepts,
    followed,
    link_classes,
    p_same,
    sigmoid,
)
from graphlang.native.threads import in_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links, LinkSubset
    from graphlang.graph.propagation.edge_features import EdgeFeatures


BLOCK = 1 << 17  #: links that one core works on at once


@dataclass(frozen=True, slots=True, eq=False)
class CompatibilityModel:
    """What is learned of all links; L languages, G groups: the hosts, and the links between hosts."""

    longest: int  #: lists of neighbours that the features look at
    regressions: Mapping[int, Regression]  #: by link-kind class
    source_marginal: NDArray[np.float64]  #: languages of pages that links lead from, shape (G, L)
    switch_to: NDArray[np.float64]  #: D above, shape (G, L)
    exclusion: NDArray[np.float32]  #: x above, shape (G, L)
    lean: NDArray[np.float32]  #: what each language adds to the log-odds of k, shape (G, L)
    by_chance: NDArray[np.float64]  #: how often a link that switches keeps the language all the same, shape (G,)
    usual: NDArray[np.float64]  #: distribution of the exclusion over the languages of all hosts, shape (7,)

    def of_links(
        self,
        ends: LinkSubset,
        features: EdgeFeatures,
        wanted: NDArray[np.int32],
        host: NDArray[np.int32],
        *,
        explained: bool = True,
    ) -> EdgeCompatibility:
        """What the model says of some links.

        Args:
            ends: of these links.
            features: of all links of n pages.
            wanted: numbers of these links, shape (w,).
            host: of each page, 0..G-2, shape (n,).
            explained: whether ``p_same`` is kept, which only a reader wants to know.
        """
        coupling = np.empty(len(wanted), np.float32)
        p_same = np.empty(len(wanted) if explained else 0, np.float32)

        of_kinds = link_classes()
        classes = range(int(of_kinds.max()) + 1)
        of_kind = np.choose(of_kinds, [self.regressions[number].of_kind for number in classes])
        of_group = np.stack([self.regressions[number].of_group for number in classes])
        shown = followed(np.arange(256, dtype=np.uint8))

        def fill(part: slice) -> None:
            numbers = wanted[part]
            told = by_features(self.regressions, ends.kind[part], features, numbers)
            of_links = (ends.source[part], ends.target[part], ends.kind[part], told)
            of_all = (host, of_group, self.by_chance, of_kind, of_kinds, shown)
            found = (p_same[part] if explained else None, coupling[part])
            _kernels.couplings(LOWEST, HIGHEST, *of_links, *of_all, *found)

        list(in_blocks(len(wanted), BLOCK, fill))
        of_groups = (self.source_marginal, self.switch_to)
        given = (ends.source, ends.target, ends.kind)
        return EdgeCompatibility(*given, p_same, coupling, self.exclusion, self.lean, *of_groups)

    def of_hosts(self, rows: NDArray[np.int64]) -> CompatibilityModel:
        """The model for some of its hosts.

        Args:
            rows: their numbers, shape (H,).
        """
        at = np.append(rows, len(self.exclusion) - 1)  # links between hosts are the last group
        regressions = {number: replace(one, of_group=one.of_group[at]) for number, one in self.regressions.items()}
        tables = (self.source_marginal[at], self.switch_to[at], self.exclusion[at], self.lean[at], self.by_chance[at])
        return CompatibilityModel(self.longest, regressions, *tables, self.usual)

    def for_hosts(self, rows: NDArray[np.int64], local: CompatibilityModel) -> CompatibilityModel:
        """The model for other hosts: of those that it knows as learned, of the others as a local model has it.

        Args:
            rows: number of each host in this model, -1 unknown, shape (H,).
            local: of these hosts, fitted with this one given (see ``learn``).
        """
        at = np.append(rows, len(self.exclusion) - 1)  # links between hosts are the last group

        def chosen(own: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
            return np.where((at >= 0).reshape(-1, *[1] * (own.ndim - 1)), own[at], other)

        regressions = {}
        for number, one in self.regressions.items():
            of_group = chosen(one.of_group, local.regressions[number].of_group)
            regressions[number] = Regression(one.mean, one.deviation, one.weights, one.of_kind, of_group)
        return CompatibilityModel(
            self.longest,
            regressions,
            chosen(self.source_marginal, local.source_marginal),
            chosen(self.switch_to, local.switch_to),
            chosen(self.exclusion, local.exclusion),
            chosen(self.lean, local.lean),
            chosen(self.by_chance, local.by_chance),
            self.usual,
        )


@dataclass(frozen=True, slots=True, eq=False)
class EdgeCompatibility:
    """The model of some links, and the tables of all groups. L languages, G groups, w links."""

    source: NDArray[np.int32]  #: page that holds each link, ascending, shape (w,)
    target: NDArray[np.int32]  #: page that it leads to, shape (w,)
    kind: NDArray[np.uint8]  #: how it links, shape (w,)
    #: probability that the link's two pages share a language, shape (w,); (0,) where nothing will be explained
    p_same: NDArray[np.float32]
    coupling: NDArray[np.float32]  #: k above, the part of it that is on purpose, shape (w,)
    exclusion: NDArray[np.float32]  #: x above, shape (G, L)
    lean: NDArray[np.float32]  #: what each language adds to the log-odds of k, shape (G, L)
    source_marginal: NDArray[np.floating[Any]]  #: languages of pages that links lead from, shape (G, L)
    switch_to: NDArray[np.floating[Any]]  #: D above, shape (G, L)


def learn(  # noqa: PLR0917  all that it depends on
    links: Links,
    features: EdgeFeatures,
    host: NDArray[np.int32],
    label: NDArray[np.int16],
    sites: NDArray[np.float64],
    collection: NDArray[np.float64],
    length: NDArray[np.int32],
    *,
    given: CompatibilityModel | None = None,
) -> CompatibilityModel:
    """Learn how links bind languages.

    Args:
        links: all links of n pages, and perhaps of more that are left out.
        features: of these links.
        host: number of each page's host, 0..H-1, shape (n,).
        label: column of the language of each certain page, -1 for all others, shape (n,).
        sites: languages of the pages of each host, rows that sum to 1, shape (H, L).
        collection: languages of all pages, shape (L,).
        length: characters of each page's text, which tell pages apart, shape (n,).
        given: a model of the whole collection, of which these pages are a part: only what is particular to their hosts
            is fitted.
    """
    host, label, length = padded(host, links.n, len(sites)), padded(label, links.n, -1), padded(length, links.n, 0)
    sites = np.vstack([sites, collection])
    groups = len(sites)
    seen = draw_sample(links, label, host, length)
    a, b = label[links.source[seen]].astype(np.int64), label[links.target[seen]].astype(np.int64)
    group = group_of(links.source[seen], links.target[seen], host, groups - 1).astype(np.int64)
    of_whole = None if given is None else given.regressions
    regressions = fit_classes(links, features, seen, a == b, group, groups, of_whole)
    kept = p_same(regressions, links.kind[seen], features, seen, group)
    found = tables(a, b, group, sites, kept)
    usual = group_tables.usual_exclusion(found.votes) if given is None else given.usual
    return CompatibilityModel(
        features.longest, regressions, *of_languages(found, sites, usual, a, b, group, kept), usual
    )


AT_ONCE = 1 << 17  #: links, or pages, that one core works on at once
SAMPLE = 100_000  #: links that are learned from, at most


def draw_sample(
    links: Links, label: NDArray[np.int16], host: NDArray[np.int32], length: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Links between labelled pages, but those that are followed; of more than ``SAMPLE`` as good as random ones.

    Which those are depends on the degrees, languages and lengths of the pages and of the others of their hosts, not on
    any numbers. Links that nothing tells apart are taken or left together, up to as many again.

    Args:
        links: all links of n pages, and perhaps of more that are left out.
        label: column of the language of each certain page, -1 for all others, shape (n,).
        host: number of each page's host, shape (n,).
        length: characters of each page's text, shape (n,).

    Returns:
        numbers of links, ascending, shape (m,).
    """
    inside = slice(links.inside)  # no page that is left out is labelled
    degrees = links.outdegree().astype(np.int32), links.indegree().astype(np.int32)
    own = _mixed(np.zeros(links.inside, np.uint64), *degrees, label[inside], length[inside])
    of_host = np.zeros(int(host.max(initial=-1)) + 1, np.uint64)
    np.add.at(of_host, host[inside], own)
    key = np.zeros(links.n, np.uint64)
    key[inside] = _mixed(own, of_host[host[inside]])
    del own, degrees
    labelled, shown = label >= 0, followed(np.arange(256, dtype=np.uint8))
    drawn, found = np.zeros(0, np.uint64), np.zeros(0, np.int32)
    limit = [2**64 - 1]  # a thread may see an older one: what it draws too much is left out below all the same

    def draw(part: slice) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        return links.draw(part, labelled, shown, key, limit[0])

    for some, mixed in in_blocks(links.m, AT_ONCE, draw):
        drawn, found = np.concatenate([drawn, mixed]), np.concatenate([found, some])
        if len(found) > 2 * SAMPLE:
            limit[0] = int(np.partition(drawn, SAMPLE - 1)[SAMPLE - 1])
            few = np.flatnonzero(drawn <= limit[0])[: 2 * SAMPLE]
            drawn, found = drawn[few], found[few]
    if len(found) > SAMPLE:
        found = found[drawn <= np.partition(drawn, SAMPLE - 1)[SAMPLE - 1]]
    return found


def _mixed(key: NDArray[np.uint64], *columns: NDArray[Any]) -> NDArray[np.uint64]:
    """A hash of some numbers of each page."""
    mixed = key.copy()
    for at in range(0, len(mixed), AT_ONCE):
        part = mixed[at : at + AT_ONCE]
        for values in columns:
            part ^= values[at : at + AT_ONCE].astype(np.uint64)
            part *= np.uint64(0x9E3779B97F4A7C15)
            part ^= part >> np.uint64(29)
    return mixed


HOSTS_AT_ONCE = 4096  #: hosts whose tables are held at once


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


def learn_from_sample(
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
        keep: number of hosts in the model, the first ones.
    """
    sites = np.vstack([sites, collection])
    groups = len(sites)
    of_kind = link_classes()
    regressions: dict[int, Regression] = {}
    for number in sorted({0, *CLASSES.values()}):
        of_class = of_kind[sample.kind] == number
        few = sample.of(of_class & sample.usual)
        given = (few.features, few.kind, (few.a == few.b).astype(np.float64), few.group, groups, present)
        one = link_regressions.fit_class(*given)
        more = sample.of(of_class)
        if len(more.kind) > len(few.kind):  # hosts that are cut have more links than those of the sample
            offset = _log_odds_of_features(one, more) + one.of_kind[more.kind]
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
        p_same[some] = _log_odds_of_features(one, part) + one.of_kind[part.kind] + one.of_group[part.group]
    p_same = np.clip(sigmoid(p_same), link_regressions.LOWEST, link_regressions.HIGHEST)
    kept = np.append(np.arange(keep), groups - 1)
    counted = np.zeros(len(group_tables.EXCLUSIONS))
    blocks = []
    for at in range(0, groups, HOSTS_AT_ONCE):
        stop = min(at + HOSTS_AT_ONCE, groups)
        inside = np.flatnonzero((sample.group >= at) & (sample.group < stop))
        part = sample.of(inside)
        found = group_tables.tables(part.a, part.b, part.group - at, sites[at:stop], p_same[inside])
        counted += found.votes
        blocks.append(found.of(kept[(kept >= at) & (kept < stop)] - at, int(np.searchsorted(kept, at))))
    usual = group_tables.usual_exclusion(counted)
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
        *group_tables.of_languages(joined, sites[kept], usual, part.a, part.b, group, p_same[inside]),
        usual,
    )


def _log_odds_of_features(regression: Regression, sample: Sample) -> NDArray[np.float64]:
    """What the features add to the log-odds, as the kernel works it out."""
    scaled = (sample.features - regression.mean) / regression.deviation
    clipped = np.clip(scaled, -link_regressions.STEEPEST, link_regressions.STEEPEST)
    return np.asarray((clipped.astype(np.float64) @ regression.weights).astype(np.float32), np.float64)
