"""What could not be read, or not whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator


class ProblemRow(NamedTuple):
    """One record that could not be read, or not whole."""

    file: str  #: name of the file in the collection
    offset: int | None  #: of the record in the file, in bytes
    url: str | None  #: target URI of the record, as far as it is known
    kind: str  #: one word, for counting
    reason: str  #: what was wrong, in words


def problem_rows(connection: sqlite3.Connection, *, kind: str | None = None) -> Iterator[tuple[Any, ...]]:
    """Problems as tuples of the fields of `ProblemRow`, in the order in which they were met.

    Args:
        connection: a collection.
        kind: only problems of this kind.
    """
    where = " WHERE problems.kind = ?" if kind is not None else ""
    yield from connection.execute(
        "SELECT sources.name, problems.offset, problems.url, problems.kind, problems.reason FROM problems"
        f" JOIN sources ON sources.id = problems.source{where} ORDER BY problems.id",
        () if kind is None else (kind,),
    )


def count_problems(connection: sqlite3.Connection) -> list[tuple[str, int]]:
    """How many problems there are of each kind, the commonest first."""
    return connection.execute("SELECT kind, COUNT(*) FROM problems GROUP BY kind ORDER BY 2 DESC, 1").fetchall()
