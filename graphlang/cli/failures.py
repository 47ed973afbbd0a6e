"""Errors of a command: the exit code and the message of each kind, in one line.

| code | means |
|---|---|
| 0 | done |
| 1 | done, with problems: they are in the table `problems`, or on standard error |
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
from contextlib import closing
from typing import Final

import click

from graphlang.cli.shared.options import DATABASE
from graphlang.interrupts import interrupted
from graphlang.printing import visible

PROBLEMS, USAGE, UNFIT, EXHAUSTED, LOCKED, INTERRUPTED = 1, 2, 3, 4, 5, 130
#: Errors of the operating system that mean that a resource is exhausted.
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
#: What Python raises over values of a wrong kind.
_OVER_VALUES: Final = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError)


class Failure(click.ClickException):
    """An error with a message of one line and an exit code."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self._code = code

    @property
    def exit_code(self) -> int:  # type: ignore[override]  # click has it as a constant of the class
        """The exit code."""
        return self._code


def explain_failure(error: BaseException) -> Failure | None:
    """Return the message and exit code of an error; None for a defect of the program."""
    if isinstance(error, KeyboardInterrupt) or (interrupted() and _describe_database_error(error)):
        return Failure("interrupted; run the same command again to resume", INTERRUPTED)
    if isinstance(error, MemoryError):
        return Failure(f"there is not enough memory{f': {error}' if str(error) else ''}", EXHAUSTED)
    if isinstance(error, sqlite3.Error):
        return _describe_sqlite_error(str(error))
    if isinstance(error, OSError):
        return _describe_system_error(error)
    if _describe_database_error(error) and isinstance(error.__cause__, sqlite3.Error):
        reported = _describe_sqlite_error(str(error.__cause__))
        if reported.exit_code != UNFIT or str(error.__cause__) == "interrupted":
            return reported
    code = _code_of(error)
    return None if code is None else Failure(str(error), code)


def describe_damage(ctx: click.Context, error: BaseException) -> Failure | None:
    """Return what is wrong with the database of the command, if that can have caused an error."""
    path = ctx.meta.get(DATABASE)
    if path is None or not isinstance(error, _OVER_VALUES):
        return None
    from graphlang.db import StoreError  # noqa: PLC0415 - only when it failed
    from graphlang.db.check import list_findings  # noqa: PLC0415
    from graphlang.db.connection import inspect  # noqa: PLC0415
    from graphlang.db.values import CHECK  # noqa: PLC0415

    try:
        with closing(inspect(path)) as connection:
            finding = next(list_findings(connection), None)
    except (StoreError, sqlite3.Error):
        return None
    if finding is None:
        return None
    where = f"{finding.table}{f' ({finding.row})' if finding.row else ''}"
    return Failure(f"{path} is unsound: {where}: {finding.what}{CHECK}", UNFIT)


def _describe_database_error(error: BaseException) -> bool:
    from graphlang.db.errors import StoreError  # noqa: PLC0415 - only when it failed

    return isinstance(error, (sqlite3.Error, StoreError))


def _code_of(error: BaseException) -> int | None:
    # Modules that import numpy are imported only where the error may be theirs.
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
        codes |= _describe_cluster_error("CollisionError", "graphlang.cluster.page_ids", UNFIT)
    if isinstance(error, RuntimeError):
        from graphlang.ingest import WorkerError  # noqa: PLC0415 - only when it failed

        codes[WorkerError] = EXHAUSTED
        codes |= _describe_cluster_error("SparkError", "graphlang.cluster.spark_session", USAGE)
        codes |= _describe_cluster_error("JobError", "graphlang.cluster.spark_session", EXHAUSTED)
    return next((code for kind, code in codes.items() if isinstance(error, kind)), None)


def _describe_cluster_error(name: str, module: str, code: int) -> dict[type[BaseException], int]:
    """An error of the cluster's modules, if these are imported."""
    return {getattr(sys.modules[module], name): code} if module in sys.modules else {}


def _describe_sqlite_error(message: str) -> Failure:
    if "full" in message:
        return Failure("the disk is full: free some space, and run the same command again to resume", EXHAUSTED)
    if "locked" in message:
        return Failure("the database is in use by another process", LOCKED)
    if "disk I/O" in message:
        return Failure(f"the disk fails, or is full: {message}", EXHAUSTED)
    if message == "interrupted":
        return Failure("reading the database takes more steps than its size allows (see 'graphlang check')", UNFIT)
    # SQLite repeats text that it cannot decode, line breaks included.
    return Failure(f"database error: {visible(message.partition(' with text ')[0])}", UNFIT)


def _describe_system_error(error: OSError) -> Failure:
    from graphlang.files import NothingToWriteError  # noqa: PLC0415 - help and version do without

    where = f"{error.filename}: " if error.filename else ""
    message = f"{where}{error.strerror or error}"
    if isinstance(error, FileNotFoundError) and not error.filename and not _has_working_folder():
        message = "the working folder does not exist any more"
    if isinstance(error, NothingToWriteError):
        return Failure(message, PROBLEMS)
    return Failure(message, EXHAUSTED if error.errno in _EXHAUSTED else USAGE)


def _has_working_folder() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - Path.cwd() says no more
    except OSError:
        return False
    return True
