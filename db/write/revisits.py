"""Revisit records: what was the same is taken from the capture that they refer to, where the collection has it.

A revisit (WARC 1.1, section 6.7) says that a page was fetched again and had not changed, and mostly holds no content.
A page that has nothing else is given the text, the declarations and the links of the original: the capture of the URL
and date that the record names, else one with the same payload digest. A redirect needs none: its target is its content;
status 304 is no redirect, but a server's word that nothing has changed (6.7.3).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

_SAME = (
    "UPDATE captures SET original = ?2, (charset, charset_from, length) ="
    " (SELECT charset, charset_from, length FROM captures WHERE page = ?2) WHERE page = ?1"
)
_TEXT = "title, text, main, rest"
_LINKS = (
    "INSERT INTO links SELECT ?1, target, kind, nofollow, hreflang, place FROM links WHERE source = ?2 AND target <> ?1"
)
_WORDS = (
    "INSERT INTO anchor_texts SELECT target, ?1, text FROM anchor_texts WHERE source = ?2 AND target <> ?1"
    " AND target IN (SELECT target FROM links WHERE source = ?2)"
)
_EMPTY = "revisit_of IS NOT NULL AND size = 0 AND (status IS NULL OR status NOT BETWEEN 300 AND 399 OR status = 304)"
_FULL = "(captures.revisit_of IS NULL OR captures.size > 0)"

_BY_NAME = f"""
SELECT wanted.page, captures.page FROM wanted
JOIN pages ON pages.url = wanted.url
JOIN captures ON captures.page = pages.id
WHERE {_FULL} AND captures.page <> wanted.page AND (
    (wanted.digest <> '' AND captures.digest = wanted.digest)
    OR (wanted.date <> '' AND captures.date = wanted.date)
    OR (wanted.date = '' AND wanted.digest = '')
)
"""
_BY_DIGEST = f"""
SELECT wanted.page, MIN(captures.page) FROM captures
JOIN wanted ON wanted.digest = captures.digest
WHERE wanted.digest <> '' AND {_FULL} AND captures.size > 0
GROUP BY wanted.page
"""


def resolve(connection: sqlite3.Connection) -> list[int]:
    """Give the pages of revisit records what their originals hold; needs the index over URLs.

    What comes out depends on the captures that are in the collection alone, not on how often this was called before.

    Returns:
        Ids of the pages whose original is another than before, or may be.
    """
    changed = []
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(
            "CREATE TEMP TABLE wanted AS SELECT page, revisit_of AS url, revisit_date AS date, digest, original"
            f" FROM captures WHERE {_EMPTY}"
        )
        connection.execute("CREATE INDEX temp.wanted_digest ON wanted (digest)")
        found: dict[int, int] = dict(connection.execute(_BY_DIGEST).fetchall())
        found |= dict(connection.execute(_BY_NAME).fetchall())
        # What is known by its URL alone may be another capture by now, of the same page.
        before = connection.execute(
            "SELECT page, original, date = '' AND digest = '' AND original IS NOT NULL FROM wanted ORDER BY page"
        ).fetchall()
        for page, original, unsure in before:
            if found.get(page) != original or unsure:
                changed.append(page)
                empty(connection, page)
                if page in found:
                    _lend(connection, page, found[page])
        connection.execute("DROP TABLE wanted")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return changed


def empty(connection: sqlite3.Connection, page: int) -> None:
    """Take from the page of a revisit record what it was given of its original.

    Args:
        connection: within a transaction.
        page: its id.
    """
    connection.execute(
        "DELETE FROM anchor_texts WHERE source = ?1 AND target IN (SELECT target FROM links WHERE source = ?1)", (page,)
    )
    for table, column in (("texts", "page"), ("declarations", "page"), ("visible_bytes", "page"), ("links", "source")):
        connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (page,))
    connection.execute(
        "UPDATE captures SET original = NULL, charset = NULL, charset_from = '', length = 0 WHERE page = ?", (page,)
    )


def _lend(connection: sqlite3.Connection, page: int, original: int) -> None:
    for statement in (
        f"INSERT INTO texts (page, {_TEXT}) SELECT ?1, {_TEXT} FROM texts WHERE page = ?2",
        "INSERT INTO declarations SELECT ?1, source, value FROM declarations WHERE page = ?2",
        "INSERT INTO visible_bytes SELECT ?1, bytes FROM visible_bytes WHERE page = ?2",
        _LINKS,
        _WORDS,
        _SAME,
    ):
        connection.execute(statement, (page, original))
