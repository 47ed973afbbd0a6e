"""Text that was encoded twice: "Ð¿Ñ€Ð¸Ð²ÐµÑ‚" -> "привет".

Its UTF-8 was taken for windows-1252 or ISO-8859-1, and encoded once more: an old database or a page's own program did
so. Every character beyond ASCII is then a run of two to four, each of which stands for one byte, and the bytes are
valid UTF-8. Hardly any text is so by chance: a capital letter of Latin-1 (or "ß") before a sign ("SPÖ“"), a small one
before two ("é »", with a space that does not break). So a text is as it was meant only if

- nine of ten characters beyond ASCII belong to such runs: a text in any language that shows some is left alone, and so
  is one of which only a part was encoded twice;
- several of the characters that come out are no island between blanks or signs, as examples in a table are; and they
  are not all the same one ("NESCAFÉ®" on every line).

What was encoded more often is taken back as often as the same is true of it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from graphlang.ingest.html.tokenizer import looks_encoded_twice

_MOST: Final = 3  # times that an encoding is taken back
_FEWEST: Final = 3  # characters, no islands, that tell of it
_SHARE: Final = 10  # at most one in so many characters beyond ASCII belongs to no run
#: Character -> the byte that it stands for, if it is not the one of the same number.
_BYTES: Final = {ord(bytes([byte]).decode("cp1252", "ignore") or chr(byte)): byte for byte in range(0x80, 0xA0)}


def _class(first: int, last: int) -> str:
    """The characters that stand for bytes, as a set of a regular expression."""
    named = "".join(chr(code) for code, byte in _BYTES.items() if first <= byte <= last)
    return f"[{chr(first)}-{chr(last)}{named}]"


_NEXT: Final = _class(0x80, 0xBF)
#: One character, as the Unicode standard has its bytes (table 3-7).
_CHARACTER: Final = "|".join(
    (
        f"[\xc2-\xdf]{_NEXT}",
        f"\xe0{_class(0xA0, 0xBF)}{_NEXT}",
        f"\xed{_class(0x80, 0x9F)}{_NEXT}",
        f"[\xe1-\xec\xee\xef]{_NEXT}{{2}}",
        f"\xf0{_class(0x90, 0xBF)}{_NEXT}{{2}}",
        f"\xf4{_class(0x80, 0x8F)}{_NEXT}{{2}}",
        f"[\xf1-\xf3]{_NEXT}{{3}}",
    )
)
_RUN: Final = re.compile(f"(?:{_CHARACTER})+")


class Meant(NamedTuple):
    """A text as it was meant."""

    text: str
    encoded: int  #: how often it had been encoded: 2 and more

    @property
    def source(self) -> str:
        """What a capture says of it (`Page.charset_from`), behind what named the charset."""
        return "encoded twice" if self.encoded == 2 else f"encoded {self.encoded} times"  # noqa: PLR2004


def as_meant(text: str | bytes) -> Meant | None:
    """Return a text as it was meant; None where it was encoded once, as nearly all are, or where that is not certain.

    Args:
        text: any text, as characters or in UTF-8; markup counts as text.

    >>> as_meant("KÃ¶ln, DÃ¼sseldorf, MÃ¼nchen")
    Meant(text='Köln, Düsseldorf, München', encoded=2)
    >>> as_meant("für heißt hier Ã¼, Ã¤, Ã¶"), as_meant("SPÖ“, FPÖ“, ÖVP")
    (None, None)
    """
    if isinstance(text, str) and text.isascii():
        return None
    if not looks_encoded_twice(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")):
        return None
    own = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    times = 1
    while times <= _MOST and (meant := _told(own)) is not None:
        own = meant
        times += 1
    return Meant(own, times) if times > 1 else None


def taken_back(text: str, encoded: int) -> str:
    """Return a text of which one knows how often it was encoded, such as the title of another, as it was meant.

    Args:
        text: any.
        encoded: how often: 1 and more.

    >>> taken_back("fÃ¼r", 2)
    'für'
    """
    for _ in range(1, encoded):
        text = _RUN.sub(_characters, text)
    return text


def places(text: str, encoded: int) -> list[int]:
    """Return where each character of a text as it was meant begins in the text as it is, and where that ends.

    Args:
        text: any.
        encoded: how often, as `taken_back` has it.

    >>> places("fÃ¼r", 2)
    [0, 1, 3, 4]
    """
    at = list(range(len(text) + 1))
    for _ in range(1, encoded):
        own: list[int] = []
        behind = 0
        for run in _RUN.finditer(text):
            own += at[behind : run.start()]
            begin = run.start()
            for character in _characters(run):
                own.append(at[begin])
                begin += len(character.encode())
            behind = run.end()
        at = own + at[behind:]
        text = _RUN.sub(_characters, text)
    return at


def _characters(run: re.Match[str]) -> str:
    return run[0].translate(_BYTES).encode("latin-1").decode()


def _told(text: str) -> str | None:
    """Take back one encoding; None where it is not certain that there is one."""
    covered = telling = 0
    seen: set[str] = set()

    def meant(run: re.Match[str]) -> str:
        nonlocal covered, telling
        found = _characters(run)
        begin, end = run.span()
        covered += end - begin
        if len(found) > 1 or text[begin - 1 : begin].isalnum() or text[end : end + 1].isalnum():
            telling += len(found)
            seen.update(found)
        return found

    taken = _RUN.sub(meant, text)
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    certain = telling >= _FEWEST and len(seen) > 1 and (beyond - covered) * _SHARE <= beyond
    return taken if certain else None
