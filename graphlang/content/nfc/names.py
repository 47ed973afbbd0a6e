"""Names are poor evidence of a language: a text about Reykjavík may be in English, a list of cities in any language.

A capitalised word counts as a name, except the first word of a text before a word without a capital. Two rules:

* For a list of names the distribution is flattened, and languages with more speakers gain (`doubt_names`).
* A text with names and a confidence below `SURE` is identified again without them (`without_names`), and the answer is
  the mean of both. It helps German, with its capitals, as much as other languages. Pages do not gain from it, and are
  read once.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

SURE: Final = 0.8  #: answers of this confidence do not get better without names
LEAST: Final = 0.3  #: confidence below which the answer for a list of names does not change
FEWEST_NAMES: Final = 3  #: minimum names in a list
FEWEST_WORDS: Final = 2  #: minimum other words to identify a text again
FEWEST_LETTERS: Final = 6  #: minimum letters of these words
SHORT_WORD: Final = 3  #: maximum letters of an abbreviation, and of words without a capital in a list of names
#: Exponents for a list of names: of the probabilities, and of the number of speakers.
NAMES_POWER: Final = 0.7
SPEAKERS_POWER: Final = 0.1
#: A word with its hyphens; the beginning of a word of four letters or more without a capital.
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SMALL_WORD: Final = re.compile(r"\b[a-zß-öø-ÿа-џα-ω][^\W\d_]{3}")


def without_names(text: str) -> str:
    """Remove the names from a text; return an empty string if it has no names, or too few other words.

    >>> [without_names(text) for text in ("Oslo and Bergen are in Norway.", "Call Anna!", "Come here!")]
    ['Oslo and are in', '', '']
    """
    rest = text[1:]
    if rest == rest.lower():
        return ""
    words = text.split()
    others = [word for word in words if not word[0].isupper()]
    if len(others) < FEWEST_WORDS or sum(map(len, others)) < FEWEST_LETTERS:
        return ""
    if words[0][0].isupper() and not words[1][0].isupper():
        others.insert(0, words[0])
    return " ".join(others) if len(others) < len(words) else ""


def is_list_of_names(text: str) -> bool:
    """Return whether a text is a list of names: three words in four have a capital, the others at most three letters.

    "Rio de Janeiro" is one. Words of four capitals or more do not count, as headings and sentences are written so, too.

    >>> [is_list_of_names(text) for text in ("Anna Müller, Jan de Vries", "The Man in the Moon", "STOP NOISE NOW")]
    [True, False, False]
    """
    if not text[:1].isupper() or _SMALL_WORD.search(text):
        return False
    words = _WORD.findall(text)
    names = sum(word[0].isupper() and (len(word) <= SHORT_WORD or not word.isupper()) for word in words)
    return bool(names >= FEWEST_NAMES and 4 * names >= 3 * len(words))


def doubt_names(answer: Floats, texts: Sequence[str], prior: Floats) -> None:
    """Flatten the probabilities of lists of names, in place.

    `answer` has probabilities, (texts, labels); `prior` the log prior of each label, (labels,).
    """
    rows = [row for row in np.flatnonzero(answer.max(axis=1) > LEAST).tolist() if is_list_of_names(texts[row])]
    if rows:
        chances = answer[rows] ** np.float32(NAMES_POWER) * np.exp(np.float32(SPEAKERS_POWER) * prior)
        answer[rows] = chances / chances.sum(axis=1, keepdims=True)
