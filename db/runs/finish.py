"""Finish a run: nothing is added to it from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.db import snapshot
from graphlang.db.runs.ownership import check_own
from graphlang.db.statements import transaction
from graphlang.db.values import now

if TYPE_CHECKING:
    import sqlite3


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
    """Close a run; it becomes the chosen one unless told otherwise. ``linked``: see `Run`.

    Args:
        connection: a collection opened for writing.
        run: the run's id.
        pages: how many have an answer.
        rounds: of the inference; None where the method has none.
        converged: whether the inference came to rest; None where the method has no rounds.
        inputs: digest of all that the run read; None where none was taken.
        linked: whether URLs that were only linked to have their answers; None: they are not kept apart. See `Run`.
        choose: whether the views show this run from now on.

    Raises:
        StoreError: the run is finished, or does not belong to this connection.
    """
    with transaction(connection):
        check_own(connection, run)
        connection.execute(
            "UPDATE runs SET finished = ?, pages = ?, rounds = ?, converged = ?, inputs = ?, linked = ?,"
            " owner = NULL WHERE id = ?",
            (now(), pages, rounds, None if converged is None else int(converged), inputs, linked, run),
        )
        if choose and snapshot.moment(connection) is None:
            connection.execute("INSERT OR REPLACE INTO chosen VALUES (1, ?)", (run,))
