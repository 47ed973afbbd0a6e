"""Measure how well a charset fits the bytes of a page, by the letters that come out.

Old servers sent ``charset=ISO-8859-1`` with every page, and editors wrote it into pages that were saved otherwise. Any
bytes decode in a charset of one byte a character. Whether the result is text shows in its letters: the alphabet of one
language covers them, no word mixes scripts, Cyrillic and Greek words have frequent letters and no capitals inside, and
Chinese, Japanese and Korean have characters of the first level of their standards.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import cache
from itertools import chain
from typing import Final, NamedTuple

#: Letters beyond ASCII of languages in windows-1252 and in the charsets of central and eastern Europe, the most
#: frequent first, with their per cent in the text of the default model, or without if they are rare.
_LANGUAGES: Final = (
    "ü42 ä30 ö18 ß10 é",  # German
    "é67 à13 è8 ê5 ç2 ô2 î1 â1 û1 ù1 ë ï œ æ ü ÿ",  # French
    "ó32 á24 í19 é11 ñ7 ú6 ü ï ç",  # Spanish
    "á24 ó23 í19 é15 ñ11 ú9 ü ï ç",  # Galician
    "ã24 ç19 á15 é10 ê7 í7 ó5 õ5 ú4 à2 â1 ô1 ü",  # Portuguese
    "è35 à29 ò14 ù11 é6 ì5 í î ó ú",  # Italian
    "é22 ó22 à18 í10 è10 ò7 ç5 ú4 ï2 ü1",  # Catalan
    "è42 ò19 à10 é8 ç6 í5 ï3 ó2 â1 ù1 ü1 á1 ú î ê",  # Occitan
    "é43 ë35 ï11 ó5 ü2 è1 ö1 á à â ê î í ô ú û",  # Dutch
    "ë40 ê37 ï9 é7 ó3 ö1 ô1 á í è",  # Afrikaans
    "ä36 é33 ë30 ü1 ö",  # Luxembourgish
    "ä44 å28 ö28 é ü à",  # Swedish
    "ä91 ö9 å é",  # Finnish
    "å36 æ34 ø30 é1 è ê ó ò ô ä ö ü",  # Danish
    "å61 ø31 æ7 é è ê ó ò ô ä ö ü",  # Norwegian
    "ð34 á12 þ12 í11 ó6 æ6 ú5 é5 ö5 ý2",  # Icelandic
    "ð32 í22 ú11 á11 æ8 ó7 ø6 ý3",  # Faroese
    "ä37 õ32 ü20 ö10 š ž",  # Estonian
    "â37 ô26 ŵ11 ŷ7 ê6 ï5 î3 á2 é ö ë ò û à è ì ù ä ü í ó ú",  # Welsh
    "á29 í26 é21 ú13 ó11",  # Irish
    "à32 ò19 ì17 ù15 è15 é1 ó",  # Scottish Gaelic
    "ñ61 ù34 ê1 â î ô û é è ü",  # Breton
    "ë90 ç10",  # Albanian
    "ł25 ę17 ą14 ż12 ś10 ó10 ć9 ń2 ź1",  # Polish
    "í23 á17 ě12 ž9 ř8 š7 é7 č7 ý5 ů4 ú1 ň ť ď ó ü",  # Czech
    "á20 ý13 í10 č9 ž8 š8 ú8 é7 ť7 ľ4 ô2 ň1 ó1 ď1 ä1 ĺ ŕ ü",  # Slovak
    "á29 é29 ö11 ó8 ő8 í6 ü5 ú3 ű2",  # Hungarian
    "š32 č26 ć18 ž17 đ7",  # Croatian
    "č48 š33 ž17 á í",  # Slovene
    "ă47 ț16 ţ16 î14 ș12 ş12 â4",  # Romanian
    "ı44 ü16 ş14 ç10 ğ9 ö7 â î û \u0307",  # Turkish
    "ə50 ı19 ü10 ş8 ç6 ö4 ğ2 \u0307",  # Azerbaijani
    "š20 ė20 ų15 ą12 ž10 į9 ū7 č5 ę3",  # Lithuanian
    "ā34 ī18 ē17 š11 ņ6 ū6 ļ3 ķ2 ģ1 ž1 č1",  # Latvian
    "á54 č16 š13 đ11 ž4 ŋ3 ŧ",  # Northern Sami
    "ħ54 ġ21 ż14 ċ9 à2 è ì ò ù",  # Maltese
    "ĉ29 ĝ29 ŭ20 ŝ18 ĵ5 ĥ1",  # Esperanto
)
_RARE: Final = 0.3  # per cent of a letter without a number
_FREQUENCIES: Final = tuple(
    {pair[0]: float(pair[1:] or _RARE) / 100 for pair in language.split()} for language in _LANGUAGES
)
_ALPHABETS: Final = tuple(map(frozenset, _FREQUENCIES))
#: Of each alphabet: the letters that make up most of a text, the others are under a tenth each.
_MAIN_LETTERS: Final = tuple(
    frozenset(letter for letter, share in letters.items() if share >= min(0.1, max(letters.values())))
    for letters in _FREQUENCIES
)
_MAIN_SHARE: Final = 0.5  # of them in any text of some words
_FEW: Final = 4  # letters that need not be the main ones
_BEYOND: Final = bytes(range(0x80, 0x100))
_FOREIGN: Final = 0.002  # probability of a letter that the language does not have
_MIXED: Final = 0.03  # of any letter of western Europe, in a page that quotes names of many languages
_LIKELY: Final = 2.5  # cost of a letter in a text of the language; it is 1.5 to 2.2
_SOUND_SHARE: Final = 0.97
_WESTERN: Final = frozenset("àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿßœšž")
_SCRIPTS: Final = {
    "latin": r"[\xaa\xba\xc0-\u024f\u1e00-\u1eff]",
    "cyrillic": r"[\u0400-\u052f]",
    "greek": r"[\u0370-\u03ff\u1f00-\u1fff]",
    "wide": r"[\u1100-\u11ff\u3040-\u318f\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff61-\uff9f]",
}
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
#: A line of a box beside a letter: Ukrainian in KOI8-R, or another charset of the Cyrillic script in that of DOS.
_BOX_BESIDE: Final = re.compile(rf"(?<={_LETTER})[\u2550-\u259f]|[\u2550-\u259f](?={_LETTER})")
_KANA: Final = re.compile(r"[\u3041-\u30fe]")
_KANA_SHARE: Final = 5  # Japanese has at least one kana in five characters
#: A run of characters beyond ASCII with the letter after it, and the letter before it. The search for a class of
#: characters is ten times as fast as that for a pattern that begins with an optional letter.
_NEIGHBOURS: Final = re.compile(r"([^\x00-\x7f](?:(?<=([A-Za-z])[^\x00-\x7f])|)[^\x00-\x7f]*[A-Za-z]?)")
_LOOKED_AT: Final = 1_200  # characters of a page, from the first one beyond ASCII on
_RARE_SIGNS: Final = 1.03
_LONG: Final = 5  # a run of three, with its neighbours
_LAST_IDEOGRAPH: Final = 0xF4  # lead byte of the last row of JIS X 0208
_LAST_SIGN: Final = 0xA3  # lead byte of the last row of signs, before kana and ideographs
_ASCII_OR_SIGNS: Final = frozenset(map(chr, range(0x80))) | set("\xa0¡§©«\xad®°±²³´·»¿×–—‘’‚“”„†•…‰‹›€™")
_CYRILLIC_LETTER: Final = re.compile(r"[\u0400-\u052f]")
_ODD_CYRILLIC: Final = re.compile(r"[\u0430-\u045f][\u0400-\u042f]|[A-Za-z][\u0400-\u052f]|[\u0400-\u052f][A-Za-z]")
_CYRILLIC_CAPITAL: Final = re.compile(r"[\u0400-\u042f]")
#: \x80 to \u036f and \u1e00 to \uffff: Python takes ten times as long to compile a class of large ranges.
_LATIN_OR_SIGN: Final = re.compile(r"[^\x00-\x7f\u0370-\u1dff\U00010000-\U0010ffff]")
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
        ordinary = _list_ordinary_characters(charset)
        return _RARE_SIGNS * sum(map(ordinary.__contains__, beyond)) >= len(beyond)
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
    if max(map(len, runs)) < _LONG and _fits_one_language(beyond, distinct):
        return True
    return not _LATIN_OR_SIGN.search("".join(distinct)) and not _ASCII_LETTER.search(beyond)


def _fits_one_language(beyond: str, distinct: set[str]) -> bool:
    """Return whether one language has all the letters beyond ASCII, and its most frequent ones often enough."""
    letters = sum(map(beyond.count, distinct))
    return any(
        letters <= _FEW or sum(map(beyond.count, main & distinct)) >= _MAIN_SHARE * letters
        for alphabet, main in zip(_ALPHABETS, _MAIN_LETTERS, strict=True)
        if distinct <= alphabet
    )


@cache
def _list_ordinary_characters(charset: str) -> frozenset[str]:
    """Return the characters of ordinary text in a charset of two bytes a character, and signs and ASCII."""
    codec, _, highest = _FIRST_LEVELS[charset]
    signs = _decode_rows(codec, 0xA1, _LAST_SIGN)
    return _list_first_level(charset, highest) | signs | set(map(chr, range(0x80)))


@cache
def _list_first_level(charset: str, highest: int) -> frozenset[str]:
    """Return the characters in the rows of ordinary text up to a row; GBK may have traditional ones, those of Big5."""
    codec, lowest, _ = _FIRST_LEVELS[charset]
    characters = _decode_rows(codec, lowest, highest)
    return characters | _list_first_level("big5", _FIRST_LEVELS["big5"][2]) if codec == "gb2312" else characters


def _decode_rows(codec: str, lowest: int, highest: int) -> frozenset[str]:
    trails = (*(range(0x40, 0x7F) if codec == "big5" else ()), *range(0xA1, 0xFF))
    pairs = b"".join(bytes((lead, trail)) for lead in range(lowest, highest + 1) for trail in trails)
    return frozenset(pairs.decode(codec, "ignore"))


class Fit(NamedTuple):
    """Measures of the fit of letters beyond ASCII to a language."""

    share: float  #: of them that the language explains
    letters: int  #: their number
    cost: float  #: minus the logarithm of the probability of the letters, and of signs, as if they were foreign letters
    is_likely: bool  #: whether the letters are those of the language, and about as frequent as in its texts


@cache
def _compile_scripts() -> list[tuple[str, re.Pattern[str]]]:
    """Compile the classes of letters when they are needed: large ranges take longer than all other patterns here."""
    return [(name, re.compile(letters)) for name, letters in _SCRIPTS.items()]


def measure_fit(sample: bytes, codec: str, charset: str) -> Fit:
    """Measure how well the letters beyond ASCII of a part of a page fit the language that explains them best.

    ``codec`` is Python's name of the charset, ``charset`` that of the WHATWG.

    >>> measure_fit("Der Müller öffnet die Tür".encode("cp1252"), "cp1252", "windows-1252")[:2]
    (1.0, 3)
    >>> measure_fit("Ìåëüíèê ðàíî óòðîì".encode("cp1252"), "cp1252", "windows-1252")[:2]
    (0.0, 16)
    """
    text = sample.decode(codec, "replace")
    latin: Counter[str] = Counter()
    frequent: Counter[str] = Counter()
    by_script: Counter[str] = Counter()
    wide: list[str] = []
    explained = 0
    total = len(_SIGN_WITHIN.findall(text)) + len(_BOX_BESIDE.findall(text))
    scripts = _compile_scripts()
    pieces = [piece for piece in _ASCII_SIGNS.split(text) if not piece.isascii()]
    for word in chain.from_iterable(map(_WORD.findall, pieces)):
        beyond = len(word) - len(word.encode("ascii", "ignore"))
        total += beyond
        script = next((name for name, pattern in scripts if pattern.search(word)), "")
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
    costs = [
        (sum(-math.log(shares.get(letter, _FOREIGN)) * count for letter, count in latin.items()), shares)
        for shares in _FREQUENCIES
    ]
    cost, shares = min(costs, key=lambda pair: pair[0])
    cost = min(
        cost, sum(-math.log(_MIXED if letter in _WESTERN else _FOREIGN) * count for letter, count in latin.items())
    )
    cost += _LIKELY * explained
    signs = len(sample) - len(sample.translate(None, _BEYOND)) - explained - latin.total()
    explained += sum(count for letter, count in latin.items() if letter in shares)
    share = explained / total if total else 1.0
    return Fit(share, total, cost - math.log(_FOREIGN) * signs, share >= _SOUND_SHARE and cost <= _LIKELY * total)


def _count_ordinary(text: str, charset: str) -> int:
    """Count the characters that ordinary text in a charset of two bytes a character has."""
    if charset not in _FIRST_LEVELS:
        return 0
    codec, _, highest = _FIRST_LEVELS[charset]
    if codec == "euc_jp" and _KANA_SHARE * len(_KANA.findall(text)) >= len(text):
        highest = _LAST_IDEOGRAPH  # among kana the rarer characters of the second level are no accident
    return sum(map(_list_first_level(charset, highest).__contains__, text))
