"""Make examples for the shipped URL model: signs of languages, slugs of text, and URLs of translations.

Training starts from known signs and pulls every weight towards them instead of towards 0, so that ``/ka/`` is Georgian
and ``.mn`` Mongolian although no training URL has them. Their log-odds are rounded estimates of how reliable they are
in the training URLs; they depend on the position, not on the language. Codes and names are those of ISO 639, ISO 3166
and CLDR, from `graphlang.codes.languages` and ``langcodes``.

Section 7 of Baykan et al. 2008 reports that training on content hurts, because ``it`` or ``de`` are words as well as
top-level domains. Here a slug of running text has no host and no top-level domain, so content affects only words and
n-grams of the path, and only the starting point of training on URLs.

``/ko/news/2013/ruby-released`` is a Korean page with an English name. Labelled lists of news sites contain few such
URLs, and a model trained only on them trusts the words. With made-up URLs of translated sites it trusts the code.
"""

from __future__ import annotations

import importlib.util
import random
import re
import string
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from langcodes import Language

from graphlang.codes import languages
from graphlang.files import open_text
from graphlang.modelfile import ModelError
from graphlang.training.romanize import list_pinyin_syllables, romanize
from graphlang.urls.tokens import (
    DOT,
    EQUALS,
    HOST,
    HYPHEN,
    PATH,
    SHORTEST_TOKEN,
    SLASH,
    TLD,
    UNDERSCORE,
    hash_words,
    number_position,
)
from graphlang.urls.url_features import hash_positioned, to_bucket

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


#: log-odds of the two-letter code of a language in each position of codes
CODE_POSITIONS = {
    number_position(PATH, SLASH, SLASH): 4.0,  # /de/
    number_position(PATH, EQUALS, SLASH): 4.0,  # ?lang=de
    number_position(PATH, EQUALS, EQUALS): 4.0,  # ?lang=de&
    number_position(HOST, SLASH, DOT): 3.5,  # de.example.org
    number_position(PATH, SLASH, DOT): 3.0,  # /de.html
    number_position(PATH, DOT, DOT): 3.0,  # index.de.html
    number_position(PATH, DOT, SLASH): 3.0,  # index.html.de
    number_position(PATH, UNDERSCORE, DOT): 3.0,  # manual_de.html
    number_position(PATH, UNDERSCORE, SLASH): 3.0,  # manual_de
    number_position(PATH, HYPHEN, DOT): 1.5,  # manual-de.html, but also end-of.html
    number_position(PATH, HYPHEN, SLASH): 1.5,
}
#: factor for the code of a country or a three-letter code in the same positions
WEAKER_CODE = 0.55
#: log-odds of a ccTLD for the three languages used most in its country
CCTLD_LOG_ODDS = (3.0, 1.5, 1.0)
#: log-odds of the English or native name of a language as a token
NAME_LOG_ODDS = 3.0
#: generic domains of the United States
_ENGLISH_DOMAINS = ("gov", "mil", "edu")
_PAIRS = tuple(a + b for a in string.ascii_lowercase for b in string.ascii_lowercase)


def list_signs(labels: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """Yield every sign as (bucket, column of its language, log-odds); of the signs in a bucket the best one counts."""
    yield from list_code_signs(labels)
    column = {label: number for number, label in enumerate(labels)}
    for label in labels:
        for word in _list_language_names(languages.bcp47(label)):
            yield int(to_bucket(hash_words([word]))[0]), column[label], NAME_LOG_ODDS
    for country in _PAIRS:
        columns = [column[code] for code in languages.list_official_languages(country) if code in column]
        for number, log_odds in zip(columns, CCTLD_LOG_ODDS, strict=False):
            yield _hash_to_bucket(country, number_position(TLD, DOT, SLASH)), number, log_odds
    if "eng" in column:
        for domain in _ENGLISH_DOMAINS:
            yield _hash_to_bucket(domain, number_position(TLD, DOT, SLASH)), column["eng"], CCTLD_LOG_ODDS[0]


def list_code_signs(labels: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """Yield the signs of language codes, and of country codes that are not language codes, in positions of codes."""
    column = {label: number for number, label in enumerate(labels)}
    codes = {code: languages.code(code) for code in (*_PAIRS, *labels)}  # with old codes, such as iw and no
    yield from _sign_codes({code: column[label] for code, label in codes.items() if label in column})
    for country in _PAIRS:
        columns = [column[code] for code in languages.list_official_languages(country) if code in column]
        if columns and codes[country] not in column:
            for position, log_odds in CODE_POSITIONS.items():
                yield _hash_to_bucket(country, position), columns[0], log_odds * WEAKER_CODE


def _sign_codes(columns: dict[str, int]) -> Iterator[tuple[int, int, float]]:
    for code, number in columns.items():
        weight = 1.0 if len(code) == SHORTEST_TOKEN else WEAKER_CODE
        for position, log_odds in CODE_POSITIONS.items():
            yield _hash_to_bucket(code, position), number, log_odds * weight


def _list_language_names(tag: str) -> set[str]:
    if importlib.util.find_spec("language_data") is None:
        raise ModelError("training for URLs needs names in all languages: pip install 'graphlang[train]'")
    language = Language.get(tag)
    names = set()
    for name in (language.autonym(), language.display_name()):
        first = name.split(maxsplit=1)[0].lower() if name.strip() else ""
        # Names of two or three letters (Ga, Vai, Ewe) are often words of other languages.
        if len(first) > SHORTEST_TOKEN + 1 and first.isalpha():
            names.add(first)
    return names


def _hash_to_bucket(token: str, position: int) -> int:
    return int(to_bucket(hash_positioned(hash_words([token]), np.array([position], dtype=np.uint8)))[0])


_WORD = re.compile(r"[^\W\d_][^\W\d_\u0300-\u036f]*(?:[\u0900-\u0d7f\u1000-\u109f]+[^\W\d_]*)*")
_LENGTHS = (1, 2, 3, 4, 5, 6, 8)
#: languages written without spaces: a slug is a few characters
_UNSPACED = frozenset(("zho", "jpn", "tha", "lao", "khm", "mya", "bod", "dzo", "yue", "wuu"))
_SLUG_CHARACTERS = 6
#: languages whose umlauts URLs write with an e
_UMLAUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_UMLAUT_LANGUAGES = frozenset(("deu", "ltz", "bar", "gsw", "fin"))
_CHINESE_LANGUAGES = frozenset(("zho", "yue", "wuu"))


def draw_slugs(language: str, lines: Sequence[str], count: int, seed: int = 0) -> Iterator[str]:
    """Draw up to ``count`` slugs from random lines: one to eight neighbouring words, half of them romanised.

    >>> list(draw_slugs("rus", ["Привет, мир"], 2, seed=3))
    ['https://-/привет', 'https://-/privet']
    """
    lines = [line for line in lines if line.strip()]
    if not lines:
        return
    draws = random.Random(f"{language} {seed}")  # noqa: S311 no secret is drawn
    for _ in range(count):
        if language in _CHINESE_LANGUAGES and draws.random() < 0.5:  # noqa: PLR2004 half
            slug_words = _draw_pinyin(draws)
        else:
            slug_words = _draw_words(language, draws.choice(lines).lower(), draws)
        if slug_words:
            yield "https://-/" + _join_slug(language, slug_words, draws)


def _draw_words(language: str, line: str, draws: random.Random) -> list[str]:
    line_words = _WORD.findall(line)
    if line_words and language in _UNSPACED:
        longest = max(line_words, key=len)
        line_words = [longest[start : start + _SLUG_CHARACTERS] for start in range(0, len(longest), _SLUG_CHARACTERS)]
    length = draws.choice(_LENGTHS)
    start = draws.randrange(max(1, len(line_words) - length + 1))
    return line_words[start : start + length]


def _draw_pinyin(draws: random.Random) -> list[str]:
    syllables = list_pinyin_syllables()
    count = draws.choice((1, 1, 2, 3))
    return ["".join(draws.choices(syllables, k=draws.choice((1, 2, 2, 3)))) for _ in range(count)]


def _join_slug(language: str, slug_words: list[str], draws: random.Random) -> str:
    if draws.random() < 0.5:  # noqa: PLR2004 half of the slugs leave out the short words, as titles in URLs do
        slug_words = [word for word in slug_words if len(word) > 3] or slug_words  # noqa: PLR2004
    slug = "-".join(slug_words)
    if draws.random() < 0.5:  # noqa: PLR2004 half
        slug = romanize(slug)
    elif language in _UMLAUT_LANGUAGES:
        slug = slug.translate(_UMLAUT)
    # Hosts join words without a hyphen: lemonde, spiegelonline.
    return slug.replace("-", "", 1) if draws.random() < 0.25 else slug  # noqa: PLR2004 a quarter


#: a URL whose host does not end in a country, and which has a path
_GENERIC_URL = re.compile(r"^https?://(?:www\.)?([a-z0-9.-]+\.(?:com|org|net|info))(/[^?#]{3,200})", re.IGNORECASE)
#: tags that sites use besides the bare code
_REGIONAL = {"por": ("pt-br", "pt_BR"), "zho": ("zh-cn", "zh_TW"), "nob": ("no",), "eng": ("en-us",), "spa": ("es-mx",)}
#: shares of a code as a path segment, before the host, in the query, and at the end of a name
_FORM_SHARES = (0.6, 0.15, 0.1, 0.15)


def draw_translated(urls: Sequence[str], labels: Sequence[str], count: int, seed: int = 0) -> Iterator[tuple[str, int]]:
    """Draw ``count`` made-up URLs of translations per label, each with the label's column.

    >>> [url for url, _ in draw_translated(["http://www.a.org/news/today.html"], ["kor"], 1, seed=2)]
    ['http://a.org/ko/news/today.html']
    """
    originals = [(match[1], match[2]) for url in urls if (match := _GENERIC_URL.match(url))]
    if not originals:
        return
    draws = random.Random(seed)  # noqa: S311 no secret is drawn
    for column, label in enumerate(labels):
        tags = (languages.bcp47(label), *_REGIONAL.get(label, ()))
        for _ in range(count):
            host, path = draws.choice(originals)
            yield _add_code(host, path, draws.choice(tags), draws), column


def _add_code(host: str, path: str, tag: str, draws: random.Random) -> str:
    form = draws.choices(range(4), _FORM_SHARES)[0]
    if form == 0:
        return f"http://{host}/{tag}{path}"
    if form == 1:
        return f"http://{tag}.{host}{path}"
    if form == 2:  # noqa: PLR2004
        return f"http://{host}{path}?lang={tag}"
    name, dot, ending = path.rpartition(".")
    if not dot or not ending.isalnum():
        name, ending = path.rstrip("/"), "html"
    return f"http://{host}{name}{draws.choice('_.')}{tag}.{ending}"


_FILE_CHARACTERS = 2_000_000  # of a file that are read


def read_text(folder: str | Path) -> dict[str, list[str]]:
    """Read the lines of ``folder/<code>/*.txt`` by ISO 639-3 code, all scripts of a language together.

    Raise an OSError if the folder cannot be read.
    """
    lines: dict[str, list[str]] = {}
    for sub in sorted(Path(folder).iterdir()):
        code = languages.code(sub.name) if sub.is_dir() else None
        if code is None:
            continue
        for file in sorted(sub.glob("*.txt")):
            with open_text(file, errors="replace") as text:
                lines.setdefault(code, []).extend(text.read(_FILE_CHARACTERS).split("\n"))
    return lines
