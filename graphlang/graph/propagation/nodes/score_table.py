"""Lists of scores as tables with a column for each active language, for some of the pages at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE
from graphlang.graph.language_tables import add_columns, best_columns, score_table
from graphlang.native.threads import in_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.data import Evidence, FixedBeliefs, Signal

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

        for some in in_blocks(n, BLOCK, rank):  # added up in the order of the pages, whoever is done first
            total += some
        return best, score, total
