"""Read MHTML (RFC 2557): a page with its parts, as a mail holds its attachments.

Its documents of HTML or text are read, those in frames as pages of their own. Images and style sheets are no pages.
"""

from __future__ import annotations

import binascii
import quopri
import re
from contextlib import suppress
from email.parser import BytesHeaderParser
from typing import TYPE_CHECKING, Final

from graphlang.ingest.formats.saved_html import WholeFile, format_header_value, make_resource, read_date
from graphlang.ingest.raw import RawRecord

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

_MHTML: Final = re.compile(
    rb"(?:[\w-]+:[^\n]*\n(?:[ \t][^\n]*\n)*){0,40}?content-type:\s*(?:multipart/|text/html)", re.IGNORECASE
)
_MIME_FIELD: Final = re.compile(rb"^(?:mime-version|(?:snapshot-)?content-location):", re.IGNORECASE | re.MULTILINE)
_DOCUMENTS: Final = ("text/html", "application/xhtml+xml", "text/plain")
_MHTML_BYTES: Final = 2  # times ``Limits.max_payload``: images make most of a file
_MULTIPARTS: Final = 4  # within each other
_HEADER: Final = 1 << 16  # bytes of a part's header
_EMPTY_LINE: Final = re.compile(rb"\r?\n\r?\n")
_SPACE: Final = re.compile(r"\s+")


def is_mhtml(head: bytes) -> bool:
    r"""Return whether a file begins with the header of a mail that holds HTML.

    >>> is_mhtml(b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x"), is_mhtml(b"WARC/1.0\n")
    (True, False)
    """
    return _MHTML.match(head, 0, _HEADER) is not None and _MIME_FIELD.search(head, 0, _HEADER) is not None


class Mhtml(WholeFile):
    """Read a page with its parts."""

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the document, and those of its frames, as WARC resource records."""
        data, faults = self.read(_MHTML_BYTES * self.limits.max_payload)
        top, body = _split_part(data)
        date = read_date(top["date"] or "") or self.read_date()
        is_first = True
        for message, content in _split_parts(top, body, _MULTIPARTS):
            mime = message.get_content_type()
            if mime not in _DOCUMENTS:
                continue
            url = _parse_location(message["content-location"])
            if is_first:
                url = (
                    url or _parse_location(top["snapshot-content-location"]) or _parse_location(top["content-location"])
                )
            if url:
                charset = message.get_content_charset()
                kind = f"{mime}; charset={charset}" if charset else mime
                block = _decode_part(message, content)
                if len(block) > self.limits.max_payload:
                    faults += (("too-large", f"a part of {len(block)} bytes; the rest was dropped"),)
                yield make_resource(url, date, format_header_value(kind), block[: self.limits.max_payload], faults)
            elif is_first:
                yield RawRecord(
                    0, b"", b"", (*faults, ("bad-url", "an MHTML file that does not name the URL of its page"))
                )
            is_first, faults = False, ()
        if is_first:
            yield RawRecord(0, b"", b"", (*faults, ("not-an-archive", "an MHTML file without a page")))


def _split_part(data: bytes) -> tuple[Message, bytes]:
    """Split a part into its header and its body."""
    end = _EMPTY_LINE.search(data, 0, _HEADER) if not data.startswith((b"\n", b"\r\n")) else re.match(rb"\r?\n", data)
    if end is None:
        return BytesHeaderParser().parsebytes(data[:_HEADER]), b""
    return BytesHeaderParser().parsebytes(data[: end.end()]), data[end.end() :]


def _split_parts(head: Message, body: bytes, depth: int) -> Iterator[tuple[Message, bytes]]:
    """Yield headers and bodies of all parts that have no parts themselves."""
    boundary = head.get_boundary()
    if head.get_content_maintype() != "multipart" or not boundary:
        yield head, body
        return
    if not depth:
        return
    line = re.compile(
        rb"(?:\A|\r?\n)--" + re.escape(boundary.encode("utf-8", "surrogateescape")) + rb"(--)?[ \t]*(?:\r?\n|\Z)"
    )
    begin = -1
    for mark in line.finditer(body):
        if begin >= 0:
            yield from _split_parts(*_split_part(body[begin : mark.start()]), depth - 1)
        begin = mark.end()
        if mark[1]:
            return
    if begin >= 0:  # the file was cut
        yield from _split_parts(*_split_part(body[begin:]), depth - 1)


def _parse_location(written: str | None) -> str:
    """Return the http(s) URL of a field, which long lines may split; an empty string for others, such as ``cid:``."""
    url = _SPACE.sub("", str(written or ""))
    return url if url.lower().startswith(("http://", "https://")) else ""


def _decode_part(message: Message, content: bytes) -> bytes:
    encoding = str(message["content-transfer-encoding"] or "").strip().lower()
    if encoding == "quoted-printable":
        return quopri.decodestring(content)
    if encoding == "base64":
        with suppress(binascii.Error):
            return binascii.a2b_base64(content)
    return content
