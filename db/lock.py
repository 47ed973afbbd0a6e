"""Allow one writer at a time: a lock on a file beside the database, which names its holder and ends with its process.

The lock is a POSIX record lock (`fcntl`): the system releases it when the process ends in any way, and forked children
do not inherit it. Such locks do not exclude each other within a process; a table of this process's locks does.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db.errors import LockedError, StoreError
from graphlang.db.values import get_time

if TYPE_CHECKING:
    from collections.abc import Callable

#: Appended to the name of the database.
SUFFIX = "-lock"
_EXHAUSTED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE)
_POLL = 0.05  # seconds between two tries
_PATIENCE = 1.0  # seconds that a writer needs at most between acquiring the lock and writing its name
_LONGEST = 400  # bytes of the file that are read; others may have written more
_TOKEN = re.compile(r"(?P<host>\S*) (?P<pid>\d+) (?P<start>\d+) [0-9a-f]+")
_held: dict[tuple[int, int], Holder] = {}
_guard = threading.RLock()  # garbage collection may release a lock while another is acquired


class Holder(NamedTuple):
    """The holder of a lock."""

    pid: int
    verb: str  #: its verb, such as ``propagate``
    since: str  #: ISO 8601 in UTC

    def __str__(self) -> str:
        return f"process {self.pid} ({self.verb}, since {self.since})"


class Lock:
    """The right to write to one database, from `acquire`."""

    def __init__(self, path: Path, descriptor: int, holder: Holder) -> None:
        self._path = path
        self._descriptor: int | None = descriptor
        self._pid = os.getpid()
        self.holder = holder
        #: Unique among all holders ever; runs have it as their owner.
        self.token = f"{_read_host_name()} {self._pid} {_read_start(self._pid)} {os.urandom(8).hex()}"

    def release(self) -> None:
        """Release the lock; do nothing the second time, and in a forked child."""
        if self._descriptor is None or self._pid != os.getpid():
            return
        with _guard:
            _held.pop(_identify_file(os.fstat(self._descriptor)), None)
            # Still locked: a process that waits for this file sees that it is gone, and creates another.
            with suppress(OSError):
                self._path.unlink()
            os.close(self._descriptor)
            self._descriptor = None

    def __del__(self) -> None:
        self.release()


def acquire(
    database: Path,
    verb: str = "writing",
    *,
    patience: float | None = 0.0,
    on_wait: Callable[[Holder | None], None] | None = None,
) -> Lock:
    """Lock a database for writing.

    Links are followed, so that every name of the file has the same lock. ``verb`` is the purpose in one word;
    ``patience`` and ``on_wait`` are as for `graphlang.db.connection.create`. Raise a LockedError that names the other
    writer, a StoreError if no file can be created beside the database or its path is a circular link, an OSError if the
    disk is full or too many files are open.
    """
    target = os.path.realpath(database)
    if os.path.islink(target):  # noqa: PTH114 - `realpath` gives no Path
        msg = f"{database} is a link that leads back to itself"
        raise StoreError(msg)
    path = Path(f"{target}{SUFFIX}")
    until = None if patience is None else time.monotonic() + patience
    while True:
        result = _try_lock(path, verb)
        if isinstance(result, Lock):
            return result
        if until is not None and time.monotonic() >= until:
            holder = "another process" if result is None else str(result)
            msg = f"{database} is being written by {holder}: wait for it, or use --wait"
            raise LockedError(msg)
        if on_wait is not None:
            on_wait(result)
            on_wait = None
        time.sleep(_POLL)


def _try_lock(path: Path, verb: str) -> Lock | Holder | None:
    """Return the lock, or its holder, or None if the holder is unknown."""
    with _guard:
        try:
            holder = _held.get(_identify_file(path.stat()))
        except OSError:
            holder = None
        if holder is not None:  # opening and closing the file again would release the lock
            return holder
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        except OSError as error:
            raise _lock_error(path, error) from error
        try:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                return _read_holder(descriptor)
            if not _is_current(path, descriptor):
                return None  # its holder has just removed it
            holder = Holder(os.getpid(), verb, get_time())
            try:
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{holder.pid} {holder.verb} {holder.since}\n".encode(), 0)
            except OSError:
                path.unlink(missing_ok=True)  # while it is locked, as in `release`
                raise
            _held[_identify_file(os.fstat(descriptor))] = holder
            lock = Lock(path, descriptor, holder)
            descriptor = -1
        except OSError as error:
            raise _lock_error(path, error) from error
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        return lock


def _lock_error(path: Path, error: OSError) -> Exception:
    """Return a StoreError, or an OSError if the disk is full or too many files are open."""
    if error.errno in _EXHAUSTED:
        return OSError(error.errno, error.strerror, str(path))
    return StoreError(f"cannot lock {path}: {error.strerror}")


def _read_holder(descriptor: int) -> Holder | None:
    """Read the holder from the file; it may take a moment to write it."""
    until = time.monotonic() + _PATIENCE
    while True:
        fields = os.pread(descriptor, _LONGEST, 0).decode("ascii", "replace").split()
        if len(fields) == len(Holder._fields) and fields[0].isdigit():
            pid, verb, since = fields
            return Holder(int(pid), _escape_word(verb), _escape_word(since))
        if time.monotonic() >= until or os.fstat(descriptor).st_nlink == 0:
            return None
        time.sleep(_POLL / 10)


def _escape_word(word: str) -> str:
    return re.sub(r"[^\w:.-]", "?", word, flags=re.ASCII)[:40]


def _is_current(path: Path, descriptor: int) -> bool:
    try:
        return _identify_file(path.stat()) == _identify_file(os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _identify_file(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def find_running_process(token: str) -> int | None:
    """Return the process that a `Lock.token` names if it is still running and is another one, else None.

    Process numbers are reused, so that the start time is compared too. Only Linux has it: on other systems, and
    for other machines, the lock alone decides.
    """
    match = _TOKEN.fullmatch(token)
    if match is None or match["host"] != _read_host_name():
        return None
    pid = int(match["pid"])
    return pid if pid != os.getpid() and int(match["start"]) and _read_start(pid) == int(match["start"]) else None


def _read_host_name() -> str:
    return re.sub(r"\s", "", os.uname().nodename)


def _read_start(pid: int) -> int:
    """Return the start of a process in clock ticks since boot; 0 if there is none, or the system does not know it."""
    if sys.platform != "linux":
        return 0
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    state, *fields = status.rpartition(")")[2].split()  # the name of the program may hold anything
    return 0 if state in {"Z", "X"} else int(fields[18])
