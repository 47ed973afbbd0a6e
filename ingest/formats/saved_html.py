"""Read HTML files that a browser saved, or a program that runs one, and that name their URL.

They name it in a comment (browsers, SingleFile, monolith, HTTrack) or in an attribute (Save Page WE, WebScrapBook).
Another HTML file has the URL that it declares (``<link rel=canonical>``, ``og:url``), or is a problem.
"""

from __future__ import annotations

import html
import os
import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, BinaryIO, Final

from graphlang.ingest.files.decompress import ByteSource
from graphlang.ingest.formats.dates import parse_date
from graphlang.ingest.payload.http import decode_value, detect_form
from graphlang.ingest.raw import RawRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import Faults

#: How programs name the URL of the page that they saved.
_SAVED: Final = re.compile(
    rb"<!--\s*saved from url=\(\d{1,6}\)(?P<browser>https?://[^\s>]+)"
    rb"|Page saved with SingleFile\s+url:\s*(?P<singlefile>https?://\S+)"
    rb"(?:\s+saved date:\s*(?P<singlefile_date>[^\n]{1,80}))?"
    rb"|<!--\s*Saved from (?P<monolith>https?://\S+) at (?P<monolith_date>\S{1,40}) using monolith"
    rb"|<!--\s*Mirrored from (?P<httrack>[^\s>]+) by HTTrack[^>]{0,100}?, (?P<httrack_date>\w{3}, \d[^>]{10,30}GMT)"
    rb"|<meta name=[\"']?savepage-url[\"']? content=[\"']?(?P<savepage>https?://[^\"'>\s]+)"
    rb"|<html[^>]{0,2000}?\sdata-scrapbook-source=[\"']?(?P<scrapbook>https?://[^\"'>\s]+)",
    re.IGNORECASE,
)
_SAVED_DATE: Final = re.compile(
    rb"<meta name=[\"']?savepage-date[\"']? content=[\"']([^\"'>]{1,80})"
    rb"|<html[^>]{0,2000}?\sdata-scrapbook-create=[\"']?(\d{14})",
    re.IGNORECASE,
)
#: How a page names its own URL.
_DECLARED: Final = re.compile(
    rb"<link(?=[^>]{0,500}?\srel=[\"']?canonical\b)[^>]{0,500}?\shref=[\"']?(?P<canonical>https?://[^\"'>\s]+)"
    rb"|<meta(?=[^>]{0,500}?\sproperty=[\"']?og:url\b)[^>]{0,500}?\scontent=[\"']?(?P<og>https?://[^\"'>\s]+)",
    re.IGNORECASE,
)
_HEAD: Final = 1 << 16  # bytes in which these are searched
#: A date as browsers write it: ``Thu Jan 07 2021 12:34:56 GMT+0100 (...)``.
_BROWSER_DATE: Final = re.compile(r"\w{3} (\w{3}) (\d{1,2}) (\d{4}) (\d\d:\d\d:\d\d) GMT([+-]\d{4})")
_SPACE: Final = re.compile(r"\s+")
_LONGEST_FIELD: Final = 8192  # characters


def is_html(head: bytes) -> bool:
    """Return whether a file begins like HTML."""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and detect_form("", head) == "html"


def find_url(head: bytes) -> tuple[str, str] | None:
    """Return the URL that a saved HTML file names, and the date if there is one; None without a URL.

    >>> find_url(b"<!-- saved from url=(0017)http://a.example/ -->")
    ('http://a.example/', '')
    >>> find_url(b"Page saved with SingleFile url: http://a.example/ saved date: Thu Jan 07 2021 01:00:00 GMT+0100 ()")
    ('http://a.example/', '2021-01-07T00:00:00Z')
    """
    match = _SAVED.search(head, 0, _HEAD) or _DECLARED.search(head, 0, _HEAD)
    if match is None:
        return None
    values = {name: decode_value(value) for name, value in match.groupdict().items() if value}
    written = next(value for name, value in values.items() if not name.endswith("_date"))
    url = html.unescape(written).strip("\"'")
    if "httrack" in values and "://" not in url:
        url = f"http://{url}"
    date = next((value for name, value in values.items() if name.endswith("_date")), "")
    if not date and (saved := _SAVED_DATE.search(head, 0, _HEAD)):
        date = decode_value(saved[1] or saved[2])
    return url, read_date(date)


def read_date(written: str) -> str:
    """Return a date of a mail, of a browser or in ISO 8601 as UTC; an empty string for other text."""
    browser = _BROWSER_DATE.match(written)
    if browser:
        written = f"{browser[2]} {browser[1]} {browser[3]} {browser[4]} {browser[5]}"
    if written.isdigit():
        return parse_date(written)
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few folders have saved pages

    for read in (datetime.fromisoformat, parsedate_to_datetime):
        with suppress(ValueError, OverflowError, TypeError, IndexError):
            return format_date(read(written.strip()))
    return ""


def format_date(moment: datetime) -> str:
    """Return a moment as WARC-Date has it; one without a time zone is in UTC."""
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def make_resource(
    url: str, date: str, content_type: str, block: bytes, faults: Faults = (), *, fields: str = ""
) -> RawRecord:
    """Return a WARC resource record of a page that no archive holds; ``fields`` are further lines of its header."""
    head = (
        f"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
        f"Content-Type: {content_type}\r\n{fields}Content-Length: {len(block)}\r\n\r\n"
    )
    return RawRecord(0, head.encode("utf-8", "replace"), block, faults)


def format_header_value(value: str) -> str:
    """Return a value for a header: without line ends, and not too long."""
    return _SPACE.sub(" ", value)[:_LONGEST_FIELD].strip()


class WholeFile:
    """A file that is read as a whole, up to a bound."""

    ended: int | None = None

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._file = file
        self.limits = limits
        self._source = ByteSource(file, max_ratio=limits.max_ratio)

    @property
    def bytes_read(self) -> int:
        """Return the offset reached in the stored file."""
        return self._source.position

    def read(self, limit: int) -> tuple[bytes, Faults]:
        """Return the first bytes of the file, and their faults."""
        parts: list[bytes] = []
        size = 0
        for chunk in self._source.read_chunks():
            parts.append(chunk.data)
            size += len(chunk.data)
            if chunk.fault:
                return b"".join(parts)[:limit], ((chunk.kind, chunk.fault),)
            if size > limit:
                return b"".join(parts)[:limit], (
                    ("too-large", f"a file of more than {limit} bytes; the rest was dropped"),
                )
        return b"".join(parts), ()

    def read_date(self) -> str:
        """Return the date of the file."""
        return format_date(datetime.fromtimestamp(os.fstat(self._file.fileno()).st_mtime, UTC))


class SavedHtml(WholeFile):
    """Read an HTML file; one that does not name its URL is a problem."""

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the page as a WARC resource record; the date is that of the file, if the page has none."""
        data, faults = self.read(self.limits.max_payload)
        source = find_url(data)
        if source is None:
            reason = "an HTML file that does not name its URL; wget and browsers write it into the path or the page"
            yield RawRecord(0, b"", b"", (*faults, ("bad-url", reason)))
            return
        url, date = source
        yield make_resource(format_header_value(url), date or self.read_date(), "text/html", data, faults)
