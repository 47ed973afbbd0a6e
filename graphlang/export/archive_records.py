"""How long the records of captures are in their files: measured, for the collection keeps only where they begin."""

from __future__ import annotations

import re
import zlib
from contextlib import closing
from typing import IO, TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_GZIP: Final = b"\x1f\x8b"
_CHUNK: Final = 1 << 16
_HEADER: Final = 1 << 20
_LENGTH: Final = re.compile(rb"\ncontent-length[ \t]*:[ \t]*(\d{1,15})", re.IGNORECASE)
_MOST: Final = 1 << 30  # bytes that one record may unpack to


def lengths(path: Path, offsets: Iterable[int]) -> Iterator[tuple[int, int | None]]:
    """Bytes of the records that begin at some offsets, as (offset, length).

    Of a gzip file the length of the member, of one that is not compressed that of the WARC record with its header and
    the two empty lines behind it. None where a record cannot be told: another compression, ARC that is not compressed,
    several records in one member, damage.

    Args:
        path: the archive.
        offsets: in ascending order.

    Raises:
        OSError: the file cannot be read.
    """
    with closing(path.open("rb")) as file:
        before = None
        for offset in offsets:
            found = None if offset == before else _length(file, offset)
            before = offset
            yield offset, found


def _length(file: IO[bytes], offset: int) -> int | None:
    file.seek(offset)
    first = file.read(_CHUNK)
    if first.startswith(_GZIP):
        return _member(file, first)
    if first.startswith(b"WARC/"):
        return _record(file, first)
    return None


def _member(file: IO[bytes], chunk: bytes) -> int | None:
    unpack = zlib.decompressobj(wbits=31)
    taken = unpacked = 0
    while chunk:
        taken += len(chunk)
        while chunk and not unpack.eof:
            try:
                unpacked += len(unpack.decompress(chunk, _CHUNK * 16))
            except zlib.error:
                return None
            if unpacked > _MOST:
                return None
            chunk = unpack.unconsumed_tail
        if unpack.eof:
            return taken - len(unpack.unused_data)
        chunk = file.read(_CHUNK)
    return None


def _record(file: IO[bytes], head: bytes) -> int | None:
    while (end := head.find(b"\r\n\r\n")) < 0 and len(head) < _HEADER:
        more = file.read(_CHUNK)
        if not more:
            return None
        head += more
    found = _LENGTH.search(head, 0, max(end, 0) + 2)
    return end + 4 + int(found[1]) + 4 if end >= 0 and found else None
