"""Lists of scores as tables with a column for each active language, for some of the pages at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE
from graphlang.native.threads import in_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.data import Evidence, FixedBeliefs, Signal

BLOCK = 1 << 16  #: pages whose tables are held at once


def score_table(
    languages: NDArray[np.int16], probabilities: NDArray[np.float32], active: NDArray[np.int16], count: int
) -> NDArray[np.float32]:
    """Lists of scores as a matrix with a column for each active language; the others are dropped.

    Args:
        languages: index of each language, -1 padding, shape (n, k).
        probabilities: of them, shape (n, k).
        active: the languages of the columns, shape (L,).
        count: how many languages there are in all.

    Returns:
        shape (n, L).

    >>> score_table(np.int16([[2, 0, -1]]), np.float32([[0.6, 0.3, 0]]), np.int16([1, 2]), 3).round(2).tolist()
    [[0.0, 0.6000000238418579]]
    """
    column = np.full(count + 1, -1, np.int64)
    column[active[active >= 0]] = np.arange(int((active >= 0).sum()))
    at = column[languages]  # -1 finds the last entry, which is -1
    scores = np.zeros((len(languages), len(active)), np.float32)
    rows, ranks = np.nonzero((at >= 0) & (probabilities > 0))
    np.add.at(scores, (rows, at[rows, ranks]), probabilities[rows, ranks])
    return scores


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
            scores = self.of(np.arange(block.start, block.stop))
            first = scores.argmax(axis=1)
            score[block] = np.take_along_axis(scores, first[:, None], 1)[:, 0]
            best[block] = np.where(score[block] > 0, first, NONE)
            return np.asarray(scores.sum(axis=0, dtype=np.float64))

        for some in in_blocks(n, BLOCK, rank):  # added up in the order of the pages, whoever is done first
            total += some
        return best, score, total
