"""Lists of different lengths, one for each page, without the padding that a table of them has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Number = TypeVar("Number", np.int16, np.int32, np.float32)
_ROWS = 1 << 16  # of a table that are looked up at once


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


@dataclass(frozen=True, slots=True, eq=False)
class ListTable(Generic[Number]):
    """A table most of whose rows are short, kept as lists: some rows at a time are those of an array.

    ``numpy.asarray`` makes an array of all of it.

    >>> table = ListTable(np.int32([1, -1, 0]), Lists(np.array([0, 2, 3]), np.int16([5, 4, 9])), 2, -1)
    >>> table.shape, table[np.array([2, 1])].tolist(), table[:, 0].tolist(), np.asarray(table).tolist()
    ((3, 2), [[5, 4], [-1, -1]], [9, -1, 5], [[9, -1], [-1, -1], [5, 4]])
    """

    own: NDArray[np.int32]  #: number of each row's list, -1 none, shape (n,)
    lists: Lists[Number]
    width: int  #: of the table: length of the longest list at least
    fill: int  #: what stands behind the end of a list

    @classmethod
    def of(cls, table: NDArray[Number], fill: int) -> ListTable[Number]:
        """The same as a table, of which many rows hold nothing.

        Args:
            table: shape (n, k).
            fill: what is nothing.

        >>> table = ListTable.of(np.int16([[-1, -1], [3, -1]]), -1)
        >>> np.asarray(table).tolist(), table.lists.values.tolist()
        ([[-1, -1], [3, -1]], [3, -1])
        """
        some = (table != fill).any(axis=1)
        rows = np.flatnonzero(some)
        own = np.full(len(table), -1, np.int32)
        own[rows] = np.arange(len(rows), dtype=np.int32)
        width = table.shape[1]
        return cls(own, Lists(np.arange(len(rows) + 1) * width, table[rows].ravel()), width, fill)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.own), self.width

    @property
    def ndim(self) -> int:
        """2, for a table."""
        return 2

    @property
    def size(self) -> int:
        """Cells."""
        return len(self.own) * self.width

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, key: Any) -> NDArray[Number]:
        """The cells of some rows, and of all columns or, behind a comma, of some."""
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        own = self.own[rows]
        across: tuple[int, ...] = np.empty((0, self.width))[:, columns].shape[1:]
        found = np.empty((len(own), *across), self.lists.values.dtype)
        for at in range(0, len(own), _ROWS):
            found[at : at + _ROWS] = self.lists.of(own[at : at + _ROWS], self.width, self.fill)[:, columns]
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self[:], dtype)

    def min(self) -> Any:
        """The least of all lists and of what stands behind them."""
        return self.lists.values.min(initial=self.fill)

    def max(self) -> Any:
        """The greatest of all lists and of what stands behind them."""
        return self.lists.values.max(initial=self.fill)
