"""Finds n-grams and words in a batch of texts by their keys, in a kernel in C (`native/ngrams.c`).

The table is direct-mapped: an n-gram has one slot that it may stand in, `2 ** bits` slots in all. Two features that
want the same slot cannot both be in a vocabulary; `vocabulary.admissible` keeps the first, so that training lists the
better one first. The slot is the first `bits` bits of the mixed hash, and what stands there are the other bits and the
number of the feature: of the n-grams that are no feature, about one in 2 ** (32 - bits) * (slots / features) is taken
for one, fewer than one in 2,000. Most slots are empty. They have a bit each that says so, and no room: with 8,000,000
slots for 1,400,000 features, bits and entries take 7 MB, of which most look-ups need no more than the megabyte of bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.native import ngrams as _kernels

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    from graphlang.content.text.normalise import Letters

MOST_BITS = 24  #: of a table


class Table:
    """Finds n-grams and words by their keys; each has a number.

    Args:
        keys: 32-bit hashes (`keys_of`); feature f is `keys[f]`.
        orders: The lengths of n-grams that there are.
        has_words: Whether there are words that are longer.
        bits: Size of the table, log 2 of the number of slots; as `bits_for` says if not given.

    Attributes:
        orders: As given.
        has_words: As given.
        bits: Size of the table.
        marks: A bit for each slot, set where a feature stands in it, 64 to a number.
        entries: Of those slots, in their order, the number of the feature and, before it, as many bits of its hash as
            the slot does not say.

    Raises:
        ValueError: when two want one slot.
    """

    def __init__(
        self, keys: NDArray[np.uint32], orders: Sequence[int], *, has_words: bool, bits: int | None = None
    ) -> None:
        self._size = len(keys)
        self.bits = bits_for(self._size) if bits is None else bits
        self.orders = tuple(orders)
        self.has_words = has_words
        if self._size >= 1 << self.bits:
            raise ValueError("as many n-grams as slots")
        self.marks = np.empty(_words(self.bits), dtype=np.uint64)
        self._before = np.empty(len(self.marks), dtype=np.uint32)
        self.entries = np.empty(self._size, dtype=np.uint32)
        placed = _kernels.ngrams_fill(
            keys=keys, bits=self.bits, marks=self.marks, before=self._before, entries=self.entries
        )
        if placed < self._size:
            raise ValueError(f"two n-grams of the vocabulary stand in one slot, one of them the {placed + 1:,}th")

    @classmethod
    def ready(
        cls,
        marks: NDArray[np.uint64],
        entries: NDArray[np.uint32],
        orders: Sequence[int],
        *,
        bits: int,
        has_words: bool,
    ) -> Self:
        """The same of its parts.

        Args:
            marks: As the attribute has them.
            entries: As the attribute has them.
            orders: As given to make it.
            bits: As the attribute has them.
            has_words: As given to make it.

        Raises:
            ValueError: they do not fit one another.
        """
        made = cls.__new__(cls)
        before = np.empty(len(marks), dtype=np.uint32)
        if len(marks) != _words(bits) or _kernels.ngrams_rank(marks=marks, before=before) != len(entries):
            raise ValueError("marks and entries that do not fit one another")
        made.marks, made.entries, made._before, made._size = marks, entries, before, len(entries)  # noqa: SLF001 - of this class
        made.bits, made.orders, made.has_words = bits, tuple(orders), has_words
        return made

    def __len__(self) -> int:
        return self._size

    @property
    def margin(self) -> int:
        """Places after each row that `find` needs."""
        return max(self.orders, default=1) - 1

    def find(
        self, letters: Letters, *, only: int | None = None, step: int = 1, words: bool = True
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Features of every row, repeats included, in the order in which they begin.

        Args:
            letters: The rows.
            only: Of n-grams those of this length, besides words; all of them if not given.
            step: Of n-grams those that begin at a multiple of so many characters, a power of two up to 128.
            words: Whether words longer than n-grams are found.

        Returns:
            `(features, offsets)`: row r holds `features[offsets[r] : offsets[r + 1]]`.

        Raises:
            ValueError: the batch has fewer places after each row than `margin`.
        """
        if letters.margin < self.margin:
            raise ValueError(f"{self.margin} places after each row are needed, and there are {letters.margin}")
        orders = self.orders if only is None else {only}.intersection(self.orders)
        wanted = sum(1 << order for order in orders) | (words and self.has_words)
        out = np.empty(int(letters.lengths.sum()) * wanted.bit_count(), dtype=np.int32)
        offsets = np.empty(len(letters.lengths) + 1, dtype=np.int64)
        found = _kernels.ngrams_find(
            symbols=letters.symbols,
            starts=letters.starts,
            lengths=letters.lengths,
            margin=letters.margin,
            marks=self.marks,
            before=self._before,
            entries=self.entries,
            bits=self.bits,
            wanted=wanted,
            step=step,
            out=out,
            offsets=offsets,
        )
        return out[:found], offsets


def bits_for(features: int) -> int:
    """Log 2 of the slots for so many features: a million at least, and three times as many as features.

    >>> bits_for(170_000), bits_for(600_000)
    (20, 21)
    """
    return max(20, (3 * features - 1).bit_length())


def slots_of(keys: NDArray[np.uint32], *, bits: int) -> NDArray[np.uint32]:
    """The slot of a table that each n-gram wants, (n-grams,).

    Args:
        keys: Of n-grams and words (`keys_of`), (n-grams,).
        bits: Size of the table, log 2.
    """
    slots = np.empty_like(keys)
    _kernels.ngrams_slots(keys=keys, bits=bits, slots=slots)
    return slots


def _words(bits: int) -> int:
    """Numbers of 64 bits that the marks of a table have."""
    return max(1, (1 << bits) // 64)
