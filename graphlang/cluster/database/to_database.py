"""The tables of a cluster -> the one file of a collection, where ids are dense: as pages were read, then by URL."""

from __future__ import annotations

import os
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import pyarrow as pa
import pyarrow.dataset as ds

from graphlang.cluster.database.table_rows import TableRows
from graphlang.cluster.database.write_pages import Pages
from graphlang.cluster.database.write_runs import Runs
from graphlang.db import InputError, create
from graphlang.db.write.writer import finish

if TYPE_CHECKING:
    import sqlite3


#: Tables that a folder has to have.
NEEDED: Final = ("answers", "captures", "links", "pages", "problems", "runs", "sources")
#: Tables that it may have.
MORE: Final = ("anchor_texts", "corrections", "history", "removed")


class Imported(NamedTuple):
    """What was brought into a database."""

    pages: int  #: URLs, fetched or only linked to
    fetched: int
    links: int
    problems: int
    runs: int


def to_database(folder: Path, path: Path) -> Imported:
    """Make a database of the tables that `graphlang cluster run` wrote.

    The file gets its name when it is complete.

    Args:
        folder: with the tables as Parquet.
        path: of the database; there must be no such file.

    Raises:
        InputError: a table or a column is missing or broken; or the database exists.
    """
    if path.exists():
        raise InputError(f"{path} exists; import makes a new database")
    tables = {name: _table(folder, name) for name in NEEDED}
    tables |= {name: _table(folder, name) for name in MORE if (folder / name).is_dir()}
    if not path.absolute().parent.is_dir():
        raise InputError(f"cannot create {path}: the folder {path.parent} does not exist")
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.absolute().parent)
    os.close(handle)
    part = Path(name)
    try:
        with closing(create(part, verb="import")) as connection:
            done = _all(connection, tables)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except (pa.ArrowException, KeyError) as error:
        raise InputError(f"{folder} does not hold what 'graphlang cluster run' writes: {_first_line(error)}") from error
    finally:
        for leftover in part.parent.glob(f"{part.name}*"):
            leftover.unlink()
    return done


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _table(folder: Path, name: str) -> ds.Dataset:
    if not (folder / name).is_dir():
        raise InputError(f"{folder} holds no table {name}; name a folder that 'graphlang cluster run' wrote")
    try:
        return ds.dataset(folder / name, format="parquet", partitioning="hive" if name == "answers" else None)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"cannot read {folder / name}: {_first_line(error)}") from error


def _all(connection: sqlite3.Connection, tables: dict[str, ds.Dataset]) -> Imported:
    given = TableRows(tables)
    pages = Pages(connection, given)
    connection.execute("BEGIN IMMEDIATE")
    counts = pages.write()
    connection.execute("COMMIT")
    finish(connection)
    return Imported(*counts, Runs(connection, given).write(pages.answered))


def _first_line(error: Exception) -> str:
    """Arrow repeats whole schemas."""
    return (str(error).splitlines() or [type(error).__name__])[0][:500]
