"""Where a large archive can be cut, so that several processes each inflate and read a stretch of it.

Only files whose gzip members hold one record each can be cut, as nearly all crawls are. The cut is first a guess: the
first place behind a given offset where a gzip member seems to begin a record. An archive within an archive can
deceive it, so that whoever joins the stretches must check that each begins where the one before it ended.
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from .reader import GRAMMARS
from .stream import MEMBER

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LENGTH = 1 << 20  #: bytes of a stretch, as stored
_READ = 1 << 16
_OVERLAP = 3  # bytes of a member's magic that may stand before the end of what was read
_TRIED = 1 << 12  # bytes of a member, as stored, that show what it begins with
_TRIALS = 1_000  # of a stretch: gzip's magic comes by chance once in 100 MB; who makes more of it does so on purpose


class Stretch(NamedTuple):
    """A part of a file."""

    path: Path
    begin: int  #: nothing before it is looked at
    stop: int  #: the stretch ends with the last record that begins before
    exact: bool  #: whether a record begins at ``begin``; else the first one behind it is looked for
    skip: int = 0  #: raw records to pass over


def end_of(begin: int) -> int:
    """Return the stop of the stretch that begins at a place."""
    return (begin // LENGTH + 1) * LENGTH


def stretches(path: Path, begin: int, size: int, skip: int) -> Iterator[Stretch]:
    """Cut a file from a place on where a record begins; the first stretch is exact."""
    stop = end_of(begin)
    yield Stretch(path, begin, stop, exact=True, skip=skip)
    for at in range(stop, size, LENGTH):
        yield Stretch(path, at, at + LENGTH, exact=False)


def can_be_cut(file: BinaryIO) -> bool:
    """Tell whether the file begins with a compressed record, and another one begins in the next few stretches."""
    return _begins_record(file, 0) and find_record(file, 1, 8 * LENGTH) is not None


def find_record(file: BinaryIO, begin: int, stop: int) -> int | None:
    """Return the first offset from ``begin`` on, before ``stop``, where a gzip member seems to begin a record."""
    trials = 0
    at = begin
    while at < stop:
        window = os.pread(file.fileno(), min(_READ, stop - at + _OVERLAP), at)
        for found in MEMBER.finditer(window):
            trials += 1
            if _begins_record(file, at + found.start()):
                return at + found.start()
            if trials > _TRIALS:
                return None
        if len(window) <= _OVERLAP:
            return None
        at += len(window) - _OVERLAP
    return None


def _begins_record(file: BinaryIO, offset: int) -> bool:
    data = os.pread(file.fileno(), _TRIED, offset)
    try:
        head = zlib.decompressobj(31).decompress(data, 64)
    except zlib.error:
        return False
    return any(grammar.starts(head, 0) for grammar in GRAMMARS)
