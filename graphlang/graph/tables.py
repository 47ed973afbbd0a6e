"""Tables of a row per page: ragged lists, and dense tables with a column per active language.

`Lists` and `ListTable` store rows of different lengths without padding. `ScoreTables` converts score lists to dense
tables, block by block; the work is done in C, since numpy is slow for short rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from graphlang import numerics
from graphlang.graph.data import NONE
from graphlang.graph.native import language_tables as _kernels
from graphlang.native.threads import run_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.data import Evidence, FixedBeliefs, Signal

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


def list_starts(counts: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the start of each list and the end of the last, from lengths of shape (n,); shape (n + 1,).

    >>> list_starts(np.array([2, 0, 1])).tolist()
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
        if isinstance(columns, int):
            place = self.lists.start[numbers] + range(self.width)[columns]
            present = np.flatnonzero((numbers >= 0) & (place < self.lists.start[numbers + 1]))
            column = np.full(len(numbers), self.fill, self.lists.values.dtype)
            column[present] = self.lists.values[place[present]]
            return column
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


def score_table(
    languages: NDArray[np.int16], probabilities: NDArray[np.float32], active: NDArray[np.int16], count: int
) -> NDArray[np.float32]:
    """Convert score lists to a matrix with a column for each active language; other languages are dropped.

    ``languages`` (-1 padding) and ``probabilities`` have shape (n, k); ``active`` lists the languages of the columns,
    -1 for an empty one, shape (L,); ``count`` is the number of all languages. Return shape (n, L).

    Raises ValueError for a language outside the range.

    >>> score_table(np.int16([[2, 0, -1]]), np.float32([[0.6, 0.3, 0]]), np.int16([1, 2]), 3).round(2).tolist()
    [[0.0, 0.6000000238418579]]
    """
    column = np.full(count, -1, np.int16)
    column[active[active >= 0]] = np.flatnonzero(active >= 0)
    table = np.empty((len(languages), len(active)), np.float32)
    lists = np.ascontiguousarray(languages, np.int16), np.ascontiguousarray(probabilities, np.float32)
    _kernels.score_table(*lists, column, table)
    return table


def compute_row_maxima(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the maximum of each row of a table of shape (n, L), NaN for rows with NaN; shape (n,).

    Raises ValueError for rows without columns.

    >>> compute_row_maxima(np.float32([[0, 3, 2], [-2, -1, -4]])).tolist()
    [3.0, -1.0]
    """
    largest = np.empty(len(table), np.float32)
    _kernels.row_maxima(np.ascontiguousarray(table), largest)
    return largest


def find_best_columns(table: NDArray[np.float32], keep: int) -> NDArray[np.int64]:
    """Return the columns of the ``keep`` largest numbers of each row, largest first, ties by column; shape (n, keep).

    Raises ValueError for fewer columns than ``keep``, or NaN.

    >>> find_best_columns(np.float32([[0, 3, 2, 3]]), 3).tolist()
    [[1, 3, 2]]
    """
    best = np.empty((len(table), keep), np.int64)
    _kernels.best_columns(np.ascontiguousarray(table), best)
    return best


def add_columns(table: NDArray[np.float32], sums: NDArray[np.float64]) -> None:
    """Add each column of a table of shape (n, L) to ``sums``, shape (L,), in row order."""
    _kernels.column_sums(table, sums)


def softmax(logs: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return `numerics.softmax` of finite numbers of shape (n, L), to the last bit."""
    return numerics.softmax(logs, compute_row_maxima(logs))


BLOCK = 1 << 16  #: pages whose scores are added up at a time, and ...
AT_ONCE = 1 << 12  #: ... whose tables are in memory


class ScoreTables:
    """Scores of texts and signals, in the columns of the active languages.

    ``active`` has the indices of these languages, shape (L,).
    """

    def __init__(self, evidence: Evidence, active: NDArray[np.int16]) -> None:
        self.evidence, self.active, self._count = evidence, active, len(evidence.codes)

    def scores(
        self, pages: NDArray[np.int64], lists: Evidence | Signal | FixedBeliefs | None = None
    ) -> NDArray[np.float32]:
        """Return the scores of some pages, shape (p, L): of their texts, or of ``lists``."""
        source = self.evidence if lists is None else lists
        return score_table(source.languages[pages], source.probabilities[pages], self.active, self._count)

    def best(self) -> tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.float64]]:
        """Return best column (-1 none) and score of each text, shape (n,) each, and the sum of scores, shape (L,)."""
        n = self.evidence.n
        best, score = np.full(n, NONE, np.int16), np.zeros(n, np.float32)
        total = np.zeros(len(self.active))

        def rank(block: slice) -> NDArray[np.float64]:
            sums = np.zeros(len(self.active))
            for at in range(block.start, block.stop, AT_ONCE):
                rows = slice(at, min(at + AT_ONCE, block.stop))
                scores = self.scores(np.arange(rows.start, rows.stop))
                first = find_best_columns(scores, 1)
                score[rows] = np.take_along_axis(scores, first, 1)[:, 0]
                best[rows] = np.where(score[rows] > 0, first[:, 0], NONE)
                add_columns(scores, sums)
            return sums

        for sums_of_block in run_blocks(n, BLOCK, rank):  # in page order, so that sums do not depend on threads
            total += sums_of_block
        return best, score, total
