"""Archive file -> raw records, one engine for every format whose records are a header and a block of stated length.

A format says where a record starts, where its header ends and how long the block claims to be (see `Grammar`); this
module believes none of it. It checks that a record follows where the length says, and where not it looks for the next
record itself, so that one lie costs one record and never the rest of the file.
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING, NamedTuple, Protocol

from graphlang.ingest.formats.rest import Rest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphlang.ingest.files.decompress import Chunk, Source
    from graphlang.ingest.formats.rest import Pieces
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.page import Item

_NEWLINES = b"\r\n"
_NO_NEWLINE = re.compile(rb"[^\r\n]")
_ENOUGH = 64  # bytes that show any grammar whether a record starts
_ZEROS = bytes(2 << 20)  # more than a chunk: what padding and bombs are made of is passed over without a look
_OVERLAP = 16_384  # bytes at the end of the data in which a record may have begun


class RawRecord(NamedTuple):
    """One raw record, or (without header) a stretch of the file that is no record."""

    offset: int  #: in the file: of the record, or of the gzip member that it starts in
    head: bytes  #: the record's header with its line ends
    block: bytes  #: what follows the header, at most ``Limits.max_payload`` bytes
    faults: tuple[tuple[str, str], ...] = ()  #: kind and reason of each Problem that the reading met
    item: Item | None = None  #: for formats that hold pages rather than records: what was read, and nothing else
    rest: Rest | None = None  #: what follows ``block``, with ``Limits.whole``; to be taken before the next record
    #: of an answer of HTTP that was taken apart along with the record: its parts, its status, where its payload begins
    answer: tuple[bytes, int, int] | None = None


class End:
    """Where the reading of a file that is not compressed is to end, and where it did."""

    def __init__(self, stop: int) -> None:
        self.stop = stop  #: the first record at or behind this place is not read any more
        self.reached: int | None = None  #: where that is; None at the end of the file


class Grammar(Protocol):
    """What the engine must know of a format."""

    name: str  #: for the words of a Problem
    end: bytes  #: what stands behind every block, if that is more than any text may hold; else nothing

    def starts(self, data: bytes, at: int) -> bool:
        """Tell whether a record starts at this place.

        Args:
            data: decompressed bytes.
            at: index of a byte.
        """

    def find(self, data: bytes, at: int) -> int:
        """Return the index of the next start of a record amid damage, or -1; stricter than `starts`, and fast.

        Args:
            data: decompressed bytes.
            at: where to begin to look.
        """

    def header_end(self, data: bytes, at: int) -> int:
        """Return the index behind the header of the record that starts at ``at``, or -1 where it goes on.

        Args:
            data: decompressed bytes.
            at: where the record starts.
        """

    def length(self, head: bytes) -> int | None:
        """Return the length of the block that the header claims; None where it claims none."""


class _Buffer:
    """The decompressed bytes of one run: a stretch without damage. A record never reaches over the end of a run."""

    def __init__(self, chunks: Iterator[Chunk], grammar: Grammar, source: Source, members: int) -> None:
        self._chunks = chunks
        self._grammar = grammar
        self._next = next(chunks, None)
        self._after: Chunk | None = None  # what follows that, where it was looked at
        self._marks: deque[tuple[int, int, bool]] = deque()  # a chunk's position, its offset in the file, fresh or not
        self._base = 0  # position of data[0]
        self._source = source
        self._size = source.size
        self.data = b""
        self.at = 0
        self.fault = self.kind = ""
        self.members = members  # that were begun
        self.over = True

    def take_alone(self, read: Callable[[int, bytes], RawRecord | None]) -> RawRecord | None:
        """Take the next chunk, if it is a sound run by itself that this reads; else None, and it is still the next."""
        chunk = self._next
        if chunk is None or chunk.fault:
            return None
        following = self._after = next(self._chunks, None)
        if following is not None and not (following.fresh and self._grammar.starts(following.data, 0)):
            return None
        record = read(chunk.offset, chunk.data)
        if record is not None:
            self.members += chunk.fresh
            self._next, self._after = following, None
        return record

    def start_run(self) -> bool:
        """Begin with the next chunk; False at the end of the file."""
        if self._next is None:
            return False
        self._base += len(self.data)
        self.data, self.at, self.fault, self.over = b"", 0, "", False
        self._marks.clear()
        self._take()
        return True

    def offset(self, at: int) -> int:
        """Return the place in the file of an index of the data."""
        position = self._base + at
        while len(self._marks) > 1 and self._marks[1][0] <= position:
            self._marks.popleft()
        first, offset, _ = self._marks[0]
        return offset if self._size is None else offset + position - first

    def starts_member(self, begin: int, end: int) -> bool:
        """Tell whether a gzip member starts at one of these indices of the data."""
        return any(fresh and begin <= place - self._base <= end for place, _, fresh in self._marks)

    def may_reach(self, count: int) -> bool:
        """Tell whether a record or the end of the file follows these many bytes, as far as that can be seen."""
        if self._size is None:
            return True
        end = self.offset(self.at) + count
        if end >= self._size:
            return end == self._size
        following = self._source.peek(end, 4096).lstrip(_NEWLINES)
        return not following or self._grammar.starts(following, 0)

    def need(self, count: int) -> bool:
        """Have at least this many bytes from ``at`` on; False if the run ends before."""
        have = len(self.data) - self.at
        if have >= count or self.over:
            return have >= count
        parts = [self.data[self.at :]] if have else []  # one chunk alone is not copied
        self._base += self.at
        while have < count and not self.over:
            chunk = self._take_chunk(have)
            if chunk:
                parts.append(chunk)
                have += len(chunk)
        self.data, self.at = b"".join(parts), 0
        return have >= count

    def skip(self, count: int) -> int:
        """Move on by this many bytes without keeping them; returns how many could not be skipped as the run ended."""
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


def raw_records(
    chunks: Iterator[Chunk],
    grammar: Grammar,
    limits: Limits,
    source: Source,
    *,
    members: int = 0,
    end: End | None = None,
    plain: Callable[[int, bytes], RawRecord | None] | None = None,
) -> Iterator[RawRecord]:
    """Yield every record, and every stretch that is none, in the order of the file.

    Args:
        chunks: the decompressed file.
        grammar: the format.
        limits: bounds of a record.
        source: where the chunks come from; an uncompressed one tells offsets to the byte, and what lies ahead.
        members: gzip members before the first chunk, as far as it matters: more than one is like two.
        end: where to end before the chunks do, in an uncompressed file.
        plain: of a compressed file, what reads the record in a member that holds it alone, given its offset: as it is
            read here, or not at all.
    """
    buffer = _Buffer(chunks, grammar, source, members)
    while True:
        while plain is not None and (record := buffer.take_alone(plain)) is not None:
            yield record
        if (end is not None and end.reached is not None) or not buffer.start_run():
            return
        yield from _run(buffer, grammar, limits, end)


def _run(buffer: _Buffer, grammar: Grammar, limits: Limits, end: End | None) -> Iterator[RawRecord]:
    told = False  # the damage at the end of this run was told along with a record
    while True:
        _skip_newlines(buffer)
        if not buffer.need(1):
            break
        buffer.need(_ENOUGH)
        if not grammar.starts(buffer.data, buffer.at):
            garbage = _hunt(buffer, grammar)
            if garbage is not None:
                yield garbage
            continue
        if end is not None and buffer.offset(buffer.at) >= end.stop:
            end.reached = buffer.offset(buffer.at)
            return
        record = _record(buffer, grammar, limits)
        yield record
        faults = record.faults if record.rest is None else (*record.faults, *record.rest.finish())
        told = buffer.over and buffer.at >= len(buffer.data) and bool(buffer.fault) and bool(faults)
    if buffer.fault and not told:
        yield RawRecord(buffer.offset(buffer.at), b"", b"", ((buffer.kind, buffer.fault),))


def _skip_newlines(buffer: _Buffer) -> None:
    while buffer.need(1):
        if buffer.data[buffer.at] not in _NEWLINES:
            return
        buffer.at = _behind_newlines(buffer.data, buffer.at)
        if buffer.at < len(buffer.data):
            return


def _behind_newlines(data: bytes, at: int) -> int:
    found = _NO_NEWLINE.search(data, at)
    return found.start() if found else len(data)


def _hunt(buffer: _Buffer, grammar: Grammar, *, quiet: bool = False) -> RawRecord | None:
    """Move to the next record of the run, or to its end; returns what is to be told of the bytes passed over."""
    offset = buffer.offset(buffer.at)
    passed = 0
    blank = True
    while True:
        zeros = buffer.data[buffer.at :] == _ZEROS[: len(buffer.data) - buffer.at]
        stop = found = -1 if zeros else grammar.find(buffer.data, buffer.at)
        if found < 0:
            # A record may start across the end of the data: keep as much as it takes to be known.
            stop = len(buffer.data) if buffer.over else max(buffer.at, len(buffer.data) - _OVERLAP)
        blank = blank and (zeros or not buffer.data[buffer.at : stop].strip(b"\0\r\n\t "))
        passed += stop - buffer.at
        buffer.at = stop
        if found >= 0 or buffer.over:
            break
        buffer.need(len(buffer.data) - buffer.at + 1)
    if blank or quiet:
        return None
    return RawRecord(offset, b"", b"", (("garbage", f"{passed} bytes that belong to no {grammar.name} record"),))


def _record(buffer: _Buffer, grammar: Grammar, limits: Limits) -> RawRecord:
    offset = buffer.offset(buffer.at)
    end = grammar.header_end(buffer.data, buffer.at)
    while end < 0 and not buffer.over and len(buffer.data) - buffer.at < limits.max_header:
        buffer.need(2 * (len(buffer.data) - buffer.at) + 1)
        end = grammar.header_end(buffer.data, buffer.at)
    if end < 0 or end - buffer.at > limits.max_header:
        size = len(buffer.data) - buffer.at
        cut = buffer.over and size < limits.max_header
        head = buffer.data[buffer.at : buffer.at + 4096]
        _pass_headers(buffer, grammar, limits)
        if cut:
            return RawRecord(
                offset, b"", head, (("truncated", buffer.fault or "the file ends within a record header"),)
            )
        return RawRecord(
            offset, b"", head, (("bad-header", f"a record header of more than {limits.max_header} bytes"),)
        )
    head = buffer.data[buffer.at : end]
    buffer.at = end
    claimed = grammar.length(head)
    if claimed is None:
        return _until_next(buffer, grammar, limits, RawRecord(offset, head, b""), "the record header states no length")
    return _block(buffer, grammar, limits, RawRecord(offset, head, b""), claimed)


def _pass_headers(buffer: _Buffer, grammar: Grammar, limits: Limits) -> None:
    """Move on from a header that does not end within its bound, to the last record that starts within these bytes.

    No header of those that start before it ends there either: to look at each would take time by the square.
    """
    bound = min(len(buffer.data), buffer.at + limits.max_header)
    last = -1
    found = grammar.find(buffer.data, buffer.at + 1)
    while 0 <= found < bound:
        last = found
        found = grammar.find(buffer.data, last + 1)
    if last >= 0:
        buffer.at = last
    else:
        buffer.at += 1
        _hunt(buffer, grammar, quiet=True)


def _block(buffer: _Buffer, grammar: Grammar, limits: Limits, record: RawRecord, claimed: int) -> RawRecord:
    """Read the block, and check the claimed length against what follows it."""
    keep = min(claimed, limits.max_payload)
    if claimed > keep and not buffer.may_reach(claimed):
        reason = f"the record header claims {claimed} bytes, where no record ends"
        return _until_next(buffer, grammar, limits, record, reason)
    if not buffer.need(keep):
        return _cut_off(buffer, grammar, record, claimed)
    if claimed == keep and not _followed(buffer, grammar, keep):
        reason = f"the record header claims {claimed} bytes, the next record starts after {{}}"
        return _until_next(buffer, grammar, limits, record, reason)
    block = buffer.data[buffer.at : buffer.at + keep]
    buffer.at += keep
    if claimed == keep:
        return RawRecord(record.offset, record.head, block)
    record = record._replace(block=block)
    if limits.whole:
        return record._replace(rest=Rest(_stated(buffer, grammar, claimed, claimed - keep)))
    missing = buffer.skip(claimed - keep)
    faults = [("too-large", f"a record of {claimed} bytes; the first {keep} were read")]
    if missing:
        faults.append(("truncated", buffer.fault or f"{missing} of the record's bytes are missing"))
    return record._replace(faults=tuple(faults))


def _cut_off(buffer: _Buffer, grammar: Grammar, record: RawRecord, claimed: int) -> RawRecord:
    """Read a block that the run ends in."""
    have = len(buffer.data) - buffer.at
    # In a file compressed record by record the end of the member is the end of the record. Elsewhere a length that is
    # too large would swallow all the records that follow.
    if buffer.members <= 1:
        found = grammar.find(buffer.data, buffer.at)
        if found >= 0:
            block = buffer.data[buffer.at : found].rstrip(_NEWLINES)
            buffer.at = found
            reason = f"the record header claims {claimed} bytes, the next record starts after {len(block)}"
            return record._replace(block=block, faults=(("bad-length", reason),))
    block = buffer.data[buffer.at :]
    buffer.at = len(buffer.data)
    reason = buffer.fault or f"{claimed - have} of the record's {claimed} bytes are missing"
    return record._replace(block=block, faults=(("truncated", reason),))


def _followed(buffer: _Buffer, grammar: Grammar, size: int) -> bool:
    """Tell whether a record or its end follows these many bytes, or the end of the run; nothing is copied."""
    buffer.need(size + _OVERLAP + _ENOUGH)
    data, begin = buffer.data, buffer.at + size
    at = _behind_newlines(data, begin)
    if at < len(data) and buffer.starts_member(begin, at):
        return True  # a record that ends where its member ends is sound, whatever comes in the next
    if at - begin > _OVERLAP:
        return True  # padding, and too much of it to keep while looking what comes behind
    # With the end of a record behind it this one is sound, and what follows is damaged.
    return at >= len(data) or grammar.starts(data, at) or bool(grammar.end and data.startswith(grammar.end, begin))


def _until_next(buffer: _Buffer, grammar: Grammar, limits: Limits, record: RawRecord, reason: str) -> RawRecord:
    """Read up to the next record that can be told.

    Args:
        buffer: at the block.
        grammar: the format.
        limits: no more is kept, or handed out at once, than they allow.
        record: without its block.
        reason: why its length is not believed; ``{}`` in it is the number of bytes that were kept.
    """
    rest = Rest(_pieces_until_next(buffer, grammar))
    block = rest.read(limits.max_payload)
    more = limits.whole and not rest.is_over
    if not more:
        rest.finish()
        block = block.rstrip(_NEWLINES)
    return record._replace(
        block=block, rest=rest if more else None, faults=(("bad-length", reason.format(len(block))),)
    )


def _pieces_until_next(buffer: _Buffer, grammar: Grammar) -> Pieces:
    """Yield what lies before the next record, without the line ends between the two."""
    held = b""
    while True:
        stop = found = grammar.find(buffer.data, buffer.at)
        if found < 0:
            stop = len(buffer.data) if buffer.over else max(buffer.at, len(buffer.data) - _OVERLAP)
        piece = held + buffer.data[buffer.at : stop]
        buffer.at = stop
        is_last = found >= 0 or buffer.over
        end = len(piece.rstrip(_NEWLINES))
        if not is_last and len(piece) - end > _OVERLAP:
            end = len(piece)  # too many to be line ends
        held = piece[end:]
        yield piece[:end]
        if is_last:
            return ()
        buffer.need(len(buffer.data) - buffer.at + 1)


def _stated(buffer: _Buffer, grammar: Grammar, claimed: int, missing: int) -> Pieces:
    """Yield what is left of a block that is as long as its header claims; whether it is shows behind it."""
    while missing and buffer.need(1):
        piece = buffer.data[buffer.at : buffer.at + missing]
        buffer.at += len(piece)
        missing -= len(piece)
        yield piece
    if missing:
        return (("truncated", buffer.fault or f"{missing} of the record's {claimed} bytes are missing"),)
    if not _followed(buffer, grammar, 0):
        return (("bad-length", f"the record header claims {claimed} bytes, where no record ends"),)
    return ()
