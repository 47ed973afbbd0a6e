"""Read archives and pages that are packed as a whole: in a tar file, or compressed a second time.

Archives in an uncompressed tar file are read in place. Compressed ones are first unpacked to a temporary file of
bounded size; their records all have the offset 0.
"""

from __future__ import annotations

import tarfile
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, cast

from graphlang.ingest.files.decompress import MEMBER, UNPACKED_FREELY, ByteSource
from graphlang.ingest.files.file_slice import FileSlice, size_of
from graphlang.ingest.formats.wacz import Wacz, is_archive_name, open_member
from graphlang.ingest.raw import RawRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import RecordStream

_TAR_MAGIC = b"ustar"
_MAGIC_AT = 257  # in the header of the first file
_LARGEST_HEADER = 16 << 20  # bytes
_REASON = 200  # characters of a library's error message
_ROOM = 4  # times its size, since compressed archives do not compress a second time


def is_tar(head: bytes) -> bool:
    """Return whether a file is a tar file, by its first bytes."""
    return head.startswith(_TAR_MAGIC, _MAGIC_AT)


def is_packed_twice(head: bytes) -> bool:
    """Return whether bytes that were decompressed are compressed, or a tar file."""
    return MEMBER.match(head) is not None or is_tar(head)


class _BoundedReads(FileSlice):
    """A file that refuses to read what does not fit into memory: headers of a tar file state their size."""

    def read(self, size: int = -1, /) -> bytes:
        if size > _LARGEST_HEADER:
            raise tarfile.ReadError(f"a header of {size} bytes")
        return super().read(size) or b""


class Tar:
    """Read the archives of a tar file, in its order."""

    ended: int | None = None

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._file = file
        self._limits = limits
        self.bytes_read = 0  #: offset in the tar file that was reached

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the raw records of all archives; a fault of the tar file is a record without header."""
        empty = True
        try:
            whole = cast("BinaryIO", _BoundedReads(self._file, 0, size_of(self._file)))
            with tarfile.open(fileobj=whole, mode="r:") as packed:
                for member in packed:
                    if member.isreg() and not member.issparse() and is_archive_name(member.name):
                        empty = False
                        yield from self._records(member)
        except (tarfile.TarError, ValueError, OverflowError, EOFError) as error:
            yield RawRecord(self.bytes_read, b"", b"", (("damaged", f"a damaged tar file ({error})"[:_REASON]),))
            return
        if empty:
            yield RawRecord(0, b"", b"", (("not-an-archive", "a tar file without any archive"),))

    def _records(self, member: tarfile.TarInfo) -> Iterator[RawRecord]:
        begin = member.offset_data
        part = cast("BinaryIO", FileSlice(self._file, begin, member.size))
        is_wacz = member.name.lower().endswith(".wacz")
        reader = Wacz(part, self._limits) if is_wacz else open_member(part, member.name, self._limits)
        for raw in reader:
            self.bytes_read = begin + reader.bytes_read
            offset = begin + raw.offset
            yield raw._replace(offset=offset, item=raw.item and replace(raw.item, offset=offset))


class Unpacked:
    """Unpack a compressed file, and read it with the reader that ``choose`` returns for it."""

    ended: int | None = None

    def __init__(self, file: BinaryIO, limits: Limits, choose: Callable[[BinaryIO], RecordStream]) -> None:
        room = UNPACKED_FREELY + _ROOM * size_of(file)
        self._source = ByteSource(file, max_ratio=limits.max_ratio, room=room)
        self._choose = choose

    @property
    def bytes_read(self) -> int:
        """Offset in the file that was reached."""
        return self._source.reached

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the raw records."""
        with tempfile.TemporaryFile(buffering=0) as unpacked:
            for chunk in self._source.chunks():
                unpacked.write(chunk.data)
                if chunk.fault:
                    yield RawRecord(chunk.offset, b"", b"", ((chunk.kind, chunk.fault),))
            unpacked.seek(0)
            for raw in self._choose(cast("BinaryIO", unpacked)):
                yield raw._replace(offset=0, item=raw.item and replace(raw.item, offset=0))
