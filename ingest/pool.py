"""Parses groups of records in worker processes, in order, and survives the loss of a worker.

Each worker is a child process with one pipe each way. At most two groups are under way in a worker (one that it
parses, one that it has at hand), and at most three for each worker in all, so that memory is bounded whatever the
speeds are. A worker that dies (killed for its memory, or crashed by a record) is replaced; the group that it died of
is parsed again record by record, and the record that kills a worker again is told in a Problem. So is a record that
keeps a worker busy for minutes.
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import threading
import time
from collections import deque
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from graphlang.db.records import Problem

from .parse import target_uri
from .wire import pack_raw, read_frame, unpack_item, write_frame

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .limits import Limits
    from .parse import Item
    from .raw import Raw

_AHEAD = 2  # groups under way in one worker
_PATIENCE = 300.0  # seconds for one group: it takes less than one, unless something in it was made to take for ever


class WorkerError(RuntimeError):
    """Worker processes cannot be started on this machine."""


class _Worker:
    """One child process; what it answers, and its end, are put into the queue that all workers share."""

    def __init__(self, limits: Limits, answers: SimpleQueue[tuple[_Worker, Any]]) -> None:
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "graphlang.ingest.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                process_group=0,  # Ctrl-C is for the parent, which then ends its workers
            )
        except OSError as error:
            raise WorkerError(f"a worker process cannot be started: {error}") from error
        self.under_way: deque[_Task] = deque()
        self.answered = False
        self.since = time.monotonic()  # when it began with what it is at
        self.send(dataclasses.astuple(limits))
        threading.Thread(target=self._listen, args=(self._process.stdout, answers), daemon=True).start()

    def send(self, value: Any) -> None:
        """Send a frame; that the process is gone will be heard from its other pipe."""
        try:
            if self._process.stdin is not None:
                write_frame(self._process.stdin, value)
        except OSError:
            return

    def kill(self) -> None:
        """End the process at once; its end will be heard from its pipe."""
        self._process.kill()

    def _listen(self, stream: IO[bytes], answers: SimpleQueue[tuple[_Worker, Any]]) -> None:
        try:
            while True:
                answers.put((self, read_frame(stream)))
        except (EOFError, OSError, ValueError):
            answers.put((self, None))

    def end(self) -> int:
        """End the process; returns its exit status, negative for a signal."""
        self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    continue  # what was still to be sent is of no use now
        return self._process.wait()


class _Task(NamedTuple):
    number: int
    raws: Sequence[Raw]
    done: list[list[Item] | None]  # one entry: the answer


class Pool:
    """Worker processes that parse.

    Args:
        workers: how many.
        limits: bounds of a record.
    """

    def __init__(self, workers: int, limits: Limits) -> None:
        self._limits = limits
        self._answers: SimpleQueue[tuple[_Worker, Any]] = SimpleQueue()
        self._workers: list[_Worker] = []
        self._count = workers
        self._number = 0

    def parse(self, groups: Iterator[Sequence[Raw]]) -> Iterator[list[Item]]:
        """Yield the items of each group, in the order of the groups.

        Raises:
            WorkerError: no worker can be started.
        """
        window: deque[_Task] = deque()
        try:
            self._workers = [_Worker(self._limits, self._answers) for _ in range(self._count)]
            more = True
            while more or window:
                worker = min(self._workers, key=lambda one: len(one.under_way))
                if more and len(worker.under_way) < _AHEAD and len(window) < 3 * self._count:
                    group = next(groups, None)
                    if group is None:
                        more = False
                        continue
                    self._number += 1
                    task = _Task(self._number, group, [None])
                    window.append(task)
                    if group:
                        self._give(worker, task)
                    else:
                        task.done[0] = []
                elif window[0].done[0] is None:
                    self._hear()
                while window and window[0].done[0] is not None:
                    yield window.popleft().done[0] or []
        finally:
            for worker in self._workers:
                worker.end()

    def _give(self, worker: _Worker, task: _Task) -> None:
        if not worker.under_way:
            worker.since = time.monotonic()
        worker.under_way.append(task)
        worker.send((task.number, [pack_raw(raw) for raw in task.raws]))

    def _hear(self) -> None:
        """Wait for one answer of any worker."""
        try:
            worker, answer = self._answers.get(timeout=min(_PATIENCE, 5.0))
        except Empty:
            for one in self._workers:
                if one.under_way and time.monotonic() - one.since > _PATIENCE:
                    one.kill()
            return
        if worker not in self._workers:
            return  # the last word of one that was replaced
        if answer is not None:
            worker.answered = True
            worker.since = time.monotonic()
            task = worker.under_way.popleft()
            task.done[0] = [unpack_item(item) for items in answer[1] for item in items]
            return
        lost = self._replace(worker)
        if lost:
            guilty = lost.popleft()
            guilty.done[0] = self._one_by_one(guilty.raws)
        for task in lost:
            self._give(min(self._workers, key=lambda one: len(one.under_way)), task)

    def _replace(self, worker: _Worker) -> deque[_Task]:
        """Put a new worker in the place of a dead one; returns what the dead one left undone."""
        status = worker.end()
        if not worker.answered and status > 0:
            raise WorkerError(f"a worker process ended with status {status} before it did anything")
        self._workers[self._workers.index(worker)] = _Worker(self._limits, self._answers)
        return worker.under_way

    def _one_by_one(self, raws: Sequence[Raw]) -> list[Item]:
        """Parse records each alone, in a worker that may die of any of them."""
        items: list[Item] = []
        answers: SimpleQueue[tuple[_Worker, Any]] = SimpleQueue()
        worker: _Worker | None = None
        try:
            for raw in raws:
                worker = worker or _Worker(self._limits, answers)
                worker.send((0, [pack_raw(raw)]))
                how = f"kept a worker busy for more than {_PATIENCE:.0f} seconds"
                try:
                    answer = answers.get(timeout=_PATIENCE)[1]
                except Empty:
                    worker.kill()
                    answer = answers.get()[1]
                    while answer is not None:  # it came at the last moment: too late, for the worker is gone
                        answer = answers.get()[1]
                else:
                    how = ""
                if answer is not None:
                    items += [unpack_item(item) for item in answer[1][0]]
                else:
                    status = worker.end()
                    worker = None
                    death = f"killed by signal {-status}" if status < 0 else f"ended with status {status}"
                    how = how or f"the process that parsed this record was {death}"
                    items.append(Problem("crashed", how, raw.offset, target_uri(raw)))
        finally:
            if worker is not None:
                worker.end()
        return items
