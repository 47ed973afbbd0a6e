"""Names are poor evidence of a language: a text about Reykjavík may be in English, a list of cities in any language.

A word with a capital is taken for a name, unless it begins the text and the next has none. Two rules follow:

* A list of names is tempered, and languages with more speakers become likelier (`doubt_names`).
* A text with names and an answer below `SURE` is read again without the names (`without_names`), and the mean of both
  answers counts. Of development lines of 49 characters that are read again 70 % are right instead of 66 %; German, with
  its capitals, gains like others. Pages are read once: on pages with menus nothing was gained.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

SURE: Final = 0.8  #: an answer of this confidence is right as often without its names, and less sure
LEAST: Final = 0.3  #: a list of names with an answer of less confidence is not doubted more
FEWEST_NAMES: Final = 3  #: words of a list of names
FEWEST_WORDS: Final = 2  #: without names that a text is read again by
FEWEST_LETTERS: Final = 6  #: of these words
SHORT_WORD: Final = 3  #: letters of a word that may lack a capital in a list of names, and of an abbreviation
#: Powers of the probabilities of a list of names, and of the numbers of speakers.
NAMES_POWER: Final = 0.7
SPEAKERS_POWER: Final = 0.1
#: A word with its hyphens; and the beginning of a word of four letters or more without a capital.
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_SMALL_WORD: Final = re.compile(r"\b[a-zß-öø-ÿа-џα-ω][^\W\d_]{3}")


def without_names(text: str) -> str:
    """Remove the names of a text; return an empty text if it has none, or nearly nothing else.

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
    """Return whether three words in four have a capital, and the others three letters at most ("Rio de Janeiro").

    Words of four capitals or more do not count: headings and lists are written so, too, and whole sentences.

    >>> [is_list_of_names(text) for text in ("Anna Müller, Jan de Vries", "The Man in the Moon", "STOP NOISE NOW")]
    [True, False, False]
    """
    if not text[:1].isupper() or _SMALL_WORD.search(text):
        return False
    words = _WORD.findall(text)
    names = sum(word[0].isupper() and (len(word) <= SHORT_WORD or not word.isupper()) for word in words)
    return bool(names >= FEWEST_NAMES and 4 * names >= 3 * len(words))


def doubt_names(answer: Floats, texts: Sequence[str], prior: Floats) -> None:
    """Temper the probabilities of lists of names, in place.

    `answer` has probabilities, (texts, labels); `prior` the log prior of each label, (labels,).
    """
    rows = [row for row in np.flatnonzero(answer.max(axis=1) > LEAST).tolist() if is_list_of_names(texts[row])]
    if rows:
        chances = answer[rows] ** np.float32(NAMES_POWER) * np.exp(np.float32(SPEAKERS_POWER) * prior)
        answer[rows] = chances / chances.sum(axis=1, keepdims=True)
