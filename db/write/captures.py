"""Write captures, texts, declarations and visible bytes, and give revisits the content of their originals.

A revisit record (WARC 1.1, section 6.7) says that a page was fetched again and had not changed, and mostly holds no
content. A page with nothing else gets the text, declarations and links of the original: the capture of the URL and date
that the record names, else one with the same payload digest. A redirect needs none: its target is its content. Status
304 is no redirect, but a server's statement that nothing has changed (6.7.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.db import statements, values
from graphlang.db.statements import transaction
from graphlang.db.write.choose_capture import CaptureProperties, Choice

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from graphlang.db.records import Page

#: Tables with rows of a page's main capture, and their column for the page.
_CONTENT_TABLES = (("texts", "page"), ("declarations", "page"), ("visible_bytes", "page"), ("links", "source"))
#: By the key, which begins with the target: scanning a million anchor texts would take too long.
_FORGET_WORDS = "DELETE FROM anchor_texts WHERE source = ?1 AND target IN (SELECT target FROM links WHERE source = ?1)"
_CAPTURE = (
    "INSERT OR FAIL INTO captures (page, source, offset, date, status, mime, charset, charset_from, length, size,"
    " digest, revisit_of, captures, revisit_date, parts, reading)"
)
#: What the other part adds to a stored capture of one part.
_WITH_TEXT = (
    "UPDATE captures SET source = ?, offset = ?, charset = ?, charset_from = ?, length = ?, parts = 'joined',"
    " date = CASE date WHEN '' THEN ? ELSE date END, reading = ? WHERE page = ?"
)
_WITH_LINKS = (
    "UPDATE captures SET status = ?, mime = ?, size = ?, digest = ?, parts = 'joined',"
    " date = CASE ? WHEN '' THEN date ELSE ? END WHERE page = ?"
)
_WITH_TITLE = (
    "INSERT INTO texts (page, title, text, main) VALUES (?, ?, '', 0) ON CONFLICT (page) DO UPDATE SET"
    " title = excluded.title"
)
_WITH_WORDS = (
    "INSERT INTO texts (page, title, text, main, rest) VALUES (?, ?, ?, ?, ?) ON CONFLICT (page) DO UPDATE SET"
    " title = CASE title WHEN '' THEN excluded.title ELSE title END, text = excluded.text, main = excluded.main,"
    " rest = excluded.rest"
)

_EMPTY = "revisit_of IS NOT NULL AND size = 0 AND (status IS NULL OR status NOT BETWEEN 300 AND 399 OR status = 304)"
_FULL = "(captures.revisit_of IS NULL OR captures.size > 0)"
_BY_NAME = f"""
SELECT revisits.page, captures.page FROM revisits
JOIN pages ON pages.url = revisits.url
JOIN captures ON captures.page = pages.id
WHERE {_FULL} AND captures.page <> revisits.page AND (
    (revisits.digest <> '' AND captures.digest = revisits.digest)
    OR (revisits.date <> '' AND captures.date = revisits.date)
    OR (revisits.date = '' AND revisits.digest = '')
)
"""
_BY_DIGEST = f"""
SELECT revisits.page, MIN(captures.page) FROM captures
JOIN revisits ON revisits.digest = captures.digest
WHERE revisits.digest <> '' AND {_FULL} AND captures.size > 0
GROUP BY revisits.page
"""
#: Copy content to a revisit (?1) from its original (?2).
_LEND = (
    "INSERT INTO texts (page, title, text, main, rest) SELECT ?1, title, text, main, rest FROM texts WHERE page = ?2",
    "INSERT INTO declarations SELECT ?1, source, value FROM declarations WHERE page = ?2",
    "INSERT INTO visible_bytes SELECT ?1, bytes FROM visible_bytes WHERE page = ?2",
    (
        "INSERT INTO links SELECT ?1, target, kind, nofollow, hreflang, place FROM links"
        " WHERE source = ?2 AND target <> ?1"
    ),
    (
        "INSERT INTO anchor_texts SELECT target, ?1, text FROM anchor_texts WHERE source = ?2 AND target <> ?1"
        " AND target IN (SELECT target FROM links WHERE source = ?2)"
    ),
    (
        "UPDATE captures SET original = ?2, (charset, charset_from, length) ="
        " (SELECT charset, charset_from, length FROM captures WHERE page = ?2) WHERE page = ?1"
    ),
)


def read_choice(connection: sqlite3.Connection, page_id: int) -> Choice:
    """Read the main capture of a page, to compare it with captures that are read now."""
    status, date, revisit, count, source, offset, *sizes = connection.execute(
        "SELECT status, date, revisit_of IS NOT NULL, captures, source, offset, parts, length, digest, size"
        " FROM captures WHERE page = ?",
        (page_id,),
    ).fetchone()
    parts, length, digest, size = sizes
    for name, value in (("date", date), ("parts", parts), ("digest", digest)):
        values.check_type(f"captures.{name}", [value], str)
    for name, value in (("length", length), ("captures", count), ("size", size)):
        values.check_type(f"captures.{name}", [value], int)
    return Choice(CaptureProperties(status, date, bool(revisit), *sizes), count, stored=(source, offset))


def forget_captures(connection: sqlite3.Connection, pages: Sequence[int]) -> None:
    """Delete the main captures of some pages with their content, within a transaction."""
    rows = [(page,) for page in pages]
    if rows:
        connection.executemany(_FORGET_WORDS, rows)
        for table, column in (("captures", "page"), *_CONTENT_TABLES):
            connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", rows)


def write_captures(
    connection: sqlite3.Connection, source: int, choices: Mapping[int, Choice], *, reading: int = 1
) -> None:
    """Write the captures chosen for pages, by page id, without their links; links of replaced captures are deleted."""
    replaced = [page_id for page_id, choice in choices.items() if choice.stored and choice.page is not None]
    forget_captures(connection, replaced)
    connection.executemany(
        "UPDATE captures SET captures = ? WHERE page = ?",
        [(choice.count, page_id) for page_id, choice in choices.items() if choice.page is None],
    )
    for page_id, choice in choices.items():
        if choice.page is None and choice.other_part is not None:
            write_other_part(connection, source, page_id, choice.other_part, reading)
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


def _write_evidence(connection: sqlite3.Connection, pages: Sequence[tuple[int, Page]]) -> None:
    """Write what pages declare, and their bytes."""
    statements.insert_rows(
        connection,
        "INSERT OR IGNORE INTO declarations",
        [(page_id, name, value) for page_id, page in pages for name, value in page.declared],
    )
    statements.insert_rows(
        connection,
        "INSERT OR IGNORE INTO visible_bytes",
        [(page_id, page.visible) for page_id, page in pages if page.visible],
    )


def write_other_part(connection: sqlite3.Connection, source: int, page_id: int, page: Page, reading: int) -> None:
    """Add the other part to a stored capture: a text to links, or links (written elsewhere) to a text."""
    if reading > 1:
        _forget_other_part(connection, page_id, page)
    _write_evidence(connection, [(page_id, page)])
    if page.parts == "text":
        row = (source, page.offset, page.charset, page.charset_from, page.length, page.date, reading, page_id)
        connection.execute(_WITH_TEXT, row)
        if page.title or page.text:
            connection.execute(_WITH_WORDS, (page_id, page.title, page.text, page.main_length, page.rest or None))
        return
    answer = (page.status, page.mime, page.size, page.digest, page.date, page.date, page_id)
    connection.execute(_WITH_LINKS, answer)
    if page.title:
        connection.execute(_WITH_TITLE, (page_id, page.title))


def _forget_other_part(connection: sqlite3.Connection, page_id: int, page: Page) -> None:
    """Delete what an earlier reading of this part wrote."""
    if page.parts == "text":
        connection.execute("DELETE FROM visible_bytes WHERE page = ?", (page_id,))
        connection.execute("UPDATE texts SET text = '', main = 0, rest = NULL WHERE page = ?", (page_id,))
        connection.execute("DELETE FROM texts WHERE page = ? AND title = ''", (page_id,))
        return
    connection.execute(_FORGET_WORDS, (page_id,))
    connection.execute("DELETE FROM links WHERE source = ?", (page_id,))


def resolve_revisits(connection: sqlite3.Connection) -> list[int]:
    """Give the pages of revisit records the content of their originals; needs the index over URLs.

    The result depends only on the captures of the collection, not on earlier calls. Returns the ids of pages whose
    original is, or may be, another than before.
    """
    changed = []
    with transaction(connection):
        connection.execute(
            "CREATE TEMP TABLE revisits AS SELECT page, revisit_of AS url, revisit_date AS date, digest, original"
            f" FROM captures WHERE {_EMPTY}"
        )
        connection.execute("CREATE INDEX temp.revisits_digest ON revisits (digest)")
        originals: dict[int, int] = dict(connection.execute(_BY_DIGEST).fetchall())
        originals |= dict(connection.execute(_BY_NAME).fetchall())
        # An original known by its URL alone may be another capture of that page by now.
        rows = connection.execute(
            "SELECT page, original, date = '' AND digest = '' AND original IS NOT NULL FROM revisits ORDER BY page"
        ).fetchall()
        for page, original, unsure in rows:
            if originals.get(page) != original or unsure:
                changed.append(page)
                empty_revisit(connection, page)
                if page in originals:
                    for statement in _LEND:
                        connection.execute(statement, (page, originals[page]))
        connection.execute("DROP TABLE revisits")
    return changed


def empty_revisit(connection: sqlite3.Connection, page: int) -> None:
    """Delete the content that the page of a revisit record got from its original, within a transaction."""
    connection.execute(_FORGET_WORDS, (page,))
    for table, column in _CONTENT_TABLES:
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (page,))
    connection.execute(
        "UPDATE captures SET original = NULL, charset = NULL, charset_from = '', length = 0 WHERE page = ?", (page,)
    )
