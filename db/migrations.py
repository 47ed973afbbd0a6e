"""Brings a database to the newest schema, step by step; each step and the note that it was made are one transaction.

The ledger is that of sqlite-utils' migrations (the table ``_sqlite_migrations``), so that its tools read it. Importing
that library takes a tenth of a second, which every verb would pay before it did anything.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    Step = Callable[[sqlite3.Connection], None]

_TABLE = """CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
)"""
_INDEX = """CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name")"""


class Migrations:
    """The steps of one schema, in their order.

    Args:
        name: of the schema, in the ledger.

    >>> import sqlite3
    >>> migrations = Migrations("example")
    >>> @migrations(name="0001_first")
    ... def _first(connection):
    ...     connection.execute("CREATE TABLE t (a)")
    >>> connection = sqlite3.connect(":memory:", isolation_level=None)
    >>> migrations.apply(connection), migrations.apply(connection)
    (['0001_first'], [])
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._steps: dict[str, Step] = {}

    def __call__(self, *, name: str) -> Callable[[Step], Step]:
        """Add a step that has this name in the ledger."""

        def add(step: Step) -> Step:
            self._steps[name] = step
            return step

        return add

    def apply(self, connection: sqlite3.Connection, *, stop_before: str | None = None) -> list[str]:
        """Make the steps that were not made yet; one that fails leaves nothing.

        Args:
            connection: without a transaction, and none begun by itself.
            stop_before: name of the first step that is not to be made.

        Returns:
            The names of the steps that were made.
        """
        if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = '_sqlite_migrations'").fetchone():
            with _Transaction(connection):
                connection.execute(_TABLE)
                connection.execute(_INDEX)
        ledger = connection.execute("SELECT name FROM _sqlite_migrations WHERE migration_set = ?", (self._name,))
        known = {name for (name,) in ledger.fetchall()}
        made: list[str] = []
        for name, step in self._steps.items():
            if name == stop_before:
                break
            if name in known:
                continue
            with _Transaction(connection):
                step(connection)
                connection.execute(
                    "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, ?, ?)",
                    (self._name, name, str(datetime.now(UTC))),
                )
            made.append(name)
        return made


class _Transaction:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
        elif self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
