"""In which character encodings a language may be met on the web, and where they differ for it.

The byte methods hold a profile for each (language, encoding) pair (Zavarsky et al. 2005; Chew et al. 2011, section
4.1: "Chinese_Simplified_EUC-CN"). Neither paper lists its pairs. Here the script says which encodings come in question,
and the language's own text which of them matter: an encoding is left out when it cannot write the language's letters,
and when it writes all of them with the same bytes as an encoding before it (German is the same in windows-1252 and
windows-1250).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

UTF8: Final = "utf-8"
_LOST = 0.01  # share of the letters beyond ASCII that an encoding may lack

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


def encode(text: str, encoding: str) -> bytes:
    r"""The bytes of a text; characters that the encoding lacks are left out.

    >>> encode("Größe ☃", "windows-1252")
    b'Gr\xf6\xdfe '
    """
    return text.encode(_CODECS.get(encoding, encoding), "ignore")


def decode(data: bytes, encoding: str) -> str:
    """The text of some bytes; what does not decode is left out."""
    return data.decode(_CODECS.get(encoding, encoding), "ignore")


def encodings_of(lines: Iterable[str], script: str) -> list[str]:
    """The encodings that a language needs a profile for, UTF-8 first.

    >>> encodings_of(["Größe und Übung"], "Latn"), encodings_of(["plain English"], "Latn")
    (['utf-8', 'windows-1252', 'macintosh'], ['utf-8'])
    """
    letters = Counter(letter for line in lines for letter in line if letter > "\x7f" and letter.isalpha())
    total = sum(letters.values())
    answer = [UTF8]
    seen: set[tuple[bytes, ...]] = {()}
    for encoding in _BY_SCRIPT.get(script, ()):
        images = {letter: encode(letter, encoding) for letter in letters}
        if sum(letters[letter] for letter, image in images.items() if not image) > _LOST * total:
            continue
        # Rare foreign letters must not make two encodings of a language out of one.
        common = [letter for letter, count in letters.items() if count > _LOST * total / 2]
        image = tuple(images[letter] for letter in sorted(common or letters))
        if image not in seen:
            seen.add(image)
            answer.append(encoding)
    return answer
