"""Signals of the quality of a text: what they mean depends on the language and on the use of a corpus."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache
from typing import NamedTuple

from graphlang.content.nfc.doubt import is_filler


class Quality(NamedTuple):
    """Signals of the quality of a text."""

    letters: float  #: share of letters and their marks among the characters that are no spaces
    repeated: float  #: share of these characters in lines that came before
    filler: int  #: 1 for Lorem ipsum, whatever its language is


def measure_quality(text: str) -> Quality:
    r"""Measure signals of the quality of a text.

    >>> measure_quality("one line\none line\n12345")
    Quality(letters=0.7368, repeated=0.3684, filler=0)
    >>> measure_quality("हिन्दी में"), measure_quality("")
    (Quality(letters=1.0, repeated=0.0, filler=0), Quality(letters=0.0, repeated=0.0, filler=0))
    >>> measure_quality("Lorem ipsum dolor sit amet, consectetur adipiscing elit.").filler
    1
    """
    counts = Counter(text)
    total = sum(count for character, count in counts.items() if not character.isspace()) or 1
    letters = sum(count for character, count in counts.items() if _is_letter(character))
    lines: set[str] = set()
    repeated = 0
    for line in text.split("\n"):
        if line in lines:
            repeated += sum(map(len, line.split()))
        lines.add(line)
    return Quality(round(letters / total, 4), round(repeated / total, 4), int(is_filler(text)))


@lru_cache(4096)
def _is_letter(character: str) -> bool:
    """Return whether a character is a letter or a mark, such as the vowels of Hindi."""
    return unicodedata.category(character)[0] in "LM"
