"""Whole-number weights of a model: from floats, into few bytes for the file; `sparse_weights` reads them back.

Nearly all weights are 0, so that the file holds only the others, and how far each is from the one before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVELS = 40  # greatest weight, in steps; three of them add up within eight bits (`native/ngrams.c`)
_MOST = np.iinfo(np.int16).max // LEVELS  # n-grams that can be summed in 16 bits


def longest_text(orders: int, *, words: bool) -> int:
    """Characters that may be looked at, so that the sum of the weights of a text stays exact in 16 bits.

    Args:
        orders: N-grams that can begin at one place of a text.
        words: Whether words of four characters and more are counted beside them.

    >>> longest_text(3, words=True)
    244
    """
    return 4 * _MOST // (4 * orders + words) - 8  # a space may be added at either end


def quantise(weights: NDArray[np.float32], step: float) -> NDArray[np.int8]:
    """Weights as whole steps, those beyond the greatest cut.

    Args:
        weights: Of any shape.
        step: The unit.

    >>> quantise(np.array([0.5, -0.1, 99.0], dtype=np.float32), 0.25).tolist()
    [2, 0, 40]
    """
    steps: NDArray[np.int8] = np.clip(np.rint(weights / np.float32(step)), -LEVELS, LEVELS).astype(np.int8)
    return steps


def squeeze(steps: NDArray[np.int8]) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """Weights for the file: how far it is from each one that is not 0 to the next, and its value.

    Distances run through all rows; one beyond 255 is made of several, whose values are 0.

    >>> gaps, values = squeeze(np.array([[0, 3, 0], [0, 0, -1]], dtype=np.int8))
    >>> gaps.tolist(), values.tolist()
    ([2, 4], [3, -1])
    """
    flat = steps.reshape(-1)
    places = np.flatnonzero(flat)
    return squeeze_places(places, flat[places])


def squeeze_places(places: NDArray[np.int64], steps: NDArray[np.int8]) -> tuple[NDArray[np.uint8], NDArray[np.int8]]:
    """As `squeeze`, of the weights that are not 0.

    Args:
        places: Where each stands in the table, counted through all rows, rising.
        steps: The weights.
    """
    gaps = np.diff(places, prepend=-1)
    extra = (gaps - 1) // 255
    ends = np.cumsum(extra + 1) - 1
    small = np.full(len(places) + int(extra.sum()), 255, dtype=np.uint8)
    small[ends] = gaps - 255 * extra
    values = np.zeros(len(small), dtype=np.int8)
    values[ends] = steps
    return small, values


def dense_first(
    steps: NDArray[np.int8], often: NDArray[np.int64], room: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The features that go into the table (`sparse_weights`), and the others; those without any weight are dropped.

    Args:
        steps: Weights of features, (features, labels).
        often: How often each feature stands in texts.
        room: Features in the table.

    >>> common, rare = dense_first(np.array([[1, 0], [0, 0], [1, 1], [2, 2]], dtype=np.int8), np.array([9, 9, 9, 1]), 1)
    >>> common.tolist(), rare.tolist()
    ([2], [0, 3])
    """
    used = np.count_nonzero(steps, axis=1)
    order = np.argsort(-used * often, kind="stable")
    order = order[used[order] > 0]
    return np.sort(order[:room]), np.sort(order[room:])
