"""WARC records about pages, written by warcio by the hundred thousand: one gzip member each.

warcio puts the records together. Left to itself it also compresses them, and most of its time goes to zlib, which
begins anew for each; so they are compressed with isal here, which is installed with graphlang on usual machines: five
times as fast, and 1 to 6 % larger; elsewhere with zlib. What a record unpacks to is the same on every machine, how it
is packed is not.
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

#: Bytes that are gathered before they are written.
_BLOCK: Final = 1 << 18
_VERSION: Final = "1.1"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_NO_DATE: Final = "1970-01-01T00:00:00Z"  # WARC wants a date


def _compressor() -> Callable[[bytes], bytes]:
    try:
        fast: Callable[..., bytes] = import_module("isal.isal_zlib").compress
    except ImportError:
        return lambda data: zlib.compress(data, 6, 31)
    return lambda data: fast(data, 1, 31)


def one_line(value: str) -> str:
    r"""A value that stays in its line of the headers.

    Args:
        value: any text.

    >>> one_line("a\r\nWARC-Type: warcinfo")
    'a  WARC-Type: warcinfo'
    """
    return value if value.isprintable() else _CONTROL.sub(" ", value)


def _record_id(name: str) -> str:
    """The same record has the same one whenever it is written."""
    return f"<urn:uuid:{uuid5(NAMESPACE_URL, name)}>"


class RecordWriter:
    """Writes records, many at once; `flush` writes the last ones.

    Args:
        file: is left open.
        compressed: whether each record is a gzip member.
    """

    def __init__(self, file: IO[bytes], *, compressed: bool = True) -> None:
        self._file, self._as_stored = file, _compressor() if compressed else bytes
        self._waiting: list[bytes] = []
        self._size = 0
        self._record = io.BytesIO()
        self._warcio = WARCWriter(self._record, gzip=False, warc_version=_VERSION)

    def about_the_file(self, said: Mapping[str, str]) -> None:
        """Write the record that says what the file is, which is the first of it.

        It does not name the file (``WARC-Filename`` may be left out): the bytes are the same under any name.

        Args:
            said: names and values of its fields.
        """
        record = self._warcio.create_warcinfo_record(None, dict(said))
        record.rec_headers.replace_header("WARC-Date", _NO_DATE)
        record.rec_headers.replace_header("WARC-Record-ID", _record_id(json.dumps(said)))
        self._write(record)

    def about_a_page(
        self, kind: str, about: tuple[str, str, str], said: Iterable[tuple[str, str]], mime: str, block: bytes
    ) -> None:
        """Write a record about a page.

        Args:
            kind: ``WARC-Type``.
            about: URL, date and digest of the capture that it speaks of.
            said: names and values of further headers; those without a value are left out.
            mime: of the block.
            block: what stands below the headers.
        """
        url, date, digest = about
        # Both digests are of the same bytes: warcio, which is not told them, would work out one after the other.
        hashed = f"sha1:{b32encode(sha1(block, usedforsecurity=False).digest()).decode()}"
        fields = [
            ("WARC-Type", kind),
            ("WARC-Target-URI", one_line(url)),
            ("WARC-Date", one_line(date) or _NO_DATE),
            ("WARC-Record-ID", _record_id(f"{kind} {date} {url} {digest}")),
            *((name, one_line(value)) for name, value in said if value),
            ("Content-Type", mime),
            ("Content-Length", str(len(block))),
            ("WARC-Payload-Digest", hashed),
            ("WARC-Block-Digest", hashed),
        ]
        headers = StatusAndHeaders("", fields, protocol=f"WARC/{_VERSION}")
        self._write(ArcWarcRecord("warc", kind, headers, io.BytesIO(block), None, mime, len(block)))

    def _write(self, record: ArcWarcRecord) -> None:
        self._record.seek(0)
        self._record.truncate()
        self._warcio.write_record(record)
        member = self._as_stored(self._record.getvalue())
        self._waiting.append(member)
        self._size += len(member)
        if self._size >= _BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        self._file.write(b"".join(self._waiting))
        self._waiting.clear()
        self._size = 0
