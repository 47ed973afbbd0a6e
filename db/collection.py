"""Read a collection: texts in batches, links as arrays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphlang.db import values
from graphlang.db.records import LinkKind
from graphlang.db.url_ids import find_last_id
from graphlang.db.values import limit_id

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_BATCH = 4096
_NUMBERS = 1 << 16  #: that SQLite joins into one string
#: Distinct anchor texts of a page that are read; popular pages have thousands.
_ANCHORS = 20
_WITH_ANCHORS = f"""
SELECT
    pages.id,
    COALESCE(title, ''),
    COALESCE(texts.text, ''),
    COALESCE(main, 0),
    COALESCE(bytes, X''),
    COALESCE((
        SELECT GROUP_CONCAT(words, CHAR(10)) FROM (
            SELECT text AS words FROM anchor_texts WHERE target = pages.id GROUP BY text ORDER BY MIN(source)
            LIMIT {_ANCHORS}
        )
    ), '') AS anchors
FROM pages
LEFT JOIN texts ON texts.page = pages.id
LEFT JOIN visible_bytes ON visible_bytes.page = pages.id
WHERE pages.id > ? AND (texts.page IS NOT NULL OR anchors <> '')
ORDER BY pages.id LIMIT ?
"""
_TEXTS = (
    "SELECT page, title, text, main,"
    " COALESCE((SELECT bytes FROM visible_bytes WHERE visible_bytes.page = texts.page), X'') FROM texts"
)
_TAGS = _LAST = np.iinfo(np.int16).max


class StoredTexts(NamedTuple):
    """Texts of some pages, in order of ids."""

    pages: list[int]
    titles: list[str]
    texts: list[str]  #: main content first, a line feed between lines, cut at what methods read
    mains: list[int]  #: characters of the text that are main content
    visible: list[bytes]  #: undecoded visible bytes; empty if they are not kept
    anchors: list[str]  #: anchor texts of links to the page, a line each; empty if not kept or not read


class Edges(NamedTuple):
    """All links; rows are page id - 1, sorted by (source, target)."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    kind: NDArray[np.uint8]
    nofollow: NDArray[np.bool_]
    hreflang: NDArray[np.int16]  #: index in ``tags``, -1 if the link declares no language
    tags: tuple[str, ...]  #: distinct values of hreflang, as written
    place: NDArray[np.int16] | None = None  #: position among the links of the page, if read; -1 if unknown


def count_pages(connection: sqlite3.Connection) -> int:
    """Return the greatest page id ever given: the number of pages, removed ones included.

    Raise a StoreError if there are too few pages for it, because arrays of that size would exhaust memory.
    """
    return _count(connection, "pages")


def count_hosts(connection: sqlite3.Connection) -> int:
    """Return the greatest host id ever given; see `count_pages`."""
    return _count(connection, "hosts")


def _count(connection: sqlite3.Connection, table: str) -> int:
    greatest = find_last_id(connection, table)
    if greatest > limit_id(0):
        (rows,) = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
        if greatest > limit_id(rows):
            raise values.value_error(f"{table}.id", greatest, f"at most {limit_id(rows)} for {rows} {table}")
    return greatest


def list_removed_pages(connection: sqlite3.Connection) -> NDArray[np.int64]:
    """Return the ids of removed pages, ascending."""
    total = count_pages(connection)
    if connection.execute("SELECT COUNT(*) FROM pages").fetchone()[0] == total:
        return np.zeros(0, dtype=np.int64)
    exists = np.zeros(total + 1, dtype=np.bool_)
    cursor = connection.execute("SELECT id FROM pages")
    while rows := cursor.fetchmany(_BATCH):
        exists[[page for (page,) in rows]] = True
    return np.flatnonzero(~exists[1:]) + 1


def read_texts(connection: sqlite3.Connection, *, batch: int = _BATCH) -> Iterator[StoredTexts]:
    """Yield titles and texts of all pages that have any, in order of ids, ``batch`` pages at a time."""
    after = 0
    while True:
        with values.translate_errors("texts"):
            rows = connection.execute(f"{_TEXTS} WHERE page > ? ORDER BY page LIMIT ?", (after, batch)).fetchall()
        if not rows:
            return
        yield _make_texts(rows)
        after = rows[-1][0]


def read_page_texts(
    connection: sqlite3.Connection, pages: NDArray[np.int64], *, batch: int = _BATCH
) -> Iterator[StoredTexts]:
    """Yield titles and texts of pages with ascending ids, ``batch`` pages at a time; those without any are skipped."""
    for at in range(0, len(pages), batch):
        rows = fetch_texts(connection, pages[at : at + batch].tolist())
        if rows is not None:
            yield rows


def find_pages_with_text(connection: sqlite3.Connection, pages: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return the ids of pages that have a text, ascending; of all pages, or of some, ascending ids."""
    tables = [np.zeros((0, 1), dtype=np.int64)]
    with values.translate_errors("texts"):
        if pages is None:
            tables.append(
                np.array(connection.execute("SELECT page FROM texts ORDER BY page").fetchall(), dtype=np.int64)
            )
        else:
            query = "SELECT page FROM texts WHERE page IN (SELECT value FROM json_each(?)) ORDER BY page"
            for at in range(0, len(pages), _NUMBERS):
                rows = connection.execute(query, (json.dumps(pages[at : at + _NUMBERS].tolist()),)).fetchall()
                tables.append(np.array(rows, dtype=np.int64))
    ids = np.concatenate([table.reshape(-1, 1) for table in tables])[:, 0]
    values.check_range("texts.page", ids, 1, count_pages(connection))
    return ids


def fetch_texts(connection: sqlite3.Connection, pages: Sequence[int]) -> StoredTexts | None:
    """Return titles and texts of a few thousand pages at once, without pages that have none; None if all lack them."""
    with values.translate_errors("texts"):
        rows = connection.execute(
            f"{_TEXTS} WHERE page IN (SELECT value FROM json_each(?)) ORDER BY page", (json.dumps(list(pages)),)
        ).fetchall()
    return _make_texts(rows) if rows else None


def _make_texts(rows: Sequence[Any]) -> StoredTexts:
    pages, titles, bodies, mains, visible = map(list, zip(*rows, strict=True))
    texts = StoredTexts(pages, titles, bodies, mains, visible, [""] * len(pages))
    _check_texts(texts)
    return texts


def read_texts_and_anchors(
    connection: sqlite3.Connection, *, after: int = 0, batch: int = _BATCH
) -> Iterator[StoredTexts]:
    """Yield, as `read_texts` does, all pages with a text or anchor texts, fetched or not."""
    while True:
        with values.translate_errors("texts"):
            rows = connection.execute(_WITH_ANCHORS, (after, batch)).fetchall()
        if not rows:
            return
        texts = StoredTexts(*map(list, zip(*rows, strict=True)))
        _check_texts(texts)
        yield texts
        after = rows[-1][0]


def _check_texts(texts: StoredTexts) -> None:
    for name, column, kind in (
        ("texts.title", texts.titles, str),
        ("texts.text", texts.texts, str),
        ("texts.main", texts.mains, int),
        ("visible_bytes.bytes", texts.visible, bytes),
        ("anchor_texts.text", texts.anchors, str),
    ):
        values.check_type(name, column, kind)
    if min(texts.mains) < 0:
        raise values.value_error("texts.main", min(texts.mains), "0 or more")


def read_urls(
    connection: sqlite3.Connection, *, after: int = 0, batch: int = _BATCH
) -> Iterator[tuple[list[int], list[str]]]:
    """Yield ids and URLs of all pages with an id above ``after``, in order of ids, ``batch`` pages at a time."""
    while True:
        with values.translate_errors("pages"):
            rows = connection.execute(
                "SELECT id, url FROM pages WHERE id > ? ORDER BY id LIMIT ?", (after, batch)
            ).fetchall()
        if not rows:
            return
        pages, urls = map(list, zip(*rows, strict=True))
        values.check_type("pages.url", urls, str)
        yield pages, urls
        after = pages[-1]


def read_page_urls(
    connection: sqlite3.Connection, pages: NDArray[np.int64], *, batch: int = _BATCH
) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """Yield indices into ``pages``, distinct ids of shape (n,), and the URLs of these pages, ``batch`` at a time.

    Removed pages are left out.
    """
    order = np.argsort(pages, kind="stable")
    for at in range(0, len(pages), batch):
        rows = order[at : at + batch]
        batch_pages = pages[rows]
        with values.translate_errors("pages"):
            if batch_pages[-1] - batch_pages[0] == len(batch_pages) - 1:
                urls = connection.execute(
                    "SELECT id, url FROM pages WHERE id BETWEEN ? AND ? ORDER BY id",
                    (int(batch_pages[0]), int(batch_pages[-1])),
                ).fetchall()
            else:
                urls = connection.execute(
                    "SELECT id, url FROM pages WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
                    (str(batch_pages.tolist()),),
                ).fetchall()
        values.check_type("pages.url", [url for _, url in urls], str)
        if len(urls) < len(batch_pages):
            rows = rows[np.isin(batch_pages, [page for page, _ in urls])]
        yield rows, [url for _, url in urls]


def read_edges(connection: sqlite3.Connection, *, places: bool = False) -> Edges:
    """Return all links as arrays, sorted by source, then target; with ``places``, also their positions on the page.

    Positions beyond the range of int16 share its end. SQLite joins the links of a page into one string of numbers,
    which numpy parses twice as fast as Python creates a tuple for every link.
    """
    _check_links(connection)
    total = connection.execute("SELECT COUNT(*) FROM links").fetchone()[0]
    source, target = np.empty(total, dtype=np.int32), np.empty(total, dtype=np.int32)
    kind, nofollow = np.empty(total, dtype=np.uint8), np.empty(total, dtype=np.bool_)
    place = np.empty(total, dtype=np.int16) if places else None
    above = f" | (IFNULL(MIN(place, {_LAST}) + 1, 0) << 37)" if places else ""
    cursor = connection.execute(
        f"SELECT source, COUNT(*), GROUP_CONCAT((target << 5) | (kind << 1) | nofollow{above}, ' ')"
        " FROM links GROUP BY source ORDER BY source"
    )
    done = 0
    while rows := _fetch(cursor, "links"):  # 64-bit numbers only for a few links at a time
        pages, counts, numbers = zip(*rows, strict=True)
        span = slice(done, done + sum(counts))
        with values.translate_errors("links"):
            packed = np.fromstring(" ".join(numbers), dtype=np.int64, sep=" ")
            source[span] = np.repeat(np.array(pages, dtype=np.int32) - 1, counts)
            target[span] = (packed >> 5 & 0xFFFFFFFF) - 1
        order = _find_order(source[span], target[span])
        if order is not None:
            source[span], target[span], packed = source[span][order], target[span][order], packed[order]
        kind[span], nofollow[span] = packed >> 1 & 15, packed & 1
        if place is not None:
            values.check_range("links.place", (packed >> 37) - 1, -1, _LAST)
            place[span] = (packed >> 37) - 1
        done = span.stop
    with values.translate_errors("links"):
        hreflang, tags = _read_hreflang(connection, source, target)
    return Edges(source, target, kind, nofollow, hreflang, tags, place)


def _fetch(cursor: sqlite3.Cursor, table: str) -> list[Any]:
    with values.translate_errors(table):
        return cursor.fetchmany(_BATCH)


def read_link_ends(connection: sqlite3.Connection) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Yield sources and targets of all links, some at a time, sorted by source; rows are page id - 1."""
    pages = count_pages(connection)
    cursor = connection.execute(
        "SELECT source, COUNT(*), GROUP_CONCAT(target, ' ') FROM links GROUP BY source ORDER BY source"
    )
    with values.translate_errors("links"):
        while rows := cursor.fetchmany(_BATCH):
            sources, counts, numbers = zip(*rows, strict=True)
            source = np.repeat(np.array(sources, dtype=np.int64), counts)
            target = np.fromstring(" ".join(numbers), dtype=np.int64, sep=" ")
            values.check_range("links.source", source, 1, pages)
            values.check_range("links.target", target, 1, pages)
            yield (source - 1).astype(np.int32), (target - 1).astype(np.int32)


def _check_links(connection: sqlite3.Connection) -> None:
    pages = count_pages(connection)
    row = connection.execute(
        "SELECT source, target, kind, nofollow FROM links WHERE (source BETWEEN 1 AND ?1 AND target BETWEEN 1 AND ?1"
        f" AND kind BETWEEN 1 AND {max(LinkKind)} AND nofollow BETWEEN 0 AND 1) IS NOT TRUE LIMIT 1",
        (pages,),
    ).fetchone()
    if row is not None:
        expected = f"pages from 1 to {pages}, a kind from 1 to {max(LinkKind)}, and nofollow 0 or 1"
        raise values.value_error("links (source, target, kind, nofollow)", row, expected)


def _find_order(source: NDArray[np.int32], target: NDArray[np.int32]) -> NDArray[np.intp] | None:
    """Return None if the links are sorted, as the key suggests; SQL leaves the order in GROUP_CONCAT undefined."""
    ascending = (source[1:] > source[:-1]) | ((source[1:] == source[:-1]) & (target[1:] > target[:-1]))
    return None if ascending.all() else np.lexsort((target, source))


def _read_hreflang(
    connection: sqlite3.Connection, source: NDArray[np.int32], target: NDArray[np.int32]
) -> tuple[NDArray[np.int16], tuple[str, ...]]:
    hreflang = np.full(len(source), -1, dtype=np.int16)
    tags: dict[str, int] = {}
    cursor = connection.execute("SELECT source - 1, target - 1, hreflang FROM links WHERE hreflang IS NOT NULL")
    while rows := cursor.fetchmany(_BATCH):
        # A hostile crawl can declare any number of languages; those beyond int16 are ignored.
        numbers = [tags.setdefault(tag, len(tags)) if tag in tags or len(tags) < _TAGS else -1 for *_, tag in rows]
        values.check_type("links.hreflang", [tag for *_, tag in rows], str)
        pairs = np.array([row[:2] for row in rows], dtype=np.int64)
        hreflang[_locate_links(source, target, pairs)] = numbers
    return hreflang, tuple(tags)


def _locate_links(source: NDArray[np.int32], target: NDArray[np.int32], pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indices of some links, given by both ends, among all links, which are sorted."""
    pages = np.sort(pairs[:, 0]).astype(np.int32)
    pages = pages[np.diff(pages, prepend=-1) > 0]  # without this all links are copied
    first, last = np.searchsorted(source, pages), np.searchsorted(source, pages, side="right")
    candidates = np.arange(int((last - first).sum())) + np.repeat(last - np.cumsum(last - first), last - first)
    n = int(max(target[candidates].max(), pairs[:, 1].max())) + 1
    keys = source[candidates].astype(np.int64) * n + target[candidates]
    return candidates[np.searchsorted(keys, pairs[:, 0] * n + pairs[:, 1])]


def read_hosts(connection: sqlite3.Connection) -> NDArray[np.int32]:
    """Return the host of each page as ``hosts.id`` - 1, in order of page ids; removed pages have an unused number."""
    total, unused = count_pages(connection), count_hosts(connection)
    result = np.full(total, unused, dtype=np.int32)
    for first in range(0, total, _NUMBERS):
        with values.translate_errors("pages"):
            pages, hosts = _read_some_hosts(connection, first, min(_NUMBERS, total - first))
        values.check_range("pages.host", hosts, 0, unused)
        result[pages] = hosts
    return result


def _read_some_hosts(
    connection: sqlite3.Connection, first: int, expected: int
) -> tuple[slice | NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of those pages after ``first`` that exist, and their hosts."""
    ends = (first, first + _NUMBERS)
    count, numbers = connection.execute(
        "SELECT COUNT(*), GROUP_CONCAT(host, ' ') FROM (SELECT host FROM pages WHERE id > ? AND id <= ? ORDER BY id)",
        ends,
    ).fetchone()
    if count == expected:
        return slice(first, first + expected), np.fromstring(numbers, dtype=np.int64, sep=" ") - 1
    rows = connection.execute("SELECT id, host FROM pages WHERE id > ? AND id <= ?", ends).fetchall()
    table = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return table[:, 0] - 1, table[:, 1] - 1


def load_is_fetched(connection: sqlite3.Connection) -> NDArray[np.bool_]:
    """Return whether each page was fetched, in order of ids."""
    result = np.zeros(count_pages(connection), dtype=np.bool_)
    with values.translate_errors("captures"):
        result[[page - 1 for (page,) in connection.execute("SELECT page FROM captures")]] = True
    return result


def read_text_sizes(connection: sqlite3.Connection) -> NDArray[np.int32]:
    """Return the bytes of text in UTF-8 of each page, in order of ids; 0 without text."""
    result = np.zeros(count_pages(connection), dtype=np.int32)
    with values.translate_errors("texts"):
        for page, size in connection.execute("SELECT page, LENGTH(CAST(text AS BLOB)) FROM texts"):
            result[page - 1] = size
    return result


def read_host_urls(connection: sqlite3.Connection, host: str) -> list[str]:
    """Return the URLs of all pages of a host, given in lower-case ASCII, in order of their ids."""
    query = "SELECT url FROM pages WHERE host = (SELECT id FROM hosts WHERE host = ?) ORDER BY id"
    return [url for (url,) in connection.execute(query, (host,))]


def find_page(connection: sqlite3.Connection, url: str) -> int | None:
    """Return the page id of a canonical URL, or None."""
    row = connection.execute("SELECT id FROM pages WHERE url = ?", (url,)).fetchone()
    return None if row is None else int(row[0])
