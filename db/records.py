"""The records of one page, and of what could not be read, passed from `graphlang.ingest` to `graphlang.db`.

They are plain, immutable and hold no reference to a file or a database, so that worker processes can send them to the
writer.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Characters of a text that methods read; the rest is stored deflated.
READ = 10_000
NOFOLLOW = 0x80  #: added to the kind of a link among `Links`
_KIND = 0x7F
_LEVEL = 6  # of zlib: long texts take a third of their size


class LinkKind(IntEnum):
    """Kind of a reference from one page to another. The number is the value in the ``links`` table.

    If a page refers to a target in several ways, the kind with the lowest number is kept, because it is the strongest
    relation between the two pages.
    """

    REDIRECT = 1  #: HTTP status 3xx with a Location
    REFRESH = 2  #: ``<meta http-equiv="refresh">`` with a URL
    CANONICAL = 3  #: ``<link rel="canonical">`` or the HTTP Link header
    FRAME = 4  #: ``<frame src>`` of a frameset
    IFRAME = 5  #: ``<iframe src>``
    ALTERNATE = 6  #: ``<link rel="alternate" hreflang>``, or the HTTP Link header: the same page in another language
    ANCHOR = 7  #: ``<a href>``
    AREA = 8  #: ``<area href>`` of an image map


class Link(NamedTuple):
    """One reference from a page to a target; a page has at most one for each target."""

    url: str  #: canonical target URI, absolute, without fragment
    kind: int  #: a LinkKind
    nofollow: bool = False  #: ``rel`` holds ``nofollow`` (or the page's robots meta or X-Robots-Tag does)
    hreflang: str | None = None  #: language that the link declares, as written, at most 35 characters
    text: str = ""  #: anchor text, white space folded, at most 200 characters; empty unless anchor texts are kept


@dataclass(frozen=True, slots=True, eq=False)
class Links(Sequence[Link]):
    r"""The links of a page as columns: a sequence of `Link` that takes a hundredth of the time to create and store.

    >>> links = Links.from_links([Link("http://a.example/", 7), Link("http://b.example/", 7, hreflang="de")])
    >>> links.urls, links.hreflangs, links[1].hreflang
    (b'http://a.example/\x00http://b.example/\x00', ((1, 'de'),), 'de')
    """

    urls: bytes = b""  #: targets in UTF-8, each followed by a zero
    kinds: bytes = b""  #: a byte a link: its kind, plus 128 if it is nofollow
    hreflangs: tuple[tuple[int, str], ...] = ()  #: position and hreflang of links that have one
    texts: tuple[tuple[int, str], ...] = ()  #: position and anchor text of links that have one

    @classmethod
    def from_links(cls, links: Iterable[Link]) -> Links:
        """Convert links to columns; a zero in a URL is percent-encoded."""
        if isinstance(links, Links):
            return links
        links = list(links)
        if not links:
            return NO_LINKS
        return cls(
            pack_texts([link[0] for link in links]),
            bytes([link[1] | NOFOLLOW if link[2] else link[1] for link in links]),
            tuple([(place, link[3]) for place, link in enumerate(links) if link[3] is not None]),
            tuple([(place, link[4]) for place, link in enumerate(links) if link[4]]),
        )

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, place: int) -> Link: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Link, ...]: ...
    def __getitem__(self, place: int | slice) -> Link | tuple[Link, ...]:
        """Return one link, or some."""
        return tuple(self)[place]

    def __iter__(self) -> Iterator[Link]:
        """Yield the links one by one."""
        hreflangs, texts = dict(self.hreflangs), dict(self.texts)
        urls = self.urls.decode("utf-8", "surrogatepass").split("\0")
        for place, kind in enumerate(self.kinds):
            yield Link(urls[place], kind & _KIND, bool(kind & NOFOLLOW), hreflangs.get(place), texts.get(place, ""))

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Sequence) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))


NO_LINKS = Links()  #: shared by all pages without links


def pack_texts(texts: Iterable[str]) -> bytes:
    r"""Return texts in UTF-8, each followed by a zero; zeros within them are percent-encoded.

    >>> pack_texts(["a", "ä"])
    b'a\x00\xc3\xa4\x00'
    """
    items = list(texts)
    joined = "\0".join(items)
    if joined.count("\0") >= len(items) > 0:
        joined = "\0".join([text.replace("\0", "%00") for text in items])
    return (joined + "\0").encode("utf-8", "surrogatepass") if items else b""


def unpack_texts(texts: bytes) -> list[str]:
    r"""Return texts that are each followed by a zero.

    >>> unpack_texts(b"a\x00\xc3\xa4\x00")
    ['a', 'ä']
    """
    items = texts.decode("utf-8", "surrogatepass").split("\0")
    items.pop()  # empty, after the last zero
    return items


def deflate_text(text: str) -> bytes:
    """Return a text as UTF-8 in a zlib stream (RFC 1950), or empty bytes; lone surrogates become question marks."""
    return zlib.compress(text.encode("utf-8", "replace"), _LEVEL) if text else b""


def inflate_text(data: bytes, maximum: int) -> str:
    """Undo `deflate_text`; raise ValueError for a damaged stream, or one with more than ``maximum`` characters.

    >>> inflate_text(deflate_text("déjà vu"), 7)
    'déjà vu'
    """
    if not data:
        return ""
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(data, 4 * maximum + 1)  # a character takes four bytes at most
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not stream.eof or len(text := raw.decode()) > maximum:
        raise ValueError(f"not whole, or more than {maximum} characters")
    return text


def split_text(text: str) -> tuple[str, bytes]:
    """Split a text as it is stored: its first `READ` characters, and the rest `deflate_text`."""
    return text[:READ], deflate_text(text[READ:])


class Declaration(NamedTuple):
    """A language that the page declares: evidence, never the answer."""

    #: ``html-lang``, ``xml-lang``, ``meta-content-language`` or ``http-content-language``; and ``robots`` with the
    #: value ``noindex``, which is no language: the page asks search engines to skip it
    source: str
    value: str  #: as written, at most 100 characters


@dataclass(frozen=True, slots=True)
class Page:
    """One capture: a WARC response or revisit record, an ARC document, ...

    A record without text (an image, a redirect, an error without a body) is a page too, because links may lead to it.
    """

    url: str  #: canonical target URI, absolute, without fragment
    offset: int  #: byte offset of the record in its file (of its gzip member, where records are compressed one by one)
    date: str = ""  #: capture time, ``2026-11-21T00:17:00Z``; empty if the record has none
    status: int | None = None  #: HTTP status; None if the record has no HTTP header
    mime: str = ""  #: media type as served, lower case, without parameters
    charset: str | None = None  #: WHATWG name of the charset used to decode the text; None for pages without text
    #: source of the charset: ``bom``, ``http``, ``xml``, ``meta``, ``utf-8`` (valid), ``detector``, ``default``; then
    #: declarations that the bytes contradict: ``utf-8, not http``, ``detector, not http or meta``; then how often the
    #: text was encoded, which is undone: ``http, encoded twice``, ``meta, encoded 3 times``
    charset_from: str = ""
    title: str = ""  #: text of ``<title>``, white space folded
    #: visible text, white space folded to a line feed at the end of a line or paragraph, else to a space; its first
    #: `READ` characters, cut at the limit of the ingest
    text: str = ""
    length: int = 0  #: characters of the visible text before it was cut
    size: int = 0  #: bytes of the decoded payload
    digest: str = ""  #: SHA-1 of the payload in base 32, as in WARC-Payload-Digest; empty if unknown
    revisit_of: str | None = None  #: for a WARC revisit record: the target URI it refers to (often its own)
    declared: tuple[Declaration, ...] = ()
    links: Sequence[Link] = ()  #: `Links`, or any other sequence
    revisit_date: str = ""  #: for a revisit record: the date of the capture it refers to, if the record has it
    parts: str = "both"  #: content of the record: ``both``, ``text`` (WET), ``links`` (WAT); ``joined``: these two
    main_length: int = 0  #: characters at the start of `text` and `rest` that are main content
    visible: bytes = b""  #: undecoded visible bytes of the page, if they are kept; cut at the limit of the ingest
    rest: bytes = b""  #: text after `text`, up to the limit of the ingest; see `deflate_text`


@dataclass(frozen=True, slots=True)
class Problem:
    """A record, or part of a file, that could not be read correctly."""

    kind: str  #: one word for counting, e.g. ``truncated``, ``bad-http``, ``bad-url``, ``too-large``
    reason: str  #: one line for a reader
    offset: int | None = None  #: byte offset in the file, if known
    url: str | None = None  #: target URI, as much as could be read
