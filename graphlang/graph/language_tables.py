"""Tables with a row for each page and a column for each active language.

Numpy is slow where rows are short, so that C does the work. `ScoreTables` turns lists of scores into such tables, for
some of the pages at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang import numerics
from graphlang.graph.data import NONE
from graphlang.graph.native import language_tables as _kernels
from graphlang.native.threads import in_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.data import Evidence, FixedBeliefs, Signal


def score_table(
    languages: NDArray[np.int16], probabilities: NDArray[np.float32], active: NDArray[np.int16], count: int
) -> NDArray[np.float32]:
    """Lists of scores as a matrix with a column for each active language; the others are dropped.

    Args:
        languages: index of each language, -1 padding, shape (n, k).
        probabilities: of them, shape (n, k).
        active: the languages of the columns, -1 for one that nothing is in, shape (L,).
        count: how many languages there are in all.

    Returns:
        shape (n, L).

    Raises:
        ValueError: a language that is none of these.

    >>> score_table(np.int16([[2, 0, -1]]), np.float32([[0.6, 0.3, 0]]), np.int16([1, 2]), 3).round(2).tolist()
    [[0.0, 0.6000000238418579]]
    """
    column = np.full(count, -1, np.int16)
    column[active[active >= 0]] = np.flatnonzero(active >= 0)
    table = np.empty((len(languages), len(active)), np.float32)
    lists = np.ascontiguousarray(languages, np.int16), np.ascontiguousarray(probabilities, np.float32)
    _kernels.score_table(*lists, column, table)
    return table


def row_maxima(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """The largest number of each row, NaN where one of them is; shape (n,).

    Args:
        table: shape (n, L).

    Raises:
        ValueError: there are rows and no columns.

    >>> row_maxima(np.float32([[0, 3, 2], [-2, -1, -4]])).tolist()
    [3.0, -1.0]
    """
    largest = np.empty(len(table), np.float32)
    _kernels.row_maxima(np.ascontiguousarray(table), largest)
    return largest


def best_columns(table: NDArray[np.float32], keep: int) -> NDArray[np.int64]:
    """The columns of the largest numbers of each row, largest first, ties by column.

    Args:
        table: shape (n, L).
        keep: how many.

    Returns:
        shape (n, keep).

    Raises:
        ValueError: there are fewer columns, or a number is NaN.

    >>> best_columns(np.float32([[0, 3, 2, 3]]), 3).tolist()
    [[1, 3, 2]]
    """
    best = np.empty((len(table), keep), np.int64)
    _kernels.best_columns(np.ascontiguousarray(table), best)
    return best


def add_columns(table: NDArray[np.float32], sums: NDArray[np.float64]) -> None:
    """Add each column to its sum, row after row.

    Args:
        table: shape (n, L).
        sums: changed, shape (L,).
    """
    _kernels.column_sums(table, sums)


def softmax(logs: NDArray[np.float32]) -> NDArray[np.float32]:
    """What `numerics.softmax` gives, to the last bit.

    Args:
        logs: any finite numbers, shape (n, L), one column at least; left as they are.
    """
    return numerics.softmax(logs, row_maxima(logs))


BLOCK = 1 << 16  #: pages whose scores are added up at once, and ...
AT_ONCE = 1 << 12  #: ... whose tables are held


class ScoreTables:
    """The scores of texts and signals, in the columns of the active languages.

    Args:
        evidence: of n pages.
        active: indices of the languages of the columns, shape (L,).
    """

    def __init__(self, evidence: Evidence, active: NDArray[np.int16]) -> None:
        self.evidence, self.active, self._count = evidence, active, len(evidence.codes)

    def of(
        self, pages: NDArray[np.int64], lists: Evidence | Signal | FixedBeliefs | None = None
    ) -> NDArray[np.float32]:
        """The scores of some pages; shape (p, L).

        Args:
            pages: rows, shape (p,).
            lists: whose scores; those of the texts if not given.
        """
        given = self.evidence if lists is None else lists
        return score_table(given.languages[pages], given.probabilities[pages], self.active, self._count)

    def best(self) -> tuple[NDArray[np.int16], NDArray[np.float32], NDArray[np.float64]]:
        """Column of the best language of each text, -1 none, its score, shape (n,) each, and the sum of all, (L,)."""
        n = self.evidence.n
        best, score = np.full(n, NONE, np.int16), np.zeros(n, np.float32)
        total = np.zeros(len(self.active))

        def rank(block: slice) -> NDArray[np.float64]:
            sums = np.zeros(len(self.active))
            for at in range(block.start, block.stop, AT_ONCE):
                part = slice(at, min(at + AT_ONCE, block.stop))
                scores = self.of(np.arange(part.start, part.stop))
                first = best_columns(scores, 1)
                score[part] = np.take_along_axis(scores, first, 1)[:, 0]
                best[part] = np.where(score[part] > 0, first[:, 0], NONE)
                add_columns(scores, sums)
            return sums

        for some in in_blocks(n, BLOCK, rank):  # added in the order of the pages, whichever block ends first
            total += some
        return best, score, total
