"""Extract the visible bytes of a page without decoding them (Chew, Mikami & Nagano 2011).

Section 3.2: tags are removed as byte sequences, so that the charset need not be known before the language. Section 3.3:
character references become the UTF-8 bytes of their code points: the 252 names of HTML 4 (as in the paper) and every
number, decimal or hexadecimal.

The paper asks for a semicolon after every reference. Browsers do not, and pages rely on it: here it may be missing
after a number, and after a name that the HTML standard allows without one (those of Latin-1), if no letter or digit
follows. As in browsers, the numbers 128 to 159 mean the windows-1252 characters, and a number that is no character
becomes U+FFFD. The result is not parsed again: ``&amp;lt;`` is ``&lt;``.

This works wherever ``<`` and ``&`` are always ASCII: UTF-8, every ISO 8859 and windows code page, KOI8, EUC, Shift_JIS,
Big5, GB 18030. In ISO-2022 and HZ these bytes are also halves of characters; so the stretches between the escapes (in
ISO-2022-KR and -CN: between shift out and shift in) stay as they are. (The paper lists HZ among its encodings and does
not mention this.) A stretch of HZ, or after a shift out, consists of pairs of bytes, the second of which may be a
tilde, and of no spaces: so a ``~{`` on another page hides few tags. UTF-16 and UTF-32 have to be decoded first, and in
Johab a rare syllable may be taken for a tag.
"""

from __future__ import annotations

import re
from html.entities import html5, name2codepoint
from typing import Final

_NAMES: Final = {name.encode(): chr(code).encode() for name, code in name2codepoint.items()}
_BARE: Final = frozenset(name.encode() for name in html5 if not name.endswith(";"))
_REPLACEMENT: Final = "\ufffd".encode()
_LAST: Final = 0x10FFFF
_DIGITS: Final = 7  # of the last code point, in decimal

#: Elements whose tags may be within a word; all others separate words.
_INLINE: Final = (
    b"a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|nobr|q|rp|rt|ruby|s|samp|small|span|strike"
    rb"|strong|sub|sup|tt|u|var|wbr"
)

# One pass. Every alternative but the hidden elements ends at the next "<" or without backtracking, so that the
# time is linear. A quoted value holds no "<" here: the search for its end stops at the next tag, and an open quote
# swallows one tag at most. An element that is never closed extends to the end of the page, as in browsers.
_MARKUP: Final = re.compile(
    rb"""
    [<&\x0e\x1b~] (?:  # one set of first bytes, so that the search runs through the text in between
      (?<=<) (?:
          (?P<hidden> !--(?:-?>|.*?(?:--!?>|\Z))
                    | (?P<name>script|style)(?=[\s/>]) .*?(?:</(?P=name)(?=[\s/>])[^>]*+>?+|\Z) )
        | (?P<inline> /?(?:"""
    + _INLINE
    + rb""")(?=[\s/>])(?:[^<>"']++|"[^"<]*+"|'[^'<]*+'|["'])*+>?+ )
        | (?P<tag>    [!?/]?+[a-zA-Z\[](?:[^<>"']++|"[^"<]*+"|'[^'<]*+'|["'])*+>?+ ) )
    | (?<=&) (?:
          \#[xX](?P<hexadecimal>[0-9a-fA-F]++);?+
        | \#(?P<decimal>[0-9]++);?+
        | (?P<entity>[a-zA-Z][a-zA-Z0-9]{1,7}+)(?P<end>;|(?![a-zA-Z0-9])) )
    | (?P<pairs> (?<=\x1b)\$(?:[)*+].|[^\x1b\n]*+) | (?<=\x0e)(?:[!-~]{2})*+ | (?<=~)\{(?:[!-}][!-~])*+ )
    )
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def extract_visible(page: bytes, *, references: bool = True) -> bytes:
    r"""Return a page without tags, comments, scripts and styles, in a superset of ASCII, in ISO-2022 or HZ.

    A tag that separates words leaves a space. White space is not folded. With ``references`` character references
    become UTF-8 bytes (the paper's fourth experiment), else they stay.

    >>> extract_visible(b"<p title='a>b'>caf\xe9 <b>&amp; &#946; &#x5E73;</b><br><!-- no -->").split()
    [b'caf\xe9', b'&', b'\xce\xb2', b'\xe5\xb9\xb3']
    """

    def replace(match: re.Match[bytes]) -> bytes:
        kind = match.lastgroup
        if kind in {"tag", "hidden"}:
            return b" "
        if kind == "inline":
            return b""
        return _resolve_reference(match) if references and kind != "pairs" else match[0]

    return _MARKUP.sub(replace, page)


def _resolve_reference(match: re.Match[bytes]) -> bytes:
    """Return the character of a reference; a name that HTML 4 does not have stays."""
    if match["hexadecimal"]:
        return _decode_character(match["hexadecimal"], 16)
    if match["decimal"]:
        return _decode_character(match["decimal"], 10)
    name = match["entity"]
    return _NAMES[name] if name in _NAMES and (match["end"] or name in _BARE) else match[0]


def _decode_character(digits: bytes, base: int) -> bytes:
    """Return the UTF-8 bytes of a numeric reference."""
    digits = digits.lstrip(b"0")
    code = int(digits or b"0", base) if len(digits) <= _DIGITS else _LAST + 1
    if 0x80 <= code < 0xA0:  # noqa: PLR2004 - the C1 controls, which no page means
        return bytes([code]).decode("cp1252", "replace").encode()
    if code == 0 or 0xD800 <= code < 0xE000 or code > _LAST:  # noqa: PLR2004 - the surrogates are no characters
        return _REPLACEMENT
    return chr(code).encode()
