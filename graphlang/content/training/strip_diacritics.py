"""Training lines once more without their diacritics, as people type who have no keyboard for them.

Tweets, comments and old pages leave the accents, dots and tones of Latin letters away. A model that has only seen
careful text takes them for another language: of Yoruba lines without tones it knew one in five.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

GENRE = "plain"
#: Letters that Unicode does not take apart, and those that people type who have only ASCII.
_TYPED = str.maketrans("łŁđĐħĦıøØŧŦŋŊɓƁɗƊɖƉƙƘƴƳɔƆɛƐ", "lLdDhHioOtTnNbBdDdDkKyYoOeE")


def without_diacritics(text: str) -> str:
    """The text without combining marks, strokes and hooks; what is typed as two letters stays (æ, ß, þ).

    >>> without_diacritics("Ẹnì kọ̀ọ̀kan, žluťoučký kůň, Ærø, sześć złotych, ƙarami")
    'Eni kookan, zlutoucky kun, Æro, szesc zlotych, karami'
    """
    parts = unicodedata.normalize("NFD", text.translate(_TYPED))
    return unicodedata.normalize("NFC", "".join(c for c in parts if not unicodedata.combining(c)))


def lines(every: Sequence[str], share: float, least: int, random: np.random.Generator) -> list[str]:
    """Some of the lines that have diacritics, without them: about as many characters as `share` of all lines.

    A language that writes few of them gives few lines, since those that would not change are drawn too and dropped.

    Args:
        every: Lines of a label.
        share: Of their characters.
        least: Characters that are drawn even if they are a greater share.
        random: Draws come from it.
    """
    left = max(share * sum(map(len, every)), least)
    made = []
    for number in random.permutation(len(every)).tolist():
        if left <= 0:
            break
        line = every[number]
        bare = without_diacritics(line)
        left -= len(line)
        if bare != line:
            made.append(bare)
    return made
