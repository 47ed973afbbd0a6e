"""What each language does to the links of a host: how far it avoids itself, and how far it leans on itself.

On one host all pages in English link to English ones, for everything is written in it first, and half of those of a
rare language do, where nothing else is translated. A switcher that lists two kinds of Chinese names the language of its
own page there, and nowhere else. So of each group of links the exclusion x and the coupling k of ``compatibility`` are
those of the source's language a:

    x(a) = sum over EXCLUSIONS of x P(x | links from a), the host's languages drawing theirs from one distribution
    log-odds of k(a) = log-odds of k + lean(a), lean(a) ~ N(0, VARIANCE)

Both are learned from the links of certain pages alone, and both fall back to what is usual where a language has few
of them: the distribution of the x to that of the host's other languages, which falls back to the collection's; the lean
to none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.numerics import softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
