"""The vocabulary of a method, and the table that finds its n-grams and words in a batch of texts.

A kernel in C (`native/ngrams.c`) hashes the characters from each place on (`keys`) and looks the hash up. The table is
direct-mapped: an n-gram has one possible slot among ``2 ** bits``, the first bits of its mixed hash. Two features with
the same slot cannot both be in a vocabulary; `find_admissible` keeps the first, so training lists the better one first.
A slot holds the other bits of the hash and the number of the feature: fewer than one in 2,000 of the n-grams outside
the vocabulary is found as a feature. Most slots are empty and cost one bit each: with 8,000,000 slots for 1,400,000
features the table has 7 MB, of which most look-ups need only the megabyte of bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.native import ngrams as _kernels
from graphlang.content.ngrams.keys import LONGEST, MAX_ORDER, compute_keys, compute_line_keys, encode_lines
from graphlang.modelfile import Model, ModelError, damage_error, take_array, take_cached

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.content.text.normalise import Letters

MOST_BITS = 24  #: of a table


class NgramTable:
    """Finds n-grams and words by their keys; each has a number.

    Feature f is `keys[f]`, a 32-bit hash (`keys_of`). `orders` are the lengths of the n-grams; with `has_words` there
    are longer words. `bits` is the log 2 of the number of slots, by default `choose_bits`. `marks` has a bit for each
    slot, set if it holds a feature, 64 to a number; `entries` of those slots, in their order, the number of the feature
    and the remaining bits of its hash. Raise a ValueError if two features have one slot.
    """

    def __init__(
        self, keys: NDArray[np.uint32], orders: Sequence[int], *, has_words: bool, bits: int | None = None
    ) -> None:
        self._size = len(keys)
        self.bits = choose_bits(self._size) if bits is None else bits
        self.orders = tuple(orders)
        self.has_words = has_words
        if self._size >= 1 << self.bits:
            raise ValueError("as many n-grams as slots")
        self.marks = np.empty(_count_marks(self.bits), dtype=np.uint64)
        self._ranks = np.empty(len(self.marks), dtype=np.uint32)
        self.entries = np.empty(self._size, dtype=np.uint32)
        placed = _kernels.ngrams_fill(
            keys=keys, bits=self.bits, marks=self.marks, ranks=self._ranks, entries=self.entries
        )
        if placed < self._size:
            raise ValueError(f"two n-grams of the vocabulary have one slot, one of them the {placed + 1:,}th")

    @classmethod
    def from_arrays(
        cls,
        marks: NDArray[np.uint64],
        entries: NDArray[np.uint32],
        orders: Sequence[int],
        *,
        bits: int,
        has_words: bool,
    ) -> Self:
        """Make a table from its attributes; raise a ValueError if they do not fit each other."""
        table = cls.__new__(cls)
        ranks = np.empty(len(marks), dtype=np.uint32)
        if len(marks) != _count_marks(bits) or _kernels.ngrams_rank(marks=marks, ranks=ranks) != len(entries):
            raise ValueError("marks and entries do not fit each other")
        table.marks, table.entries, table._ranks, table._size = marks, entries, ranks, len(entries)  # noqa: SLF001 - of this class
        table.bits, table.orders, table.has_words = bits, tuple(orders), has_words
        return table

    def __len__(self) -> int:
        return self._size

    @property
    def margin(self) -> int:
        """Places after each row that `find` needs."""
        return max(self.orders, default=1) - 1

    def find(
        self, letters: Letters, *, only: int | None = None, step: int = 1, with_words: bool = True
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Find the features of every row, repeats included, in the order in which they begin.

        Row r has `features[offsets[r] : offsets[r + 1]]` of the result `(features, offsets)`. With `only`, n-grams of
        other lengths are left out; with `step`, those that do not begin at a multiple of it, a power of two up to 128;
        without `with_words`, words longer than n-grams. Raise a ValueError if the rows have a margin of less than
        `margin` places.
        """
        if letters.margin < self.margin:
            raise ValueError(f"{self.margin} places after each row are needed, and there are {letters.margin}")
        orders = self.orders if only is None else {only}.intersection(self.orders)
        kinds = sum(1 << order for order in orders) | (with_words and self.has_words)
        out = np.empty(int(letters.lengths.sum()) * kinds.bit_count(), dtype=np.int32)
        offsets = np.empty(len(letters.lengths) + 1, dtype=np.int64)
        number = _kernels.ngrams_find(
            symbols=letters.symbols,
            starts=letters.starts,
            lengths=letters.lengths,
            margin=letters.margin,
            marks=self.marks,
            ranks=self._ranks,
            entries=self.entries,
            bits=self.bits,
            kinds=kinds,
            step=step,
            out=out,
            offsets=offsets,
        )
        return out[:number], offsets


class Vocabulary(NgramTable):
    """The n-grams and words of a method, in their order.

    Feature f is `ngrams[f]`: distinct normalised strings of 1 to 5 characters, or longer words between two spaces.
    `ngrams` may also be all of them in UTF-8, a line each, like `lines`; that takes less memory and time. `sizes` are
    the characters of each, uint8. `bits` is as in `NgramTable`. Raise a ValueError if an n-gram is empty, or longer
    than five characters and not a word, or if two have the same slot.
    """

    def __init__(self, ngrams: Sequence[str] | bytes, *, bits: int | None = None) -> None:
        if not isinstance(ngrams, bytes) and "" in ngrams:
            raise ValueError("an n-gram has one character at least")
        self.lines: NDArray[np.uint8] | bytes = ngrams if isinstance(ngrams, bytes) else encode_lines(ngrams)
        keys, self.sizes = compute_line_keys(self.lines, limit=1 << MOST_BITS)
        orders, has_words = _split_lengths(self.sizes)
        super().__init__(keys, orders, has_words=has_words, bits=bits)

    @classmethod
    def from_parts(
        cls,
        lines: NDArray[np.uint8],
        sizes: NDArray[np.uint8],
        marks: NDArray[np.uint64],
        entries: NDArray[np.uint32],
        *,
        bits: int | None = None,
    ) -> Self:
        """Make a vocabulary from its attributes; raise a ValueError if they do not fit each other."""
        if len(sizes) != len(entries):
            raise ValueError("not as many entries as n-grams")
        orders, has_words = _split_lengths(sizes)
        bits = choose_bits(len(sizes)) if bits is None else bits
        vocabulary = cls.from_arrays(marks, entries, orders, bits=bits, has_words=has_words)
        vocabulary.lines, vocabulary.sizes = lines, sizes
        return vocabulary

    @property
    def ngrams(self) -> tuple[str, ...]:
        """The n-grams and words."""
        return tuple(bytes(self.lines).decode("utf-8", "surrogatepass").split("\n")) if self._size else ()

    def count(self, letters: Letters) -> sparse.csr_array:
        """Count each feature in each row: int32 CSR (rows, features), sorted, without duplicates."""
        from scipy import sparse  # noqa: PLC0415 - takes as long to import as a model to load

        features, offsets = self.find(letters)
        ones = np.ones(len(features), dtype=np.int32)
        matrix = sparse.csr_array((ones, features, offsets), shape=(len(letters.lengths), len(self)))
        matrix.sum_duplicates()
        return matrix


def read_vocabulary(model: Model, source: str) -> Vocabulary:
    """Read the vocabulary of a model file; raise a ModelError if it is missing or damaged."""
    bits: Any = model.parameters.get("bits")
    if bits is not None and (type(bits) is not int or not 1 <= bits <= MOST_BITS):
        raise ModelError(f"{source}: its parameter bits is not 1 to {MOST_BITS}")
    marks = take_cached(model, "marks", "u8", None, source)
    if marks is not None:
        cached = (
            take_cached(model, n, k, None, source) for n, k in (("ngrams", "u1"), ("sizes", "u1"), ("entries", "u4"))
        )
        lines, sizes, entries = (array for array in cached if array is not None)
        try:
            return Vocabulary.from_parts(lines, sizes, marks, entries, bits=bits)
        except ValueError as error:
            raise damage_error(source) from error
    packed = take_array(model, "ngrams", "u1", (None,), source)
    try:
        return Vocabulary(packed.tobytes(), bits=bits)
    except ValueError as error:
        raise ModelError(f"{source}: its n-grams are damaged ({error})") from error


def choose_bits(features: int) -> int:
    """Choose the log 2 of the number of slots: a million at least, and three times as many as features.

    >>> choose_bits(170_000), choose_bits(600_000)
    (20, 21)
    """
    return max(20, (3 * features - 1).bit_length())


def find_slots(keys: NDArray[np.uint32], *, bits: int) -> NDArray[np.uint32]:
    """Compute the slot of each key in a table of ``2 ** bits`` slots, (keys,)."""
    slots = np.empty_like(keys)
    _kernels.ngrams_slots(keys=keys, bits=bits, slots=slots)
    return slots


def find_admissible(ngrams: Sequence[str], *, bits: int) -> NDArray[np.int64]:
    """Choose the n-grams that fit in one table, ascending: of those with the same slot, the first."""
    _, first = np.unique(find_slots(compute_keys(ngrams), bits=bits), return_index=True)
    return np.sort(first)


def list_lengths(sizes: NDArray[np.uint8]) -> list[int]:
    """List the lengths that occur, ascending, ten times as fast as by counting them.

    >>> list_lengths(np.array([3, 1, 3, 9], dtype=np.uint8))
    [1, 3, 9]
    """
    content = sizes.tobytes()
    return [length for length in range(1, LONGEST + 1) if bytes((length,)) in content]


def _split_lengths(sizes: NDArray[np.uint8]) -> tuple[tuple[int, ...], bool]:
    """Split lengths into those of n-grams, and whether there are longer words."""
    lengths = list_lengths(sizes)
    orders = tuple(length for length in lengths if length <= MAX_ORDER)
    return orders, len(lengths) > len(orders)


def _count_marks(bits: int) -> int:
    """Count the 64-bit numbers that the marks of a table have."""
    return max(1, (1 << bits) // 64)


def pack_ngrams(ngrams: Sequence[str]) -> NDArray[np.uint8]:
    """Pack n-grams as an array of a model file, for `read_vocabulary`."""
    return np.frombuffer("\n".join(ngrams).encode("utf-8"), dtype=np.uint8)
