"""Lists of words taken from the web -> training lines: foreign words go, and close languages get as many words.

What stands on the web in one language is full of others, English above all. A word that English or more than `MANY`
lists have is kept where the language's own text has it.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MANY: Final = 4
MOST: Final = 15_000  #: words of a language
ENGLISH: Final = "en"
_SHORTEST, _LONGEST = 2, 8  # words of a line
_SEED: Final = 2004
_WORD: Final = re.compile(r"[^\W\d_]+")


def known_words(lines: Iterable[str]) -> set[str]:
    """The words of a text, in small letters."""
    return {word for line in lines for word in _WORD.findall(line.lower())}


def native(lists: Mapping[str, Sequence[str]], known: Mapping[str, set[str]]) -> dict[str, list[str]]:
    """The words of each list that are its language's own.

    Args:
        lists: Words by code.
        known: Words of other text, by code.

    >>> native({"en": ["hand", "years"], "fo": ["hand", "years", "ættargrein"]}, {"fo": {"hand"}})["fo"]
    ['hand', 'ættargrein']
    """
    number = Counter(word for words in lists.values() for word in set(words))
    english = set(lists.get(ENGLISH, ()))
    return {
        code: [
            word
            for word in words
            if word in known.get(code, ()) or not (number[word] > MANY or (code != ENGLISH and word in english))
        ]
        for code, words in lists.items()
    }


def lines(words: Sequence[str], most: int) -> list[str]:
    """Some of the words, at most so many, in lines of two to eight, drawn the same way each time.

    >>> [len(line.split()) >= 1 for line in lines(["aa", "bb", "cc"], 2)], len(" ".join(lines(["a", "b"], 9)))
    ([True], 3)
    """
    draw = random.Random(_SEED)  # noqa: S311 (no secret)
    chosen = draw.sample(list(words), min(len(words), most, MOST))
    made = []
    while chosen:
        size = draw.randint(_SHORTEST, _LONGEST)
        made.append(" ".join(chosen[:size]))
        chosen = chosen[size:]
    return made


def spread(every: list[str], most: int) -> list[str]:
    """Lines evenly from first to last, of so many bytes at most.

    >>> spread(["aa", "bb", "cc", "dd"], 6), spread(["aa", "bb"], 100)
    (['bb', 'dd'], ['aa', 'bb'])
    """
    size = sum(len(line.encode()) + 1 for line in every)
    if size <= most:
        return every
    chosen, taken, passed = [], 0, 0
    for line in every:
        own = len(line.encode()) + 1
        passed += own
        if taken + own <= passed * most / size and taken + own <= most:
            chosen.append(line)
            taken += own
    return chosen
