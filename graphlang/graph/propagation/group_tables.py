"""Statistics of each group of links: languages at their ends, and agreement by chance.

A group is the links within one host; links between hosts are one more group, the last. Languages of a host differ. On
a site written mainly in one language, all its pages in that language link to such pages, but only half of those in a
rare language do. A menu with two kinds of Chinese names the language of its own page there, and nowhere else. So the
exclusion x and the coupling k of ``compatibility`` depend on the source's language a:

    x(a) = sum over EXCLUSIONS of x P(x | links from a), with one prior for all languages of a host
    log-odds of k(a) = log-odds of k + lean(a), lean(a) ~ N(0, VARIANCE)

Both are learned from links between certain pages, and shrunk where a language has few links. The distribution of x is
shrunk towards that of the host's other languages, and this one towards the collection's; the lean is shrunk towards 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.propagation.link_regressions import HIGHEST
from graphlang.numerics import find_distinct, softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

GROUPS = 1 << 14  #: groups handled at a time
PSEUDO = 5.0  #: pseudo-counts of the host's page languages in its tables
#: Share of a flatter distribution in the tables of messages. Without it, neighbours on a monolingual site are no
#: evidence.
SMOOTH = 0.2


def group_of(
    source: NDArray[np.int32], target: NDArray[np.int32], host: NDArray[np.int32], between: int
) -> NDArray[np.int32]:
    """Return the group of each link, shape (m,): its host, or ``between`` for links between hosts."""
    group = host.take(source)
    group[group != host.take(target)] = between
    return group


@dataclass(frozen=True, slots=True, eq=False)
class GroupTables:
    """Statistics of links between certain pages; L languages, G groups, p pairs of a group and a language."""

    source_marginal: NDArray[np.float64]  #: language distribution of sources, shape (G, L)
    switch_to: NDArray[np.float64]  #: D above, shape (G, L)
    pair: NDArray[np.int64]  #: group x L + source language, ascending, shape (p,)
    fits: NDArray[np.float64]  #: log-likelihood of the links of each pair under each of ``EXCLUSIONS``, shape (7, p)

    @property
    def votes(self) -> NDArray[np.float64]:
        """Expected number of pairs with each exclusion, shape (7,)."""
        return sum_votes(self.fits)

    def select(self, groups: NDArray[np.int64], first: int) -> GroupTables:
        """Select some groups, ascending, and number them from ``first``."""
        group, language = np.divmod(self.pair, self.switch_to.shape[1])
        rows = np.flatnonzero(np.isin(group, groups))
        number = first + np.searchsorted(groups, group[rows])
        pair = number * self.switch_to.shape[1] + language[rows]
        return GroupTables(self.source_marginal[groups], self.switch_to[groups], pair, self.fits[:, rows])


def count_tables(
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    group: NDArray[np.int64],
    sites: NDArray[np.float64],
    p_same: NDArray[np.float64],
) -> GroupTables:
    """Count the languages at the ends of links between certain pages.

    ``a`` and ``b`` are the languages of source and target, ``p_same`` is the probability that the link keeps the
    language, shape (m,) each. ``sites`` has the language distribution of the pages of each group, shape (G, L).
    """
    source_marginal = _count_table(group, a, sites)
    switch_to = _switch_table(a, b, group, sites, p_same, source_marginal)
    return GroupTables(source_marginal, switch_to, *_fit_exclusions(p_same, group, a, b, source_marginal, switch_to))


def _switch_table(  # noqa: PLR0917  internal
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    group: NDArray[np.int64],
    sites: NDArray[np.float64],
    p_same: NDArray[np.float64],
    source_marginal: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Estimate D of each group by expectation maximisation, shape (G, L).

    Where every page has a menu of all pages, most links keep the main language of the site by chance. Ignoring this, D
    would lack that language, and k would be too high for rare ones.
    """
    same = a == b
    switch_to = _count_table(group[~same], b[~same], sites, flat=True)
    groups = find_distinct(group[same]), find_distinct(group[~same])
    both = np.intersect1d(*groups, assume_unique=True)  # others have nothing to separate
    rows = np.flatnonzero(np.isin(group, both))
    index, same, b, p_same = np.searchsorted(both, group[rows]), same[rows], b[rows], p_same[rows]
    source_marginal, sites, table = source_marginal[both], sites[both], switch_to[both]
    for _ in range(PASSES if len(both) else 0):  # a fixed number: early stopping would depend on other groups
        k = _estimate_coupling(p_same, _compute_chance_to_keep(source_marginal, table, 0.0)[index])
        by_chance = (1 - k) * table[index, b]
        weight = np.where(same, by_chance / (k + by_chance + CHANCE), 1.0)
        table = _count_table(index, b, sites, weight, flat=True)
    switch_to[both] = table
    return switch_to


def estimate_languages(  # noqa: PLR0917  internal
    statistics: GroupTables,
    sites: NDArray[np.float64],
    usual: NDArray[np.float64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    group: NDArray[np.int64],
    p_same: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float32], NDArray[np.float32], NDArray[np.float64]]:
    """Return source marginal, D, exclusion, lean and ``by_chance`` of all groups, for ``CompatibilityModel``.

    ``usual`` is the distribution of the exclusion over all hosts, shape (7,). For the other arguments
    see ``count_tables``.
    """
    source_marginal, switch_to = statistics.source_marginal, statistics.switch_to
    groups, languages = switch_to.shape
    x = estimate_exclusions(statistics.pair, statistics.fits, usual, groups, languages)
    by_chance = _compute_chance_to_keep(source_marginal, switch_to, x)
    chance = compute_chance_of_keeping(switch_to[group, a], x[group, a])
    coupling = _estimate_coupling(p_same, by_chance[group])
    lean = leans(coupling, a == b, chance, group * languages + a, groups, languages)
    return _smooth(source_marginal, sites), _smooth(switch_to, sites), x, lean, by_chance


def compute_chance_of_keeping(
    switch_to: NDArray[np.float64], exclusion: NDArray[np.floating[Any]] | float
) -> NDArray[np.float64]:
    """Return the probability that a link that does not keep the language on purpose still keeps it."""
    return np.asarray(switch_to * (1 - exclusion) / (1 - exclusion * switch_to + CHANCE), np.float64)


def _count_table(
    group: NDArray[np.int64],
    language: NDArray[np.int64],
    sites: NDArray[np.float64],
    weight: NDArray[np.float64] | None = None,
    *,
    flat: bool = False,
) -> NDArray[np.float64]:
    """Count the link languages of each group, shrunk towards those of its pages; shape (G, L).

    With ``flat``, they are shrunk towards a flatter distribution: where no link switches, k is as usual on the web.
    """
    groups, languages = sites.shape
    group_counts = np.bincount(group * languages + language, weight, groups * languages).reshape(groups, languages)
    table = np.empty(sites.shape)
    for at in range(0, groups, GROUPS):  # bounds the memory of intermediate tables
        rows = slice(at, at + GROUPS)
        counts = group_counts[rows]
        pages = _flatten(sites[rows]) if flat else sites[rows]
        table[rows] = (counts + PSEUDO * pages) / (counts.sum(axis=1, keepdims=True) + PSEUDO)
    return table


def _flatten(table: NDArray[np.float64]) -> NDArray[np.float64]:
    roots = np.sqrt(table)
    return np.asarray(roots / roots.sum(axis=1, keepdims=True))


def _smooth(table: NDArray[np.float64], sites: NDArray[np.float64]) -> NDArray[np.float64]:
    smoothed = np.empty(table.shape)
    for at in range(0, len(table), GROUPS):
        rows = slice(at, at + GROUPS)
        smoothed[rows] = (1 - SMOOTH) * table[rows] + SMOOTH * _flatten(sites[rows])
    return smoothed


def _compute_chance_to_keep(
    source_marginal: NDArray[np.float64], switch_to: NDArray[np.float64], exclusion: NDArray[np.float32] | float
) -> NDArray[np.float64]:
    """Return the probability that a switching link of each group still keeps the language, shape (G,)."""
    probability = np.empty(len(switch_to))
    for at in range(0, len(probability), GROUPS):
        rows = slice(at, at + GROUPS)
        x = exclusion if isinstance(exclusion, float) else exclusion[rows]
        probability[rows] = (source_marginal[rows] * compute_chance_of_keeping(switch_to[rows], x)).sum(axis=1)
    return probability


def _fit_exclusions(  # noqa: PLR0917  internal
    p_same: NDArray[np.float64],
    group: NDArray[np.int64],
    a: NDArray[np.int64],
    b: NDArray[np.int64],
    source_marginal: NDArray[np.float64],
    switch_to: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return pairs (group, language), and their log-likelihood under each of ``EXCLUSIONS``, up to a constant."""
    pair, index = np.unique(group * switch_to.shape[1] + a, return_inverse=True)
    fits = np.empty((len(EXCLUSIONS), len(pair)))
    same, chance = a == b, switch_to[group, a]
    for i, x in enumerate(EXCLUSIONS):
        k = _estimate_coupling(p_same, _compute_chance_to_keep(source_marginal, switch_to, x)[group])
        switched = (1 - k) / (1 - x * chance + CHANCE)
        likelihood = np.where(same, k + switched * chance * (1 - x), switched)  # times D(b), which does not depend on x
        fits[i] = np.bincount(index, np.log(likelihood + CHANCE), minlength=len(pair))
    return pair, fits


def _estimate_coupling(p_same: NDArray[np.floating[Any]], by_chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability that a link keeps the language on purpose, from those of all links and by chance."""
    return np.asarray(np.clip((p_same - by_chance) / (1 - by_chance), 0, HIGHEST))


EXCLUSIONS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.97, 1.0)  #: values of x
#: Prior distribution of x; it counts as one language of the collection.
PRIOR = (0.9, 0.02, 0.02, 0.02, 0.02, 0.01, 0.01)
POOLED = 1.0  #: pseudo-counts of the collection in the distribution of a host
PASSES = 20  #: largest number of EM passes over that distribution
RESTS = 1e-3  #: EM ends when no share changes by more
VARIANCE = 0.3  #: prior variance of the leans; 0.3 to 3 do about as well on development sets
BINDING = 0.05  #: links with a smaller coupling (language switchers) are ignored for leans
STEPS = 30  #: largest number of Newton steps
SMALL = 1e-4  #: the fit ends when no step is longer
LONGEST = 1.0  #: longest step
CHANCE = 1e-12  #: least probability


def sum_votes(fits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expected number of pairs with each of ``EXCLUSIONS``, shape (7,), from their fits, shape (7, p)."""
    return np.asarray(_compute_posterior(fits, np.array(PRIOR)[:, None]).sum(axis=1))


def estimate_usual_exclusion(counted: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distribution of the exclusion over all hosts, from the sum of their votes; shape (7,)."""
    return np.asarray((counted + PRIOR) / (counted.sum() + 1))


def _compute_posterior(fits: NDArray[np.float64], prior: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the posterior of the exclusion for each pair; columns sum to 1."""
    return softmax((fits + np.log(prior)).T).T


def estimate_exclusions(
    pair: NDArray[np.int64], fits: NDArray[np.float64], usual: NDArray[np.float64], groups: int, languages: int
) -> NDArray[np.float32]:
    """Return the exclusion x of each language in each group, shape (G, L), as a posterior mean.

    ``pair`` (group x L + language, ascending) has shape (p,), ``fits`` shape (7, p). ``usual`` is the distribution in
    the whole collection, shape (7,).

    >>> even, sure = np.full(7, 1 / 7), np.full((7, 1), -40.0)
    >>> sure[-1] = 0.0
    >>> estimate_exclusions(np.array([0]), sure, even, 2, 2)[0].tolist()  # one excludes itself, so the other may
    [1.0, 0.8121428489685059]
    """
    values, group = np.array(EXCLUSIONS), pair // languages
    distribution = np.repeat(usual[:, None], groups, axis=1)
    for _ in range(PASSES if len(pair) else 0):
        share = _compute_posterior(fits, distribution[:, group])
        counts = np.stack([np.bincount(group, row, minlength=groups) for row in share])
        previous, distribution = distribution, counts + POOLED * usual[:, None]
        distribution /= distribution.sum(axis=0)
        if np.abs(distribution - previous).max() < RESTS:
            break
    x = np.repeat(values @ distribution, languages).astype(np.float32)
    x[pair] = values @ _compute_posterior(fits, distribution[:, group])
    return x.reshape(groups, languages)


def leans(  # noqa: PLR0917  internal
    coupling: NDArray[np.float64],
    same: NDArray[np.bool_],
    chance: NDArray[np.float64],
    key: NDArray[np.int64],
    groups: int,
    languages: int,
) -> NDArray[np.float32]:
    """Return the lean of each language of each group: its term of the log-odds of k; shape (G, L).

    A link keeps the language on purpose, with probability k, or by chance. ``coupling`` is k without lean, ``same``
    whether the link keeps the language, ``chance`` the probability that it does so by chance, and ``key`` group x L +
    source language; shape (m,) each.

    >>> half = np.full(40, 0.5), np.arange(40) < 40, np.zeros(40), np.zeros(40, np.int64)
    >>> [f"{lean:.1f}" for lean in leans(*half, 1, 2)[0]]  # all forty links keep the first language
    ['1.8', '0.0']
    """
    rows = np.flatnonzero(coupling >= BINDING)
    pair, index = np.unique(key[rows], return_inverse=True)
    k, same, chance = coupling[rows], same[rows], chance[rows]
    odds = np.log(k / (1 - k))
    lean = np.zeros(len(pair))
    for _ in range(STEPS if len(pair) else 0):
        probability = 1 / (1 + np.exp(-odds - lean[index]))
        purpose = np.where(same, probability / (probability + (1 - probability) * chance), 0)
        gradient = np.bincount(index, purpose - probability, minlength=len(pair)) - lean / VARIANCE
        curvature = np.bincount(
            index, np.maximum(probability * (1 - probability) - purpose * (1 - purpose), 0), minlength=len(pair)
        )
        step = np.clip(gradient / (curvature + 1 / VARIANCE), -LONGEST, LONGEST)
        lean += step
        if float(np.abs(step).max()) < SMALL:
            break
    result = np.zeros(groups * languages, np.float32)
    result[pair] = lean
    return result.reshape(groups, languages)
