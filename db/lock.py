"""One writer at a time: a lock on a file beside the database, which dies with its process and says who holds it.

The lock is a POSIX record lock (`fcntl`), which the system drops when the process ends, however it ends, and which
forked children do not inherit. Within a process these locks do not hold each other off, so that a table of what this
process holds does.
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
from graphlang.db.values import now

if TYPE_CHECKING:
    from collections.abc import Callable

#: What is appended to the name of the database.
SUFFIX = "-lock"
_EXHAUSTED = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EMFILE, errno.ENFILE)
_POLL = 0.05  # seconds between two tries
_PATIENCE = 1.0  # a writer needs this long at most from having the lock to having written who it is
_LONGEST = 400  # bytes of the file that are looked at; whoever may write beside the database may write more
_TOKEN = re.compile(r"(?P<host>\S*) (?P<pid>\d+) (?P<start>\d+) [0-9a-f]+")
_held: dict[tuple[int, int], Holder] = {}
_guard = threading.RLock()  # a lock that is no longer used may be released in the midst of making another


class Holder(NamedTuple):
    """Who holds a lock."""

    pid: int
    verb: str  #: what it does, such as ``propagate``
    since: str  #: ISO 8601 in UTC

    def __str__(self) -> str:
        return f"process {self.pid} ({self.verb}, since {self.since})"


class Lock:
    """The right to write to one database; `acquire` gives it.

    Args:
        path: the file that is locked.
        descriptor: open, and locked.
        holder: this process.
    """

    def __init__(self, path: Path, descriptor: int, holder: Holder) -> None:
        self._path = path
        self._descriptor: int | None = descriptor
        self._pid = os.getpid()
        self.holder = holder
        #: Names this holder among all that ever were: what it is writing bears it.
        self.token = f"{_host()} {self._pid} {_started(self._pid)} {os.urandom(8).hex()}"

    def release(self) -> None:
        """Give the lock back; does nothing the second time, and in a copy of the process that was forked."""
        if self._descriptor is None or self._pid != os.getpid():
            return
        with _guard:
            _held.pop(_identity(os.fstat(self._descriptor)), None)
            # While it is locked: whoever waits for this very file sees that it is gone, and makes another.
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
    told: Callable[[Holder | None], None] | None = None,
) -> Lock:
    """Lock a database for writing.

    Args:
        database: its path; links are followed, so that every name of the file has the same lock.
        verb: what it is locked for, in a word.
        patience: seconds to wait for another writer; None waits for as long as it takes.
        told: called once if there is one to wait for, with who it is, or with None where that is not known.

    Raises:
        LockedError: another writer holds it; the message says who.
        StoreError: there can be no such file beside the database, or its name is a link in a circle.
        OSError: the disk is full, or too many files are open.
    """
    found = os.path.realpath(database)
    if os.path.islink(found):  # noqa: PTH114 - `realpath` gives no Path
        msg = f"{database} is a link that leads back to itself"
        raise StoreError(msg)
    path = Path(f"{found}{SUFFIX}")
    until = None if patience is None else time.monotonic() + patience
    while True:
        found = _try(path, verb)
        if isinstance(found, Lock):
            return found
        if until is not None and time.monotonic() >= until:
            who = str(found) if found is not None else "another process"
            msg = f"{database} is being written by {who}: wait for it, or use --wait"
            raise LockedError(msg)
        if told is not None:
            told(found)
            told = None
        time.sleep(_POLL)


def _try(path: Path, verb: str) -> Lock | Holder | None:
    """The lock, or who holds it, or None where that cannot be told."""
    with _guard:
        try:
            mine = _held.get(_identity(path.stat()))
        except OSError:
            mine = None
        if mine is not None:  # opening and closing the file once more would drop the lock
            return mine
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o666)
        except OSError as error:
            raise _told(path, error) from error
        try:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (BlockingIOError, PermissionError):
                return _read(descriptor)
            if not _is_still(path, descriptor):
                return None  # its holder has just removed it
            holder = Holder(os.getpid(), verb, now())
            try:
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"{holder.pid} {holder.verb} {holder.since}\n".encode(), 0)
            except OSError:
                path.unlink(missing_ok=True)  # while it is locked, as in `release`
                raise
            _held[_identity(os.fstat(descriptor))] = holder
            lock = Lock(path, descriptor, holder)
            descriptor = -1
        except OSError as error:
            raise _told(path, error) from error
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        return lock


def _told(path: Path, error: OSError) -> Exception:
    """That there is no more room, or no more files may be open, is no fault of the database."""
    if error.errno in _EXHAUSTED:
        return OSError(error.errno, error.strerror, str(path))
    return StoreError(f"cannot lock {path}: {error.strerror}")


def _read(descriptor: int) -> Holder | None:
    """Who wrote the file; that takes its holder a moment."""
    until = time.monotonic() + _PATIENCE
    while True:
        words = os.pread(descriptor, _LONGEST, 0).decode("ascii", "replace").split()
        if len(words) == len(Holder._fields) and words[0].isdigit():
            pid, verb, since = words
            return Holder(int(pid), _plain(verb), _plain(since))
        if time.monotonic() >= until or os.fstat(descriptor).st_nlink == 0:
            return None
        time.sleep(_POLL / 10)


def _plain(word: str) -> str:
    return re.sub(r"[^\w:.-]", "?", word, flags=re.ASCII)[:40]


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return _identity(path.stat()) == _identity(os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def alive(token: str) -> int | None:
    """The process that a `Lock.token` names, where it is known to run still and is not this one, else None.

    That a process with its number runs is not enough: numbers are given out again. So the time of its start is
    compared, which only Linux tells; elsewhere, and on other machines, nothing is known and the lock alone decides.
    """
    found = _TOKEN.fullmatch(token)
    if found is None or found["host"] != _host():
        return None
    pid = int(found["pid"])
    return pid if pid != os.getpid() and int(found["start"]) and _started(pid) == int(found["start"]) else None


def _host() -> str:
    return re.sub(r"\s", "", os.uname().nodename)


def _started(pid: int) -> int:
    """When a process was started, in ticks since the machine was; 0 where there is no such process, or no telling."""
    if sys.platform != "linux":
        return 0
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    state, *fields = status.rpartition(")")[2].split()  # the name of the program may hold anything
    return 0 if state in {"Z", "X"} else int(fields[18])
