"""Hashes of n-grams and words, which are their keys in tables.

The hash of n characters is that of n - 1 characters plus one more character, times a constant. A whole word may be a
feature too: it is written with the spaces around it (" whole "), and with at most `MAX_ORDER` characters it is an
n-gram like others. The hash of a word is the sum of its mixed letters, the j-th of them
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


def compute_keys(ngrams: Sequence[str]) -> NDArray[np.uint32]:
    """Hash n-grams and words to 32 bits, as the kernels do in texts, (n-grams,).

    Raise a ValueError if one is empty, or longer than five characters and not a word between spaces.
    """
    keys, _ = compute_line_keys(encode_lines(ngrams), limit=len(ngrams))
    if len(keys) < len(ngrams):
        raise ValueError("an n-gram has one character at least")
    return keys


def compute_line_keys(lines: bytes, *, limit: int) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """Hash n-grams and words, a line of UTF-8 each, and count their characters, (n-grams,) each.

    Raise a ValueError if there are more than `limit`, or one is empty, or longer than five characters and not a word.
    """
    text = np.frombuffer(lines, dtype=np.uint8)
    number = int(np.count_nonzero(text == ord("\n"))) + bool(lines)
    if number > limit:
        raise ValueError(f"{number:,} n-grams, at most {limit:,} are possible")
    keys, sizes = np.empty(number, dtype=np.uint32), np.empty(number, dtype=np.uint8)
    sound = _kernels.ngrams_keys(lines=text, longest=LONGEST, keys=keys, sizes=sizes)
    if sound < number:
        raise ValueError(
            f"n-gram {sound + 1:,} of {number:,} has not 1 to {MAX_ORDER} characters,"
            f" and is no word of {LONGEST} at most between spaces"
        )
    return keys, sizes


def encode_lines(ngrams: Sequence[str]) -> bytes:
    """Encode n-grams and words in UTF-8, a line each."""
    return "\n".join(ngrams).encode("utf-8", "surrogatepass")


def hash_words(symbols: NDArray[np.uint32], begins: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Hash the words `symbols[begins[w] : ends[w]]` to 32 bits, (words,).

    Raise a KernelError if a place is outside the symbols.
    """
    keys = np.empty(len(begins), dtype=np.uint32)
    _kernels.ngrams_word_keys(symbols=symbols, begins=begins, ends=ends, keys=keys)
    return keys


def find_words(letters: Letters) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find where the words of a batch begin and end, (words,) each."""
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


def hash_ngrams(symbols: NDArray[np.uint32], order: int) -> NDArray[np.uint64]:
    """Hash the n-gram of length `order` from each place on to 64 bits, to count without a vocabulary."""
    wide = symbols.astype(np.uint64)
    value = (wide + np.uint64(order)) * _WIDE
    for place in range(1, order):
        value = (value[:-1] + wide[place:]) * _WIDE
        value ^= value >> np.uint64(29)
    return value
