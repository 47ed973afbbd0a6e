"""The counting core for methods that count every n-gram of a text, not only those of a vocabulary.

Rank statistics need the commonest n-grams of the text itself, and set membership divides by all of them. So here all
n-grams of a batch (characters or bytes, of one order or several) are hashed at once, sorted once, and counted row by
row. There is no Python loop over n-grams. The hashes are those of `ngrams.wide_hashes`; 48 bits of them are kept, so
that the number of the row fits beside them into one integer to sort by. Two different n-grams share a key with a
chance of one in 2 ** 48.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphlang.content.ngrams import wide_hashes
from graphlang.content.normalise import SPACE, Letters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.keytable import KeyTable

_DROP = np.uint64(16)
_ROW = np.uint64(48)
_KEY = np.uint64((1 << 48) - 1)
MAX_ROWS = 1 << 16
_COUNT_BITS, _ORDER_BITS, _PLACE_BITS = 17, 3, 28


@dataclass(frozen=True, slots=True)
class Tally:
    """The distinct n-grams of every row, sorted by row.

    Attributes:
        row: Which row.
        key: 48-bit key of the n-gram.
        count: How often it stands there.
        order: Its length.
        place: Where it stands first, as an index into the symbols.
        totals: Per row all n-grams, repeats included.
    """

    row: NDArray[np.int64]
    key: NDArray[np.uint64]
    count: NDArray[np.int64]
    order: NDArray[np.int64]
    place: NDArray[np.int64]
    totals: NDArray[np.int64]

    def matrix(self, table: KeyTable, features: int) -> sparse.csr_array:
        """Counts of the n-grams that a table knows: float32 CSR (rows, features)."""
        feature = table.find(self.key)
        known = feature >= 0
        ends = np.searchsorted(self.row[known], np.arange(len(self.totals) + 1))
        data = self.count[known].astype(np.float32)
        shape = (len(self.totals), features)
        return sparse.csr_array((data, feature[known], ends.astype(np.int64)), shape=shape)

    def ranks(self, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The commonest n-grams of every row, at most `most`.

        The papers do not say what decides between equal counts. Here the shorter n-gram goes first, then the one that
        stands first in the text; so a rank depends on the text alone.

        Returns:
            `(chosen, rank)`: indices into the arrays of the tally, by row and rank, and the rank from 1 up.
        """
        most_counted = np.uint64((1 << _COUNT_BITS) - 1)
        rare = most_counted - np.minimum(self.count.astype(np.uint64), most_counted)
        value = self.row.astype(np.uint64) << np.uint64(_COUNT_BITS)
        value = (value | rare) << np.uint64(_ORDER_BITS)
        value = (value | self.order.astype(np.uint64)) << np.uint64(_PLACE_BITS)
        by_rank = np.argsort(value | self.place.astype(np.uint64))
        starts = np.searchsorted(self.row, np.arange(len(self.totals)))
        rank = np.arange(len(self.row)) - starts[self.row] + 1
        chosen = rank <= most
        return by_rank[chosen], rank[chosen]


def tally(letters: Letters, orders: Sequence[int], *, words: bool = False) -> Tally:
    """Count all n-grams of some orders in every row of a batch.

    Where the batch has a margin, n-grams wrap round up to it; else they end with the row.

    Args:
        letters: At most `MAX_ROWS` rows and 2 ** 28 symbols, of characters or of bytes.
        orders: Lengths of n-grams, from 1 to 7.
        words: Leave out n-grams with a space inside; one at either end marks the edge of a word.

    Raises:
        ValueError: more rows or symbols than that.
    """
    rows = len(letters.lengths)
    if rows > MAX_ROWS or len(letters.symbols) >= 1 << _PLACE_BITS:
        raise ValueError(f"more than {MAX_ROWS} rows or {1 << _PLACE_BITS} symbols at once")
    totals = np.zeros(rows, dtype=np.int64)
    packed: list[NDArray[np.uint64]] = []
    places: list[NDArray[np.int64]] = []
    sizes: list[NDArray[np.int64]] = []
    for order in orders:
        row, place = _places(letters, order)
        if words:
            inner = _inner_spaces(letters.symbols, order)[place] == 0
            row, place = row[inner], place[inner]
        totals += np.bincount(row, minlength=rows)
        key = wide_hashes(letters.symbols, order)[place] >> _DROP
        packed.append(key | (row.astype(np.uint64) << _ROW))
        places.append(place)
        sizes.append(np.full(len(place), order, dtype=np.int64))
    every = np.concatenate(packed)
    place = np.concatenate(places)
    by_key = np.argsort(every)
    sorted_ = every[by_key]
    first = np.flatnonzero(np.concatenate((np.ones(min(len(sorted_), 1), dtype=np.bool_), sorted_[1:] != sorted_[:-1])))
    earliest = np.minimum.reduceat(place[by_key], first) if len(first) else place
    unique = sorted_[first]
    return Tally(
        row=(unique >> _ROW).astype(np.int64),
        key=unique & _KEY,
        count=np.diff(np.append(first, len(sorted_))),
        order=np.concatenate(sizes)[by_key[first]],
        place=earliest,
        totals=totals,
    )


def keys_of(ngrams: Sequence[str]) -> NDArray[np.uint64]:
    """The key of each of some n-grams, as `tally` gives it; n-grams of bytes are written as Latin-1.

    >>> one_row = Letters(np.array([97, 98], np.uint32), np.zeros(1, int), np.array([2]), 0)
    >>> bool(keys_of(["ab"]) == tally(one_row, [2]).key)
    True
    """
    sizes = np.fromiter(map(len, ngrams), dtype=np.int64, count=len(ngrams))
    keys = np.zeros(len(ngrams), dtype=np.uint64)
    for order in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes == order)
        joined = "".join([ngrams[i] for i in chosen.tolist()])
        symbols = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
        keys[chosen] = wide_hashes(symbols, order)[::order] >> _DROP
    return keys


def strings(letters: Letters, place: NDArray[np.int64], order: NDArray[np.int64]) -> list[str]:
    """The n-grams that stand at some places."""
    cut = zip(place.tolist(), order.tolist(), strict=True)
    return ["".join(map(chr, letters.symbols[start : start + size].tolist())) for start, size in cut]


def _places(letters: Letters, order: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and place of every n-gram of one order. A row shorter than its margin wraps round more than once."""
    short = max(0, order - 1 - letters.margin)
    sizes = np.maximum(letters.lengths - short, 0)
    row = np.repeat(np.arange(len(sizes)), sizes)
    before = np.cumsum(sizes) - sizes
    return row, np.arange(len(row)) + (letters.starts - before)[row]


def _inner_spaces(symbols: NDArray[np.uint32], order: int) -> NDArray[np.int64]:
    """How many spaces stand inside the n-gram that begins at each place."""
    upto = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(symbols == SPACE)))
    if order <= 2:  # noqa: PLR2004 - two symbols have no inside
        return np.zeros(max(0, len(symbols) - order + 1), dtype=np.int64)
    stop = len(symbols) - order + 1
    inside: NDArray[np.int64] = upto[order - 1 : order - 1 + stop] - upto[1 : 1 + stop]
    return inside
