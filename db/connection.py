"""Open the file of a collection, or say in one line why it cannot be opened."""

from __future__ import annotations

import os
import sqlite3
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from graphlang.db import lock, soundness
from graphlang.db.errors import LockedError, OldReadingWarning, StoreError, in_a_line, store_error
from graphlang.db.schema.migrations import APPLICATION_ID, VERSION, make, migrations
from graphlang.db.transaction import one_moment

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.db.lock import Holder, Lock

_Kind = TypeVar("_Kind", bound=sqlite3.Connection)

#: Whoever uses the file with another program than this is waited for so long.
BUSY_SECONDS = 30.0
#: Bytes of a value, or of a row; a page's payload has half of it at most.
_LONGEST = 64 << 20
_SQL = 1 << 20  # bytes of a statement
_PAGE = 8192  # bytes of a page of the file: twice the usual, for half as many calls of the system
_COUNTED = 1_000_000  # steps of SQLite's machine that are counted at once
#: So many it may take, and so many more for each byte of the file: thousands of times what any verb needs.
_STEPS, _STEPS_A_BYTE = 50_000_000, 400
#: What a journal ends with that names a file which SQLite deletes when the journal was played back.
_NAMES_A_FILE = bytes.fromhex("d9d505f920a163d7")


class Writer(sqlite3.Connection):
    """A connection that holds the database's lock until it is closed."""

    lock: Lock | None = None

    def close(self) -> None:
        """Close it, and give the lock back."""
        super().close()
        if self.lock is not None:
            self.lock.release()


def create(
    path: str | Path,
    *,
    verb: str = "writing",
    patience: float | None = 0.0,
    told: Callable[[Holder | None], None] | None = None,
    held: Lock | None = None,
) -> sqlite3.Connection:
    """Open the collection at ``path`` for writing; make it, or bring it to this version's schema, where needed.

    There is one writer at a time; readers are never blocked.

    Args:
        path: the file.
        verb: what it is opened for, in a word; others who want to write are told.
        patience: seconds to wait for another writer; None waits for as long as it takes.
        told: called once if there is one to wait for, with who it is, or with None where that is not known.
        held: the lock, where it was taken before; the connection gives it back when it is closed.

    Returns:
        A connection in write-ahead mode: killing the process at any moment loses at most the open transaction, and
        readers are not blocked meanwhile.

    Raises:
        LockedError: another process, or another connection of this one, is writing to it.
        StoreError: the folder does not exist, the file is something else, or a newer version of graphlang made it.
    """
    path = Path(path)
    held = held or claim(path, verb=verb, patience=patience, told=told)
    try:
        connection = _writable(path)
    except BaseException:
        held.release()
        raise
    connection.lock = held
    return connection


def claim(
    path: Path,
    *,
    verb: str = "writing",
    patience: float | None = 0.0,
    told: Callable[[Holder | None], None] | None = None,
) -> Lock:
    """The right to write to a database, before it is opened or made; the arguments are those of `create`.

    Args:
        path: the file.
        verb: what for, in a word.
        patience: seconds to wait for another writer; None waits for as long as it takes.
        told: called once if there is one to wait for.

    Raises:
        LockedError: another process, or another connection of this one, is writing to it.
        StoreError: the folder does not exist, or the file is a folder.
    """
    if not path.parent.is_dir():
        msg = f"cannot create {path}: the folder {path.parent} does not exist"
        raise StoreError(msg)
    if path.exists() and not path.is_file():
        msg = f"{path} is not a graphlang database (it is no file)"
        raise StoreError(msg)
    return lock.acquire(path, verb, patience=patience, told=told)


def _writable(path: Path) -> Writer:
    new = not path.exists() or path.stat().st_size == 0
    connection = _connect(path, Writer)
    try:
        if new or _is_blank(connection):
            # Before anything else: whoever is killed in the next moment leaves a file that is known to be ours.
            connection.execute(f"PRAGMA page_size={_PAGE}")
            connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        else:
            _check(connection, path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        if connection.execute("PRAGMA user_version").fetchone()[0] != VERSION and not make(connection):
            from sqlite_utils import Database  # noqa: PLC0415 - see `make`

            # A view of a user's own names tables that a step makes anew: SQLite would refuse to rename one meanwhile.
            connection.execute("PRAGMA legacy_alter_table=ON")
            migrations().apply(Database(connection))
            connection.execute("PRAGMA legacy_alter_table=OFF")
            connection.execute(f"PRAGMA user_version={VERSION}")
            _warn(connection, path)
    except sqlite3.DatabaseError as error:
        connection.close()
        # The disk's fault, or that of a limit: nothing is wrong with the file.
        if "full" in str(error) or "disk I/O" in str(error):
            raise
        raise store_error(f"cannot write {path}", error) from error
    except UnicodeDecodeError as error:
        connection.close()
        raise _garbled(path) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _warn(connection: sqlite3.Connection, path: Path) -> None:
    """Say what a file of an older version lacks, now that it is one of this version."""
    from graphlang.db.write import again  # noqa: PLC0415 - hardly ever needed

    found = again.lacking(connection)
    if found:
        names = max(found.values(), key=len)
        files = f"{names[0]} and {len(names) - 1} more were" if len(names) > 1 else f"{names[0]} was"
        lacks = "; ".join(f"{one} ({again.WHY.get(one, 'seen by this version')})" for one in found)
        msg = f"{path}: {files} read by an older version, without {lacks}: graphlang ingest {path} FILES --again"
        warnings.warn(OldReadingWarning(msg), stacklevel=2)


def open_existing(path: str | Path, *, write: bool = False, **writing: Any) -> sqlite3.Connection:
    """Open a collection that exists; ``write=False`` opens it read-only.

    Args:
        path: the file.
        write: whether it is opened for writing.
        writing: with ``write``, see `create`.

    Raises:
        StoreError: there is no such file, it is empty, or it is no collection that this version can read.
    """
    path = Path(path)
    _refuse_absent(path)
    if write:
        return create(path, **writing)
    connection = _readable(path)
    try:
        _check(connection, path)
        if connection.execute("PRAGMA user_version").fetchone()[0] < VERSION:
            connection.close()
            # An older schema is brought up to date by the only means there is: opening it for writing, once. A writer
            # that is there does it first of all.
            _bring_up_to_date(path)
            connection = _connect(path, sqlite3.Connection, mode="ro")
    except sqlite3.DatabaseError as error:
        connection.close()
        raise store_error(f"cannot read {path}", error) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _refuse_absent(path: Path) -> None:
    if not path.is_file():
        msg = f"no such database: {path}"
        raise StoreError(msg)
    if not path.stat().st_size:  # SQLite takes it for a database without tables
        msg = f"{path} is an empty file: 'graphlang run' and 'graphlang ingest' make a database of it"
        raise StoreError(msg)


def _bring_up_to_date(path: Path) -> None:
    try:
        create(path, verb="migrating", patience=BUSY_SECONDS).close()
    except LockedError:
        raise
    except (StoreError, sqlite3.OperationalError) as error:
        msg = (
            f"{path} is of an older version of graphlang, and cannot be brought up to date where it lies"
            f" ({in_a_line(error)}): copy it to where it can be written"
        )
        raise StoreError(msg) from error


def inspect(path: str | Path) -> sqlite3.Connection:
    """Open a file for `graphlang.db.check`, read-only, whatever it holds.

    Args:
        path: the file.

    Raises:
        StoreError: there is no such file, it is empty, or it is none of SQLite.
    """
    path = Path(path)
    _refuse_absent(path)
    connection = _readable(path)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            connection.close()
            msg = f"{path} is not a graphlang database (it is no SQLite file at all)"
            raise StoreError(msg) from error
    return connection


def _readable(path: Path) -> sqlite3.Connection:
    """Open for reading, also where nothing can be written, not even the side files of a reader.

    On such a medium a write-ahead log that is left over cannot be read with the file, and none is needed without one.
    """
    connection = _connect(path, sqlite3.Connection, mode="ro")
    try:
        connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:
        log = path.with_name(f"{path.name}-wal")
        if log.exists() and log.stat().st_size:
            return connection  # whoever asks next is told what is wrong
        connection.close()
        return _connect(path, sqlite3.Connection, mode="ro&immutable=1")
    except sqlite3.DatabaseError:
        return connection
    except UnicodeDecodeError as error:
        connection.close()
        raise _garbled(path) from error
    return connection


def _garbled(path: Path) -> StoreError:
    """SQLite names what is wrong with a schema in the words of that schema, which Python then cannot read."""
    return StoreError(f"{path} is damaged: its schema is no UTF-8")


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
        msg = f"cannot open {path}: {in_a_line(error)}"
        raise StoreError(msg) from error
    _defend(connection)
    _bound(connection, path)
    return connection


def _refuse_journal(path: Path) -> None:
    """Refuse a journal beside the database that would have SQLite delete a file of its choice; ours names none."""
    journal = path.with_name(f"{path.name}-journal")
    try:
        if not journal.is_file() or journal.stat().st_size < len(_NAMES_A_FILE):
            return
        with journal.open("rb") as file:
            file.seek(-len(_NAMES_A_FILE), os.SEEK_END)
            found = file.read()
    except OSError as error:
        msg = f"cannot read {journal}: {error.strerror}"
        raise StoreError(msg) from error
    if found == _NAMES_A_FILE:
        msg = f"{journal} would have another file deleted, and no graphlang wrote it: remove it"
        raise StoreError(msg)


def _defend(connection: sqlite3.Connection) -> None:
    """Let nothing that a stranger put into the file run, and nothing in it take any amount of memory."""
    for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0"):
        connection.execute(f"PRAGMA {pragma}")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _SQL)
    configure = getattr(connection, "setconfig", None)  # from Python 3.12 on
    if configure is not None:
        for name, value in (("DEFENSIVE", True), ("ENABLE_TRIGGER", False)):
            configure(getattr(sqlite3, f"SQLITE_DBCONFIG_{name}"), value)


def _bound(connection: sqlite3.Connection, path: Path) -> None:
    """Interrupt what reads on and on: a few pages of a file can be made to look like any number of rows.

    Steps count from the last row that was written: whoever writes much may take as many as it needs.
    """
    steps = written = 0

    def too_many() -> bool:
        nonlocal steps, written
        steps += _COUNTED
        if connection.total_changes != written:
            steps, written = 0, connection.total_changes
        return steps > _STEPS + _STEPS_A_BYTE * _size(path)

    connection.set_progress_handler(too_many, _COUNTED)


def _size(path: Path) -> int:
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def _is_blank(connection: sqlite3.Connection) -> bool:
    """Tell whether nothing was ever written to the database: whoever began to make it was killed at once."""
    try:
        marks = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        return not any(marks) and not connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]
    except sqlite3.DatabaseError:
        return False  # it is no database at all, which `_check` will say


def _check(connection: sqlite3.Connection, path: Path) -> None:
    try:
        with one_moment(connection):  # a writer may be adding pages and links
            fault = soundness.fault(connection)
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            msg = f"{path} is not a graphlang database (it is no SQLite file at all)"
        else:
            msg = f"cannot read {path}: {in_a_line(error)}"
        raise StoreError(msg) from error
    if fault is not None:
        msg = f"{path} {fault}"
        raise StoreError(msg)
