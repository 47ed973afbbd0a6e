"""Baykan, Henzinger and Weber 2008, section 3.1, words as features: a batch of URLs cut into tokens, as flat arrays.

A token is a run of letters; runs of fewer than two letters and `STOP` are dropped. The whole batch is one array of
characters and every step is one pass over it, so that no Python statement runs per token.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.tokens.fold_letters import fold_table
from graphlang.urls.tokens.readable_text import readable_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: tokens that are in most URLs and say nothing (section 3.1)
STOP = ("www", "index", "html", "htm", "http", "https")
#: shortest token that is kept
SHORTEST = 2

_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a batch of URLs in order. Token t of the batch is ``letters[start[t]:end[t]]``."""

    characters: NDArray[np.uint32]  #: code points of all URLs, each URL followed by a line feed
    letters: NDArray[np.uint16]  #: the same folded; 0 where no letter stands
    first: NDArray[np.int64]  #: [urls + 1] where each URL starts in the two arrays above
    start: NDArray[np.int64]  #: [tokens] first letter
    end: NDArray[np.int64]  #: [tokens] one past the last letter
    indptr: NDArray[np.int64]  #: [urls + 1] the tokens of URL u are indptr[u] to indptr[u + 1]

    def kept(self, keep: NDArray[np.bool_]) -> Tokens:
        """Only the tokens where ``keep`` is true."""
        count = np.concatenate(([0], np.cumsum(keep)))
        return Tokens(self.characters, self.letters, self.first, self.start[keep], self.end[keep], count[self.indptr])

    def words(self) -> list[str]:
        """The tokens as strings, for a reader; the arithmetic never needs them."""
        text = self.letters.tobytes().decode("utf-16-le", "surrogatepass")
        return [text[a:b] for a, b in zip(self.start.tolist(), self.end.tolist(), strict=True)]

    def rows(self) -> NDArray[np.int64]:
        """[tokens] the URL of each token."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.indptr))


def joined(urls: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The code points of all URLs, made readable, each URL followed by a line feed; [urls + 1] where each starts."""
    texts = readable_all(urls)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    first = np.concatenate(([0], np.cumsum(lengths + 1)))
    texts.append("")
    return np.frombuffer("\n".join(texts).encode("utf-32-le", "surrogatepass"), dtype=np.uint32), first


def runs(urls: Sequence[str]) -> Tokens:
    """Every run of letters of the URLs, nothing dropped.

    >>> runs(["http://a.example/x1"]).words()
    ['http', 'a', 'example', 'x']
    """
    characters, first = joined(urls)
    letters = fold_table()[np.minimum(characters, 0xFFFF)]
    is_letter = letters != 0
    change = np.flatnonzero(is_letter[1:] != is_letter[:-1]) + 1
    if len(letters) and is_letter[0]:
        change = np.concatenate(([0], change))
    start, end = change[0::2], change[1::2]
    return Tokens(characters, letters, first, start, end, np.searchsorted(start, first))


def tokenize(urls: Sequence[str]) -> Tokens:
    """The tokens of the paper: runs of two letters or more that are not in `STOP`.

    >>> tokenize(["http://www.internetwordstats.com/africa2.htm"]).words()
    ['internetwordstats', 'com', 'africa']
    """
    tokens = runs(urls)
    long = tokens.kept(tokens.end - tokens.start >= SHORTEST)
    return long.kept(~np.isin(word_hash(long), hashes(STOP)))


def word_hash(tokens: Tokens) -> NDArray[np.uint64]:
    """[tokens] a 64-bit hash of each token's letters: the same word has the same hash in any batch on any machine.

    The hash is a polynomial of the letters modulo 2 ** 64, finished with two rounds of mixing. In half a million
    distinct words two share a hash with probability 1e-8; a URL written to collide harms only its own answer.
    """
    if not len(tokens.start):
        return np.zeros(0, dtype=np.uint64)
    lengths = tokens.end - tokens.start
    offset = np.cumsum(lengths) - lengths
    place = np.arange(int(lengths.sum())) - np.repeat(offset, lengths)
    letters = tokens.letters[place + np.repeat(tokens.start, lengths)]
    power = np.cumprod(np.full(int(lengths.max()), _BASE, dtype=np.uint64))
    return mixed(np.add.reduceat(letters * power[place], offset))


def mixed(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread every bit of the numbers over all 64 bits (multiply, shift, twice)."""
    value = (value ^ (value >> _HALF)) * _MIX
    return (value ^ (value >> _HALF)) * _MIX


def hashes(words: Sequence[str]) -> NDArray[np.uint64]:
    """[words] `word_hash` of words given as strings, each of letters only.

    Raises:
        ValueError: a word is empty, or is not one run of letters.

    >>> bool(hashes(["Café"])[0] == word_hash(runs(["/cafe/"]))[0])
    True
    """
    found = runs(words)
    if len(found.start) != len(words) or not all(words):
        raise ValueError("each word must be one run of letters")
    return word_hash(found)
