"""Markup in UTF-8 -> text, references and elements, by the kernel in C (`native/html.c`)."""

from __future__ import annotations

import os
from array import array
from threading import local
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.ingest.html.native import html as _kernels
from graphlang.native.kernels import copy_bytes, decode_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


#: Flags of an element; `native/html.h` says what they mean.
IN_CONTENT: Final = _kernels.IN_CONTENT
HAS_ROLE: Final = _kernels.HAS_ROLE
IS_NAVIGATION: Final = _kernels.IS_NAVIGATION
ASKS_CONSENT: Final = _kernels.ASKS_CONSENT
IS_OUTER: Final = _kernels.IS_OUTER
IS_NAV: Final = _kernels.IS_NAV
IS_NAMED: Final = _kernels.IS_NAMED
IS_CONTENT: Final = _kernels.IS_CONTENT
HOLDS_MAIN: Final = _kernels.HOLDS_MAIN
HOLDS_ARTICLE: Final = _kernels.HOLDS_ARTICLE
IS_HIDDEN: Final = _kernels.IS_HIDDEN
IS_SURE: Final = _kernels.IS_SURE
IS_TITLE: Final = _kernels.IS_TITLE
NAMES_LINKS: Final = _kernels.NAMES_LINKS
IS_MAIN: Final = _kernels.IS_MAIN
IS_UNCLOSED: Final = _kernels.IS_UNCLOSED
#: Bounds of what stands around the content.
CONTENT_LEFT: Final = _kernels.CONTENT_LEFT
OUTER_SIZE: Final = _kernels.OUTER_SIZE

_WORDS: Final = "I"  # numbers of 32 bits


class Record(NamedTuple):
    """An element that tells what of a page is content."""

    flags: int
    begin: int  #: where its text begins, in bytes
    end: int


class Anchor(NamedTuple):
    """An element ``<a>`` that is seen."""

    begin: int  #: where its text begins, in bytes
    end: int
    language: int  #: letters of the first subtag of its hreflang, the last one lowest; 0: none
    target: int  #: number of its target, from 1; with the highest bit set that of a reference; 0: none


class ParsedMarkup(NamedTuple):
    """What is in a page."""

    text: bytes  #: visible, in UTF-8, white space folded
    anchors: bytes  #: distinct targets of plain anchors, a zero behind each
    #: four strings each, a zero behind each: tag, target, rel, and hreflang behind a plus sign, or nothing
    references: bytes
    strings: list[str]  #: each with a letter before it that says what it is; see `native/html.h`
    records: bytes  #: elements that tell what is content; see `records`
    links: bytes  #: anchors that are seen; see `anchors`
    skipped: int  #: references beyond the limit
    flattened: bool  #: elements were nested too deep


class PartedMarkup(NamedTuple):
    """What is in a page, its text parted."""

    text: str  #: visible, white space folded: the main content, then what stands around it
    main_length: int  #: characters of it that are main content
    anchors: bytes  #: this and what follows: see `ParsedMarkup`
    references: bytes
    strings: list[str]
    skipped: int
    flattened: bool


class _Parser(local):
    """A parser and its results, for each thread."""

    def __init__(self) -> None:
        # A key that a page cannot know, so that its references cannot be made to collide.
        self.handle: Any = _kernels.html_new(int.from_bytes(os.urandom(4), "little"))
        self.page: Any = _kernels.new_html_page()
        self.parted: Any = _kernels.new_html_parted()


_parser = _Parser()


def parse(markup: bytes, *, most: int, depth: int) -> ParsedMarkup:
    r"""Parse a page.

    Args:
        markup: The page, in UTF-8.
        most: References that are kept.
        depth: Of elements, at most 512; deeper ones count as part of what holds them.

    Raises:
        MemoryError: There is not enough, or the page has more than a gigabyte.

    >>> parse(b"<title>T</title><p>Good  <a href=/m>morning</a>", most=9, depth=99)[:4]
    (b'\nGood morning', b'/m\x00', b'', ['TT'])
    """
    page = _parser.page
    _kernels.html_read(_parser.handle, markup, most, depth, page)
    return _whole(page)


def parted(markup: bytes, *, most: int, depth: int) -> PartedMarkup:
    r"""Parse a page, and part its text: see `native/around.h`.

    Args:
        markup: The page, in UTF-8.
        most: References that are kept.
        depth: Of elements, as in `parse`.

    Raises:
        MemoryError: There is not enough, or the page has more than a gigabyte.

    >>> parted(b"<nav>Home</nav><p>Good  <a href=/m>morning</a>", most=9, depth=99)[:3]
    ('Good morning\nHome', 12, b'/m\x00')
    """
    parser = _parser
    page, own = parser.page, parser.parted
    _kernels.html_read(parser.handle, markup, most, depth, page)
    _kernels.html_part(parser.handle, own)
    return PartedMarkup(
        decode_bytes(own.text, own.text_size),
        own.main_length,
        copy_bytes(page.anchors, page.anchors_size),
        copy_bytes(page.references, page.references_size),
        decode_bytes(page.strings, page.strings_size).split("\0")[:-1],
        page.skipped,
        bool(page.flattened),
    )


def _whole(page: Any) -> ParsedMarkup:
    return ParsedMarkup(
        copy_bytes(page.text, page.text_size),
        copy_bytes(page.anchors, page.anchors_size),
        copy_bytes(page.references, page.references_size),
        strings(copy_bytes(page.strings, page.strings_size)),
        copy_bytes(page.records, page.records_size),
        copy_bytes(page.links, page.links_size),
        page.skipped,
        bool(page.flattened),
    )


def is_utf8(data: bytes) -> bool:
    r"""Tell whether bytes are UTF-8 without a fault.

    >>> is_utf8("ä".encode()), is_utf8(b"\xe4"), is_utf8(b"\xed\xa0\x80"), is_utf8(b"\xc3")
    (True, False, False, False)
    """
    return bool(_kernels.html_is_utf8(data))


def looks_encoded_twice(data: bytes) -> bool:
    r"""Tell whether text in UTF-8 may have been encoded twice; `ingest.payload.encoded_twice` tells if it was.

    >>> looks_encoded_twice("Ã¼, Ã¤, Ã¶".encode()), looks_encoded_twice("ü, ä, ö".encode())
    (True, False)
    """
    return bool(_kernels.html_looks_encoded_twice(data))


def holds_escapes(data: bytes) -> bool:
    r"""Tell whether bytes hold what begins text in ISO 2022 or HZ.

    >>> holds_escapes(b"~{"), holds_escapes(b"\x1b"), holds_escapes(b"{~}")
    (True, True, False)
    """
    return bool(_kernels.html_holds_escapes(data))


def is_plain(data: bytes) -> bool:
    r"""Tell whether bytes are ASCII, and can be text in nothing else, as those of UTF-16, ISO 2022 and HZ could be.

    >>> is_plain(b"a~b"), is_plain(b"~{"), is_plain(b"\x1b"), is_plain(b"\0"), is_plain("é".encode())
    (True, False, False, False, False)
    """
    return bool(_kernels.html_is_plain(data))


def cut(text: bytes, spans: Sequence[tuple[int, int]]) -> tuple[bytes, int]:
    r"""Return a text with some spans behind the rest of it, and the size of that rest, in bytes.

    Args:
        text: White space is folded; where spans are cut out it is folded again.
        spans: Pairs (begin, end) in bytes, by begin. What several of them hold stands with the last.

    Raises:
        ValueError: Spans are empty, not sorted, or not within the text.

    >>> cut(b"home page text", [(0, 5)])
    (b'page text\nhome', 9)
    """
    begins = array(_WORDS, [begin for begin, _ in spans])
    ends = array(_WORDS, [end for _, end in spans])
    out, main = bytearray(len(text) + 2 * len(spans) + 2), array("Q", (0,))
    size = _kernels.html_cut(text, begins, ends, array(_WORDS, begins), array(_WORDS, begins), out, main)
    return bytes(memoryview(out)[:size]), main[0]


def records(packed: bytes) -> Iterator[Record]:
    """Return the elements of a page."""
    return map(Record._make, zip(*columns(packed, Record), strict=True))


def anchors(packed: bytes) -> Iterator[Anchor]:
    """Return the anchors of a page."""
    return map(Anchor._make, zip(*columns(packed, Anchor), strict=True))


def columns(packed: bytes, row: type[Record | Anchor]) -> list[array[int]]:
    """Return the fields of all records or anchors, each by itself: many pages have hundreds of which few are wanted.

    Args:
        packed: ``records`` or ``links`` of a page.
        row: What is in it.
    """
    words = array(_WORDS, packed)
    width = len(row._fields)
    return [words[place::width] for place in range(width)]


def strings(packed: bytes) -> list[str]:
    """Return strings that have a zero behind each."""
    if not packed:
        return []
    found = packed.decode("utf-8", "replace").split("\0")
    found.pop()  # behind the last zero is nothing
    return found
