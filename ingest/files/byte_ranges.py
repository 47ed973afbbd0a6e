"""Where a large archive can be cut, so that several processes each unpack and read a byte range of it.

Files can be cut whose gzip members or frames (zstd, LZ4) hold one record each, as nearly all crawls are, and files that
are not compressed. One that was compressed as a whole can not: what comes out of its middle depends on all before. The
cut is first a guess: the first place behind a given offset where a record seems to begin. An archive within an archive
can deceive it, so that whoever joins the byte ranges must check that each begins where the one before it ended.
"""

from __future__ import annotations

import re
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, cast

from graphlang.ingest.files import codecs
from graphlang.ingest.files.decompress import COUNTED, MEMBER, compression
from graphlang.ingest.files.file_slice import FileSlice, peek
from graphlang.ingest.files.frames import LZ4, ZSTD, frame
from graphlang.ingest.formats.record_reader import GRAMMARS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphlang.ingest.formats.records import Grammar

LENGTH = COUNTED  #: bytes of a byte range, as stored
_READ = 1 << 16
_OVERLAP = 1 << 14  # bytes in which a record's header shows itself
_TRIED = 1 << 12  # bytes of a member, as stored, that show what it begins with
_TRIED_OF_FRAMES = (1 << 17) + 64  # of a frame: a block is unpacked as a whole
_TRIALS = 1_000  # of a byte range: a magic comes by chance once in 100 MB; who makes more of it does so on purpose
_BLOCKS = 100  # of a frame that is tried; a record of more megabytes than that begins no byte range
_MAGICS = {"gzip": MEMBER, "zstd": re.compile(re.escape(ZSTD)), "lz4": re.compile(re.escape(LZ4))}


class ByteRange(NamedTuple):
    """A part of an archive."""

    path: Path
    begin: int  #: nothing before it is looked at
    stop: int  #: the byte range ends with the last record that begins before
    exact: bool  #: whether a record begins at ``begin``; else the first one behind it is looked for
    skip: int = 0  #: raw records to pass over
    base: int = 0  #: where the archive begins in the file; the places above count from there
    size: int = -1  #: bytes of the archive, where it is a part of the file
    name: str = ""  #: of the archive, where it is a part of the file

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Open the archive."""
        with self.path.open("rb", buffering=0) as file:
            yield file if self.size < 0 else cast("BinaryIO", FileSlice(file, self.base, self.size))


def end_of(begin: int) -> int:
    """Return the stop of the byte range that begins at a place."""
    return (begin // LENGTH + 1) * LENGTH


def cut_up(whole: ByteRange, begin: int, size: int, skip: int) -> Iterator[ByteRange]:
    """Cut an archive from a place on where a record begins; the first byte range is exact.

    Args:
        whole: the archive; its path, base, size and name are those of all byte ranges.
        begin: where a record begins, counted from the archive's first byte.
        size: bytes of the archive.
        skip: raw records to pass over in the first byte range.

    Yields:
        The byte ranges, from the first on, each but the first inexact.
    """
    stop = end_of(begin)
    yield whole._replace(begin=begin, stop=stop, exact=True, skip=skip)
    for at in range(stop, size, LENGTH):
        yield whole._replace(begin=at, stop=at + LENGTH, exact=False, skip=0)


def can_be_cut(file: BinaryIO) -> bool:
    """Tell whether the file begins with a record, and another one can be found in the next few byte ranges."""
    head = peek(file, 0, _TRIED)
    kind = compression(head)
    if kind and kind not in _MAGICS:
        return False
    begins = bool(_MAGICS[kind].match(head)) and _begins_record(file, 0) if kind else _grammar(head) is not None
    return begins and find_record(file, 1, 8 * LENGTH) is not None


def find_record(file: BinaryIO, begin: int, stop: int) -> int | None:
    """Return the first offset from ``begin`` on, before ``stop``, where a record seems to begin.

    Args:
        file: an archive, as stored.
        begin: the least offset that counts.
        stop: offsets from here on do not count.

    Returns:
        The offset; None where there is no such place, or the file is of no kind that can be cut.
    """
    head = peek(file, 0, _TRIED)
    kind = compression(head)
    if kind:
        return _find_packed(file, _MAGICS[kind], begin, stop)
    grammar = _grammar(head)
    return _find_plain(file, grammar, begin, stop) if grammar is not None else None


def _grammar(head: bytes) -> Grammar | None:
    start = head.lstrip(b"\r\n")
    return next((grammar for grammar in GRAMMARS if grammar.starts(start, 0)), None)


def _find_packed(file: BinaryIO, magic: re.Pattern[bytes], begin: int, stop: int) -> int | None:
    trials = 0
    at = begin
    while at < stop:
        window = peek(file, at, min(_READ, stop - at + 3))
        for found in magic.finditer(window):
            trials += 1
            if _begins_record(file, at + found.start()):
                return at + found.start()
            if trials > _TRIALS:
                return None
        if len(window) <= 3:  # noqa: PLR2004 - the magic but for its last byte
            return None
        at += len(window) - 3
    return None


def _begins_record(file: BinaryIO, offset: int) -> bool:
    """Tell whether what is compressed from a place on begins with a record."""
    head = peek(file, offset, _TRIED)
    kind = compression(head)
    try:
        if kind == "gzip":
            first = zlib.decompressobj(31).decompress(head, 64)
        else:
            found = frame(lambda at, count: peek(file, at, count), offset, blocks=_BLOCKS)
            if found is None or found.skipped:
                return False
            first = codecs.beginning(kind, peek(file, offset, min(found.size, _TRIED_OF_FRAMES)), 64)
    except (zlib.error, *codecs.ERRORS):
        return False
    return any(grammar.starts(first, 0) for grammar in GRAMMARS)


def _find_plain(file: BinaryIO, grammar: Grammar, begin: int, stop: int) -> int | None:
    at = max(1, begin)
    while at < stop:
        # From the byte before, which must end a line.
        window = peek(file, at - 1, _READ + _OVERLAP)
        found = grammar.find(window, 1)
        if 0 <= found <= _READ:
            place = at - 1 + found
            return place if place < stop else None
        if len(window) < _READ + _OVERLAP:
            return None
        at += _READ
    return None
