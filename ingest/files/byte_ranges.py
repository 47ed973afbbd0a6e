"""Find where a large archive can be cut, so that several processes each unpack and read one byte range of it.

Files that are not compressed can be cut, and files whose gzip members or frames (zstd, LZ4) hold one record each, as
nearly all crawls do. A file compressed as a whole cannot: what its middle unpacks to depends on all bytes before.
A cut is a guess, namely the first place after an offset where a record seems to begin, and an archive within an
archive can deceive it. The caller must therefore check that each byte range begins where the one before it ended.
"""

from __future__ import annotations

import re
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from graphlang.ingest.files import codecs
from graphlang.ingest.files.codecs import LZ4, ZSTD, find_frame
from graphlang.ingest.files.decompress import COUNTED, MEMBER, detect_compression
from graphlang.ingest.files.file_slice import FileSlice, peek
from graphlang.ingest.formats.record_reader import GRAMMARS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphlang.ingest.raw import Grammar

LENGTH = COUNTED  #: bytes of a byte range, as stored
_READ = 1 << 16
_OVERLAP = 1 << 14  # bytes that show a record's header
_HEAD = 1 << 12  # bytes of a gzip member, as stored, that show its first record
_FRAME_HEAD = (1 << 17) + 64  # the same of a frame: a block is unpacked as a whole
_TRIALS = 1_000  # of a byte range: a magic comes by chance once in 100 MB; more of them are an attack
_BLOCKS = 100  # of a frame that is tried; a record of more megabytes than that begins no byte range
_MAGICS = {"gzip": MEMBER, "zstd": re.compile(re.escape(ZSTD)), "lz4": re.compile(re.escape(LZ4))}


class ByteRange(NamedTuple):
    """A part of an archive."""

    path: Path
    begin: int  #: where it begins
    stop: int  #: it ends with the last record that begins before this place
    exact: bool  #: a record begins at ``begin``; else the first one after it is searched
    skip: int = 0  #: raw records to skip
    base: int = 0  #: where the archive begins in the file; ``begin`` and ``stop`` count from there
    size: int = -1  #: bytes of the archive, if it is a part of the file
    name: str = ""  #: of the archive, if it is a part of the file

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the archive."""
        with self.path.open("rb", buffering=0) as file:
            yield file if self.size < 0 else cast("BinaryIO", FileSlice(file, self.base, self.size))


def find_range_stop(begin: int) -> int:
    """Return the stop of the byte range that begins at a place."""
    return (begin // LENGTH + 1) * LENGTH


def cut_ranges(whole: ByteRange, begin: int, size: int, skip: int) -> Iterator[ByteRange]:
    """Cut an archive of ``size`` bytes from a record on; the first byte range is exact and skips ``skip`` records."""
    stop = find_range_stop(begin)
    yield whole._replace(begin=begin, stop=stop, exact=True, skip=skip)
    for at in range(stop, size, LENGTH):
        yield whole._replace(begin=at, stop=at + LENGTH, exact=False, skip=0)


def is_splittable(file: BinaryIO) -> bool:
    """Return whether a file begins with a record, and has another one in the next few byte ranges."""
    head = peek(file, 0, _HEAD)
    kind = detect_compression(head)
    if kind and kind not in _MAGICS:
        return False
    begins = bool(_MAGICS[kind].match(head)) and _begins_record(file, 0) if kind else _find_grammar(head) is not None
    return begins and find_record(file, 1, 8 * LENGTH) is not None


def find_record(file: BinaryIO, begin: int, stop: int) -> int | None:
    """Return the first offset in ``[begin, stop)`` where a record seems to begin; None if there is none.

    Offsets are those of the archive as stored. Of files that cannot be cut the answer is None.
    """
    head = peek(file, 0, _HEAD)
    kind = detect_compression(head)
    if kind:
        return _find_packed(file, _MAGICS[kind], begin, stop)
    grammar = _find_grammar(head)
    return _find_plain(file, grammar, begin, stop) if grammar is not None else None


def _find_grammar(head: bytes) -> Grammar | None:
    start = head.lstrip(b"\r\n")
    return next((grammar for grammar in GRAMMARS if grammar.starts(start, 0)), None)


def _find_packed(file: BinaryIO, magic: re.Pattern[bytes], begin: int, stop: int) -> int | None:
    trials = 0
    at = begin
    while at < stop:
        window = peek(file, at, min(_READ, stop - at + 3))
        for match in magic.finditer(window):
            trials += 1
            if _begins_record(file, at + match.start()):
                return at + match.start()
            if trials > _TRIALS:
                return None
        if len(window) <= 3:  # noqa: PLR2004 - the magic but for its last byte
            return None
        at += len(window) - 3
    return None


def _begins_record(file: BinaryIO, offset: int) -> bool:
    """Return whether the gzip member or frame at an offset begins with a record."""
    head = peek(file, offset, _HEAD)
    kind = detect_compression(head)
    try:
        if kind == "gzip":
            first = zlib.decompressobj(31).decompress(head, 64)
        else:
            frame = find_frame(lambda at, count: peek(file, at, count), offset, blocks=_BLOCKS)
            if frame is None or frame.skipped:
                return False
            first = codecs.unpack_head(kind, peek(file, offset, min(frame.size, _FRAME_HEAD)), 64)
    except (zlib.error, *codecs.ERRORS):
        return False
    return any(grammar.starts(first, 0) for grammar in GRAMMARS)


def _find_plain(file: BinaryIO, grammar: Grammar, begin: int, stop: int) -> int | None:
    at = max(1, begin)
    while at < stop:
        # From the byte before, which must end a line.
        window = peek(file, at - 1, _READ + _OVERLAP)
        index = grammar.find(window, 1)
        if 0 <= index <= _READ:
            place = at - 1 + index
            return place if place < stop else None
        if len(window) < _READ + _OVERLAP:
            return None
        at += _READ
    return None
