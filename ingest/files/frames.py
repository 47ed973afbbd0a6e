"""Where the frames of zstd (RFC 8878) and LZ4 files end, told by their headers alone, without unpacking them.

Crawlers that compress so write one frame for each record, as they write one gzip member. Of each block of a frame only
the few bytes that state its size are looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    Peek = Callable[[int, int], bytes]

ZSTD = b"\x28\xb5\x2f\xfd"
LZ4 = b"\x04\x22\x4d\x18"
_SKIPPED = b"\x2a\x4d\x18"  # of a frame that holds something else, behind a byte from 0x50 to 0x5F
_WINDOW = 1 << 12  # bytes that are looked at together
_ANY = 1 << 62
_RAW, _REPEATED, _COMPRESSED = 0, 1, 2


class Frame(NamedTuple):
    """A frame."""

    size: int  #: bytes, as stored
    skipped: bool = False  #: it holds nothing of the file


def frame(peek: Peek, offset: int, *, blocks: int = _ANY) -> Frame | None:
    """Return the frame that begins at a place of a file; None where none does, or where it does not end in the file.

    Args:
        peek: returns bytes from a place of the file, as many as are asked for, or as there are.
        offset: the place.
        blocks: that are looked at, at most.
    """
    near = _Near(peek)
    head = peek(offset, 32)
    if head.startswith(ZSTD):
        end = _end_of_zstd(near, offset, head, blocks)
    elif head.startswith(LZ4):
        end = _end_of_lz4(near, offset, head, blocks)
    elif head[1:4] == _SKIPPED and 0x50 <= head[0] <= 0x5F and len(head) >= 8:  # noqa: PLR2004 - magic and size
        end = offset + 8 + int.from_bytes(head[4:8], "little")
        return Frame(end - offset, skipped=True) if peek(end - 1, 1) else None
    else:
        return None
    return Frame(end - offset) if end and peek(end - 1, 1) else None


class _Near:
    """Remembers what lies around the place that was looked at: blocks may be a few bytes long."""

    def __init__(self, peek: Peek) -> None:
        self._peek = peek
        self._begin = 0
        self._data = b""

    def peek(self, offset: int, count: int) -> bytes:
        at = offset - self._begin
        if at < 0 or at + count > len(self._data):
            self._begin, self._data, at = offset, self._peek(offset, _WINDOW), 0
        return self._data[at : at + count]


def _end_of_zstd(near: _Near, offset: int, head: bytes, blocks: int) -> int:
    if len(head) < 6:  # noqa: PLR2004 - the shortest header, and something behind it
        return 0
    flags = head[4]
    single = flags >> 5 & 1
    content = (single, 2, 4, 8)[flags >> 6]
    at = offset + 5 + (1 - single) + (0, 1, 2, 4)[flags & 3] + content
    for _ in range(blocks):
        block = near.peek(at, 3)
        if len(block) < 3:  # noqa: PLR2004 - a block's header
            return 0
        word = int.from_bytes(block, "little")
        last, kind, size = word & 1, word >> 1 & 3, word >> 3
        if kind > _COMPRESSED:
            return 0
        at += 3 + (1 if kind == _REPEATED else size)
        if last:
            return at + (4 if flags & 4 else 0)
    return 0


def _end_of_lz4(near: _Near, offset: int, head: bytes, blocks: int) -> int:
    if len(head) < 7 or head[4] >> 6 != 1:  # noqa: PLR2004 - the shortest header; the version
        return 0
    flags = head[4]
    at = offset + 7 + (8 if flags & 8 else 0) + (4 if flags & 1 else 0)
    for _ in range(blocks):
        block = near.peek(at, 4)
        if len(block) < 4:  # noqa: PLR2004 - a block's size
            return 0
        size = int.from_bytes(block, "little") & 0x7FFFFFFF
        at += 4
        if not size:
            return at + (4 if flags & 4 else 0)
        at += size + (4 if flags & 16 else 0)
    return 0
