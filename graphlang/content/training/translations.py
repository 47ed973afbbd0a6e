"""Translations of programs as training text: what is left in English, and what says nothing of the language, goes.

The messages of programs are there in languages that have hardly any other text. They are of another genre than what
people read: short, full of names, and not wholly translated. So

* a line that stands in the text of more than `SHARED` labels is a name, or was never translated;
* a line most of whose letters are in English words is English, whoever's folder it stands in. A word is English here
  if it is `FOREIGN` times as common in English text as in all the text of the label;
* a label that has plenty of other text learns little of it (`room`): enough to be told from others where they are all
  messages, too little to change what it knows of everything else.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    Files = Sequence[tuple[str, Sequence[str]]]

SHARED = 3
FOREIGN = 3.0
ENGLISH = "eng"
WORTH = 1 / 3  #: what a character of messages counts for where a label must have enough text
_WANTED = 300_000  # characters that a label has with its messages, if there are so many
_LEAST = 60_000  # characters of messages, however much other text there is
_WORD = re.compile(r"[^\W\d_]+")


def room(characters: int) -> int:
    """Characters of messages that a label with so much other text takes at most.

    >>> room(0), room(250_000), room(400_000)
    (300000, 60000, 60000)
    """
    return max(_LEAST, _WANTED - characters)


def clean(messages: Mapping[str, Files], texts: Mapping[str, Files]) -> dict[str, list[tuple[str, list[str]]]]:
    """The messages without the lines that are in no language of their own.

    Args:
        messages: Of each label its files: their genre, and lines.
        texts: The other text of labels, likewise; that of English shows what is English.

    >>> own = [("wiki", ["dat is en ole stad an de see mit veel lüüd un schepen", "the new page", "Wikipedia"])]
    >>> clean({"nds": own, "eng": [("wiki", ["the old page and the new page"])]}, {})["nds"]
    [('wiki', ['dat is en ole stad an de see mit veel lüüd un schepen', 'Wikipedia'])]
    """
    common = Counter(line for files in messages.values() for line in {line for _, lines in files for line in lines})
    english = _words((*texts.get(ENGLISH, ()), *messages.get(ENGLISH, ())))
    answer = {}
    for label, files in messages.items():
        own = _words((*texts.get(label, ()), *files))
        left = set() if label == ENGLISH else _commoner(english, own)
        answer[label] = [
            (genre, [line for line in lines if common[line] <= SHARED and not _mostly(line, left)])
            for genre, lines in files
        ]
    return answer


def _words(files: Iterable[tuple[str, Sequence[str]]]) -> Counter[str]:
    return Counter(word for _, lines in files for line in lines for word in _WORD.findall(line.lower()))


def _commoner(words: Counter[str], other: Counter[str]) -> set[str]:
    """The words that are `FOREIGN` times as common in one text as in another."""
    factor = FOREIGN * max(words.total(), 1) / max(other.total(), 1)
    return {word for word, count in words.items() if count >= factor * other[word]}


def _mostly(line: str, words: set[str]) -> bool:
    """Whether more than half of a line's letters are in some words."""
    letters = [(len(word), word in words) for word in _WORD.findall(line.lower())]
    return 2 * sum(size for size, known in letters if known) > sum(size for size, _ in letters)
