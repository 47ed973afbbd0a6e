"""Parse in worker processes, in order, and survive the loss of a worker.

A task is a group of raw records that this process reads, or a byte range of a file that the worker reads itself. The
number of pending tasks, and of answers to each, is bounded, and so is memory.

A worker that dies (killed for its memory, or crashed by a record) is replaced. The remaining records of its task are
parsed again, each alone, and the record that kills a worker again becomes a Problem. So does a record that keeps a
worker busy for minutes.

A byte range that does not begin where the one before it ended is read again from there, like one whose worker died. So
the result is always that of reading the file from its start.
"""

from __future__ import annotations

import time
from collections import deque
from itertools import chain, islice
from queue import Empty
from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang.db.records import Problem
from graphlang.ingest.files.byte_ranges import ByteRange
from graphlang.ingest.formats.detect import open_range
from graphlang.ingest.page import find_target_uri, is_candidate
from graphlang.ingest.workers.process import Process, WorkerError, WorkerResults
from graphlang.ingest.workers.protocol import pack_raw, unpack_item

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphlang.ingest.limits import Limits
    from graphlang.ingest.raw import Item, RawRecord
    from graphlang.ingest.workers.process import PrestartedWorkers

_AHEAD = 2  # pending tasks of one worker
_WINDOW = 8  # tasks for each worker that are pending, or done and not taken yet
_PATIENCE = 300.0  # seconds for one group: it takes less than one, unless a record is an attack
_GROUP = 64  # records


class RecordGroup(NamedTuple):
    """Raw records to parse."""

    raws: Sequence[RawRecord]


class Parsed(NamedTuple):
    """Some items of a task."""

    task: int  #: its ordinal
    items: list[Item]
    raws: int  #: raw records of a byte range that they are from; 0 for a group
    bytes_read: int  #: offset in the file that was reached; 0 for a group
    last: bool  #: the task is done
    failed: bool = False  #: the system could not read its byte range to the end


class _Task:
    def __init__(self, number: int, work: RecordGroup | ByteRange) -> None:
        self.number = number
        self.work = work
        self.worker: Process | None = None
        self.answers: WorkerResults | None = None


class Pool:
    """Some worker processes; those that are not prestarted are started for the first task."""

    def __init__(self, workers: int, limits: Limits, prestarted: PrestartedWorkers | None = None) -> None:
        self._limits = limits
        self._count = workers
        self._prestarted = prestarted if prestarted is not None and prestarted.limits == limits else None
        self._workers: list[Process] = []
        self._window: deque[_Task] = deque()
        self._begun: dict[ByteRange, tuple[Process, WorkerResults]] = {}
        self._reached: int | None = None  # where the byte range before ended

    def parse(self, tasks: Iterator[RecordGroup | ByteRange]) -> Iterator[Parsed]:
        """Yield the items of all tasks, in order; raise WorkerError if no worker can be started."""
        try:
            if self._prestarted is not None:
                self._workers, self._begun = self._prestarted.take(), self._prestarted.begun
            self._workers += [Process(self._limits) for _ in range(self._count - len(self._workers))]
            numbered = enumerate(tasks)
            self._take_over(numbered)
            self._fill(numbered)
            while self._window:
                task = self._window[0]
                for answer in self._results(task):
                    self._fill(numbered)
                    yield answer
                self._window.popleft()
                self._fill(numbered)
        finally:
            for worker in self._workers:
                worker.end()

    def _take_over(self, tasks: Iterator[tuple[int, RecordGroup | ByteRange]]) -> None:
        """Use the byte ranges that are read already as the first tasks, as long as the tasks are the same.

        From the first other task on they are dropped: no task may wait behind a later one in the same worker.
        """
        while self._begun and (numbered := next(tasks, None)) is not None:
            task, begun = _Task(*numbered), len(self._begun)
            self._window.append(task)
            self._assign(task, min(self._workers, key=lambda worker: worker.load))
            if len(self._begun) == begun:
                break
        for _, answers in self._begun.values():
            answers.drop()
        self._begun.clear()

    def _fill(self, tasks: Iterator[tuple[int, RecordGroup | ByteRange]]) -> None:
        """Assign tasks to idle workers, and replace dead ones."""
        for place, worker in enumerate(self._workers):
            if worker.exited:
                self._replace(place)
        while len(self._window) < _WINDOW * self._count:
            worker = min(self._workers, key=lambda worker: worker.load)
            if worker.load >= _AHEAD and self._window:
                return
            numbered = next(tasks, None)
            if numbered is None:
                return
            task = _Task(*numbered)
            self._window.append(task)
            self._assign(task, worker)

    def _assign(self, task: _Task, worker: Process) -> None:
        work = task.work
        if isinstance(work, ByteRange) and work in self._begun:
            task.worker, task.answers = self._begun.pop(work)
            return
        task.worker = worker
        task.answers = worker.submit(
            (str(work.path), *work[1:]) if isinstance(work, ByteRange) else [pack_raw(raw) for raw in work.raws]
        )

    def _replace(self, place: int) -> None:
        """Replace a dead worker."""
        dead = self._workers[place]
        status = dead.status()
        if not dead.answered and status > 0:
            raise WorkerError(f"a worker process ended with status {status} before it did anything")
        dead.end()
        self._workers[place] = Process(self._limits)

    def _results(self, task: _Task) -> Iterator[Parsed]:
        """Yield the items of the first task of the window, also if its worker dies."""
        if isinstance(task.work, RecordGroup):
            answer = self._wait_answer(task)
            if answer is not None:
                yield Parsed(task.number, [unpack_item(item) for item in answer], 0, 0, last=True)
                return
            items = list(chain.from_iterable(self._parse_singly(iter(task.work.raws))))
            yield Parsed(task.number, items, 0, 0, last=True)
            return
        byte_range = task.work
        if not byte_range.exact:
            if self._reached is None or self._reached >= byte_range.stop:  # the byte range before contains this one
                self._drop(task)
                yield Parsed(task.number, [], 0, 0, last=True)
                return
            begin = self._wait_answer(task)
            if begin != self._reached:
                self._drop(task)
                yield from self._reread(task.number, byte_range._replace(begin=self._reached, exact=True))
                return
        done = 0
        while True:
            answer = self._wait_answer(task)
            if answer is None:
                begin = byte_range.begin if byte_range.exact else self._reached or 0
                yield from self._reread(task.number, byte_range._replace(begin=begin, skip=byte_range.skip + done))
                return
            packed, raws, reached, ended, last = answer
            done += raws
            if last:
                self._reached = ended
            yield Parsed(task.number, [unpack_item(item) for item in packed], raws, reached, last=last)
            if last:
                return

    def _drop(self, task: _Task) -> None:
        if task.answers is not None:
            task.answers.drop()

    def _wait_answer(self, task: _Task) -> Any:
        """Wait for an answer to a task; None if its worker has died."""
        if task.answers is None or task.worker is None:
            return None
        while True:
            try:
                return task.answers.get(min(_PATIENCE, 5.0))
            except Empty:
                if time.monotonic() - task.worker.active > _PATIENCE:
                    task.worker.kill()

    def _reread(self, number: int, byte_range: ByteRange) -> Iterator[Parsed]:
        """Read a byte range in this process, and parse each record alone."""
        count = reached = 0
        try:
            with open_range(byte_range, self._limits, byte_range.begin) as reader:
                raws = iter(reader)
                for raw in raws:
                    count += 1
                    reached = reader.bytes_read
                    if count > byte_range.skip:
                        group = [raw, *islice(raws, _GROUP - 1)]
                        count += len(group) - 1
                        items = list(chain.from_iterable(self._parse_singly(iter(group))))
                        yield Parsed(number, items, len(group), reader.bytes_read, last=False)
                self._reached = reader.ended
        except OSError as error:
            self._reached = None  # the next byte ranges of the file are left out
            problem = Problem("unreadable", f"{error.strerror or error}", max(reached, byte_range.begin))
            yield Parsed(number, [problem], 0, reached, last=True, failed=True)
        else:
            yield Parsed(number, [], 0, reader.bytes_read, last=True)

    def _parse_singly(self, raws: Iterator[RawRecord]) -> Iterator[list[Item]]:
        """Parse each record alone, in a worker that it may kill."""
        worker: Process | None = None
        try:
            for raw in raws:
                if not is_candidate(raw):
                    continue
                worker = worker or Process(self._limits)
                task = _Task(0, RecordGroup([raw]))
                self._assign(task, worker)
                since = time.monotonic()
                answer = self._wait_answer(task)
                if answer is not None:
                    yield [unpack_item(item) for item in answer]
                    continue
                status = worker.end()
                worker = None
                reason = f"the process that parsed this record {_describe_death(status)}"
                if time.monotonic() - since > _PATIENCE:
                    reason = f"kept a worker busy for more than {_PATIENCE:.0f} seconds"
                yield [Problem("crashed", reason, raw.offset, find_target_uri(raw))]
        finally:
            if worker is not None:
                worker.end()


def _describe_death(status: int) -> str:
    return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
