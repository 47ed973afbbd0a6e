"""Ragged arrays: one list per page, without the padding of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Number = TypeVar("Number", np.int16, np.int32, np.float32)
_ROWS = 1 << 16  # rows of a table that are looked up at a time


@dataclass(frozen=True, slots=True, eq=False)
class Lists(Generic[Number]):
    """The list of page p is ``values[start[p]:start[p + 1]]``. n pages, s values."""

    start: NDArray[np.int64]  #: shape (n + 1,)
    values: NDArray[Number]  #: shape (s,)

    def to_table(self, pages: NDArray[np.integer], width: int, fill: int) -> NDArray[Number]:
        """Return the lists of some pages as a table, shape (p, width); shorter lists are padded with ``fill``.

        Page -1 has an empty list. ``width`` is at least the length of the longest list.

        >>> lists = Lists(np.array([0, 2, 2, 3]), np.int16([5, 4, 9]))
        >>> lists.to_table(np.array([2, 0, -1]), 2, -1).tolist()
        [[9, -1], [5, 4], [-1, -1]]
        """
        first, count = self.start[pages], np.where(pages >= 0, self.start[pages + 1] - self.start[pages], 0)
        table = np.full((len(pages), width), fill, dtype=self.values.dtype)
        before = np.cumsum(count) - count
        rank = np.arange(int(count.sum())) - np.repeat(before, count)
        table[np.repeat(np.arange(len(pages)), count), rank] = self.values[np.repeat(first, count) + rank]
        return table


def starts_of(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the start of each list and the end of the last, from lengths of shape (n,); shape (n + 1,).

    >>> starts_of(np.array([2, 0, 1])).tolist()
    [0, 2, 2, 3]
    """
    start = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=start[1:])
    return start


@dataclass(frozen=True, slots=True, eq=False)
class ListTable(Generic[Number]):
    """A table with mostly short rows, stored as lists. Indexing rows returns an array.

    ``numpy.asarray`` converts the whole table.

    >>> table = ListTable(np.int32([1, -1, 0]), Lists(np.array([0, 2, 3]), np.int16([5, 4, 9])), 2, -1)
    >>> table.shape, table[np.array([2, 1])].tolist(), table[:, 0].tolist(), np.asarray(table).tolist()
    ((3, 2), [[5, 4], [-1, -1]], [9, -1, 5], [[9, -1], [-1, -1], [5, 4]])
    """

    list_number: NDArray[np.int32]  #: list of each row, -1 none, shape (n,)
    lists: Lists[Number]
    width: int  #: columns, at least the length of the longest list
    fill: int  #: padding behind the end of a list

    @classmethod
    def from_table(cls, table: NDArray[Number], fill: int) -> ListTable[Number]:
        """Make a ListTable from an array of shape (n, k), whose rows that are all ``fill`` take no memory.

        >>> table = ListTable.from_table(np.int16([[-1, -1], [3, -1]]), -1)
        >>> np.asarray(table).tolist(), table.lists.values.tolist()
        ([[-1, -1], [3, -1]], [3, -1])
        """
        has_values = (table != fill).any(axis=1)
        rows = np.flatnonzero(has_values)
        numbers = np.full(len(table), -1, np.int32)
        numbers[rows] = np.arange(len(rows), dtype=np.int32)
        width = table.shape[1]
        return cls(numbers, Lists(np.arange(len(rows) + 1) * width, table[rows].ravel()), width, fill)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and columns."""
        return len(self.list_number), self.width

    @property
    def ndim(self) -> int:
        """2, for a table."""
        return 2

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.list_number) * self.width

    def __len__(self) -> int:
        return len(self.list_number)

    def __getitem__(self, key: Any) -> NDArray[Number]:
        """Return cells as an array: ``table[rows]`` or ``table[rows, columns]``."""
        rows, columns = key if isinstance(key, tuple) else (key, slice(None))
        numbers = self.list_number[rows]
        column_shape: tuple[int, ...] = np.empty((0, self.width))[:, columns].shape[1:]
        cells = np.empty((len(numbers), *column_shape), self.lists.values.dtype)
        for at in range(0, len(numbers), _ROWS):
            cells[at : at + _ROWS] = self.lists.to_table(numbers[at : at + _ROWS], self.width, self.fill)[:, columns]
        return cells

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.asarray(self[:], dtype)

    def min(self) -> Any:
        """Return the minimum, padding included."""
        return self.lists.values.min(initial=self.fill)

    def max(self) -> Any:
        """Return the maximum, padding included."""
        return self.lists.values.max(initial=self.fill)
