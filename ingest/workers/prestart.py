"""Worker processes that are started before there is anything for them to do.

A new process takes a tenth of a second of its core to import what it needs, and whoever wants to write what it reads
takes two more: with processes that are started first, the two do so at the same time.
"""

from __future__ import annotations

from itertools import cycle, islice
from typing import TYPE_CHECKING

from graphlang.ingest.files.byte_ranges import ByteRange, can_be_cut, cut_up
from graphlang.ingest.workers.fork import Forked, possible
from graphlang.ingest.workers.process import Process, WorkerError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from graphlang.ingest.limits import Limits
    from graphlang.ingest.workers.process import Answers

_BEGUN = 16  # byte ranges of each process: as much as it reads while the others load what they need
_SMALL = 2 << 20  # bytes of all files, as stored: fewer are parsed before a second process would have started


class PrestartedWorkers:
    """Processes for `graphlang.ingest.batches`.

    Args:
        workers: how many. Where they cannot be started there are none, and whoever needs them will say so.
        limits: bounds of a record.
    """

    def __init__(self, workers: int, limits: Limits) -> None:
        self.limits = limits
        #: Stretches that were begun before they were asked for: who reads each, and what it answers.
        self.begun: dict[ByteRange, tuple[Process, Answers]] = {}
        self._processes: list[Process] = []
        children: list[Forked | None] = []
        try:
            # All copies are made before the first one is listened to, which takes a thread.
            forks = possible()
            for _ in range(workers):
                children.append(Forked() if forks else None)  # noqa: PERF401 - those before one that fails must be ended
            while children:
                self._processes.append(Process(limits, children.pop()))
        except (OSError, WorkerError):
            for child in filter(None, children):
                child.kill()
                child.wait()
            self.end()

    def begin(self, path: Path) -> None:
        """Have the beginning of an archive read, in the hope that it will be asked for, if it is one that can be cut.

        What nobody asks for is dropped.
        """
        try:
            size = path.stat().st_size if path.is_file() else 0
            if size <= _SMALL:
                return
            with path.open("rb", buffering=0) as file:
                cut = can_be_cut(file)
        except OSError:
            return  # it will be told when the file is opened
        if cut:
            whole = ByteRange(path, 0, size + 1, exact=True)
            taking_turns = islice(cycle(self._processes), _BEGUN * len(self._processes))
            for process, byte_range in zip(taking_turns, cut_up(whole, 0, size, 0), strict=False):
                self.begun[byte_range] = process, process.give((str(byte_range.path), *byte_range[1:]))

    def take(self) -> list[Process]:
        """Return the processes, which are the caller's from now on."""
        taken, self._processes = self._processes, []
        return taken

    def end(self) -> None:
        """End those that nobody took."""
        for process in self.take():
            process.end()


def small(paths: Iterable[Path]) -> bool:
    """Tell whether some files together are so small that one process reads them before a second one has started."""
    size = 0
    for path in paths:
        try:
            size += _SMALL if path.is_dir() else path.stat().st_size
        except OSError:
            continue  # it will be told when the file is opened
        if size >= _SMALL:
            return False
    return True
