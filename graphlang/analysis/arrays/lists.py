"""Lists of different lengths, one for each page, without the padding that a table of them has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Number = TypeVar("Number", np.int16, np.int32, np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Lists(Generic[Number]):
    """The list of page p is ``values[start[p]:start[p + 1]]``. n pages, s values."""

    start: NDArray[np.int64]  #: shape (n + 1,)
    values: NDArray[Number]  #: shape (s,)

    def of(self, pages: NDArray[np.integer], width: int, fill: int) -> NDArray[Number]:
        """The lists of some pages as a table, shape (p, width).

        Args:
            pages: their numbers, -1 for a page that has no list, shape (p,).
            width: length of the longest list at least.
            fill: what stands behind the end of a list.

        >>> lists = Lists(np.array([0, 2, 2, 3]), np.int16([5, 4, 9]))
        >>> lists.of(np.array([2, 0, -1]), 2, -1).tolist()
        [[9, -1], [5, 4], [-1, -1]]
        """
        first, count = self.start[pages], np.where(pages >= 0, self.start[pages + 1] - self.start[pages], 0)
        found = np.full((len(pages), width), fill, dtype=self.values.dtype)
        before = np.cumsum(count) - count
        rank = np.arange(int(count.sum())) - np.repeat(before, count)
        found[np.repeat(np.arange(len(pages)), count), rank] = self.values[np.repeat(first, count) + rank]
        return found


def starts_of(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    """Where lists of these lengths begin, and where the last one ends; shape (n + 1,).

    Args:
        counts: shape (n,).

    >>> starts_of(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    start = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=start[1:])
    return start
