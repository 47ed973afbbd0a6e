"""Languages of pages set by hand: kept by URL, through every later reading and run."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db.statements import transaction
from graphlang.db.values import get_time

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

_BATCH = 10_000
#: SQL: this correction is the last one of its page that was not undone.
IN_FORCE = "corrections.id IN (SELECT MAX(id) FROM corrections WHERE undone IS NULL GROUP BY url)"


class Correction(NamedTuple):
    """The language of a page, set by hand."""

    url: str  #: canonical; the collection need not have it
    language: str  #: ISO 639-3; ``und`` for undetermined, ``zxx`` for no linguistic content
    script: str | None  #: ISO 15924
    corrected_by: str  #: author
    note: str  #: reason
    corrected: str  #: time, ISO 8601 in UTC
    former: str | None  #: label before; None if there was none
    former_confidence: float | None  #: its confidence
    undone: str | None  #: time when it was undone; None while in force
    undone_by: str | None  #: author of the undoing


_SELECT = (
    "SELECT url, label.language, label.script, corrected_by, note, corrected, former.label, former_confidence, undone,"
    " undone_by FROM corrections JOIN labels AS label ON label.id = corrections.label"
    " LEFT JOIN labels AS former ON former.id = corrections.former"
)


def add(connection: sqlite3.Connection, corrected: Iterable[tuple[str, int, str]], by: str) -> int:
    """Correct pages in one transaction, and return how many of them the collection has.

    Earlier corrections stay as history. A correction in force with the same author, label and note is not repeated, so
    that an interrupted command can be run again. `corrected` has the canonical URL, label id and note of each page;
    `by` is the author.
    """
    moment = get_time()
    with transaction(connection):
        count = 0
        for url, label, note in corrected:
            row = connection.execute(
                "SELECT labels.id, confidence FROM page_languages LEFT JOIN labels"
                " ON labels.language = page_languages.language AND labels.script IS page_languages.script"
                " WHERE url = ?",
                (url,),
            ).fetchone()
            count += row is not None
            if _find_active(connection, url) == (label, by, note):
                continue
            former = row if row is not None and row[1] else (None, None)
            connection.execute(
                "INSERT INTO corrections (url, label, corrected_by, note, corrected, former, former_confidence)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (url, label, by, note, moment, *former),
            )
    return count


def _find_active(connection: sqlite3.Connection, url: str) -> tuple[int, str, str] | None:
    row: tuple[int, str, str] | None = connection.execute(
        "SELECT label, corrected_by, note FROM corrections WHERE url = ? AND undone IS NULL ORDER BY id DESC LIMIT 1",
        (url,),
    ).fetchone()
    return row


def undo(connection: sqlite3.Connection, urls: Sequence[str], by: str | None = None) -> int:
    """Undo the correction in force of each page, given by its canonical URL, and return how many there were.

    An earlier correction of the page is in force again.
    """
    moment = get_time()
    with transaction(connection):
        return sum(
            connection.execute(
                "UPDATE corrections SET undone = ?, undone_by = ?"
                " WHERE id = (SELECT MAX(id) FROM corrections WHERE url = ? AND undone IS NULL)",
                (moment, by, url),
            ).rowcount
            for url in urls
        )


def read_corrections(
    connection: sqlite3.Connection, *, everything: bool = False, url: str | None = None
) -> Iterator[Correction]:
    """Yield corrections in force, or all with ``everything``, in order of time; with ``url`` those of one page."""
    conditions = [] if everything else [IN_FORCE]
    if url is not None:
        conditions.append("url = :url")
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    cursor = connection.execute(f"{_SELECT}{where} ORDER BY corrections.id", {"url": url})
    while batch := cursor.fetchmany(_BATCH):
        yield from map(Correction._make, batch)


def read_corrected_labels(connection: sqlite3.Connection) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ids of corrected pages, ascending, and of their labels, shape (c,) each."""
    import numpy as np  # noqa: PLC0415 - a job that has nothing to do does without

    table = np.array(_read_pairs_in_force(connection), dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


def _read_pairs_in_force(connection: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return ids of corrected pages, ascending, each with the id of its label."""
    return connection.execute(
        "SELECT pages.id, labels.id FROM corrections JOIN pages ON pages.url = corrections.url"
        " JOIN labels ON labels.id = corrections.label"
        f" WHERE {IN_FORCE} ORDER BY pages.id"
    ).fetchall()


def find_corrected_pages(connection: sqlite3.Connection, moment: str) -> set[int]:
    """Return ids of the pages that are corrected now, or were at a moment (ISO 8601 in UTC)."""
    rows = connection.execute(
        "SELECT pages.id FROM corrections JOIN pages ON pages.url = corrections.url"
        " WHERE undone IS NULL OR (corrected <= ?1 AND undone >= ?1)",
        (moment,),
    )
    return {page for (page,) in rows}


def digest_state(connection: sqlite3.Connection) -> str:
    """Return a short digest of the corrections in force of pages in the collection; empty if there are none."""
    rows = _read_pairs_in_force(connection)
    if not rows:
        return ""
    names = dict(connection.execute("SELECT id, label FROM labels"))
    pairs = [(page, names[label]) for page, label in rows]
    return f"+{hashlib.sha256(repr(pairs).encode()).hexdigest()[:16]}"
