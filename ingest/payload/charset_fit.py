"""Measure how well a charset fits the bytes of a page, by the letters that come out.

Old servers sent ``charset=ISO-8859-1`` with every page, and editors wrote it into pages that were saved otherwise. Any
bytes decode in a charset of one byte a character. Whether the result is text shows in its letters: the alphabet of one
language covers them, no word mixes scripts, Cyrillic and Greek words have frequent letters and no capitals inside, and
Chinese, Japanese and Korean have characters of the first level of their standards.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from itertools import chain
from typing import Final

#: Letters beyond ASCII of languages that are written in windows-1252 and in the charsets of central and eastern Europe.
_ALPHABETS: Final = tuple(
    map(
        frozenset,
        (
            "äöüßé",  # German, Finnish
            "àâæçéèêëîïôœùûüÿ",  # French
            "áéíñóúüïç",  # Spanish, Galician
            "àáâãçéêíóôõúü",  # Portuguese
            "àèéìíîòóùú",  # Italian
            "àçèéíïòóúü",  # Catalan, Occitan
            "áàâèéêëíîïóôöúûü",  # Dutch, Afrikaans, Luxembourgish
            "åäöéüà",  # Swedish
            "æøåéèêóòôäöü",  # Danish, Norwegian
            "áéíóúýþæöð",  # Icelandic
            "áíóúýæøð",  # Faroese
            "äöõüšž",  # Estonian
            "âêîôûáéíóúàèìòùäëïöüŵŷ",  # Welsh, Gaelic
            "âêîôûéèùñü",  # Breton
            "ëç",  # Albanian
            "ąćęłńóśźż",  # Polish
            "áčďéěíňóřšťúůýž",  # Czech
            "áäčďéíĺľňóôŕšťúýž",  # Slovak
            "áéíóöőúüű",  # Hungarian
            "čćđšž",  # Croatian, Slovene
            "ăâîşţșț",  # Romanian
            "çğıöşüâîû",  # Turkish
            "əçğıöşü",  # Azerbaijani
            "ąčęėįšųūž",  # Lithuanian
            "āčēģīķļņšūž",  # Latvian
            "áčđŋšŧž",  # Northern Sami
            "ċġħżàèìòù",  # Maltese
            "ĉĝĥĵŝŭ",  # Esperanto
        ),
    )
)
_SCRIPTS: Final = (
    ("latin", re.compile(r"[\xaa\xba\xc0-\u024f\u1e00-\u1eff]")),
    ("cyrillic", re.compile(r"[\u0400-\u052f]")),
    ("greek", re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]")),
    ("wide", re.compile(r"[\u1100-\u11ff\u3040-\u318f\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff61-\uff9f]")),
)
#: Letters that make up two thirds of a text in the script.
_FREQUENT: Final = {"cyrillic": frozenset("оеаинтсрвлкміәұ"), "greek": frozenset("αοιετσνηρυκπμςάίόήέ")}
_USUAL_SHARE: Final = 0.55  # of them in any text of some words
#: By charset: the codec, and the first bytes, of the characters that ordinary text has.
_FIRST_LEVELS: Final = {
    "gbk": ("gb2312", 0xB0, 0xD7),
    "gb18030": ("gb2312", 0xB0, 0xD7),
    "big5": ("big5", 0xA4, 0xC6),
    "shift_jis": ("euc_jp", 0xA4, 0xCF),
    "euc-jp": ("euc_jp", 0xA4, 0xCF),
    "euc-kr": ("euc_kr", 0xB0, 0xC8),
}
#: A letter; Python takes the signs of units and fractions (a square metre, a half) for one as well.
_LETTER: Final = r"[^\W\d_\xaa\xb2\xb3\xb5\xb9\xba\xbc-\xbe]"
_ASCII_SIGNS: Final = re.compile(r"[\x00-@\[-`{-\x7f]+")  # no word has one; to look for words in ASCII is slow
_WORD: Final = re.compile(rf"{_LETTER}*(?:(?![A-Za-z]){_LETTER}|[\x80-\x9f\ufffd\ue000-\uf8ff]){_LETTER}*")
#: A sign where only a letter can be. Quotes, hyphens, and the middle dot of Catalan are there as well.
_SIGN_WITHIN: Final = re.compile(r"(?<=[A-Za-z])[\xa1-\xa8\xaa\xac\xaf\xb1-\xb3\xb5\xb6\xb8-\xba\xbc-\xbf](?=[a-z])")
_KANA: Final = re.compile(r"[\u3041-\u30fe]")
_KANA_SHARE: Final = 5  # Japanese has at least one kana in five characters
#: A run of characters beyond ASCII with the letter behind it, and the letter before it. The search for a class of
#: characters is ten times as fast as that for a pattern that begins with an optional letter.
_NEIGHBOURS: Final = re.compile(r"([^\x00-\x7f](?:(?<=([A-Za-z])[^\x00-\x7f])|)[^\x00-\x7f]*[A-Za-z]?)")
_LOOKED_AT: Final = 1_200  # characters of a page, from the first one beyond ASCII on
_SOUND_SHARE: Final = 1.03
_LONG: Final = 5  # a run of three, with its neighbours
_LAST_IDEOGRAPH: Final = 0xF4  # lead byte of the last row of JIS X 0208
_LAST_SIGN: Final = 0xA3  # lead byte of the last row of signs, before kana and ideographs
_ASCII_OR_SIGNS: Final = frozenset(map(chr, range(0x80))) | set("\xa0¡§©«\xad®°±²³´·»¿×–—‘’‚“”„†•…‰‹›€™")
_CYRILLIC_LETTER: Final = re.compile(r"[\u0400-\u052f]")
_ODD_CYRILLIC: Final = re.compile(r"[\u0430-\u045f][\u0400-\u042f]|[A-Za-z][\u0400-\u052f]|[\u0400-\u052f][A-Za-z]")
_CYRILLIC_CAPITAL: Final = re.compile(r"[\u0400-\u042f]")
_LATIN_OR_SIGN: Final = re.compile(r"[\x80-\u036f\u1e00-\uffff]")
_ASCII_LETTER: Final = re.compile(r"[A-Za-z]")
_LONG_RUN: Final = re.compile(r"[^\x00-\x7f]{3,}")  # rare in words of these alphabets


def is_sound(text: str, charset: str) -> bool:
    """Return whether the first few thousand characters of a page leave no doubt that its charset is true.

    This takes a twentieth of the time of `measure_fit`, and is true of nearly all pages with a true declaration.

    >>> is_sound("Der Müller", "windows-1252"), is_sound("Ìåëüíèê ðàíî", "windows-1252")
    (True, False)
    """
    try:
        text.encode("ascii")  # the fastest search for the first character beyond it
    except UnicodeEncodeError as error:
        begin = error.start
    else:
        return True
    runs = [before + run for run, before in _NEIGHBOURS.findall(text, begin, begin + _LOOKED_AT)]
    beyond = "".join(runs).lower()
    distinct = set(beyond)
    if charset in _FIRST_LEVELS:
        ordinary = _ordinary_characters(charset)
        return _SOUND_SHARE * sum(map(ordinary.__contains__, beyond)) >= len(beyond)
    distinct -= _ASCII_OR_SIGNS
    if not distinct:
        return True
    return _is_sound_alphabet(runs, beyond, distinct)


def _is_sound_alphabet(runs: list[str], beyond: str, distinct: set[str]) -> bool:
    """Return whether letters beyond ASCII, with their neighbours, are those of one language."""
    spaced = " ".join(runs)
    if _CYRILLIC_LETTER.search(beyond):
        letters = sum(map(beyond.count, distinct))
        frequent = sum(map(beyond.count, _FREQUENT["cyrillic"]))
        odd = 50 * len(_ODD_CYRILLIC.findall(spaced)) + 2 * len(_CYRILLIC_CAPITAL.findall(spaced))
        return odd <= letters and frequent >= _USUAL_SHARE * letters
    if _SIGN_WITHIN.search(spaced):
        return False
    if max(map(len, runs)) < _LONG and any(distinct <= alphabet for alphabet in _ALPHABETS):
        return True
    return not _LATIN_OR_SIGN.search("".join(distinct)) and not _ASCII_LETTER.search(beyond)


@cache
def _ordinary_characters(charset: str) -> frozenset[str]:
    """Return the characters of ordinary text in a charset of two bytes a character, and signs and ASCII."""
    codec, _, highest = _FIRST_LEVELS[charset]
    signs = _decode_rows(codec, 0xA1, _LAST_SIGN)
    return _first_level(charset, highest) | signs | set(map(chr, range(0x80)))


@cache
def _first_level(charset: str, highest: int) -> frozenset[str]:
    """Return the characters in the rows of ordinary text up to a row; GBK may have traditional ones, those of Big5."""
    codec, lowest, _ = _FIRST_LEVELS[charset]
    characters = _decode_rows(codec, lowest, highest)
    return characters | _first_level("big5", _FIRST_LEVELS["big5"][2]) if codec == "gb2312" else characters


def _decode_rows(codec: str, lowest: int, highest: int) -> frozenset[str]:
    trails = (*(range(0x40, 0x7F) if codec == "big5" else ()), *range(0xA1, 0xFF))
    pairs = b"".join(bytes((lead, trail)) for lead in range(lowest, highest + 1) for trail in trails)
    return frozenset(pairs.decode(codec, "ignore"))


def measure_fit(text: str, charset: str) -> tuple[float, int]:
    """Return the share of the letters beyond ASCII that a language explains, and the number of these letters.

    ``text`` is decoded in ``charset`` (a WHATWG name); a part of the page is enough.

    >>> measure_fit("Der Müller öffnet die Tür", "windows-1252")
    (1.0, 3)
    >>> measure_fit("Ìåëüíèê ðàíî óòðîì", "windows-1252")
    (0.0, 16)
    """
    latin: Counter[str] = Counter()
    frequent: Counter[str] = Counter()
    by_script: Counter[str] = Counter()
    wide: list[str] = []
    explained = 0
    total = len(_SIGN_WITHIN.findall(text))
    pieces = [piece for piece in _ASCII_SIGNS.split(text) if not piece.isascii()]
    for word in chain.from_iterable(map(_WORD.findall, pieces)):
        beyond = len(word) - len(word.encode("ascii", "ignore"))
        total += beyond
        script = next((name for name, pattern in _SCRIPTS if pattern.search(word)), "")
        if script == "latin":
            if not _LONG_RUN.search(word):
                latin.update(character for character in word.lower() if character > "\x7f")
        elif script == "wide":
            wide.append(word)
        elif len(word) > 1 and _ASCII_LETTER.search(word):
            continue  # no language mixes scripts in a word
        elif script:
            if word.islower() or word.isupper() or word.istitle():
                by_script[script] += beyond
                frequent[script] += sum(character in _FREQUENT[script] for character in word.lower())
        elif word.isalpha():
            explained += beyond  # Hebrew, Arabic, Thai: no other bytes look like words of these
    for script, count in by_script.items():
        explained += round(count * min(1.0, frequent[script] / count / _USUAL_SHARE))
    explained += _count_ordinary("".join(wide), charset)
    letters = latin.keys()
    explained += max((sum(latin[letter] for letter in letters & alphabet) for alphabet in _ALPHABETS), default=0)
    return (explained / total if total else 1.0), total


def _count_ordinary(text: str, charset: str) -> int:
    """Count the characters that ordinary text in a charset of two bytes a character has."""
    if charset not in _FIRST_LEVELS:
        return 0
    codec, _, highest = _FIRST_LEVELS[charset]
    if codec == "euc_jp" and _KANA_SHARE * len(_KANA.findall(text)) >= len(text):
        highest = _LAST_IDEOGRAPH  # among kana the rarer characters of the second level are no accident
    return sum(map(_first_level(charset, highest).__contains__, text))
