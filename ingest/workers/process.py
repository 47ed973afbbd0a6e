"""Start worker processes, and exchange tasks and answers with them.

A worker is a copy of this process if that is possible: with all modules loaded it starts in two milliseconds. A copy
has the memory of the process, but only the thread that made it, so that a lock of another thread would never be
released. So copies are made only if there are no other threads, and only on Linux. Otherwise a worker is a new process,
which needs a tenth of a second of its core for imports.

`PrestartedWorkers` start before there are tasks: the caller needs two tenths of a second for its own imports, and the
workers read meanwhile.
"""

from __future__ import annotations

import dataclasses
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections import deque
from contextlib import suppress
from itertools import cycle, islice
from pathlib import Path
from queue import Full, Queue
from typing import IO, TYPE_CHECKING, Any, NoReturn

from graphlang.ingest.files.byte_ranges import ByteRange, cut_ranges, is_splittable
from graphlang.ingest.files.file_slice import read_signature
from graphlang.ingest.workers.protocol import decode_frame, read_frame, write_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from graphlang.ingest.limits import Limits

_START = "from graphlang.ingest.workers.worker import main; main()"
_PIPE = 1 << 20  # bytes of a pipe: an answer fits, so that neither end waits in the middle of one
_QUEUED = 32  # answers to one task that are kept for a slow parent; then the worker waits
_BEGUN = 16  # byte ranges of each process: as much as it reads while the caller imports
_SMALL = 2 << 20  # bytes of all files, as stored: one process parses fewer before a second one has started


class WorkerError(RuntimeError):
    """Worker processes cannot be started on this machine."""


class WorkerResults:
    """The answers of a worker to one task, in order; `None` if it ended before the task was done."""

    def __init__(self) -> None:
        self._queue: Queue[bytes | None] = Queue(_QUEUED)
        self._dropped = False

    def put(self, frame: bytes | None) -> None:
        """Add an answer; wait if there are many."""
        while not self._dropped:
            try:
                self._queue.put(frame, timeout=1.0)
            except Full:
                continue
            return

    def get(self, timeout: float) -> Any:
        """Return the next answer; raise queue.Empty if there is none in that time."""
        frame = self._queue.get(timeout=timeout)
        return None if frame is None else decode_frame(frame)

    def drop(self) -> None:
        """Discard all further answers."""
        self._dropped = True


class Process:
    """A worker with one pipe each way, which does its tasks in order; raise WorkerError if it cannot be started."""

    def __init__(self, limits: Limits, child: ForkedChild | None = None) -> None:
        self._child = child or _start_child(_START)
        for stream in (self._child.stdin, self._child.stdout):
            _widen_pipe(stream)
        self._pending: deque[WorkerResults] = deque()
        self._last = WorkerResults()  # of the task that was answered last
        self._lock = threading.Lock()
        self.exited = False  #: and all pending tasks with it
        self.answered = False  #: at least once
        self.active = time.monotonic()  #: time of its last answer, or of its first task since
        self._send(dataclasses.astuple(limits))
        threading.Thread(target=self._listen, args=(self._child.stdout,), daemon=True).start()

    @property
    def load(self) -> int:
        """Number of pending tasks."""
        return len(self._pending)

    def submit(self, task: Any) -> WorkerResults:
        """Send a task, as plain values."""
        answers = WorkerResults()
        with self._lock:
            if self.exited:
                answers.put(None)
                return answers
            if not self._pending:
                self.active = time.monotonic()
            self._pending.append(answers)
        self._send(task)
        return answers

    def kill(self) -> None:
        """Kill the process; the answers to its tasks report its end."""
        self._child.kill()

    def end(self) -> int:
        """End the process; return its exit status, negative for a signal."""
        with self._lock:
            for answers in (*self._pending, self._last):
                answers.drop()
        return _end_child(self._child)

    def status(self) -> int:
        """Wait for the end of a process that exits; return its exit status, negative for a signal."""
        return self._child.wait()

    def _send(self, value: Any) -> None:
        """Send a frame; if the process has ended, its other pipe reports that."""
        try:
            if self._child.stdin is not None:
                write_frame(self._child.stdin, value)
        except OSError:
            return

    def _listen(self, stream: IO[bytes]) -> None:
        try:
            while True:
                is_last = stream.read(1) == b"\1"
                frame = read_frame(stream)
                self.answered = True
                self.active = time.monotonic()
                with self._lock:
                    self._last = self._pending.popleft() if is_last else self._pending[0]
                self._last.put(frame)
                self.active = time.monotonic()
        except (EOFError, OSError, ValueError):
            with self._lock:
                self.exited = True
                pending = list(self._pending)
                self._pending.clear()
            for answers in pending:
                answers.put(None)


def _end_child(child: subprocess.Popen[bytes] | ForkedChild) -> int:
    """Kill a process and close its pipes; return its exit status, negative for a signal."""
    child.kill()
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue
    return child.wait()


def _start_child(code: str) -> subprocess.Popen[bytes]:
    """Start a new process that runs some code; raise WorkerError if it cannot be started."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        return subprocess.Popen(  # noqa: S603 - code of our own
            [sys.executable, "-P", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            process_group=0,  # Ctrl-C goes to the parent, which then ends its workers
        )
    except OSError as error:
        raise WorkerError(f"a worker process cannot be started: {error}") from error


def _widen_pipe(stream: IO[bytes] | None) -> None:
    """Enlarge the buffer of a pipe, if the system allows it."""
    size = getattr(fcntl, "F_SETPIPE_SZ", None)
    if stream is not None and size is not None:
        with suppress(OSError):  # there may be a limit for all pipes of a user
            fcntl.fcntl(stream.fileno(), size, _PIPE)


def is_fork_safe() -> bool:
    """Return whether a copy of this process is safe: it has one thread, including those of libraries."""
    try:
        return sys.platform == "linux" and sum(1 for _ in Path("/proc/self/task").iterdir()) == 1
    except OSError:
        return False


class ForkedChild:
    """A copy of this process that runs ``main``, by default a worker's, with the interface of `subprocess.Popen`.

    Raises OSError if there can be no more processes.
    """

    def __init__(self, main: Callable[[], None] | None = None) -> None:
        from graphlang.ingest.workers import worker  # noqa: PLC0415 - a process without copies does not need it

        tasks, to_child = os.pipe()
        from_child, answers = os.pipe()
        try:
            self._pid = os.fork()
        except OSError:
            for end in (tasks, to_child, from_child, answers):
                os.close(end)
            raise
        if not self._pid:
            _run_child(main or worker.main, tasks, answers)
        os.close(tasks)
        os.close(answers)
        self.stdin = os.fdopen(to_child, "wb")
        self.stdout = os.fdopen(from_child, "rb")
        self._status: int | None = None

    def kill(self) -> None:
        """Kill it."""
        if self._status is None:
            os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        """Wait for its end; return its exit status, negative for a signal."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return self._status


def _run_child(main: Callable[[], None], tasks: int, answers: int) -> NoReturn:
    """Run ``main`` in a copy, and end it: no other code of the parent may run there."""
    status = 1
    try:
        os.setpgid(0, 0)  # Ctrl-C goes to the parent, which then ends its workers
        for number in (signal.SIGTERM, signal.SIGHUP):  # the parent may have to remove files, a worker has none
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        os.dup2(tasks, 0)
        os.dup2(answers, 1)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # else no worker would notice the end of the parent
        main()
        status = 0
    except BaseException as error:  # noqa: BLE001 - no code of the parent may run on
        if not isinstance(error, KeyboardInterrupt):  # before it had a process group of its own
            traceback.print_exc()
    finally:
        os._exit(status)


class PrestartedWorkers:
    """Processes for `graphlang.ingest.iterate_batches`; none if they cannot be started, which that reports."""

    def __init__(self, workers: int, limits: Limits) -> None:
        self.limits = limits
        #: Byte ranges that are read already: the process of each, and its answers.
        self.begun: dict[ByteRange, tuple[Process, WorkerResults]] = {}
        self.signatures: dict[Path, tuple[object, ...]] = {}  #: of files that are begun, before
        self._processes: list[Process] = []
        children: list[ForkedChild | None] = []
        try:
            # All copies are made before the first thread starts, which listens to the first copy.
            forks = is_fork_safe()
            for _ in range(workers):
                children.append(ForkedChild() if forks else None)  # noqa: PERF401 - if one fails the others are ended
            while children:
                self._processes.append(Process(limits, children.pop()))
        except (OSError, WorkerError):
            for child in filter(None, children):
                child.kill()
                child.wait()
            self.end()

    def begin(self, path: Path) -> None:
        """Start to read an archive, if it can be cut; answers that are not taken later are dropped."""
        try:
            size = path.stat().st_size if path.is_file() else 0
            if size <= _SMALL:
                return
            self.signatures[path] = read_signature(path)
            with path.open("rb", buffering=0) as file:
                is_cut = is_splittable(file)
        except OSError:
            return  # opening the file reports the error
        if is_cut:
            whole = ByteRange(path, 0, size + 1, exact=True)
            processes = islice(cycle(self._processes), _BEGUN * len(self._processes))
            for process, byte_range in zip(processes, cut_ranges(whole, 0, size, 0), strict=False):
                self.begun[byte_range] = process, process.submit((str(byte_range.path), *byte_range[1:]))

    def take(self) -> list[Process]:
        """Hand the processes over to the caller."""
        processes, self._processes = self._processes, []
        return processes

    def end(self) -> None:
        """End the processes that were not taken."""
        for process in self.take():
            process.end()


def are_small(paths: Iterable[Path]) -> bool:
    """Return whether one process reads these files before a second one has started."""
    size = 0
    for path in paths:
        try:
            size += _SMALL if path.is_dir() else path.stat().st_size
        except OSError:
            continue  # opening the file reports the error
        if size >= _SMALL:
            return False
    return True
