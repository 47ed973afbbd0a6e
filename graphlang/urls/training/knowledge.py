"""What is known before any URL is seen: language codes, country codes and the names of languages, as starting weights.

Training pulls every weight towards these values instead of towards 0, so that ``/ka/`` is Georgian and ``.mn``
Mongolian although no training URL says so. The numbers are log-odds, set by how often such a sign was right in the
training URLs, rounded; they differ by position, not by language. Codes and names are of ISO 639, ISO 3166 and CLDR,
taken through `graphlang.codes.languages` and ``langcodes``.
"""

from __future__ import annotations

import importlib.util
import string
from typing import TYPE_CHECKING

import numpy as np
from langcodes import Language

from graphlang.codes import languages
from graphlang.modelfile import ModelError
from graphlang.urls.default.features import bucket, positioned_hash
from graphlang.urls.tokens.token_position import DOT, EQUALS, HOST, HYPHEN, PATH, SLASH, TLD, UNDERSCORE, position
from graphlang.urls.tokens.tokenize import SHORTEST, hashes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: log-odds for a language's own two-letter code in each position where codes are written
CODE_POSITIONS = {
    position(PATH, SLASH, SLASH): 4.0,  # /de/
    position(PATH, EQUALS, SLASH): 4.0,  # ?lang=de
    position(PATH, EQUALS, EQUALS): 4.0,  # ?lang=de&
    position(HOST, SLASH, DOT): 3.5,  # de.example.org
    position(PATH, SLASH, DOT): 3.0,  # /de.html
    position(PATH, DOT, DOT): 3.0,  # index.de.html
    position(PATH, DOT, SLASH): 3.0,  # index.html.de
    position(PATH, UNDERSCORE, DOT): 3.0,  # manual_de.html
    position(PATH, UNDERSCORE, SLASH): 3.0,  # manual_de
    position(PATH, HYPHEN, DOT): 1.5,  # manual-de.html, but also end-of.html
    position(PATH, HYPHEN, SLASH): 1.5,
}
#: a country's code or a three-letter code in the same positions says less
WEAKER = 0.55
#: log-odds of a ccTLD for the languages used most in its country, the first, second and third
CCTLD = (3.0, 1.5, 1.0)
#: log-odds of a language's English name or own name as a token
NAME = 3.0
#: generic domains of the United States
_ENGLISH = ("gov", "mil", "edu")
_PAIRS = tuple(a + b for a in string.ascii_lowercase for b in string.ascii_lowercase)


def signs(labels: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """Every known sign as (bucket, column of its language, log-odds). A bucket may come more than once: take the best.

    Args:
        labels: ISO 639-3 codes, the columns.
    """
    yield from code_signs(labels)
    column = {label: number for number, label in enumerate(labels)}
    for label in labels:
        for word in _names(languages.bcp47(label)):
            yield int(bucket(hashes([word]))[0]), column[label], NAME
    for country in _PAIRS:
        spoken = [column[code] for code in languages.official(country) if code in column]
        for number, log_odds in zip(spoken, CCTLD, strict=False):
            yield _positioned(country, position(TLD, DOT, SLASH)), number, log_odds
    if "eng" in column:
        for domain in _ENGLISH:
            yield _positioned(domain, position(TLD, DOT, SLASH)), column["eng"], CCTLD[0]


def code_signs(labels: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """Of `signs`, those of language codes, and of country codes that are no language's, in the positions of codes."""
    column = {label: number for number, label in enumerate(labels)}
    codes = {code: languages.code(code) for code in (*_PAIRS, *labels)}  # with old codes, such as iw and no
    yield from _codes({code: column[label] for code, label in codes.items() if label in column})
    for country in _PAIRS:
        spoken = [column[code] for code in languages.official(country) if code in column]
        if spoken and codes[country] not in column:
            for where, log_odds in CODE_POSITIONS.items():
                yield _positioned(country, where), spoken[0], log_odds * WEAKER


def _codes(columns: dict[str, int]) -> Iterator[tuple[int, int, float]]:
    for code, number in columns.items():
        weight = 1.0 if len(code) == SHORTEST else WEAKER
        for where, log_odds in CODE_POSITIONS.items():
            yield _positioned(code, where), number, log_odds * weight


def _names(tag: str) -> set[str]:
    if importlib.util.find_spec("language_data") is None:
        raise ModelError("training for URLs needs names in all languages: pip install 'graphlang[train]'")
    language = Language.get(tag)
    words = set()
    for name in (language.autonym(), language.display_name()):
        first = name.split(maxsplit=1)[0].lower() if name.strip() else ""
        # Names of two or three letters (Ga, Vai, Ewe) are words of other languages too often.
        if len(first) > SHORTEST + 1 and first.isalpha():
            words.add(first)
    return words


def _positioned(token: str, where: int) -> int:
    return int(bucket(positioned_hash(hashes([token]), np.array([where], dtype=np.uint8)))[0])
