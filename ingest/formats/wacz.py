"""WACZ: a zip file that holds archives and indexes over them (webrecorder's Web Archive Collection Zipped, 1.1).

The archives under ``archive/`` are read in the order of their names; then the lists of pages, ``pages/*.jsonl``, where
a crawler may have put the text of a page: it completes a capture that has none. Their dates are left out, for they are
those of the visit and not of a record. Nothing is unpacked to a path, so no name in the zip file is believed further
than that. The specification wants archives stored as they are, for they are compressed record by record; one that is
deflated none the less is unpacked to a temporary file. What all of these unpack to together is bounded by the size of
the WACZ (`Limits.max_ratio`), and an entry that lies about its size is refused.
Offsets are those in the WACZ file itself; within a deflated archive all are that of its entry.
"""

from __future__ import annotations

import os
import shutil
import struct
import tempfile
import zipfile
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from graphlang.db.records import Page
from graphlang.ingest.files.decompress import UNPACKED_FREELY
from graphlang.ingest.files.file_slice import FileSlice, peek
from graphlang.ingest.formats.jsonl import Jsonl
from graphlang.ingest.formats.record_reader import RecordReader
from graphlang.ingest.formats.records import RawRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.ingest.limits import Limits

MAGIC = (b"PK\x03\x04", b"PK\x05\x06")  #: of a zip file, and of an empty one
_DIRECTORY = 64 << 20  # bytes of a zip file's directory: 500,000 entries
_DEFLATED = 1 << 30  # bytes of a deflated archive, unpacked
_MAX_TOLD = 300  # characters of a reason
_LISTS = "pages/"
_LOCAL = struct.Struct("<4s5H3L2H")
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x06"


class Stored(NamedTuple):
    """An archive, or a list of pages, that lies in the zip file as it is."""

    path: str  #: in the zip file
    begin: int  #: where it begins
    size: int

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rpartition("/")[2]

    @property
    def is_list(self) -> bool:
        """Whether it is a list of pages."""
        return self.path.startswith(_LISTS)


def is_wacz(file: BinaryIO) -> bool:
    """Tell whether a file is a zip file."""
    return peek(file, 0, 4) in MAGIC


class Wacz:
    """Reads the archives of one WACZ file; see `graphlang.ingest.formats.detect.Records`.

    Args:
        file: the zip file, opened for reading bytes.
        limits: bounds of a record.
    """

    ended: int | None = None

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._file = file
        self._limits = limits
        self._size = os.fstat(file.fileno()).st_size
        self.bytes_read = 0  #: offset in the zip file that was reached
        #: Bytes that deflated entries may still unpack to, None for any number.
        self._room = UNPACKED_FREELY + limits.max_ratio * self._size if limits.max_ratio else None

    def __iter__(self) -> Iterator[RawRecord]:
        """Yield the raw records of all archives; what is wrong with the zip file is told in one without header."""
        for part in self.parts():
            yield from self.records_of(part)

    def records_of(self, part: Stored | Iterator[RawRecord]) -> Iterator[RawRecord]:
        """Yield the raw records of one of the parts."""
        if isinstance(part, Stored):
            span = cast("BinaryIO", FileSlice(self._file, part.begin, part.size))
            yield from self._archive(span, part.path, part.begin)
            self.bytes_read = part.begin + part.size
        else:
            yield from part

    def parts(self) -> Iterator[Stored | Iterator[RawRecord]]:
        """Yield the archives that are stored as they are, and of all else its raw records, in the order of the file."""
        size = self._size
        if _directory_size(FileSlice(self._file, 0, size)) > _DIRECTORY:
            yield iter([_fault("too-large", "the directory of the zip file is too large to be read")])
            return
        try:
            with zipfile.ZipFile(cast("BinaryIO", FileSlice(self._file, 0, size))) as zipped:
                found = [one for one in zipped.infolist() if _is_archive(one) or _is_list(one)]
                if not any(map(_is_archive, found)):
                    yield iter([_fault("not-an-archive", "a zip file without any archive under archive/")])
                if sum(one.compress_size for one in found) > size:
                    yield iter([_fault("damaged", "the archives in the zip file overlap")])
                    return
                # "archive" comes before "pages".
                for one in sorted(found, key=lambda one: one.filename):  # names may come twice
                    yield self._entry(zipped, one)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, struct.error) as error:
            yield iter([_fault("not-an-archive", f"not a sound zip file ({error})"[:_MAX_TOLD])])

    def _entry(self, zipped: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Stored | Iterator[RawRecord]:
        start = entry.header_offset
        if start < 0 or start > self._size - _LOCAL.size:
            return iter([_fault("damaged", "an entry of the zip file is not where its directory says")])
        if entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1:
            return self._unpacked(zipped, entry)
        local = FileSlice(self._file, start, _LOCAL.size).read()
        if not local or not local.startswith(MAGIC[0]):
            return iter([_fault("damaged", "an entry of the zip file is not where its directory says", start)])
        fields = _LOCAL.unpack(local)
        begin = start + _LOCAL.size + fields[-2] + fields[-1]
        if entry.file_size != entry.compress_size or begin + entry.file_size > self._size:
            sizes = f"{entry.file_size} bytes, {entry.compress_size} stored"
            reason = f"an entry of the zip file that lies about its size: {sizes}"
            return iter([_fault("damaged", reason, start)])
        return Stored(entry.filename, begin, entry.file_size)

    def _unpacked(self, zipped: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[RawRecord]:
        start = entry.header_offset
        if entry.compress_type != zipfile.ZIP_DEFLATED:
            yield _fault("not-an-archive", "an archive that is encrypted or compressed in an unusual way", start)
            return
        if entry.file_size > _DEFLATED:
            yield _fault("too-large", f"a deflated archive of more than {_DEFLATED} bytes", start)
            return
        if self._room is not None:
            ratio = self._limits.max_ratio
            if entry.file_size > min(self._room, UNPACKED_FREELY + ratio * entry.compress_size):
                reason = f"the zip file unpacks to more than {ratio} times its size; {entry.filename} was not read"
                yield _fault("too-large", reason[:_MAX_TOLD], start)
                return
            self._room -= entry.file_size
        with tempfile.TemporaryFile(buffering=0) as unpacked:
            try:
                with zipped.open(entry) as stream:
                    shutil.copyfileobj(stream, unpacked, 1 << 20)  # no more than the size that the entry states
            except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
                yield _fault("damaged", f"an entry of the zip file does not unpack ({error})"[:_MAX_TOLD], start)
            unpacked.seek(0)
            for raw in self._archive(cast("BinaryIO", unpacked), entry.filename, 0, room=self._room):
                self.bytes_read = start
                yield raw._replace(offset=start, item=raw.item and replace(raw.item, offset=start))
        self.bytes_read = start + entry.compress_size

    def _archive(self, file: BinaryIO, path: str, begin: int, *, room: int | None = None) -> Iterator[RawRecord]:
        """Read an archive or a list of pages.

        Args:
            file: that holds it.
            path: in the zip file.
            begin: where it begins.
            room: bytes that it may unpack to, and that are no more there for others; None for its own bound.
        """
        name = path.rpartition("/")[2]
        reader: Jsonl | RecordReader
        if path.startswith(_LISTS):
            reader = Jsonl(file, self._limits, room=room)
        else:
            reader = RecordReader(file, name, self._limits, room=room)
        yield from self._records(reader, begin)
        if room is not None:
            self._room = room - min(room, reader.unpacked)

    def _records(self, reader: Jsonl | RecordReader, begin: int) -> Iterator[RawRecord]:
        for raw in reader:
            self.bytes_read = begin + reader.bytes_read
            offset = begin + raw.offset
            item = raw.item
            if isinstance(item, Page):
                if not item.text:
                    continue  # the list names the page and says nothing of it
                item = replace(item, date="", offset=offset)
            elif item is not None:
                item = replace(item, offset=offset)
            yield raw._replace(offset=offset, item=item)


def _is_archive(entry: zipfile.ZipInfo) -> bool:
    return entry.filename.startswith("archive/") and not entry.is_dir()


def _is_list(entry: zipfile.ZipInfo) -> bool:
    return entry.filename.startswith(_LISTS) and entry.filename.endswith(".jsonl")


def _fault(kind: str, reason: str, offset: int = 0) -> RawRecord:
    return RawRecord(offset, b"", b"", ((kind, reason),))


def _directory_size(span: FileSlice) -> int:
    """Return the bytes of the zip file's directory, all of which the library reads at once; 0 if there is none."""
    tail = span.peek(max(0, span.size - (1 << 17)), 1 << 17)
    at = tail.rfind(_END)
    if at < 0 or len(tail) < at + 16:
        return 0
    size = int.from_bytes(tail[at + 12 : at + 16], "little")
    if size == 0xFFFFFFFF:  # noqa: PLR2004 - it stands in the record for large files
        at = tail.rfind(_END_64, 0, at)
        return int.from_bytes(tail[at + 40 : at + 48], "little") if at >= 0 else size
    return size
