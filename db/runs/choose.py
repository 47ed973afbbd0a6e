"""The run that the views show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.db import values
from graphlang.db.errors import StoreError
from graphlang.db.runs.find import get_run
from graphlang.db.write import sources

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.runs.run import Run


def choose_run(connection: sqlite3.Connection, run: int) -> None:
    """Let the views show this run.

    Args:
        connection: a collection opened for writing.
        run: the run's id.

    Raises:
        StoreError: there is no such run, it was never finished, or it saw the captures of another time.
    """
    if (moment := get_run(connection, run).at) is not None:
        raise StoreError(f"run {run} is of {moment}: the views show the pages' own captures")
    connection.execute("INSERT OR REPLACE INTO chosen VALUES (1, ?)", (run,))


def chosen_run(connection: sqlite3.Connection) -> Run | None:
    """The run that the views show, if any."""
    row = connection.execute("SELECT run FROM chosen").fetchone()
    if row is None:
        return None
    values.check_type("chosen.run", row, int)
    return get_run(connection, row[0])


def has_changed(connection: sqlite3.Connection, run: Run) -> bool:
    """Whether files were read, or pages removed, since a run: what it has not seen has no answer.

    Args:
        connection: the collection.
        run: one of its runs.
    """
    return not run.collection.startswith(sources.state(connection))
