"""Rows into a table, many in one statement: in half the time that ``executemany`` takes for one after the other.

Where a statement fails the transaction is given up. So statements say ``OR FAIL``: without it SQLite copies each page
of the file that a statement with many rows changes, to undo that statement alone.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

_VARIABLES = 999  #: of one statement, in every SQLite


def insert(connection: sqlite3.Connection, into: str, columns: Sequence[Sequence[Any]]) -> int:
    """Insert rows that are given by columns, in their order.

    Args:
        connection: within a transaction.
        into: the statement up to its values, such as ``INSERT OR IGNORE INTO links`` or ``INSERT OR FAIL INTO pages``.
        columns: of equal length.

    Returns:
        How many rows were added.
    """
    width, count = len(columns), len(columns[0])
    flat: list[Any] = [None] * (width * count)
    for place, column in enumerate(columns):
        flat[place::width] = column
    return insert_flat(connection, into, flat, width)


def insert_rows(connection: sqlite3.Connection, into: str, rows: Sequence[Sequence[Any]]) -> int:
    """Insert rows, see `insert`.

    Args:
        connection: within a transaction.
        into: the statement up to its values.
        rows: of equal length; none is fine.

    Returns:
        How many rows were added.
    """
    return insert_flat(connection, into, list(chain.from_iterable(rows)), len(rows[0])) if rows else 0


def insert_flat(
    connection: sqlite3.Connection, into: str, values: Sequence[Any], width: int, *, row: str | None = None
) -> int:
    """Insert rows whose values follow one another, so many to a row, see `insert`.

    A row may be given in SQL, with a question mark for each of its values and what is the same in all rows written out:
    binding a value takes as long as storing it.

    Args:
        connection: within a transaction.
        into: the statement up to its values.
        values: of all rows, one row after the other; a multiple of ``width``.
        width: how many values a row has; at most 999.
        row: one row in SQL; None: a question mark for each value.

    Returns:
        How many rows were added.
    """
    before = connection.total_changes
    row = row or f"({','.join('?' * width)})"
    rows = 1 << ((_VARIABLES // width).bit_length() - 1)
    done, count = 0, len(values) // width
    while done < count:
        while rows > count - done:  # powers of two, so that there are only a few different statements
            rows //= 2
        statement = f"{into} VALUES {','.join([row] * rows)}"
        for begin in range(done, count - rows + 1, rows):
            connection.execute(statement, values[begin * width : (begin + rows) * width])
            done = begin + rows
    return connection.total_changes - before
