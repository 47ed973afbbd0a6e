"""Detect the charset of bytes, if no declaration is true.

UTF-16 and UTF-32 are detected by the positions of their zeros, ISO-2022 and HZ by their escapes. All others are left to
chardet (7 and later: a bigram model for each charset and language). It gets the text around bytes beyond ASCII, so that
a page of markup costs no more than its first few thousand such bytes. It may return only charsets of web pages: without
EBCDIC, the code pages of DOS and rare parts of ISO 8859, short texts are less often taken for something exotic.
"""

from __future__ import annotations

import re
from typing import Final

from graphlang.ingest.html.tokenizer import holds_escapes

_SAMPLE: Final = 8192  # bytes for the detector
_BEYOND = re.compile(rb"[\x80-\xff]")
_MARKUP = re.compile(rb"[<>]")
_LATIN: Final = (
    *("ascii", "utf-8"),
    *("cp1250", "cp1252", "cp1254", "cp1257", "cp1258", "iso8859-2", "iso8859-9", "iso8859-13"),
)
_CANDIDATES: Final = (
    *_LATIN,
    *("big5hkscs", "cp932", "cp949", "euc_kr", "euc_jis_2004", "shift_jis_2004", "gb18030", "johab", "cp874"),
    *("tis-620", "cp1251", "cp1253", "cp1255", "cp1256", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8"),
    *("koi8-r", "koi8-u", "mac-cyrillic", "cp855", "cp866"),
)
_SINGLE_BYTE = re.compile(r"(?:cp125|iso8859|koi8|mac|cp8(?!74)).*")
_THAI: Final = frozenset({"cp874", "tis-620"})
_WORD = re.compile(r"[^\W\d_]+")
_NOT_LATIN = re.compile(r"[\u0370-\u1dff]")  # Greek to Ethiopic and beyond: scripts of single-byte charsets
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_KANA = re.compile(r"[\u3041-\u30fe]")
_FEW_KANA: Final = 3
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_WIDE_HEAD: Final = 4096
#: Characters that any text has. Zeros alone do not decide: an ideographic space (U+3000) ends with a zero byte.
_USUAL: Final = " \n<>/aeiou"
_LEANING: Final = 3  # how many times more of them one byte order must give than the other
#: Half of the bytes of UTF-16 that is valid UTF-8 by chance: the higher one of nearly each character.
_CONTROLS: Final = bytes(range(32))
_FEWEST_CONTROLS: Final = 2 / 5  # share of the bytes
_ESCAPES: Final = (
    (b"\x1b$)C", "iso-2022-kr"),
    (b"\x1b$", "iso-2022-jp"),
    (b"\x1b(I", "iso-2022-jp"),
    (b"~{", "hz-gb-2312"),
)


def detect_escapes(payload: bytes) -> list[str]:
    r"""Return the charsets whose escapes the bytes hold, likeliest first.

    >>> detect_escapes("한국".encode("iso2022_kr")), detect_escapes("中文".encode("hz"))
    (['iso-2022-kr', 'iso-2022-jp'], ['hz-gb-2312'])
    """
    if not holds_escapes(payload):
        return []
    return list(dict.fromkeys(name for sign, name in _ESCAPES if sign in payload))


def may_hide(text: str) -> bool:
    """Return whether text in ISO 2022 or HZ may have been read as ASCII."""
    return "\x1b" in text or "~{" in text


def detect_wide(payload: bytes) -> str:
    r"""Return the name of UTF-16 or UTF-32 for text without byte order mark; empty if it is neither.

    ASCII characters, of which every page has some, have zeros, and are ASCII in one byte order only. A zero or two may
    be in other text by chance: its other bytes decide.

    >>> [detect_wide("<p>日本".encode(name)) for name in ("utf-16-be", "utf-32-le", "utf-8")]
    ['utf-16be', 'utf-32le', '']
    >>> detect_wide(b"Ein Satz.\0 Noch einer.")
    ''
    """
    head = payload[:_WIDE_HEAD]
    if head.count(0) * 50 < len(head) or len(head) < 4:  # noqa: PLR2004 - one character
        return ""
    if _is_utf8(head) and len(head) - len(head.translate(None, _CONTROLS)) < _FEWEST_CONTROLS * len(head):
        return ""
    zeros = [head[place::4].count(0) for place in range(4)]
    big, little = (sum(map(head.decode(name, "replace").count, _USUAL)) for name in ("utf-16be", "utf-16le"))
    nearly_all = len(head) * 9 // 40
    if min(zeros[:2]) >= nearly_all:
        name = "utf-32be"
    elif min(zeros[2:]) >= nearly_all:
        name = "utf-32le"
    elif big > _LEANING * little:
        name = "utf-16be"
    elif little > _LEANING * big:
        name = "utf-16le"
    else:
        return ""
    try:
        head[: len(head) // 4 * 4].decode(name)
    except UnicodeDecodeError as error:
        return name if error.end >= len(head) - 4 else ""
    return name


def _is_utf8(head: bytes) -> bool:
    """Return whether bytes are UTF-8, but for a character that is cut off at the end."""
    try:
        head.decode()
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return True


def guess_charset(payload: bytes) -> str:
    """Return the charset of bytes that are not ASCII, as Python spells it; empty if none fits.

    >>> guess_charset("<p>Съешь же ещё этих мягких французских булок".encode("koi8-r"))
    'koi8-r'
    """
    sample = sample_text(payload)
    name = _run_chardet(sample, _CANDIDATES)
    if not name or not (_SINGLE_BYTE.fullmatch(name) or name in _THAI):
        return name
    if name not in _THAI and _is_mixed(sample.decode(name, "replace")):
        name = _run_chardet(sample, _LATIN) or name
    return _detect_kana(sample) or name


def _run_chardet(sample: bytes, candidates: tuple[str, ...]) -> str:
    import chardet  # noqa: PLC0415 - its models are loaded for the first page without a declaration

    result = chardet.detect(sample, include_encodings=candidates, compat_names=False, no_match_encoding="ascii")
    # For bytes beyond ASCII it returns ASCII if none fits.
    return "" if result["encoding"] in {None, "ascii"} else result["encoding"]


def sample_text(payload: bytes) -> bytes:
    """Return the pieces of text between tags that hold bytes beyond ASCII, up to `_SAMPLE` bytes."""
    parts = bytearray()
    at = 0
    while len(parts) < _SAMPLE:
        match = _BEYOND.search(payload, at)
        if not match:
            break
        lowest = max(at, match.start() - _SAMPLE)
        begin = max(payload.rfind(b"<", lowest, match.start()), payload.rfind(b">", lowest, match.start())) + 1
        close = _MARKUP.search(payload, match.end(), match.end() + _SAMPLE)
        end = close.start() if close else min(len(payload), match.end() + _SAMPLE)
        parts += payload[max(begin, lowest) : end] + b"\n"
        at = end
    return bytes(parts[:_SAMPLE])


def _detect_kana(sample: bytes) -> str:
    """Return the Japanese charset of a sample with kana; empty if it has none.

    chardet often takes a piece of ten or twenty characters for Cyrillic, Thai or Arabic. Kana have one of two first
    bytes, which text in another script rarely has at every other byte.

    >>> _detect_kana("サーバの".encode("euc_jp")), _detect_kana("сервер".encode("cp866"))
    ('euc_jis_2004', '')
    """
    for name in ("euc_jis_2004", "cp932"):
        beyond = "".join(_NOT_ASCII.findall(sample.decode(name, "replace")))
        kana = len(_KANA.findall(beyond))
        if kana >= _FEW_KANA and 3 * kana >= len(beyond) and beyond.count("\ufffd") <= 1:  # one that is cut off
            return name
    return ""


def _is_mixed(text: str) -> bool:
    """Return whether most words with letters that are not Latin have ASCII letters, too: no language writes so.

    Words count by their letters. Words of one letter do not count, because "à", "é" and "å" alone may be Cyrillic or
    Hebrew, and text in these has longer words. If a text has none, it is mixed if it has ASCII letters.

    >>> _is_mixed("GrцЯe"), _is_mixed("Größe"), _is_mixed("HTML для CSS"), _is_mixed("cafй а Paris"), _is_mixed("а, и")
    (True, False, False, True, False)
    """
    foreign = [word for word in _WORD.findall(text) if _NOT_LATIN.search(word)]
    longer = [word for word in foreign if len(word) > 1]
    if not longer:
        return bool(foreign) and _ASCII_LETTER.search(text) is not None
    mixed = sum(len(word) for word in longer if _ASCII_LETTER.search(word))
    return 2 * mixed > sum(map(len, longer))
