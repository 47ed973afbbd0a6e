"""Prior of a page: languages of its site, its directory and the whole collection.

The pages of a directory (without directory: of a host) are a prior group and share one prior.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.numerics import number_distinct

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

EVEN = 0.02  #: share of the uniform distribution in every prior
PAGES = 10.0  #: pseudo-counts of the collection in a site's prior, and of the site in a directory's
BLOCK = 1 << 14  #: groups handled at a time
LEAST = 1e-37  #: least probability, so that logarithms are finite


@dataclass(frozen=True, slots=True, eq=False)
class Prior:
    """Prior of n pages in P groups, over L languages."""

    group: NDArray[np.int32]  #: of each page, 0..P-1, shape (n,)
    probability: NDArray[np.float32]  #: of each language in each group, shape (P, L)


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Counts of certain pages by host or directory and language; L languages."""

    place: NDArray[np.int64]  #: numbers of the hosts or directories, ascending, shape (p,)
    pages: NDArray[np.int64]  #: pages by language, shape (p, L)

    def among(self, rows: slice) -> Counted:
        """Select the places with numbers in a range, and count these from its start."""
        selection = slice(*np.searchsorted(self.place, (rows.start, rows.stop)))
        return Counted(self.place[selection] - rows.start, self.pages[selection])


def compute_collection_shares(scores: NDArray[np.float64], label: NDArray[np.int16], pages: int) -> NDArray[np.float64]:
    """Return the language distribution of the collection, shape (L,).

    Certain pages count in full, other texts a little, and every language has some probability. ``scores`` is the sum
    over all texts, shape (L,); ``label`` the column of each certain page, -1 otherwise, shape (n,); ``pages`` the
    number of all pages, excluded ones included.
    """
    return compute_shares(scores, np.bincount(label[label >= 0], minlength=len(scores)), pages)


def compute_shares(scores: NDArray[np.float64], certain: NDArray[np.int64], pages: int) -> NDArray[np.float64]:
    """Return the language distribution of the collection from counts of certain pages by language, shape (L,).

    See ``compute_collection_shares``.
    """
    counts = certain + 0.05 * scores + 1e-3 * pages / len(scores)
    return np.asarray(counts / counts.sum())


def compute_group_shares(
    label: NDArray[np.int16],
    group: NDArray[np.int32],
    groups: int,
    parent: NDArray[np.float64],
    counted: Counted | None = None,
) -> NDArray[np.float64]:
    """Return the language distribution of each group of pages, shrunk towards its parent; shape (G, L).

    ``label`` is the column of each certain page, -1 otherwise, shape (n,). ``parent`` is one distribution for all
    groups, shape (1, L), or one each, shape (G, L). ``counted`` replaces the counts of some groups.
    """
    size = parent.shape[1]
    certain = label >= 0
    key = group[certain].astype(np.int64) * size + label[certain]
    counts = np.bincount(key, minlength=groups * size).reshape(groups, size).astype(np.float64)
    if counted is not None:
        counts[counted.place] = counted.pages
    pages = counts.sum(axis=1, keepdims=True)
    counts += PAGES * parent
    counts /= pages + PAGES
    return counts


def temper(shares: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """Mix distributions, shape (G, L), with the uniform one, and raise them to a power; 0 makes all uniform."""
    flattened = ((1 - EVEN) * shares + EVEN / shares.shape[1]) ** power
    return np.asarray(flattened / flattened.sum(axis=1, keepdims=True))


def compute_page_prior(  # noqa: PLR0917  internal
    host: NDArray[np.int32],
    sites: NDArray[np.float64],
    label: NDArray[np.int16],
    directory: NDArray[np.int32] | None,
    site_power: float,
    directory_power: float,
    directories: Counted | None = None,
) -> Prior:
    """Return the prior of each page: a weighted product of the distributions of its site and its directory.

    ``host`` and ``directory`` (-1 none) are numbers, ``label`` is the column of each certain page, -1 otherwise; shape
    (n,) each. ``sites`` has shape (H, L). ``site_power`` is the exponent of the site, ``directory_power`` that of the
    directory relative to it. ``directories`` has the counts of directories with pages in other partitions.
    """
    if directory is None or not directory_power or not site_power:
        return Prior(host, _compute_in_blocks(len(sites), sites.shape[1], lambda rows: temper(sites[rows], site_power)))
    key = np.where(directory >= 0, directory.astype(np.int64) + len(sites), host)
    keys, group = number_distinct(key)
    home = np.zeros(len(keys), np.int32)
    home[group] = host
    counted = None if directories is None else _renumber(directories, keys - len(sites))
    certain = np.flatnonzero(label >= 0)
    certain = certain[np.argsort(group[certain], kind="stable")]
    directory_share = directory_power / (1 + directory_power)

    def probability(rows: slice) -> NDArray[np.float64]:
        here = certain[slice(*np.searchsorted(group[certain], (rows.start, rows.stop)))]
        above = sites[home[rows]]
        counts = None if counted is None else counted.among(rows)
        shares = compute_group_shares(label[here], group[here] - rows.start, len(above), above, counts)
        return temper((above ** (1 - directory_share)) * (shares**directory_share), site_power)

    return Prior(group, _compute_in_blocks(len(keys), sites.shape[1], probability))


def _compute_in_blocks(groups: int, size: int, work: Callable[[slice], NDArray[np.float64]]) -> NDArray[np.float32]:
    """Compute the probabilities of all groups in double precision, in blocks that bound memory."""
    probability = np.empty((groups, size), np.float32)
    for at in range(0, groups, BLOCK):
        rows = slice(at, min(groups, at + BLOCK))
        probability[rows] = np.maximum(work(rows), LEAST)
    return probability


def _renumber(directories: Counted, names: NDArray[np.int64]) -> Counted:
    """Number the directories by prior group; drop those without pages here."""
    at = np.searchsorted(names, directories.place)
    here = np.append(names, -1)[at] == directories.place
    return Counted(at[here], directories.pages[here])
