"""Repair text that was encoded twice: "Ð¿Ñ€Ð¸Ð²ÐµÑ‚" -> "привет".

An old database or a page's own program took its UTF-8 for windows-1252 or ISO-8859-1, and encoded it once more. Every
character beyond ASCII is then a run of two to four characters. Each of these is one byte, and the bytes are valid
UTF-8. Little text is so by chance: a capital letter of Latin-1 (or "ß") before a sign ("SPÖ“"), a small one before two
("é »", with a space that does not break). So a text is repaired only if

- nine of ten characters beyond ASCII belong to such runs: so a text that quotes some stays, and so does a text of which
  only a part was encoded twice;
- several repaired characters are next to letters, unlike examples in a table; and they are not all the same character
  ("NESCAFÉ®" on every line).

Text that was encoded more often is repaired as often as the same holds.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from graphlang.ingest.html.tokenizer import looks_encoded_twice

_MAX_TIMES: Final = 3  # that an encoding is undone
_FEWEST: Final = 3  # repaired characters next to letters
_SHARE: Final = 10  # at most one in ten characters beyond ASCII belongs to no run
#: Character -> its byte, if that is not the byte of the same number.
_BYTES: Final = {ord(bytes([byte]).decode("cp1252", "ignore") or chr(byte)): byte for byte in range(0x80, 0xA0)}


def _make_class(first: int, last: int) -> str:
    """Return the characters of some bytes, as a set of a regular expression."""
    named = "".join(chr(code) for code, byte in _BYTES.items() if first <= byte <= last)
    return f"[{chr(first)}-{chr(last)}{named}]"


_NEXT: Final = _make_class(0x80, 0xBF)
#: The bytes of one character in the Unicode standard (table 3-7).
_CHARACTER: Final = "|".join(
    (
        f"[\xc2-\xdf]{_NEXT}",
        f"\xe0{_make_class(0xA0, 0xBF)}{_NEXT}",
        f"\xed{_make_class(0x80, 0x9F)}{_NEXT}",
        f"[\xe1-\xec\xee\xef]{_NEXT}{{2}}",
        f"\xf0{_make_class(0x90, 0xBF)}{_NEXT}{{2}}",
        f"\xf4{_make_class(0x80, 0x8F)}{_NEXT}{{2}}",
        f"[\xf1-\xf3]{_NEXT}{{3}}",
    )
)
_RUN: Final = re.compile(f"(?:{_CHARACTER})+")


class RepairedText(NamedTuple):
    """A repaired text."""

    text: str
    encoded: int  #: how often it was encoded: 2 and more

    @property
    def source(self) -> str:
        """The addition to ``Page.charset_from``."""
        return "encoded twice" if self.encoded == 2 else f"encoded {self.encoded} times"  # noqa: PLR2004


def repair_encoding(text: str | bytes) -> RepairedText | None:
    """Repair a text, as characters or in UTF-8; None if it was encoded once, as nearly all are, or in doubt.

    Markup counts as text.

    >>> repair_encoding("KÃ¶ln, DÃ¼sseldorf, MÃ¼nchen")
    RepairedText(text='Köln, Düsseldorf, München', encoded=2)
    >>> repair_encoding("für heißt hier Ã¼, Ã¤, Ã¶"), repair_encoding("SPÖ“, FPÖ“, ÖVP")
    (None, None)
    """
    if isinstance(text, str) and text.isascii():
        return None
    if not looks_encoded_twice(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")):
        return None
    repaired = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    times = 1
    while times <= _MAX_TIMES and (once := _repair_once(repaired)) is not None:
        repaired = once
        times += 1
    return RepairedText(repaired, times) if times > 1 else None


def undo_encoding(text: str, encoded: int) -> str:
    """Repair a text that was encoded ``encoded`` times, such as the title of a page whose text was.

    >>> undo_encoding("fÃ¼r", 2)
    'für'
    """
    for _ in range(1, encoded):
        text = _RUN.sub(_list_characters, text)
    return text


def find_character_places(text: str, encoded: int) -> list[int]:
    """Return the index in a text of each character of the repaired text, and the length of the text.

    >>> find_character_places("fÃ¼r", 2)
    [0, 1, 3, 4]
    """
    places = list(range(len(text) + 1))
    for _ in range(1, encoded):
        repaired: list[int] = []
        copied_up_to = 0
        for run in _RUN.finditer(text):
            repaired += places[copied_up_to : run.start()]
            begin = run.start()
            for character in _list_characters(run):
                repaired.append(places[begin])
                begin += len(character.encode())
            copied_up_to = run.end()
        places = repaired + places[copied_up_to:]
        text = _RUN.sub(_list_characters, text)
    return places


def _list_characters(run: re.Match[str]) -> str:
    return run[0].translate(_BYTES).encode("latin-1").decode()


def _repair_once(text: str) -> str | None:
    """Undo one encoding; return None if there may be none."""
    covered = within_words = 0
    distinct: set[str] = set()

    def repair(run: re.Match[str]) -> str:
        nonlocal covered, within_words
        characters = _list_characters(run)
        begin, end = run.span()
        covered += end - begin
        if len(characters) > 1 or text[begin - 1 : begin].isalnum() or text[end : end + 1].isalnum():
            within_words += len(characters)
            distinct.update(characters)
        return characters

    repaired = _RUN.sub(repair, text)
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    certain = within_words >= _FEWEST and len(distinct) > 1 and (beyond - covered) * _SHARE <= beyond
    return repaired if certain else None
