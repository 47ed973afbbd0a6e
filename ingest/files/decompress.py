"""Read a file as decompressed chunks, with any compression and any damage.

gzip is inflated here, because readers of archives do not report three things that are needed of every member: where it
starts in the file, whether it is complete, and its content before the first damaged byte. zstd and LZ4 are unpacked
one frame at a time, bzip2 and xz one stream at a time.
"""

from __future__ import annotations

import io
import re
import zlib
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from graphlang.ingest.files import codecs
from graphlang.ingest.files.codecs import LZ4, ZSTD, find_frame, raise_system_error
from graphlang.ingest.files.file_slice import FileSlice, measure_size, peek

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _load_zlib() -> Any:
    """Return isal's drop-in for zlib, which inflates twice as fast, or zlib if isal is not installed."""
    try:
        return import_module("isal.isal_zlib")
    except ImportError:
        return zlib


_FAST = _load_zlib()
_READ = 1 << 18  # bytes read from the file at once
_FEED = 1 << 14  # compressed bytes handed to zlib at once: zlib copies what follows a member's end each time
_OUT = 1 << 20  # decompressed bytes of one chunk at most
MEMBER = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]")  # RFC 1952: magic, deflate, and flags whose reserved bits are zero
_MAGICS = {
    "gzip": MEMBER,
    "zstd": re.compile(re.escape(ZSTD)),
    "lz4": re.compile(re.escape(LZ4)),
    "bzip2": re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)"),  # a block, or the end of a stream
    "xz": re.compile(rb"\xfd7zXZ\0"),
}
_LONGEST_MAGIC = 10
UNPACKED_FREELY = 256 << 20  #: bytes that any file may unpack to, whatever its size
COUNTED = 1 << 20  #: at each multiple of these bytes of a file the count of unpacked bytes restarts
_TRIALS = 50  # frames that are tried in a megabyte after damage; more of them are an attack
_BLOCKS = 1_000  # of such a frame
_PADDED = 1 << 16
_PADDING = b"\0\r\n\t "
_REASON = 200  # characters of a library's error message
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # a frame of WARC-zstd that the others need


class Chunk(NamedTuple):
    """Some decompressed bytes."""

    data: bytes
    offset: int  #: in the file: of the first byte (plain), or of the gzip member or frame that holds it
    fresh: bool = False  #: a gzip member or a frame starts here
    fault: str = ""  #: what broke right after these bytes; the next chunk is not their continuation
    kind: str = "damaged"  #: of the Problem that the fault is


def detect_compression(head: bytes) -> str:
    r"""Name the compression of a file by its first bytes: gzip, zstd, lz4, bzip2, xz, or an empty string.

    >>> detect_compression(b"\x1f\x8b\x08"), detect_compression(b"WARC/1.1")
    ('gzip', '')
    """
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith((ZSTD, _DICTIONARY)):
        return "zstd"
    if head.startswith(LZ4):
        return "lz4"
    return next((name for name in codecs.STREAMS if _MAGICS[name].match(head)), "")


class ByteSource:
    """A file that is read once, from its start to its end.

    Reading begins at 0, or at the offset of a gzip member, a frame or a record. It stops where the file has unpacked to
    more than ``max_ratio`` times its size, `UNPACKED_FREELY` not counted, or to more than ``room`` bytes (None: no such
    bound). The count for ``max_ratio`` restarts at each megabyte of the file, so that it does not depend on ``begin``.
    """

    def __init__(self, file: BinaryIO, begin: int = 0, *, max_ratio: int = 0, room: int | None = None) -> None:
        self._file = file
        self._max_ratio = max_ratio
        self._room = room
        self.unpacked = 0  #: bytes that came out so far
        if begin:
            file.seek(begin)
        self._window = b""  # bytes read from the file; those before _at are consumed
        self._at = 0
        self._tried = (-1, 0)  # megabyte, and number of frames tried in it
        self._base = begin  # offset in the file of the window's first byte
        self._refill()
        self.compression = detect_compression(self._window)

    @property
    def size(self) -> int | None:
        """Bytes of a file that is not compressed; None for others, whose size is not known beforehand."""
        if self.compression:
            return None
        return measure_size(self._file)

    def peek(self, offset: int, count: int) -> bytes:
        """Return up to ``count`` bytes at any offset of the file as stored, without moving in it."""
        return peek(self._file, offset, count)

    @property
    def position(self) -> int:
        """Offset in the file up to which bytes were consumed."""
        return self._base + self._at

    def read_chunks(self) -> Iterator[Chunk]:
        """Yield the decompressed bytes in order; damage is the ``fault`` of a chunk, and reading resumes after it."""
        if not self.compression:
            return self._read_plain()
        if self.compression == "gzip":
            return self._limit_chunks(self._read_members(self._read_member))
        if self.compression in codecs.STREAMS:
            return self._limit_chunks(self._read_members(self._read_stream))
        return self._limit_chunks(self._read_frames())

    def _limit_chunks(self, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        """Yield chunks until more is unpacked than `max_ratio` and `room` allow."""
        block, before = self._base // COUNTED, 0
        for chunk in chunks:
            if chunk.fresh and chunk.offset // COUNTED > block:
                block, before = chunk.offset // COUNTED, self.unpacked
            self.unpacked += len(chunk.data)
            fault = ""
            if self._max_ratio:
                stored = self.position - block * COUNTED
                if self.unpacked - before > UNPACKED_FREELY + self._max_ratio * stored:
                    fault = f"the file unpacks to more than {self._max_ratio} times its size; the rest was not read"
            if self._room is not None and self.unpacked > self._room:
                fault = "the archive unpacks to more than is allowed for its size; the rest was not read"
            if fault:
                yield chunk._replace(fault=fault, kind="too-large")
                return
            yield chunk

    def _refill(self) -> bool:
        """Append more of the file to the window; False at the end of the file."""
        # Up to a multiple of the step: so the pieces of a member are the same wherever reading began.
        data = self._file.read(_READ - (self._base + len(self._window)) % _READ)
        if not data:
            return False
        self._base += self._at
        self._window = self._window[self._at :] + data
        self._at = 0
        return True

    def _read_plain(self) -> Iterator[Chunk]:
        while self._at < len(self._window) or self._refill():
            data, offset = self._window[self._at :], self.position
            self._at = len(self._window)
            yield Chunk(data, offset)

    def _read_members(self, unpack: Callable[[], Iterator[Chunk]]) -> Iterator[Chunk]:
        """Unpack gzip members, or streams of bzip2 or xz, one after the other."""
        broken = False  # garbage after a damaged member belongs to it
        while True:
            start = self.position
            has_member, blank = self._find_member()
            if not (blank or broken):
                yield Chunk(b"", start, fault=f"{self.position - start} bytes that are not {self.compression}")
            if not has_member:
                return
            for chunk in unpack():
                # A member that gives nothing after damage is no member: bytes of the damaged one look like a magic.
                if not (broken and chunk.fault and not chunk.data):
                    yield chunk
                broken = bool(chunk.fault)

    def _find_member(self) -> tuple[bool, bool]:
        """Move to the next member or the end of the file; return whether there is one, with only padding before."""
        blank = True
        magic = _MAGICS[self.compression]
        if magic.match(self._window, self._at):
            return True, True
        size = 4 if self.compression == "gzip" else _LONGEST_MAGIC
        while True:
            is_full = len(self._window) - self._at >= size or self._refill()
            match = magic.search(self._window, self._at)
            overlap = size - 1 if is_full else 0  # a magic may have begun
            stop = match.start() if match else max(self._at, len(self._window) - overlap)
            blank = blank and not self._window[self._at : stop].strip(_PADDING)
            self._at = stop
            if match or not is_full:
                return match is not None, blank

    def _read_member(self) -> Iterator[Chunk]:
        """Inflate one member; a damaged one is read a second time, slowly, to save all bytes before the damage."""
        offset = self.position
        done = 0  # decompressed bytes that were yielded
        fresh = True
        inflate = _FAST.decompressobj(31)
        parts: list[bytes] = []
        size = 0
        while not inflate.eof:
            if self._at >= len(self._window) and not self._refill():
                yield Chunk(b"".join(parts), offset, fresh, "the file ends within a compressed record")
                return
            piece = self._window[self._at : self._at + _FEED]
            try:
                data = inflate.decompress(piece, _OUT)
            except _FAST.error:
                yield from self._inflate_damaged(offset, done, fresh=fresh)
                return
            unused = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
            self._at += len(piece) - len(unused)
            parts.append(data)
            size += len(data)
            if size >= _OUT:
                yield Chunk(b"".join(parts), offset, fresh)
                done += size
                fresh, size, parts = False, 0, []
        yield Chunk(b"".join(parts), offset, fresh)

    def _read_stream(self) -> Iterator[Chunk]:
        """Unpack one stream of bzip2 or xz."""
        offset = self.position
        fresh = True
        stream = codecs.STREAMS[self.compression]()
        while not stream.eof:
            piece = b""
            if stream.needs_input:
                if self._at >= len(self._window) and not self._refill():
                    yield Chunk(b"", offset, fresh, "the file ends within a compressed record")
                    return
                piece = self._window[self._at : self._at + _FEED]
                self._at += len(piece)
            try:
                data = stream.decompress(piece, _OUT)
            except codecs.ERRORS as error:
                raise_system_error(error)
                yield Chunk(b"", offset, fresh, "damaged compression")
                self._at = max(0, self._at - len(piece))
                self._at += self.position == offset  # else the same magic would match again
                return
            if data:
                yield Chunk(data, offset, fresh)
                fresh = False
        self._at -= len(stream.unused_data)
        if fresh:
            yield Chunk(b"", offset, fresh)

    def _inflate_damaged(self, offset: int, done: int, *, fresh: bool) -> Iterator[Chunk]:
        """Inflate a damaged member up to the byte that is wrong, without its first ``done`` bytes.

        Reading resumes after the wrong byte: no member starts before it.
        """
        self._file.seek(offset)
        self._window, self._at, self._base = b"", 0, offset
        inflate = zlib.decompressobj(31)
        good = True
        while good and not inflate.eof and (self._at < len(self._window) or self._refill()):
            piece = self._window[self._at : self._at + _FEED]
            before = inflate.copy()
            try:
                data = inflate.decompress(piece, _OUT)
                self._at += len(piece) - len(inflate.unconsumed_tail)
            except zlib.error:
                data, used = _salvage(before, piece)
                self._at += used
                good = False
            fault = "" if good else "damaged compression"
            if len(data) > done or fault:
                yield Chunk(data[done:], offset, fresh, fault)
                fresh = False
            done = max(0, done - len(data))
        self._at += 4 if self.position == offset else 0  # else the same magic would match again

    def _read_frames(self) -> Iterator[Chunk]:
        """Unpack zstd or LZ4 frame by frame; a damaged frame does not affect the others."""
        offset = self._base
        # Such a file is read in one piece, and may bring further dictionaries, if files were joined.
        needs_dictionary = self._window.startswith(_DICTIONARY)
        self._window, self._at = b"", 0
        zstd = codecs.make_zstd_decompressor()
        broken = False
        while self.peek(offset, 1):
            frame = find_frame(self.peek, offset)
            if needs_dictionary and self.peek(offset, 4) == _DICTIONARY:
                try:
                    zstd = codecs.make_zstd_decompressor(self._read_dictionary(offset))
                except codecs.DictionaryError as error:
                    yield Chunk(b"", offset, fault=f"{error}; what needs it is lost")
                    if not frame:
                        return
            end = offset + frame.size if frame else self._find_next_frame(offset + 1)
            size = None if end is None else end - offset
            if not (frame.skipped if frame else self._is_padding(offset, size)):
                for chunk in self._unpack(zstd, offset, size, is_whole=frame is not None):
                    # Behind damage, what is no frame and gives nothing belongs to the damaged frame.
                    if frame or not (broken and chunk.fault and not chunk.data):
                        yield chunk
                    broken = bool(chunk.fault)
            if end is None:
                return
            offset = self._base = end

    def _read_dictionary(self, offset: int) -> bytes:
        """Return the dictionary in the first frame of a file; raise DictionaryError if it is damaged or too large."""
        size = int.from_bytes(self.peek(offset + 4, 4), "little")
        if size > codecs.DICTIONARY:
            raise codecs.DictionaryError(f"a zstd dictionary of {size} bytes, more than {codecs.DICTIONARY}")
        return codecs.unpack_dictionary(self.peek(offset + 8, size))

    def _is_padding(self, offset: int, size: int | None) -> bool:
        """Return whether ``size`` bytes, or all to the end of the file, are padding; never true of 64 KB or more."""
        data = self.peek(offset, _PADDED if size is None else min(size, _PADDED))
        return len(data) < _PADDED and not data.strip(_PADDING)

    def _find_next_frame(self, at: int) -> int | None:
        """Return where the first whole frame after damage begins."""
        while True:
            window = self.peek(at, _READ + 3)
            for match in _MAGICS[self.compression].finditer(window):
                place = at + match.start()
                if place >> 20 != self._tried[0]:
                    self._tried = (place >> 20, 0)
                self._tried = (place >> 20, self._tried[1] + 1)
                if self._tried[1] <= _TRIALS and find_frame(self.peek, place, blocks=_BLOCKS):
                    return place
            if len(window) < _READ + 3:
                return None
            at += _READ

    def _unpack(self, zstd: Any, offset: int, size: int | None, *, is_whole: bool) -> Iterator[Chunk]:
        """Unpack one frame; of a damaged one as much as comes before the damage."""
        if size is not None and size <= _OUT:
            file: Any = io.BytesIO(self.peek(offset, size))
        else:
            file = FileSlice(self._file, offset, measure_size(self._file) - offset if size is None else size)
        fresh = True
        try:
            for data in codecs.unpack_zstd(zstd, file) if self.compression == "zstd" else codecs.unpack_lz4(file):
                self._base = offset + file.tell()
                yield Chunk(data, offset, fresh)
                fresh = False
        except codecs.MissingCodecError:
            raise  # the file is sound
        except codecs.ERRORS as error:
            raise_system_error(error)
            yield Chunk(b"", offset, fresh, f"damaged compression ({error})"[:_REASON])
            return
        if not is_whole:
            yield Chunk(
                b"",
                offset,
                fresh,
                "the file ends within a compressed record" if size is None else "damaged compression",
            )
        elif fresh:
            yield Chunk(b"", offset, fresh)


def _salvage(inflate: zlib._Decompress, piece: bytes) -> tuple[bytes, int]:
    """Inflate up to the byte that is wrong; return what comes out, and how many bytes of the piece are good."""
    parts = []
    for at in range(len(piece)):
        try:
            parts.append(inflate.decompress(piece[at : at + 1]))
        except zlib.error:
            return b"".join(parts), at
    return b"".join(parts), len(piece)
