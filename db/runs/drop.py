"""Drop runs, or what they had answered; all that was written for them goes along."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from graphlang.db.runs.ownership import check_abandoned, check_own
from graphlang.db.statements import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence


#: What can be a run's answers; `linked_answers` are those for URLs that were only linked to.
_TABLES = ("predictions", "scores", "page_shares", "linked_answers")


def drop_unfinished_runs(connection: sqlite3.Connection) -> None:
    """Forget runs that were stopped halfway.

    Raises:
        LockedError: another process is writing one of them.
    """
    with transaction(connection):
        drop_unfinished_within(connection)


def drop_unfinished_within(connection: sqlite3.Connection) -> None:
    """The same, as a part of a transaction.

    Args:
        connection: within a transaction.
    """
    for (run,) in connection.execute("SELECT id FROM runs WHERE finished IS NULL").fetchall():
        check_abandoned(connection, run)
        forget_run(connection, run)


def _drop_answers(connection: sqlite3.Connection, run: int) -> None:
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table} WHERE run = ?", (run,))


def drop_answers(connection: sqlite3.Connection, run: int, pages: Sequence[int]) -> None:
    """Forget what a content run that is not finished answered about some pages.

    Args:
        connection: a collection opened for writing.
        run: the run's id.
        pages: their ids.

    Raises:
        StoreError: the run does not belong to this connection.
    """
    if not pages:
        return
    with transaction(connection):
        check_own(connection, run)
        for table in _TABLES[:-1]:
            connection.execute(
                f"DELETE FROM {table} WHERE run = ? AND page IN (SELECT value FROM json_each(?))",
                (run, json.dumps(list(pages))),
            )


def forget_run(connection: sqlite3.Connection, run: int) -> None:
    """Drop a run with its answers, whatever it is and whosever.

    Args:
        connection: within a transaction.
        run: the run's id.
    """
    _drop_answers(connection, run)
    connection.execute("DELETE FROM runs WHERE id = ?", (run,))


def clear_run(connection: sqlite3.Connection, run: int) -> None:
    """Forget what a run that was stopped halfway had written.

    Args:
        connection: a collection opened for writing.
        run: the run's id.

    Raises:
        StoreError: the run does not belong to this connection.
    """
    with transaction(connection):
        check_own(connection, run)
        _drop_answers(connection, run)
