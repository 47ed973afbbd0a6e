"""The counting core: a batch of texts -> which n-grams of a vocabulary each row holds, as one CSR matrix.

Every method over characters counts here. There is no Python loop over n-grams: the n-grams that begin at all places of
the batch get their hash values at once, one order after the other (the hash of n characters is the hash of n - 1
characters times a constant plus one more character), and one table look-up each says which feature that is, if any.

The table is direct-mapped: an n-gram has one slot that it may stand in, `2 ** bits` slots in all. Two features that
want the same slot cannot both be in a vocabulary; `Vocabulary.admissible` keeps the first, so that training lists the
better one first. A slot holds the whole hash value beside the feature's number, so that of the n-grams that are no
feature about one in 2 ** (32 - bits) * (slots / features) is taken for one: fewer than one in 50,000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphlang.content.normalise import SPACE, Letters, normalise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_MULTIPLIER = np.uint32(0x9E3779B1)  # odd, near 2 ** 32 / golden ratio
_SPREAD = np.uint32(0x85EBCA6B)
_WIDE = np.uint64(0x9E3779B97F4A7C15)
_EMPTY = np.uint64(0xFFFFFFFF)
MAX_ORDER = 5


def hashes(symbols: NDArray[np.uint32], order: int) -> NDArray[np.uint32]:
    """32-bit hash of the n-gram of `order` characters that begins at each place (the last places have none)."""
    value = symbols + np.uint32(1)
    value *= _MULTIPLIER
    for place in range(1, order):
        value = _longer(value, symbols, place)
    return value


def _longer(value: NDArray[np.uint32], symbols: NDArray[np.uint32], place: int) -> NDArray[np.uint32]:
    longer = value[:-1] + symbols[place:]
    longer *= _MULTIPLIER
    return longer


def wide_hashes(symbols: NDArray[np.uint32], order: int) -> NDArray[np.uint64]:
    """64-bit hash of the n-gram that begins at each place, for counting where no vocabulary is known yet."""
    wide = symbols.astype(np.uint64)
    value = (wide + np.uint64(order)) * _WIDE
    for place in range(1, order):
        value = (value[:-1] + wide[place:]) * _WIDE
        value ^= value >> np.uint64(29)
    return value


class Vocabulary:
    """The n-grams that are features, in their order, and the table that finds them.

    Args:
        ngrams: Distinct strings of 1 to 5 characters, normalised; feature f is `ngrams[f]`.
        bits: Size of the table, log 2 of the number of slots.

    Raises:
        ValueError: when an n-gram is empty or longer than five characters, or two of them want one slot.
    """

    def __init__(self, ngrams: Sequence[str], *, bits: int = 20) -> None:
        self.ngrams = tuple(ngrams)
        self.bits = bits
        sizes = np.fromiter(map(len, self.ngrams), dtype=np.int64, count=len(self.ngrams))
        if len(sizes) and not 1 <= sizes.min() <= sizes.max() <= MAX_ORDER:
            raise ValueError(f"n-grams have 1 to {MAX_ORDER} characters")
        self.orders = tuple(np.unique(sizes).tolist())
        self._table = np.full(1 << bits, _EMPTY, dtype=np.uint64)
        keys = keys_of(self.ngrams, sizes)
        slots = self._slots(keys)
        if len(np.unique(slots)) != len(slots):
            raise ValueError("two n-grams of the vocabulary stand in one slot")
        self._table[slots] = (keys.astype(np.uint64) << np.uint64(32)) | np.arange(len(keys), dtype=np.uint64)

    def __len__(self) -> int:
        return len(self.ngrams)

    def _slots(self, keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
        return slots_of(keys, self.bits)

    def find(self, letters: Letters) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Features of every row in the order of the text, repeats included.

        Returns:
            `(features, offsets)`: row r holds `features[offsets[r] : offsets[r + 1]]`.
        """
        width = len(self.orders)
        symbols = letters.symbols
        found = np.full((width, len(symbols)), -1, dtype=np.int32)
        value = symbols + np.uint32(1)
        value *= _MULTIPLIER
        column = 0
        for order in range(1, max(self.orders, default=0) + 1):
            if order > 1:
                value = _longer(value, symbols, order - 1)
            if order not in self.orders:
                continue
            entry = self._table.take(slots_of(value, self.bits), mode="clip").view(np.uint32)
            np.copyto(found[column, : len(value)], entry[::2].view(np.int32), where=entry[1::2] == value)
            column += 1
        ends = letters.starts + letters.lengths
        for place in range(letters.margin):
            found[:, ends + place] = -1  # what begins in the margin has been counted at the row's beginning
        flat = found.T.reshape(-1)
        where = np.flatnonzero(flat >= 0)
        offsets = np.searchsorted(where, np.append(letters.starts, len(symbols)) * width)
        return flat[where], offsets.astype(np.int64)

    def count(self, letters: Letters) -> sparse.csr_array:
        """How often each feature stands in each row: int32 CSR (rows, features), sorted, without duplicates."""
        features, offsets = self.find(letters)
        ones = np.ones(len(features), dtype=np.int32)
        matrix = sparse.csr_array((ones, features, offsets), shape=(len(letters.lengths), len(self)))
        matrix.sum_duplicates()
        return matrix


def keys_of(ngrams: Sequence[str], sizes: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The 32-bit hash of each of some n-grams, the one that `hashes` gives where it stands in a text."""
    keys = np.zeros(len(ngrams), dtype=np.uint32)
    for order in np.unique(sizes).tolist():
        chosen = np.flatnonzero(sizes == order)
        joined = "".join(ngrams[i] for i in chosen.tolist())
        symbols = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
        keys[chosen] = hashes(symbols, order)[::order]
    return keys


def slots_of(keys: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    """The slot of the table that an n-gram stands in, from its hash."""
    slots = keys * _SPREAD
    slots ^= slots >> np.uint32(15)
    slots *= _MULTIPLIER
    slots >>= np.uint32(32 - bits)
    return slots


def admissible(ngrams: Sequence[str], *, bits: int = 20) -> NDArray[np.int64]:
    """Which of the n-grams can stand together in one table: of those that want one slot, the first."""
    sizes = np.fromiter(map(len, ngrams), dtype=np.int64, count=len(ngrams))
    _, first = np.unique(slots_of(keys_of(ngrams, sizes), bits), return_index=True)
    return np.sort(first)


def blocks(texts: Sequence[str], *, limit: int, characters: int = 1 << 15) -> list[tuple[int, int]]:
    """Cut a batch into runs of rows of about `characters` characters, so that all arrays stay in the cache.

    Each row counts eight more than it has, for what it costs apart from its length.

    >>> blocks(["aaaa", "bb", "c"], limit=3, characters=25)
    [(0, 2), (2, 3)]
    """
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    ends = np.cumsum(np.minimum(sizes, limit) + 8)
    runs: list[tuple[int, int]] = []
    start = 0
    while start < len(texts):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + characters, side="right")))
        runs.append((start, stop))
        start = stop
    return runs


__all__ = ["MAX_ORDER", "SPACE", "Letters", "Vocabulary", "admissible", "blocks", "normalise", "wide_hashes"]
