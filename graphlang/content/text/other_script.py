"""Short texts that are Latin but for a word: in which script is their language written?

Of the letters of a short text on a page in Russian or Chinese many are names, code and addresses, and now and then so
many that `scripts` takes it for Latin: "service (ReDoS) у", "Encrypt 的 ACMEv2". The other way round there is next to
nothing: a page in Latin letters glosses a name in brackets ("Beijing (北京)"), and some orthographies borrow a letter
from Cyrillic or Greek ("Wei kyerԑ sԑ"). So words of another script count, which stand outside of round brackets and
have no Latin letters, but for those of East Asia, that need no spaces. Of 111 such pieces of up to 170 characters of
pages in known languages (documentation, manuals) 109 were on pages in the other script, of 27 of lingua's sentences 21;
the other eight have many letters in a language that is sure.

What is left to Latin then: as much as its best language beside English is probable, the less, the fewer its letters;
and of English, if the other script has hardly any letters (ours).
"""

from __future__ import annotations

import re
import unicodedata
from math import exp
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.content.text.scripts import LATIN, registry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MANY: Final = 25.0  #: Latin letters that say as much as e to 1 for a language
LITTLE: Final = 0.05  #: share of the letters: with less in the other script, English keeps a part
MOST: Final = 0.9  #: that goes to the other script; 109 of 111 say more, but they come from translated sites
_FEWEST_GREEK: Final = 2  # letters of a word; one alone is a number's or a constant's name
_IN_BRACKETS = re.compile(r"[(（][^()（）]*(?:[)）]|$)")
_GREEK: Final = "GREEK"


class OtherWords(NamedTuple):
    """What stands beside Latin letters.

    Attributes:
        text: The words that count.
        share: Part of the text's letters that they have, each counted as `scripts` does.
        latin: Latin letters outside of brackets.
    """

    text: str
    share: float
    latin: int


def other_words(text: str, script: int) -> OtherWords | None:
    """The words of another script beside Latin ones; None where there are none that count.

    Args:
        text: Short.
        script: A number of `scripts.registry`.

    >>> russian, chinese = registry.number("CYRILLIC"), registry.number("EAST ASIA")
    >>> other_words("Yii и Docker", russian)
    OtherWords(text='и', share=0.1, latin=9)
    >>> other_words("Beijing (北京)", chinese), other_words("Wei kyerԑ sԑ", russian)
    (None, None)
    """
    found, letters, latin = [], 0, 0
    for word in _words(_IN_BRACKETS.sub(" ", text)):
        of = [registry.restricted(ord(character)) for character in word]
        latin += of.count(LATIN)
        number = of.count(script)
        if number and _counts(number, script, beside_latin=LATIN in of):
            letters += number
            found.append("".join(one for one, its in zip(word, of, strict=True) if its == script))
    if not found:
        return None
    weight = letters * int(registry.weights[script])
    every = sum(registry.restricted(ord(letter)) == LATIN for word in _words(text) for letter in word)
    return OtherWords(" ".join(found), weight / (weight + every), latin)


def _words(text: str) -> list[str]:
    """Letters and marks (Unicode's categories L and M) that stand together."""
    return "".join(one if unicodedata.category(one)[0] in "LM" else " " for one in text).split()


def _counts(letters: int, script: int, *, beside_latin: bool) -> bool:
    if registry.weights[script] > 1:  # it has no spaces
        return True
    return not beside_latin and (registry.name(script) != _GREEK or letters >= _FEWEST_GREEK)


def part_of_other(found: OtherWords, answer: NDArray[np.float32], english: int) -> float:
    """How probable it is that the language of a text is written in the other script, 0 to `MOST`.

    Args:
        found: What stands in that one.
        answer: Probabilities of the text as Latin, (labels,).
        english: Its number; -1 where it is missing.

    >>> import numpy as np
    >>> words = OtherWords("и", 0.1, 9)
    >>> round(part_of_other(words, np.array([0.9, 0.1], dtype=np.float32), english=0), 2)  # English is quoted anywhere
    0.9
    >>> round(part_of_other(words._replace(latin=90), np.array([0.02, 0.98], dtype=np.float32), english=0), 2)
    0.05
    """
    other = answer.copy()
    kept = 0.0
    if english >= 0:
        kept = float(answer[english]) * max(0.0, 1 - found.share / LITTLE)
        other[english] = 0
    kept += float(other.max()) * (1 - exp(-found.latin / MANY))
    return min(MOST, max(0.0, 1 - kept))
