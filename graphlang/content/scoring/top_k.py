"""The best few labels of each row of probabilities: what a page keeps of its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.native import scores as _kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray


def top(probabilities: NDArray[np.float32], k: int) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """The k most probable labels of every row, best first; of equal ones the one with the lower index.

    Args:
        probabilities: (rows, labels).
        k: How many are kept.

    Returns:
        `(indices, probabilities)`, both (rows, k). Where a row has fewer than k labels above 0 (a text without letters
        has none) the index is -1 and the probability 0.

    >>> indices, best = top(np.array([[0.2, 0.7, 0.1], [0.0, 0.0, 0.0]], dtype=np.float32), 2)
    >>> indices.tolist(), best.round(1).tolist()[0][0] > 0.6
    ([[1, 0], [-1, -1]], True)
    """
    rows = len(probabilities)
    indices = np.empty((rows, k), dtype=np.int16)
    best = np.empty((rows, k), dtype=np.float32)
    given = np.ascontiguousarray(probabilities, dtype=np.float32)
    _kernels.scores_top(probabilities=given, indices=indices, values=best)
    return indices, best
