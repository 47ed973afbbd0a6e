"""Open the file of a collection, or raise in one line why it cannot be opened."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from graphlang.db import lock
from graphlang.db.errors import EmptyError, StoreError, format_one_line, store_error
from graphlang.db.schema import APPLICATION_ID, VERSION, create_tables, find_faults
from graphlang.db.statements import read_transaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphlang.db.lock import Holder, Lock

_Kind = TypeVar("_Kind", bound=sqlite3.Connection)

#: How long to wait for another program that has the file locked.
BUSY_SECONDS = 30.0
#: Bytes of a value or row; a page's payload has half of it at most.
_LONGEST = 64 << 20
_SQL = 1 << 20  # bytes of a statement
_PAGE = 8192  # bytes of a page of the file: twice SQLite's default halves the system calls
_COUNTED = 1_000_000  # steps of SQLite's machine between two calls of the progress handler
#: Limit on steps: thousands of times what any verb needs.
_STEPS, _STEPS_A_BYTE = 50_000_000, 400
#: End of a journal that names a file for SQLite to delete after playing the journal back.
_NAMES_A_FILE = bytes.fromhex("d9d505f920a163d7")
#: Files that SQLite and the lock keep beside a database.
_SIDE_FILES = ("-wal", "-shm", "-journal", "-lock")


class LockedConnection(sqlite3.Connection):
    """A connection that holds the database's lock until it is closed."""

    lock: Lock | None = None

    def close(self) -> None:
        """Close the connection and release the lock."""
        super().close()
        if self.lock is not None:
            self.lock.release()


def create(
    path: str | Path,
    *,
    verb: str = "writing",
    patience: float | None = 0.0,
    on_wait: Callable[[Holder | None], None] | None = None,
    db_lock: Lock | None = None,
) -> sqlite3.Connection:
    """Open the collection at ``path`` for writing, and create it if needed.

    The connection is in write-ahead mode: it never blocks readers, and a process that is killed loses at most the open
    transaction. There is one writer at a time.

    ``verb`` is the purpose in one word, shown to others who want to write. ``patience`` is the number of seconds to
    wait for another writer; None waits forever. ``on_wait`` is called once with the other writer, or with None if it is
    unknown. ``db_lock`` is the lock if it was acquired before; closing the connection releases it.

    Raise a LockedError if another process, or another connection of this one, is writing to it; a StoreError if the
    folder does not exist, or the file is not a collection of this schema.
    """
    path = Path(path)
    db_lock = db_lock or claim(path, verb=verb, patience=patience, on_wait=on_wait)
    try:
        connection = _open_writable(path)
    except BaseException:
        db_lock.release()
        raise
    connection.lock = db_lock
    return connection


def claim(
    path: Path,
    *,
    verb: str = "writing",
    patience: float | None = 0.0,
    on_wait: Callable[[Holder | None], None] | None = None,
) -> Lock:
    """Acquire the lock of a database before it is opened or created; arguments and errors as in `create`."""
    if not path.parent.is_dir():
        msg = f"cannot create {path}: the folder {path.parent} does not exist"
        raise StoreError(msg)
    if path.exists() and not path.is_file():
        msg = f"{path} is not a graphlang database: not a regular file"
        raise StoreError(msg)
    return lock.acquire(path, verb, patience=patience, on_wait=on_wait)


def _open_writable(path: Path) -> LockedConnection:
    new = not path.exists() or path.stat().st_size == 0
    connection = _connect(path, LockedConnection)
    try:
        new = new or _is_blank(connection)
        if new:
            # First of all, so that a process killed at any later moment leaves a file known to be ours.
            connection.execute(f"PRAGMA page_size={_PAGE}")
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        else:
            _check_schema(connection, path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        if new:
            create_tables(connection)
    except sqlite3.DatabaseError as error:
        connection.close()
        # The disk or a limit failed, not the file.
        if "full" in str(error) or "disk I/O" in str(error):
            raise
        raise store_error(f"cannot write {path}", error) from error
    except UnicodeDecodeError as error:
        connection.close()
        raise _garbled_schema_error(path) from error
    except BaseException:
        connection.close()
        raise
    return connection


def open_existing(path: str | Path, *, write: bool = False, **writing: Any) -> sqlite3.Connection:
    """Open a collection that exists: for writing as `create` does, or read-only.

    Raise a StoreError if the file is missing, empty, or not a collection of this schema.
    """
    path = Path(path)
    _refuse_absent(path)
    if write:
        return create(path, **writing)
    connection = _open_readable(path)
    try:
        _check_schema(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


def inspect(path: str | Path) -> sqlite3.Connection:
    """Open any SQLite file read-only, for `graphlang.db.check`; raise StoreError if it is none."""
    path = Path(path)
    _refuse_absent(path)
    connection = _open_readable(path)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            connection.close()
            raise _not_sqlite_error(path) from error
    return connection


def _refuse_absent(path: Path) -> None:
    if not path.is_file():
        msg = f"no such database: {path} ('graphlang run FILES --db {path}' makes one)"
        raise StoreError(msg)
    if not path.stat().st_size:  # SQLite takes it for a database without tables
        raise _empty_error(path)


def _empty_error(path: Path) -> EmptyError:
    return EmptyError(f"{path} is empty: 'graphlang run' and 'graphlang ingest' make a database of it")


def _not_sqlite_error(path: Path) -> StoreError:
    return StoreError(f"{path} is not a graphlang database: not a SQLite file")


def _garbled_schema_error(path: Path) -> StoreError:
    """Return the error for a schema that SQLite quotes in its message and Python cannot decode."""
    return StoreError(f"{path} is damaged: its schema is not UTF-8")


def _open_readable(path: Path) -> sqlite3.Connection:
    """Open for reading, also on a read-only medium, where SQLite cannot write the side files of a reader.

    There a write-ahead log that was left behind cannot be read, and without one none is needed.
    """
    connection = _connect(path, sqlite3.Connection, mode="ro")
    try:
        connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            return connection  # the next query raises the error
        connection.close()
        return _connect(path, sqlite3.Connection, mode="ro&immutable=1")
    except sqlite3.DatabaseError:
        return connection
    except UnicodeDecodeError as error:
        connection.close()
        raise _garbled_schema_error(path) from error
    return connection


def _connect(path: Path, kind: type[_Kind], *, mode: str = "rwc") -> _Kind:
    _refuse_journal(path)
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            factory=kind,
        )
    except sqlite3.Error as error:
        msg = f"cannot open {path}: {format_one_line(error)}"
        raise StoreError(msg) from error
    _defend(connection)
    _limit_steps(connection, path)
    return connection


def _refuse_journal(path: Path) -> None:
    """Refuse a journal that would make SQLite delete a file of its choice; ours names none."""
    journal = path.with_name(f"{path.name}-journal")
    try:
        if not journal.is_file() or journal.stat().st_size < len(_NAMES_A_FILE):
            return
        with journal.open("rb") as file:
            file.seek(-len(_NAMES_A_FILE), os.SEEK_END)
            end = file.read()
    except OSError as error:
        msg = f"cannot read {journal}: {error.strerror}"
        raise StoreError(msg) from error
    if end == _NAMES_A_FILE:
        msg = f"{journal} would make SQLite delete another file, and graphlang did not write it: remove it"
        raise StoreError(msg)


def _defend(connection: sqlite3.Connection) -> None:
    """Let no code in a schema run, and no value take more memory than `_LONGEST`."""
    for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
        connection.execute(f"PRAGMA {pragma}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _SQL)
    configure = getattr(connection, "setconfig", None)  # from Python 3.12 on
    if configure is not None:
        for name, value in (("DEFENSIVE", True), ("ENABLE_TRIGGER", False)):
            configure(getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), value)


def _limit_steps(connection: sqlite3.Connection, path: Path) -> None:
    """Interrupt endless reading: a few damaged pages can look like any number of rows.

    Steps count from the last row written, so that writing has no limit.
    """
    steps = written = 0

    def is_over() -> bool:
        nonlocal steps, written
        steps += _COUNTED
        if connection.total_changes != written:
            steps, written = 0, connection.total_changes
        return steps > _STEPS + _STEPS_A_BYTE * _measure_size(path)

    connection.set_progress_handler(is_over, _COUNTED)


def _measure_size(path: Path) -> int:
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _is_blank(connection: sqlite3.Connection) -> bool:
    """Return True if the database has no tables yet, as after a process was killed while it created the file."""
    try:
        application, version = (
            connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        tables = connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]
    except sqlite3.DatabaseError:
        return False  # `_check_schema` raises why
    return application in {0, APPLICATION_ID} and version in {0, VERSION} and not tables


def _check_schema(connection: sqlite3.Connection, path: Path) -> None:
    try:
        with read_transaction(connection):  # a writer may be adding pages and links
            fault = next(find_faults(connection), None)
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            raise _not_sqlite_error(path) from error
        raise store_error(f"cannot read {path}", error) from error
    if fault is not None:
        if _is_blank(connection):
            raise _empty_error(path)
        msg = f"{path} {fault.reason}"
        raise StoreError(msg)


def list_database_files(db: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files of a database and the archives it was read from, each with a description.

    They must not be overwritten. If the database cannot be opened, its archives are unknown.
    """
    yield from list_companion_files(db)
    if not db.is_file():
        return
    try:
        connection = open_existing(db)
    except StoreError:
        return  # the verb itself raises it
    with closing(connection):
        names = [str(name) for (name,) in connection.execute("SELECT name FROM sources ORDER BY id")]
    for name in names:
        yield Path(name), "an archive that the database was read from"
        yield db.parent / name, "an archive that the database was read from"


def list_companion_files(db: Path) -> Iterator[tuple[Path, str]]:
    """Yield a database and the files beside it, each with a description."""
    yield db, "the database"
    yield from ((db.with_name(db.name + end), "a file of the database") for end in _SIDE_FILES)


def is_same_file(target: Path, path: Path) -> bool:
    """Return True if two paths lead to one file, under any names; neither needs to exist."""
    if target.exists() and path.exists():
        return target.samefile(path)
    return os.path.realpath(target) == os.path.realpath(path)
