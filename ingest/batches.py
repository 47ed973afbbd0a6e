"""Archive files -> pages, in batches that can be stored one by one and continued from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from .limits import Limits
from .parse import Item, Parser, is_candidate
from .pool import Pool
from .raw import Raw
from .reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_RECORDS = 64  # raw records of a batch at most, of those that may be pages
_BYTES = 4 << 20  # and bytes of them, after which a batch is closed
_PASSED = 4096  # raw records of any kind


@dataclass(frozen=True, slots=True)
class Batch:
    """The next pages of one file."""

    source: int  #: index of the file in the list
    position: int  #: ordinal of the next raw record: pass it to `batches` to read on from there
    bytes_read: int  #: offset in the file, as it is stored, that was reached
    items: list[Item]  #: in the order of the file; a Problem stands before the Page of the same record
    last: bool  #: the file ends here; true for the last batch of each file, which may be empty, and for no other


class _Group(NamedTuple):
    source: int
    position: int
    bytes_read: int
    raws: list[Raw]
    last: bool


def batches(sources: Sequence[tuple[Path, int]], *, limits: Limits | None = None, workers: int = 1) -> Iterator[Batch]:
    """Read archive files, one after the other.

    The items joined together do not depend on the number of workers, nor on where reading was stopped and taken up
    again. A file that cannot be opened or read gives a Problem of kind ``unreadable``; no fault in a file ends the
    reading.

    Args:
        sources: each file, and the position to start from: 0, or the ``position`` of the last Batch that was stored.
        limits: bounds of a record.
        workers: processes that parse; 1 parses in this process.

    Raises:
        ValueError: no workers, or a negative position.
        WorkerError: the worker processes cannot be started.
    """
    if workers < 1:
        raise ValueError("at least one worker is needed")
    if any(start < 0 for _, start in sources):
        raise ValueError("a position is the number of a record, from 0")
    limits = limits or Limits()
    return _parsed(sources, limits, workers)


def _parsed(sources: Sequence[tuple[Path, int]], limits: Limits, workers: int) -> Iterator[Batch]:
    groups = (group for index, (path, start) in enumerate(sources) for group in _groups(index, path, start, limits))
    if workers == 1:
        parser = Parser(limits)
        for group in groups:
            items = [item for raw in group.raws for item in parser.parse(raw)]
            yield Batch(group.source, group.position, group.bytes_read, items, group.last)
        return
    handed: list[_Group] = []

    def raws() -> Iterator[list[Raw]]:
        for group in groups:
            handed.append(group._replace(raws=[]))
            yield group.raws

    for items in Pool(workers, limits).parse(raws()):
        group = handed.pop(0)
        yield Batch(group.source, group.position, group.bytes_read, items, group.last)


def _groups(index: int, path: Path, start: int, limits: Limits) -> Iterator[_Group]:
    """Yield the records of one file from a position on, as many together as one task is to have."""
    raws: list[Raw] = []
    position = size = passed = 0
    reached = 0
    try:
        with path.open("rb", buffering=0) as file:
            reader = Reader(file, path.name, limits)
            for raw in reader:
                position += 1
                if position <= start:
                    continue
                passed += 1
                if is_candidate(raw):
                    raws.append(raw)
                    size += len(raw.block)
                if len(raws) >= _RECORDS or size >= _BYTES or passed >= _PASSED:
                    yield _Group(index, position, reader.bytes_read, raws, last=False)
                    raws, size, passed = [], 0, 0
            reached = reader.bytes_read
    except OSError as error:
        position += 1
        if position > start:
            reason = f"{error.strerror or error}"
            raws.append(Raw(reached, b"", b"", (("unreadable", reason),)))
    yield _Group(index, max(position, start), reached, raws, last=True)
