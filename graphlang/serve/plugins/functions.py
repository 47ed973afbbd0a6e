"""Functions of our own that the queries of Datasette may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from datasette import hookimpl

from graphlang.maps.pages import declares_another

if TYPE_CHECKING:
    import sqlite3


@hookimpl  # type: ignore[untyped-decorator,unused-ignore]
def prepare_connection(conn: sqlite3.Connection) -> None:
    """Give a connection our functions.

    Args:
        conn: of Datasette, to any of its databases.
    """
    conn.create_function("declares_another", 2, declares_another, deterministic=True)
