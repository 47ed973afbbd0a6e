"""Open the file of a collection, or say in one line why it cannot be opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from .schema import APPLICATION_ID, VERSION, make, migrations

#: Writers wait this long for another process that holds the file.
BUSY_SECONDS = 30.0


class StoreError(Exception):
    """The file is no collection of ours, or cannot be read or written; the words are for the user, in one line."""


def create(path: str | Path) -> sqlite3.Connection:
    """Open the collection at ``path`` for writing; make it, or bring it to this version's schema, where needed.

    Returns:
        A connection in write-ahead mode: killing the process at any moment loses at most the open transaction, and
        readers are not blocked meanwhile.

    Raises:
        StoreError: the folder does not exist, the file is something else, or a newer version of graphlang made it.
    """
    path = Path(path)
    if not path.parent.is_dir():
        msg = f"cannot create {path}: the folder {path.parent} does not exist"
        raise StoreError(msg)
    new = not path.exists() or path.stat().st_size == 0
    connection = _connect(path)
    try:
        if new or _is_blank(connection):
            # Before anything else: whoever is killed in the next moment leaves a file that is known to be ours.
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        else:
            _check(connection, path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION and not make(connection):
            from sqlite_utils import Database  # noqa: PLC0415 - see `make`

            migrations().apply(Database(connection))
            connection.execute(f"PRAGMA user_version={VERSION}")
    except sqlite3.DatabaseError as error:
        connection.close()
        msg = f"cannot write {path}: {error}"
        raise StoreError(msg) from error
    except BaseException:
        connection.close()
        raise
    return connection


def open_existing(path: str | Path, *, write: bool = False) -> sqlite3.Connection:
    """Open a collection that exists; ``write=False`` opens it read-only.

    Raises:
        StoreError: there is no such file, or it is no collection that this version can read.
    """
    path = Path(path)
    if not path.is_file():
        msg = f"no such database: {path}"
        raise StoreError(msg)
    if write:
        return create(path)
    connection = _connect(path, mode="ro")
    try:
        _check(connection, path)
        if connection.execute("PRAGMA user_version").fetchone()[0] < VERSION:
            connection.close()
            # An older schema is brought up to date by the only means there is: opening it for writing, once.
            create(path).close()
            connection = _connect(path, mode="ro")
    except sqlite3.DatabaseError as error:
        connection.close()
        msg = f"cannot read {path}: {error}"
        raise StoreError(msg) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _connect(path: Path, mode: str = "rwc") -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}", uri=True, timeout=BUSY_SECONDS, isolation_level=None
        )
    except sqlite3.Error as error:
        msg = f"cannot open {path}: {error}"
        raise StoreError(msg) from error
    return connection


def _is_blank(connection: sqlite3.Connection) -> bool:
    """Tell whether nothing was ever written to the database: whoever began to make it was killed at once."""
    try:
        marks = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        return not any(marks) and not connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]
    except sqlite3.DatabaseError:
        return False  # it is no database at all, which `_check` will say


def _check(connection: sqlite3.Connection, path: Path) -> None:
    try:
        found = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            msg = f"{path} is not a graphlang database (it is no SQLite file at all)"
        else:
            msg = f"cannot read {path}: {error}"
        raise StoreError(msg) from error
    if found != APPLICATION_ID:
        msg = f"{path} is not a graphlang database (it is a SQLite file of something else)"
        raise StoreError(msg)
    if version > VERSION:
        msg = f"{path} was made by a newer graphlang (schema {version}; this one knows {VERSION}): please upgrade"
        raise StoreError(msg)
