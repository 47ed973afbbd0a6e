"""Estimate the probability that a text in Latin letters and another script is in the Latin language.

`scripts` assigns a text to the other script if a few of its letters are in it, because most Latin letters of a page in
Russian or Chinese are names, code and addresses ("service (ReDoS) у", "Encrypt 的 ACMEv2"). But a sentence in English
or French that quotes one Russian word is English or French. So the Latin part is read separately:

* if it is certainly in a language other than English, the text is in it: names and code seldom look like one;
* if it is in English, it may be names and code. It is running text if its words are *plain*: only letters between
  spaces, without capitals inside ("the quick fox", not "camelCase", "news/2016" or "--lang=en");
* the more Latin letters there are per letter of the other script, the likelier it is the text.

The logistic function of these is the probability that the language is written in Latin letters. Its coefficients were
fitted on lines of test sentences with words of another script in them, and on pieces of documentation in Russian,
Chinese, Korean, Greek and others that are mostly Latin.

Some words do not count against a Latin text: those in round brackets ("Beijing (北京)") and words that also have Latin
letters, because orthographies borrow letters from Cyrillic or Greek ("Wei kyerԑ sԑ"). East Asia has no spaces: its
letters count everywhere.
"""

from __future__ import annotations

import re
import unicodedata
from math import exp, log
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.content.text.scripts import LATIN, registry

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

MANY: Final = 16.0  #: Latin letters that show a language; half as many count a fifth
MOST: Final = 0.9  #: that goes to the other script where `scripts` says Latin: such texts are rare
#: Of the logit that the language of a text is written in Latin letters.
CONSTANT: Final = -11.5
OF_OTHERS: Final = 4.9  #: on how sure the best language is that is not English
OF_ENGLISH: Final = 1.5  #: on how sure English is
OF_RATIO: Final = 1.6  #: on the log of the number of Latin letters to one of the other script
OF_PLAIN: Final = 7.8  #: on the share of Latin letters in plain words
_SURE: Final = 1.02  # more than 1, so that the log of the difference to a probability is finite
_FEWEST_GREEK: Final = 2  # letters of a word; one alone is a number's or a constant's name
_IN_BRACKETS = re.compile(r"[(（][^()（）]*(?:[)）]|$)")
_GREEK: Final = "GREEK"
_SPACE: Final = 0x20
_MOST_KEPT: Final = 1 << 15  # characters in a table
_LETTERS: Final = "(?:[^\\W\\d_][\u0300-\u036f]*)+"
_PLAIN = re.compile(f"(?<!\\S)[\"'(\\[“‘«¿¡]{{0,2}}({_LETTERS}(?:[-'’]{_LETTERS})*)[,.!?)\\]\"'”’»]{{0,3}}(?!\\S)")


class OtherWords(NamedTuple):
    """The words of another script in a text with Latin letters."""

    text: str  #: the words that count
    weight: int  #: their letters, each counted as `scripts` does; 1 where no word counts
    latin: int  #: Latin letters outside of brackets
    plain: float  #: share of these that are in plain words


def find_other_words(text: str, script: int) -> OtherWords:
    """Find the words of another script (a number of `scripts.registry`) in a text with Latin letters.

    >>> russian, chinese = registry.number("CYRILLIC"), registry.number("EAST ASIA")
    >>> find_other_words("Yii и Docker.io", russian)
    OtherWords(text='и', weight=1, latin=11, plain=0.2727272727272727)
    >>> find_other_words("Beijing (北京)", chinese).text, find_other_words("Wei kyerԑ sԑ", russian).text
    ('', '')
    """
    other_words, letters, latin = [], 0, 0
    outside = _IN_BRACKETS.sub(" ", text)
    for word in outside.translate(_WORDS).split():
        if word.isascii():
            latin += len(word)
            continue
        scripts = [registry.restricted(ord(character)) for character in word]
        latin += scripts.count(LATIN)
        number = scripts.count(script)
        if number and _is_foreign_word(number, script, beside_latin=LATIN in scripts):
            letters += number
            other_words.append(
                "".join(letter for letter, its_script in zip(word, scripts, strict=True) if its_script == script)
            )
    weight = max(1, letters * int(registry.weights[script]))
    return OtherWords(" ".join(other_words), weight, latin, _count_plain(outside) / latin if latin else 0.0)


def _count_plain(text: str) -> int:
    """Count the letters of Latin words that are nothing but letters, without capitals inside."""
    candidates = _PLAIN.findall(text.translate(_NO_OTHERS))
    plain = [word for word in candidates if word[1:] == word[1:].lower()]
    return sum(len(word) if word.isalpha() else sum(map(str.isalpha, word)) for word in plain)


class _Spaced(dict[int, int]):
    """A table for `str.translate` that keeps characters of one kind and replaces others by spaces, filled on demand."""

    def __init__(self, keeps: Callable[[int], bool]) -> None:
        super().__init__()
        self._keeps = keeps

    def __missing__(self, code_point: int) -> int:
        if len(self) >= _MOST_KEPT:
            self.clear()
        self[code_point] = code_point if self._keeps(code_point) else _SPACE
        return self[code_point]


#: Letters and marks (Unicode's categories L and M).
_WORDS: Final = _Spaced(lambda code_point: unicodedata.category(chr(code_point))[0] in "LM")
#: All but the letters of scripts other than Latin.
_NO_OTHERS: Final = _Spaced(lambda code_point: registry.restricted(code_point) in (0, LATIN))


def _is_foreign_word(letters: int, script: int, *, beside_latin: bool) -> bool:
    if registry.weights[script] > 1:  # it has no spaces
        return True
    return not beside_latin and (registry.name(script) != _GREEK or letters >= _FEWEST_GREEK)


def estimate_latin(other_words: OtherWords, answer: NDArray[np.float32], english: int) -> float:
    """Estimate the probability that the language of a text is written in Latin letters.

    `other_words` are those of the other script, `answer` (labels,) the probabilities of the Latin part. `english` is
    the number of English, -1 without it.

    >>> import numpy as np
    >>> sure = np.array([0.01, 0.99], dtype=np.float32)
    >>> quoted, names = OtherWords("слово", 5, 60, 1.0), OtherWords("и", 1, 12, 0.0)
    >>> [round(estimate_latin(words, sure, english=1), 2) for words in (quoted, names)]
    [1.0, 0.01]
    """
    if not other_words.latin:
        return 0.0
    other = answer.copy()
    english_chance = 0.0
    if english >= 0:
        english_chance = float(answer[english])
        other[english] = 0
    enough = 1 - exp(-((other_words.latin / MANY) ** 2))
    language = (
        OF_OTHERS * _weigh_certainty(float(other.max()))
        + OF_ENGLISH * _weigh_certainty(english_chance)
        + OF_PLAIN * other_words.plain
    )
    logit = CONSTANT + enough * language + OF_RATIO * log(other_words.latin / other_words.weight)
    return 1 / (1 + exp(-logit))


def _weigh_certainty(probability: float) -> float:
    return -log(_SURE - min(probability, 1.0))
