"""Writes WARC records by hand, so that the example crawl has the same bytes on every machine.

Two things would differ otherwise: ids and dates, which are derived here from the URL and the record's number, and
compression, whose output depends on the zlib that Python was built with. So each gzip member holds stored blocks
(RFC 1951, section 3.2.4): a valid ``.warc.gz``, one member for each record, only not smaller than its contents.
"""

from __future__ import annotations

import base64
import hashlib
import struct
import uuid
import zlib
from datetime import UTC, datetime, timedelta
from typing import Final

START: Final = datetime(2026, 3, 1, 8, tzinfo=UTC)
LARGEST_BLOCK: Final = 0xFFFF


def stored_gzip(data: bytes) -> bytes:
    """One gzip member (RFC 1952) with stored blocks, no name, and no time."""
    blocks = [data[i : i + LARGEST_BLOCK] for i in range(0, len(data), LARGEST_BLOCK)] or [b""]
    body = b"".join(
        struct.pack("<BHH", i == len(blocks) - 1, len(block), len(block) ^ LARGEST_BLOCK) + block
        for i, block in enumerate(blocks)
    )
    return b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + body + struct.pack("<II", zlib.crc32(data), len(data))


def sha1(data: bytes) -> str:
    """The digest as WARC headers have it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()


def http(status: str, headers: dict[str, str], body: bytes) -> bytes:
    """An HTTP response as it came over the wire."""
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


class WarcWriter:
    """Collects records; `data` is the file so far."""

    def __init__(self) -> None:
        self.data = b""
        self.count = 0

    def add(self, kind: str, url: str | None, block: bytes, content_type: str, **headers: str) -> str:
        """Append one record; gives its id. Header names come with underscores for hyphens."""
        date = (START + timedelta(seconds=self.count)).strftime("%Y-%m-%dT%H:%M:%SZ")
        record_id = f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{self.count} {kind} {url}')}>"
        fields = {"WARC-Type": kind, "WARC-Record-ID": record_id, "WARC-Date": date}
        if url is not None:
            fields["WARC-Target-URI"] = url
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        fields |= {"WARC-Block-Digest": sha1(block), "Content-Type": content_type, "Content-Length": str(len(block))}
        head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.data += stored_gzip(b"WARC/1.1\r\n" + head.encode() + b"\r\n" + block + b"\r\n\r\n")
        self.count += 1
        return record_id

    def response(self, url: str, status: str, headers: dict[str, str], body: bytes) -> str:
        """Append a ``response`` record."""
        block = http(status, headers, body)
        return self.add("response", url, block, "application/http; msgtype=response", WARC_Payload_Digest=sha1(body))
