"""The grammar of WARC 0.17, 1.0 and 1.1 (ISO 28500) records."""

from __future__ import annotations

import re

from graphlang.ingest.raw import Grammar

_LENGTH = re.compile(rb"\ncontent-length[ \t]*:\s*(\d{1,18})[ \t\r]*\n", re.IGNORECASE)
_LF = 10
_START = re.compile(rb"WARC/\d\.\d+[ \t\r]*\n(?:WARC-|Content-)[\w-]+[ \t]*:", re.IGNORECASE)
_FIRST_LINE = len("WARC/1.0\r")
_USUAL = b"\nWARC-Type: response\r\n"  # the second line of nearly all records
_EMPTY_LINE = re.compile(rb"\n\r{0,2}\n")
_TYPE = re.compile(rb"\nwarc-type[ \t]*:\s*([\w-]+)", re.IGNORECASE)

#: Record types that can be pages. ``warcinfo``, ``request`` and ``continuation`` (a later segment of a block) are not.
_PAGE_TYPES = frozenset({b"response", b"resource", b"revisit"})
#: Types that are pages if their block has a certain media type: WET (the text of a page) and WAT (its links).
_PART_TYPES = {
    b"conversion": re.compile(rb"\ncontent-type[ \t]*:[ \t]*text/(?:plain|html)", re.IGNORECASE),
    b"metadata": re.compile(rb"\ncontent-type[ \t]*:[ \t]*application/json", re.IGNORECASE),
}


class Warc(Grammar):
    """A record starts with ``WARC/``; its header ends with an empty line."""

    name = "WARC"
    end = b"\r\n\r\n"

    def starts(self, data: bytes, at: int) -> bool:
        """Return whether the bytes at this place are the magic of a record."""
        return data[at : at + 5].upper() == b"WARC/"

    def find(self, data: bytes, at: int) -> int:
        """Return the index of the next magic that starts a line and is followed by a version and a plausible field."""
        while True:
            at = data.find(b"WARC/", at)
            if at < 0 or ((at == 0 or data[at - 1] == _LF) and _START.match(data, at)):
                return at
            at += 5

    def find_header_end(self, data: bytes, at: int) -> int:
        """Return the index after the empty line; lines may end in LF alone, or in CR CR LF."""
        match = _EMPTY_LINE.search(data, at)
        return match.end() if match else -1

    def read_length(self, head: bytes) -> int | None:
        """Return Content-Length; None if it is missing or no number."""
        match = _LENGTH.search(head)
        return int(match[1]) if match else None

    @staticmethod
    def read_type(head: bytes) -> bytes:
        r"""Return WARC-Type in lower case, or an empty string.

        >>> Warc.read_type(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n")
        b'response'
        """
        match = _TYPE.search(head)
        return match[1].lower() if match else b""

    @classmethod
    def may_be_page(cls, head: bytes) -> bool:
        """Return whether a record with this header can hold a page, its text (WET) or its links (WAT)."""
        if head.startswith(_USUAL, _FIRST_LINE):
            return True
        kind = cls.read_type(head)
        return kind in _PAGE_TYPES or (kind in _PART_TYPES and _PART_TYPES[kind].search(head) is not None)


def strip_brackets(written: str) -> str:
    """Return a URL without the angle brackets that WARC 1.0 asks for, and few programs write.

    >>> strip_brackets(" <http://a.example/> "), strip_brackets("http://a.example/x>")
    ('http://a.example/', 'http://a.example/x>')
    """
    url = written.strip()
    return url[1:].removesuffix(">").strip() if url.startswith("<") else url
