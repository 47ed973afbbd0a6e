"""One child process that parses, as its parent sees it."""

from __future__ import annotations

import dataclasses
import fcntl
import os
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from queue import Full, Queue
from typing import IO, TYPE_CHECKING, Any

from graphlang.ingest.workers.protocol import decode_frame, read_frame, write_frame

if TYPE_CHECKING:
    from graphlang.ingest.limits import Limits
    from graphlang.ingest.workers.fork import Forked

_START = "from graphlang.ingest.workers.worker import main; main()"
_PIPE = 1 << 20  # bytes of a pipe: an answer fits, and nobody waits for the other in the middle of one
_AHEAD = 32  # answers to one task that are kept for a parent that is behind; then the process has to wait


class WorkerError(RuntimeError):
    """Worker processes cannot be started on this machine."""


class Answers:
    """What a process answers to one task, in order; `None` when it ended before the task was done."""

    def __init__(self) -> None:
        self._queue: Queue[bytes | None] = Queue(_AHEAD)
        self._dropped = False

    def put(self, frame: bytes | None) -> None:
        """Add an answer; waits for whoever takes them when there are many."""
        while not self._dropped:
            try:
                self._queue.put(frame, timeout=1.0)
            except Full:
                continue
            return

    def get(self, timeout: float) -> Any:
        """Take an answer.

        Raises:
            queue.Empty: there was none in that time.
        """
        frame = self._queue.get(timeout=timeout)
        return None if frame is None else decode_frame(frame)

    def drop(self) -> None:
        """Have no use for the rest."""
        self._dropped = True


class Process:
    """A child process with one pipe each way, that does its tasks in the order in which they were given.

    Args:
        limits: bounds of a record.
        child: the process, if it was started already.

    Raises:
        WorkerError: it cannot be started.
    """

    def __init__(self, limits: Limits, child: Forked | None = None) -> None:
        self._child = child or started(_START)
        for stream in (self._child.stdin, self._child.stdout):
            widen(stream)
        self._under_way: deque[Answers] = deque()
        self._speaking = Answers()  # the task that was last answered
        self._lock = threading.Lock()
        self.gone = False  #: it has ended, and whatever was under way with it
        self.answered = False  #: it has said anything at all
        self.heard = time.monotonic()  #: when it said something, or was given something to do when it had nothing
        self._send(dataclasses.astuple(limits))
        threading.Thread(target=self._listen, args=(self._child.stdout,), daemon=True).start()

    @property
    def load(self) -> int:
        """Tasks under way."""
        return len(self._under_way)

    def give(self, task: Any) -> Answers:
        """Give it a task, as plain values."""
        answers = Answers()
        with self._lock:
            if self.gone:
                answers.put(None)
                return answers
            if not self._under_way:
                self.heard = time.monotonic()
            self._under_way.append(answers)
        self._send(task)
        return answers

    def kill(self) -> None:
        """End the process at once; its end will be heard in the answers to its tasks."""
        self._child.kill()

    def end(self) -> int:
        """End the process; returns its exit status, negative for a signal."""
        with self._lock:
            for answers in (*self._under_way, self._speaking):
                answers.drop()
        return ended(self._child)

    def status(self) -> int:
        """Wait for the end of a process that is gone; returns its exit status, negative for a signal."""
        return self._child.wait()

    def _send(self, value: Any) -> None:
        """Send a frame; that the process is gone will be heard from its other pipe."""
        try:
            if self._child.stdin is not None:
                write_frame(self._child.stdin, value)
        except OSError:
            return

    def _listen(self, stream: IO[bytes]) -> None:
        try:
            while True:
                last = stream.read(1) == b"\1"
                frame = read_frame(stream)
                self.answered = True
                self.heard = time.monotonic()
                with self._lock:
                    self._speaking = self._under_way.popleft() if last else self._under_way[0]
                self._speaking.put(frame)
                self.heard = time.monotonic()
        except (EOFError, OSError, ValueError):
            with self._lock:
                self.gone = True
                left = list(self._under_way)
                self._under_way.clear()
            for answers in left:
                answers.put(None)


def ended(child: subprocess.Popen[bytes] | Forked) -> int:
    """End a process at once, whatever it is at; what was still to be sent to it is of no use then.

    Args:
        child: with a pipe each way.

    Returns:
        its exit status, negative for a signal.
    """
    child.kill()
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            try:
                stream.close()
            except OSError:
                continue
    return child.wait()


def started(code: str) -> subprocess.Popen[bytes]:
    """Start a new process, which has to import all modules first.

    Args:
        code: what it runs.

    Raises:
        WorkerError: it cannot be started.
    """
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
    try:
        return subprocess.Popen(  # noqa: S603 - code of our own
            [sys.executable, "-P", "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            process_group=0,  # Ctrl-C is for the parent, which then ends its workers
        )
    except OSError as error:
        raise WorkerError(f"a worker process cannot be started: {error}") from error


def widen(stream: IO[bytes] | None) -> None:
    """Have a pipe hold more, where that can be had.

    Args:
        stream: an end of it; None does nothing.
    """
    size = getattr(fcntl, "F_SETPIPE_SZ", None)
    if stream is not None and size is not None:
        with suppress(OSError):  # there may be a limit for all pipes of a user
            fcntl.fcntl(stream.fileno(), size, _PIPE)
