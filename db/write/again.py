"""Read a file again, with other options or a newer version.

What was read before stays until the new reading has something in its place, so that the collection can be used at any
moment and a reading that was stopped goes on. At the end of the file goes what the new reading did not find.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.db.statements import transaction
from graphlang.db.write import history, revisits
from graphlang.db.write.captures import forget

if TYPE_CHECKING:
    import sqlite3


def begin(connection: sqlite3.Connection, source: int, *, options: str, keep: str) -> None:
    """Let a file be read from its beginning once more.

    Args:
        connection: a collection opened for writing.
        source: the file.
        options: those of the new reading.
        keep: which of several captures of a URL is kept now.
    """
    with transaction(connection):
        connection.execute(
            "UPDATE sources SET position = 0, finished = 0, readings = readings + 1, options = ?, keep = ?"
            " WHERE id = ?",
            (options, keep, source),
        )
        connection.execute("DELETE FROM problems WHERE source = ?", (source,))


def reading(connection: sqlite3.Connection, source: int) -> int:
    """Which reading of a file is under way: 1 is the first.

    Args:
        connection: a collection.
        source: the file.
    """
    (number,) = connection.execute("SELECT readings FROM sources WHERE id = ?", (source,)).fetchone()
    return int(number)


def end(connection: sqlite3.Connection, source: int, number: int) -> bool:
    """Drop captures that the file had before and has no more, and take from revisits what their originals held.

    Args:
        connection: within a transaction.
        source: the file, which was read to its end.
        number: which reading that was.

    Returns:
        Whether anything was dropped.
    """
    gone = connection.execute("SELECT page FROM captures WHERE source = ? AND reading < ?", (source, number)).fetchall()
    lent = connection.execute(
        "SELECT page FROM captures WHERE original IN (SELECT page FROM captures WHERE source = ?)", (source,)
    ).fetchall()
    for (page,) in lent:
        revisits.empty(connection, page)
    forget(connection, [page for (page,) in gone])
    history.forget(connection, source, number)
    return bool(gone)
