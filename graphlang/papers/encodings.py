"""The character encodings that a language may have on the web, and where they differ for it.

The byte methods have a profile for each (language, encoding) pair (Zavarsky et al. 2005; Chew et al. 2011, section 4.1:
"Chinese_Simplified_EUC-CN"). Neither paper lists its pairs. Here the script decides which encodings are candidates, and
the language's text which of them matter: an encoding is left out if it cannot write the language's letters, or if it
writes all of them with the same bytes as an encoding before it (German is the same in windows-1252 and windows-1250).
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable


UTF8: Final = "utf-8"
_MISSING = 0.01  # share of the letters beyond ASCII that an encoding may lack
_OLD_GREEK = (
    0.1  # share of Greek letters whose accents an encoding may lack: with more of them it is Greek of another age
)
#: Script -> encodings by WHATWG name (or, where the WHATWG has none, the usual one), commoner ones first.
_BY_SCRIPT: Final = {
    "Arab": ("windows-1256", "iso-8859-6"),
    "Cyrl": ("windows-1251", "koi8-r", "koi8-u", "iso-8859-5", "ibm866", "ibm855", "x-mac-cyrillic"),
    "Grek": ("windows-1253", "iso-8859-7"),
    "Hans": ("gb18030", "hz"),
    "Hant": ("big5", "gb18030"),
    "Hebr": ("windows-1255",),
    "Jpan": ("shift_jis", "euc-jp", "iso-2022-jp"),
    "Kore": ("euc-kr", "johab", "iso-2022-kr"),
    "Latn": (
        "windows-1252",
        "windows-1250",
        "iso-8859-2",
        "windows-1254",
        "windows-1257",
        "windows-1258",
        "iso-8859-3",
        "iso-8859-16",
        "macintosh",
    ),
    "Thai": ("windows-874",),
}
#: All encodings that a profile can be of. A name from a model file goes to Python's codecs only if it is one of these:
#: some of theirs are no encodings of text, others take a time that grows with the square of the length.
NAMES: Final = frozenset((UTF8, *(name for names in _BY_SCRIPT.values() for name in names)))
_CODECS: Final = {
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac_cyrillic",
    "macintosh": "mac_roman",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "iso-2022-kr": "iso2022_kr",
    "big5": "cp950",
}
#: What is typed where an encoding lacks a letter: Persian with an Arabic yeh, Romanian with cedillas (or commas).
_SUBSTITUTES: Final = str.maketrans("یۀۂۓșțȘȚşţŞŢ", "يهہےşţŞŢșțȘȚ")
_TONES: Final = "\u0300\u0301\u0303\u0309\u0323"  # what windows-1258 writes behind a Vietnamese vowel
_HORN: Final = "\u031b"
_VOWELS: Final = "aăâeêioôơuưy"


def encode(text: str, encoding: str) -> bytes:
    r"""The bytes of a text; a character that the encoding lacks is written as people write it there, or left out.

    >>> encode("Größe ☃", "windows-1252"), encode("ὁδός", "windows-1253").decode("cp1253")
    (b'Gr\xf6\xdfe ', 'οδός')
    """
    codec = _CODECS.get(encoding, encoding)
    try:
        return text.encode(codec)
    except UnicodeEncodeError:
        pass
    lost = {c for c in set(text) if c > "\x7f" and not c.encode(codec, "ignore")}
    table = {ord(c): instead for c in lost if (instead := _substitute(c, codec))}
    return text.translate(table).encode(codec, "ignore")


def _substitute(character: str, codec: str) -> str:
    """Return the substitute of a character that an encoding lacks; empty if there is none."""
    base, *marks = tuple(unicodedata.normalize("NFD", character))
    if _is_greek(base):  # the many accents of Greek are one today
        accent = "\u0301" * any(mark in "\u0300\u0301\u0342" for mark in marks)
        other = unicodedata.normalize("NFC", base + accent)
        return other if other.encode(codec, "ignore") else base
    tones = [mark for mark in marks if mark in _TONES]
    if codec == "windows-1258" and len(tones) == 1:
        letter = unicodedata.normalize("NFC", base + "".join(mark for mark in marks if mark not in _TONES))
        return letter + tones[0] if letter.lower() in _VOWELS else ""
    other = character.translate(_SUBSTITUTES)
    return other if other.encode(codec, "ignore") else ""


def _is_greek(letter: str) -> bool:
    return "\u0370" <= unicodedata.normalize("NFD", letter)[0] < "\u0400"


def decode(data: bytes, encoding: str) -> str:
    """The text of some bytes; what does not decode is left out."""
    return data.decode(_CODECS.get(encoding, encoding), "ignore")


def list_encodings(lines: Iterable[str], script: str) -> list[str]:
    """The encodings that a language needs a profile for, UTF-8 first.

    Letters that are written otherwise there (`encode`) are not lacking, but for tones of other languages than
    Vietnamese, and more old accents than a Greek of today has in quotations.

    >>> list_encodings(["Größe und Übung"], "Latn"), list_encodings(["plain English"], "Latn")
    (['utf-8', 'windows-1252', 'macintosh'], ['utf-8'])
    """
    letters = Counter(letter for line in lines for letter in line if letter > "\x7f" and letter.isalpha())
    total = sum(letters.values())
    # Tones behind their vowels could write Italian too, but are not used for it.
    horned = sum(count for letter, count in letters.items() if _HORN in unicodedata.normalize("NFD", letter))
    vietnamese = horned > _MISSING * total
    answer = [UTF8]
    seen: set[tuple[bytes, ...]] = {()}
    for encoding in _BY_SCRIPT.get(script, ()):
        codec = _CODECS.get(encoding, encoding)
        instead = vietnamese or encoding != "windows-1258"
        images = {letter: encode(letter, encoding) if instead else letter.encode(codec, "ignore") for letter in letters}
        if sum(letters[letter] for letter, image in images.items() if not image) > _MISSING * total:
            continue
        old = sum(count for c, count in letters.items() if _is_greek(c) and not c.encode(codec, "ignore"))
        if old > _OLD_GREEK * total:
            continue
        # Rare foreign letters must not make two encodings of a language out of one.
        common = [letter for letter, count in letters.items() if count > _MISSING * total / 2]
        image = tuple(images[letter] for letter in sorted(common or letters))
        if image not in seen:
            seen.add(image)
            answer.append(encoding)
    return answer
