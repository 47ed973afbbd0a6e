"""Archive files -> pages, in batches that can be stored one by one and continued from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Generic, NamedTuple, TypeVar

from graphlang.ingest.files.byte_ranges import LENGTH, ByteRange, can_be_cut, cut_up, end_of
from graphlang.ingest.files.codecs import refuse_lz4
from graphlang.ingest.formats.detect import Records, open_records
from graphlang.ingest.formats.record_reader import RecordReader
from graphlang.ingest.formats.records import RawRecord
from graphlang.ingest.limits import Limits
from graphlang.ingest.page import Item, Parser, is_candidate
from graphlang.ingest.workers.pool import Group, Pool
from graphlang.ingest.workers.prestart import small
from graphlang.plugins import READERS, found, load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from graphlang.ingest.formats.wacz import Wacz
    from graphlang.ingest.workers.prestart import PrestartedWorkers

_RECORDS = 64  # raw records of a batch at most, of those that may be pages
_BYTES = 4 << 20  # and bytes of them, after which a batch is closed
_PASSED = 4096  # raw records of any kind
_WHOLE = 4 << 20  # bytes of a file, as stored, that one worker reads by itself, whatever its format


@dataclass(frozen=True, slots=True)
class Batch:
    """The next pages of one file."""

    source: int  #: index of the file in the list
    position: int  #: ordinal of the next raw record: pass it to `batches` to read on from there
    bytes_read: int  #: offset in the file, as it is stored, that was reached
    items: list[Item]  #: in the order of the file; a Problem stands before the Page of the same record
    last: bool  #: the file ends here; true for the last batch of each file, which may be empty, and for no other


_Taken = TypeVar("_Taken")


class _Group(NamedTuple, Generic[_Taken]):
    source: int
    raws: int  # raw records that it holds; of a byte range that is known only when it was read
    bytes_read: int  # the same; -1 for a byte range
    taken: list[_Taken]
    last: bool


def batches(
    sources: Sequence[tuple[Path, int]],
    *,
    limits: Limits | None = None,
    workers: int = 1,
    prestarted: PrestartedWorkers | None = None,
) -> Iterator[Batch]:
    """Read archive files, one after the other.

    The items joined together do not depend on the number of workers, nor on where reading was stopped and taken up
    again. A file that cannot be opened or read gives a Problem of kind ``unreadable``; no fault in a file ends the
    reading.

    Args:
        sources: each file, and the position to start from: 0, or the ``position`` of the last Batch that was stored.
        limits: bounds of a record.
        workers: processes that parse; 1 parses in this process, and so do more where the files are small together.
        prestarted: these processes, if they were started already, with the same limits; they end with the reading.

    Raises:
        ValueError: no workers, or a negative position.
        WorkerError: the worker processes cannot be started.
        MissingCodecError: a file is in LZ4, and the extra ``lz4`` is not installed.
        PluginError: a reader of another package was asked for and cannot be loaded.
    """
    if workers < 1:
        raise ValueError("at least one worker is needed")
    for entry in found(READERS).values():
        load(entry)  # one that cannot be loaded is told here, not in each worker
    if any(start < 0 for _, start in sources):
        raise ValueError("a position is the number of a record, from 0")
    refuse_lz4(path for path, _ in sources)
    limits = limits or Limits()
    if workers > 1 and small(path for path, _ in sources):
        workers = 1
    return _here(sources, limits) if workers == 1 else _in_pool(sources, limits, Pool(workers, limits, prestarted))


def _here(sources: Sequence[tuple[Path, int]], limits: Limits) -> Iterator[Batch]:
    parser = Parser(limits)
    with parser.ready():
        for index, (path, start) in enumerate(sources):
            position = start
            for group in _groups(index, path, start, limits, parser.parse):  # while its bytes are in the cache
                position += group.raws
                parser.rest()
                yield Batch(index, position, group.bytes_read, group.taken, group.last)


def _in_pool(sources: Sequence[tuple[Path, int]], limits: Limits, pool: Pool) -> Iterator[Batch]:
    handed: deque[_Group[RawRecord]] = deque()  # what is known of each task that was given and not done

    def tasks() -> Iterator[Group | ByteRange]:
        for index, (path, start) in enumerate(sources):
            for task, group in _tasks(index, path, start, limits):
                handed.append(group)
                yield task

    source, position, reached = -1, 0, 0
    for part in pool.parse(tasks()):
        group = handed[0]
        if group.source != source:
            source = group.source
            position, reached = sources[source][1], 0
        position += part.raws if group.bytes_read < 0 else group.raws
        reached = max(reached, part.bytes_read if group.bytes_read < 0 else group.bytes_read)
        yield Batch(source, position, reached, part.items, last=group.last and part.last)
        if part.last:
            handed.popleft()


def _tasks(index: int, path: Path, start: int, limits: Limits) -> Iterator[tuple[Group | ByteRange, _Group[RawRecord]]]:
    """Cut a file into what the workers get: byte ranges that they read, or else groups of records."""
    following: ByteRange | None = None
    cut: Iterator[ByteRange] = iter(())
    try:
        size = _WHOLE if path.is_dir() else path.stat().st_size
        whole = ByteRange(path, 0, size + 1, exact=True, skip=start)
        if size < _WHOLE:
            cut = iter([whole])
        if size > 2 * LENGTH and path.is_file():
            with path.open("rb", buffering=0) as file:
                if can_be_cut(file):
                    begin, passed = _taken_up(file, path.name, start, limits)
                    cut = cut_up(whole, begin, size, start - passed)
                elif not start and not found(READERS):
                    wacz = _wacz(file, limits)
                    if wacz is not None:
                        yield from _tasks_of_wacz(index, wacz, whole)
                        return
        following = next(cut, None)
    except OSError:
        following = None  # the reading by groups tells what is wrong
    if following is None:
        for group in _groups(index, path, start, limits, lambda raw: [raw]):
            yield Group(group.taken), group._replace(taken=[])
        return
    while following is not None:
        byte_range, following = following, next(cut, None)
        yield byte_range, _Group(index, 0, -1, [], last=following is None)


def _wacz(file: BinaryIO, limits: Limits) -> Wacz | None:
    from graphlang.ingest.formats.wacz import Wacz, is_wacz  # noqa: PLC0415 - most crawls need neither this nor zip files

    return Wacz(file, limits) if is_wacz(file) else None


def _tasks_of_wacz(index: int, wacz: Wacz, whole: ByteRange) -> Iterator[tuple[Group | ByteRange, _Group[RawRecord]]]:
    """Cut the large archives that lie in a WACZ as they are; all else in it is read here."""
    parts = wacz.parts()
    cut: list[ByteRange] = []

    def uncut() -> Iterator[RawRecord]:
        for part in parts:
            if not isinstance(part, Iterator) and not part.is_list and part.size > 2 * LENGTH:
                inside = whole._replace(base=part.begin, size=part.size, name=part.name)
                with inside.opened() as file:
                    if can_be_cut(file):
                        cut.append(inside)
                        return
            yield from wacz.records_of(part)

    while True:
        for group in _grouped(index, wacz, 0, lambda raw: [raw], uncut()):
            yield Group(group.taken), group._replace(taken=[], last=False)
        if not cut:
            break
        inside = cut.pop()
        for byte_range in cut_up(inside, 0, inside.size, 0):
            yield byte_range, _Group(index, 0, -1, [], last=False)
    yield Group([]), _Group(index, 0, whole.stop - 1, [], last=True)


def _taken_up(file: BinaryIO, name: str, start: int, limits: Limits) -> tuple[int, int]:
    """Return where the byte range begins that holds the record of this ordinal, and how many records come before it."""
    begin = passed = 0
    while True:
        reader = RecordReader(file, name, limits, begin=begin, stop=end_of(begin))
        count = sum(1 for _ in reader) if start else 0
        if passed + count >= start or reader.ended is None:
            return begin, passed
        begin = reader.ended
        passed += count


def _groups(
    index: int, path: Path, start: int, limits: Limits, take: Callable[[RawRecord], list[_Taken]]
) -> Iterator[_Group[_Taken]]:
    """Yield what is made of the records of one file from a position on, as much together as one task is to have."""
    try:
        with open_records(path, limits) as reader:
            yield from _grouped(index, reader, start, take, iter(reader))
    except OSError as error:
        taken = [] if start else take(_unreadable(error))
        yield _Group(index, 0 if start else 1, 0, taken, last=True)


def _grouped(
    index: int, reader: Records, start: int, take: Callable[[RawRecord], list[_Taken]], raws: Iterator[RawRecord]
) -> Iterator[_Group[_Taken]]:
    taken: list[_Taken] = []
    count = size = position = 0
    done = start
    while True:
        try:
            raw = next(raws, None)
            reached = reader.bytes_read
        except OSError as error:
            raw, reached = _unreadable(error), 0
            raws = iter(())
        if raw is None:
            break
        position += 1
        if position <= start:
            continue
        if is_candidate(raw):
            taken += take(raw)
            count += 1
            size += len(raw.block)
        if count >= _RECORDS or size >= _BYTES or position - done >= _PASSED:
            yield _Group(index, position - done, reached, taken, last=False)
            taken, count, size, done = [], 0, 0, position
    yield _Group(index, max(position, start) - done, reached, taken, last=True)


def _unreadable(error: OSError) -> RawRecord:
    return RawRecord(0, b"", b"", (("unreadable", f"{error.strerror or error}"),))
