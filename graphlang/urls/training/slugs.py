"""Running text cut into what looks like the path of a URL, so that words of a language teach about unseen domains.

Section 7 of Baykan et al. 2008 found that training on content hurts, because ``it`` or ``de`` are words as well as
top-level domains. Here the two never meet: a slug has no host and no top-level domain, so content only teaches words
and n-grams of the path, and only as a starting point from which training on URLs departs.
"""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from graphlang.urls.tokens.romanize import pinyin, romanize

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_WORD = re.compile(r"[^\W\d_][^\W\d_\u0300-\u036f]*(?:[\u0900-\u0d7f\u1000-\u109f]+[^\W\d_]*)*")
_LENGTHS = (1, 2, 3, 4, 5, 6, 8)
#: languages written without spaces: a slug is a few characters
_UNSPACED = frozenset(("zho", "jpn", "tha", "lao", "khm", "mya", "bod", "dzo", "yue", "wuu"))
_PIECE = 6
#: languages whose umlauts URLs write with an e
_UMLAUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_WITH_UMLAUT = frozenset(("deu", "ltz", "bar", "gsw", "fin"))
_CHINESE = frozenset(("zho", "yue", "wuu"))


def slugs(language: str, lines: Sequence[str], count: int, seed: int = 0) -> Iterator[str]:
    """Up to ``count`` slugs from random lines: one to eight neighbouring words, half of them romanised.

    Args:
        language: ISO 639-3 code; decides how words are found and spelt.
        lines: Text of the language; without any there are no slugs.
        count: How many to draw. A line without a word yields none.
        seed: The same seed, language and lines give the same slugs.

    >>> list(slugs("rus", ["Привет, мир"], 2, seed=3))
    ['https://-/привет', 'https://-/privet']
    """
    lines = [line for line in lines if line.strip()]
    if not lines:
        return
    draws = random.Random(f"{language} {seed}")  # noqa: S311 no secret is drawn
    for _ in range(count):
        if language in _CHINESE and draws.random() < 0.5:  # noqa: PLR2004 half
            words = _romanised_names(draws)
        else:
            words = _words(language, draws.choice(lines).lower(), draws)
        if words:
            yield "https://-/" + _joined(language, words, draws)


def _words(language: str, line: str, draws: random.Random) -> list[str]:
    words = _WORD.findall(line)
    if words and language in _UNSPACED:
        longest = max(words, key=len)
        words = [longest[start : start + _PIECE] for start in range(0, len(longest), _PIECE)]
    length = draws.choice(_LENGTHS)
    start = draws.randrange(max(1, len(words) - length + 1))
    return words[start : start + length]


def _romanised_names(draws: random.Random) -> list[str]:
    syllables = pinyin()
    count = draws.choice((1, 1, 2, 3))
    return ["".join(draws.choices(syllables, k=draws.choice((1, 2, 2, 3)))) for _ in range(count)]


def _joined(language: str, words: list[str], draws: random.Random) -> str:
    if draws.random() < 0.5:  # noqa: PLR2004 half of the slugs leave out the short words, as titles in URLs do
        words = [word for word in words if len(word) > 3] or words  # noqa: PLR2004
    slug = "-".join(words)
    if draws.random() < 0.5:  # noqa: PLR2004 half
        slug = romanize(slug)
    elif language in _WITH_UMLAUT:
        slug = slug.translate(_UMLAUT)
    # Hosts join words without a mark: lemonde, spiegelonline.
    return slug.replace("-", "", 1) if draws.random() < 0.25 else slug  # noqa: PLR2004 a quarter
