"""All of some changes, or none of them; and what several queries see at one moment."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """A transaction that writes; what fails within it leaves nothing behind.

    Args:
        connection: a collection opened for writing, in no transaction.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """Several queries see the database as it was at the first of them, whatever another process writes meanwhile.

    Args:
        connection: to a database; where it is in a transaction, that is the moment.
    """
    if connection.in_transaction:
        yield
        return
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:  # SQLite ends it by itself where the file fails
            connection.execute("ROLLBACK")
