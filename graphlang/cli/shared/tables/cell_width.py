"""How many cells of a terminal a text takes: wide letters take two, marks that stand on others none."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_JAMO = range(0x1160, 0x1200)  # vowels and final consonants, which join the consonant before them


def cell_width(text: str) -> int:
    r"""Cells of a terminal that a text takes.

    Args:
        text: without control characters.

    >>> [cell_width(text) for text in ("Nebel", "霧", "é", "각", "e\u0301")]
    [5, 2, 1, 2, 1]
    """
    return len(text) if text.isascii() else sum(map(_width, text))


@lru_cache(4096)
def _width(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf") or ord(letter) in _JAMO:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
