"""Run statements on a collection: transactions, snapshots for reading, and inserts of many rows at once.

One statement for many rows takes half the time of ``executemany``. Such statements use ``OR FAIL``: without it SQLite
copies each changed page of the file, to undo that statement alone. A failed statement ends its transaction.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

_VARIABLES = 999  #: limit of every SQLite for one statement


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Write all changes or, after an error, none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def read_transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Let several queries read the same state, whatever another process writes meanwhile."""
    is_nested = connection.in_transaction
    if not is_nested:
        connection.execute("BEGIN")
    try:
        yield
    finally:
        if not is_nested and connection.in_transaction:  # SQLite ends it itself after an error of the file
            connection.execute("ROLLBACK")


def insert_columns(
    connection: sqlite3.Connection, into: str, columns: Sequence[Sequence[Any]], *, row: str | None = None
) -> int:
    """Insert rows given as columns of equal length; see `insert_values`."""
    width, count = len(columns), len(columns[0])
    values: list[Any] = [None] * (width * count)
    for place, column in enumerate(columns):
        values[place::width] = column
    return insert_values(connection, into, values, width, row=row)


def insert_rows(connection: sqlite3.Connection, into: str, rows: Sequence[Sequence[Any]]) -> int:
    """Insert rows of equal length; see `insert_values`."""
    return insert_values(connection, into, list(chain.from_iterable(rows)), len(rows[0])) if rows else 0


def insert_values(
    connection: sqlite3.Connection, into: str, values: Sequence[Any], width: int, *, row: str | None = None
) -> int:
    """Insert rows of ``width`` values each, and return how many were added.

    ``into`` is the statement before VALUES, such as ``INSERT OR IGNORE INTO links``. ``values`` are those of all rows,
    one row after the other, at most 999 a row. ``row`` is the SQL of a row with a question mark for each value.
    Constants belong here: binding a value takes as long as storing it.
    """
    before = connection.total_changes
    row = row or f"({','.join('?' * width)})"
    rows = 1 << ((_VARIABLES // width).bit_length() - 1)
    done, count = 0, len(values) // width
    while done < count:
        while rows > count - done:  # powers of two keep the number of different statements small
            rows //= 2
        statement = f"{into} VALUES {','.join([row] * rows)}"
        for begin in range(done, count - rows + 1, rows):
            connection.execute(statement, values[begin * width : (begin + rows) * width])
            done = begin + rows
    return connection.total_changes - before
