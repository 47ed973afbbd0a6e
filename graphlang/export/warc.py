"""WARC records with the language of pages: a sidecar of metadata records, and texts as in WET.

The original archive is never changed. Common Crawl's WET has the field ``WARC-Identified-Content-Language`` with up
to three ISO 639-3 codes; so do these records.
"""

from __future__ import annotations

import io
import json
import re
import zlib
from base64 import b32encode
from hashlib import sha1
from importlib import import_module
from typing import IO, TYPE_CHECKING, Final
from uuid import NAMESPACE_URL, uuid5

from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from graphlang import __version__
from graphlang.export.cdxj import rank_codes
from graphlang.maps import shares
from graphlang.maps.pages import write_captures_sql

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping

    from graphlang.export.tables import Table
    from graphlang.maps.selection import Selection


_FIELD: Final = "WARC-Identified-Content-Language"
#: Fields of a metadata record.
_METADATA: Final = (
    *("language", "script", "confidence", "runner-up", "runner-up-confidence", "method", "shares", "payload-digest"),
)


def _begin_file(file: IO[bytes], what: str, *, compressed: bool) -> RecordWriter:
    """Write the first record, which describes the file."""
    info = {
        "software": f"graphlang/{__version__}",
        "format": "WARC File Format 1.1",
        "description": f"languages of web pages: {what}",
    }
    writer = RecordWriter(file, compressed=compressed)
    writer.write_warcinfo(info)
    return writer


def write_metadata(
    connection: sqlite3.Connection, selection: Selection, file: IO[bytes], *, compressed: bool = True
) -> int:
    """Write a metadata record for each capture that counts: language, script, confidence, method, runner-up."""
    what = "metadata records; the pages are in the archives that they refer to"
    writer = _begin_file(file, what, compressed=compressed)
    source, values = write_captures_sql(connection, selection)
    rows = connection.execute(
        f"SELECT url, date, digest, {shares.write_shares_sql('pages.text_run')}, language, script, confidence,"
        f" runner_up, runner_up_confidence, method FROM {source} AS pages ORDER BY page, date, capture",
        values,
    )
    written = 0
    for url, date, digest, parts, *answer in rows:
        language, script, confidence, runner_up, second, method = answer
        fields = (
            *(language, script, confidence, runner_up, second, method),
            shares.format_shares(shares.rank_shares(language, parts))[1] if parts != shares.NONE else None,
            (digest if ":" in digest else f"sha1:{digest}") if digest else None,  # another algorithm is named
        )
        body = "".join(
            [f"{name}: {value}\r\n" for name, value in zip(_METADATA, fields, strict=True) if value is not None]
        )
        refers = (
            ("WARC-Refers-To-Target-URI", url),
            ("WARC-Refers-To-Date", date),
            (_FIELD, rank_codes(language, runner_up, second, parts)),
        )
        about = url, date, digest
        writer.write_page_record("metadata", about, refers, "application/warc-fields", body.encode("utf-8", "replace"))
        written += 1
    writer.flush()
    return written


def write_wet(table: Table, file: IO[bytes], *, compressed: bool = True) -> int:
    """Write a conversion record for each text, as in Common Crawl's WET: title and whole text, a paragraph a line."""
    writer = _begin_file(file, "conversion records with the text of pages", compressed=compressed)
    at = {name: place for place, name in enumerate(table.columns)}
    body = at.get("text", at["main"])
    written = 0
    for row in table.rows:
        text = f"{row[at['title']]}\n{row[body]}" if row[at["title"]] else row[body]
        about = row[at["url"]], row[at["date"]], row[at["digest"]]
        fields = ((_FIELD, row[at["codes"]]),)
        writer.write_page_record("conversion", about, fields, "text/plain", text.encode("utf-8", "replace"))
        written += 1
    writer.flush()
    return written


#: Bytes written at once.
_BLOCK: Final = 1 << 18
_VERSION: Final = "1.1"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_NO_DATE: Final = "1970-01-01T00:00:00Z"  # WARC requires a date


def _make_compressor() -> Callable[[bytes], bytes]:
    try:
        fast: Callable[..., bytes] = import_module("isal.isal_zlib").compress
    except ImportError:
        return lambda data: zlib.compress(data, 6, 31)
    return lambda data: fast(data, 1, 31)


def join_lines(value: str) -> str:
    r"""Keep a value on its line of the headers.

    >>> join_lines("a\r\nWARC-Type: warcinfo")
    'a  WARC-Type: warcinfo'
    """
    return value if value.isprintable() else _CONTROL.sub(" ", value)


def _make_record_id(name: str) -> str:
    """Make a record id that depends only on the record."""
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, name)}>"


class RecordWriter:
    """Writes records in blocks; `flush` writes the last ones."""

    def __init__(self, file: IO[bytes], *, compressed: bool = True) -> None:
        self._file, self._as_stored = file, _make_compressor() if compressed else bytes
        self._pending: list[bytes] = []
        self._size = 0
        self._record = io.BytesIO()
        self._warcio = WARCWriter(self._record, gzip=False, warc_version=_VERSION)

    def write_warcinfo(self, fields: Mapping[str, str]) -> None:
        """Write the record that describes the file; it comes first.

        It does not name the file (``WARC-Filename`` is optional), so the bytes do not depend on the name.
        """
        record = self._warcio.create_warcinfo_record(None, dict(fields))
        record.rec_headers.replace_header("WARC-Date", _NO_DATE)
        record.rec_headers.replace_header("WARC-Record-ID", _make_record_id(json.dumps(fields)))
        self._write(record)

    def write_page_record(
        self, kind: str, about: tuple[str, str, str], fields: Iterable[tuple[str, str]], mime: str, block: bytes
    ) -> None:
        """Write a record about a page."""
        url, date, digest = about
        # Both digests are of the same bytes; warcio would compute them one after the other.
        hashed = f"sha1:{b32encode(sha1(block, usedforsecurity=False).digest()).decode()}"
        header_fields = [
            ("WARC-Type", kind),
            ("WARC-Target-URI", join_lines(url)),
            ("WARC-Date", join_lines(date) or _NO_DATE),
            ("WARC-Record-ID", _make_record_id(f"{kind} {date} {url} {digest}")),
            *((name, join_lines(value)) for name, value in fields if value),
            ("Content-Type", mime),
            ("Content-Length", str(len(block))),
            ("WARC-Payload-Digest", hashed),
            ("WARC-Block-Digest", hashed),
        ]
        headers = StatusAndHeaders("", header_fields, protocol=f"WARC/{_VERSION}")
        self._write(ArcWarcRecord("warc", kind, headers, io.BytesIO(block), None, mime, len(block)))

    def _write(self, record: ArcWarcRecord) -> None:
        self._record.seek(0)
        self._record.truncate()
        self._warcio.write_record(record)
        member = self._as_stored(self._record.getvalue())
        self._pending.append(member)
        self._size += len(member)
        if self._size >= _BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write the pending records."""
        self._file.write(b"".join(self._pending))
        self._pending.clear()
        self._size = 0
