"""Show a collection as it was at a moment: for each page the capture nearest to it.

Temporary views of one connection replace the tables with content: SQLite looks up temporary names first, so that every
reader reads the snapshot. The file does not change. A run started on such a connection is one of that moment.
"""

from __future__ import annotations

import re
from calendar import monthrange
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db.errors import StoreError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

_FORMS = (
    (re.compile(r"\d{4}"), "%Y"),
    (re.compile(r"\d{4}-\d\d"), "%Y-%m"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "%Y-%m-%d"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d"), "%Y-%m-%dT%H:%M"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d"), "%Y-%m-%dT%H:%M:%S"),
    (re.compile(r"\d{14}"), "%Y%m%d%H%M%S"),
)
_YEAR, _MONTH, _DAY = 4, 7, 10  # characters of a date


class Moment(NamedTuple):
    """A year, a month, a day or a second."""

    text: str  #: ``2012``, ``2012-05``, ``2012-05-03`` or ``2012-05-03T12:00:00Z``
    first: str  #: its first second, ISO 8601
    last: str  #: its last second


def parse_moment(written: str) -> Moment:
    """Parse a year, month, day or time in ISO 8601, in UTC, or fourteen digits as in indexes of archives.

    Raises TypeError unless it is text, and ValueError if it is no moment.

    >>> parse_moment("2012-02").last, parse_moment("20120503120000").text
    ('2012-02-29T23:59:59', '2012-05-03T12:00:00Z')
    """
    if not isinstance(written, str):
        raise TypeError(f"a moment is of type {type(written).__name__}, expected str")
    plain = written.strip().upper().removesuffix("Z").replace(" ", "T")
    pattern = next((pattern for form, pattern in _FORMS if plain.isascii() and form.fullmatch(plain)), None)
    if pattern is None:
        raise ValueError(
            f"{written[:40]!r} is not a date or time: name a year, 2012-05, 2012-05-03 or 2012-05-03T12:00:00Z"
        )
    try:
        first = datetime.strptime(plain, pattern).replace(tzinfo=UTC)
        last = _find_end(first, len(plain))
    except ValueError as error:
        raise ValueError(f"{written[:40]!r} is not a date") from error
    begin, end = (moment.replace(tzinfo=None).isoformat(timespec="seconds") for moment in (first, last))
    return Moment(plain if len(plain) in {_YEAR, _MONTH, _DAY} else f"{begin}Z", begin, end)


def _find_end(first: datetime, precision: int) -> datetime:
    if precision == _YEAR:
        return first.replace(month=12, day=31, hour=23, minute=59, second=59)
    if precision == _MONTH:
        return first.replace(day=monthrange(first.year, first.month)[1], hour=23, minute=59, second=59)
    if precision == _DAY:
        return first.replace(hour=23, minute=59, second=59)
    return first


#: SQL: the day of a date of any precision, as a number; NULL for others.
_DAY_OF = (
    "CASE date WHEN '' THEN NULL ELSE"
    " JULIANDAY(SUBSTR(RTRIM(date, 'Z') || SUBSTR('0000-01-01T00:00:00', LENGTH(RTRIM(date, 'Z')) + 1), 1, 19)) END"
)
#: The nearest capture of pages with several: then the main one, one with status 200, one with text, the newest, and of
#: two records of one moment the larger one.
_NEAREST = f"""
INSERT INTO temp.snapshot_captures (page, capture, content, away)
SELECT page, id, content, away FROM (
    SELECT page, id, content, away, ROW_NUMBER() OVER (
        PARTITION BY page
        ORDER BY away IS NULL, away, id IS NOT NULL, NOT fine, parts = 'links', RTRIM(date, 'Z') DESC, size DESC, id
    ) AS place FROM (
        SELECT page, id, content, parts, date, size, status IS 200 OR (status IS NULL AND length > 0) AS fine,
            CASE WHEN day < :first THEN :first - day WHEN day > :last THEN day - :last ELSE day * 0 END AS away
        FROM (
            SELECT page, id, content, parts, date, status, length, size, {_DAY_OF} AS day FROM main.history_captures
            UNION ALL
            SELECT page, NULL, NULL, parts, date, status, length, size, {_DAY_OF} FROM main.captures
            WHERE page IN (SELECT page FROM main.history)
        )
    )
) WHERE place = 1 AND id IS NOT NULL
"""
_TABLES = f"""
CREATE TEMP TABLE snapshot (moment TEXT);
CREATE TEMP TABLE snapshot_captures (page INTEGER PRIMARY KEY, capture INTEGER, content INTEGER, away REAL);
CREATE TEMP TABLE snapshot_contents (page INTEGER PRIMARY KEY, content INTEGER);
{_NEAREST};
INSERT INTO temp.snapshot_contents SELECT page, content FROM temp.snapshot_captures WHERE content IS NOT NULL;
"""
_ELSEWHERE = "(SELECT page FROM temp.snapshot_contents)"
_VIEWS = {
    "captures": """
        SELECT page, source, offset, date, status, mime, charset, charset_from, length, size, digest, revisit_of,
            captures, revisit_date, original, parts, reading
        FROM main.captures WHERE page NOT IN (SELECT page FROM temp.snapshot_captures)
        UNION ALL
        SELECT held.page, held.source, held.offset, held.date, held.status, held.mime, held.charset, held.charset_from,
            held.length, held.size, held.digest, NULL,
            COALESCE((SELECT captures FROM main.captures AS own WHERE own.page = held.page), 1), '', NULL, held.parts, 1
        FROM temp.snapshot_captures AS chosen CROSS JOIN main.history_captures AS held ON held.id = chosen.capture""",
    "texts": f"""
        SELECT page, title, text, main, rest FROM main.texts WHERE page NOT IN {_ELSEWHERE}
        UNION ALL
        SELECT chosen.page, held.title, held.text, held.main, held.rest
        FROM temp.snapshot_contents AS chosen CROSS JOIN main.history AS held ON held.id = chosen.content
        WHERE held.title <> '' OR held.text <> ''""",
    "visible_bytes": f"SELECT page, bytes FROM main.visible_bytes WHERE page NOT IN {_ELSEWHERE}",
    "anchor_texts": f"SELECT target, source, text FROM main.anchor_texts WHERE source NOT IN {_ELSEWHERE}",
    "declarations": f"""
        SELECT page, source, value FROM main.declarations WHERE page NOT IN {_ELSEWHERE}
        UNION ALL
        SELECT chosen.page, held.source, held.value FROM temp.snapshot_contents AS chosen
        CROSS JOIN main.history_declarations AS held ON held.capture = chosen.content""",
    "links": f"""
        SELECT source, target, kind, nofollow, hreflang, place FROM main.links WHERE source NOT IN {_ELSEWHERE}
        UNION ALL
        SELECT chosen.page, held.target, held.kind, held.nofollow, held.hreflang, held.place
        FROM temp.snapshot_contents AS chosen
        CROSS JOIN main.history_links AS held ON held.capture = chosen.content""",
}
_TEMPORARY = ("snapshot", "snapshot_captures", "snapshot_contents")


def get_moment(connection: sqlite3.Connection) -> str | None:
    """Return the moment that the connection shows, or None for main captures."""
    query = "SELECT 1 FROM sqlite_temp_schema WHERE (type, name) = ('table', 'snapshot')"
    if connection.execute(query).fetchone() is None:
        return None
    row = connection.execute("SELECT moment FROM temp.snapshot").fetchone()
    return None if row is None else str(row[0])


@contextmanager
def show_moment(connection: sqlite3.Connection, text: str | None) -> Iterator[None]:
    """Let a connection, which may be read-only, show the captures nearest to a moment; None changes nothing.

    Captures within the moment come first, then those the fewest days from it. Among equal ones: the main capture, one
    with status 200, the newest, the larger one. A capture without a date comes last.

    Raises:
        ValueError: ``text`` is no moment, see `parse_moment`.
        StoreError: the connection shows another moment.
    """
    selected = None if text is None else parse_moment(text)
    current = get_moment(connection)
    if selected is None or current == selected.text:
        yield
        return
    if current is not None:
        raise StoreError(f"this connection shows {current}, and cannot show {selected.text} at once")
    try:
        _create_views(connection, selected)
        yield
    finally:
        for name in _VIEWS:
            connection.execute(f"DROP VIEW IF EXISTS temp.{name}")
        for name in _TEMPORARY:
            connection.execute(f"DROP TABLE IF EXISTS temp.{name}")


def _create_views(connection: sqlite3.Connection, selected: Moment) -> None:
    edges = "SELECT JULIANDAY(?), JULIANDAY(?)"
    first, last = connection.execute(edges, (selected.first, selected.last)).fetchone()
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            connection.execute(statement, {"first": first, "last": last} if ":first" in statement else ())
    connection.execute("INSERT INTO temp.snapshot VALUES (?)", (selected.text,))
    for name, query in _VIEWS.items():
        connection.execute(f"CREATE TEMP VIEW {name} AS {query}")


def find_changed_pages(connection: sqlite3.Connection) -> list[int]:
    """Return pages whose content in the snapshot is not that of the main capture, ascending."""
    if get_moment(connection) is None:
        return []
    return [page for (page,) in connection.execute("SELECT page FROM temp.snapshot_contents ORDER BY page")]


def record_answered(connection: sqlite3.Connection, run: int, *, inferred: bool) -> None:
    """Record a finished run as the one that answered for the further captures of the snapshot.

    A run replaces another one only for captures within its moment, and a run over texts never replaces an inference
    (a vote or propagation, ``inferred``).
    """
    connection.execute(
        "UPDATE main.history SET run = ?1 WHERE id IN (SELECT capture FROM temp.snapshot_captures)"
        " AND (run IS NULL OR (id IN (SELECT capture FROM temp.snapshot_captures WHERE away = 0)"
        " AND (?2 OR (SELECT kind FROM runs WHERE runs.id = history.run) = 'content')))",
        (run, int(inferred)),
    )


def list_years(connection: sqlite3.Connection) -> list[str]:
    """Return the calendar years of all captures, ascending."""
    query = (
        "SELECT SUBSTR(date, 1, 4) FROM (SELECT date FROM main.captures UNION SELECT date FROM main.history_captures)"
        " WHERE date GLOB '[0-9][0-9][0-9][0-9]*' AND date >= '0001' GROUP BY 1 ORDER BY 1"
    )
    return [year for (year,) in connection.execute(query)]
