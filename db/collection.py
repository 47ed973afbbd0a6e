"""Read a collection back: texts in batches, links as arrays."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from numpy.typing import NDArray

_BATCH = 4096


class Texts(NamedTuple):
    """Texts of some pages, in order of their ids."""

    pages: list[int]
    titles: list[str]
    texts: list[str]


class Edges(NamedTuple):
    """All links; rows are page id - 1, sorted by (source, target)."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    kind: NDArray[np.uint8]
    nofollow: NDArray[np.bool_]
    hreflang: NDArray[np.int16]  #: index in ``tags``, -1 where the link announces no language
    tags: tuple[str, ...]  #: the distinct values of hreflang, as written


def count_pages(connection: sqlite3.Connection) -> int:
    """How many pages there are, fetched or not; ids are 1 to this number."""
    return int(connection.execute("SELECT COALESCE(MAX(id), 0) FROM pages").fetchone()[0])


def texts(connection: sqlite3.Connection, *, after: int = 0, batch: int = _BATCH) -> Iterator[Texts]:
    """Titles and texts of all pages that have any, ``batch`` pages at a time, from the id after ``after`` on."""
    while True:
        rows = connection.execute(
            "SELECT page, title, text FROM texts WHERE page > ? ORDER BY page LIMIT ?", (after, batch)
        ).fetchall()
        if not rows:
            return
        pages, titles, bodies = map(list, zip(*rows, strict=True))
        yield Texts(pages, titles, bodies)
        after = pages[-1]


def edges(connection: sqlite3.Connection) -> Edges:
    """All links as arrays.

    The numbers come out of SQLite as one flat stream, which is what makes this fast (millions of links a second).
    """
    total = connection.execute("SELECT COUNT(*) FROM links").fetchone()[0]
    # kind and nofollow in one number: one column less to hand over for each link.
    cursor = connection.execute("SELECT source, target, kind * 2 + nofollow FROM links ORDER BY source, target")
    cursor.arraysize = _BATCH
    flat = np.fromiter(chain.from_iterable(cursor), dtype=np.int32, count=3 * total).reshape(total, 3)
    source, target = flat[:, 0] - 1, flat[:, 1] - 1
    hreflang = np.full(total, -1, dtype=np.int16)
    tags: dict[str, int] = {}
    if total:
        n = int(max(source.max(), target.max())) + 1
        keys = source.astype(np.int64) * n + target
        for origin, destination, tag in connection.execute(
            "SELECT source, target, hreflang FROM links WHERE hreflang IS NOT NULL ORDER BY source, target"
        ):
            row = np.searchsorted(keys, (origin - 1) * n + destination - 1)
            # A hostile crawl can announce any number of languages; what no int16 can number is not a language.
            number = tags.setdefault(tag, len(tags)) if tag in tags or len(tags) < np.iinfo(np.int16).max else -1
            hreflang[row] = number
    return Edges(
        np.ascontiguousarray(source),
        np.ascontiguousarray(target),
        (flat[:, 2] >> 1).astype(np.uint8),
        (flat[:, 2] & 1).astype(np.bool_),
        hreflang,
        tuple(tags),
    )


def hosts(connection: sqlite3.Connection) -> NDArray[np.int32]:
    """The host of every page: ``hosts.id`` - 1, one for each page in order of ids."""
    return np.fromiter(
        (host - 1 for (host,) in connection.execute("SELECT host FROM pages ORDER BY id")),
        dtype=np.int32,
        count=count_pages(connection),
    )


def page_id(connection: sqlite3.Connection, url: str) -> int | None:
    """The id of a URL, or None."""
    row = connection.execute("SELECT id FROM pages WHERE url = ?", (url,)).fetchone()
    return None if row is None else int(row[0])
