"""Decode a URL to bounded, readable text: percent escapes and punycode become letters.

A URL from a crawl can be anything: a megabyte of letters, bytes in an old charset, a ``data:`` URI with a picture in
it. Nothing here raises, and the time depends on at most `MOST_CHARACTERS` characters of a URL.
"""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING
from urllib.parse import unquote_to_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence


#: characters of a URL that are read. Escapes are decoded after the cut.
MOST_CHARACTERS = 1024
_HOST = string.ascii_letters + string.digits + "-"
_LONGEST_CHARACTER = 6  # bytes of an unfinished one, and of an escape cut in two
_EMBEDDED = ("data:", "javascript:", "blob:", "about:", "mailto:", "tel:")
_HOST_NAME = r"[^\s/?#\\:@]+\.(?!\d)[^\s/?#\\:@.]{2,}\.?"
_URL = re.compile(
    r"\s*(?:[a-z][a-z0-9+.-]*://[^\s/?#\\]"  # a scheme with a host
    rf"|{'|'.join(_EMBEDDED)}"  # one that embeds its content, or names no page
    r"|/\S*\s*$"  # a path
    rf"|(?:{_HOST_NAME}|\d{{1,3}}(?:\.\d{{1,3}}){{3}})(?::\d+)?(?:[/?#\\]|\s*$))",
    re.IGNORECASE,
)


def is_url(text: str) -> bool:
    """Return True if a text has the form of a URL; the scheme may be missing, and so may the host before a path.

    >>> [is_url(text) for text in ("http://a.example/b c", "www.a.example", "/politik/", "mailto:a@b.example")]
    [True, True, True, True]
    >>> [is_url(text) for text in ("hello world", "hello", "", "http://", "At 12:30. See a.example", "3.14")]
    [False, False, False, False, False, False]
    """
    return _URL.match(text[:MOST_CHARACTERS]) is not None


def make_readable(url: str) -> str:
    """Return the first `MOST_CHARACTERS` characters of the URL, with percent escapes and punycode labels decoded.

    Escapes that are not UTF-8 are read as Latin-1, which was the custom before RFC 3986. A scheme that embeds its
    content (``data:``, ``javascript:``) or names no web page (``mailto:``) gives the empty string: such a URL is no
    evidence of a language.

    >>> make_readable("https://xn--bcher-kva.example/%D0%BC%D0%B8%D1%80")
    'https://bücher.example/мир'
    >>> make_readable("javascript:alert('guten Tag')")
    ''
    """
    cut = len(url) > MOST_CHARACTERS
    url = url[:MOST_CHARACTERS]
    if url[:11].lstrip().lower().startswith(_EMBEDDED):
        return ""
    if "%" in url:
        octets = unquote_to_bytes(url.encode("utf-8", "surrogatepass"))
        url = _decode(octets, cut=cut)
    if "xn--" in url or "XN--" in url:
        url = _decode_punycode(url)
    return url


def _decode(octets: bytes, *, cut: bool) -> str:
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError as error:
        # A cut may fall inside a character: the text before it is valid UTF-8.
        if cut and error.start >= len(octets) - _LONGEST_CHARACTER:
            return octets[: error.start].decode("utf-8")
        return octets.decode("latin-1")


def _decode_punycode(url: str) -> str:
    labels = url.split(".")
    for place, label in enumerate(labels):
        start = label.lower().find("xn--")
        if start < 0:
            continue
        head, rest = label[:start], label[start + 4 :]
        length = len(rest) - len(rest.lstrip(_HOST))
        try:
            labels[place] = head + rest[:length].encode("ascii").decode("punycode") + rest[length:]
        except UnicodeError:
            continue
    return ".".join(labels)


def make_all_readable(urls: Sequence[str]) -> list[str]:
    """Apply `make_readable` to each URL; those without an escape, a punycode label or a rare scheme are only cut.

    >>> make_all_readable(["http://example.org/", "data:text/plain,hello"])
    ['http://example.org/', '']
    """
    return [
        url[:MOST_CHARACTERS] if url[:4] == "http" and "%" not in url and "--" not in url else make_readable(url)
        for url in urls
    ]
