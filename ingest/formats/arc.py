"""The grammar of ARC files (Internet Archive, 1996): one header line, then the document as it came from the server.

    1: URL IP-address archive-date content-type archive-length
    2: URL IP-address archive-date content-type result-code checksum location offset filename archive-length

The first record, ``filedesc://``, describes the file; its block holds the version and the names of the fields.
"""

from __future__ import annotations

import re

from graphlang.ingest.formats.dates import parse_date
from graphlang.ingest.raw import Grammar

_IP = rb"[\d.:a-fA-F]{3,45}"
#: Some tools write more or fewer digits of the date, text after it, or the date before the address.
_LINE = re.compile(
    rb"(\S.{0,65535}?) (?:(\d{8,18})(?:[^\s\d]\S{0,30})? "
    + _IP
    + rb"|\S{1,64} (\d{8,18})(?:[^\s\d]\S{0,30})?) (.{0,512}?) ?(\d{1,18})[ \t]*\r?\n",
    re.DOTALL,
)
_SCHEME = re.compile(rb"(?:https?|ftp|filedesc|dns|whois|file|gopher|news):", re.IGNORECASE)
_START = re.compile(
    rb"(?:https?://|dns:|ftp://|filedesc://)[^\r\n ]{1,8192} [\d.:a-fA-F]{3,45} \d{14} [^\r\n]{0,512} ?\d{1,18}\r?\n"
)
_NEXT = re.compile(rb"\n(?=" + _START.pattern + rb")")


class Arc(Grammar):
    """A record starts with the line that names its URL."""

    name = "ARC"
    end = b""

    def find(self, data: bytes, at: int) -> int:
        """Return the index of the next line that has the form of a header."""
        if at == 0 and _START.match(data):
            return 0
        match = _NEXT.search(data, max(0, at - 1))
        return match.end() if match else -1

    def starts(self, data: bytes, at: int) -> bool:
        """Return whether a URL starts here, with one of the schemes in crawls."""
        return _SCHEME.match(data, at) is not None

    def find_header_end(self, data: bytes, at: int) -> int:
        """Return the index after the header line."""
        return data.find(b"\n", at) + 1 or -1

    def read_length(self, head: bytes) -> int | None:
        """Return the last field of the line; None for a line that is no header."""
        match = _LINE.fullmatch(head)
        return int(match[5]) if match else None

    @staticmethod
    def fields(head: bytes) -> tuple[bytes, str, bytes] | None:
        r"""Return URL, date like a WARC-Date and media type of the document; None for a line that is no header.

        >>> Arc.fields(b"http://a.example/ 192.0.2.1 20060102030405 text/html 120\n")
        (b'http://a.example/', '2006-01-02T03:04:05Z', b'text/html')
        >>> Arc.fields(b"http://a.example/ 2006010203 192.0.2.1 text/html 120\n")
        (b'http://a.example/', '2006-01-02', b'text/html')
        """
        match = _LINE.fullmatch(head)
        if not match:
            return None
        return match[1], parse_date(_normalise_digits(match[2] or match[3]).decode()), match[4].split(b" ")[0]


def _normalise_digits(date: bytes) -> bytes:
    """Return a date to the second, the minute or the day, whatever its number of digits is."""
    return date[: next(size for size in (14, 12, 8) if len(date) >= size)]
