"""Compare two runs: page by page, by pair of languages, by length."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db import snapshot
from graphlang.evaluation.evaluate import LENGTHS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.db.runs.run import Run


class Change(NamedTuple):
    """A page with different languages in two runs."""

    url: str  #: of the page
    before: str  #: language in the first run; ``und`` without an answer
    after: str  #: in the second run
    confidence_before: float  #: of the language before
    confidence_after: float  #: of the language after
    length: int  #: characters of visible text of the capture of the second run; 0 for pages never fetched
    length_before: int  #: of the capture of the first run
    date: str | None  #: of the capture of the second run; None for pages never fetched
    date_before: str | None  #: of the capture of the first run


class ChangeCount(NamedTuple):
    """Pages that moved from one language to another, within a bucket of length."""

    before: str  #: language in the first run
    after: str  #: language by the second run
    bucket: str  #: of the characters of its text; ``unfetched`` without a capture in the second run
    pages: int  #: how many


_ANSWERS = """
WITH answers AS MATERIALIZED (
    SELECT run, page, label, confidence FROM predictions WHERE run IN (:one, :two)
    UNION ALL
    SELECT run, page, label, confidence FROM linked_predictions WHERE run IN (:one, :two)
)
"""
_JOINED = """
    FROM pages
    LEFT JOIN answers AS one ON one.run = :one AND one.page = pages.id
    LEFT JOIN answers AS two ON two.run = :two AND two.page = pages.id
    LEFT JOIN labels AS was ON was.id = one.label
    LEFT JOIN labels AS is_now ON is_now.id = two.label
    LEFT JOIN {after} AS seen ON seen.page = pages.id
    LEFT JOIN {before} AS seen_before ON seen_before.page = pages.id
    WHERE COALESCE(was.language, 'und') <> COALESCE(is_now.language, 'und')
"""
_BEFORE, _AFTER = "COALESCE(was.language, 'und')", "COALESCE(is_now.language, 'und')"
_LENGTH = "COALESCE(seen.length, 0)"


def _unless_closed() -> suppress:
    """Ignore that a caller who stopped reading has closed the connection: its temporary tables are gone with it."""
    return suppress(sqlite3.ProgrammingError)


@contextmanager
def _joined(connection: sqlite3.Connection, before: Run, after: Run, *, fetched: bool) -> Iterator[str]:
    """Yield the SQL of pages that two runs label differently, with the answers and captures of both.

    A run of another time (``propagate --at``) has other captures. They are copied to a temporary table, since a
    connection shows one moment.
    """
    tables: dict[str, str] = {}
    try:
        for name, run in (("before", before), ("after", after)):
            tables[name] = "captures"
            if run.at is not None:
                with snapshot.show_moment(connection, run.at):
                    connection.execute(f"CREATE TEMP TABLE seen_{name} (page INTEGER PRIMARY KEY, length, date)")
                    tables[name] = f"temp.seen_{name}"
                    connection.execute(f"INSERT INTO {tables[name]} SELECT page, length, date FROM captures")
        yield _JOINED.format(**tables) + (" AND seen.page IS NOT NULL" if fetched else "")
    finally:
        for table in tables.values():
            if table != "captures":
                with _unless_closed():
                    connection.execute(f"DROP TABLE {table}")


def list_changes(connection: sqlite3.Connection, before: Run, after: Run, *, fetched: bool = False) -> Iterator[Change]:
    """Yield the pages whose language differs, by id; with `fetched`, only those with a capture in the second run.

    Scripts are not compared.
    """
    with _joined(connection, before, after, fetched=fetched) as joined:
        query = (
            f"{_ANSWERS}SELECT url, {_BEFORE}, {_AFTER}, COALESCE(one.confidence, 0.0), COALESCE(two.confidence, 0.0),"
            f" {_LENGTH}, COALESCE(seen_before.length, 0), seen.date, seen_before.date{joined} ORDER BY pages.id"
        )
        rows = connection.execute(query, {"one": before.id, "two": after.id})
        try:
            yield from map(Change._make, rows)
        finally:
            with _unless_closed():
                rows.close()


def count_changes(
    connection: sqlite3.Connection, before: Run, after: Run, *, fetched: bool = False
) -> list[ChangeCount]:
    """Count these pages by pair of languages and bucket of length (``evaluate.LENGTHS``), largest count first.

    The length is that of the capture of the second run.
    """
    lengths = " ".join(f"WHEN {_LENGTH} < {high} THEN '{low}..{high - 1}'" for low, high in pairwise(LENGTHS))
    bucket = f"CASE WHEN seen.page IS NULL THEN 'unfetched' {lengths} ELSE '{LENGTHS[-1]}+' END"
    with _joined(connection, before, after, fetched=fetched) as joined:
        query = (
            f"{_ANSWERS}SELECT {_BEFORE}, {_AFTER}, {bucket} AS bucket, COUNT(*)"
            f"{joined} GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, MIN({_LENGTH})"
        )
        return [ChangeCount(*row) for row in connection.execute(query, {"one": before.id, "two": after.id}).fetchall()]
