"""Begin a run: the one that was stopped halfway, the one that is done already, or a new one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from graphlang.db import corrections, snapshot
from graphlang.db.runs.choose import choose_run
from graphlang.db.runs.drop import drop_unfinished_within, forget_run
from graphlang.db.runs.ownership import check_abandoned, check_own, token_of
from graphlang.db.runs.run import COLUMNS, run_of
from graphlang.db.statements import transaction
from graphlang.db.values import now
from graphlang.db.write import sources

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from graphlang.db.runs.run import Run

#: What stands in the place of `state_seen` while pages are read and the run answers for those that are there already.
GROWING: Final = "growing"


def start_run(
    connection: sqlite3.Connection,
    *,
    kind: str,
    method: str,
    parameters: Mapping[str, Any],
    version: str,
    model: str | None = None,
    model_hash: str | None = None,
    seeds: Iterable[int] = (),
    growing: bool = False,
) -> Run:
    """Start a run, or find the one that these parameters mean.

    Args:
        connection: a collection opened for writing.
        kind: what the run does: a value of the column ``kind``.
        method: how: the name of the method or algorithm.
        parameters: all that its answers depend on, and JSON can hold; kept with its keys sorted. On a connection that
            shows a moment (``graphlang.db.snapshot``) that is added, as ``at``.
        version: of graphlang.
        model: name of the model's file; None where there is none.
        model_hash: SHA-256 of the model; None where there is none.
        seeds: ids of the runs that it reads, in the order that the method takes them.
        growing: whether pages are still being read; `settle_run` says that they are all there.

    Returns:
        If the collection has not grown since a run of the same kind, method, model, parameters and seeds, that run:
        finished (there is nothing to do) or stopped halfway (go on after `read_answers.last_page`). Else a new run.
        What is not finished is this connection's from now on.

    Raises:
        LockedError: another process is writing a run.
        StoreError: the collection was not opened for writing.
    """
    started_from = list(seeds)
    shown = snapshot.moment(connection)
    parameters = dict(parameters) | ({} if shown is None else {"at": shown})
    identity = (
        kind,
        method,
        model,
        model_hash,
        json.dumps(parameters, sort_keys=True),
        json.dumps(started_from),
        GROWING if growing else state_seen(connection, started_from),
        version,
    )
    token = token_of(connection)
    with transaction(connection):
        row = connection.execute(
            f"SELECT {COLUMNS} FROM runs WHERE (kind, method, parameters, seeds, collection, version)"
            " = (?, ?, ?, ?, ?, ?) AND model IS ? AND model_hash IS ? ORDER BY id DESC LIMIT 1",
            (*identity[:2], *identity[4:], *identity[2:4]),
        ).fetchone()
        if row is not None:
            found = run_of(row)
            if found.finished is None:
                check_abandoned(connection, found.id)
                connection.execute("UPDATE runs SET owner = ? WHERE id = ?", (token, found.id))
            return found
        drop_unfinished_within(connection)
        cursor = connection.execute(
            "INSERT INTO runs (kind, method, model, model_hash, parameters, seeds, collection, version, started, owner)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*identity, now(), token),
        )
        row = connection.execute(f"SELECT {COLUMNS} FROM runs WHERE id = ?", (cursor.lastrowid,)).fetchone()
    return run_of(row)


def has_growing_run(connection: sqlite3.Connection, method: str) -> bool:
    """Whether a run of this method was begun while pages were read, and not settled since.

    Args:
        connection: the collection.
        method: of the run.
    """
    found = connection.execute(
        "SELECT 1 FROM runs WHERE finished IS NULL AND (collection, method) = (?, ?)", (GROWING, method)
    ).fetchone()
    return found is not None


def settle_run(connection: sqlite3.Connection, run: Run) -> None:
    """Let a growing run be one over the collection as it is now: all pages are there.

    Where there is such a run already, the growing one is dropped.

    Args:
        connection: a collection opened for writing.
        run: what `start_run` gave.

    Raises:
        StoreError: the run is finished, or does not belong to this connection.
    """
    with transaction(connection):
        check_own(connection, run.id)
        seen = state_seen(connection, run.seeds)
        there = connection.execute(
            "SELECT 1 FROM runs AS other, runs AS mine"
            " WHERE mine.id = ? AND other.id <> mine.id AND other.collection = ?"
            " AND (other.kind, other.method, other.parameters, other.seeds, other.version)"
            " = (mine.kind, mine.method, mine.parameters, mine.seeds, mine.version)"
            " AND other.model IS mine.model AND other.model_hash IS mine.model_hash",
            (run.id, seen),
        ).fetchone()
        if there is not None:
            forget_run(connection, run.id)
        else:
            connection.execute("UPDATE runs SET collection = ? WHERE id = ?", (seen, run.id))


def state_seen(connection: sqlite3.Connection, seeds: Sequence[int]) -> str:
    """What a run sees of the collection: where it is the same, so are the answers.

    Args:
        connection: the collection.
        seeds: runs that it starts from. A run without any answers each page by itself, and sees no corrections.
    """
    return sources.state(connection) + (corrections.state(connection) if seeds else "")


def reuse_run(connection: sqlite3.Connection, run: Run, *, choose_it: bool) -> bool:
    """Whether `start_run` found a run that is done; then it is chosen, if that is wanted, and there is no more to do.

    Args:
        connection: a collection opened for writing.
        run: what `start_run` gave.
        choose_it: whether the views are to show it.
    """
    if run.finished is None:
        return False
    if choose_it and run.at is None:
        choose_run(connection, run.id)
    return True


def seen_again(connection: sqlite3.Connection, run: Run, now_seen: Run) -> Run:
    """Write down that a run has seen the collection as it is now, too: all that it reads of it is the same.

    Args:
        connection: a collection opened for writing.
        run: a finished run.
        now_seen: the run that was begun, found to read the same, and given up.

    Returns:
        The finished run.
    """
    with transaction(connection):
        connection.execute("UPDATE runs SET collection = ? WHERE id = ?", (now_seen.collection, run.id))
    return replace(run, collection=now_seen.collection)
