"""The out-of-place distance between ranked lists of n-grams, for a whole batch at once.

Formula 0.1 of Hayati 2004 (after Cavnar & Trenkle 1994): for the n-grams g_1 .. g_m of a text, in the order of their
rank, and the list G of a language,

    d = sum over j of |index(g_j, G) - j|

The two differ on an n-gram that is not in G. Hayati puts its index at C + 1, so that it costs C + 1 - j: the lowest
ranked n-gram of a text costs 1 when the language lacks it, and up to C - 1 when the language has it, which punishes a
language for having it. Cavnar and Trenkle let it cost a fixed maximum (C, in their program). Both are built; which one
a method takes is its own affair. Both papers are silent on texts with fewer than C n-grams: the sum goes over those
that there are.

No language is asked twice: an n-gram knows in which lists it stands, and at which rank (a postings list), so that the
work is the number of (n-gram of the text, list that holds it) pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.ngrams.count_all import KeyTable, keys_of, strings, tally
from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.ngrams.count_all import Tally
    from graphlang.content.text.normalise import Letters

_kernels = Kernels("graphlang.content.native._tally")


def ranked(letters: Letters, orders: Sequence[int], size: int, *, words: bool = False) -> list[str]:
    """The `size` commonest n-grams of the one row of a batch, commonest first.

    Args:
        letters: A batch of one row.
        orders: Lengths of n-grams.
        size: How many, at most.
        words: Leave out n-grams with a space inside.
    """
    counted = tally(letters, orders, words=words)
    chosen, _ = counted.ranks(size)
    return strings(letters, counted.place[chosen], counted.order[chosen])


def pack(lists: Sequence[Sequence[str]], size: int) -> tuple[list[str], NDArray[np.int32]]:
    """Ranked lists as a vocabulary and, per list, the features by rank, -1 after its end: (lists, size).

    Args:
        lists: Of each language its n-grams, commonest first.
        size: Length of the longest list.

    >>> pack([["e", "th"], ["e"]], 2)[1].tolist()
    [[0, 1], [0, -1]]
    """
    vocabulary = sorted({gram for one in lists for gram in one})
    number = {gram: index for index, gram in enumerate(vocabulary)}
    table = np.full((len(lists), size), -1, dtype=np.int32)
    for row, one in zip(table, lists, strict=True):
        row[: len(one)] = [number[gram] for gram in one]
    return vocabulary, table


class RankLists:
    """The languages' ranked lists, ready to be compared with texts.

    Args:
        vocabulary: All n-grams of all lists.
        table: From `pack`.
        fixed: Whether an n-gram that a list lacks costs C whatever its rank (Cavnar & Trenkle), not C + 1 - j (Hayati).

    Raises:
        ValueError: the table does not go with the vocabulary.
    """

    def __init__(self, vocabulary: Sequence[str], table: NDArray[np.int32], *, fixed: bool) -> None:
        if table.size and not -1 <= table.min() <= table.max() < len(vocabulary):
            raise ValueError("ranks of n-grams that are not in the vocabulary")
        self.lists, self.size = table.shape
        self._fixed = fixed
        self._table = KeyTable(keys_of(vocabulary))
        owner, rank = np.nonzero(table >= 0)
        feature = table[owner, rank]
        by_feature = np.argsort(feature, kind="stable")
        self._owner = owner[by_feature]
        self._rank = rank[by_feature] + 1
        self._offsets = np.searchsorted(feature[by_feature], np.arange(len(vocabulary) + 1))

    def missing(self, rank: NDArray[np.int64]) -> NDArray[np.int64]:
        """What an n-gram at this rank of a text costs a list that lacks it."""
        return np.full_like(rank, self.size) if self._fixed else self.size + 1 - rank

    def distances(self, counted: Tally) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The distance of every row of a batch from every list.

        Returns:
            `(distances, worst)`: (rows, lists), and per row the distance from a list that has none of its n-grams.
        """
        rows = len(counted.totals)
        chosen, rank = counted.ranks(self.size)
        row = counted.row[chosen]
        cost = self.missing(rank)
        worst = np.bincount(row, weights=cost, minlength=rows).astype(np.int64)
        distances = np.repeat(worst[:, None], self.lists, axis=1)
        feature = self._table.find(counted.key[chosen])
        _kernels.tally_distances(
            row=row,
            rank=rank,
            cost=cost,
            feature=feature,
            starts=self._offsets,
            owner=self._owner,
            place=self._rank,
            distances=distances,
        )
        return distances, worst
