"""Worker processes that are started before there is anything for them to do.

A process takes a while to start, and so does whoever wants to write what it reads: with a team that is started first,
the two do so at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .process import Process, WorkerError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from .limits import Limits

_SMALL = 2 << 20  # bytes of all files, as stored: fewer are parsed before a second process would have started


class Team:
    """Processes for `graphlang.ingest.batches`.

    Args:
        workers: how many. Where they cannot be started there are none, and whoever needs them will say so.
        limits: bounds of a record.
    """

    def __init__(self, workers: int, limits: Limits) -> None:
        self.limits = limits
        self._processes: list[Process] = []
        try:
            for _ in range(workers):
                self._processes.append(Process(limits))
        except WorkerError:
            self.end()

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
