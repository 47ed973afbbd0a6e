"""Captures of pages besides their own: each with its date, and each content once.

They are written one by one in the order in which they were read, or gave way to another, so that it makes no difference
how records are cut into batches. Of each content that is not that of the page's own capture one row is whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang.db.write import captures
from graphlang.db.write import links as linkage

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from graphlang.db.records import Page
    from graphlang.db.write.choose_capture import Facts, Rest

_COLUMNS = "page, source, offset, date, status, mime, charset, charset_from, length, size, digest, parts, reading"
_CONTENT = "title, text, main, rest"
_READ = f"INSERT INTO history ({_COLUMNS}, whole, {_CONTENT}) VALUES ({', '.join('?' * 18)})"
_MOVED = (
    f"INSERT INTO history ({_COLUMNS}, whole, {_CONTENT}) SELECT {_COLUMNS}, 1,"
    " COALESCE(title, ''), COALESCE(text, ''), COALESCE(main, 0), rest FROM captures LEFT JOIN texts USING (page)"
    " WHERE page = ?"
)
#: A revisit may have been lent what its original holds, or not yet.
_MOVED_LIGHT = (
    f"INSERT INTO history ({_COLUMNS}, whole) SELECT page, source, offset, date, status, mime,"
    " IIF(revisit_of IS NULL, charset, NULL), IIF(revisit_of IS NULL, charset_from, ''),"
    " IIF(revisit_of IS NULL, length, 0), size, digest, parts, reading, 0 FROM captures WHERE page = ?"
)
_MOVED_LINKS = "INSERT INTO history_links SELECT ?, target, kind, nofollow, hreflang, place FROM links WHERE source = ?"
_MOVED_DECLARATIONS = "INSERT INTO history_declarations SELECT ?, source, value FROM declarations WHERE page = ?"
_KNOWN = "SELECT id FROM history WHERE page = ? AND date = ? AND digest = ?"
#: The row of a page that holds a content.
_SAME = (
    "SELECT id FROM history WHERE page = ? AND digest = ? AND whole AND size > 0"
    " AND (status IS NULL OR status NOT BETWEEN 300 AND 399)"
)
#: What an earlier reading made of a record; another version may have read another date.
_BEFORE = (
    "SELECT id FROM history WHERE source = ?3 AND offset = ?4 AND page = ?1 AND reading < ?5 ORDER BY date <> ?2, id"
    " LIMIT 1"
)
_READ_AGAIN = f"UPDATE history SET ({_COLUMNS}, whole, {_CONTENT}) = ({', '.join('?' * 18)}), run = NULL WHERE id = ?"
#: Rows that have their content of one that goes, by page and content, in one walk; a revisit has a size of 0.
_HEIRS = (
    "SELECT page, digest, MIN(id) FROM history WHERE NOT whole AND size > 0 AND NOT (source = ?1 AND reading < ?2)"
    " AND (+page, +digest) IN (SELECT page, digest FROM history WHERE whole AND source = ?1 AND reading < ?2)"
    " GROUP BY page, digest"
)
_INHERIT = f"UPDATE history SET whole = 1, ({_CONTENT}) = (SELECT {_CONTENT} FROM history WHERE id = ?) WHERE id = ?"
_LIGHT = "UPDATE history SET whole = 0, title = NULL, text = NULL, main = NULL, rest = NULL WHERE id = ?"


class Event(NamedTuple):
    """What one more capture of a page led to."""

    page_id: int
    rest: Rest | None  #: the capture that is not the page's own; None where the one read is that, or a part of it
    own: Facts  #: of the page's own capture from now on


class History:
    """Writes captures that are not their pages' own, before these are written.

    Args:
        connection: within a transaction.
        source: the file that the batch comes from.
        reading: which reading of the file this is, see `again`.
        batch: the links of the batch.
    """

    def __init__(self, connection: sqlite3.Connection, source: int, reading: int, batch: linkage.Batch) -> None:
        self._connection, self._source, self._reading, self._batch = connection, source, reading, batch

    def write(self, events: Iterable[Event]) -> int:
        """Write what further captures led to, in the order of the records.

        A revisit record is kept with its date where it names its content; without, it is only counted.

        Returns:
            How many captures were added: one that has the date and the payload of another is not.
        """
        added = 0
        for page_id, rest, own in events:
            if rest is not None and not (rest.facts.revisit and not rest.facts.digest):
                if rest.part is not None:  # so that what is stored is what gives way
                    captures.complete(self._connection, self._source, page_id, rest.part, self._reading)
                    self._batch.write(self._connection, rest.place)
                added += self._add(page_id, own, rest)
            if own.payload and (same := self._holder(page_id, own.payload)) is not None:
                self._lighten(same)
        return added

    def _holder(self, page_id: int, payload: str) -> int | None:
        """The row of a page that holds a content, if any."""
        row = self._connection.execute(_SAME, (page_id, payload)).fetchone()
        return None if row is None else int(row[0])

    def _add(self, page_id: int, own: Facts, rest: Rest) -> bool:
        facts, before = rest.facts, self._read_before(page_id, rest)
        if before is None and (facts.date, facts.digest) == (own.date, own.digest):
            return False
        held = bool(facts.payload) and (
            facts.payload == own.payload or self._holder(page_id, facts.payload) not in {None, before}
        )
        whole = not (facts.revisit or held)
        if rest.page is not None and before is not None:
            self._drop_content(before)
            self._connection.execute(_READ_AGAIN, (*self._row(page_id, rest.page, whole=whole), before))
            if whole:
                self._add_evidence(before, rest.page, rest.place)
            return False
        known = self._connection.execute(_KNOWN, (page_id, facts.date, facts.digest)).fetchone()
        if known is not None and not (whole and facts.payload):
            return False
        if known is not None:  # a row that waits for its content, or had that of the capture that gives way
            self._connection.execute("DELETE FROM history WHERE id = ?", known)
        if rest.page is not None:
            row = self._row(page_id, rest.page, whole=whole)
            capture = int(self._connection.execute(_READ, row).lastrowid or 0)
            if whole:
                self._add_evidence(capture, rest.page, rest.place)
        elif not whole:
            self._connection.execute(_MOVED_LIGHT, (page_id,))
        else:
            capture = int(self._connection.execute(_MOVED, (page_id,)).lastrowid or 0)
            self._connection.execute(_MOVED_LINKS, (capture, page_id))
            self._connection.execute(_MOVED_DECLARATIONS, (capture, page_id))
        return known is None

    def _read_before(self, page_id: int, rest: Rest) -> int | None:
        """The row that an earlier reading of the file made of the same record."""
        if rest.page is None or self._reading == 1:
            return None
        record = (page_id, rest.page.date, self._source, rest.page.offset, self._reading)
        row = self._connection.execute(_BEFORE, record).fetchone()
        return None if row is None else int(row[0])

    def _row(self, page_id: int, page: Page, *, whole: bool) -> tuple[Any, ...]:
        return (
            *(page_id, self._source, page.offset, page.date, page.status, page.mime, page.charset, page.charset_from),
            *(page.length, page.size, page.digest, page.parts, self._reading),
            *(
                (1, page.title, page.text, page.main_length, page.rest or None)
                if whole
                else (0, None, None, None, None)
            ),
        )

    def _add_evidence(self, capture: int, page: Page, place: int) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO history_links VALUES (?, ?, ?, ?, ?, ?)",
            [(capture, *link) for link in self._batch.rows(place)],
        )
        self._connection.executemany(
            "INSERT OR IGNORE INTO history_declarations VALUES (?, ?, ?)",
            [(capture, name, value) for name, value in page.declared],
        )

    def _drop_content(self, capture: int) -> None:
        self._connection.execute("DELETE FROM history_links WHERE capture = ?", (capture,))
        self._connection.execute("DELETE FROM history_declarations WHERE capture = ?", (capture,))

    def _lighten(self, capture: int) -> None:
        """Drop the content of a row, which the page's own capture holds from now on."""
        self._drop_content(capture)
        self._connection.execute(_LIGHT, (capture,))


def forget(connection: sqlite3.Connection, source: int, reading: int) -> None:
    """Drop the captures of a file that its last reading did not find; their content stays with others that have it.

    Args:
        connection: within a transaction.
        source: the file.
        reading: the number of its last reading.
    """
    gone = connection.execute(
        "SELECT id, page, digest, whole FROM history WHERE source = ? AND reading < ? ORDER BY id", (source, reading)
    ).fetchall()
    found = connection.execute(_HEIRS, (source, reading)) if gone else ()
    heirs = {(page, digest): heir for page, digest, heir in found}
    for capture, page, digest, whole in gone:
        heir = heirs.pop((page, digest), None) if whole else None
        for table in ("history_links", "history_declarations"):
            if heir is None:
                connection.execute(f"DELETE FROM {table} WHERE capture = ?", (capture,))
            else:
                connection.execute(f"UPDATE {table} SET capture = ? WHERE capture = ?", (heir, capture))
        if heir is not None:
            connection.execute(_INHERIT, (capture, heir))
        connection.execute("DELETE FROM history WHERE id = ?", (capture,))
