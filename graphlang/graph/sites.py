"""Languages of a site, a directory and the whole collection: the prior of a page before its text is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

EVEN = 0.02  #: share of an even distribution in every prior
PAGES = 10.0  #: pages' worth of the whole collection in a site's prior, and of the site in a directory's


def collection(mass: NDArray[np.float64], label: NDArray[np.int16]) -> NDArray[np.float64]:
    """Languages of the whole collection: sure pages count whole, all others a little, and none is impossible.

    Args:
        mass: sum of the scores of all texts, shape (L,).
        label: column of the language of each page, -1 unknown, shape (n,).
    """
    size = len(mass)
    counts = np.bincount(label[label >= 0], minlength=size) + 0.05 * mass + 1e-3 * len(label) / size
    return np.asarray(counts / counts.sum())


def distributions(
    label: NDArray[np.int16], group: NDArray[np.int32], groups: int, parent: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Languages of each group of pages, shrunk towards its parent; ``parent`` has shape (1, L) or (groups, L)."""
    size = parent.shape[1]
    seen = label >= 0
    key = group[seen].astype(np.int64) * size + label[seen]
    counts = np.bincount(key, minlength=groups * size).reshape(groups, size)
    return np.asarray((counts + PAGES * parent) / (counts.sum(axis=1, keepdims=True) + PAGES))


def tempered(shares: NDArray[np.float64], power: float) -> NDArray[np.float64]:
    """Distributions mixed with an even one and flattened by a power."""
    flattened = ((1 - EVEN) * shares + EVEN / shares.shape[1]) ** power
    return np.asarray(flattened / flattened.sum(axis=1, keepdims=True))


def directories(  # noqa: PLR0917  internal, called once
    directory: NDArray[np.int32],
    host: NDArray[np.int32],
    label: NDArray[np.int16],
    sites: NDArray[np.float64],
    weight: float,
    power: float,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Number of each page's directory (a page without one is in its host's) and the prior of each."""
    named = np.where(directory >= 0, directory.astype(np.int64) + len(sites), host)
    place: NDArray[np.int32] = np.unique(named, return_inverse=True)[1].astype(np.int32)
    places = int(place.max()) + 1
    home = np.zeros(places, np.int32)
    home[place] = host
    shares = distributions(label, place, places, sites[home])
    mixed = weight / (1 + weight)
    return place, tempered((sites[home] ** (1 - mixed)) * (shares**mixed), power)
