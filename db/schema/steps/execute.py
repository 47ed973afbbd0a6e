"""Several statements in one string, and the name of our steps in sqlite-utils' ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import sqlite3

SET: Final = "graphlang"


def execute(connection: sqlite3.Connection, statements: str) -> None:
    """Execute statements, each of which ends its line with a semicolon.

    Args:
        connection: within a transaction, or to a file of nobody else.
        statements: in SQL.
    """
    for statement in statements.split(";\n"):
        if statement.strip():
            connection.execute(statement)
