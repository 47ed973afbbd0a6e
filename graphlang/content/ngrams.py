"""The counting core: a batch of texts -> which n-grams of a vocabulary each row holds, as one CSR matrix.

Every method over characters counts here. There is no Python loop over n-grams: the n-grams that begin at all places of
the batch get their hash values at once, one order after the other (the hash of n characters is the hash of n - 1
characters times a constant plus one more character), and one table look-up each says which feature that is, if any.

The table is direct-mapped: an n-gram has one slot that it may stand in, `2 ** bits` slots in all. Two features that
want the same slot cannot both be in a vocabulary; `admissible` keeps the first, so that training lists the better one
first. The slot is the first `bits` bits of the mixed hash, and what stands there are the other bits and the number of
the feature: of the n-grams that are no feature, about one in 2 ** (32 - bits) * (slots / features) is taken for one,
fewer than one in 3,000.

A whole word may be a feature too, however long: it is written with the spaces around it (" whole "), and what is of no
more than `MAX_ORDER` characters with them is an n-gram like others. Words are hashed by one cumulative sum: with the
character at place j times c ** j, the sum over a word that begins at a, times c ** -a, is the same wherever it stands.
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
_NOTHING = 0xFFFFFFFF
MAX_ORDER = 5
MOST_BITS = 24
_LONGEST = 40
_NEWLINE = 10


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


def word_hashes(symbols: NDArray[np.uint32], begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint32]:
    """32-bit hash of the words that begin and end (the place after the last letter) at some places."""
    mixed = symbols * _SPREAD
    mixed ^= mixed >> np.uint32(15)
    mixed += np.uint32(1)
    power, inverse = _powers(len(symbols))
    mixed *= power
    total = np.zeros(len(symbols) + 1, dtype=np.uint32)
    np.cumsum(mixed, dtype=np.uint32, out=total[1:])
    value = total[ends] - total[begins]
    value *= inverse[begins]
    value ^= value >> np.uint32(16)  # the low bits of a sum of odd multiples know little of the high ones
    value *= _SPREAD
    return value


class _Powers:
    """The powers of a constant modulo 2 ** 32 and those of its inverse, as many as have been wanted so far."""

    def __init__(self) -> None:
        self.tables = (np.ones(1, dtype=np.uint32), np.ones(1, dtype=np.uint32))

    def __call__(self, number: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        if len(self.tables[0]) < number:
            size = 1 << max(16, (number - 1).bit_length())
            constants = (int(_MULTIPLIER), pow(int(_MULTIPLIER), -1, 1 << 32))
            self.tables = tuple(  # type: ignore[assignment]
                np.cumprod(np.concatenate(([1], np.full(size - 1, c))), dtype=np.uint32) for c in constants
            )
        return self.tables[0][:number], self.tables[1][:number]


_powers = _Powers()


def words(letters: Letters) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the words of a batch begin and end (the place of the space after each); rows must be closed."""
    symbols = letters.symbols
    space = symbols == SPACE
    begin = ~space
    begin[1:] &= space[:-1]
    full = letters.lengths > 0
    begin[letters.starts[full]] = True
    stops = letters.starts + letters.lengths
    for place in range(letters.margin):
        begin[stops + place] = False
        space[stops + place] = False
    return np.flatnonzero(begin), np.flatnonzero(space)


def wide_hashes(symbols: NDArray[np.uint32], order: int) -> NDArray[np.uint64]:
    """64-bit hash of the n-gram that begins at each place, for counting where no vocabulary is known yet."""
    wide = symbols.astype(np.uint64)
    value = (wide + np.uint64(order)) * _WIDE
    for place in range(1, order):
        value = (value[:-1] + wide[place:]) * _WIDE
        value ^= value >> np.uint64(29)
    return value


class Vocabulary:
    """The n-grams and words that are features, in their order, and the table that finds them.

    Args:
        ngrams: Distinct strings of 1 to 5 characters, or longer ones that begin and end with the only spaces in them
            (words), normalised; feature f is `ngrams[f]`. Or one string with all of them, a line each, which takes
            less room.
        bits: Size of the table, log 2 of the number of slots; as `bits_for` says if not given.

    Attributes:
        sizes: Characters of each, uint8.
        orders: The lengths of n-grams that there are.
        has_words: Whether there are longer words.

    Raises:
        ValueError: when an n-gram is empty or longer than five characters and no word, or two want one slot.
    """

    def __init__(self, ngrams: Sequence[str] | str, *, bits: int | None = None) -> None:
        if not isinstance(ngrams, str) and "" in ngrams:
            raise ValueError("an n-gram has one character at least")
        self._lines = ngrams if isinstance(ngrams, str) else "\n".join(ngrams)
        keys, self.sizes = _keys_of_lines(self._lines)
        sizes = self.sizes
        self._size = len(keys)
        self.bits = bits_for(self._size) if bits is None else bits
        self.orders = tuple(np.unique(sizes[sizes <= MAX_ORDER]).tolist())
        self.has_words = bool((sizes > MAX_ORDER).any())
        mixed = _mix(keys)
        slots = mixed >> np.uint32(32 - self.bits)
        taken = np.zeros(1 << self.bits, dtype=np.bool_)
        taken[slots] = True
        if np.count_nonzero(taken) != len(slots):
            raise ValueError("two n-grams of the vocabulary stand in one slot")
        # An empty slot holds a number that no feature has.
        self._table = np.full(1 << self.bits, (1 << self.bits) - 1, dtype=np.uint32)
        self._table[slots] = (mixed << np.uint32(self.bits)) | np.arange(len(keys), dtype=np.uint32)
        if self._size == 1 << self.bits:
            raise ValueError("as many n-grams as slots")

    @property
    def ngrams(self) -> tuple[str, ...]:
        """The n-grams and words."""
        return tuple(self._lines.split("\n")) if self._size else ()

    def __len__(self) -> int:
        return self._size

    @property
    def margin(self) -> int:
        """Places after each row that `find` needs."""
        return max(self.orders, default=1) - 1

    def find(self, letters: Letters) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Features of every row, repeats included, in the order in which they begin.

        Returns:
            `(features, offsets)`: row r holds `features[offsets[r] : offsets[r + 1]]`.
        """
        width = len(self.orders) + self.has_words
        symbols = letters.symbols
        found = np.full((width, len(symbols)), _NOTHING, dtype=np.uint32)
        value = symbols + np.uint32(1)
        value *= _MULTIPLIER
        column = 0
        for order in range(1, max(self.orders, default=0) + 1):
            if order > 1:
                value = _longer(value, symbols, order - 1)
            if order not in self.orders:
                continue
            found[column, : len(value)] = self._look_up(value)
            column += 1
        ends = letters.starts + letters.lengths
        for place in range(letters.margin):
            found[:, ends + place] = _NOTHING  # what begins in the margin has been counted at the row's beginning
        if self.has_words:
            begins, stops = words(letters)
            long = stops - begins > MAX_ORDER - 2
            begins, stops = begins[long], stops[long]
            found[column, begins] = self._look_up(word_hashes(symbols, begins, stops))
        flat = found.T.reshape(-1)
        where = np.flatnonzero(flat < self._size)
        offsets = np.searchsorted(where, np.append(letters.starts, len(symbols)) * width)
        return flat[where].view(np.int32), offsets.astype(np.int64)

    def _look_up(self, keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """The features of some hashes; numbers beyond the last feature for those that have none."""
        mixed = _mix(keys)
        entry = self._table.take(mixed >> np.uint32(32 - self.bits), mode="clip")
        mixed <<= np.uint32(self.bits)
        entry ^= mixed  # what is left of equal bits is the number of the feature
        return entry

    def count(self, letters: Letters) -> sparse.csr_array:
        """How often each feature stands in each row: int32 CSR (rows, features), sorted, without duplicates."""
        features, offsets = self.find(letters)
        ones = np.ones(len(features), dtype=np.int32)
        matrix = sparse.csr_array((ones, features, offsets), shape=(len(letters.lengths), len(self)))
        matrix.sum_duplicates()
        return matrix


def keys_of(ngrams: Sequence[str]) -> NDArray[np.uint32]:
    """The 32-bit hash of each of some n-grams and words, the one that is worked out where it stands in a text.

    Raises:
        ValueError: one is empty, or longer than five characters and no word between spaces.
    """
    return _keys_of_lines("\n".join(ngrams))[0]


def _keys_of_lines(lines: str, part: int = 1 << 18) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    keys, sizes = [np.zeros(0, dtype=np.uint32)], [np.zeros(0, dtype=np.uint8)]
    begin = 0
    while begin < len(lines):  # by parts, so that a large vocabulary takes little room
        end = lines.find("\n", begin + part)
        end = len(lines) if end < 0 else end
        some, of_size = _keys_of_part(lines[begin:end] + "\n")
        keys.append(some)
        sizes.append(of_size)
        begin = end + 1
    return np.concatenate(keys), np.concatenate(sizes)


def _keys_of_part(lines: str) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    symbols = np.frombuffer(lines.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint32)
    ends = np.flatnonzero(symbols == _NEWLINE)
    begins = np.append(0, ends[:-1] + 1)
    sizes = ends - begins
    if sizes.min() < 1 or sizes.max() > _LONGEST:
        raise ValueError(f"an n-gram has one character at least, a word {_LONGEST} at most")
    keys = np.zeros(len(sizes), dtype=np.uint32)
    for order in range(1, MAX_ORDER + 1):
        chosen = np.flatnonzero(sizes == order)
        if len(chosen):
            keys[chosen] = hashes(symbols, order)[begins[chosen]]
    long = np.flatnonzero(sizes > MAX_ORDER)
    if len(long):
        spaces = np.append(0, np.cumsum(symbols == SPACE))
        first, last = begins[long], ends[long]
        parted = (symbols[first] == SPACE) & (symbols[last - 1] == SPACE) & (spaces[last] - spaces[first] == 2)  # noqa: PLR2004
        if not parted.all():
            raise ValueError(f"n-grams have 1 to {MAX_ORDER} characters, or are words between spaces")
        keys[long] = word_hashes(symbols, first + 1, last - 1)
    return keys, sizes.astype(np.uint8)


def bits_for(features: int) -> int:
    """Log 2 of the slots for so many features: a million at least, and three times as many as features.

    >>> bits_for(170_000), bits_for(600_000)
    (20, 21)
    """
    return max(20, (3 * features - 1).bit_length())


def slots_of(keys: NDArray[np.uint32], bits: int) -> NDArray[np.uint32]:
    """The slot of the table that an n-gram stands in, from its hash."""
    return _mix(keys) >> np.uint32(32 - bits)


def _mix(keys: NDArray[np.uint32]) -> NDArray[np.uint32]:
    mixed = keys * _SPREAD
    mixed ^= mixed >> np.uint32(15)
    mixed *= _MULTIPLIER
    return mixed


def admissible(ngrams: Sequence[str], *, bits: int) -> NDArray[np.int64]:
    """Which of the n-grams can stand together in one table: of those that want one slot, the first."""
    _, first = np.unique(slots_of(keys_of(ngrams), bits), return_index=True)
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


__all__ = [
    "MAX_ORDER",
    "MOST_BITS",
    "SPACE",
    "Letters",
    "Vocabulary",
    "admissible",
    "bits_for",
    "blocks",
    "normalise",
    "wide_hashes",
    "word_hashes",
    "words",
]
