"""Read archive files to batches of pages; reading can resume after each batch."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Generic, NamedTuple, TypeVar

from graphlang.arguments import check_arguments, flag, worker_count
from graphlang.ingest.files.byte_ranges import LENGTH, ByteRange, cut_ranges, find_range_stop, is_splittable
from graphlang.ingest.files.codecs import refuse_lz4
from graphlang.ingest.files.discover import expand_paths
from graphlang.ingest.formats.detect import open_records
from graphlang.ingest.formats.record_reader import RecordReader
from graphlang.ingest.limits import Limits, check_limits
from graphlang.ingest.page import Parser, is_candidate
from graphlang.ingest.raw import Item, RawRecord, RecordStream
from graphlang.ingest.workers.pool import Pool, RecordGroup
from graphlang.ingest.workers.process import are_small
from graphlang.plugins import READERS, list_plugins, load_plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from graphlang.db.records import Page, Problem
    from graphlang.ingest.formats.packed_archives import Wacz
    from graphlang.ingest.workers.process import PrestartedWorkers

_RECORDS = 64  # candidates for pages in a batch, at most
_BYTES = 4 << 20  # of them, after which a batch is closed
_RAWS = 4096  # raw records of any kind
_WHOLE = 4 << 20  # bytes of a file, as stored, below which it is one task, whatever its format


@dataclass(frozen=True, slots=True)
class Batch:
    """The next pages of one file."""

    source: int  #: index of the file in the list
    position: int  #: ordinal of the next raw record: `iterate_batches` can start there
    bytes_read: int  #: offset in the file, as it is stored, that was reached
    items: list[Item]  #: in the order of the file; a Problem comes before the Page of the same record
    last: bool  #: whether reading the file ends here; such a batch may be empty
    failed: bool = False  #: of the last batch: the system could not read the file to its end


_T = TypeVar("_T")


class _Group(NamedTuple, Generic[_T]):
    source: int
    raws: int  # raw records in it; a byte range returns the number with its items
    bytes_read: int  # -1 for a byte range, which returns it as well
    results: list[_T]
    last: bool
    failed: bool = False


def iterate_batches(
    sources: Sequence[tuple[Path, int]],
    *,
    limits: Limits | None = None,
    workers: int = 1,
    prestarted: PrestartedWorkers | None = None,
) -> Iterator[Batch]:
    """Read archive files, one after the other.

    The items in all batches do not depend on the number of workers, nor on where reading was interrupted. A file that
    cannot be opened or read gives a Problem of kind ``unreadable``; no fault in a file ends the reading.

    ``sources`` has each file, and the position to start from: 0, or the ``position`` of its last Batch. ``workers``
    processes parse; with 1, or if all files are small, this process parses. ``prestarted`` processes, started with the
    same limits, end with the reading.

    Raise a ValueError for no workers or a negative position, a WorkerError if the worker processes cannot be started, a
    MissingCodecError or an OSError if the extra for LZ4 or PDF is needed and not installed, a PluginError if a reader
    of another package cannot be loaded.
    """
    if workers < 1:
        raise ValueError("at least one worker is needed")
    for entry in list_plugins(READERS).values():
        load_plugin(entry)  # an error is raised here, and not in each worker
    if any(start < 0 for _, start in sources):
        raise ValueError("a position is the number of a record, from 0")
    refuse_lz4(path for path, _ in sources)
    limits = limits or Limits()
    if limits.pdf:
        from graphlang.ingest.read_payload import require_pypdf  # noqa: PLC0415 - an extra

        require_pypdf()
    if workers > 1 and are_small(path for path, _ in sources):
        workers = 1
    return (
        _read_here(sources, limits)
        if workers == 1
        else _read_in_pool(sources, limits, Pool(workers, limits, prestarted))
    )


def _read_here(sources: Sequence[tuple[Path, int]], limits: Limits) -> Iterator[Batch]:
    parser = Parser(limits)
    with parser.hold_timer():
        for index, (path, start) in enumerate(sources):
            position = start
            for group in _read_groups(index, path, start, limits, parser.parse):  # while its bytes are in the cache
                position += group.raws
                parser.pause()
                yield Batch(index, position, group.bytes_read, group.results, group.last, group.failed)


def _read_in_pool(sources: Sequence[tuple[Path, int]], limits: Limits, pool: Pool) -> Iterator[Batch]:
    pending: deque[_Group[RawRecord]] = deque()  # of the tasks that are not done

    def iterate_tasks() -> Iterator[RecordGroup | ByteRange]:
        for index, (path, start) in enumerate(sources):
            for task, group in _make_tasks(index, path, start, limits):
                pending.append(group)
                yield task

    source, position, reached, failed = -1, 0, 0, False
    for answer in pool.parse(iterate_tasks()):
        group = pending[0]
        if group.source != source:
            source = group.source
            position, reached, failed = sources[source][1], 0, False
        position += answer.raws if group.bytes_read < 0 else group.raws
        reached = max(reached, answer.bytes_read if group.bytes_read < 0 else group.bytes_read)
        failed = failed or group.failed or answer.failed
        last = group.last and answer.last
        yield Batch(source, position, reached, answer.items, last, last and failed)
        if answer.last:
            pending.popleft()


def _make_tasks(
    index: int, path: Path, start: int, limits: Limits
) -> Iterator[tuple[RecordGroup | ByteRange, _Group[RawRecord]]]:
    """Cut a file into tasks: byte ranges that workers read, or else groups of records."""
    next_range: ByteRange | None = None
    cut: Iterator[ByteRange] = iter(())
    try:
        size = _WHOLE if path.is_dir() else path.stat().st_size
        whole = ByteRange(path, 0, size + 1, exact=True, skip=start)
        if size < _WHOLE:
            cut = iter([whole])
        if size > 2 * LENGTH and path.is_file():
            with path.open("rb", buffering=0) as file:
                if is_splittable(file):
                    begin, skipped = _find_start(file, path.name, start, limits)
                    cut = cut_ranges(whole, begin, size, start - skipped)
                elif not start and not list_plugins(READERS):
                    wacz = _open_wacz(file, limits)
                    if wacz is not None:
                        yield from _make_wacz_tasks(index, wacz, whole)
                        return
        next_range = next(cut, None)
    except OSError:
        next_range = None  # reading by groups reports the error
    if next_range is None:
        for group in _read_groups(index, path, start, limits, lambda raw: [raw]):
            yield RecordGroup(group.results), group._replace(results=[])
        return
    while next_range is not None:
        byte_range, next_range = next_range, next(cut, None)
        yield byte_range, _Group(index, 0, -1, [], last=next_range is None)


def _open_wacz(file: BinaryIO, limits: Limits) -> Wacz | None:
    from graphlang.ingest.formats.packed_archives import Wacz, is_wacz  # noqa: PLC0415 - most crawls need neither this nor zip files

    return Wacz(file, limits) if is_wacz(file) else None


def _make_wacz_tasks(
    index: int, wacz: Wacz, whole: ByteRange
) -> Iterator[tuple[RecordGroup | ByteRange, _Group[RawRecord]]]:
    """Cut the large archives that are stored uncompressed in a WACZ; all else in it is read in this process."""
    entries = wacz.list_parts()
    cut: list[ByteRange] = []

    def read_uncut() -> Iterator[RawRecord]:
        for entry in entries:
            if not isinstance(entry, Iterator) and not entry.is_list and entry.size > 2 * LENGTH:
                inside = whole._replace(base=entry.begin, size=entry.size, name=entry.name)
                with inside.open() as file:
                    if is_splittable(file):
                        cut.append(inside)
                        return
            yield from wacz.read_part(entry)

    failed = False
    while not failed:
        for group in _read_group(index, wacz, 0, lambda raw: [raw], read_uncut()):
            failed = group.failed
            yield RecordGroup(group.results), group._replace(results=[], last=False)
        if not cut:
            break
        inside = cut.pop()
        for byte_range in cut_ranges(inside, 0, inside.size, 0):
            yield byte_range, _Group(index, 0, -1, [], last=False)
    yield RecordGroup([]), _Group(index, 0, whole.stop - 1, [], last=True)


def _find_start(file: BinaryIO, name: str, start: int, limits: Limits) -> tuple[int, int]:
    """Return the begin of the byte range with the record of this ordinal, and the number of records before it."""
    begin = skipped = 0
    while True:
        reader = RecordReader(file, name, limits, begin=begin, stop=find_range_stop(begin))
        count = sum(1 for _ in reader) if start else 0
        if skipped + count >= start or reader.ended is None:
            return begin, skipped
        begin = reader.ended
        skipped += count


def _read_groups(
    index: int, path: Path, start: int, limits: Limits, process: Callable[[RawRecord], list[_T]]
) -> Iterator[_Group[_T]]:
    """Yield the results of ``process`` for the records of one file from a position on, in groups of a task's size."""
    try:
        with open_records(path, limits) as reader:
            yield from _read_group(index, reader, start, process, iter(reader))
    except OSError as error:
        yield _Group(index, 0, 0, process(_make_fault(error, 0)), last=True, failed=True)


def _read_group(
    index: int, reader: RecordStream, start: int, process: Callable[[RawRecord], list[_T]], raws: Iterator[RawRecord]
) -> Iterator[_Group[_T]]:
    results: list[_T] = []
    count = size = position = 0
    done = start
    failed = False
    while True:
        try:
            raw = next(raws, None)
        except OSError as error:
            results += process(_make_fault(error, reader.bytes_read))
            raw, failed = None, True
        reached = reader.bytes_read
        if raw is None:
            break
        position += 1
        if position <= start:
            continue
        if is_candidate(raw):
            results += process(raw)
            count += 1
            size += len(raw.block)
        if count >= _RECORDS or size >= _BYTES or position - done >= _RAWS:
            yield _Group(index, position - done, reached, results, last=False)
            results, count, size, done = [], 0, 0, position
    yield _Group(index, max(position, start) - done, reached, results, last=True, failed=failed)


def _make_fault(error: OSError, offset: int) -> RawRecord:
    """Return a fault that is no record: the next reading begins with the record that could not be read."""
    return RawRecord(offset, b"", b"", (("unreadable", f"{error.strerror or error}"),))


@check_arguments(workers=worker_count, follow_links=flag)
def read(
    *files: str | Path, limits: Limits | None = None, workers: int = 1, follow_links: bool = False
) -> Iterator[Page | Problem]:
    """Read the pages of archive files, one after the other.

    Args:
        files: archives, or folders that hold them, in any format that `graphlang ingest` reads.
        limits: how much of a page is kept, see `Limits`.
        workers: processes that parse; the pages and their order are the same with any number.
        follow_links: whether symbolic links within folders are followed.

    Yields:
        Each `Page`; and a `Problem` for each record that could not be read, or not whole, before the page of it.

    Raises:
        OSError: a file or folder does not exist.
        TypeError: an argument of another type.
        ValueError: `workers` is not within 1 and 256.
    """
    bounds = check_limits(limits)
    sources = [(path, 0) for path in expand_paths(files, follow_links=follow_links)]
    for batch in iterate_batches(sources, limits=bounds, workers=workers):
        yield from batch.items
