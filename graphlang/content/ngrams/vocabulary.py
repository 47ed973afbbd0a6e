"""The counting core: a batch of texts -> which n-grams of a vocabulary each row holds, as one CSR matrix.

Every method over characters counts here, in a kernel in C (`native/ngrams.c`): the hash of n characters is that
of n - 1 characters plus one more character, times a constant, and one table look-up says which feature that is, if any.

The table is direct-mapped: an n-gram has one slot that it may stand in, `2 ** bits` slots in all. Two features that
want the same slot cannot both be in a vocabulary; `admissible` keeps the first, so that training lists the better one
first. The slot is the first `bits` bits of the mixed hash, and what stands there are the other bits and the number of
the feature: of the n-grams that are no feature, about one in 2 ** (32 - bits) * (slots / features) is taken for one,
fewer than one in 2,000. Most slots are empty. They have a bit each that says so, and no room: with 8,000,000 slots for
1,400,000 features, bits and entries take 7 MB, of which most look-ups need no more than the megabyte of bits.

A whole word may be a feature too, however long: it is written with the spaces around it (" whole "), and what is of no
more than `MAX_ORDER` characters with them is an n-gram like others. The hash of a word is the sum of its mixed letters,
the j-th of them times c ** j.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.text.normalise import SPACE, Letters, normalise
from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray
    from scipy import sparse

_WIDE = np.uint64(0x9E3779B97F4A7C15)
MAX_ORDER = 5
MOST_BITS = 24
LONGEST = 40  # characters of a word that is a feature, with its spaces

_kernels = Kernels("graphlang.content.native._ngrams")


def word_hashes(symbols: NDArray[np.uint32], begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint32]:
    """32-bit hash of each word, (words,).

    Args:
        symbols: Of a batch of texts.
        begins: Where each word begins, (words,).
        ends: The place after its last letter, (words,).

    Raises:
        KernelError: a place is outside the symbols.
    """
    keys = np.empty(len(begins), dtype=np.uint32)
    _kernels.ngrams_word_keys(symbols=symbols, begins=begins, ends=ends, keys=keys)
    return keys


def words(letters: Letters) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the words of a batch begin and end (the place after the last letter of each)."""
    letter = letters.symbols != SPACE
    full = letters.lengths > 0
    starts, stops = letters.starts[full], (letters.starts + letters.lengths)[full]
    for place in range(letters.margin):
        letter[letters.starts + letters.lengths + place] = False
    begin, end = letter.copy(), letter.copy()
    begin[1:] &= ~letter[:-1]
    end[:-1] &= ~letter[1:]
    begin[starts] = True
    end[stops - 1] = letter[stops - 1]
    return np.flatnonzero(begin), np.flatnonzero(end) + 1


def wide_hashes(symbols: NDArray[np.uint32], order: int) -> NDArray[np.uint64]:
    """64-bit hash of the n-gram that begins at each place, for counting where no vocabulary is known yet.

    Args:
        symbols: Of a batch of texts.
        order: Length of the n-grams.
    """
    wide = symbols.astype(np.uint64)
    value = (wide + np.uint64(order)) * _WIDE
    for place in range(1, order):
        value = (value[:-1] + wide[place:]) * _WIDE
        value ^= value >> np.uint64(29)
    return value


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


class Vocabulary(Table):
    """The n-grams and words that are features, in their order, and the table that finds them.

    Args:
        ngrams: Distinct strings of 1 to 5 characters, or longer ones that begin and end with the only spaces in them
            (words), normalised; feature f is `ngrams[f]`. Or all of them in UTF-8, a line each, which takes less room
            and time.
        bits: Size of the table, log 2 of the number of slots; as `bits_for` says if not given.

    Attributes:
        lines: All of them in UTF-8, a line each.
        sizes: Characters of each, uint8.
        orders: The lengths of n-grams that there are.
        has_words: Whether there are longer words.

    Raises:
        ValueError: when an n-gram is empty or longer than five characters and no word, or two want one slot.
    """

    def __init__(self, ngrams: Sequence[str] | bytes, *, bits: int | None = None) -> None:
        if not isinstance(ngrams, bytes) and "" in ngrams:
            raise ValueError("an n-gram has one character at least")
        self.lines: NDArray[np.uint8] | bytes = ngrams if isinstance(ngrams, bytes) else _lines(ngrams)
        keys, self.sizes = _keys_of_lines(self.lines, most=1 << MOST_BITS)
        orders, has_words = _kinds(self.sizes)
        super().__init__(keys, orders, has_words=has_words, bits=bits)

    @classmethod
    def of(
        cls,
        lines: NDArray[np.uint8],
        sizes: NDArray[np.uint8],
        marks: NDArray[np.uint64],
        entries: NDArray[np.uint32],
        *,
        bits: int | None = None,
    ) -> Self:
        """The same of its parts.

        Args:
            lines: As the attribute has them.
            sizes: As the attribute has them.
            marks: As the attribute has them.
            entries: As the attribute has them.
            bits: As given to make it.

        Raises:
            ValueError: they do not fit one another.
        """
        if len(sizes) != len(entries):
            raise ValueError("not as many entries as n-grams")
        orders, has_words = _kinds(sizes)
        bits = bits_for(len(sizes)) if bits is None else bits
        made = cls.ready(marks, entries, orders, bits=bits, has_words=has_words)
        made.lines, made.sizes = lines, sizes
        return made

    @property
    def ngrams(self) -> tuple[str, ...]:
        """The n-grams and words."""
        return tuple(bytes(self.lines).decode("utf-8", "surrogatepass").split("\n")) if self._size else ()

    def count(self, letters: Letters) -> sparse.csr_array:
        """How often each feature stands in each row: int32 CSR (rows, features), sorted, without duplicates."""
        from scipy import sparse  # noqa: PLC0415 - takes as long as loading a model, which does without

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
    keys, _ = _keys_of_lines(_lines(ngrams), most=len(ngrams))
    if len(keys) < len(ngrams):
        raise ValueError("an n-gram has one character at least")
    return keys


def lengths_among(sizes: NDArray[np.uint8]) -> list[int]:
    """The lengths that some n-grams and words have, ascending; counting them takes ten times as long.

    Args:
        sizes: Characters of each.

    >>> lengths_among(np.array([3, 1, 3, 9], dtype=np.uint8))
    [1, 3, 9]
    """
    written = sizes.tobytes()
    return [length for length in range(1, LONGEST + 1) if bytes((length,)) in written]


def _kinds(sizes: NDArray[np.uint8]) -> tuple[tuple[int, ...], bool]:
    """The lengths of n-grams among some n-grams and words, and whether there are longer words."""
    there = lengths_among(sizes)
    orders = tuple(length for length in there if length <= MAX_ORDER)
    return orders, len(there) > len(orders)


def _lines(ngrams: Sequence[str]) -> bytes:
    return "\n".join(ngrams).encode("utf-8", "surrogatepass")


def _keys_of_lines(lines: bytes, *, most: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    text = np.frombuffer(lines, dtype=np.uint8)
    number = int(np.count_nonzero(text == ord("\n"))) + bool(lines)
    if number > most:
        raise ValueError(f"{number:,} n-grams where there is room for {most:,}")
    keys, sizes = np.empty(number, dtype=np.uint32), np.empty(number, dtype=np.uint8)
    sound = _kernels.ngrams_keys(lines=text, longest=LONGEST, keys=keys, sizes=sizes)
    if sound < number:
        raise ValueError(
            f"n-gram {sound + 1:,} of {number:,} has not 1 to {MAX_ORDER} characters,"
            f" and is no word of {LONGEST} at most between spaces"
        )
    return keys, sizes


def _words(bits: int) -> int:
    """Numbers of 64 bits that the marks of a table have."""
    return max(1, (1 << bits) // 64)


def bits_for(features: int) -> int:
    """Log 2 of the slots for so many features: a million at least, and three times as many as features.

    >>> bits_for(170_000), bits_for(600_000)
    (20, 21)
    """
    return max(20, (3 * features - 1).bit_length())


def admissible(ngrams: Sequence[str], *, bits: int) -> NDArray[np.int64]:
    """Which of the n-grams can stand together in one table, ascending: of those that want one slot, the first.

    Args:
        ngrams: N-grams and words.
        bits: Size of the table, log 2 of the number of slots.
    """
    _, first = np.unique(slots_of(keys_of(ngrams), bits=bits), return_index=True)
    return np.sort(first)


def slots_of(keys: NDArray[np.uint32], *, bits: int) -> NDArray[np.uint32]:
    """The slot of a table that each n-gram wants, (n-grams,).

    Args:
        keys: Of n-grams and words (`keys_of`), (n-grams,).
        bits: Size of the table, log 2.
    """
    slots = np.empty_like(keys)
    _kernels.ngrams_slots(keys=keys, bits=bits, slots=slots)
    return slots


def blocks(texts: Sequence[str], *, limit: int, characters: int = 1 << 15) -> list[tuple[int, int]]:
    """Cut a batch into runs of rows of about `characters` characters, so that all arrays stay in the cache.

    Each row counts eight more than it has, for what it costs apart from its length.

    Args:
        texts: Any strings.
        limit: Characters of a text that are looked at.
        characters: Of a run.

    >>> blocks(["aaaa", "bb", "c"], limit=3, characters=25)
    [(0, 2), (2, 3)]
    """
    sizes = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    return runs(np.minimum(sizes, limit), characters)


def runs(sizes: NDArray[np.int64], characters: int) -> list[tuple[int, int]]:
    """Cut a batch of texts of so many characters each, as `blocks` does.

    Args:
        sizes: Characters of each text, (texts,).
        characters: Of a run.
    """
    ends = np.cumsum(sizes + 8)
    found: list[tuple[int, int]] = []
    start = 0
    while start < len(sizes):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + characters, side="right")))
        found.append((start, stop))
        start = stop
    return found


__all__ = [
    "LONGEST",
    "MAX_ORDER",
    "MOST_BITS",
    "SPACE",
    "Letters",
    "Table",
    "Vocabulary",
    "admissible",
    "bits_for",
    "blocks",
    "lengths_among",
    "normalise",
    "runs",
    "slots_of",
    "wide_hashes",
    "word_hashes",
    "words",
]
