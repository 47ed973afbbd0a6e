"""Who writes a run: one that is not finished belongs to the connection that started it, or went on with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.db import lock
from graphlang.db.connection import Writer
from graphlang.db.errors import LockedError, StoreError

if TYPE_CHECKING:
    import sqlite3


def token_of(connection: sqlite3.Connection) -> str:
    """What tells the writer of a run from all others: the token of its lock.

    Args:
        connection: a collection opened for writing.

    Raises:
        StoreError: it was opened for reading.
    """
    held = connection.lock if isinstance(connection, Writer) else None
    if held is None:
        msg = "the collection was not opened for writing"
        raise StoreError(msg)
    return held.token


def check_abandoned(connection: sqlite3.Connection, run: int) -> None:
    """Make sure that no other process is writing an unfinished run; the lock should see to that, but it is a file.

    Args:
        connection: the collection.
        run: the run's id, which there is.

    Raises:
        LockedError: another process is.
    """
    method, owner = connection.execute("SELECT method, owner FROM runs WHERE id = ?", (run,)).fetchone()
    pid = None if owner is None else lock.alive(str(owner))
    if pid is not None:
        msg = f"run {run} ({method}) is being written by process {pid}: wait for it"
        raise LockedError(msg)


def check_own(connection: sqlite3.Connection, run: int) -> None:
    """Make sure that a run is not finished and belongs to this connection.

    Args:
        connection: a collection opened for writing.
        run: the run's id.

    Raises:
        StoreError: it is gone or finished, or another process writes it.
    """
    token = token_of(connection)
    row = connection.execute("SELECT owner, finished FROM runs WHERE id = ?", (run,)).fetchone()
    if row is None:
        msg = f"run {run} is gone: another process has dropped it"
    elif row[1] is not None:
        msg = f"run {run} is finished, and nothing is added to it"
    elif row[0] != token:
        msg = f"run {run} belongs to another process by now: start again"
    else:
        return
    raise StoreError(msg)
