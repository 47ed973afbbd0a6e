"""Parse markup in UTF-8 to text, references and elements, by the kernel in C (`native/html.c`)."""

from __future__ import annotations

import os
from array import array
from threading import local
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.ingest.html.native import html as _kernels
from graphlang.native.kernels import copy_bytes, decode_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator


_UINT32: Final = "I"  # numbers of 32 bits


class Anchor(NamedTuple):
    """A visible element ``<a>``."""

    begin: int  #: where its text begins, in bytes
    end: int
    language: int  #: letters of the first subtag of its hreflang, the last one lowest; 0: none
    target: int  #: number of its target, from 1; with the highest bit set that of a reference; 0: none


class ParsedMarkup(NamedTuple):
    """A parsed page."""

    text: bytes  #: visible, in UTF-8, white space folded
    anchors: bytes  #: distinct targets of plain anchors, each followed by a zero
    #: four strings each, each followed by a zero: tag, target, rel, and a plus sign with hreflang, or nothing
    references: bytes
    strings: list[str]  #: each with a letter before it for its kind; see `native/html.h`
    records: bytes  #: elements that mark content, or text around it; see `native/html.h`
    links: bytes  #: visible anchors; see `read_anchors`
    skipped: int  #: references beyond the limit
    flattened: bool  #: elements were nested too deep


class PartedMarkup(NamedTuple):
    """A page, its main content separated from the text around it."""

    text: str  #: visible, white space folded: the main content, then the text around it
    main_length: int  #: characters of it that are main content
    anchors: bytes  #: this and the following fields: see `ParsedMarkup`
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


def parse_markup(markup: bytes, *, limit: int, depth: int) -> ParsedMarkup:
    r"""Parse a page in UTF-8; raise MemoryError beyond a gigabyte.

    It has at most ``limit`` references. Elements nested deeper than ``depth``, at most 512, count as part of their
    parent.

    >>> parse_markup(b"<title>T</title><p>Good  <a href=/m>morning</a>", limit=9, depth=99)[:4]
    (b'\nGood morning', b'/m\x00', b'', ['TT'])
    """
    page = _parser.page
    _kernels.html_read(_parser.handle, markup, limit, depth, page)
    return ParsedMarkup(
        copy_bytes(page.text, page.text_size),
        copy_bytes(page.anchors, page.anchors_size),
        copy_bytes(page.references, page.references_size),
        split_strings(copy_bytes(page.strings, page.strings_size)),
        copy_bytes(page.records, page.records_size),
        copy_bytes(page.links, page.links_size),
        page.skipped,
        bool(page.flattened),
    )


def part_markup(markup: bytes, *, limit: int, depth: int) -> PartedMarkup:
    r"""Parse a page as `parse_markup` does, and separate its main content: see `native/around.h`.

    >>> part_markup(b"<nav>Home</nav><p>Good  <a href=/m>morning</a>", limit=9, depth=99)[:3]
    ('Good morning\nHome', 12, b'/m\x00')
    """
    parser = _parser
    page, parts = parser.page, parser.parted
    _kernels.html_read(parser.handle, markup, limit, depth, page)
    _kernels.html_part(parser.handle, parts)
    return PartedMarkup(
        decode_bytes(parts.text, parts.text_size),
        parts.main_length,
        copy_bytes(page.anchors, page.anchors_size),
        copy_bytes(page.references, page.references_size),
        decode_bytes(page.strings, page.strings_size).split("\0")[:-1],
        page.skipped,
        bool(page.flattened),
    )


def is_utf8(data: bytes) -> bool:
    r"""Return whether bytes are valid UTF-8.

    >>> is_utf8("ä".encode()), is_utf8(b"\xe4"), is_utf8(b"\xed\xa0\x80"), is_utf8(b"\xc3")
    (True, False, False, False)
    """
    return bool(_kernels.html_is_utf8(data))


def looks_encoded_twice(data: bytes) -> bool:
    r"""Return whether text in UTF-8 may be encoded twice; `ingest.payload.encoded_twice` checks if it is.

    >>> looks_encoded_twice("Ã¼, Ã¤, Ã¶".encode()), looks_encoded_twice("ü, ä, ö".encode())
    (True, False)
    """
    return bool(_kernels.html_looks_encoded_twice(data))


def holds_escapes(data: bytes) -> bool:
    r"""Return whether bytes hold an escape that begins text in ISO 2022 or HZ.

    >>> holds_escapes(b"~{"), holds_escapes(b"\x1b"), holds_escapes(b"{~}")
    (True, True, False)
    """
    return bool(_kernels.html_holds_escapes(data))


def is_plain(data: bytes) -> bool:
    r"""Return whether bytes are ASCII, and neither UTF-16 nor ISO 2022 nor HZ.

    >>> is_plain(b"a~b"), is_plain(b"~{"), is_plain(b"\x1b"), is_plain(b"\0"), is_plain("é".encode())
    (True, False, False, False, False)
    """
    return bool(_kernels.html_is_plain(data))


def read_anchors(packed: bytes) -> Iterator[Anchor]:
    """Yield the anchors of ``ParsedMarkup.links``."""
    numbers, width = array(_UINT32, packed), len(Anchor._fields)
    return map(Anchor._make, zip(*(numbers[place::width] for place in range(width)), strict=True))


def split_strings(packed: bytes) -> list[str]:
    """Split strings that are each followed by a zero."""
    if not packed:
        return []
    strings = packed.decode("utf-8", "replace").split("\0")
    strings.pop()  # the empty string after the last zero
    return strings
