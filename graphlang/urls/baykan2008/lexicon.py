"""Lists of words of many languages in one table: which languages have this token in their list?

A word is the upper 32 bits of its hash (`tokenize.word_hash`), which takes four bytes and mistakes one foreign token in
ten thousand for a listed one. All lookups of a batch are one binary search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.tokens.tokenize import hashes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

_DOWN = np.uint64(32)


def short(code: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The upper half of each hash."""
    return (code >> _DOWN).astype(np.uint32)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Pairs of a word and a language that lists it, ascending by word, then by language."""

    word: NDArray[np.uint32]  #: [pairs]
    language: NDArray[np.int16]  #: [pairs] number of the language

    def find(self, code: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Every (token, language) such that the language lists the token, by token.

        Args:
            code: [tokens] their hashes.

        >>> german_and_french = Lexicon.of([hashes(["haus", "wort"]), hashes(["mot", "wort"])])
        >>> token, language = german_and_french.find(hashes(["wort", "word", "haus"]))
        >>> token.tolist(), language.tolist()
        ([0, 0, 2], [0, 1, 0])
        """
        wanted = short(code)
        begin = np.searchsorted(self.word, wanted)
        count = np.searchsorted(self.word, wanted, side="right") - begin
        token = np.repeat(np.arange(len(code)), count)
        offset = np.arange(len(token)) - np.repeat(np.cumsum(count) - count, count)
        return token, self.language[np.repeat(begin, count) + offset].astype(np.int64)

    def only(self, numbers: Sequence[int]) -> Lexicon:
        """The lists of some languages, numbered anew in the order given; a number of -1 stands for an empty list."""
        new = np.full(max(int(self.language.max(initial=-1)), *numbers, -1) + 2, -1, dtype=np.int16)
        for place, number in enumerate(numbers):
            if number >= 0:
                new[number] = place
        found = new[self.language]
        return Lexicon._sorted(self.word[found >= 0], found[found >= 0])

    @classmethod
    def of(cls, lists: Iterable[NDArray[np.uint64]]) -> Lexicon:
        """From the hashes of the words of each language."""
        words = [np.unique(short(one)) for one in lists]
        language = np.repeat(np.arange(len(words)), [len(one) for one in words]).astype(np.int16)
        return cls._sorted(np.concatenate([*words, np.zeros(0, dtype=np.uint32)]), language)

    @classmethod
    def of_words(cls, lists: Mapping[str, Iterable[str]], languages: Sequence[str]) -> Lexicon:
        """From words as strings, each of letters only; languages without a list have an empty one.

        Args:
            lists: Of a language its words.
            languages: In the order of their numbers.
        """
        return cls.of([hashes(list(lists.get(language, ()))) for language in languages])

    @classmethod
    def _sorted(cls, word: NDArray[np.uint32], language: NDArray[np.int16]) -> Lexicon:
        order = np.lexsort((language, word))
        return cls(word[order], language[order])
