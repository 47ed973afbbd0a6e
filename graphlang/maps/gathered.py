"""Gather pages in a temporary table, for several queries about them.

The columns that a map counts are in six tables, and looking up a million pages takes longer than counting them. So they
are looked up once. The table is outside the database, on disk once it is large. All queries see the collection at one
moment, even while another process writes to it.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import singledispatch
from typing import TYPE_CHECKING, Any, Final

from graphlang.db.runs.run import AT
from graphlang.maps import selection as selections
from graphlang.maps.selection import GatheredPages, content_run
from graphlang.maps.shares import CONTENT_RUN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphlang.maps.selection import Selection


#: Columns that `select_inferred_pages` adds: letters of the text, or its characters if no run has counted letters;
#: the language that a content run read from it, and its confidence; NULL where the run has no answer for the page.
OWN_COLUMNS: Final = ("letters", "own_language", "own_confidence")
#: Columns that are always gathered.
COLUMNS: Final = (
    *("page", "domain", "tld", "language", "script", "confidence", "runner_up", "runner_up_confidence"),
    *("method", "run", "fetched", "charset", "date", "length"),
    *OWN_COLUMNS,
)
_SAVEPOINT: Final = "gathering"
#: What of a date is not known is taken from the middle of the year.
_DAY: Final = "JULIANDAY(SUBSTR(date || SUBSTR('0000-07-02', LENGTH(date) + 1), 1, 10))"
#: Days from the middle of the year; an invalid date is the farthest, and the main capture the nearest.
#: What a run of another time says comes behind all that: a run of 2008 takes the first capture of a page that came to
#: be in 2010, and infers its language from the links of 2008.
_FAR: Final = f"""
IIF(
    capture IS NULL,
    -1,
    COALESCE(ABS({_DAY} - JULIANDAY(SUBSTR(date, 1, 4) || '-07-02')), 1000)
    + IIF((run, SUBSTR(date, 1, 4)) IN (SELECT JSON_EXTRACT(value, '$[0]'), JSON_EXTRACT(value, '$[1]')
        FROM JSON_EACH(:of_years)), 0, 2000)
) AS far
"""
#: Finished runs, each with the year that it was asked about.
_OF_YEARS: Final = f"""
SELECT JSON_GROUP_ARRAY(JSON_ARRAY(id, SUBSTR({AT}, 1, 4))) FROM runs WHERE finished IS NOT NULL AND {AT} IS NOT NULL
"""


@singledispatch
@contextmanager
def gather(
    connection: Any, selection: Selection, *, extra: Sequence[str] = (), yearly: bool = False
) -> Iterator[Selection]:
    """Copy the pages that count into a temporary table; until the end, writes of other processes are not seen."""
    # Which languages, and how sure, is a matter of each question.
    everyone = replace(selection, choices=(), below=None, min_confidence=0.0, fetched=None, gathered=None)
    source, values = everyone.source()
    if yearly:
        source, values = everyone.source(of="capture_languages", columns=(*selections.COLUMNS, "capture"))
    columns = tuple(dict.fromkeys((*COLUMNS, *extra)))
    with_text = select_inferred_pages(source, CONTENT_RUN if yearly else ":own")
    if yearly:
        columns = ("year", *columns)
        stored, keys = (*columns, "capture", "far"), "PRIMARY KEY (year, page)) WITHOUT ROWID"
        rows = f"SELECT *, SUBSTR(date, 1, 4) AS year, {_FAR} FROM {with_text}"
        nearer = f"""
            ON CONFLICT DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in stored)}
            WHERE (excluded.far, excluded.date, excluded.capture) < (far, date, capture)
        """
    else:
        stored, keys, rows, nearer = columns, "PRIMARY KEY (page))", f"SELECT * FROM {with_text}", ""
    table = "temp.gathered_captures" if yearly else "temp.gathered_pages"
    types = {"page": "INTEGER"}
    if yearly:
        (values["of_years"],) = connection.execute(_OF_YEARS).fetchone()
    connection.execute(f"SAVEPOINT {_SAVEPOINT}")
    try:
        defined = ", ".join(f"{name} {types.get(name, '')}" for name in stored)
        connection.execute(f"CREATE TABLE {table} ({defined}, {keys}")
        connection.execute(
            f"INSERT INTO {table} SELECT {', '.join(stored)} FROM ({rows}) WHERE TRUE {nearer}",
            values | {"own": content_run(connection)},
        )
        yield replace(selection, gathered=GatheredPages(table, columns))
    finally:
        if connection.in_transaction:  # where there is no room left, SQLite has ended it already
            connection.execute(f"ROLLBACK TO {_SAVEPOINT}")
            connection.execute(f"RELEASE {_SAVEPOINT}")


def has_answered_history(connection: Any) -> bool:
    """Return whether other captures than the main ones have answers."""
    return connection.execute("SELECT 1 FROM history WHERE run IS NOT NULL LIMIT 1").fetchone() is not None


def select_inferred_pages(source: str, run: str = ":own") -> str:
    """Write a subquery of pages with `OWN_COLUMNS`; ``run`` is SQL for the content run of ``pages``."""
    return (
        "(SELECT pages.*, COALESCE(own.characters, pages.characters, pages.length, 0) AS letters,"
        " own_label.language AS own_language, own.confidence AS own_confidence"
        f" FROM {source} AS pages LEFT JOIN predictions AS own ON own.run = {run} AND own.page = pages.page"
        " LEFT JOIN labels AS own_label ON own_label.id = own.label)"
    )
