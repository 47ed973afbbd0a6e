"""Dense tables with a row per page and a column per active language.

The work is done in C, since numpy is slow for short rows. `ScoreTables` converts score lists to such tables, block by
block.
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


def row_maxima(table: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the maximum of each row of a table of shape (n, L), NaN for rows with NaN; shape (n,).

    Raises ValueError for rows without columns.

    >>> row_maxima(np.float32([[0, 3, 2], [-2, -1, -4]])).tolist()
    [3.0, -1.0]
    """
    largest = np.empty(len(table), np.float32)
    _kernels.row_maxima(np.ascontiguousarray(table), largest)
    return largest


def best_columns(table: NDArray[np.float32], keep: int) -> NDArray[np.int64]:
    """Return the columns of the ``keep`` largest numbers of each row, largest first, ties by column; shape (n, keep).

    Raises ValueError for fewer columns than ``keep``, or NaN.

    >>> best_columns(np.float32([[0, 3, 2, 3]]), 3).tolist()
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
    return numerics.softmax(logs, row_maxima(logs))


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
                first = best_columns(scores, 1)
                score[rows] = np.take_along_axis(scores, first, 1)[:, 0]
                best[rows] = np.where(score[rows] > 0, first[:, 0], NONE)
                add_columns(scores, sums)
            return sums

        for sums_of_block in in_blocks(n, BLOCK, rank):  # in page order, so that sums do not depend on threads
            total += sums_of_block
        return best, score, total
