"""Every character folded to the letter that a URL is likely to use for it: small, without diacritics, 0 for no letter.

URLs are mostly written in bare ASCII: ``actualites`` for *actualités*, ``isci`` for *işçi*. Folding both to the same
letters lets the words of ordinary text say something about URLs. Scripts other than Latin keep their letters, so that
a decoded path in Cyrillic or Arabic is told by its script.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Latin letters that Unicode does not decompose, with the letter that URLs write for them.
_PLAIN = dict(zip("ßæœøđðþłıħŋſəɓɗƙɛɔŧƴ", "saooddtlihnsabdkeoty", strict=True))
_SIZE = 0x10000
_AFTER_LATIN = 0x370


@cache
def fold_table() -> NDArray[np.uint16]:
    """For each code point below 65,536 the code point of its folded letter; 0 where it is no letter.

    >>> table = fold_table()
    >>> [chr(table[ord(letter)]) for letter in "ÉłйЯ漢"], int(table[ord("7")])
    (['e', 'l', 'и', 'я', '漢'], 0)
    """
    table = np.zeros(_SIZE, dtype=np.uint16)
    table[0x3400:0xA000] = np.arange(0x3400, 0xA000)  # CJK ideographs
    table[0xAC00:0xD7A4] = np.arange(0xAC00, 0xD7A4)  # Hangul syllables
    for start, stop in ((0x41, 0x3100), (0x31A0, 0x3400), (0xA000, 0xAC00), (0xD7A4, 0xD800), (0xF900, 0xFFF0)):
        table[start:stop] = [_folded(chr(point)) for point in range(start, stop)]
    return table


def _folded(character: str) -> int:
    category = unicodedata.category(character)
    if category[0] == "M":
        # Vowel signs of Indic scripts are part of their words; combining accents of Latin stand alone and are rare.
        return ord(character) if ord(character) >= _AFTER_LATIN else 0
    if category[0] != "L":
        return 0
    small = character.lower()[0]
    small = _PLAIN.get(small, small)
    base = unicodedata.normalize("NFKD", small)[0]
    base = base.lower()[0]
    return ord(base) if unicodedata.category(base)[0] == "L" and ord(base) < _SIZE else ord(small)
