"""The records that the parts hand to each other: what a reader says of one page, and what it could not read.

``ingest`` makes these records, ``store`` writes them, and nothing else is shared between the two. They are plain,
immutable and hold no reference to a file or a database, so that they can cross from a worker process to the writer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


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
    nofollow: bool = False  #: ``rel`` holds ``nofollow`` (or the page's robots meta says so)
    hreflang: str | None = None  #: the language that the link announces, as written, at most 35 characters
    text: str = ""  #: anchor text, white space folded, at most 200 characters; empty unless it is to be kept


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
    charset_from: str = (
        ""  #: on whose word: ``bom``, ``http``, ``xml``, ``meta``, ``utf-8`` (it decodes), ``detector``, ``default``
    )
    title: str = ""  #: text of ``<title>``, white space folded
    text: str = ""  #: visible text, white space folded, cut at the limit of the ingest
    length: int = 0  #: characters of the visible text before it was cut
    size: int = 0  #: bytes of the decoded payload
    digest: str = ""  #: SHA-1 of the payload in base 32, as in WARC-Payload-Digest; empty where there is none
    revisit_of: str | None = None  #: for a WARC revisit record: the target URI that it refers to (often its own)
    declared: tuple[Declaration, ...] = ()
    links: tuple[Link, ...] = ()
    revisit_date: str = ""  #: for a revisit record: the date of the capture that it refers to, where it is given
    parts: str = (
        "both"  #: what a record carries: ``both``, ``text`` (WET), ``links`` (WAT); ``joined``: these two together
    )
    main_length: int = 0  #: characters at the start of `text` that are main content; navigation and the like follow
    visible: bytes = b""  #: visible bytes of the page, not decoded, where they are kept; cut at the limit of the ingest


@dataclass(frozen=True, slots=True)
class Problem:
    """A record, or a stretch of a file, that could not be read as it should; the rest goes on."""

    kind: str  #: one word for counting, e.g. ``truncated``, ``bad-http``, ``bad-url``, ``too-large``
    reason: str  #: one line for a reader
    offset: int | None = None  #: byte offset in the file, where known
    url: str | None = None  #: target URI as far as it could be read
