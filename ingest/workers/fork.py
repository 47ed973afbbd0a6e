"""A worker process that is a copy of this one: with all modules loaded, it starts in two milliseconds.

A copy has the memory of the process, but of its threads only the one that made it, so that a lock which another one
held would be held for ever. That is why copies are made where there are no other threads, and on Linux alone; elsewhere
a worker is a new process (`graphlang.ingest.workers.process`), which imports for a tenth of a second of its core: two
of them add 0.15 s to the 1.8 s of processor time that 3,790 manual pages take.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable


def possible() -> bool:
    """Tell whether a copy of this process would be sound: it has one thread, those of libraries counted."""
    try:
        return sys.platform == "linux" and sum(1 for _ in Path("/proc/self/task").iterdir()) == 1
    except OSError:
        return False


class Forked:
    """A copy of this process that works for it, with a pipe each way, as `subprocess.Popen` would give it.

    Args:
        main: what the copy does; it parses unless told otherwise.

    Raises:
        OSError: there can be no more processes.
    """

    def __init__(self, main: Callable[[], None] | None = None) -> None:
        from graphlang.ingest.workers import worker  # noqa: PLC0415 - whoever makes no copies does without

        tasks, given = os.pipe()
        heard, answers = os.pipe()
        try:
            self._pid = os.fork()
        except OSError:
            for end in (tasks, given, heard, answers):
                os.close(end)
            raise
        if not self._pid:
            _work(main or worker.main, tasks, answers)
        os.close(tasks)
        os.close(answers)
        self.stdin = os.fdopen(given, "wb")
        self.stdout = os.fdopen(heard, "rb")
        self._status: int | None = None

    def kill(self) -> None:
        """End it at once."""
        if self._status is None:
            os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end; returns its exit status, negative for a signal."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._status


def _work(main: Callable[[], None], tasks: int, answers: int) -> NoReturn:
    """Be a worker, and nothing else of what this process was."""
    status = 1
    try:
        os.setpgid(0, 0)  # Ctrl-C is for the parent, which then ends its workers
        for number in (signal.SIGTERM, signal.SIGHUP):  # the parent may have files to remove first, a worker has none
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        os.dup2(tasks, 0)
        os.dup2(answers, 1)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # else no worker would hear that the parent is gone
        main()
        status = 0
    except BaseException as error:  # noqa: BLE001 - nothing of the parent's may run on
        if not isinstance(error, KeyboardInterrupt):  # between its birth and its own process group
            traceback.print_exc()
    finally:
        os._exit(status)
