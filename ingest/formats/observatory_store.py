r"""Read and write store files of the Language Observatory (Zavarsky, Mikami & Wada 2005, section 2.1).

The paper describes such a file as a sequence of byte blocks of page records. Every record starts with a header that
contains a magic cookie to synchronise on. HTTP headers are kept as meta-information. The original page content, without
any conversion, is kept as Java's Deflater compresses it. The paper does not give the bytes; this module defines them:

===========  ==============================================================================================
8 bytes      the magic cookie ``\xf5LOSTORE``
4            length of the capture's header
4            length of the HTTP header; both together at most ``Limits.max_header``
8            length of the deflated content; 0 if there is none
8            length of the content
4            CRC-32 of the 24 bytes after the cookie, of the capture's header and of the HTTP header
then         the capture's header: that of the WARC record byte for byte, or the line of the ARC record
then         the HTTP header with its empty line, byte for byte; nothing if the block is no HTTP message
then         the content as it came over the net, transfer and content encodings included, as a zlib stream (RFC 1950,
             which is what Java's Deflater writes and what carries a checksum)
===========  ==============================================================================================

Numbers are unsigned and big endian, as Java writes them. Records follow each other without padding. A file has no other
header, so that files can be joined. After damage the reader resumes at the next cookie whose header is sound.
"""

from __future__ import annotations

import os
import shutil
import struct
import zlib
from itertools import chain
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, BinaryIO

from graphlang.ingest.raw import RawRecord, Remainder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import Pieces

COOKIE = b"\xf5LOSTORE"
_NUMBERS = struct.Struct(">IIQQ")
_CHECK = struct.Struct(">I")
_FIXED = len(COOKIE) + _NUMBERS.size + _CHECK.size
_READ = 1 << 18
_LEVEL = 6  # the default of Java's Deflater
_IN_MEMORY = 1 << 22  # bytes of deflated content; more of it waits in a file for its length to be known


def write_record(
    file: IO[bytes], head: bytes, block: bytes, remainder: Iterable[bytes] = (), *, folder: Path | None = None
) -> None:
    """Append one capture.

    ``head`` is the header of the WARC record with its empty line, or the line of the ARC record; ``block`` the content,
    or its beginning, and ``remainder`` the rest in pieces. ``folder`` is for a temporary file, if the content is long;
    by default that of the system.
    """
    http, content = _split_http(block)
    size = 0
    deflate = zlib.compressobj(_LEVEL)
    with SpooledTemporaryFile(_IN_MEMORY, dir=None if folder is None else str(folder)) as deflated:
        for piece in chain((content,), remainder):
            size += len(piece)
            deflated.write(deflate.compress(piece))
        if size:
            deflated.write(deflate.flush())
        numbers = _NUMBERS.pack(len(head), len(http), deflated.tell() if size else 0, size)
        check = zlib.crc32(http, zlib.crc32(head, zlib.crc32(numbers)))
        file.write(b"".join([COOKIE, numbers, _CHECK.pack(check), head, http]))
        if size:
            deflated.seek(0)
            shutil.copyfileobj(deflated, file, _READ)


def _split_http(block: bytes) -> tuple[bytes, bytes]:
    """Split an HTTP message after its empty line; a block that is no HTTP message is all content."""
    if not block.startswith(b"HTTP/"):
        return b"", block
    ends = [at + len(mark) for mark in (b"\r\n\r\n", b"\n\n") if (at := block.find(mark, 0, 1 << 16)) >= 0]
    end = min(ends, default=0)
    return block[:end], block[end:]


class Store:
    """Read one store file."""

    ended: int | None = None

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._number = file.fileno()
        self._size = os.fstat(self._number).st_size
        self._limits = limits
        self.bytes_read = 0  #: offset that was reached

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the raw records; damage becomes a record without header, or a fault of a record."""
        lost: int | None = None  # where damage began that is not yielded yet
        at = 0
        while at < self._size:
            header = self._read_header(at)
            if header is None:
                lost = at if lost is None else lost
                at = self._find_next_cookie(at + 1)
                continue
            if lost is not None:
                yield _make_fault(lost, f"{at - lost} bytes that are not a record")
                lost = None
            head, http, deflated, size = header
            begin = at + _FIXED + len(head) + len(http)
            end = begin + deflated
            # If the record crosses the next one or the end of the file, reading resumes at the next cookie.
            if end < self._size and not self._is_cookie(end):
                following = self._find_next_cookie(begin)
                end = min(end, following)
            at = self.bytes_read = min(end, self._size)
            record = RawRecord(begin - _FIXED - len(head) - len(http), head, http)
            yield self._add_content(record, Remainder(_inflate(self._number, begin, at, size)), size)
        if lost is not None:
            yield _make_fault(lost, f"{self._size - lost} bytes that are not a record")

    def _add_content(self, record: RawRecord, content: Remainder, size: int) -> RawRecord:
        room = max(0, self._limits.max_payload - len(record.block))
        block = record.block + content.read(room)
        if content.is_over:
            return record._replace(block=block, faults=content.finish())
        if self._limits.whole:
            return record._replace(block=block, remainder=content)
        return record._replace(
            block=block, faults=(("too-large", f"a record of {size} bytes; the first {room} were read"),)
        )

    def _is_cookie(self, at: int) -> bool:
        return os.pread(self._number, len(COOKIE), at) == COOKIE

    def _find_next_cookie(self, at: int) -> int:
        while at < self._size:
            data = os.pread(self._number, _READ, at)
            index = data.find(COOKIE)
            if index >= 0:
                return at + index
            if len(data) < len(COOKIE):
                break
            at += len(data) - len(COOKIE) + 1
        return self._size

    def _read_header(self, at: int) -> tuple[bytes, bytes, int, int] | None:
        """Return both headers and the lengths of the content, deflated and not; None if no sound record starts here."""
        fixed = os.pread(self._number, _FIXED, at)
        if len(fixed) < _FIXED or not fixed.startswith(COOKIE):
            return None
        numbers = fixed[len(COOKIE) : -_CHECK.size]
        heads, https, deflated, size = _NUMBERS.unpack(numbers)
        if heads + https > self._limits.max_header:
            return None
        both = os.pread(self._number, heads + https, at + _FIXED)
        if zlib.crc32(both, zlib.crc32(numbers)) != _CHECK.unpack(fixed[-_CHECK.size :])[0]:
            return None
        return both[:heads], both[heads:], deflated, size


def _inflate(number: int, begin: int, end: int, size: int) -> Pieces:
    """Inflate the content between two places of the file; `size` is the length that it claims to have."""
    if begin == end and not size:
        return ()
    inflate = zlib.decompressobj()
    inflated = 0
    while begin < end and not inflate.eof:
        data = os.pread(number, min(_READ, end - begin), begin)
        if not data:
            break
        begin += len(data)
        while data:
            try:
                piece = inflate.decompress(data, _READ)
            except zlib.error:
                return (("damaged", "damaged compression"),)
            data = inflate.unconsumed_tail
            inflated += len(piece)
            yield piece
    if inflated != size or not inflate.eof:
        return (("truncated", f"{max(0, size - inflated)} of the record's {size} bytes are missing"),)
    return ()


def _make_fault(offset: int, reason: str) -> RawRecord:
    return RawRecord(offset, b"", b"", (("garbage", reason),))
