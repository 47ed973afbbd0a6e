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
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.features import NAMES, Shape
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
BLOCK = 1_000_000  #: links that are worked on at once
STEEPEST = 4.0  #: standardised features beyond are cut, as in the kernel
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
    wanted: NDArray[np.int32],
    host: NDArray[np.int32],
    label: NDArray[np.int16],
    sites: NDArray[np.float64],
    collection: NDArray[np.float64],
    length: NDArray[np.int32],
) -> Couplings:
    """Learn how links bind languages, and say it of the wanted links.

    Args:
        links: all links.
        wanted: numbers of the links to be described, shape (w,).
        host: number of each page's host, 0..H-1, shape (n,).
        label: language of each page whose text is long enough to be trusted, -1 for all others, shape (n,).
        sites: languages of the pages of each host, rows that sum to 1, shape (H, L).
        collection: languages of all pages, shape (L,).
        length: characters of each page's text, which tell pages apart, shape (n,).
    """
    sites = np.vstack([sites, collection])
    groups = len(sites)
    seen = _sample(links, label, host, length)
    a, b = label[links.source[seen]].astype(np.int64), label[links.target[seen]].astype(np.int64)
    home = _group(links, seen, host, groups - 1)
    same = a == b
    odds = _Odds(links, Shape(links, wanted), seen, same, home, groups)
    flat = np.sqrt(sites)
    flat /= flat.sum(axis=1, keepdims=True)
    sources = _table(home, a, sites, flat)
    different = _table(home[~same], b[~same], sites, flat)
    exclusive, chance = _exclusivity(odds.keeps(seen, home), home, a, b, sources, different)
    every = np.empty(len(wanted), np.int32)
    keeps, bond = (np.empty(len(wanted), np.float32) for _ in range(2))
    for at in range(0, len(wanted), BLOCK):
        part = slice(at, at + BLOCK)
        every[part] = _group(links, wanted[part], host, groups - 1)
        keeps[part] = odds.keeps(wanted[part], every[part])
        bond[part] = _bond(keeps[part], chance[every[part]])
        shown = followed(links.kind[wanted[part]])
        keeps[part][shown] = bond[part][shown] = HIGHEST
    return Couplings(keeps, bond, every, exclusive, sources, different)


class _Odds:
    """A regression for each lot: how likely a link keeps the language, from its shape, its kind and its group."""

    def __init__(  # noqa: PLR0917  internal, called once
        self,
        links: Links,
        shape: Shape,
        seen: NDArray[np.int32],
        same: NDArray[np.bool_],
        home: NDArray[np.int64],
        groups: int,
    ) -> None:
        self.links, self.shape = links, shape
        present = _present(links.kind)
        self.lot = np.zeros(256, np.uint8)
        self.lot[list(LOTS)] = list(LOTS.values())
        self.lots = {}
        for number in np.unique(self.lot[present]):
            known = np.flatnonzero(self.lot[links.kind[seen]] == number)
            self.lots[number] = self._fit(present, seen[known], same[known], home[known], groups)

    def _fit(
        self,
        present: NDArray[np.bool_],
        seen: NDArray[np.int32],
        same: NDArray[np.bool_],
        home: NDArray[np.int64],
        groups: int,
    ) -> tuple[tuple[NDArray[Any], ...], NDArray[np.float64], NDArray[np.float64]]:
        """What ``Shape.odds`` is to be given, what each kind adds to that, and what each group does."""
        chance = np.full(256, PRIOR_ELSE)
        chance[list(PRIOR)] = list(PRIOR.values())
        usual = np.log(chance / (1 - chance))
        of_kind = (np.arange(256)[:, None] == np.flatnonzero(present)[1:]).astype(np.float32)
        kind = self.links.kind[seen]
        design = np.column_stack([self.shape.features(seen), of_kind[kind]])
        if len(seen):
            middle, width = design.mean(0), design.std(0) + np.float32(1e-3)
        else:
            middle, width = np.zeros(design.shape[1], np.float32), np.ones(design.shape[1], np.float32)
        scaled = np.clip((design - middle) / width, -STEEPEST, STEEPEST)
        intercept, weights, of_group = fit(scaled, same.astype(np.float64), usual[kind], home, groups)
        shapes = len(NAMES)
        by_kind = np.clip((of_kind - middle[shapes:]) / width[shapes:], -STEEPEST, STEEPEST) @ weights[shapes:]
        return (middle[:shapes], width[:shapes], weights[:shapes]), usual + intercept + by_kind, of_group

    def keeps(self, numbers: NDArray[np.int32], group: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Chance that links keep the language, shape (w,)."""
        kind = self.links.kind[numbers]
        lot = self.lot[kind]
        odds = np.empty(len(numbers))
        for number, (given, of_kind, of_group) in self.lots.items():
            some = np.flatnonzero(lot == number)
            odds[some] = self.shape.odds(numbers[some], *given) + of_kind[kind[some]] + of_group[group[some]]
        return np.clip(sigmoid(odds), LOWEST, HIGHEST)


def followed(kind: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Whether links are of a kind whose target stands for the source."""
    shown = np.zeros(256, bool)
    shown[list(FOLLOWED)] = True
    return shown[kind]


def _group(links: Links, numbers: NDArray[np.int32], host: NDArray[np.int32], between: int) -> NDArray[np.int64]:
    home = host[links.source[numbers]].astype(np.int64)
    return np.where(home == host[links.target[numbers]], home, between)


def _sample(
    links: Links, label: NDArray[np.int16], host: NDArray[np.int32], length: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Links between labelled pages, but those that are followed; of more than ``SAMPLE`` as good as random ones.

    Which those are depends on the degrees, languages and lengths of the pages and of the others of their hosts, not on
    any numbers. Links that nothing tells apart are taken or left together, up to as many again.
    """
    key = _mixed(np.zeros(links.n, np.uint64), links.outdegree(), links.indegree(), label, length)
    of_host = np.zeros(int(host.max(initial=-1)) + 1, np.uint64)
    np.add.at(of_host, host, key)
    key = _mixed(key, of_host[host])
    labelled = label >= 0
    drawn, found = np.zeros(0, np.uint64), np.zeros(0, np.int32)
    for at in range(0, links.m, BLOCK):
        source, target = links.source[at : at + BLOCK], links.target[at : at + BLOCK]
        shown = followed(links.kind[at : at + BLOCK])
        part = np.flatnonzero(labelled[source] & labelled[target] & ~shown)
        mixed = (key[source[part]] * np.uint64(3) ^ key[target[part]]) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
        drawn, found = np.concatenate([drawn, mixed]), np.concatenate([found, (part + at).astype(np.int32)])
        if len(found) > SAMPLE:
            few = np.flatnonzero(drawn <= np.partition(drawn, SAMPLE - 1)[SAMPLE - 1])[: 2 * SAMPLE]
            drawn, found = drawn[few], found[few]
    return np.sort(found)


def _mixed(key: NDArray[np.uint64], *columns: NDArray[Any]) -> NDArray[np.uint64]:
    """A hash of some numbers of each page."""
    for values in columns:
        key = (key ^ values.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
    return key


def _present(kind: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which kinds of links there are, shape (256,)."""
    present = np.zeros(256, bool)
    for at in range(0, len(kind), BLOCK):
        present[kind[at : at + BLOCK]] = True
    return present


def _table(
    home: NDArray[np.int64], language: NDArray[np.int64], sites: NDArray[np.float64], flat: NDArray[np.float64]
) -> NDArray[np.float64]:
    hosts, languages = sites.shape
    counts = np.bincount(home * languages + language, minlength=hosts * languages).reshape(hosts, languages)
    table = (counts + PSEUDO * sites) / (counts.sum(axis=1, keepdims=True) + PSEUDO)
    return np.asarray((1 - SMOOTH) * table + SMOOTH * flat)


def _exclusivity(  # noqa: PLR0917  internal, called once
    keeps: NDArray[np.float64],
    home: NDArray[np.int64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    sources: NDArray[np.float64],
    different: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Choose x of each host by the likelihood of the links seen there; and how often chance keeps a language."""
    hosts = len(sources)
    fits, chances = np.zeros((len(EXCLUSIVE), hosts)), np.zeros((len(EXCLUSIVE), hosts))
    here, elsewhere = different[home, a], different[home, b]
    for i, x in enumerate(EXCLUSIVE):
        chances[i] = (sources * different * (1 - x) / (1 - x * different + 1e-12)).sum(axis=1)
        k = _bond(keeps, chances[i][home])
        likelihood = k * (a == b) + (1 - k) * elsewhere * (1 - x * (a == b)) / (1 - x * here + 1e-12)
        fits[i] = np.bincount(home, np.log(likelihood + 1e-12), minlength=hosts)
    best = np.round(fits + POOLED * fits.sum(axis=1, keepdims=True) / hosts, 6).argmax(axis=0)
    return np.array(EXCLUSIVE)[best], np.take_along_axis(chances, best[None], 0)[0]


def _bond(keeps: NDArray[np.floating[Any]], chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often a link keeps the language on purpose, if it does so in all, and by chance otherwise."""
    return np.asarray(np.clip((keeps - chance) / (1 - chance), 0, HIGHEST))
