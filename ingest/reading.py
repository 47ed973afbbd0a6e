"""Archive files -> pages, in batches that can be stored one by one and continued from."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Generic, NamedTuple, TypeVar

from .formats import open_records
from .limits import Limits
from .parse import Item, Parser, is_candidate
from .pool import Group, Pool
from .raw import Raw
from .reader import Reader
from .stretch import LENGTH, Stretch, can_be_cut, end_of, stretches
from .team import small

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from .team import Team

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
    position: int
    bytes_read: int
    taken: list[_Taken]
    last: bool


def batches(
    sources: Sequence[tuple[Path, int]], *, limits: Limits | None = None, workers: int = 1, team: Team | None = None
) -> Iterator[Batch]:
    """Read archive files, one after the other.

    The items joined together do not depend on the number of workers, nor on where reading was stopped and taken up
    again. A file that cannot be opened or read gives a Problem of kind ``unreadable``; no fault in a file ends the
    reading.

    Args:
        sources: each file, and the position to start from: 0, or the ``position`` of the last Batch that was stored.
        limits: bounds of a record.
        workers: processes that parse; 1 parses in this process, and so do more where the files are small together.
        team: these processes, if they were started already, with the same limits; they are ended with the reading.

    Raises:
        ValueError: no workers, or a negative position.
        WorkerError: the worker processes cannot be started.
    """
    if workers < 1:
        raise ValueError("at least one worker is needed")
    if any(start < 0 for _, start in sources):
        raise ValueError("a position is the number of a record, from 0")
    limits = limits or Limits()
    if workers > 1 and small(path for path, _ in sources):
        workers = 1
    return _here(sources, limits) if workers == 1 else _in_pool(sources, limits, Pool(workers, limits, team))


def _here(sources: Sequence[tuple[Path, int]], limits: Limits) -> Iterator[Batch]:
    parser = Parser(limits)
    for index, (path, start) in enumerate(sources):
        for group in _groups(index, path, start, limits, parser.parse):  # while its bytes are in the processor's cache
            yield Batch(*group)


def _in_pool(sources: Sequence[tuple[Path, int]], limits: Limits, pool: Pool) -> Iterator[Batch]:
    handed: deque[_Group[Raw]] = deque()  # what is known of each task that was given and not done

    def tasks() -> Iterator[Group | Stretch]:
        for index, (path, start) in enumerate(sources):
            for task, group in _tasks(index, path, start, limits):
                handed.append(group)
                yield task

    position = 0
    for part in pool.parse(tasks()):
        group = handed[0]
        if group.bytes_read >= 0:
            yield Batch(group.source, group.position, group.bytes_read, part.items, group.last)
        else:  # where a stretch stands is known only when all before it are done
            if group.position >= 0:
                position = group.position
                handed[0] = group._replace(position=-1)
            position += part.raws
            yield Batch(group.source, position, part.bytes_read, part.items, last=group.last and part.last)
        if part.last:
            handed.popleft()


def _tasks(index: int, path: Path, start: int, limits: Limits) -> Iterator[tuple[Group | Stretch, _Group[Raw]]]:
    """Cut a file into what the workers get: stretches that they read, or, where it cannot be cut, groups of records."""
    cut: Iterator[Stretch] = iter(())
    try:
        size = _WHOLE if path.is_dir() else path.stat().st_size
        if size < _WHOLE:
            cut = iter([Stretch(path, 0, size + 1, exact=True, skip=start)])
        if size > 2 * LENGTH and path.is_file():
            with path.open("rb", buffering=0) as file:
                if can_be_cut(file):
                    begin, passed = _taken_up(file, path.name, start, limits)
                    cut = stretches(path, begin, size, start - passed)
    except OSError:
        cut = iter(())  # the reading by groups tells what is wrong
    following = next(cut, None)
    if following is None:
        for group in _groups(index, path, start, limits, lambda raw: [raw]):
            yield Group(group.taken), group._replace(taken=[])
        return
    position = start
    while following is not None:
        stretch, following = following, next(cut, None)
        yield stretch, _Group(index, position, -1, [], last=following is None)
        position = -1


def _taken_up(file: BinaryIO, name: str, start: int, limits: Limits) -> tuple[int, int]:
    """Return where the stretch begins that holds the record of this ordinal, and how many records come before it."""
    begin = passed = 0
    while True:
        reader = Reader(file, name, limits, begin=begin, stop=end_of(begin))
        count = sum(1 for _ in reader) if start else 0
        if passed + count >= start or reader.ended is None:
            return begin, passed
        begin = reader.ended
        passed += count


def _groups(
    index: int, path: Path, start: int, limits: Limits, take: Callable[[Raw], list[_Taken]]
) -> Iterator[_Group[_Taken]]:
    """Yield what is made of the records of one file from a position on, as much together as one task is to have."""
    taken: list[_Taken] = []
    position = count = size = passed = 0
    reached = 0
    try:
        with open_records(path, limits) as reader:
            for raw in reader:
                position += 1
                if position <= start:
                    continue
                passed += 1
                if is_candidate(raw):
                    taken += take(raw)
                    count += 1
                    size += len(raw.block)
                if count >= _RECORDS or size >= _BYTES or passed >= _PASSED:
                    yield _Group(index, position, reader.bytes_read, taken, last=False)
                    taken, count, size, passed = [], 0, 0, 0
            reached = reader.bytes_read
    except OSError as error:
        position += 1
        if position > start:
            reason = f"{error.strerror or error}"
            taken += take(Raw(reached, b"", b"", (("unreadable", reason),)))
    yield _Group(index, max(position, start), reached, taken, last=True)
