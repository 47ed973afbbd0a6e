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
the source's language (``by_language``).

Links within a host are a group, and links between hosts are one more, the last. The languages that a host's pages have
are no news to its own pages, but they are to others: were links between hosts told by the tables of their source, a
site in one language could say nothing of the pages that it links to elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.adjacency import padded
from graphlang.graph.propagation.edges import by_language
from graphlang.graph.propagation.edges.edge_features import NAMES
from graphlang.graph.propagation.edges.random_intercept_logistic import fit, fit_intercepts, sigmoid
from graphlang.native.kernels import Kernels
from graphlang.native.threads import in_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Ends, Links
    from graphlang.graph.propagation.edges.edge_features import EdgeFeatures

_kernels = Kernels("graphlang.graph.native._couplings")

#: How often a link keeps the language before anything was seen, by kind (numbers of ``graphlang.db.records.LinkKind``).
PRIOR = {1: 0.98, 2: 0.98, 3: 0.97, 4: 0.98, 5: 0.9, 6: 0.1, 7: 0.9, 8: 0.9}
PRIOR_ELSE = 0.9
#: Link-kind classes: kinds that are learned apart, each with the number of its class, the others being class 0. That a
#: site's anchors keep the language says nothing of its canonical links (kind 3) and of those to its translations (6).
CLASSES = {3: 1, 6: 2}
#: Redirects, refreshes and frames: what a reader of the source sees is the target. That is not learned, for the sources
#: have hardly any text, and a site whose anchors switch the language says nothing of its redirects.
FOLLOWED = (1, 2, 4)
BLOCK = 1 << 17  #: links or pages that one core works on at once
FEW = 1 << 14  #: the same, of the sample
GROUPS = 1 << 14  #: groups whose tables are worked out at once
STEEPEST = 4.0  #: standardised features beyond are cut, as in the kernel
SAMPLE = 100_000  #: links that the regression is fitted on, at most
LOWEST, HIGHEST = 0.005, 0.98  #: no link is surer than this
PSEUDO = 5.0  #: links' worth of the host's page languages in its tables
SMOOTH = 0.3  #: share of a flatter distribution in them: the rare must not look rarer than they are


@dataclass(frozen=True, slots=True, eq=False)
class Regression:
    """Log-odds that links of one link-kind class keep the language; G groups."""

    mean: NDArray[np.float32]  #: of the features, shape (14,)
    deviation: NDArray[np.float32]  #: shape (14,)
    weights: NDArray[np.float64]  #: shape (14,)
    of_kind: NDArray[np.float64]  #: log-odds that each kind adds, shape (256,)
    of_group: NDArray[np.float64]  #: and each group, shape (G,)


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
        ends: Ends,
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

        of_kinds = class_of()
        classes = range(int(of_kinds.max()) + 1)
        of_kind = np.choose(of_kinds, [self.regressions[number].of_kind for number in classes])
        of_group = np.stack([self.regressions[number].of_group for number in classes])
        shown = followed(np.arange(256, dtype=np.uint8))

        def fill(part: slice) -> None:
            numbers = wanted[part]
            told = _by_features(self.regressions, ends.kind[part], features, numbers)
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
    seen = _sample(links, label, host, length)
    a, b = label[links.source[seen]].astype(np.int64), label[links.target[seen]].astype(np.int64)
    group = group_of(links.source[seen], links.target[seen], host, groups - 1).astype(np.int64)
    same = a == b
    regressions = _regressions(links, features, seen, same, group, groups, given)
    p_same = np.empty(len(seen))

    def fill(part: slice) -> None:
        p_same[part] = _p_same(regressions, links.kind[seen[part]], features, seen[part], group[part])

    list(in_blocks(len(seen), FEW, fill))
    found = tables(a, b, group, sites, p_same)
    usual = by_language.usual_exclusion(found.votes) if given is None else given.usual
    return CompatibilityModel(features.longest, regressions, *of_languages(found, usual, a, b, group, p_same), usual)


def of_languages(  # noqa: PLR0917  all that it depends on
    counted: GroupTables,
    usual: NDArray[np.float64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    group: NDArray[np.int64],
    p_same: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]:
    """Source marginal, D, exclusion, lean and ``by_chance`` of all groups, as ``CompatibilityModel`` has them.

    Args:
        counted: what links between certain pages show of each group.
        usual: distribution of the exclusion over the languages of all hosts, shape (7,).
        a: language of the source of each of these links, shape (m,).
        b: language of its target, shape (m,).
        group: of each link, shape (m,).
        p_same: how likely each link keeps the language, shape (m,).
    """
    source_marginal, switch_to = counted.source_marginal, counted.switch_to
    groups, languages = switch_to.shape
    x = by_language.exclusions(counted.pair, counted.fits, usual, groups, languages)
    by_chance = _by_chance(source_marginal, switch_to, x)
    chance = kept_by_chance(switch_to[group, a], x[group, a])
    coupling = _coupling(p_same, by_chance[group])
    lean = by_language.leans(coupling, a == b, chance, group * languages + a, groups, languages)
    return source_marginal, switch_to, x, lean, by_chance


def kept_by_chance(switch_to: NDArray[np.float64], exclusion: NDArray[np.floating[Any]] | float) -> NDArray[np.float64]:
    """How often a link that does not keep the language on purpose keeps it all the same.

    Args:
        switch_to: D of the language.
        exclusion: x of the language.
    """
    return np.asarray(switch_to * (1 - exclusion) / (1 - exclusion * switch_to + by_language.CHANCE), np.float64)


def _regressions(  # noqa: PLR0917  internal
    links: Links,
    features: EdgeFeatures,
    seen: NDArray[np.int32],
    same: NDArray[np.bool_],
    group: NDArray[np.int64],
    groups: int,
    given: CompatibilityModel | None,
) -> dict[int, Regression]:
    """A regression for each link-kind class: how likely a link keeps the language."""
    present = links.kinds()
    of_kind = class_of()
    found = {}
    for number in sorted({0, *CLASSES.values()}):
        known = np.flatnonzero(of_kind[links.kind[seen]] == number)
        kind, outcome = links.kind[seen[known]], same[known].astype(np.float64)
        if given is not None:
            one = given.regressions[number]
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


def _by_features(
    regressions: Mapping[int, Regression], kind: NDArray[np.uint8], features: EdgeFeatures, numbers: NDArray[np.int32]
) -> NDArray[np.float32]:
    """What the features of links of some kinds add to the log-odds that they keep the language, shape (w,)."""
    link_class = class_of().take(kind)
    of_all = np.flatnonzero(np.bincount(link_class)).tolist()
    told = np.empty(len(numbers), np.float32)
    for number in of_all:
        one = regressions[number]
        some = slice(None) if len(of_all) == 1 else np.flatnonzero(link_class == number)
        told[some] = features.log_odds(numbers[some], one.mean, one.deviation, one.weights)
    return told


def _p_same(
    regressions: Mapping[int, Regression],
    kind: NDArray[np.uint8],
    features: EdgeFeatures,
    numbers: NDArray[np.int32],
    group: NDArray[np.integer[Any]],
) -> NDArray[np.float64]:
    """How likely links of the sample keep the language, as the kernel of ``of_links`` works it out, shape (w,)."""
    link_class, log_odds = class_of().take(kind), _by_features(regressions, kind, features, numbers).astype(np.float64)
    for number in np.flatnonzero(np.bincount(link_class)).tolist():
        some, one = np.flatnonzero(link_class == number), regressions[number]
        log_odds[some] = log_odds[some] + one.of_kind.take(kind[some]) + one.of_group.take(group[some])
    return np.clip(sigmoid(log_odds), LOWEST, HIGHEST)


def class_of() -> NDArray[np.uint8]:
    """The link-kind class of each kind, shape (256,)."""
    found = np.zeros(256, np.uint8)
    found[list(CLASSES)] = list(CLASSES.values())
    return found


def followed(kind: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether links are of a kind whose target stands for the source."""
    shown = np.zeros(256, bool)
    shown[list(FOLLOWED)] = True
    return shown[kind]


def group_of(
    source: NDArray[np.int32], target: NDArray[np.int32], host: NDArray[np.int32], between: int
) -> NDArray[np.int32]:
    """The group of each link: the host of both its ends, or that of all links between hosts.

    Args:
        source: page that holds each link, shape (m,).
        target: page that it leads to, shape (m,).
        host: of each page, shape (n,).
        between: the group of links between hosts.
    """
    home = host.take(source)
    home[home != host.take(target)] = between
    return home


def _sample(
    links: Links, label: NDArray[np.int16], host: NDArray[np.int32], length: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Links between labelled pages, but those that are followed; of more than ``SAMPLE`` as good as random ones.

    Which those are depends on the degrees, languages and lengths of the pages and of the others of their hosts, not on
    any numbers. Links that nothing tells apart are taken or left together, up to as many again.
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
        return links.drawn(part, labelled, shown, key, limit[0])

    for some, mixed in in_blocks(links.m, BLOCK, draw):
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
    for at in range(0, len(mixed), BLOCK):
        part = mixed[at : at + BLOCK]
        for values in columns:
            part ^= values[at : at + BLOCK].astype(np.uint64)
            part *= np.uint64(0x9E3779B97F4A7C15)
            part ^= part >> np.uint64(29)
    return mixed


@dataclass(frozen=True, slots=True, eq=False)
class GroupTables:
    """What links between certain pages show of each group; L languages, G groups, p pairs of a group and a language."""

    source_marginal: NDArray[np.float64]  #: languages of pages that links lead from, shape (G, L)
    switch_to: NDArray[np.float64]  #: D above, shape (G, L)
    pair: NDArray[np.int64]  #: group x L + language of those that links lead from, ascending, shape (p,)
    fits: NDArray[np.float64]  #: log-likelihood of these links by each of ``by_language.EXCLUSIONS``, shape (7, p)

    @property
    def votes(self) -> NDArray[np.float64]:
        """How many pairs are for each exclusion, shape (7,)."""
        return by_language.votes(self.fits)

    def of(self, groups: NDArray[np.int64], first: int) -> GroupTables:
        """Those of some groups, ascending, numbered anew.

        Args:
            groups: numbers of the groups, shape (g,).
            first: new number of the first of them.
        """
        home, language = np.divmod(self.pair, self.switch_to.shape[1])
        some = np.flatnonzero(np.isin(home, groups))
        number = first + np.searchsorted(groups, home[some])
        pair = number * self.switch_to.shape[1] + language[some]
        return GroupTables(self.source_marginal[groups], self.switch_to[groups], pair, self.fits[:, some])


def tables(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    group: NDArray[np.int64],
    sites: NDArray[np.float64],
    p_same: NDArray[np.float64],
) -> GroupTables:
    """Count what links between certain pages show.

    Args:
        a: language of the source of each link, shape (m,).
        b: language of its target, shape (m,).
        group: of each link, shape (m,).
        sites: languages of the pages of each group, rows that sum to 1, shape (G, L).
        p_same: how likely each link keeps the language, shape (m,).
    """
    same = a == b
    source_marginal = _table(group, a, sites)
    switch_to = _table(group[~same], b[~same], sites)
    return GroupTables(source_marginal, switch_to, *_fits(p_same, group, a, b, source_marginal, switch_to))


def _table(group: NDArray[np.int64], language: NDArray[np.int64], sites: NDArray[np.float64]) -> NDArray[np.float64]:
    """Languages of the links of each group, shrunk towards those of its pages; shape (G, L)."""
    groups, languages = sites.shape
    counted = np.bincount(group * languages + language, minlength=groups * languages).reshape(groups, languages)
    table = np.empty(sites.shape)
    for at in range(0, groups, GROUPS):  # whole tables in between would be several times what comes out
        part = slice(at, at + GROUPS)
        counts, flat = counted[part], np.sqrt(sites[part])
        flat /= flat.sum(axis=1, keepdims=True)
        shrunk = (counts + PSEUDO * sites[part]) / (counts.sum(axis=1, keepdims=True) + PSEUDO)
        table[part] = (1 - SMOOTH) * shrunk + SMOOTH * flat
    return table


def _by_chance(
    source_marginal: NDArray[np.float64], switch_to: NDArray[np.float64], exclusion: NDArray[np.float32] | float
) -> NDArray[np.float64]:
    """How often a link of each group that switches keeps the language all the same, shape (G,)."""
    found = np.empty(len(switch_to))
    for at in range(0, len(found), GROUPS):
        part = slice(at, at + GROUPS)
        x = exclusion if isinstance(exclusion, float) else exclusion[part]
        found[part] = (source_marginal[part] * kept_by_chance(switch_to[part], x)).sum(axis=1)
    return found


def _fits(  # noqa: PLR0917  internal
    p_same: NDArray[np.float64],
    group: NDArray[np.int64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    source_marginal: NDArray[np.float64],
    switch_to: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Pairs of a group and a language, and log-likelihood of their links by each of ``EXCLUSIONS``, less a constant."""
    pair, place = np.unique(group * switch_to.shape[1] + a, return_inverse=True)
    fits = np.empty((len(by_language.EXCLUSIONS), len(pair)))
    same, here = a == b, switch_to[group, a]
    for i, x in enumerate(by_language.EXCLUSIONS):
        k = _coupling(p_same, _by_chance(source_marginal, switch_to, x)[group])
        switched = (1 - k) / (1 - x * here + by_language.CHANCE)
        likelihood = np.where(same, k + switched * here * (1 - x), switched)  # times D(b), whatever x
        fits[i] = np.bincount(place, np.log(likelihood + by_language.CHANCE), minlength=len(pair))
    return pair, fits


def _coupling(p_same: NDArray[np.floating[Any]], by_chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often a link keeps the language on purpose, if it does so in all, and by chance otherwise."""
    return np.asarray(np.clip((p_same - by_chance) / (1 - by_chance), 0, HIGHEST))
