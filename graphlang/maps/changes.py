"""Pages that changed their language, were gained or lost: between two runs, two years, or two collections."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from contextlib import contextmanager, suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.db import snapshot
from graphlang.db.errors import StoreError
from graphlang.maps.selection import gather

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphlang.db.runs.run import Run
    from graphlang.maps.selection import Selection

#: Lower bounds of the length buckets, in characters of visible text; Hayati 2004, table 5.1, has the first two.
LENGTHS: Final = (0, 25, 50, 150, 300)
#: Units by which changes between years or collections are counted.
UNITS: Final = ("language", "host", "domain")


class PageChange(NamedTuple):
    """A page that two years, or two collections, do not have in the same language."""

    change: str  #: ``gained`` (only the later one has it), ``lost`` (only the earlier one) or ``switched``
    url: str  #: of the page
    before: str | None  #: earlier language; empty for a page that was gained
    before_confidence: float | None  #: its probability
    after: str | None  #: later language; empty for a page that was lost
    after_confidence: float | None  #: its probability


class PageChangeCount(NamedTuple):
    """Pages of a language, host or domain in two years, or two collections."""

    name: str  #: language, host or domain
    before: int  #: pages earlier
    after: int  #: pages later
    gained: int  #: pages that only the later one has
    lost: int  #: pages that only the earlier one has
    switched_in: int  #: pages of both that changed to this language (of a site: that changed their language)
    switched_out: int  #: pages of both that changed from this language (of a site: the same)


#: A page of both sides: URL, host, domain, then language and confidence of each side, None where it lacks the page.
_COLUMNS: Final = "url, host, domain, language, confidence"
_SIDES: Final = """
    SELECT url, host, domain, MAX(CASE WHEN year = :before THEN language END) AS before,
        MAX(CASE WHEN year = :before THEN confidence END) AS before_confidence,
        MAX(CASE WHEN year = :after THEN language END) AS after,
        MAX(CASE WHEN year = :after THEN confidence END) AS after_confidence
    FROM {source} WHERE year IN (:before, :after) GROUP BY url, host, domain
"""


def require_years(connection: sqlite3.Connection, years: tuple[str, str]) -> None:
    """Refuse years without a capture."""
    rows = connection.execute(
        "SELECT SUBSTR(date, 1, 4) FROM captures WHERE date <> '' UNION SELECT SUBSTR(date, 1, 4)"
        " FROM history_captures WHERE date <> '' ORDER BY 1"
    )
    captured = [year for (year,) in rows]
    for year in years:
        if year not in captured:
            raise StoreError(f"no capture is from {year}; years with captures: {', '.join(captured) or 'none'}")


def list_year_changes(
    connection: sqlite3.Connection, years: tuple[str, str], selection: Selection
) -> Iterator[PageChange]:
    """Yield the pages that differ between two calendar years, by URL."""
    with gather(connection, selection, extra=("url", "host"), yearly=True) as subset:
        source, values = subset.write_source()
        query = f"{_SIDES.format(source=source)} ORDER BY url"
        values |= {"before": years[0], "after": years[1]}
        yield from _list_changes(connection.execute(query, values))


def count_year_changes(
    connection: sqlite3.Connection, years: tuple[str, str], selection: Selection, by: str
) -> list[PageChangeCount]:
    """Count the pages of two calendar years by language, host or domain, the greatest changes first."""
    with gather(connection, selection, extra=("url", "host"), yearly=True) as subset:
        source, values = subset.write_source()
        site = "NULL" if by == "language" else by
        query = (
            f"SELECT {site}, before, after, COUNT(*) FROM ({_SIDES.format(source=source)}) AS sides"
            " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )
        return _count_pages(connection.execute(query, values | {"before": years[0], "after": years[1]}), by)


def list_collection_changes(
    before: sqlite3.Connection, after: sqlite3.Connection, selection: Selection
) -> Iterator[PageChange]:
    """Yield the pages that differ between two collections, by URL."""
    yield from _list_changes(_merge_pages(before, after, selection))


def count_collection_changes(
    before: sqlite3.Connection, after: sqlite3.Connection, selection: Selection, by: str
) -> list[PageChangeCount]:
    """Count the pages of two collections by language, host or domain, the greatest changes first."""
    site = {"language": None, "host": 1, "domain": 2}[by]
    rows = ((row[site] if site else None, row[3], row[5], 1) for row in _merge_pages(before, after, selection))
    return _count_pages(rows, by)


def _merge_pages(
    before: sqlite3.Connection, after: sqlite3.Connection, selection: Selection
) -> Iterator[tuple[Any, ...]]:
    """Join pages of two collections by URL, which both list in order."""
    source, values = selection.write_source(table=selection.view)
    query = f"SELECT {_COLUMNS} FROM {source} ORDER BY url COLLATE BINARY"
    rows_before, rows_after = before.execute(query, values), after.execute(query, values)
    earlier, later = rows_before.fetchone(), rows_after.fetchone()
    while earlier is not None or later is not None:
        if later is None or (earlier is not None and earlier[0] < later[0]):
            yield (*earlier, None, None)
            earlier = rows_before.fetchone()
        elif earlier is None or later[0] < earlier[0]:
            yield (*later[:3], None, None, *later[3:])
            later = rows_after.fetchone()
        else:
            yield (*earlier, *later[3:])
            earlier, later = rows_before.fetchone(), rows_after.fetchone()


def _list_changes(rows: Iterable[tuple[Any, ...]]) -> Iterator[PageChange]:
    for url, _, _, before, before_confidence, after, after_confidence in rows:
        if before != after:
            change = "gained" if before is None else "lost" if after is None else "switched"
            yield PageChange(change, url, before, before_confidence, after, after_confidence)


def _count_pages(rows: Iterable[tuple[Any, ...]], by: str) -> list[PageChangeCount]:
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0] * 6)
    for site, before, after, pages in rows:
        names = (before, after) if by == "language" else (site, site)
        if before is not None:
            counts[names[0]][0] += pages
        if after is not None:
            counts[names[1]][1] += pages
        if before is None:
            counts[names[1]][2] += pages
        elif after is None:
            counts[names[0]][3] += pages
        elif before != after:
            counts[names[1]][4] += pages
            counts[names[0]][5] += pages
    listed = [PageChangeCount(name, *numbers) for name, numbers in counts.items()]
    return sorted(listed, key=lambda row: (-sum(row[3:]), -row.after, row.name))


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
    """Ignore that the caller stopped reading and closed the connection, which drops its temporary tables."""
    return suppress(sqlite3.ProgrammingError)


@contextmanager
def _join_runs(connection: sqlite3.Connection, before: Run, after: Run, *, fetched: bool) -> Iterator[str]:
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
    with _join_runs(connection, before, after, fetched=fetched) as joined:
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
    """Count these pages by pair of languages and bucket of length (`LENGTHS`), largest count first.

    The length is that of the capture of the second run.
    """
    lengths = " ".join(f"WHEN {_LENGTH} < {high} THEN '{low}..{high - 1}'" for low, high in pairwise(LENGTHS))
    bucket = f"CASE WHEN seen.page IS NULL THEN 'unfetched' {lengths} ELSE '{LENGTHS[-1]}+' END"
    with _join_runs(connection, before, after, fetched=fetched) as joined:
        query = (
            f"{_ANSWERS}SELECT {_BEFORE}, {_AFTER}, {bucket} AS bucket, COUNT(*)"
            f"{joined} GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, MIN({_LENGTH})"
        )
        return [ChangeCount(*row) for row in connection.execute(query, {"one": before.id, "two": after.id}).fetchall()]
