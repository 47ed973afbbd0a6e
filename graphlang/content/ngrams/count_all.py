"""Count every n-gram of a text, not only those of a vocabulary.

Rank statistics need the commonest n-grams of the text itself, and set membership divides by all of them. So a kernel in
C (`native/tally.c`) counts all n-grams of a batch (characters or bytes, of one order or several) row by row. Keys are
48 bits of the hashes of `keys.hash_ngrams`: two different n-grams share a key with a chance of one in 2 ** 48.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy  # scipy.sparse is imported on first use: it takes a tenth of a second

from graphlang.content.native import tally as _kernels
from graphlang.content.ngrams.keys import hash_ngrams

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.text.normalise import Letters

_DROP = np.uint64(16)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_EMPTY = np.uint64(0xFFFFFFFFFFFFFFFF)  # no key: keys have 48 bits
_MOST_SYMBOLS = 1 << 28
MAX_ROWS = 1 << 16


class KeyTable:
    """A table that numbers n-grams by their 48-bit keys: key i of the list has the number i.

    Open addressing with linear probing in a table that is at most a quarter full. Unlike in `vocabulary.Vocabulary` no
    two keys exclude each other, so profiles made separately share one table (Zavarsky et al. 2005, section 2.2:
    "Multi-profile hash containing all quad-grams of all built-in profiles"). Raise a ValueError if a key occurs twice.

    >>> KeyTable(np.array([7, 9], dtype=np.uint64)).find(np.array([9, 8, 7], dtype=np.uint64)).tolist()
    [1, -1, 0]
    """

    def __init__(self, keys: NDArray[np.uint64]) -> None:
        if len(np.unique(keys)) != len(keys):
            raise ValueError("a key occurs twice")
        bits = max(4, (4 * max(len(keys), 1) - 1).bit_length())
        self._shift = np.uint64(64 - bits)
        self._mask = (1 << bits) - 1
        self._keys = np.full(1 << bits, _EMPTY, dtype=np.uint64)
        self._numbers = np.full(1 << bits, -1, dtype=np.int32)
        pending = np.arange(len(keys), dtype=np.int32)
        slots = self._find_slots(keys)
        while len(pending):
            free = np.flatnonzero(self._keys[slots] == _EMPTY)
            _, first = np.unique(slots[free], return_index=True)
            placed = free[first]
            self._keys[slots[placed]] = keys[pending[placed]]
            self._numbers[slots[placed]] = pending[placed]
            colliding = np.ones(len(pending), dtype=np.bool_)
            colliding[placed] = False
            pending, slots = pending[colliding], (slots[colliding] + 1) & self._mask

    def _find_slots(self, keys: NDArray[np.uint64]) -> NDArray[np.int64]:
        return ((keys * _SPREAD) >> self._shift).astype(np.int64)

    def find(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Look up the numbers of keys, (keys,); -1 if the table lacks a key."""
        numbers = np.empty(len(keys), dtype=np.int32)
        _kernels.tally_find(keys=keys, stored=self._keys, numbers=self._numbers, empty=int(_EMPTY), indices=numbers)
        return numbers


@dataclass(frozen=True, slots=True)
class Tally:
    """The distinct n-grams of every row, row after row, in order of appearance."""

    row: NDArray[np.int64]
    key: NDArray[np.uint64]  #: 48 bits
    count: NDArray[np.int64]
    order: NDArray[np.int64]  #: length of the n-gram
    place: NDArray[np.int64]  #: of its first occurrence, an index into the symbols
    totals: NDArray[np.int64]  #: n-grams of each row, repeats included, (rows,)

    def to_matrix(self, table: KeyTable, features: int) -> scipy.sparse.csr_array:
        """Count the n-grams of a table, whose numbers are the columns: float32 CSR (rows, features)."""
        feature = table.find(self.key)
        in_table = feature >= 0
        ends = np.searchsorted(self.row[in_table], np.arange(len(self.totals) + 1))
        data = self.count[in_table].astype(np.float32)
        shape = (len(self.totals), features)
        return scipy.sparse.csr_array((data, feature[in_table], ends.astype(np.int64)), shape=shape)

    def rank_ngrams(self, limit: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rank at most `limit` of the most frequent n-grams of every row.

        The papers do not define the order of equal counts. Here the shorter n-gram comes first, then the earlier one in
        the text, so a rank depends only on the text. Return indices into the arrays of the tally, by row and rank, and
        the ranks from 1 up.
        """
        offsets = np.searchsorted(self.row, np.arange(len(self.totals) + 1)).astype(np.int64)
        size = int(np.minimum(np.diff(offsets), limit).sum())
        chosen, rank = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
        _kernels.tally_ranks(
            count=self.count,
            order=self.order,
            place=self.place,
            offsets=offsets,
            limit=limit,
            chosen=chosen,
            rank=rank,
        )
        return chosen, rank


def tally(letters: Letters, orders: Sequence[int], *, within_words: bool = False) -> Tally:
    """Count all n-grams of the lengths `orders`, 1 to 7, in every row of a batch of characters or bytes.

    If the batch has a margin, n-grams wrap round up to it; else they end with the row. `within_words` leaves out
    n-grams with a space inside; one at either end marks the edge of a word. Raise a ValueError for more than `MAX_ROWS`
    rows or 2 ** 28 symbols.
    """
    rows = len(letters.lengths)
    if rows > MAX_ROWS or len(letters.symbols) >= _MOST_SYMBOLS:
        raise ValueError(f"more than {MAX_ROWS} rows or {_MOST_SYMBOLS} symbols at once")
    sizes = np.array(orders, dtype=np.uint8)
    bound = letters.lengths * len(sizes)
    size = int(bound.sum())
    bits = max(4, int(2 * bound.max(initial=1) - 1).bit_length())
    slots = np.empty(1 << bits, dtype=np.int64)
    row, count, order, place = (np.empty(size, dtype=np.int64) for _ in range(4))
    key, totals = np.empty(size, dtype=np.uint64), np.empty(rows, dtype=np.int64)
    used = _kernels.tally_count(
        symbols=letters.symbols,
        starts=letters.starts,
        lengths=letters.lengths,
        margin=letters.margin,
        orders=sizes,
        within_words=within_words,
        slots=slots,
        entry_row=row,
        entry_key=key,
        entry_count=count,
        entry_order=order,
        entry_place=place,
        totals=totals,
    )
    return Tally(row[:used], key[:used], count[:used], order[:used], place[:used], totals)


def compute_tally_keys(ngrams: Sequence[str]) -> NDArray[np.uint64]:
    """Compute the keys of n-grams as `tally` does, (n-grams,); n-grams of bytes are written as Latin-1.

    >>> len(set(compute_tally_keys(["ab", "ba", "ab"]).tolist()))
    2
    """
    sizes = np.fromiter(map(len, ngrams), dtype=np.int64, count=len(ngrams))
    keys = np.zeros(len(ngrams), dtype=np.uint64)
    for order in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes == order)
        joined = "".join([ngrams[i] for i in chosen.tolist()])
        symbols = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
        keys[chosen] = hash_ngrams(symbols, order)[::order] >> _DROP
    return keys


def decode_ngrams(letters: Letters, place: NDArray[np.int64], order: NDArray[np.int64]) -> list[str]:
    """Decode the n-grams of the given lengths (`order`) at the given places of the symbols."""
    ranges = zip(place.tolist(), order.tolist(), strict=True)
    return ["".join(map(chr, letters.symbols[start : start + size].tolist())) for start, size in ranges]
