"""The records that the parts hand to each other: what a reader says of one page, and what it could not read.

``ingest`` makes these records, ``store`` writes them, and nothing else is shared between the two. They are plain,
immutable and hold no reference to a file or a database, so that they can cross from a worker process to the writer.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, overload

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Characters of a text that methods read; what is kept beyond them is deflated.
READ = 10_000
NOFOLLOW = 0x80  #: added to the kind of a link among `Links`
_KIND = 0x7F
_LEVEL = 6  # of zlib: long texts take a third of their size


class LinkKind(IntEnum):
    """How one page refers to another. The number is what the ``links`` table stores.

    The order is a precedence: where a page refers to a target in several ways, the kind with the lowest number is
    kept, because it says most about how the two pages belong together.
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
    hreflang: str | None = None  #: the language that the link announces, as written, at most 35 characters
    text: str = ""  #: anchor text, white space folded, at most 200 characters; empty unless it is to be kept


@dataclass(frozen=True, slots=True, eq=False)
class Links(Sequence[Link]):
    r"""The links of a page by columns: a page has hundreds that differ in their targets alone.

    A sequence of `Link` like any other, which takes a hundredth of the time to make, to send and to store.

    >>> links = Links.of([Link("http://a.example/", 7), Link("http://b.example/", 7, hreflang="de")])
    >>> links.urls, links.hreflangs, links[1].hreflang
    (b'http://a.example/\x00http://b.example/\x00', ((1, 'de'),), 'de')
    """

    urls: bytes = b""  #: the targets in UTF-8, a zero behind each
    kinds: bytes = b""  #: a byte a link: its kind, and 128 more where it is nofollow
    hreflangs: tuple[tuple[int, str], ...] = ()  #: place among the links and hreflang, of those that have one
    texts: tuple[tuple[int, str], ...] = ()  #: the same of anchor texts

    @classmethod
    def of(cls, links: Iterable[Link]) -> Links:
        """Bring links into columns; a zero in a URL is encoded."""
        if isinstance(links, Links):
            return links
        links = list(links)
        if not links:
            return NO_LINKS
        return cls(
            packed([link[0] for link in links]),
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


NO_LINKS = Links()  #: one for all pages that have none


def packed(texts: Iterable[str]) -> bytes:
    r"""Return texts in UTF-8 with a zero behind each; one within them is encoded as in a URL.

    >>> packed(["a", "ä"])
    b'a\x00\xc3\xa4\x00'
    """
    given = list(texts)
    joined = "\0".join(given)
    if joined.count("\0") >= len(given) > 0:
        joined = "\0".join([text.replace("\0", "%00") for text in given])
    return (joined + "\0").encode("utf-8", "surrogatepass") if given else b""


def unpacked(texts: bytes) -> list[str]:
    r"""Return texts that have a zero behind each.

    >>> unpacked(b"a\x00\xc3\xa4\x00")
    ['a', 'ä']
    """
    found = texts.decode("utf-8", "surrogatepass").split("\0")
    found.pop()  # behind the last zero is nothing
    return found


def deflated(text: str) -> bytes:
    """Text as it is kept where no method reads it: UTF-8 in a zlib stream (RFC 1950); nothing for nothing.

    Args:
        text: any; halves of surrogate pairs become question marks.
    """
    return zlib.compress(text.encode("utf-8", "replace"), _LEVEL) if text else b""


def inflated(data: bytes, most: int) -> str:
    """What was `deflated`.

    Args:
        data: zlib stream; nothing for nothing.
        most: characters that there are at most: a database may come from a stranger.

    Raises:
        ValueError: it is no such stream, is not whole, or holds more.

    >>> inflated(deflated("déjà vu"), 7)
    'déjà vu'
    """
    if not data:
        return ""
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(data, 4 * most + 1)  # a character takes four bytes at most
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not stream.eof or len(text := raw.decode()) > most:
        raise ValueError(f"not whole, or more than {most} characters")
    return text


def apart(text: str) -> tuple[str, bytes]:
    """A text as it is kept: its first `READ` characters, and what follows them `deflated`.

    Args:
        text: any.
    """
    return text[:READ], deflated(text[READ:])


class Declaration(NamedTuple):
    """A language that the page declares for itself: evidence, never the answer."""

    #: ``html-lang``, ``xml-lang``, ``meta-content-language`` or ``http-content-language``; and ``robots`` with the
    #: value ``noindex``, which is no language: the page does not want to be found
    source: str
    value: str  #: as written, at most 100 characters


@dataclass(frozen=True, slots=True)
class Page:
    """What one capture says: a WARC response or revisit record, an ARC document, ...

    A record without text (an image, a redirect, an error without a body) is a page too: it has a URL, and links
    may lead to it.
    """

    url: str  #: canonical target URI, absolute, without fragment
    offset: int  #: byte offset of the record in its file (of its gzip member, where records are compressed one by one)
    date: str = ""  #: capture time, ``2026-11-21T00:17:00Z``; empty where the record gives none
    status: int | None = None  #: HTTP status; None where the record holds no HTTP header
    mime: str = ""  #: media type as served, lower case, without parameters
    charset: str | None = None  #: WHATWG name of the charset the text was decoded with; None for pages without text
    #: on whose word: ``bom``, ``http``, ``xml``, ``meta``, ``utf-8`` (it decodes), ``detector``, ``default``; and which
    #: declarations the bytes belie: ``utf-8, not http``, ``detector, not http or meta``; and where the text had been
    #: encoded twice or more often, and is as it was meant: ``http, encoded twice``, ``meta, encoded 3 times``
    charset_from: str = ""
    title: str = ""  #: text of ``<title>``, white space folded
    #: visible text, white space folded: a line feed where a line or paragraph ends, else a space; its first `READ`
    #: characters, cut at the limit of the ingest
    text: str = ""
    length: int = 0  #: characters of the visible text before it was cut
    size: int = 0  #: bytes of the decoded payload
    digest: str = ""  #: SHA-1 of the payload in base 32, as in WARC-Payload-Digest; empty where there is none
    revisit_of: str | None = None  #: for a WARC revisit record: the target URI that it refers to (often its own)
    declared: tuple[Declaration, ...] = ()
    links: Sequence[Link] = ()  #: `Links`, or any other sequence
    revisit_date: str = ""  #: for a revisit record: the date of the capture that it refers to, where it is given
    parts: str = (
        "both"  #: what a record carries: ``both``, ``text`` (WET), ``links`` (WAT); ``joined``: these two together
    )
    main_length: int = 0  #: characters at the start of `text` and `rest` that are main content; the rest follows
    visible: bytes = b""  #: visible bytes of the page, not decoded, where they are kept; cut at the limit of the ingest
    rest: bytes = b""  #: what follows `text`, up to the limit of the ingest; see `deflated`


@dataclass(frozen=True, slots=True)
class Problem:
    """A record, or a stretch of a file, that could not be read as it should; the rest goes on."""

    kind: str  #: one word for counting, e.g. ``truncated``, ``bad-http``, ``bad-url``, ``too-large``
    reason: str  #: one line for a reader
    offset: int | None = None  #: byte offset in the file, where known
    url: str | None = None  #: target URI as far as it could be read
