"""Cut a file into raw records: one engine for all formats whose records are a header and a block of declared length.

A `Grammar` finds where a record starts, where its header ends and which length the header claims. The engine trusts
none of it: it checks that a record follows where the length ends, and if not it searches for the next record itself.
So one wrong length costs one record, and not the remainder of the file.
"""

from __future__ import annotations

import re
from array import array
from collections import deque
from typing import TYPE_CHECKING, Final

from graphlang.ingest.payload.native import fields as _kernels
from graphlang.ingest.raw import RawRecord, Remainder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.ingest.files.decompress import ByteSource, Chunk
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import Grammar, Pieces

_LEFT: Final = _kernels.FIELDS_LEFT
_ROOM: Final = 1 << 16  # bytes of all parts of an answer
_NEWLINES = b"\r\n"
_BOM = b"\xef\xbb\xbf"  # of an editor, before the first record
_NO_NEWLINE = re.compile(rb"[^\r\n]")
_ENOUGH = 64  # bytes that show any grammar whether a record starts
_ZEROS = bytes(2 << 20)  # more than a chunk: padding and bombs are skipped without a search
_OVERLAP = 16_384  # bytes at the end of the data in which a record may begin


class End:
    """Where to end the reading of an uncompressed file, and where it ended."""

    def __init__(self, stop: int) -> None:
        self.stop = stop  #: records that begin here or later are not read
        self.reached: int | None = None  #: where that is; None at the end of the file


class PlainMembers:
    """Split gzip members that hold one WARC record and nothing else, as nearly all do; for one thread at a time.

    All other members are left to the engine; the tests compare the two.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._parts = bytearray(_ROOM)
        self._places = array("q", (0, 0, 0, 0))

    def read(self, offset: int, member: bytes) -> RawRecord | None:
        r"""Return the record of an unpacked member; None if the member may hold anything else.

        >>> from graphlang.ingest.limits import Limits
        >>> member = b"WARC/1.0\r\nContent-Length: 2\r\n\r\nab\r\n\r\n"
        >>> record = PlainMembers(Limits()).read(7, member)
        >>> record.offset, record.head, record.block
        (7, b'WARC/1.0\r\nContent-Length: 2\r\n\r\n', b'ab')
        >>> PlainMembers(Limits()).read(7, member + member)
        """
        limits, places = self._limits, self._places
        size = _kernels.fields_member(member, limits.max_header, limits.max_payload, self._parts, places)
        if size == _LEFT:
            return None
        head, end, status, body = places
        answer = (bytes(self._parts[:size]), status, body) if size else None
        return RawRecord(offset, member[:head], member[head:end], answer=answer)


class _Buffer:
    """The decompressed bytes of one run, a stretch without damage. A record never crosses the end of a run."""

    def __init__(self, chunks: Iterator[Chunk], grammar: Grammar, source: ByteSource, members: int) -> None:
        self._chunks = chunks
        self._grammar = grammar
        self._next = next(chunks, None)
        self._after: Chunk | None = None  # the chunk after it, if it was read already
        self._marks: deque[tuple[int, int, bool]] = deque()  # of each chunk: position, offset in the file, fresh
        self._base = 0  # position of data[0]
        self._source = source
        self._size = source.size
        self.data = b""
        self.at = 0
        self.fault = self.kind = ""
        self.members = members  # begun so far
        self.over = True

    def take_plain(self, members: PlainMembers) -> RawRecord | None:
        """Return the record of the next chunk, if that is a run without damage; else None, and it stays the next."""
        chunk = self._next
        if chunk is None or chunk.fault:
            return None
        following = self._after = next(self._chunks, None)
        if following is not None and not (following.fresh and self._grammar.starts(following.data, 0)):
            return None
        record = members.read(chunk.offset, chunk.data)
        if record is not None:
            self.members += chunk.fresh
            self._next, self._after = following, None
        return record

    def start_run(self) -> bool:
        """Start with the next chunk; False at the end of the file."""
        if self._next is None:
            return False
        self._base += len(self.data)
        self.data, self.at, self.fault, self.over = b"", 0, "", False
        self._marks.clear()
        self._take()
        return True

    def offset(self, at: int) -> int:
        """Return the offset in the file of an index of the data."""
        position = self._base + at
        while len(self._marks) > 1 and self._marks[1][0] <= position:
            self._marks.popleft()
        first, offset, _ = self._marks[0]
        return offset if self._size is None else offset + position - first

    def starts_member(self, begin: int, end: int) -> bool:
        """Return whether a gzip member starts at one of these indices of the data."""
        return any(fresh and begin <= place - self._base <= end for place, _, fresh in self._marks)

    def may_reach(self, count: int) -> bool:
        """Return whether a record or the end of the file may follow after ``count`` bytes."""
        if self._size is None:
            return True
        end = self.offset(self.at) + count
        if end >= self._size:
            return end == self._size
        following = self._source.peek(end, 4096).lstrip(_NEWLINES)
        return not following or self._grammar.starts(following, 0)

    def need(self, count: int) -> bool:
        """Load at least ``count`` bytes from ``at`` on; False if the run ends before."""
        have = len(self.data) - self.at
        if have >= count or self.over:
            return have >= count
        parts = [self.data[self.at :]] if have else []  # a single chunk is not copied
        self._base += self.at
        while have < count and not self.over:
            chunk = self._take_chunk(have)
            if chunk:
                parts.append(chunk)
                have += len(chunk)
        self.data, self.at = b"".join(parts), 0
        return have >= count

    def skip(self, count: int) -> int:
        """Skip ``count`` bytes without keeping them; return how many are missing because the run ends."""
        while True:
            have = len(self.data) - self.at
            if have >= count:
                self.at += count
                return 0
            count -= have
            self.at = len(self.data)
            if not self.need(1):
                return count

    def _take(self) -> None:
        self.data = self._take_chunk(0)

    def _take_chunk(self, have: int) -> bytes:
        chunk = self._next
        if chunk is None:
            self.over = True
            return b""
        if chunk.fresh:
            self.members += 1
        self._marks.append((self._base + have, chunk.offset, chunk.fresh))
        self.fault, self.kind = chunk.fault, chunk.kind
        following = self._next = self._after or next(self._chunks, None)
        self._after = None
        self.over = (
            bool(chunk.fault) or following is None or (following.fresh and self._grammar.starts(following.data, 0))
        )
        return chunk.data


def read_raw_records(
    chunks: Iterator[Chunk],
    grammar: Grammar,
    limits: Limits,
    source: ByteSource,
    *,
    members: int = 0,
    end: End | None = None,
    plain: PlainMembers | None = None,
) -> Iterator[RawRecord]:
    """Yield every record, and every run of bytes between records, in the order of the file.

    ``chunks`` are the decompressed file. They come from ``source``; an uncompressed one has exact offsets, and can
    peek. ``members`` is the number of gzip members before the first chunk, 2 if there are more. ``end`` is where to end
    before the chunks do, in an uncompressed file. ``plain`` splits members of a compressed WARC file that hold one
    record.
    """
    buffer = _Buffer(chunks, grammar, source, members)
    while True:
        while plain is not None and (record := buffer.take_plain(plain)) is not None:
            yield record
        if (end is not None and end.reached is not None) or not buffer.start_run():
            return
        yield from _read_run(buffer, grammar, limits, end)


def _read_run(buffer: _Buffer, grammar: Grammar, limits: Limits, end: End | None) -> Iterator[RawRecord]:
    reported = False  # the damage at the end of this run is a fault of its last record
    while True:
        _skip_newlines(buffer)
        if not buffer.need(1):
            break
        buffer.need(_ENOUGH)
        if not grammar.starts(buffer.data, buffer.at):
            garbage = _search_record(buffer, grammar)
            if garbage is not None:
                yield garbage
            continue
        if end is not None and buffer.offset(buffer.at) >= end.stop:
            end.reached = buffer.offset(buffer.at)
            return
        record = _read_record(buffer, grammar, limits)
        yield record
        faults = record.faults if record.remainder is None else (*record.faults, *record.remainder.finish())
        reported = buffer.over and buffer.at >= len(buffer.data) and bool(buffer.fault) and bool(faults)
    if buffer.fault and not reported:
        yield RawRecord(buffer.offset(buffer.at), b"", b"", ((buffer.kind, buffer.fault),))


def _skip_newlines(buffer: _Buffer) -> None:
    while buffer.need(1):
        if buffer.data.startswith(_BOM, buffer.at):
            buffer.at += len(_BOM)
            continue
        if buffer.data[buffer.at] not in _NEWLINES:
            return
        buffer.at = _find_line(buffer.data, buffer.at)
        if buffer.at < len(buffer.data):
            return


def _find_line(data: bytes, at: int) -> int:
    match = _NO_NEWLINE.search(data, at)
    return match.start() if match else len(data)


def _search_record(buffer: _Buffer, grammar: Grammar, *, quiet: bool = False) -> RawRecord | None:
    """Move to the next record of the run, or to its end; return the garbage in between, unless it is blank."""
    offset = buffer.offset(buffer.at)
    skipped = 0
    blank = True
    while True:
        zeros = buffer.data[buffer.at :] == _ZEROS[: len(buffer.data) - buffer.at]
        stop = start = -1 if zeros else grammar.find(buffer.data, buffer.at)
        if start < 0:
            # A record may start across the end of the data: keep as much as its start takes.
            stop = len(buffer.data) if buffer.over else max(buffer.at, len(buffer.data) - _OVERLAP)
        blank = blank and (zeros or not buffer.data[buffer.at : stop].strip(b"\0\r\n\t "))
        skipped += stop - buffer.at
        buffer.at = stop
        if start >= 0 or buffer.over:
            break
        buffer.need(len(buffer.data) - buffer.at + 1)
    if blank or quiet:
        return None
    return RawRecord(offset, b"", b"", (("garbage", f"{skipped} bytes that belong to no {grammar.name} record"),))


def _read_record(buffer: _Buffer, grammar: Grammar, limits: Limits) -> RawRecord:
    offset = buffer.offset(buffer.at)
    end = grammar.find_header_end(buffer.data, buffer.at)
    while end < 0 and not buffer.over and len(buffer.data) - buffer.at < limits.max_header:
        buffer.need(2 * (len(buffer.data) - buffer.at) + 1)
        end = grammar.find_header_end(buffer.data, buffer.at)
    if end < 0 or end - buffer.at > limits.max_header:
        size = len(buffer.data) - buffer.at
        cut = buffer.over and size < limits.max_header
        head = buffer.data[buffer.at : buffer.at + 4096]
        _skip_headers(buffer, grammar, limits)
        if cut:
            return RawRecord(
                offset, b"", head, (("truncated", buffer.fault or "the file ends within a record header"),)
            )
        return RawRecord(
            offset, b"", head, (("bad-header", f"a record header of more than {limits.max_header} bytes"),)
        )
    head = buffer.data[buffer.at : end]
    buffer.at = end
    claimed = grammar.read_length(head)
    if claimed is None:
        return _skip_to_next(
            buffer, grammar, limits, RawRecord(offset, head, b""), "the record header states no length"
        )
    return _read_block(buffer, grammar, limits, RawRecord(offset, head, b""), claimed)


def _skip_headers(buffer: _Buffer, grammar: Grammar, limits: Limits) -> None:
    """Move from a header that exceeds its bound to the last record that starts within the bound.

    Headers that start in between do not end within the bound either: to try each would take quadratic time.
    """
    bound = min(len(buffer.data), buffer.at + limits.max_header)
    last = -1
    start = grammar.find(buffer.data, buffer.at + 1)
    while 0 <= start < bound:
        last = start
        start = grammar.find(buffer.data, last + 1)
    if last >= 0:
        buffer.at = last
    else:
        buffer.at += 1
        _search_record(buffer, grammar, quiet=True)


def _read_block(buffer: _Buffer, grammar: Grammar, limits: Limits, record: RawRecord, claimed: int) -> RawRecord:
    """Read the block, and check the claimed length against what follows it."""
    keep = min(claimed, limits.max_payload)
    if claimed > keep and not buffer.may_reach(claimed):
        reason = f"the record header claims {claimed} bytes, where no record ends"
        return _skip_to_next(buffer, grammar, limits, record, reason)
    if not buffer.need(keep):
        return _make_cut_off_record(buffer, grammar, record, claimed)
    if claimed == keep and not _is_followed(buffer, grammar, keep):
        reason = f"the record header claims {claimed} bytes, the next record starts after {{}}"
        return _skip_to_next(buffer, grammar, limits, record, reason)
    block = buffer.data[buffer.at : buffer.at + keep]
    buffer.at += keep
    if claimed == keep:
        return RawRecord(record.offset, record.head, block)
    record = record._replace(block=block)
    if limits.whole:
        return record._replace(remainder=Remainder(_read_length(buffer, grammar, claimed, claimed - keep)))
    missing = buffer.skip(claimed - keep)
    faults = [("too-large", f"a record of {claimed} bytes; the first {keep} were read")]
    if missing:
        faults.append(("truncated", buffer.fault or f"{missing} of the record's bytes are missing"))
    return record._replace(faults=tuple(faults))


def _make_cut_off_record(buffer: _Buffer, grammar: Grammar, record: RawRecord, claimed: int) -> RawRecord:
    """Read a block that is cut off by the end of the run."""
    have = len(buffer.data) - buffer.at
    # In a file compressed record by record the end of the member is the end of the record. Elsewhere a length that is
    # too large would swallow all the records that follow.
    if buffer.members <= 1:
        start = grammar.find(buffer.data, buffer.at)
        if start >= 0:
            block = buffer.data[buffer.at : start].rstrip(_NEWLINES)
            buffer.at = start
            reason = f"the record header claims {claimed} bytes, the next record starts after {len(block)}"
            return record._replace(block=block, faults=(("bad-length", reason),))
    block = buffer.data[buffer.at :]
    buffer.at = len(buffer.data)
    reason = buffer.fault or f"{claimed - have} of the record's {claimed} bytes are missing"
    return record._replace(block=block, faults=(("truncated", reason),))


def _is_followed(buffer: _Buffer, grammar: Grammar, size: int) -> bool:
    """Return whether a record, its end or the end of the run follows after ``size`` bytes, without a copy."""
    buffer.need(size + _OVERLAP + _ENOUGH)
    data, begin = buffer.data, buffer.at + size
    at = _find_line(data, begin)
    if at < len(data) and buffer.starts_member(begin, at):
        return True  # a record that ends where its member ends is sound, whatever the next member holds
    if at - begin > _OVERLAP:
        return True  # padding, and too much of it to keep in memory
    # If the end of a record follows, this one is sound, and the next one is damaged.
    return at >= len(data) or grammar.starts(data, at) or bool(grammar.end and data.startswith(grammar.end, begin))


def _skip_to_next(buffer: _Buffer, grammar: Grammar, limits: Limits, record: RawRecord, reason: str) -> RawRecord:
    """Read up to the next record; ``{}`` in the reason becomes the number of bytes that are kept."""
    remainder = Remainder(_read_until_next(buffer, grammar))
    block = remainder.read(limits.max_payload)
    is_longer = limits.whole and not remainder.is_over
    if not is_longer:
        remainder.finish()
        block = block.rstrip(_NEWLINES)
    return record._replace(
        block=block, remainder=remainder if is_longer else None, faults=(("bad-length", reason.format(len(block))),)
    )


def _read_until_next(buffer: _Buffer, grammar: Grammar) -> Pieces:
    """Yield all bytes before the next record, without the line ends between the two."""
    newlines = b""  # part of the block, or the end of the record
    while True:
        stop = start = grammar.find(buffer.data, buffer.at)
        if start < 0:
            stop = len(buffer.data) if buffer.over else max(buffer.at, len(buffer.data) - _OVERLAP)
        piece = newlines + buffer.data[buffer.at : stop]
        buffer.at = stop
        is_last = start >= 0 or buffer.over
        end = len(piece.rstrip(_NEWLINES))
        if not is_last and len(piece) - end > _OVERLAP:
            end = len(piece)  # too many to be line ends
        newlines = piece[end:]
        yield piece[:end]
        if is_last:
            return ()
        buffer.need(len(buffer.data) - buffer.at + 1)


def _read_length(buffer: _Buffer, grammar: Grammar, claimed: int, missing: int) -> Pieces:
    """Yield the ``missing`` last bytes of a block with a claimed length; whether a record follows is checked then."""
    while missing and buffer.need(1):
        piece = buffer.data[buffer.at : buffer.at + missing]
        buffer.at += len(piece)
        missing -= len(piece)
        yield piece
    if missing:
        return (("truncated", buffer.fault or f"{missing} of the record's {claimed} bytes are missing"),)
    if not _is_followed(buffer, grammar, 0):
        return (("bad-length", f"the record header claims {claimed} bytes, where no record ends"),)
    return ()
