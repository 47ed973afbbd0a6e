"""Pages that were gained, lost, or changed their language: between two years of a collection, or two collections."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.db.errors import StoreError
from graphlang.maps.gathered import gather

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from graphlang.maps.selection import Selection

#: What changes are counted by.
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
    """Refuse years of which there is no capture."""
    rows = connection.execute(
        "SELECT SUBSTR(date, 1, 4) FROM captures WHERE date <> '' UNION SELECT SUBSTR(date, 1, 4)"
        " FROM history_captures WHERE date <> '' ORDER BY 1"
    )
    captured = [year for (year,) in rows]
    for year in years:
        if year not in captured:
            raise StoreError(f"no capture is from {year}; there are {', '.join(captured) or 'no dates'}")


def year_changes(connection: sqlite3.Connection, years: tuple[str, str], selection: Selection) -> Iterator[PageChange]:
    """Yield the pages that differ between two calendar years, by URL."""
    with gather(connection, selection, extra=("url", "host"), yearly=True) as at_hand:
        source, values = at_hand.source()
        query = f"{_SIDES.format(source=source)} ORDER BY url"
        values |= {"before": years[0], "after": years[1]}
        yield from _changes(connection.execute(query, values))


def count_year_changes(
    connection: sqlite3.Connection, years: tuple[str, str], selection: Selection, by: str
) -> list[PageChangeCount]:
    """Count the pages of two calendar years by language, host or domain, the greatest changes first."""
    with gather(connection, selection, extra=("url", "host"), yearly=True) as at_hand:
        source, values = at_hand.source()
        site = "NULL" if by == "language" else by
        query = (
            f"SELECT {site}, before, after, COUNT(*) FROM ({_SIDES.format(source=source)}) AS sides"
            " GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
        )
        return _count(connection.execute(query, values | {"before": years[0], "after": years[1]}), by)


def collection_changes(
    before: sqlite3.Connection, after: sqlite3.Connection, selection: Selection
) -> Iterator[PageChange]:
    """Yield the pages that differ between two collections, by URL."""
    yield from _changes(_merge(before, after, selection))


def count_collection_changes(
    before: sqlite3.Connection, after: sqlite3.Connection, selection: Selection, by: str
) -> list[PageChangeCount]:
    """Count the pages of two collections by language, host or domain, the greatest changes first."""
    site = {"language": None, "host": 1, "domain": 2}[by]
    rows = ((row[site] if site else None, row[3], row[5], 1) for row in _merge(before, after, selection))
    return _count(rows, by)


def _merge(before: sqlite3.Connection, after: sqlite3.Connection, selection: Selection) -> Iterator[tuple[Any, ...]]:
    """Join pages of two collections by URL, which both list in order."""
    source, values = selection.source(of=selection.view)
    query = f"SELECT {_COLUMNS} FROM {source} ORDER BY url COLLATE BINARY"
    left, right = before.execute(query, values), after.execute(query, values)
    earlier, later = left.fetchone(), right.fetchone()
    while earlier is not None or later is not None:
        if later is None or (earlier is not None and earlier[0] < later[0]):
            yield (*earlier, None, None)
            earlier = left.fetchone()
        elif earlier is None or later[0] < earlier[0]:
            yield (*later[:3], None, None, *later[3:])
            later = right.fetchone()
        else:
            yield (*earlier, *later[3:])
            earlier, later = left.fetchone(), right.fetchone()


def _changes(rows: Iterable[tuple[Any, ...]]) -> Iterator[PageChange]:
    for url, _, _, before, before_confidence, after, after_confidence in rows:
        if before != after:
            change = "gained" if before is None else "lost" if after is None else "switched"
            yield PageChange(change, url, before, before_confidence, after, after_confidence)


def _count(rows: Iterable[tuple[Any, ...]], by: str) -> list[PageChangeCount]:
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
