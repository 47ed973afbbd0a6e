"""What a command's errors are worth: for each kind its exit code and its words, in one line.

| code | means |
|---|---|
| 0 | done |
| 1 | done, with problems: they are in the table `problems`, or were told on standard error |
| 2 | wrong usage: an option, or a file that the user named |
| 3 | the database or the model cannot be used |
| 4 | no more disk or memory |
| 5 | another process is writing to the database |
| 130 | interrupted; what was done is kept |
"""

from __future__ import annotations

import errno
import os
import sqlite3
import sys

import click

from graphlang.interrupts import noted
from graphlang.visible import visible

PROBLEMS, USAGE, UNFIT, EXHAUSTED, LOCKED, INTERRUPTED = 1, 2, 3, 4, 5, 130
#: Errors of the system that say that there is no more of something.
_EXHAUSTED = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EIO,
    errno.ENOMEM,
    errno.EMFILE,
    errno.ENFILE,
    errno.EAGAIN,
}


class Failure(click.ClickException):
    """An error that is told in one line.

    Args:
        words: for the user.
        code: the exit code.
    """

    def __init__(self, words: str, code: int) -> None:
        super().__init__(words)
        self._code = code

    @property
    def exit_code(self) -> int:  # type: ignore[override]  # click has it as a constant of the class
        """The exit code."""
        return self._code


def failure(error: BaseException) -> Failure | None:
    """What an error is worth; None where it is none that a user can cause, but a defect of the program."""
    if isinstance(error, KeyboardInterrupt) or (noted() and _of_database(error)):
        return Failure("stopped; what was done is kept, and the same command goes on", INTERRUPTED)
    if isinstance(error, MemoryError):
        return Failure(f"there is not enough memory{f': {error}' if str(error) else ''}", EXHAUSTED)
    if isinstance(error, sqlite3.Error):
        return _of_sqlite(str(error))
    if isinstance(error, OSError):
        return _of_system(error)
    code = _code_of_ours(error)
    return None if code is None else Failure(str(error), code)


def _of_database(error: BaseException) -> bool:
    from graphlang.db.errors import StoreError  # noqa: PLC0415 - only when it failed

    return isinstance(error, (sqlite3.Error, StoreError))


def _code_of_ours(error: BaseException) -> int | None:
    # What brings numpy along is imported only where its errors may have come from.
    from graphlang.db.errors import InputError, LockedError, StoreError  # noqa: PLC0415 - only when it failed
    from graphlang.plugins import PluginError  # noqa: PLC0415 - only when it failed

    codes: dict[type[BaseException], int] = {
        InputError: USAGE,
        LockedError: LOCKED,
        StoreError: UNFIT,
        PluginError: UNFIT,
    }
    if isinstance(error, ValueError):
        from graphlang.modelfile import ModelError  # noqa: PLC0415 - only when it failed

        codes[ModelError] = UNFIT
        codes |= _of_cluster("CollisionError", "graphlang.cluster.page_ids", UNFIT)
    if isinstance(error, RuntimeError):
        from graphlang.ingest import WorkerError  # noqa: PLC0415 - only when it failed

        codes[WorkerError] = EXHAUSTED
        codes |= _of_cluster("SparkError", "graphlang.cluster.spark_session", USAGE)
        codes |= _of_cluster("JobError", "graphlang.cluster.spark_session", EXHAUSTED)
    return next((code for kind, code in codes.items() if isinstance(error, kind)), None)


def _of_cluster(name: str, module: str, code: int) -> dict[type[BaseException], int]:
    """An error of the cluster's rooms, where these were imported: nothing else raises it."""
    return {getattr(sys.modules[module], name): code} if module in sys.modules else {}


def _of_sqlite(words: str) -> Failure:
    if "full" in words:
        more = "what was written before is kept; make room and repeat the command to go on"
        return Failure(f"the disk is full: {more}", EXHAUSTED)
    if "locked" in words:
        return Failure("the database is in use by another process", LOCKED)
    if "disk I/O" in words:
        return Failure(f"the disk fails, or is full: {words}", EXHAUSTED)
    if words == "interrupted":
        told = "the database takes more steps to read than its size can need ('graphlang check' tells more)"
        return Failure(told, UNFIT)
    # What SQLite cannot decode it repeats, line breaks and all.
    return Failure(f"database error: {visible(words.partition(' with text ')[0])}", UNFIT)


def _of_system(error: OSError) -> Failure:
    from graphlang.whole_file import NothingToWriteError  # noqa: PLC0415 - help and version do without

    where = f"{error.filename}: " if error.filename else ""
    words = f"{where}{error.strerror or error}"
    if isinstance(error, FileNotFoundError) and not error.filename and not _is_somewhere():
        words = "the working folder does not exist any more"
    if isinstance(error, NothingToWriteError):
        return Failure(words, PROBLEMS)
    return Failure(words, EXHAUSTED if error.errno in _EXHAUSTED else USAGE)


def _is_somewhere() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - Path.cwd() says no more
    except OSError:
        return False
    return True
