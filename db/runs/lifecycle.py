"""Start, finish and drop runs. An unfinished run belongs to the connection that started or resumed it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from graphlang.db import corrections, lock, snapshot
from graphlang.db.connection import LockedConnection
from graphlang.db.errors import LockedError, StoreError
from graphlang.db.runs.run import COLUMNS, choose_run, parse_run
from graphlang.db.statements import transaction
from graphlang.db.values import get_time
from graphlang.db.write import sources

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from graphlang.db.runs.run import Run

#: Tables with answers of runs.
ANSWER_TABLES: Final = ("predictions", "scores", "page_shares", "linked_answers", "run_hosts")


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
) -> Run:
    """Start a run, or return the existing run of the same input and parameters.

    If the collection has not changed since a run of the same kind, method, model, parameters and seeds, that run is
    returned: it is finished, or was interrupted and is resumed after `last_page`. An unfinished run belongs to this
    connection from now on.

    ``parameters`` are all that the answers depend on, as JSON values. On a connection that shows a snapshot its moment
    is added as ``at``. ``version`` is that of graphlang. ``model`` is a file name, ``model_hash`` its SHA-256.
    ``seeds`` are ids of the runs that it reads, in the order of the method. Raise a LockedError if another process is
    writing a run, a StoreError if the connection is not opened for writing.
    """
    identity = _identify(connection, kind, method, parameters, version, list(seeds))
    identity |= {"model": model, "model_hash": model_hash}
    token = _get_token(connection)
    with transaction(connection):
        run = _find_same(connection, identity)
        if run is not None:
            if run.finished is None:
                _check_abandoned(connection, run.id)
                connection.execute("UPDATE runs SET owner = ? WHERE id = ?", (token, run.id))
            return run
        _drop_unfinished(connection)
        cursor = connection.execute(
            f"INSERT INTO runs ({', '.join(identity)}, started, owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*identity.values(), get_time(), token),
        )
        row = connection.execute(f"SELECT {COLUMNS} FROM runs WHERE id = ?", (cursor.lastrowid,)).fetchone()
    return parse_run(row)


def find_finished(
    connection: sqlite3.Connection,
    *,
    kind: str,
    method: str,
    parameters: Mapping[str, Any],
    version: str,
    seeds: Sequence[int],
) -> Run | None:
    """Return the finished run without a model that `start_run` would return, if there is one."""
    run = _find_same(connection, _identify(connection, kind, method, parameters, version, seeds))
    return None if run is None or run.finished is None else run


def _identify(  # noqa: PLR0917 - internal
    connection: sqlite3.Connection,
    kind: str,
    method: str,
    parameters: Mapping[str, Any],
    version: str,
    seeds: Sequence[int],
) -> dict[str, str | None]:
    """Return the columns in which a run without a model differs from any other run."""
    moment = snapshot.get_moment(connection)
    return {
        "kind": kind,
        "method": method,
        "model": None,
        "model_hash": None,
        "parameters": json.dumps({**parameters, **({} if moment is None else {"at": moment})}, sort_keys=True),
        "seeds": json.dumps(seeds),
        "collection": digest_input(connection, seeds),
        "version": version,
    }


def _find_same(connection: sqlite3.Connection, identity: Mapping[str, str | None]) -> Run | None:
    same = " AND ".join(f"{column} IS :{column}" for column in identity)
    query = f"SELECT {COLUMNS} FROM runs WHERE {same} ORDER BY id DESC LIMIT 1"
    row = connection.execute(query, identity).fetchone()
    return None if row is None else parse_run(row)


def digest_input(connection: sqlite3.Connection, seeds: Sequence[int]) -> str:
    """Return a digest of the input of a run with these seeds: equal states have equal answers.

    A run without seeds answers each page by itself and reads no corrections.
    """
    return sources.digest_state(connection) + (corrections.digest_state(connection) if seeds else "")


def reuse_run(connection: sqlite3.Connection, run: Run, *, choose_it: bool) -> bool:
    """Return True if `start_run` returned a finished run, which needs no work; it is chosen with ``choose_it``."""
    if run.finished is None:
        return False
    if choose_it and run.at is None:
        choose_run(connection, run.id)
    return True


def extend_run(connection: sqlite3.Connection, run: Run, now_seen: Run) -> Run:
    """Record that a finished run also holds for the collection seen by a newer run, because it reads the same input."""
    with transaction(connection):
        connection.execute("UPDATE runs SET collection = ? WHERE id = ?", (now_seen.collection, run.id))
    return replace(run, collection=now_seen.collection)


def finish_run(
    connection: sqlite3.Connection,
    run: int,
    *,
    pages: int,
    rounds: int | None = None,
    converged: bool | None = None,
    inputs: str | None = None,
    linked: bool | None = None,
    choose: bool = True,
) -> None:
    """Finish a run of this connection with its columns in ``runs``; the views show it unless ``choose`` is false."""
    with transaction(connection):
        check_owner(connection, run)
        connection.execute(
            "UPDATE runs SET finished = ?, pages = ?, rounds = ?, converged = ?, inputs = ?, linked = ?,"
            " owner = NULL WHERE id = ?",
            (get_time(), pages, rounds, None if converged is None else int(converged), inputs, linked, run),
        )
        if choose and snapshot.get_moment(connection) is None:
            connection.execute("INSERT OR REPLACE INTO chosen VALUES (1, ?)", (run,))


def drop_unfinished_runs(connection: sqlite3.Connection) -> None:
    """Drop interrupted runs; raise LockedError if another process is writing one."""
    with transaction(connection):
        _drop_unfinished(connection)


def _drop_unfinished(connection: sqlite3.Connection) -> None:
    for (run,) in connection.execute("SELECT id FROM runs WHERE finished IS NULL").fetchall():
        _check_abandoned(connection, run)
        forget_run(connection, run)


def forget_run(connection: sqlite3.Connection, run: int) -> None:
    """Drop any run with its answers, within a transaction."""
    _drop_all_answers(connection, run)
    connection.execute("DELETE FROM runs WHERE id = ?", (run,))


def clear_run(connection: sqlite3.Connection, run: int) -> None:
    """Drop all answers of an unfinished run of this connection."""
    with transaction(connection):
        check_owner(connection, run)
        _drop_all_answers(connection, run)


def _drop_all_answers(connection: sqlite3.Connection, run: int) -> None:
    for table in ANSWER_TABLES:
        connection.execute(f"DELETE FROM {table} WHERE run = ?", (run,))


def _get_token(connection: sqlite3.Connection) -> str:
    """Return the token of the connection's lock, which marks its runs."""
    acquired = connection.lock if isinstance(connection, LockedConnection) else None
    if acquired is None:
        msg = "the collection was not opened for writing"
        raise StoreError(msg)
    return acquired.token


def _check_abandoned(connection: sqlite3.Connection, run: int) -> None:
    """Raise LockedError if another process is writing an unfinished run; the lock file may have been deleted."""
    method, owner = connection.execute("SELECT method, owner FROM runs WHERE id = ?", (run,)).fetchone()
    pid = None if owner is None else lock.find_running_process(str(owner))
    if pid is not None:
        msg = f"run {run} ({method}) is being written by process {pid}: wait for it"
        raise LockedError(msg)


def check_owner(connection: sqlite3.Connection, run: int) -> None:
    """Raise StoreError unless a run is unfinished and belongs to this connection."""
    token = _get_token(connection)
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
