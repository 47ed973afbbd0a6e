"""What links between certain pages show of each group of links: the languages at their ends, and what is so by chance.

A group is a host's links to itself; links between hosts are one more, the last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.propagation.edges import by_language
from graphlang.graph.propagation.edges.link_regressions import HIGHEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

GROUPS = 1 << 14  #: groups whose tables are worked out at once
PSEUDO = 5.0  #: links' worth of the host's page languages in its tables
SMOOTH = 0.3  #: share of a flatter distribution in them: the rare must not look rarer than they are


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
