"""Read archives that are packed: in a WACZ, in a tar file, or compressed a second time.

Archives that are stored uncompressed are read in place. Compressed ones are first unpacked to a temporary file of
bounded size; in a tar file their records all have the offset 0.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from graphlang.db.records import Page
from graphlang.ingest.files.decompress import MEMBER, UNPACKED_FREELY, ByteSource
from graphlang.ingest.files.file_slice import FileSlice, measure_size, peek
from graphlang.ingest.formats.har import Har
from graphlang.ingest.formats.jsonl import Jsonl
from graphlang.ingest.formats.mhtml import Mhtml
from graphlang.ingest.formats.record_reader import RecordReader
from graphlang.ingest.formats.saved_html import SavedHtml
from graphlang.ingest.raw import RawRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import RecordStream

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")  #: of a zip file, and of an empty one
_DIRECTORY = 64 << 20  # bytes of a zip file's directory: 500,000 entries
_DEFLATED = 1 << 30  # bytes of a deflated archive, unpacked
_REASON = 300  # characters of a reason
_LISTS = "pages/"
_LINES_NAME = re.compile(r"\.(?:jsonl|ndjson)(?:\.\w+)?\Z", re.IGNORECASE)
_ARCHIVE_NAME = re.compile(
    r"\.(?:(?:w?arc|wet|wat|jsonl|ndjson)(?:\.(?:gz|zst|lz4|bz2|xz))?|wacz|mhtml?|har|x?html?)\Z", re.IGNORECASE
)
_LOCAL = struct.Struct("<4s5H3L2H")
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x06"


class Stored(NamedTuple):
    """An archive, or a list of pages, that is stored uncompressed in the zip file."""

    path: str  #: in the zip file
    begin: int  #: offset in the zip file
    size: int

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]

    @property
    def is_list(self) -> bool:
        """Return True for a list of pages."""
        return self.path.startswith(_LISTS)


def is_wacz(file: BinaryIO) -> bool:
    """Return whether a file is a zip file."""
    return peek(file, 0, 4) in MAGIC


class Wacz:
    """Read the archives of one WACZ file (webrecorder's Web Archive Collection Zipped, 1.1).

    A zip file without a folder ``archive/`` is read as well: archives, WACZ files, JSON lines and saved pages within
    it are those by name. ``outer`` is the WACZ that it is in.

    The archives under ``archive/`` are read in the order of their names, then the lists of pages, ``pages/*.jsonl``. A
    list may have the text of a page: it completes a capture without text. Dates of the lists are dropped, because they
    are those of the visit and not of a record. Nothing is unpacked to a path, so that names in the zip file can do no
    harm.

    The specification asks for archives that are stored uncompressed; a deflated one is unpacked to a temporary file.
    All of these together may unpack to `Limits.max_ratio` times the size of the WACZ, and an entry with a wrong size is
    refused. Offsets are those in the WACZ file; within a deflated archive all are that of its entry.
    """

    ended: int | None = None

    def __init__(self, file: BinaryIO, limits: Limits, outer: Wacz | None = None) -> None:
        self._file = file
        self._limits = limits
        self._size = measure_size(file)
        self._is_inner = outer is not None
        self.bytes_read = 0  #: offset in the zip file that was reached
        #: Bytes that deflated entries may still unpack to; None: any number.
        self.room = UNPACKED_FREELY + limits.max_ratio * self._size if limits.max_ratio else None
        if outer is not None:
            self.room = outer.room

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the raw records of all archives; a fault of the zip file is a record without header."""
        for entry in self.list_parts():
            yield from self.read_part(entry)

    def read_part(self, entry: Stored | Iterator[RawRecord]) -> Iterator[RawRecord]:
        """Yield the raw records of an archive in the zip file."""
        if isinstance(entry, Stored):
            span = cast("BinaryIO", FileSlice(self._file, entry.begin, entry.size))
            yield from self._open_archive(span, entry.path, entry.begin)
            self.bytes_read = entry.begin + entry.size
        else:
            yield from entry

    def list_parts(self) -> Iterator[Stored | Iterator[RawRecord]]:
        """Yield archives that are stored uncompressed, and the raw records of others, in the order of their names."""
        size = self._size
        if _read_directory_size(FileSlice(self._file, 0, size)) > _DIRECTORY:
            yield iter([_make_fault("too-large", "the directory of the zip file is too large to be read")])
            return
        try:
            with zipfile.ZipFile(cast("BinaryIO", FileSlice(self._file, 0, size))) as zipped:
                entries = [entry for entry in zipped.infolist() if _is_archive(entry) or _is_list(entry)]
                if not any(map(_is_archive, entries)):
                    entries = [entry for entry in zipped.infolist() if is_archive_name(entry.filename)]
                if not entries:
                    yield iter([_make_fault("not-an-archive", "a zip file without any archive under archive/")])
                if sum(entry.compress_size for entry in entries) > size:
                    yield iter([_make_fault("damaged", "the archives in the zip file overlap")])
                    return
                # "archive" comes before "pages".
                for entry in sorted(entries, key=lambda entry: entry.filename):  # names may come twice
                    yield self._find_entry(zipped, entry)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, struct.error) as error:
            yield iter([_make_fault("not-an-archive", f"not a sound zip file ({error})"[:_REASON])])

    def _find_entry(self, zipped: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Stored | Iterator[RawRecord]:
        start = entry.header_offset
        if start < 0 or start > self._size - _LOCAL.size:
            return iter([_make_fault("damaged", "an entry of the zip file is not where its directory says")])
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
            return self._unpack(zipped, entry)
        local = FileSlice(self._file, start, _LOCAL.size).read()
        if not local or not local.startswith(MAGIC[0]):
            return iter([_make_fault("damaged", "an entry of the zip file is not where its directory says", start)])
        fields = _LOCAL.unpack(local)
        begin = start + _LOCAL.size + fields[-2] + fields[-1]
        if entry.file_size != entry.compress_size or begin + entry.file_size > self._size:
            sizes = f"{entry.file_size} bytes, {entry.compress_size} stored"
            reason = f"an entry of the zip file that lies about its size: {sizes}"
            return iter([_make_fault("damaged", reason, start)])
        return Stored(entry.filename, begin, entry.file_size)

    def _unpack(self, zipped: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[RawRecord]:
        start = entry.header_offset
        if entry.compress_type != zipfile.ZIP_DEFLATED:
            yield _make_fault("not-an-archive", "an archive that is encrypted or compressed in an unusual way", start)
            return
        if entry.file_size > _DEFLATED:
            yield _make_fault("too-large", f"a deflated archive of more than {_DEFLATED} bytes", start)
            return
        if self.room is not None:
            ratio = self._limits.max_ratio
            if entry.file_size > min(self.room, UNPACKED_FREELY + ratio * entry.compress_size):
                reason = f"the zip file unpacks to more than {ratio} times its size; {entry.filename} was not read"
                yield _make_fault("too-large", reason[:_REASON], start)
                return
            self.room -= entry.file_size
        with tempfile.TemporaryFile(buffering=0) as unpacked:
            changed = os.fstat(self._file.fileno()).st_mtime_ns
            try:
                with zipped.open(entry) as stream:
                    shutil.copyfileobj(stream, unpacked, 1 << 20)  # no more than the size that the entry states
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
                yield _make_fault("damaged", f"an entry of the zip file does not unpack ({error})"[:_REASON], start)
            unpacked.seek(0)
            os.utime(unpacked.fileno(), ns=(changed, changed))  # the date of saved pages that have none
            for raw in self._open_archive(cast("BinaryIO", unpacked), entry.filename, 0, room=self.room):
                self.bytes_read = start
                yield raw._replace(offset=start, item=raw.item and replace(raw.item, offset=start))
        self.bytes_read = start + entry.compress_size

    def _open_archive(self, file: BinaryIO, path: str, begin: int, *, room: int | None = None) -> Iterator[RawRecord]:
        """Read an archive or a list of pages; its unpacked bytes are subtracted from ``room``, unless that is None."""
        name = path.rpartition("/")[2]
        if name.lower().endswith(".wacz"):
            yield from self._read_inner(file, begin)
            return
        is_list = path.startswith(_LISTS)
        reader = (
            Jsonl(file, self._limits, room=room, is_list=True)
            if is_list
            else open_member(file, name, self._limits, room=room)
        )
        yield from self._read_records(reader, begin, is_list=is_list)
        if room is not None and isinstance(reader, Jsonl | RecordReader):
            self.room = room - min(room, reader.unpacked)

    def _read_inner(self, file: BinaryIO, begin: int) -> Iterator[RawRecord]:
        """Read a WACZ in this one, but none in that."""
        if self._is_inner:
            yield _make_fault("not-an-archive", "a WACZ in a WACZ in a WACZ, which is not read", begin)
            return
        inner = Wacz(file, self._limits, self)
        yield from self._read_records(inner, begin)
        self.room = inner.room

    def _read_records(self, reader: RecordStream, begin: int, *, is_list: bool = False) -> Iterator[RawRecord]:
        for raw in reader:
            self.bytes_read = begin + reader.bytes_read
            offset = begin + raw.offset
            item = raw.item
            if isinstance(item, Page) and is_list:
                if not item.text:
                    continue  # the list has the URL of the page alone
                item = replace(item, date="", offset=offset)
            elif item is not None:
                item = replace(item, offset=offset)
            yield raw._replace(offset=offset, item=item)


def open_member(file: BinaryIO, name: str, limits: Limits, *, room: int | None = None) -> RecordStream:
    """Return the reader of a file within another one, by its name."""
    if _LINES_NAME.search(name):
        return Jsonl(file, limits, room=room)
    suffix = name.lower().rpartition(".")[2]
    reader = Har if suffix == "har" else Mhtml if suffix.startswith("mht") else SavedHtml if "htm" in suffix else None
    return reader(file, limits) if reader else RecordReader(file, name, limits, room=room)


def is_archive_name(name: str) -> bool:
    """Return whether a file within another one is an archive or holds pages, by its name."""
    return _ARCHIVE_NAME.search(name) is not None


def _is_archive(entry: zipfile.ZipInfo) -> bool:
    return entry.filename.startswith("archive/") and not entry.is_dir()


def _is_list(entry: zipfile.ZipInfo) -> bool:
    return entry.filename.startswith(_LISTS) and entry.filename.endswith(".jsonl")


def _make_fault(kind: str, reason: str, offset: int = 0) -> RawRecord:
    return RawRecord(offset, b"", b"", ((kind, reason),))


def _read_directory_size(span: FileSlice) -> int:
    """Return the size of the zip file's directory, which the library reads at once; 0 if there is none."""
    tail = span.peek(max(0, span.size - (1 << 17)), 1 << 17)
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 16:
        return 0
    size = int.from_bytes(tail[at + 12 : at + 16], "little")
    if size == 0xFFFFFFFF:  # noqa: PLR2004 - the record for large files has it
        at = tail.rfind(_END_64, 0, at)
        return int.from_bytes(tail[at + 40 : at + 48], "little") if at >= 0 else size
    return size


_TAR_MAGIC = b"ustar"
_MAGIC_AT = 257  # in the header of the first file
_LARGEST_HEADER = 16 << 20  # bytes
_TAR_REASON = 200  # characters of a library's error message
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
            whole = cast("BinaryIO", _BoundedReads(self._file, 0, measure_size(self._file)))
            with tarfile.open(fileobj=whole, mode="r:") as packed:
                for member in packed:
                    if member.isreg() and not member.issparse() and is_archive_name(member.name):
                        empty = False
                        yield from self._read_records(member)
        except (tarfile.TarError, ValueError, OverflowError, EOFError) as error:
            yield RawRecord(self.bytes_read, b"", b"", (("damaged", f"a damaged tar file ({error})"[:_TAR_REASON]),))
            return
        if empty:
            yield RawRecord(0, b"", b"", (("not-an-archive", "a tar file without any archive"),))

    def _read_records(self, member: tarfile.TarInfo) -> Iterator[RawRecord]:
        begin = member.offset_data
        file = cast("BinaryIO", FileSlice(self._file, begin, member.size))
        is_wacz = member.name.lower().endswith(".wacz")
        reader = Wacz(file, self._limits) if is_wacz else open_member(file, member.name, self._limits)
        for raw in reader:
            self.bytes_read = begin + reader.bytes_read
            offset = begin + raw.offset
            yield raw._replace(offset=offset, item=raw.item and replace(raw.item, offset=offset))


class Unpacked:
    """Unpack a compressed file, and read it with the reader that ``choose`` returns for it."""

    ended: int | None = None

    def __init__(self, file: BinaryIO, limits: Limits, choose: Callable[[BinaryIO], RecordStream]) -> None:
        room = UNPACKED_FREELY + _ROOM * measure_size(file)
        self._source = ByteSource(file, max_ratio=limits.max_ratio, room=room)
        self._choose = choose

    @property
    def bytes_read(self) -> int:
        """Offset in the file that was reached."""
        return self._source.position

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the raw records."""
        with tempfile.TemporaryFile(buffering=0) as unpacked:
            for chunk in self._source.read_chunks():
                unpacked.write(chunk.data)
                if chunk.fault:
                    yield RawRecord(chunk.offset, b"", b"", ((chunk.kind, chunk.fault),))
            unpacked.seek(0)
            for raw in self._choose(cast("BinaryIO", unpacked)):
                yield raw._replace(offset=0, item=raw.item and replace(raw.item, offset=0))
