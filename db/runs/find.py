"""Runs by their number, or the newest of some kind: which there are, and what they started from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from graphlang.db import snapshot, values
from graphlang.db.errors import StoreError
from graphlang.db.runs.run import AT, COLUMNS, run_of

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.runs.run import Run

_LAST: Final = 2**63 - 1  #: the greatest integer of SQLite


def all_runs(connection: sqlite3.Connection) -> list[Run]:
    """All runs, oldest first."""
    return [run_of(row) for row in connection.execute(f"SELECT {COLUMNS} FROM runs ORDER BY id")]


def get_run(connection: sqlite3.Connection, run: int) -> Run:
    """One run.

    Args:
        connection: the collection.
        run: its id.

    Raises:
        StoreError: there is no such run, or it was never finished.
    """
    row = None
    if 0 < run <= _LAST:
        row = connection.execute(f"SELECT {COLUMNS} FROM runs WHERE id = ?", (run,)).fetchone()
    if row is None:
        msg = f"there is no run {run} in this database"
        raise StoreError(msg)
    found = run_of(row)
    if found.finished is None:
        msg = f"run {run} was stopped before its end; repeat its command to finish it"
        raise StoreError(msg)
    return found


def any_run(connection: sqlite3.Connection, run: int) -> Run:
    """One run, finished or not.

    Args:
        connection: the collection.
        run: the run's id, which there is.

    Raises:
        StoreError: it holds what no run does.
    """
    with values.reading("runs"):
        return run_of(connection.execute(f"SELECT {COLUMNS} FROM runs WHERE id = ?", (run,)).fetchone())


def is_missing(connection: sqlite3.Connection, run: int) -> bool:
    """Whether there is no such run.

    Args:
        connection: the collection.
        run: the run's id.
    """
    return connection.execute("SELECT 1 FROM runs WHERE id = ?", (run,)).fetchone() is None


def origin_of(connection: sqlite3.Connection, run: Run) -> Run:
    """The run that another one started from.

    Args:
        connection: the collection.
        run: a vote, a propagation, or any other that starts from one.

    Raises:
        StoreError: it names none, or one that is not there or not finished.
    """
    if not run.seeds:
        raise values.refused("runs.seeds", "[]", f"the run that run {run.id} started from")
    return get_run(connection, run.seeds[0])


def latest_run(connection: sqlite3.Connection, *kinds: str) -> Run | None:
    """The newest finished run of one of the kinds over the pages' own captures, or over those that are shown.

    Args:
        connection: the collection.
        kinds: values of the column ``kind``.

    Returns:
        The run, or None where there is none.
    """
    marks = ", ".join("?" * len(kinds))
    row = connection.execute(
        f"SELECT {COLUMNS} FROM runs WHERE kind IN ({marks}) AND finished IS NOT NULL"
        f" AND COALESCE({AT}, ?) IS ? ORDER BY id DESC LIMIT 1",
        (*kinds, shown := snapshot.moment(connection), shown),
    ).fetchone()
    return None if row is None else run_of(row)


def run_of_moment(connection: sqlite3.Connection, moment: str) -> Run | None:
    """The newest finished run over the captures of a moment: an inference, else a vote, else one over texts.

    Args:
        connection: the collection.
        moment: as `graphlang.db.snapshot.Moment` has it.
    """
    row = connection.execute(
        f"SELECT {COLUMNS} FROM runs WHERE {AT} = ? AND finished IS NOT NULL"
        " ORDER BY kind = 'content', kind = 'vote', id DESC LIMIT 1",
        (moment,),
    ).fetchone()
    return None if row is None else run_of(row)


def earlier_run(
    connection: sqlite3.Connection, run: Run, *, inputs: str | None = None, any_time: bool = False
) -> Run | None:
    """The newest finished run of the same kind, method, model, parameters and version, whatever collection it saw.

    Args:
        connection: the collection.
        run: the run to compare with; it is not an answer itself.
        inputs: what that run must have read, where not given any.
        any_time: also where it saw the captures of another moment.
    """
    timeless = "IIF(JSON_VALID(parameters), JSON_REMOVE(parameters, '$.at'), NULL) = JSON_REMOVE(?3, '$.at')"
    same = timeless if any_time else "parameters = ?3"
    row = connection.execute(
        f"SELECT {COLUMNS} FROM runs WHERE (kind, method) = (?1, ?2) AND {same} AND version = ?4 AND model IS ?5"
        " AND model_hash IS ?6 AND id <> ?7 AND finished IS NOT NULL AND (?8 IS NULL OR inputs = ?8)"
        " ORDER BY id DESC LIMIT 1",
        (
            *(run.kind, run.method, json.dumps(run.parameters, sort_keys=True), run.version),
            *(run.model, run.model_hash, run.id, inputs),
        ),
    ).fetchone()
    return None if row is None else run_of(row)
