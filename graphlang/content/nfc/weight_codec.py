"""Whole-number weights of a model: quantise them, and pack them for the model file; `sparse_weights` reads them.

Nearly all weights are 0, so the file holds the others and the distance of each from the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVELS = 40  #: greatest weight, in steps: the sum of three fits in eight bits (`native/ngrams.c`)
_MOST = np.iinfo(np.int16).max // LEVELS  # n-grams whose weights add up within 16 bits


def compute_longest_text(orders: int, *, words: bool) -> int:
    """Compute how many characters a text may have for its sum of weights to fit in 16 bits.

    `orders` n-grams can begin at one place; with `words`, words of four characters or more count as well.

    >>> compute_longest_text(3, words=True)
    244
    """
    return 4 * _MOST // (4 * orders + words) - 8  # a space may be added at either end


def quantise(weights: NDArray[np.float32], step: float) -> NDArray[np.int8]:
    """Round weights to whole steps of at most `LEVELS`.

    >>> quantise(np.array([0.5, -0.1, 99.0], dtype=np.float32), 0.25).tolist()
    [2, 0, 40]
    """
    steps: NDArray[np.int8] = np.clip(np.rint(weights / np.float32(step)), -LEVELS, LEVELS).astype(np.int8)
    return steps


def squeeze(steps: NDArray[np.int8]) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Pack weights as distances between those that are not 0, and their values.

    Distances run through all rows; one beyond 255 takes several entries, whose values are 0.

    >>> gaps, values = squeeze(np.array([[0, 3, 0], [0, 0, -1]], dtype=np.int8))
    >>> gaps.tolist(), values.tolist()
    ([2, 4], [3, -1])
    """
    flat = steps.reshape(-1)
    places = np.flatnonzero(flat)
    return squeeze_places(places, flat[places])


def squeeze_places(places: NDArray[np.int64], steps: NDArray[np.int8]) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Pack weights as `squeeze` does, given those that are not 0 and their ascending places in the flat table."""
    gaps = np.diff(places, prepend=-1)
    extra = (gaps - 1) // 255
    ends = np.cumsum(extra + 1) - 1
    small = np.full(len(places) + int(extra.sum()), 255, dtype=np.uint8)
    small[ends] = gaps - 255 * extra
    values = np.zeros(len(small), dtype=np.int8)
    values[ends] = steps
    return small, values


def split_dense(
    steps: NDArray[np.int8], frequency: NDArray[np.int64], table_rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split features into the best `table_rows` for rows of the table, and the others; drop those without weights.

    Shapes: steps (features, labels), weights; frequency (features,) in texts.

    >>> steps = np.array([[1, 0], [0, 0], [1, 1], [2, 2]], dtype=np.int8)
    >>> common, rare = split_dense(steps, np.array([9, 9, 9, 1]), 1)
    >>> common.tolist(), rare.tolist()
    ([2], [0, 3])
    """
    used = np.count_nonzero(steps, axis=1)
    order = np.argsort(-used * frequency, kind="stable")
    order = order[used[order] > 0]
    return np.sort(order[:table_rows]), np.sort(order[table_rows:])
