"""How a link binds the languages of its two pages, learned from the collection itself.

No gold label is needed: links between two pages whose text is long enough show how often a link keeps the language, and
what the languages are where it does not. A logistic regression carries that over to the links of short pages: from the
shape of the graph around the link (``features``), its kind, and an intercept for each host, all shrunk towards what is
usual on the web (Hayati 2004, section 5.3: 95 % of links keep the language) where a host has few such links.

For a link e from page s to page t the model is

    P(t = b | s = a) = k [a = b] + (1 - k) D(b) (1 - x [a = b]) / (1 - x D(a))

with k the share of links that keep the language on purpose, D the languages that links which do not keep it lead to
on this host (often one: every page links to untranslated English pages), and x how far the latter avoid the language of
their own page (1: a switcher lists only *other* languages: a neighbour's language is evidence *against* one's own).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.features import Shape
from graphlang.graph.logistic import fit, sigmoid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.matrix import Links

#: How often a link keeps the language before anything was seen, by kind (numbers of ``graphlang.db.records.LinkKind``).
PRIOR = {1: 0.98, 2: 0.98, 3: 0.97, 4: 0.98, 5: 0.9, 6: 0.1, 7: 0.9, 8: 0.9}
PRIOR_ELSE = 0.9
#: Kinds that are learned apart, each with the number of its lot: that a site's anchors keep the language says nothing
#: of its canonical links (kind 3) and of those to its translations (6).
LOTS = {3: 1, 6: 2}
#: Redirects, refreshes and frames: what a reader of the source sees is the target. That is not learned, for the sources
#: have hardly any text, and a site whose anchors switch the language says nothing of its redirects.
FOLLOWED = (1, 2, 4)
BLOCK = 500_000  #: links whose features are held at once
SAMPLE = 100_000  #: links that the regression is fitted on, at most
EXCLUSIVE = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)  #: values of x that are tried
LOWEST, HIGHEST = 0.005, 0.98  #: no link is surer than this
PSEUDO = 5.0  #: links' worth of the host's page languages in its tables
SMOOTH = 0.3  #: share of a flatter distribution in them: the rare must not look rarer than they are
POOLED = 0.1  #: how far the other hosts help to choose a host's x


@dataclass(frozen=True, slots=True, eq=False)
class Couplings:
    """The model of every link that matters, and the tables of every group. L languages, H hosts, w links.

    The links within a host are a group, and those between hosts are one more, number H. The languages that a host's
    pages have are no news to its own pages, but they are to others: were links between hosts told by the tables of
    their source, a site in one language could say nothing of the pages that it links to elsewhere.
    """

    keeps: NDArray[np.float32]  #: chance that the link's two pages share a language, shape (w,)
    bond: NDArray[np.float32]  #: k above: kept on purpose, shape (w,)
    group: NDArray[np.int32]  #: the host of both ends, or H, shape (w,)
    exclusive: NDArray[np.float64]  #: x above, shape (H + 1,)
    sources: NDArray[np.float64]  #: languages of pages that links lead from, shape (H + 1, L)
    different: NDArray[np.float64]  #: D above, shape (H + 1, L)


def learn(  # noqa: PLR0917  internal, called once
    links: Links,
    wanted: NDArray[np.int64],
    host: NDArray[np.int32],
    label: NDArray[np.int16],
    sites: NDArray[np.float64],
    collection: NDArray[np.float64],
) -> Couplings:
    """Learn how links bind languages, and say it of the wanted links.

    Args:
        links: all links.
        wanted: numbers of the links to be described, shape (w,).
        host: number of each page's host, 0..H-1, shape (n,).
        label: language of each page whose text is long enough to be trusted, -1 for all others, shape (n,).
        sites: languages of the pages of each host, rows that sum to 1, shape (H, L).
        collection: languages of all pages, shape (L,).
    """
    sites = np.vstack([sites, collection])
    groups = len(sites)
    shown = followed(links.kind)
    seen = np.flatnonzero((label[links.source] >= 0) & (label[links.target] >= 0) & ~shown)
    if len(seen) > SAMPLE:
        seen = _sample(links, label, seen)
    a, b = label[links.source[seen]].astype(np.int64), label[links.target[seen]].astype(np.int64)
    home = _group(links, seen, host, groups - 1)
    same = a == b
    both = np.concatenate([seen, wanted])
    every = _group(links, both, host, groups - 1)
    keeps = _keeps(links, both, every, same, groups)
    keeps[shown[both]] = HIGHEST
    flat = np.sqrt(sites)
    flat /= flat.sum(axis=1, keepdims=True)
    sources = _table(home, a, sites, flat)
    different = _table(home[~same], b[~same], sites, flat)
    exclusive, bond = _exclusivity(keeps, every, home, a, b, sources, different)
    bond[shown[both]] = HIGHEST
    return Couplings(
        keeps[len(seen) :].astype(np.float32),
        bond[len(seen) :].astype(np.float32),
        every[len(seen) :].astype(np.int32),
        exclusive,
        sources,
        different,
    )


def _keeps(
    links: Links, both: NDArray[np.int64], group: NDArray[np.int64], same: NDArray[np.bool_], groups: int
) -> NDArray[np.float64]:
    """Chance that each link keeps the language; the first links are those that are known to, or not to (``same``)."""
    shape = Shape(links, both)
    lots = np.zeros(256, np.uint8)
    lots[list(LOTS)] = list(LOTS.values())
    lot = lots[links.kind[both]]
    keeps = np.empty(len(both))
    for number in np.unique(lot):
        known = np.flatnonzero(lot[: len(same)] == number)
        design, usual = _design(links, shape, both[known])
        middle, width = (design.mean(0), design.std(0) + 1e-3) if len(known) else (np.zeros(1), np.ones(1))
        features = np.clip((design - middle) / width, -4, 4)
        model = fit(features, same[known].astype(np.float64), usual, group[known], groups)
        for at in range(0, len(both), BLOCK):  # the features of all links at once would not fit
            some = at + np.flatnonzero(lot[at : at + BLOCK] == number)
            design, usual = _design(links, shape, both[some])
            scores = np.clip((design - middle) / width, -4, 4) @ model[1] if len(known) else 0.0
            keeps[some] = sigmoid(usual + model[0] + scores + model[2][group[some]])
    return np.clip(keeps, LOWEST, HIGHEST)


def followed(kind: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether links are of a kind whose target stands for the source."""
    return np.isin(kind, FOLLOWED)


def _group(links: Links, numbers: NDArray[np.int64], host: NDArray[np.int32], between: int) -> NDArray[np.int64]:
    home = host[links.source[numbers]].astype(np.int64)
    return np.where(home == host[links.target[numbers]], home, between)


def _design(links: Links, shape: Shape, numbers: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Features of the links with a column for each kind, and the log-odds that are usual for the kind."""
    kinds = np.unique(links.kind)
    kind = links.kind[numbers]
    columns = [(kind == value).astype(np.float32) for value in kinds[1:]]
    chance = np.full(256, PRIOR_ELSE)
    chance[list(PRIOR)] = list(PRIOR.values())
    return np.column_stack([shape.features(numbers), *columns]), np.log(chance / (1 - chance))[kind]


def _sample(links: Links, label: NDArray[np.int16], seen: NDArray[np.int64]) -> NDArray[np.int64]:
    """A sample of links, as good as random, that depends on the pages' degrees and languages, not their numbers."""
    key = np.zeros(links.n, np.uint64)
    for values in (links.outdegree(), links.indegree(), label.astype(np.int64)):
        key = (key ^ values.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    mixed = (key[links.source[seen]] * np.uint64(3) ^ key[links.target[seen]]) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return np.sort(seen[np.argpartition(mixed, SAMPLE)[:SAMPLE]])


def _table(
    home: NDArray[np.int64], language: NDArray[np.int64], sites: NDArray[np.float64], flat: NDArray[np.float64]
) -> NDArray[np.float64]:
    hosts, languages = sites.shape
    counts = np.bincount(home * languages + language, minlength=hosts * languages).reshape(hosts, languages)
    table = (counts + PSEUDO * sites) / (counts.sum(axis=1, keepdims=True) + PSEUDO)
    return np.asarray((1 - SMOOTH) * table + SMOOTH * flat)


def _exclusivity(  # noqa: PLR0917  internal, called once
    keeps: NDArray[np.float64],
    every: NDArray[np.int64],
    home: NDArray[np.int64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    sources: NDArray[np.float64],
    different: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Choose x of each host by the likelihood of the links seen there, and k of each link to go with it."""
    seen, hosts = len(home), len(sources)
    fits, chances = np.zeros((len(EXCLUSIVE), hosts)), np.zeros((len(EXCLUSIVE), hosts))
    here, elsewhere = different[home, a], different[home, b]
    for i, x in enumerate(EXCLUSIVE):
        chances[i] = (sources * different * (1 - x) / (1 - x * different + 1e-12)).sum(axis=1)
        k = _bond(keeps[:seen], chances[i][home])
        likelihood = k * (a == b) + (1 - k) * elsewhere * (1 - x * (a == b)) / (1 - x * here + 1e-12)
        fits[i] = np.bincount(home, np.log(likelihood + 1e-12), minlength=hosts)
    best = np.round(fits + POOLED * fits.sum(axis=1, keepdims=True) / hosts, 6).argmax(axis=0)
    chance = np.take_along_axis(chances, best[None], 0)[0]
    return np.array(EXCLUSIVE)[best], _bond(keeps, chance[every])


def _bond(keeps: NDArray[np.float64], chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often a link keeps the language on purpose, if it does so in all, and by chance otherwise."""
    return np.asarray(np.clip((keeps - chance) / (1 - chance), 0, HIGHEST))
