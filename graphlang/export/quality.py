"""Signals of the quality of a text: what they mean depends on the language and on the use of a corpus."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import lru_cache
from importlib import import_module
from typing import Final, NamedTuple

from graphlang.codes import languages
from graphlang.content.nfc.doubt import is_filler

_UNSPACED: Final = frozenset(("bod", "jpn", "khm", "lao", "mya", "tha", "zho"))  #: no spaces between words
_AROUND: Final = "\"'`´‘’“”„‚«»‹›()[]{}<>.,;:!?¡¿…·•*/\\|_=+-–—،؛؟।॥"  # signs at the ends of words


class Quality(NamedTuple):
    """Signals of the quality of a text."""

    letters: float  #: share of letters and their marks among the characters that are no spaces
    repeated: float  #: share of these characters in lines that came before
    filler: int  #: 1 for Lorem ipsum, whatever its language is
    #: share of stop words among the words; empty without the package, a list of the language, or spaces between words
    stopwords: float | None


def measure_quality(text: str, language: str = "") -> Quality:
    r"""Measure signals of the quality of a text in a language (ISO 639-3).

    >>> measure_quality("one line\none line\n12345")
    Quality(letters=0.7368, repeated=0.3684, filler=0, stopwords=None)
    >>> measure_quality("हिन्दी में").letters, measure_quality("").letters
    (1.0, 0.0)
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
    stop_words = _measure_stop_words(text, language)
    return Quality(round(letters / total, 4), round(repeated / total, 4), int(is_filler(text)), stop_words)


def _measure_stop_words(text: str, language: str) -> float | None:
    """Return the share of stop words among the words of a text; None where they are unknown."""
    stop_words = _find_stop_words(language)
    if not stop_words:
        return None
    words = [word for word in (word.strip(_AROUND).casefold() for word in text.split()) if word]
    return round(sum(map(stop_words.__contains__, words)) / len(words), 4) if words else 0.0


@lru_cache(256)
def _find_stop_words(language: str) -> frozenset[str]:
    """Return the list of a language in stopwordsiso, an extra; empty without one."""
    tag = languages.bcp47(language) if language and language not in _UNSPACED else ""
    try:
        lists = import_module("stopwordsiso")
    except ImportError:
        return frozenset()
    return frozenset(map(str.casefold, lists.stopwords(tag))) if tag and lists.has_lang(tag) else frozenset()


@lru_cache(4096)
def _is_letter(character: str) -> bool:
    """Return whether a character is a letter or a mark, such as the vowels of Hindi."""
    return unicodedata.category(character)[0] in "LM"
