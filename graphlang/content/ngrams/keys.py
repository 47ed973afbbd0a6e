"""Hashes of n-grams and words: the keys under which tables know them.

The hash of n characters is that of n - 1 characters plus one more character, times a constant. A whole word may be a
feature too, however long: it is written with the spaces around it (" whole "), and what is of no more than `MAX_ORDER`
characters with them is an n-gram like others. The hash of a word is the sum of its mixed letters, the j-th of them
times c ** j.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.content.native import ngrams as _kernels
from graphlang.content.text.normalise import SPACE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.text.normalise import Letters

_WIDE = np.uint64(0x9E3779B97F4A7C15)
MAX_ORDER = 5  #: characters of an n-gram
LONGEST = 40  #: characters of a word that is a feature, with its spaces


def keys_of(ngrams: Sequence[str]) -> NDArray[np.uint32]:
    """The 32-bit hash of each of some n-grams and words, the one that is worked out where it stands in a text.

    Raises:
        ValueError: one is empty, or longer than five characters and no word between spaces.
    """
    keys, _ = keys_of_lines(as_lines(ngrams), most=len(ngrams))
    if len(keys) < len(ngrams):
        raise ValueError("an n-gram has one character at least")
    return keys


def keys_of_lines(lines: bytes, *, most: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Of n-grams and words, a line each, the 32-bit hashes and how many characters each has.

    Args:
        lines: In UTF-8.
        most: How many there may be.

    Raises:
        ValueError: there are more, or one is empty, or longer than five characters and no word between spaces.
    """
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


def as_lines(ngrams: Sequence[str]) -> bytes:
    """N-grams and words in UTF-8, a line each."""
    return "\n".join(ngrams).encode("utf-8", "surrogatepass")


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
