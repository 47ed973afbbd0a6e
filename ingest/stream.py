"""A file as a sequence of decompressed chunks, whatever it is compressed with and however damaged it is.

gzip is inflated here rather than by a library's archive reader, because three things must be known of every member that
such readers do not tell: where it starts in the file, whether it ended as it should, and what came out of it before
it broke. zstd and LZ4 go through fastwarc's readers, one frame at a time.
"""

from __future__ import annotations

import io
import re
import zlib
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from fastwarc.stream_io import Lz4Reader, ZstdReader

from .frames import LZ4, ZSTD, frame
from .span import Span, peek, size_of

if TYPE_CHECKING:
    from collections.abc import Iterator


def _fastest_zlib() -> Any:
    """Return isal's drop-in for zlib, which inflates twice as fast, where it is installed."""
    try:
        return import_module("isal.isal_zlib")
    except ImportError:
        return zlib


_FAST = _fastest_zlib()
_READ = 1 << 18  # bytes read from the file at once
_FEED = 1 << 14  # compressed bytes handed to zlib at once: what lies behind a member's end is copied each time
_OUT = 1 << 20  # decompressed bytes of one chunk at most
MEMBER = re.compile(rb"\x1f\x8b\x08[\x00-\x1f]")  # RFC 1952: magic, deflate, and flags whose reserved bits are zero
_MAGICS = {"zstd": re.compile(re.escape(ZSTD)), "lz4": re.compile(re.escape(LZ4))}
_TRIALS = 50  # of a megabyte, for frames behind damage; who makes more of it does so on purpose
_LOOKED_AT = 1_000  # blocks of such a frame
_PADDED = 1 << 16
_PADDING = b"\0\r\n\t "
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # the frame of WARC-zstd that others depend on


class Chunk(NamedTuple):
    """Some decompressed bytes."""

    data: bytes
    offset: int  #: where in the file they are: their first byte (plain), or the gzip member or frame that holds them
    fresh: bool = False  #: a gzip member or a frame starts here
    fault: str = ""  #: what broke right after these bytes; the next chunk is not their continuation


def compression(head: bytes) -> str:
    """Name the compression of a file by its first bytes: ``gzip``, ``zstd``, ``lz4``, or an empty string.

    >>> compression(b"WARC/1.1")
    ''
    """
    if head.startswith(b"\x1f\x8b"):
        return "gzip"
    if head.startswith((ZSTD, _DICTIONARY)):
        return "zstd"
    if head.startswith(LZ4):
        return "lz4"
    return ""


class Source:
    """A file that is read once, from its start to its end.

    Args:
        file: opened for reading bytes, unbuffered or not.
        begin: where to start: 0, or the offset of a gzip member, of a frame, or of a record.
    """

    def __init__(self, file: BinaryIO, begin: int = 0) -> None:
        self._file = file
        if begin:
            file.seek(begin)
        self._window = b""  # bytes read from the file, of which those before _at are done with
        self._at = 0
        self._tried = (-1, 0)  # megabyte, and frames looked for in it
        self._base = begin  # offset in the file of the window's first byte
        self._refill()
        self.compression = compression(self._window)

    @property
    def size(self) -> int | None:
        """Bytes of the decompressed file, where that is known beforehand: where it is not compressed."""
        if self.compression:
            return None
        return size_of(self._file)

    def peek(self, offset: int, count: int) -> bytes:
        """Return bytes from any place of the file as it is stored; reading goes on where it was."""
        return peek(self._file, offset, count)

    @property
    def reached(self) -> int:
        """Offset in the file up to which bytes were consumed."""
        return self._base + self._at

    def chunks(self) -> Iterator[Chunk]:
        """Yield the decompressed bytes in order; damage is told in a chunk's ``fault``, and reading goes on behind."""
        if self.compression == "gzip":
            return self._gzip()
        if self.compression:
            return self._frames()
        return self._plain()

    def _refill(self) -> bool:
        """Put more of the file behind what the window still holds; False at the end of the file."""
        # Up to a multiple of the step, so that the same pieces of a member are seen wherever the reading began.
        more = self._file.read(_READ - (self._base + len(self._window)) % _READ)
        if not more:
            return False
        self._base += self._at
        self._window = self._window[self._at :] + more
        self._at = 0
        return True

    def _plain(self) -> Iterator[Chunk]:
        while self._at < len(self._window) or self._refill():
            data, offset = self._window[self._at :], self.reached
            self._at = len(self._window)
            yield Chunk(data, offset)

    def _gzip(self) -> Iterator[Chunk]:
        broken = False  # what lies behind a damaged member is the rest of it
        while True:
            start = self.reached
            found, blank = self._find_member()
            if not (blank or broken):
                yield Chunk(b"", start, fault=f"{self.reached - start} bytes that are not gzip")
            if not found:
                return
            for chunk in self._member():
                # What gives nothing behind damage is the rest of that, whatever it looks like.
                if not (broken and chunk.fault and not chunk.data):
                    yield chunk
                broken = bool(chunk.fault)

    def _find_member(self) -> tuple[bool, bool]:
        """Move to the next gzip member or the end of the file: whether there is one, and only padding before it."""
        blank = True
        while True:
            more = len(self._window) - self._at >= 4 or self._refill()  # noqa: PLR2004 - the length of the magic
            found = MEMBER.search(self._window, self._at) if more else None
            kept = 3 if more else 0  # a magic may have begun
            stop = found.start() if found else max(self._at, len(self._window) - kept)
            blank = blank and not self._window[self._at : stop].strip(_PADDING)
            self._at = stop
            if found or not more:
                return found is not None, blank

    def _member(self) -> Iterator[Chunk]:
        """Inflate one member; a damaged one is read a second time, slowly, for all that can be saved of it."""
        offset = self.reached
        done = 0  # decompressed bytes that were handed out
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
                yield from self._damaged(offset, done, fresh=fresh)
                return
            rest = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
            self._at += len(piece) - len(rest)
            parts.append(data)
            size += len(data)
            if size >= _OUT:
                yield Chunk(b"".join(parts), offset, fresh)
                done += size
                fresh, size, parts = False, 0, []
        yield Chunk(b"".join(parts), offset, fresh)

    def _damaged(self, offset: int, done: int, *, fresh: bool) -> Iterator[Chunk]:
        """Inflate a damaged member up to the very byte that is wrong.

        Its first ``done`` bytes were handed out before. Reading goes on behind that byte: no member starts before it.
        """
        self._file.seek(offset)
        self._window, self._at, self._base = b"", 0, offset
        inflate = zlib.decompressobj(31)
        good = True
        while good and not inflate.eof and (self._at < len(self._window) or self._refill()):
            piece = self._window[self._at : self._at + _FEED]
            saved = inflate.copy()
            try:
                data = inflate.decompress(piece, _OUT)
                self._at += len(piece) - len(inflate.unconsumed_tail)
            except zlib.error:
                data, used = _salvage(saved, piece)
                self._at += used
                good = False
            fault = "" if good else "damaged compression"
            if len(data) > done or fault:
                yield Chunk(data[done:], offset, fresh, fault)
                fresh = False
            done = max(0, done - len(data))
        self._at += 4 if self.reached == offset else 0  # the magic itself is not found again

    def _frames(self) -> Iterator[Chunk]:
        """Unpack zstd or LZ4 frame by frame; one that is damaged costs no more than itself."""
        offset = self._base
        dictionary = self._window.startswith(_DICTIONARY)
        self._window, self._at = b"", 0
        broken = False
        while self.peek(offset, 1):
            found = None if dictionary else frame(self.peek, offset)
            if found:
                end: int | None = offset + found.size
            else:
                # Frames that need the dictionary at the start of their file, or what is damaged.
                end = None if dictionary else self._next_frame(offset + 1)
            size = None if end is None else end - offset
            if not (found.skipped if found else self._is_padding(offset, size)):
                for chunk in self._unpacked(offset, size):
                    # What is no frame, and gives nothing behind damage, is the rest of that.
                    if found or not (broken and chunk.fault and not chunk.data):
                        yield chunk
                    broken = bool(chunk.fault)
            if end is None:
                return
            offset = self._base = end

    def _is_padding(self, offset: int, size: int | None) -> bool:
        """Tell whether all of it, or of the rest of the file, is padding; of much that is not looked at."""
        data = self.peek(offset, _PADDED if size is None else min(size, _PADDED))
        return len(data) < _PADDED and not data.strip(_PADDING)

    def _next_frame(self, at: int) -> int | None:
        """Return where the first whole frame behind damage begins."""
        while True:
            window = self.peek(at, _READ + 3)
            for found in _MAGICS[self.compression].finditer(window):
                place = at + found.start()
                if place >> 20 != self._tried[0]:
                    self._tried = (place >> 20, 0)
                self._tried = (place >> 20, self._tried[1] + 1)
                if self._tried[1] <= _TRIALS and frame(self.peek, place, blocks=_LOOKED_AT):
                    return place
            if len(window) < _READ + 3:
                return None
            at += _READ

    def _unpacked(self, offset: int, size: int | None) -> Iterator[Chunk]:
        """Unpack one frame, or all that is left."""
        if size is not None and size <= _OUT:
            file: Any = io.BytesIO(self.peek(offset, size))
        else:
            file = Span(self._file, offset, size_of(self._file) - offset if size is None else size)
        reader = (ZstdReader if self.compression == "zstd" else Lz4Reader)(file)
        fresh = True
        while True:
            start = offset + (reader.frame_start_position() or 0) if size is None else offset
            try:
                data = reader.read(_READ)
            except (OSError, ValueError) as error:
                lost = "" if size is not None else "; the rest of the file is lost"
                yield Chunk(b"", start, fresh, f"damaged compression ({error}){lost}")
                return
            self._base = offset + reader.inner_tell()
            if not data:
                return
            yield Chunk(data, start, fresh)
            fresh = False


def _salvage(inflate: zlib._Decompress, piece: bytes) -> tuple[bytes, int]:
    """Inflate up to the very byte that is wrong: what comes out, and how many bytes of the piece were good."""
    parts = []
    for at in range(len(piece)):
        try:
            parts.append(inflate.decompress(piece[at : at + 1]))
        except zlib.error:
            return b"".join(parts), at
    return b"".join(parts), len(piece)
