"""Rank order: Cavnar & Trenkle's method as Hayati 2004 ran it (BASE; section 3.1, formula 0.1, algorithm 3.2).

A language is the ranked list of its C = 399 commonest n-grams, n from 1 to 5, and so is a text. The language with the
smallest difference of ranks wins. N-grams wrap round and may cross words. (The example of the paper, the 3-grams of
"the quick", lists eight where its rule gives nine: " qu" is missing.) Letters are those of `normalise`: the paper keeps
alphabetic characters and single spaces. For the n-grams g_1 .. g_m of a text, in the order of their rank, and the list
G of a language, the distance (formula 0.1) is

    d = sum over j of |index(g_j, G) - j|

The two papers differ on an n-gram that is not in G. Hayati puts its index at C + 1, so it costs C + 1 - j: the lowest
ranked n-gram of a text costs 1 if the language lacks it, and up to C - 1 if the language has it, which punishes a
language for having it. Cavnar and Trenkle charge a fixed maximum (C, in their program). `RankLists` has both. Neither
paper defines the distance for texts with fewer than C n-grams: here the sum is over those that exist.

Equal counts are ordered by `count_all.Tally.rank_ngrams`. In texts of a few words nearly all counts are equal, so ranks
mean little; the paper reports that BASE errs mostly on these. The paper has no probabilities: here they are a
calibrated softmax over 1 - d / (the distance from a list that has nothing in common with the text).

Languages are not compared one by one: a postings list has the lists and ranks of each n-gram, so the cost is the number
of pairs of an n-gram of the text and a list with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.identifier import Calibrated
from graphlang.content.native import tally as _kernels
from graphlang.content.ngrams.count_all import KeyTable, compute_tally_keys, decode_ngrams, tally
from graphlang.content.ngrams.vocabulary import pack_ngrams
from graphlang.content.text.normalise import cut_blocks, normalise
from graphlang.modelfile import Model, ModelError, take_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.ngrams.count_all import Tally
    from graphlang.content.text.normalise import Letters


def rank_ngrams(letters: Letters, orders: Sequence[int], size: int, *, with_words: bool = False) -> list[str]:
    """Rank the `size` commonest n-grams of a batch with one row, commonest first."""
    counted = tally(letters, orders, within_words=with_words)
    chosen, _ = counted.rank_ngrams(size)
    return decode_ngrams(letters, counted.place[chosen], counted.order[chosen])


def pack_lists(lists: Sequence[Sequence[str]], size: int) -> tuple[list[str], NDArray[np.int32]]:
    """Pack ranked lists as a vocabulary and the features of each list by rank, -1 after its end, (lists, size).

    >>> pack_lists([["e", "th"], ["e"]], 2)[1].tolist()
    [[0, 1], [0, -1]]
    """
    vocabulary = sorted({gram for ngrams in lists for gram in ngrams})
    number = {gram: index for index, gram in enumerate(vocabulary)}
    table = np.full((len(lists), size), -1, dtype=np.int32)
    for row, ngrams in zip(table, lists, strict=True):
        row[: len(ngrams)] = [number[gram] for gram in ngrams]
    return vocabulary, table


class RankLists:
    """Index of the ranked lists of languages, to compare texts with.

    `vocabulary` has all n-grams of all lists, `table` comes from `pack_lists`. If `fixed`, an n-gram that a list lacks
    costs C at any rank (Cavnar & Trenkle), else C + 1 - j (Hayati). Raise a ValueError if the table does not fit the
    vocabulary.
    """

    def __init__(self, vocabulary: Sequence[str], table: NDArray[np.int32], *, fixed: bool) -> None:
        if table.size and not -1 <= table.min() <= table.max() < len(vocabulary):
            raise ValueError("ranks of n-grams that are not in the vocabulary")
        self.lists, self.size = table.shape
        self._fixed = fixed
        self._table = KeyTable(compute_tally_keys(vocabulary))
        owner, rank = np.nonzero(table >= 0)
        feature = table[owner, rank]
        order = np.argsort(feature, kind="stable")
        self._owner = owner[order]
        self._rank = rank[order] + 1
        self._offsets = np.searchsorted(feature[order], np.arange(len(vocabulary) + 1))

    def compute_missing_cost(self, rank: NDArray[np.int64]) -> NDArray[np.int64]:
        """Compute the cost of n-grams at these ranks of a text for a list that lacks them."""
        return np.full_like(rank, self.size) if self._fixed else self.size + 1 - rank

    def measure_distances(self, counted: Tally) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Measure the distance of every row of a batch from every list, (rows, lists), and the worst one, (rows,).

        The worst distance is that from a list without any n-gram of the row.
        """
        rows = len(counted.totals)
        chosen, rank = counted.rank_ngrams(self.size)
        row = counted.row[chosen]
        cost = self.compute_missing_cost(rank)
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


ORDERS = (1, 2, 3, 4, 5)
SIZE = 399


def build(lines: Sequence[Sequence[str]], *, features: int = SIZE) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Build the arrays and parameters of a model from the lines of each language.

    The lines of a language are one text: n-grams may cross them.
    """
    lists = []
    for language_lines in lines:
        text = " ".join(language_lines)
        letters = normalise([text], limit=len(text) + 1, margin=max(ORDERS) - 1, closed=False)
        lists.append(rank_ngrams(letters, ORDERS, features))
    vocabulary, table = pack_lists(lists, features)
    arrays: dict[str, NDArray[Any]] = {"ngrams": pack_ngrams(vocabulary), "ranks": table}
    return arrays, {"features": features, "orders": list(ORDERS), "closed": False}


class RankOrder(Calibrated):
    """The method with its model."""

    def __init__(self, model: Model, digest: str, source: str, *, name: str = "") -> None:
        super().__init__(model, digest, source, name=name)
        self.lists = read_rank_lists(model, source, encoding="utf-8", fixed=False)

    def similarities(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Compute 1 - distance / worst distance, (texts, labels), and the length of each text, (texts,)."""
        scores = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        lengths = np.zeros(len(texts), dtype=np.int64)
        for start, stop in cut_blocks(texts, limit=self.limit):
            letters = normalise(texts[start:stop], limit=self.limit, margin=max(ORDERS) - 1, closed=self.closed)
            scores[start:stop] = compute_closeness(self.lists, tally(letters, ORDERS))
            lengths[start:stop] = letters.lengths
        return scores, lengths


def compute_closeness(lists: RankLists, counted: Any) -> NDArray[np.float32]:
    """Compute closeness: 1 for equal lists, 0 for nothing in common; below 0 if formula 0.1 punishes common n-grams."""
    distances, worst = lists.measure_distances(counted)
    return (1 - distances / np.maximum(worst, 1)[:, None]).astype(np.float32)


def read_rank_lists(model: Model, source: str, *, encoding: str, fixed: bool) -> RankLists:
    """Read the ranked lists of a model; raise a ModelError if they are missing or damaged."""
    table = take_array(model, "ranks", "i", (len(model.labels), None), source)
    packed = take_array(model, "ngrams", "u", (None,), source)
    try:
        vocabulary = packed.tobytes().decode(encoding).split("\n")
        return RankLists(vocabulary, table.astype(np.int32), fixed=fixed)
    except ValueError as error:
        raise ModelError(f"{source}: its ranked n-grams are damaged ({error})") from error
