"""Write further captures of pages: each with its date, and each content once.

They are written one by one in the order in which they were read or replaced, so that the result does not depend on how
records are cut into batches. Of each content that differs from the main capture's one row is whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang.db.write.captures import write_other_part

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from graphlang.db.records import Page
    from graphlang.db.write.choose_capture import CaptureProperties, FurtherCapture
    from graphlang.db.write.links import LinkBatch

_COLUMNS = "page, source, offset, date, status, mime, charset, charset_from, length, size, digest, parts, reading"
_CONTENT = "title, text, main, rest"
_READ = f"INSERT INTO history ({_COLUMNS}, whole, {_CONTENT}) VALUES ({', '.join('?' * 18)})"
_MOVED = (
    f"INSERT INTO history ({_COLUMNS}, whole, {_CONTENT}) SELECT {_COLUMNS}, 1,"
    " COALESCE(title, ''), COALESCE(text, ''), COALESCE(main, 0), rest FROM captures LEFT JOIN texts USING (page)"
    " WHERE page = ?"
)
#: A revisit may have the content of its original by now.
_MOVED_LIGHT = (
    f"INSERT INTO history ({_COLUMNS}, whole) SELECT page, source, offset, date, status, mime,"
    " IIF(revisit_of IS NULL, charset, NULL), IIF(revisit_of IS NULL, charset_from, ''),"
    " IIF(revisit_of IS NULL, length, 0), size, digest, parts, reading, 0 FROM captures WHERE page = ?"
)
_MOVED_LINKS = "INSERT INTO history_links SELECT ?, target, kind, nofollow, hreflang, place FROM links WHERE source = ?"
_MOVED_DECLARATIONS = "INSERT INTO history_declarations SELECT ?, source, value FROM declarations WHERE page = ?"
_SAME_CAPTURE = "SELECT id FROM history WHERE page = ? AND date = ? AND digest = ?"
#: The row of a page that holds a content.
_HOLDER = (
    "SELECT id FROM history WHERE page = ? AND digest = ? AND whole AND size > 0"
    " AND (status IS NULL OR status NOT BETWEEN 300 AND 399)"
)
#: The row that an earlier reading wrote for a record; another version may have read another date.
_EARLIER = (
    "SELECT id FROM history WHERE source = ?3 AND offset = ?4 AND page = ?1 AND reading < ?5 ORDER BY date <> ?2, id"
    " LIMIT 1"
)
_READ_AGAIN = f"UPDATE history SET ({_COLUMNS}, whole, {_CONTENT}) = ({', '.join('?' * 18)}), run = NULL WHERE id = ?"
#: Rows whose content is in one that is deleted, by page and content, in one scan; a revisit has a size of 0.
_HEIRS = (
    "SELECT page, digest, MIN(id) FROM history WHERE NOT whole AND size > 0 AND NOT (source = ?1 AND reading < ?2)"
    " AND (+page, +digest) IN (SELECT page, digest FROM history WHERE whole AND source = ?1 AND reading < ?2)"
    " GROUP BY page, digest"
)
_INHERIT = f"UPDATE history SET whole = 1, ({_CONTENT}) = (SELECT {_CONTENT} FROM history WHERE id = ?) WHERE id = ?"
_LIGHT = "UPDATE history SET whole = 0, title = NULL, text = NULL, main = NULL, rest = NULL WHERE id = ?"


class Event(NamedTuple):
    """The outcome of one more capture of a page."""

    page_id: int
    rest: FurtherCapture | None  #: the capture that is not chosen; None if the one read is chosen, or a part of it
    main: CaptureProperties  #: of the main capture from now on


class History:
    """Writes the further captures of a batch, before the main ones are written."""

    def __init__(self, connection: sqlite3.Connection, source: int, reading: int, batch: LinkBatch) -> None:
        self._connection, self._source, self._reading, self._batch = connection, source, reading, batch

    def write(self, events: Iterable[Event]) -> int:
        """Write further captures in the order of the records, and return how many were added.

        A capture with the date and payload of another is not added. A revisit record without a digest is only counted.
        """
        added = 0
        for page_id, rest, main in events:
            if rest is not None and not (rest.facts.revisit and not rest.facts.digest):
                if rest.other_part is not None:  # so that the stored capture is complete when it is replaced
                    write_other_part(self._connection, self._source, page_id, rest.other_part, self._reading)
                    self._batch.write(self._connection, rest.place)
                added += self._add(page_id, main, rest)
            if main.payload and (same := self._find_holder(page_id, main.payload)) is not None:
                self._lighten(same)
        return added

    def _find_holder(self, page_id: int, payload: str) -> int | None:
        """Return the row of a page that holds a content, if any."""
        row = self._connection.execute(_HOLDER, (page_id, payload)).fetchone()
        return None if row is None else int(row[0])

    def _add(self, page_id: int, main: CaptureProperties, rest: FurtherCapture) -> bool:
        facts, earlier = rest.facts, self._find_earlier_row(page_id, rest)
        if earlier is None and (facts.date, facts.digest) == (main.date, main.digest):
            return False
        stored = bool(facts.payload) and (
            facts.payload == main.payload or self._find_holder(page_id, facts.payload) not in {None, earlier}
        )
        whole = not (facts.revisit or stored)
        if rest.page is not None and earlier is not None:
            self._drop_content(earlier)
            self._connection.execute(_READ_AGAIN, (*self._make_row(page_id, rest.page, whole=whole), earlier))
            if whole:
                self._add_evidence(earlier, rest.page, rest.place)
            return False
        same = self._connection.execute(_SAME_CAPTURE, (page_id, facts.date, facts.digest)).fetchone()
        if same is not None and not (whole and facts.payload):
            return False
        if same is not None:  # a row without content, or with that of the replaced capture
            self._connection.execute("DELETE FROM history WHERE id = ?", same)
        if rest.page is not None:
            row = self._make_row(page_id, rest.page, whole=whole)
            capture = int(self._connection.execute(_READ, row).lastrowid or 0)
            if whole:
                self._add_evidence(capture, rest.page, rest.place)
        elif not whole:
            self._connection.execute(_MOVED_LIGHT, (page_id,))
        else:
            capture = int(self._connection.execute(_MOVED, (page_id,)).lastrowid or 0)
            self._connection.execute(_MOVED_LINKS, (capture, page_id))
            self._connection.execute(_MOVED_DECLARATIONS, (capture, page_id))
        return same is None

    def _find_earlier_row(self, page_id: int, rest: FurtherCapture) -> int | None:
        """Return the row that an earlier reading of the file wrote for the same record."""
        if rest.page is None or self._reading == 1:
            return None
        record = (page_id, rest.page.date, self._source, rest.page.offset, self._reading)
        row = self._connection.execute(_EARLIER, record).fetchone()
        return None if row is None else int(row[0])

    def _make_row(self, page_id: int, page: Page, *, whole: bool) -> tuple[Any, ...]:
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
            [(capture, *link) for link in self._batch.iterate_rows(place)],
        )
        self._connection.executemany(
            "INSERT OR IGNORE INTO history_declarations VALUES (?, ?, ?)",
            [(capture, name, value) for name, value in page.declared],
        )

    def _drop_content(self, capture: int) -> None:
        self._connection.execute("DELETE FROM history_links WHERE capture = ?", (capture,))
        self._connection.execute("DELETE FROM history_declarations WHERE capture = ?", (capture,))

    def _lighten(self, capture: int) -> None:
        """Delete the content of a row, because the main capture holds it from now on."""
        self._drop_content(capture)
        self._connection.execute(_LIGHT, (capture,))


def forget_missing(connection: sqlite3.Connection, source: int, reading: int) -> None:
    """Delete captures of a file that its last reading did not find; other rows with their content inherit it."""
    rows = connection.execute(
        "SELECT id, page, digest, whole FROM history WHERE source = ? AND reading < ? ORDER BY id", (source, reading)
    ).fetchall()
    heirs: dict[tuple[int, str], int] = {}
    if rows:
        heirs = {(page, digest): heir for page, digest, heir in connection.execute(_HEIRS, (source, reading))}
    for capture, page, digest, whole in rows:
        heir = heirs.pop((page, digest), None) if whole else None
        for table in ("history_links", "history_declarations"):
            if heir is None:
                connection.execute(f"DELETE FROM {table} WHERE capture = ?", (capture,))
            else:
                connection.execute(f"UPDATE {table} SET capture = ? WHERE capture = ?", (heir, capture))
        if heir is not None:
            connection.execute(_INHERIT, (capture, heir))
        connection.execute("DELETE FROM history WHERE id = ?", (capture,))
