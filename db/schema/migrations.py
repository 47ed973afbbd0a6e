"""Tables and views of a collection, made and brought up to date by `steps`; ``column_docs`` documents them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphlang.db.schema.steps import STEPS
from graphlang.db.schema.steps.execute import SET, execute
from graphlang.db.transaction import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from sqlite_utils import Migrations

#: "grla" in ASCII: tells our files from other SQLite files.
APPLICATION_ID = 0x67726C61
#: The newest schema that this code reads and writes; grows with each step.
VERSION = len(STEPS)
#: Made when all pages are in, because keeping it up to date takes several times longer; dropped before many come.
URL_INDEX = "CREATE UNIQUE INDEX IF NOT EXISTS pages_url ON pages (url)"
#: Which steps a file has had, as sqlite-utils notes it.
LEDGER = """
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
);
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name");
"""


def make(connection: sqlite3.Connection) -> bool:
    """Make all tables in one transaction; tells whether it did, which it does only where there are none at all.

    What comes out is what `migrations` would make of it. But importing sqlite-utils, which brings numpy along, takes as
    long as reading two hundred pages.
    """
    with transaction(connection):
        blank = not connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()[0]
        if blank:
            for step in (LEDGER, *STEPS.values()):
                apply_step(connection, step)
            now = str(datetime.now(UTC))
            connection.executemany(
                "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, ?, ?)",
                [(SET, name, now) for name in STEPS],
            )
            connection.execute(f"PRAGMA user_version={VERSION}")
    return blank


def migrations() -> Migrations:
    """The steps, for sqlite-utils to make those that an older file has not had yet."""
    from sqlite_utils import Migrations  # noqa: PLC0415 - see `make`

    found = Migrations(SET)
    for name, step in STEPS.items():
        found(name=name)(lambda database, step=step: apply_step(database.conn, step))
    return found


def apply_step(connection: sqlite3.Connection, step: str | Callable[[sqlite3.Connection], None]) -> None:
    """Execute one of `STEPS`.

    Args:
        connection: within a transaction, or to a file of nobody else.
        step: statements, or what executes some.
    """
    if callable(step):
        step(connection)
    else:
        execute(connection, step)
