"""Languages of a site, a directory and the whole collection: the prior of a page before its text is looked at.

The pages of a directory, or of a host where a page has no directory, are a prior group: they have one prior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.numerics import numbered

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

EVEN = 0.02  #: share of an even distribution in every prior
PAGES = 10.0  #: pages' worth of the whole collection in a site's prior, and of the site in a directory's
BLOCK = 1 << 14  #: groups whose prior is worked out at once
LEAST = 1e-37  #: nothing is less likely than this, so that its logarithm is a number


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """The prior of n pages in P groups, over L languages."""

    group: NDArray[np.int32]  #: of each page, 0..P-1, shape (n,)
    probability: NDArray[np.float32]  #: of each language in each group, shape (P, L)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Certain pages of some hosts or directories, by language, over L languages."""

    place: NDArray[np.int64]  #: numbers of the hosts or directories, ascending, shape (p,)
    pages: NDArray[np.int64]  #: how many pages each has in each language, shape (p, L)

    def among(self, rows: slice) -> Counted:
        """Those with numbers in a range, counted from its start."""
        some = slice(*np.searchsorted(self.place, (rows.start, rows.stop)))
        return Counted(self.place[some] - rows.start, self.pages[some])


def collection(scores: NDArray[np.float64], label: NDArray[np.int16], pages: int) -> NDArray[np.float64]:
    """Languages of the whole collection: sure pages count whole, all others a little, and none is impossible.

    Args:
        scores: sum of the scores of all texts, shape (L,).
        label: column of the language of each page, -1 unknown, shape (n,).
        pages: how many there are, those that are left out among them.

    Returns:
        a distribution, shape (L,).
    """
    return of_counts(scores, np.bincount(label[label >= 0], minlength=len(scores)), pages)


def of_counts(scores: NDArray[np.float64], certain: NDArray[np.int64], pages: int) -> NDArray[np.float64]:
    """Languages of the whole collection, see ``collection``.

    Args:
        scores: sum of the scores of all texts, shape (L,).
        certain: certain pages by language, shape (L,).
        pages: how many there are in all.

    Returns:
        a distribution, shape (L,).
    """
    counts = certain + 0.05 * scores + 1e-3 * pages / len(scores)
    return np.asarray(counts / counts.sum())


def distributions(
    label: NDArray[np.int16],
    group: NDArray[np.int32],
    groups: int,
    parent: NDArray[np.float64],
    counted: Counted | None = None,
) -> NDArray[np.float64]:
    """Languages of each group of pages, shrunk towards its parent.

    Args:
        label: column of the language of each page, -1 unknown, shape (n,).
        group: of each page, shape (n,).
        groups: G.
        parent: a distribution for all, shape (1, L), or for each, shape (G, L).
        counted: what is counted already of some groups; nothing is counted for them.

    Returns:
        rows that sum to 1, shape (G, L).
    """
    size = parent.shape[1]
    seen = label >= 0
    key = group[seen].astype(np.int64) * size + label[seen]
    counts = np.bincount(key, minlength=groups * size).reshape(groups, size).astype(np.float64)
    if counted is not None:
        counts[counted.place] = counted.pages
    pages = counts.sum(axis=1, keepdims=True)
    counts += PAGES * parent
    counts /= pages + PAGES
    return counts


def tempered(shares: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """Distributions mixed with an even one and raised to a power.

    Args:
        shares: rows that sum to 1, shape (G, L).
        power: 0 makes all of them even.
    """
    flattened = ((1 - EVEN) * shares + EVEN / shares.shape[1]) ** power
    return np.asarray(flattened / flattened.sum(axis=1, keepdims=True))


def prior(  # noqa: PLR0917  all that it depends on
    host: NDArray[np.int32],
    sites: NDArray[np.float64],
    label: NDArray[np.int16],
    directory: NDArray[np.int32] | None,
    of_site: float,
    of_directory: float,
    directories: Counted | None = None,
) -> Prior:
    """The prior of each page: the languages of its directory and its site, as far as they weigh.

    Args:
        host: of each page, 0..H-1, shape (n,).
        sites: languages of each host, shape (H, L).
        label: column of the language of each page, -1 unknown, shape (n,).
        directory: number of each page's directory in its host, -1 none, shape (n,).
        of_site: power of the site's languages.
        of_directory: weight of the directory's languages, relative to the site's.
        directories: certain pages of directories of which not all pages are here.
    """
    if directory is None or not of_directory or not of_site:
        return Prior(host, _by_rows(len(sites), sites.shape[1], lambda rows: tempered(sites[rows], of_site)))
    named = np.where(directory >= 0, directory.astype(np.int64) + len(sites), host)
    names, group = numbered(named)
    home = np.zeros(len(names), np.int32)
    home[group] = host
    counted = None if directories is None else _of_groups(directories, names - len(sites))
    seen = np.flatnonzero(label >= 0)
    seen = seen[np.argsort(group[seen], kind="stable")]
    mixed = of_directory / (1 + of_directory)

    def probability(rows: slice) -> NDArray[np.float64]:
        here = seen[slice(*np.searchsorted(group[seen], (rows.start, rows.stop)))]
        above = sites[home[rows]]
        known = None if counted is None else counted.among(rows)
        shares = distributions(label[here], group[here] - rows.start, len(above), above, known)
        return tempered((above ** (1 - mixed)) * (shares**mixed), of_site)

    return Prior(group, _by_rows(len(names), sites.shape[1], probability))


def _by_rows(groups: int, size: int, work: Callable[[slice], NDArray[np.float64]]) -> NDArray[np.float32]:
    """The probabilities of all groups, worked out in double precision for some of them at a time."""
    found = np.empty((groups, size), np.float32)
    for at in range(0, groups, BLOCK):
        rows = slice(at, min(groups, at + BLOCK))
        found[rows] = np.maximum(work(rows), LEAST)
    return found


def _of_groups(directories: Counted, names: NDArray[np.int64]) -> Counted:
    """The same by number of the group."""
    at = np.searchsorted(names, directories.place)
    here = np.append(names, -1)[at] == directories.place
    return Counted(at[here], directories.pages[here])
