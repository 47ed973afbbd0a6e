"""The byte path: a page's bytes -> its visible bytes, without ever decoding them (Chew, Mikami & Nagano 2011).

Section 3.2: tags are found as byte sequences and taken out, so that no charset has to be guessed before the language is
known. Section 3.3: character references become the UTF-8 bytes of their code points: the 252 names of HTML 4 (no
others, as in the paper) and every number, decimal or hexadecimal.

The paper asks for a semicolon after every reference. Browsers do not, and pages rely on it: here it may be missing
after a number, and after a name that the HTML standard lets go without one (those of Latin-1), if no letter or digit
follows. As in browsers, the numbers 128 to 159 mean the windows-1252 characters, and a number that is no character
becomes U+FFFD. What a reference turns into is not read again: ``&amp;lt;`` is ``&lt;``.

Tags work on bytes wherever ``<`` and ``&`` are ASCII's own: UTF-8, every ISO 8859 and windows code page, KOI8, EUC,
Shift_JIS, Big5, GB 18030. In ISO-2022 and HZ these bytes are also halves of characters; there the stretches between
the escapes (in ISO-2022-KR and -CN: between shift out and shift in) are left alone. (The paper names HZ among its
encodings and does not say this.) A stretch of HZ, or after a shift out, is made of pairs of bytes, the second of which
may be a tilde, and of no spaces: so a ``~{`` on another page hides few tags. UTF-16 and UTF-32 have to be decoded
first, and in Johab a rare syllable may be taken for a tag.
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

#: Elements whose tags stand within a word or a line; all others set words apart.
_INLINE: Final = (
    b"a|abbr|acronym|b|bdi|bdo|big|cite|code|del|dfn|em|font|i|ins|kbd|mark|nobr|q|rp|rt|ruby|s|samp|small|span|strike"
    rb"|strong|sub|sup|tt|u|var|wbr"
)

# One pass, and every alternative but the hidden elements ends at the next "<" or needs no second look, so that the
# time is linear. A quoted value holds no "<" here: the search for its end stops at the next tag, and an open quote
# swallows one tag at most. What is never closed goes to the end of the page, as in browsers.
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
    | (?P<kept> (?<=\x1b)\$(?:[)*+].|[^\x1b\n]*+) | (?<=\x0e)(?:[!-~]{2})*+ | (?<=~)\{(?:[!-}][!-~])*+ )
    )
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


def visible(page: bytes, *, references: bool = True) -> bytes:
    r"""The visible bytes of a page: no tags, comments, scripts or styles.

    A tag that sets words apart leaves a space. White space is not folded.

    Args:
        page: The page, in any encoding that is a superset of ASCII, or in ISO-2022 or HZ.
        references: Whether character references become UTF-8 bytes (the paper's fourth experiment) or stay.

    >>> visible(b"<p title='a>b'>caf\xe9 <b>&amp; &#946; &#x5E73;</b><br><!-- no -->").split()
    [b'caf\xe9', b'&', b'\xce\xb2', b'\xe5\xb9\xb3']
    """

    def becomes(found: re.Match[bytes]) -> bytes:
        kind = found.lastgroup
        if kind in {"tag", "hidden"}:
            return b" "
        if kind == "inline":
            return b""
        return _referred(found) if references and kind != "kept" else found[0]

    return _MARKUP.sub(becomes, page)


def _referred(found: re.Match[bytes]) -> bytes:
    """What a character reference stands for; a name that HTML 4 does not have stands for itself."""
    if found["hexadecimal"]:
        return _character(found["hexadecimal"], 16)
    if found["decimal"]:
        return _character(found["decimal"], 10)
    name = found["entity"]
    known = name in _NAMES and (found["end"] or name in _BARE)
    return _NAMES[name] if known else found[0]


def _character(digits: bytes, base: int) -> bytes:
    """UTF-8 bytes of the character that a numeric reference means."""
    digits = digits.lstrip(b"0")
    code = int(digits or b"0", base) if len(digits) <= _DIGITS else _LAST + 1
    if 0x80 <= code < 0xA0:  # noqa: PLR2004 - the C1 controls, which no page means
        return bytes([code]).decode("cp1252", "replace").encode()
    if code == 0 or 0xD800 <= code < 0xE000 or code > _LAST:  # noqa: PLR2004 - the surrogates are no characters
        return _REPLACEMENT
    return chr(code).encode()
