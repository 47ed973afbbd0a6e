"""Step 0011: with which options each file was read, and what only another reading can bring."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphlang.db.schema.steps.execute import SET, execute

if TYPE_CHECKING:
    import sqlite3

_READINGS: Final = """
ALTER TABLE sources ADD COLUMN options TEXT;
ALTER TABLE sources ADD COLUMN readings INTEGER NOT NULL DEFAULT 1;
ALTER TABLE sources ADD COLUMN lacks TEXT NOT NULL DEFAULT '';
ALTER TABLE captures ADD COLUMN reading INTEGER NOT NULL DEFAULT 1;
"""


def step(connection: sqlite3.Connection) -> None:
    """How each file was read; and, of files that earlier versions read, what only another reading can bring.

    Args:
        connection: within a transaction.
    """
    execute(connection, _READINGS)
    ledger = "SELECT name, applied_at FROM _sqlite_migrations WHERE migration_set = ?"
    since = dict(connection.execute(ledger, (SET,)).fetchall())
    if since.get("0005_places_of_links") == since.get("0001_first"):
        return  # the file was made by a version that reads all that this one reads
    lacks = ["link positions"]
    if since.get("0002_parts_revisits_bytes") != since.get("0001_first"):
        lacks.append("main content")
    connection.execute(
        "UPDATE sources SET lacks = ? WHERE id IN (SELECT DISTINCT captures.source FROM links"
        " JOIN captures ON captures.page = links.source WHERE links.place IS NULL)",
        (", ".join(lacks),),
    )
