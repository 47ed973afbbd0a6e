"""Languages of a country-code top-level domain (ccTLD), for the ccTLD signal.

``data/territories.tsv`` is made from the territory table of Unicode's CLDR: for each territory the languages that are
official there, and those that at least a tenth of its people use. Top-level domains in other scripts (``рф``), those of
language communities (``cat``, ``cymru``) and those with other letters than the territory's code (``uk``) are included.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["GENERIC_CCTLDS", "Use", "find_territory", "list_countries", "list_official_languages", "list_uses"]

_TABLE: Final = Path(__file__).parents[1] / "data" / "territories.tsv"

#: ccTLDs that are sold worldwide, and so say little about the language.
GENERIC_CCTLDS: Final = frozenset(
    "ac ad ag ai am as bz cc cd cf co dj fm ga gg gl gq im io la lc li ly me ml ms mu nr nu pw sc sh sr st su tf tk to "  # noqa: SIM905
    "tv vc vg vu ws".split(),
)

#: ccTLDs that are not the two letters of the territory.
_OTHER_CCTLDS: Final = {"uk": "gb", "su": "ru", "ac": "sh", "tp": "tl", "yu": "rs", "an": "cw"}

_IDN_CCTLDS: Final = {
    "рф": "ru", "бел": "by", "бг": "bg", "қаз": "kz", "мкд": "mk", "мон": "mn", "срб": "rs", "укр": "ua",
    "ελ": "gr", "հայ": "am", "გე": "ge", "ישראל": "il", "ไทย": "th", "ລາວ": "la", "ලංකා": "lk", "இலங்கை": "lk",
    "中国": "cn", "中國": "cn", "台湾": "tw", "台灣": "tw", "香港": "hk", "澳門": "mo", "新加坡": "sg",
    "சிங்கப்பூர்": "sg", "한국": "kr", "বাংলা": "bd", "پاکستان": "pk", "ایران": "ir", "عراق": "iq", "امارات": "ae",
    "مصر": "eg", "السعودية": "sa", "الجزائر": "dz", "المغرب": "ma", "تونس": "tn", "قطر": "qa",
    "سورية": "sy", "الاردن": "jo", "عمان": "om", "فلسطين": "ps", "اليمن": "ye", "سودان": "sd",
    "مليسيا": "my", "موريتانيا": "mr", "البحرين": "bh",
}  # fmt: skip

#: Top-level domains of a language's community, or in one of a country's many languages.
_LANGUAGE_TLDS: Final = {
    "bzh": "bre", "cat": "cat", "corsica": "cos", "cymru": "cym", "eus": "eus", "frl": "fry", "gal": "glg",
    "quebec": "fra", "scot": "eng", "wales": "eng",
    "भारत": "hin", "भारतम्": "san", "भारोत": "sat", "ভারত": "ben", "ভাৰত": "asm", "ਭਾਰਤ": "pan", "ભારત": "guj",
    "ଭାରତ": "ori", "இந்தியா": "tam", "భారత్": "tel", "ಭಾರತ": "kan", "ഭാരതം": "mal", "بھارت": "urd", "بارت": "kas",
}  # fmt: skip


class Use(NamedTuple):
    """The use of one language in one territory."""

    language: str  #: one of our codes
    status: str  #: ``list_official_languages``, ``de facto``, ``regional``, or ``used`` where it has none
    share: float  #: of the people, 0 to 1: those who can use it; shares of a territory may sum to more than 1
    speakers: int  #: the same as a number of people


@cache
def _read_table() -> dict[str, tuple[Use, ...]]:
    rows: dict[str, list[Use]] = {}
    for line in _TABLE.read_text("utf-8").splitlines():
        if not line.startswith(("#", "country\t")):
            country, language, status, percent, speakers = line.split("\t")
            rows.setdefault(country, []).append(Use(language, status, float(percent) / 100, int(speakers)))
    return {country: tuple(uses) for country, uses in rows.items()}


def find_territory(tld: str) -> str | None:
    """Return the territory (ISO 3166-1, lower case) of a ccTLD or country code, also in punycode; or None.

    >>> [find_territory(tld) for tld in ("de", "UK", "xn--p1ai", "com", "eu")]
    ['de', 'gb', 'ru', None, None]
    """
    plain = _decode_tld(tld)
    country = _IDN_CCTLDS.get(plain) or _OTHER_CCTLDS.get(plain, plain)
    return country if country in _read_table() else None


def _decode_tld(tld: str) -> str:
    plain = tld.strip().strip(".").lower()
    if not plain.startswith("xn--"):
        return plain
    try:
        return plain.encode("ascii").decode("idna")
    except UnicodeError:
        return plain


def list_uses(country: str) -> tuple[Use, ...]:
    """List the languages of a ccTLD's territory, commonest first; empty if there is no such territory.

    >>> [(use.language, use.status) for use in list_uses("be")]
    [('eng', 'used'), ('nld', 'official'), ('fra', 'official'), ('deu', 'official'), ('vls', 'used')]
    """
    key = find_territory(country)
    return () if key is None else _read_table()[key]


def list_official_languages(country: str) -> tuple[str, ...]:
    """List the official languages of a ccTLD's territory (or a region of it), or of its name, commonest first.

    If none is official, those in use. Empty for top-level domains without a language.

    >>> list_official_languages("ch"), list_official_languages("uk")
    (('deu', 'fra', 'ita', 'roh'), ('eng', 'cym', 'gle', 'gla'))
    >>> list_official_languages("cat"), list_official_languages("рф")[0], list_official_languages("com")
    (('cat',), 'rus', ())
    """
    named = _LANGUAGE_TLDS.get(_decode_tld(country)) if find_territory(country) is None else None
    if named:
        return (named,)
    all_uses = list_uses(country)
    return tuple(use.language for use in all_uses if use.status != "used") or tuple(use.language for use in all_uses)


@cache
def _group_by_language() -> dict[str, tuple[str, ...]]:
    by_language: dict[str, list[tuple[int, str]]] = {}
    for country in _read_table():
        for language in list_official_languages(country):
            speakers = next(use.speakers for use in _read_table()[country] if use.language == language)
            by_language.setdefault(language, []).append((-speakers, country))
    return {language: tuple(country for _, country in sorted(pairs)) for language, pairs in by_language.items()}


def list_countries(language: str) -> tuple[str, ...]:
    """List the territories (ISO 3166-1, lower case) with an official language, most speakers first.

    >>> list_countries("deu")[:2], list_countries("swe"), list_countries("tlh")
    (('de', 'at'), ('se', 'fi', 'ax'), ())
    """
    return _group_by_language().get(language, ())
