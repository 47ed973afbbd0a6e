"""The counting core: a batch of texts -> which n-grams of a vocabulary each row holds, as one CSR matrix.

Every method over characters counts here: the hash of the characters that begin at each place (`keys`) and one look-up
(`table`) say which feature stands there, if any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.content.ngrams.keys import LONGEST, MAX_ORDER, as_lines, keys_of, keys_of_lines
from graphlang.content.ngrams.table import MOST_BITS, Table, bits_for, slots_of
from graphlang.modelfile import Model, ModelError, damaged, take, take_kept

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.content.text.normalise import Letters


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
        self.lines: NDArray[np.uint8] | bytes = ngrams if isinstance(ngrams, bytes) else as_lines(ngrams)
        keys, self.sizes = keys_of_lines(self.lines, most=1 << MOST_BITS)
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


def admissible(ngrams: Sequence[str], *, bits: int) -> NDArray[np.int64]:
    """Which of the n-grams can stand together in one table, ascending: of those that want one slot, the first.

    Args:
        ngrams: N-grams and words.
        bits: Size of the table, log 2 of the number of slots.
    """
    _, first = np.unique(slots_of(keys_of(ngrams), bits=bits), return_index=True)
    return np.sort(first)


def read_vocabulary(model: Model, source: str) -> Vocabulary:
    """Read the vocabulary of a model file. Raises ModelError if it is missing or damaged; `source` is for messages."""
    bits: Any = model.parameters.get("bits")
    if bits is not None and (type(bits) is not int or not 1 <= bits <= MOST_BITS):
        raise ModelError(f"{source}: its parameter bits is none")
    marks = take_kept(model, "marks", "u8", None, source)
    if marks is not None:
        parts = (
            take_kept(model, n, k, None, source) for n, k in (("ngrams", "u1"), ("sizes", "u1"), ("entries", "u4"))
        )
        lines, sizes, entries = (part for part in parts if part is not None)
        try:
            return Vocabulary.of(lines, sizes, marks, entries, bits=bits)
        except ValueError as error:
            raise damaged(source) from error
    packed = take(model, "ngrams", "u1", (None,), source)
    try:
        return Vocabulary(packed.tobytes(), bits=bits)
    except ValueError as error:
        raise ModelError(f"{source}: its n-grams are damaged ({error})") from error


def pack_ngrams(ngrams: Sequence[str]) -> NDArray[np.uint8]:
    """N-grams as an array of a model file, which `read_vocabulary` reads."""
    return np.frombuffer("\n".join(ngrams).encode("utf-8"), dtype=np.uint8)
