"""Step 0007: ids are never given out twice; what was removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphlang.db.schema.steps.execute import execute

if TYPE_CHECKING:
    import sqlite3

_REMOVED: Final = """
CREATE TABLE removed (
    digest TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    since TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""
#: Tables whose rows are named by their ids in others.
_NAMED_BY_ID: Final = ("sources", "hosts", "pages", "labels")


def step(connection: sqlite3.Connection) -> None:
    """Ids of pages, hosts, files and labels are never given out twice, also where somebody deletes rows by hand.

    Args:
        connection: within a transaction.
    """
    made = "SELECT name, sql FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL"
    views = connection.execute(made, ("view",)).fetchall()
    for name, _ in views:
        connection.execute(f"DROP VIEW {name}")
    for table in _NAMED_BY_ID:
        (statement,) = connection.execute(f"{made} AND name = ?", ("table", table)).fetchone()[1:]
        indexes = connection.execute(f"{made} AND tbl_name = ?", ("index", table)).fetchall()
        plain, counted = "id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY AUTOINCREMENT"
        columns = statement[statement.index("(") :].replace(plain, counted, 1)
        connection.execute(f"CREATE TABLE {table}_anew {columns}")
        connection.execute(f"INSERT INTO {table}_anew SELECT * FROM {table}")
        connection.execute(f"DROP TABLE {table}")
        connection.execute(f"ALTER TABLE {table}_anew RENAME TO {table}")
        for _, index in indexes:
            connection.execute(index)
    execute(connection, _REMOVED)
    for _, view in views:
        connection.execute(view)
