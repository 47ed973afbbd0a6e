"""Languages of pages as somebody found them who looked: kept by URL, through every later reading and run."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.db.statements import transaction
from graphlang.db.values import now

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

_READ = 10_000
#: SQL: this correction is the last of its page that was not undone.
IN_FORCE = "corrections.id IN (SELECT MAX(id) FROM corrections WHERE undone IS NULL GROUP BY url)"


class Correction(NamedTuple):
    """What somebody says of a page."""

    url: str  #: canonical; the collection need not have it
    language: str  #: ISO 639-3; ``und`` where nobody could tell, ``zxx`` where there is nothing to tell
    script: str | None  #: ISO 15924
    corrected_by: str  #: who says it
    note: str  #: why
    corrected: str  #: when, ISO 8601 in UTC
    former: str | None  #: label that stood there before; None where there was none
    former_confidence: float | None  #: confidence of that
    undone: str | None  #: when it was undone; None while it stands
    undone_by: str | None  #: who undid it


_SELECT = (
    "SELECT url, label.language, label.script, corrected_by, note, corrected, former.label, former_confidence, undone,"
    " undone_by FROM corrections JOIN labels AS label ON label.id = corrections.label"
    " LEFT JOIN labels AS former ON former.id = corrections.former"
)


def add(connection: sqlite3.Connection, said: Iterable[tuple[str, int, str]], by: str) -> int:
    """Correct pages, in one transaction; what was said of them before stays as history.

    What the same person has said in the same words already, and is in force, is not said twice: a command that was
    killed can be repeated.

    Args:
        connection: a collection opened for writing.
        said: for each page its canonical URL, the number of the label, and a note.
        by: who says so.

    Returns:
        How many of the pages the collection has.
    """
    moment = now()
    with transaction(connection):
        known = 0
        for url, label, note in said:
            row = connection.execute(
                "SELECT labels.id, confidence FROM page_languages LEFT JOIN labels"
                " ON labels.language = page_languages.language AND labels.script IS page_languages.script"
                " WHERE url = ?",
                (url,),
            ).fetchone()
            known += row is not None
            if _in_force(connection, url) == (label, by, note):
                continue
            former = row if row is not None and row[1] else (None, None)
            connection.execute(
                "INSERT INTO corrections (url, label, corrected_by, note, corrected, former, former_confidence)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (url, label, by, note, moment, *former),
            )
    return known


def _in_force(connection: sqlite3.Connection, url: str) -> tuple[int, str, str] | None:
    row: tuple[int, str, str] | None = connection.execute(
        "SELECT label, corrected_by, note FROM corrections WHERE url = ? AND undone IS NULL ORDER BY id DESC LIMIT 1",
        (url,),
    ).fetchone()
    return row


def undo(connection: sqlite3.Connection, urls: Sequence[str], by: str | None = None) -> int:
    """Undo the correction of each page that is in force; the one before it, if any, is in force again.

    Args:
        connection: a collection opened for writing.
        urls: canonical.
        by: who undoes it.

    Returns:
        How many there were.
    """
    moment = now()
    with transaction(connection):
        return sum(
            connection.execute(
                "UPDATE corrections SET undone = ?, undone_by = ?"
                " WHERE id = (SELECT MAX(id) FROM corrections WHERE url = ? AND undone IS NULL)",
                (moment, by, url),
            ).rowcount
            for url in urls
        )


def rows(connection: sqlite3.Connection, *, everything: bool = False, url: str | None = None) -> Iterator[Correction]:
    """Corrections in the order in which they were made.

    Args:
        connection: a collection.
        everything: also those that were undone, or gave way to a later one.
        url: only those of one page.
    """
    conditions = [] if everything else [IN_FORCE]
    if url is not None:
        conditions.append("url = :url")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    cursor = connection.execute(f"{_SELECT}{where} ORDER BY corrections.id", {"url": url})
    while found := cursor.fetchmany(_READ):
        yield from map(Correction._make, found)


def of_pages(connection: sqlite3.Connection) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ids of the pages that are corrected, ascending, and the numbers of their labels, shape (c,) each."""
    found = connection.execute(
        "SELECT pages.id, labels.id FROM corrections JOIN pages ON pages.url = corrections.url"
        " JOIN labels ON labels.id = corrections.label"
        f" WHERE {IN_FORCE} ORDER BY pages.id"
    ).fetchall()
    table = np.array(found, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def now_or_at(connection: sqlite3.Connection, moment: str) -> set[int]:
    """Ids of the pages that are corrected now, or were at a moment.

    Args:
        connection: a collection.
        moment: ISO 8601 in UTC.
    """
    found = connection.execute(
        "SELECT pages.id FROM corrections JOIN pages ON pages.url = corrections.url"
        " WHERE undone IS NULL OR (corrected <= ?1 AND undone >= ?1)",
        (moment,),
    )
    return {page for (page,) in found}


def state(connection: sqlite3.Connection) -> str:
    """A short digest of the corrections in force of pages that the collection has; empty where there are none."""
    pages, labels = of_pages(connection)
    if not len(pages):
        return ""
    names = dict(connection.execute("SELECT id, label FROM labels"))
    told = [(page, names[label]) for page, label in zip(pages.tolist(), labels.tolist(), strict=True)]
    return f"+{hashlib.sha256(repr(told).encode()).hexdigest()[:16]}"
