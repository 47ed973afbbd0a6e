"""Bosnian text made of Serbian, where there is hardly any: the old vowel *yat* is written otherwise.

News in Bosnian share most of their words with Serbian ones, and the vowels with Croatian: what Serbian writes `vreme`
or `mesto` is `vrijeme` and `mjesto` in both others. Which words have that vowel is told by the words themselves: one
that becomes another when an `e` in it is written `je` or `ije` has it, if the one is commoner in Serbian and the other
is written by those who write it so. Other words with the same beginning follow suit.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_WORD = re.compile(r"[^\W\d_]+")
_YAT = re.compile("ije|je")
_COMMONER = 2.0  # times: a word belongs to the side where it is so much commoner
_SHARED = 0.3  # times as common on the other side: both sides write a word in this way
_SHORTEST = 4  # letters of a beginning that other words have too
_BEHIND = (2, 3, 4)  # letters behind the vowel that belong to it


class Yat:
    """Writes words of one language with the yat of another.

    Args:
        plain: Words and their shares where yat is `e`.
        marked: Words and their shares where yat is `je` or `ije`.

    >>> yat = Yat({"vreme": 0.02, "reka": 0.01}, {"vrijeme": 0.02, "rijeka": 0.01})
    >>> yat.write("Vreme je da reka raste, sa rekama oko nje.")
    'Vrijeme je da rijeka raste, sa rijekama oko nje.'
    """

    def __init__(self, plain: Mapping[str, float], marked: Mapping[str, float]) -> None:
        self._plain, self._marked = plain, marked
        self._words: dict[str, str] = {}
        beginnings: dict[str, Counter[str]] = defaultdict(Counter)
        for word in sorted(marked):
            for found in _YAT.finditer(word):
                other = f"{word[: found.start()]}e{word[found.end() :]}"
                if not self._belongs(other, word):
                    continue
                self._words[other] = word
                for more in _BEHIND:
                    end = found.start() + 1 + more
                    if _SHORTEST <= end <= len(other):
                        beginnings[other[:end]][word[: end + len(word) - len(other)]] += 1
        self._beginnings = {some: max(sorted(ways), key=ways.__getitem__) for some, ways in beginnings.items()}
        self._longest = max(map(len, self._beginnings), default=0)

    def _belongs(self, plain: str, marked: str) -> bool:
        """Whether the one is a word where yat is `e`, and the other the same word elsewhere."""
        own, other = self._plain.get(plain, 0.0), self._marked[marked]
        return own > _COMMONER * self._plain.get(marked, 0.0) and other > _SHARED * self._marked.get(plain, 0.0)

    def write(self, text: str) -> str:
        """The text with each yat written `je` or `ije`.

        Args:
            text: In the language that writes `e`.
        """
        return _WORD.sub(lambda found: self._word(found[0]), text)

    def _word(self, word: str) -> str:
        small = word.lower()
        made = self._words.get(small)
        if made is None:
            if self._marked.get(small, 0.0) > _SHARED * self._plain.get(small, 0.0):
                return word
            for end in range(min(len(small), self._longest), _SHORTEST - 1, -1):
                if small[:end] in self._beginnings:
                    made = self._beginnings[small[:end]] + small[end:]
                    break
            else:
                return word
        return made.capitalize() if word[0].isupper() else made


def shares(texts: Iterable[Sequence[str]], lists: Iterable[Mapping[str, int]]) -> dict[str, float]:
    """How often each word stands in some texts and lists: the sum of its shares in each of these.

    Args:
        texts: Lines.
        lists: Words and their frequencies.

    >>> shares([["Da, da", "ne"]], [{"ne": 1, "to": 3}])
    {'da': 0.6666666666666666, 'ne': 0.5833333333333333, 'to': 0.75}
    """
    total: dict[str, float] = {}
    counted = [Counter(word for line in lines for word in _WORD.findall(line.lower())) for lines in texts]
    for own in (*counted, *lists):
        every = max(1, sum(own.values()))
        for word, count in own.items():
            total[word] = total.get(word, 0.0) + count / every
    return total
