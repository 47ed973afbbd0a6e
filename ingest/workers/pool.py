"""Parses in worker processes, in order, and survives the loss of a worker.

A task is a group of raw records that were read here, or a byte range of a file that the worker reads itself.
Few tasks are under way at a time, and few answers are kept of each, so that memory is bounded whatever the speeds are.

A worker that dies (killed for its memory, or crashed by a record) is replaced; what was left of the task that it died
of is parsed again in groups, and the group that kills a worker again record by record, and the record that does is told
in a Problem. So is a record that keeps a worker busy for minutes.

Where a byte range turns out not to begin where the one before it ended, it is read again from there, like one whose
worker died: what comes out is always what reading the file from its start would give.
"""

from __future__ import annotations

import time
from collections import deque
from itertools import islice
from queue import Empty
from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang.db.records import Problem
from graphlang.ingest.files.byte_ranges import ByteRange
from graphlang.ingest.formats.detect import open_range
from graphlang.ingest.page import is_candidate, target_uri
from graphlang.ingest.workers.process import Answers, Process, WorkerError
from graphlang.ingest.workers.protocol import pack_raw, unpack_item

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphlang.ingest.formats.records import RawRecord
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.page import Item
    from graphlang.ingest.workers.prestart import PrestartedWorkers

_AHEAD = 2  # tasks under way in one worker
_WINDOW = 8  # tasks for each worker that are under way, or done and not taken yet
_PATIENCE = 300.0  # seconds for one group: it takes less than one, unless something in it was made to take for ever
_GROUP = 64  # records

__all__ = ["Group", "Parsed", "Pool", "WorkerError"]


class Group(NamedTuple):
    """Raw records that are to be parsed."""

    raws: Sequence[RawRecord]


class Parsed(NamedTuple):
    """Some of the items of a task."""

    task: int  #: its ordinal
    items: list[Item]
    raws: int  #: raw records of a byte range that were read for them; 0 for a group
    bytes_read: int  #: offset in the file that was reached; 0 for a group
    last: bool  #: the task is done


class _Task:
    def __init__(self, number: int, what: Group | ByteRange) -> None:
        self.number = number
        self.what = what
        self.worker: Process | None = None
        self.answers: Answers | None = None


class Pool:
    """Worker processes that parse.

    Args:
        workers: how many.
        limits: bounds of a record.
        prestarted: processes that were started already; as many as are missing are started when they are needed.
    """

    def __init__(self, workers: int, limits: Limits, prestarted: PrestartedWorkers | None = None) -> None:
        self._limits = limits
        self._count = workers
        self._prestarted = prestarted if prestarted is not None and prestarted.limits == limits else None
        self._workers: list[Process] = []
        self._window: deque[_Task] = deque()
        self._begun: dict[ByteRange, tuple[Process, Answers]] = {}
        self._reached: int | None = None  # where the byte range before ended

    def parse(self, tasks: Iterator[Group | ByteRange]) -> Iterator[Parsed]:
        """Yield the items of all tasks, in their order.

        Raises:
            WorkerError: no worker can be started.
        """
        try:
            if self._prestarted is not None:
                self._workers, self._begun = self._prestarted.take(), self._prestarted.begun
            self._workers += [Process(self._limits) for _ in range(self._count - len(self._workers))]
            numbered = enumerate(tasks)
            self._take_over(numbered)
            self._fill(numbered)
            while self._window:
                task = self._window[0]
                for part in self._results(task):
                    self._fill(numbered)
                    yield part
                self._window.popleft()
                self._fill(numbered)
        finally:
            for worker in self._workers:
                worker.end()

    def _take_over(self, tasks: Iterator[tuple[int, Group | ByteRange]]) -> None:
        """Take what was begun as the first tasks, as far as it is what they are.

        From the first other task on it is dropped: no task may be waited for behind a later one in the same worker.
        """
        while self._begun and (following := next(tasks, None)) is not None:
            task, left = _Task(*following), len(self._begun)
            self._window.append(task)
            self._give(task, min(self._workers, key=lambda one: one.load))
            if len(self._begun) == left:
                break
        for _, answers in self._begun.values():
            answers.drop()
        self._begun.clear()

    def _fill(self, tasks: Iterator[tuple[int, Group | ByteRange]]) -> None:
        """Give the workers what they can take, and replace those that are gone."""
        for place, worker in enumerate(self._workers):
            if worker.gone:
                self._replace(place)
        while len(self._window) < _WINDOW * self._count:
            worker = min(self._workers, key=lambda one: one.load)
            if worker.load >= _AHEAD and self._window:
                return
            following = next(tasks, None)
            if following is None:
                return
            task = _Task(*following)
            self._window.append(task)
            self._give(task, worker)

    def _give(self, task: _Task, worker: Process) -> None:
        what = task.what
        if isinstance(what, ByteRange) and what in self._begun:
            task.worker, task.answers = self._begun.pop(what)
            return
        task.worker = worker
        task.answers = worker.give(
            (str(what.path), *what[1:]) if isinstance(what, ByteRange) else [pack_raw(raw) for raw in what.raws]
        )

    def _replace(self, place: int) -> None:
        """Put a new worker in the place of a dead one."""
        dead = self._workers[place]
        status = dead.status()
        if not dead.answered and status > 0:
            raise WorkerError(f"a worker process ended with status {status} before it did anything")
        dead.end()
        self._workers[place] = Process(self._limits)

    def _results(self, task: _Task) -> Iterator[Parsed]:
        """Yield what comes of the first task of the window, whatever happens to its worker."""
        if isinstance(task.what, Group):
            answer = self._heard(task)
            if answer is not None:
                yield Parsed(task.number, [unpack_item(item) for item in answer], 0, 0, last=True)
                return
            items = [item for part in self._carefully(iter(task.what.raws)) for item in part]
            yield Parsed(task.number, items, 0, 0, last=True)
            return
        byte_range = task.what
        if not byte_range.exact:
            if self._reached is None or self._reached >= byte_range.stop:  # the byte range before took this one in
                self._drop(task)
                yield Parsed(task.number, [], 0, 0, last=True)
                return
            began = self._heard(task)
            if began != self._reached:
                self._drop(task)
                yield from self._alone(task.number, byte_range._replace(begin=self._reached, exact=True))
                return
        done = 0
        while True:
            answer = self._heard(task)
            if answer is None:
                begin = byte_range.begin if byte_range.exact else self._reached or 0
                yield from self._alone(task.number, byte_range._replace(begin=begin, skip=byte_range.skip + done))
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

    def _heard(self, task: _Task) -> Any:
        """Wait for an answer to a task; None when there will be none, as its worker is gone."""
        if task.answers is None or task.worker is None:
            return None
        while True:
            try:
                return task.answers.get(min(_PATIENCE, 5.0))
            except Empty:
                if time.monotonic() - task.worker.heard > _PATIENCE:
                    task.worker.kill()

    def _alone(self, number: int, byte_range: ByteRange) -> Iterator[Parsed]:
        """Read a byte range here, and have it parsed with care."""
        passed = 0
        try:
            with open_range(byte_range, self._limits, byte_range.begin) as reader:
                raws = iter(reader)
                for raw in raws:
                    passed += 1
                    if passed > byte_range.skip:
                        group = [raw, *islice(raws, _GROUP - 1)]
                        passed += len(group) - 1
                        items = [item for part in self._carefully(iter(group)) for item in part]
                        yield Parsed(number, items, len(group), reader.bytes_read, last=False)
                self._reached = reader.ended
        except OSError as error:
            self._reached = None  # the rest of the file counts as read
            told = [Problem("unreadable", f"{error.strerror or error}", 0)] if passed >= byte_range.skip else []
            yield Parsed(number, [*told], len(told), 0, last=True)
        else:
            yield Parsed(number, [], 0, reader.bytes_read, last=True)

    def _carefully(self, raws: Iterator[RawRecord]) -> Iterator[list[Item]]:
        """Parse records each alone, in a worker that may die of any of them."""
        worker: Process | None = None
        try:
            for raw in raws:
                if not is_candidate(raw):
                    continue
                worker = worker or Process(self._limits)
                task = _Task(0, Group([raw]))
                self._give(task, worker)
                since = time.monotonic()
                answer = self._heard(task)
                if answer is not None:
                    yield [unpack_item(item) for item in answer]
                    continue
                status = worker.end()
                worker = None
                how = f"the process that parsed this record {_death(status)}"
                if time.monotonic() - since > _PATIENCE:
                    how = f"kept a worker busy for more than {_PATIENCE:.0f} seconds"
                yield [Problem("crashed", how, raw.offset, target_uri(raw))]
        finally:
            if worker is not None:
                worker.end()


def _death(status: int) -> str:
    return f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
