"""What links between certain pages show of each group of links: the languages at their ends, and what is so by chance.

A group is a host's links to itself; links between hosts are one more, the last. Not all languages of a host do the
same. Where a site is written in one language first, all of its pages in that language link to such pages, and half of
those in a rare language do. A menu with two kinds of Chinese names the language of its own page there, nowhere else.
So the exclusion x and the coupling k of ``compatibility`` are those of the source's language a:

    x(a) = sum over EXCLUSIONS of x P(x | links from a), the host's languages drawing theirs from one distribution
    log-odds of k(a) = log-odds of k + lean(a), lean(a) ~ N(0, VARIANCE)

Both are learned from the links of certain pages alone, and both fall back to what is usual where a language has few
links: the distribution of x to that of the host's other languages, which falls back to the collection's; the lean to 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.propagation.link_regressions import HIGHEST
from graphlang.numerics import softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

GROUPS = 1 << 14  #: groups whose tables are worked out at once
PSEUDO = 5.0  #: links' worth of the host's page languages in its tables
#: Share of a flatter distribution in the tables of messages: else neighbours on a site in one language say nothing.
SMOOTH = 0.2


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
    fits: NDArray[np.float64]  #: log-likelihood of these links by each of ``EXCLUSIONS``, shape (7, p)

    @property
    def votes(self) -> NDArray[np.float64]:
        """How many pairs are for each exclusion, shape (7,)."""
        return votes(self.fits)

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
    """Count the languages at the ends of links between certain pages.

    Args:
        a: language of the source of each link, shape (m,).
        b: language of its target, shape (m,).
        group: of each link, shape (m,).
        sites: languages of the pages of each group, rows that sum to 1, shape (G, L).
        p_same: how likely each link keeps the language, shape (m,).
    """
    source_marginal = _table(group, a, sites)
    switch_to = _switch_table(a, b, group, sites, p_same, source_marginal)
    return GroupTables(source_marginal, switch_to, *_fits(p_same, group, a, b, source_marginal, switch_to))


def _switch_table(  # noqa: PLR0917  internal
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    group: NDArray[np.int64],
    sites: NDArray[np.float64],
    p_same: NDArray[np.float64],
    source_marginal: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Estimate D of each group by expectation and maximisation, shape (G, L).

    A menu on all pages links all of them: most of its links keep the commonest language of the site by chance. Without
    these D would lack that language, and k would be high for the rare ones.
    """
    same = a == b
    switch_to = _table(group[~same], b[~same], sites, flat=True)
    both = np.intersect1d(group[same], group[~same])  # without a link of each kind there is nothing to tell apart
    some = np.flatnonzero(np.isin(group, both))
    place, same, b, p_same = np.searchsorted(both, group[some]), same[some], b[some], p_same[some]
    source_marginal, sites, table = source_marginal[both], sites[both], switch_to[both]
    for _ in range(PASSES if len(both) else 0):  # no early end: it would depend on the other groups
        k = _coupling(p_same, _by_chance(source_marginal, table, 0.0)[place])
        by_chance = (1 - k) * table[place, b]
        weight = np.where(same, by_chance / (k + by_chance + CHANCE), 1.0)
        table = _table(place, b, sites, weight, flat=True)
    switch_to[both] = table
    return switch_to


def of_languages(  # noqa: PLR0917  all that it depends on
    counted: GroupTables,
    sites: NDArray[np.float64],
    usual: NDArray[np.float64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    group: NDArray[np.int64],
    p_same: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]:
    """Source marginal, D, exclusion, lean and ``by_chance`` of all groups, as ``CompatibilityModel`` has them.

    Args:
        counted: what links between certain pages show of each group.
        sites: languages of the pages of each group, rows that sum to 1, shape (G, L).
        usual: distribution of the exclusion over the languages of all hosts, shape (7,).
        a: language of the source of each of these links, shape (m,).
        b: language of its target, shape (m,).
        group: of each link, shape (m,).
        p_same: how likely each link keeps the language, shape (m,).
    """
    source_marginal, switch_to = counted.source_marginal, counted.switch_to
    groups, languages = switch_to.shape
    x = exclusions(counted.pair, counted.fits, usual, groups, languages)
    by_chance = _by_chance(source_marginal, switch_to, x)
    chance = kept_by_chance(switch_to[group, a], x[group, a])
    coupling = _coupling(p_same, by_chance[group])
    lean = leans(coupling, a == b, chance, group * languages + a, groups, languages)
    return _smoothed(source_marginal, sites), _smoothed(switch_to, sites), x, lean, by_chance


def kept_by_chance(switch_to: NDArray[np.float64], exclusion: NDArray[np.floating[Any]] | float) -> NDArray[np.float64]:
    """How often a link that does not keep the language on purpose keeps it all the same.

    Args:
        switch_to: D of the language.
        exclusion: x of the language.
    """
    return np.asarray(switch_to * (1 - exclusion) / (1 - exclusion * switch_to + CHANCE), np.float64)


def _table(
    group: NDArray[np.int64],
    language: NDArray[np.int64],
    sites: NDArray[np.float64],
    weight: NDArray[np.float64] | None = None,
    *,
    flat: bool = False,
) -> NDArray[np.float64]:
    """Count the languages of the links of each group, shrunk towards those of its pages; shape (G, L).

    With ``flat`` they are shrunk towards a flatter distribution: where no link switches, k is as usual on the web.
    """
    groups, languages = sites.shape
    counted = np.bincount(group * languages + language, weight, groups * languages).reshape(groups, languages)
    table = np.empty(sites.shape)
    for at in range(0, groups, GROUPS):  # whole tables in between would be several times what comes out
        part = slice(at, at + GROUPS)
        counts = counted[part]
        pages = _flatter(sites[part]) if flat else sites[part]
        table[part] = (counts + PSEUDO * pages) / (counts.sum(axis=1, keepdims=True) + PSEUDO)
    return table


def _flatter(table: NDArray[np.float64]) -> NDArray[np.float64]:
    roots = np.sqrt(table)
    return np.asarray(roots / roots.sum(axis=1, keepdims=True))


def _smoothed(table: NDArray[np.float64], sites: NDArray[np.float64]) -> NDArray[np.float64]:
    smoothed = np.empty(table.shape)
    for at in range(0, len(table), GROUPS):
        part = slice(at, at + GROUPS)
        smoothed[part] = (1 - SMOOTH) * table[part] + SMOOTH * _flatter(sites[part])
    return smoothed


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
    fits = np.empty((len(EXCLUSIONS), len(pair)))
    same, here = a == b, switch_to[group, a]
    for i, x in enumerate(EXCLUSIONS):
        k = _coupling(p_same, _by_chance(source_marginal, switch_to, x)[group])
        switched = (1 - k) / (1 - x * here + CHANCE)
        likelihood = np.where(same, k + switched * here * (1 - x), switched)  # times D(b), whatever x
        fits[i] = np.bincount(place, np.log(likelihood + CHANCE), minlength=len(pair))
    return pair, fits


def _coupling(p_same: NDArray[np.floating[Any]], by_chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """How often a link keeps the language on purpose, if it does so in all, and by chance otherwise."""
    return np.asarray(np.clip((p_same - by_chance) / (1 - by_chance), 0, HIGHEST))


EXCLUSIONS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.97, 1.0)  #: values of x
#: How likely each of them is before anything was seen; counts as one language of the collection.
BEFORE = (0.9, 0.02, 0.02, 0.02, 0.02, 0.01, 0.01)
POOLED = 1.0  #: languages' worth of the whole collection in the distribution of a host
PASSES = 20  #: of expectation and maximisation over that distribution, at most
RESTS = 1e-3  #: it rests when no share moves by more
VARIANCE = 0.3  #: of the leans of the languages of a host; on development sets 0.3 to 3 do about as well
BINDING = 0.05  #: links of a smaller coupling, those of a switcher, teach nothing of how much the others lean
STEPS = 30  #: Newton steps at most
SMALL = 1e-4  #: steps below this end the fit
LONGEST = 1.0  #: no step is longer
CHANCE = 1e-12  #: nothing is less likely than this


def votes(fits: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many languages are for each of ``EXCLUSIONS``, by their own links, shape (7,).

    Args:
        fits: log-likelihood of the links of each language of a host, shape (7, p).
    """
    return np.asarray(_shares(fits, np.array(BEFORE)[:, None]).sum(axis=1))


def usual_exclusion(counted: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distribution of the exclusion over the languages of all hosts, shape (7,).

    Args:
        counted: sum of their votes, shape (7,).
    """
    return np.asarray((counted + BEFORE) / (counted.sum() + 1))


def _shares(fits: NDArray[np.float64], before: NDArray[np.float64]) -> NDArray[np.float64]:
    """How likely each of ``EXCLUSIONS`` is for each language of a host; columns sum to 1."""
    return softmax((fits + np.log(before)).T).T


def exclusions(
    pair: NDArray[np.int64], fits: NDArray[np.float64], usual: NDArray[np.float64], groups: int, languages: int
) -> NDArray[np.float32]:
    """The exclusion x of each language in each group, shape (G, L).

    Args:
        pair: group x L + language of those that have links, ascending, shape (p,).
        fits: log-likelihood of their links by each of ``EXCLUSIONS``, shape (7, p).
        usual: distribution in the whole collection, shape (7,).
        groups: G.
        languages: L.

    >>> even, sure = np.full(7, 1 / 7), np.full((7, 1), -40.0)
    >>> sure[-1] = 0.0
    >>> exclusions(np.array([0]), sure, even, 2, 2)[0].tolist()  # one language avoids itself, so may the other
    [1.0, 0.8121428489685059]
    """
    values, group = np.array(EXCLUSIONS), pair // languages
    of_groups = np.repeat(usual[:, None], groups, axis=1)
    for _ in range(PASSES if len(pair) else 0):
        share = _shares(fits, of_groups[:, group])
        counted = np.stack([np.bincount(group, row, minlength=groups) for row in share])
        before, of_groups = of_groups, counted + POOLED * usual[:, None]
        of_groups /= of_groups.sum(axis=0)
        if np.abs(of_groups - before).max() < RESTS:
            break
    found = np.repeat(values @ of_groups, languages).astype(np.float32)
    found[pair] = values @ _shares(fits, of_groups[:, group])
    return found.reshape(groups, languages)


def leans(  # noqa: PLR0917  one array for each thing that a link shows
    coupling: NDArray[np.float64],
    same: NDArray[np.bool_],
    chance: NDArray[np.float64],
    key: NDArray[np.int64],
    groups: int,
    languages: int,
) -> NDArray[np.float32]:
    """What each language of each group adds to the log-odds of the coupling of its links, shape (G, L).

    A link that keeps the language does so on purpose, with probability k, or by chance.

    Args:
        coupling: k of each link, whatever its language, at most ``link_regressions.HIGHEST``, shape (m,).
        same: whether it keeps the language, shape (m,).
        chance: how likely it does where it does so by chance, shape (m,).
        key: group x L + language of its source, shape (m,).
        groups: G.
        languages: L.

    >>> half = np.full(40, 0.5), np.arange(40) < 40, np.zeros(40), np.zeros(40, np.int64)
    >>> [f"{lean:.1f}" for lean in leans(*half, 1, 2)[0]]  # forty of forty links keep the language of the first
    ['1.8', '0.0']
    """
    some = np.flatnonzero(coupling >= BINDING)
    pair, place = np.unique(key[some], return_inverse=True)
    k, same, chance = coupling[some], same[some], chance[some]
    odds = np.log(k / (1 - k))
    lean = np.zeros(len(pair))
    for _ in range(STEPS if len(pair) else 0):
        now = 1 / (1 + np.exp(-odds - lean[place]))
        purpose = np.where(same, now / (now + (1 - now) * chance), 0)
        slope = np.bincount(place, purpose - now, minlength=len(pair)) - lean / VARIANCE
        bend = np.bincount(place, np.maximum(now * (1 - now) - purpose * (1 - purpose), 0), minlength=len(pair))
        step = np.clip(slope / (bend + 1 / VARIANCE), -LONGEST, LONGEST)
        lean += step
        if float(np.abs(step).max()) < SMALL:
            break
    found = np.zeros(groups * languages, np.float32)
    found[pair] = lean
    return found.reshape(groups, languages)
