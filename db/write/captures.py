"""The tables that hold what was read of a page: captures, texts, declarations, visible bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.db import statements, values
from graphlang.db.write.choose_capture import Choice, Facts

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from graphlang.db.records import Page

#: Table and its column for the page.
_OF_A_PAGE = (
    ("captures", "page"),
    ("texts", "page"),
    ("declarations", "page"),
    ("visible_bytes", "page"),
    ("links", "source"),
)
#: By its key, which begins with the target: of a million links nobody wants to look at all.
_FORGET_WORDS = "DELETE FROM anchor_texts WHERE source = ?1 AND target IN (SELECT target FROM links WHERE source = ?1)"
_CAPTURE = (
    "INSERT OR FAIL INTO captures (page, source, offset, date, status, mime, charset, charset_from, length, size,"
    " digest, revisit_of, captures, revisit_date, parts, reading)"
)
#: What the other part brings to a capture of which one part is stored.
_WITH_TEXT = (
    "UPDATE captures SET source = ?, offset = ?, charset = ?, charset_from = ?, length = ?, parts = 'joined',"
    " date = CASE date WHEN '' THEN ? ELSE date END, reading = ? WHERE page = ?"
)
_WITH_LINKS = (
    "UPDATE captures SET status = ?, mime = ?, size = ?, digest = ?, parts = 'joined',"
    " date = CASE ? WHEN '' THEN date ELSE ? END WHERE page = ?"
)
_TITLED = (
    "INSERT INTO texts (page, title, text, main) VALUES (?, ?, '', 0) ON CONFLICT (page) DO UPDATE SET"
    " title = excluded.title"
)
_WORDED = (
    "INSERT INTO texts (page, title, text, main, rest) VALUES (?, ?, ?, ?, ?) ON CONFLICT (page) DO UPDATE SET"
    " title = CASE title WHEN '' THEN excluded.title ELSE title END, text = excluded.text, main = excluded.main,"
    " rest = excluded.rest"
)


def stored(connection: sqlite3.Connection, page_id: int) -> Choice:
    """What is stored of a page, to be held against captures that are read now.

    Args:
        connection: the collection.
        page_id: of a page that has a capture.
    """
    status, date, revisit, count, source, offset, *others = connection.execute(
        "SELECT status, date, revisit_of IS NOT NULL, captures, source, offset, parts, length, digest, size"
        " FROM captures WHERE page = ?",
        (page_id,),
    ).fetchone()
    parts, length, digest, size = others
    for name, value, kind in (
        ("date", date, str),
        ("parts", parts, str),
        ("length", length, int),
        ("captures", count, int),
        ("digest", digest, str),
        ("size", size, int),
    ):
        values.check_type(f"captures.{name}", [value], kind)
    return Choice(Facts(status, date, bool(revisit), *others), count, stored=(source, offset))


def forget(connection: sqlite3.Connection, pages: Sequence[int]) -> None:
    """Drop what was read of some pages.

    Args:
        connection: within a transaction.
        pages: their ids.
    """
    gone = [(page,) for page in pages]
    if gone:
        connection.executemany(_FORGET_WORDS, gone)
        for table, column in _OF_A_PAGE:
            connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", gone)


def write(connection: sqlite3.Connection, source: int, choices: Mapping[int, Choice], *, reading: int = 1) -> None:
    """Write what was chosen, by page id, but for the links; links of captures that give way are dropped.

    Args:
        connection: within a transaction.
        source: the file that the captures come from.
        choices: by page id.
        reading: which reading of the file this is, see `again`.
    """
    forget(connection, [page_id for page_id, choice in choices.items() if choice.stored and choice.page is not None])
    connection.executemany(
        "UPDATE captures SET captures = ? WHERE page = ?",
        [(choice.count, page_id) for page_id, choice in choices.items() if choice.page is None],
    )
    for page_id, choice in choices.items():
        if choice.page is None and choice.part is not None:
            complete(connection, source, page_id, choice.part, reading)
    whole = [(page_id, choice.page, choice.count) for page_id, choice in choices.items() if choice.page is not None]
    statements.insert_rows(
        connection,
        _CAPTURE,
        [
            (
                page_id,
                source,
                page.offset,
                page.date,
                page.status,
                page.mime,
                page.charset,
                page.charset_from,
                page.length,
                page.size,
                page.digest,
                page.revisit_of,
                count,
                page.revisit_date,
                page.parts,
                reading,
            )
            for page_id, page, count in whole
        ],
    )
    statements.insert_rows(
        connection,
        "INSERT OR FAIL INTO texts (page, title, text, main, rest)",
        [
            (page_id, page.title, page.text, page.main_length, page.rest or None)
            for page_id, page, _ in whole
            if page.text or page.title
        ],
    )
    _write_evidence(connection, [(page_id, page) for page_id, page, _ in whole])


def _write_evidence(connection: sqlite3.Connection, read: Sequence[tuple[int, Page]]) -> None:
    """What pages declare, and their bytes."""
    statements.insert_rows(
        connection,
        "INSERT OR IGNORE INTO declarations",
        [(page_id, name, value) for page_id, page in read for name, value in page.declared],
    )
    statements.insert_rows(
        connection,
        "INSERT OR IGNORE INTO visible_bytes",
        [(page_id, page.visible) for page_id, page in read if page.visible],
    )


def _forget_part(connection: sqlite3.Connection, page_id: int, part: Page) -> None:
    """Drop what an earlier reading of this part brought."""
    if part.parts == "text":
        connection.execute("DELETE FROM visible_bytes WHERE page = ?", (page_id,))
        connection.execute("UPDATE texts SET text = '', main = 0, rest = NULL WHERE page = ?", (page_id,))
        connection.execute("DELETE FROM texts WHERE page = ? AND title = ''", (page_id,))
        return
    connection.execute(_FORGET_WORDS, (page_id,))
    connection.execute("DELETE FROM links WHERE source = ?", (page_id,))


def complete(connection: sqlite3.Connection, source: int, page_id: int, part: Page, reading: int) -> None:
    """Write the other part of a stored capture, but for its links.

    Args:
        connection: within a transaction.
        source: the file that the part comes from.
        page_id: of the page.
        part: the text of links, or the links of a text.
        reading: which reading of the file this is.
    """
    if reading > 1:
        _forget_part(connection, page_id, part)
    _write_evidence(connection, [(page_id, part)])
    if part.parts == "text":
        words = (source, part.offset, part.charset, part.charset_from, part.length, part.date, reading, page_id)
        connection.execute(_WITH_TEXT, words)
        if part.title or part.text:
            connection.execute(_WORDED, (page_id, part.title, part.text, part.main_length, part.rest or None))
        return
    answer = (part.status, part.mime, part.size, part.digest, part.date, part.date, page_id)
    connection.execute(_WITH_LINKS, answer)
    if part.title:
        connection.execute(_TITLED, (page_id, part.title))
