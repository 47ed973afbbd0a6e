"""Read a collection back: texts in batches, links as arrays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphlang.db import values
from graphlang.db.records import LinkKind
from graphlang.db.url_ids.stored import given_out
from graphlang.db.values import largest_id

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_BATCH = 4096
_NUMBERS = 1 << 16  #: that SQLite joins to one string
#: Of a page that everybody links to the first few different words will do.
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


class Texts(NamedTuple):
    """Texts of some pages, in order of their ids."""

    pages: list[int]
    titles: list[str]
    texts: list[str]  #: main content first, cut at what methods read; lines are not told apart
    mains: list[int]  #: characters of the text that are main content
    visible: list[bytes]  #: visible bytes, not decoded; empty where they are not kept
    anchors: list[str]  #: words of the links that lead there, a line each; empty where they are not kept or not wanted


class Edges(NamedTuple):
    """All links; rows are page id - 1, sorted by (source, target)."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    kind: NDArray[np.uint8]
    nofollow: NDArray[np.bool_]
    hreflang: NDArray[np.int16]  #: index in ``tags``, -1 where the link announces no language
    tags: tuple[str, ...]  #: the distinct values of hreflang, as written
    place: NDArray[np.int16] | None = None  #: among the links of the page, if asked for; -1 where it is not known


def count_pages(connection: sqlite3.Connection) -> int:
    """The greatest id that a page was ever given; so many pages there are, but for those that were removed.

    Args:
        connection: the collection.

    Raises:
        StoreError: there are so few pages for it that whoever makes room for all of them would take memory for nothing.
    """
    return _count(connection, "pages")


def count_hosts(connection: sqlite3.Connection) -> int:
    """The greatest id that a host was ever given.

    Args:
        connection: the collection.

    Raises:
        StoreError: as `count_pages`.
    """
    return _count(connection, "hosts")


def _count(connection: sqlite3.Connection, table: str) -> int:
    greatest = given_out(connection, table)
    if greatest > largest_id(0):
        (rows,) = connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()
        if greatest > largest_id(rows):
            raise values.refused(f"{table}.id", greatest, f"at most {largest_id(rows)} for {rows} {table}")
    return greatest


def missing(connection: sqlite3.Connection) -> NDArray[np.int64]:
    """Ids up to `count_pages` that no page has any more, ascending."""
    total = count_pages(connection)
    if connection.execute("SELECT COUNT(*) FROM pages").fetchone()[0] == total:
        return np.zeros(0, dtype=np.int64)
    there = np.zeros(total + 1, dtype=np.bool_)
    cursor = connection.execute("SELECT id FROM pages")
    while rows := cursor.fetchmany(_BATCH):
        there[[page for (page,) in rows]] = True
    return np.flatnonzero(~there[1:]) + 1


def texts(
    connection: sqlite3.Connection, *, after: int = 0, batch: int = _BATCH, without: int | None = None
) -> Iterator[Texts]:
    """Titles and texts of all pages that have any, ``batch`` pages at a time, from the id after ``after`` on.

    Args:
        connection: the collection.
        after: id of the page after which to begin; 0: with the first.
        batch: at most so many pages in one item.
        without: id of a run whose answers are not needed again: only pages that it has none for.

    Yields:
        The pages of one batch, in order of ids; none of the items is empty.
    """
    run = () if without is None else (without,)
    wanted = "page > ?" + " AND NOT EXISTS (SELECT 1 FROM predictions WHERE (run, page) = (?, texts.page))" * len(run)
    while True:
        with values.reading("texts"):
            rows = connection.execute(f"{_TEXTS} WHERE {wanted} ORDER BY page LIMIT ?", (after, *run, batch)).fetchall()
        if not rows:
            return
        yield _texts(rows)
        after = rows[-1][0]


def texts_of(connection: sqlite3.Connection, pages: Sequence[int]) -> Texts | None:
    """Titles and texts of those of some pages that have any; None where none has.

    Args:
        connection: the collection.
        pages: their ids, a few thousand at most.
    """
    with values.reading("texts"):
        rows = connection.execute(
            f"{_TEXTS} WHERE page IN (SELECT value FROM json_each(?)) ORDER BY page", (json.dumps(list(pages)),)
        ).fetchall()
    return _texts(rows) if rows else None


def _texts(rows: Sequence[Any]) -> Texts:
    pages, titles, bodies, mains, visible = map(list, zip(*rows, strict=True))
    return _as_methods_read(Texts(pages, titles, bodies, mains, visible, [""] * len(pages)))


def texts_and_anchors(connection: sqlite3.Connection, *, after: int = 0, batch: int = _BATCH) -> Iterator[Texts]:
    """As `texts`, and of all pages that a link with words leads to, fetched or not: with these words.

    Args:
        connection: the collection.
        after: id of the page after which to begin; 0: with the first.
        batch: at most so many pages in one item.

    Yields:
        The pages of one batch, in order of ids; none of the items is empty.
    """
    while True:
        with values.reading("texts"):
            rows = connection.execute(_WITH_ANCHORS, (after, batch)).fetchall()
        if not rows:
            return
        yield _as_methods_read(Texts(*map(list, zip(*rows, strict=True))))
        after = rows[-1][0]


def _as_methods_read(found: Texts) -> Texts:
    """What is read of a page is the same whether its lines were kept apart or not, and whatever was kept beyond it."""
    _check_texts(found)
    bodies = [text.replace("\n", " ") for text in found.texts]
    return found._replace(
        texts=bodies, mains=[min(main, len(text)) for main, text in zip(found.mains, bodies, strict=True)]
    )


def _check_texts(found: Texts) -> None:
    for name, column, kind in (
        ("texts.title", found.titles, str),
        ("texts.text", found.texts, str),
        ("texts.main", found.mains, int),
        ("visible_bytes.bytes", found.visible, bytes),
        ("anchor_texts.text", found.anchors, str),
    ):
        values.check_type(name, column, kind)
    if min(found.mains) < 0:
        raise values.refused("texts.main", min(found.mains), "0 or more")


def urls(
    connection: sqlite3.Connection, *, after: int = 0, batch: int = _BATCH
) -> Iterator[tuple[list[int], list[str]]]:
    """Ids and URLs of all pages, ``batch`` pages at a time, from the id after ``after`` on.

    Args:
        connection: the collection.
        after: id of the page after which to begin; 0: with the first.
        batch: at most so many pages in one item.

    Yields:
        Ids and URLs of one batch, equally many, in order of ids.
    """
    while True:
        with values.reading("pages"):
            rows = connection.execute(
                "SELECT id, url FROM pages WHERE id > ? ORDER BY id LIMIT ?", (after, batch)
            ).fetchall()
        if not rows:
            return
        pages, found = map(list, zip(*rows, strict=True))
        values.check_type("pages.url", found, str)
        yield pages, found
        after = pages[-1]


def urls_of(
    connection: sqlite3.Connection, pages: NDArray[np.int64], *, batch: int = _BATCH
) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """URLs of some pages, given by their ids, ``batch`` at a time, each time with their places among the ids.

    Pages that were removed have none.

    Args:
        connection: the collection.
        pages: ids, shape (n,), in any order, each once.
        batch: at most so many pages in one item.

    Yields:
        Indices into ``pages``, and the URLs of these pages, equally many.
    """
    order = np.argsort(pages, kind="stable")
    for at in range(0, len(pages), batch):
        rows = order[at : at + batch]
        few = pages[rows]
        with values.reading("pages"):
            if few[-1] - few[0] == len(few) - 1:
                found = connection.execute(
                    "SELECT id, url FROM pages WHERE id BETWEEN ? AND ? ORDER BY id", (int(few[0]), int(few[-1]))
                ).fetchall()
            else:
                found = connection.execute(
                    "SELECT id, url FROM pages WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id",
                    (str(few.tolist()),),
                ).fetchall()
        values.check_type("pages.url", [url for _, url in found], str)
        if len(found) < len(few):
            rows = rows[np.isin(few, [page for page, _ in found])]
        yield rows, [url for _, url in found]


def edges(connection: sqlite3.Connection, *, places: bool = False) -> Edges:
    """All links as arrays.

    With ``places``, the place of each link on its page comes with it; those beyond the range of their type share its
    end.

    SQLite joins the links of a page to one string of numbers, and numpy reads that: twice as fast as handing over a
    tuple for every link, and a Python object for every number in it.

    Args:
        connection: the collection.
        places: whether the place of each link on its page is wanted, too.

    Returns:
        One value a link in each array, sorted by source, then target.

    Raises:
        StoreError: a link of which no page, or no kind, can be told.
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
    while rows := _some(cursor, "links"):  # of each part only what stays: numbers of 64 bits are of few links
        pages, counts, numbers = zip(*rows, strict=True)
        part = slice(done, done + sum(counts))
        with values.reading("links"):
            packed = np.fromstring(" ".join(numbers), dtype=np.int64, sep=" ")
            source[part] = np.repeat(np.array(pages, dtype=np.int32) - 1, counts)
            target[part] = (packed >> 5 & 0xFFFFFFFF) - 1
        order = _order(source[part], target[part])
        if order is not None:
            source[part], target[part], packed = source[part][order], target[part][order], packed[order]
        kind[part], nofollow[part] = packed >> 1 & 15, packed & 1
        if place is not None:
            values.check_range("links.place", (packed >> 37) - 1, -1, _LAST)
            place[part] = (packed >> 37) - 1
        done = part.stop
    with values.reading("links"):
        hreflang, tags = _hreflang(connection, source, target)
    return Edges(source, target, kind, nofollow, hreflang, tags, place)


def _some(cursor: sqlite3.Cursor, table: str) -> list[Any]:
    with values.reading(table):
        return cursor.fetchmany(_BATCH)


def pairs(connection: sqlite3.Connection) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Sources and targets of all links, a part at a time: whoever counts them need not hold them.

    Args:
        connection: the collection.

    Yields:
        Sources and targets, equally many; rows are page id - 1, sorted by the source.

    Raises:
        StoreError: a link of which no page can be told.
    """
    pages = count_pages(connection)
    cursor = connection.execute(
        "SELECT source, COUNT(*), GROUP_CONCAT(target, ' ') FROM links GROUP BY source ORDER BY source"
    )
    with values.reading("links"):
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
        wanted = f"pages from 1 to {pages}, a kind from 1 to {max(LinkKind)}, and nofollow 0 or 1"
        raise values.refused("links (source, target, kind, nofollow)", row, wanted)


def _order(source: NDArray[np.int32], target: NDArray[np.int32]) -> NDArray[np.intp] | None:
    """None if the links are sorted; SQL does not promise the order within GROUP_CONCAT, though the key gives it."""
    ascending = (source[1:] > source[:-1]) | ((source[1:] == source[:-1]) & (target[1:] > target[:-1]))
    return None if ascending.all() else np.lexsort((target, source))


def _hreflang(
    connection: sqlite3.Connection, source: NDArray[np.int32], target: NDArray[np.int32]
) -> tuple[NDArray[np.int16], tuple[str, ...]]:
    hreflang = np.full(len(source), -1, dtype=np.int16)
    tags: dict[str, int] = {}
    cursor = connection.execute("SELECT source - 1, target - 1, hreflang FROM links WHERE hreflang IS NOT NULL")
    while rows := cursor.fetchmany(_BATCH):
        # A hostile crawl can announce any number of languages; what no int16 can number is not a language.
        numbers = [tags.setdefault(tag, len(tags)) if tag in tags or len(tags) < _TAGS else -1 for *_, tag in rows]
        values.check_type("links.hreflang", [tag for *_, tag in rows], str)
        pairs = np.array([row[:2] for row in rows], dtype=np.int64)
        hreflang[_numbers(source, target, pairs)] = numbers
    return hreflang, tuple(tags)


def _numbers(source: NDArray[np.int32], target: NDArray[np.int32], pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where some links, given by both ends, stand among all, which are sorted."""
    pages = np.sort(pairs[:, 0]).astype(np.int32)
    pages = pages[np.diff(pages, prepend=-1) > 0]  # else all links are copied to compare them
    first, last = np.searchsorted(source, pages), np.searchsorted(source, pages, side="right")
    own = np.arange(int((last - first).sum())) + np.repeat(last - np.cumsum(last - first), last - first)
    n = int(max(target[own].max(), pairs[:, 1].max())) + 1
    keys = source[own].astype(np.int64) * n + target[own]
    return own[np.searchsorted(keys, pairs[:, 0] * n + pairs[:, 1])]


def hosts(connection: sqlite3.Connection) -> NDArray[np.int32]:
    """The host of every page: ``hosts.id`` - 1, one for each page in order of ids.

    Pages that were removed have one that no page has.
    """
    total, most = count_pages(connection), count_hosts(connection)
    found = np.full(total, most, dtype=np.int32)
    for first in range(0, total, _NUMBERS):
        with values.reading("pages"):
            pages, hosts = _read_hosts(connection, first, min(_NUMBERS, total - first))
        values.check_range("pages.host", hosts, 0, most)
        found[pages] = hosts
    return found


def _read_hosts(
    connection: sqlite3.Connection, first: int, wanted: int
) -> tuple[slice | NDArray[np.int64], NDArray[np.int64]]:
    """Rows of those of some pages that there are, and their hosts."""
    given = (first, first + _NUMBERS)
    count, numbers = connection.execute(
        "SELECT COUNT(*), GROUP_CONCAT(host, ' ') FROM (SELECT host FROM pages WHERE id > ? AND id <= ? ORDER BY id)",
        given,
    ).fetchone()
    if count == wanted:
        return slice(first, first + wanted), np.fromstring(numbers, dtype=np.int64, sep=" ") - 1
    rows = connection.execute("SELECT id, host FROM pages WHERE id > ? AND id <= ?", given).fetchall()
    table = np.array(rows, dtype=np.int64).reshape(-1, 2)
    return table[:, 0] - 1, table[:, 1] - 1


def fetched(connection: sqlite3.Connection) -> NDArray[np.bool_]:
    """Which pages were fetched, one value for each page in order of ids."""
    found = np.zeros(count_pages(connection), dtype=np.bool_)
    with values.reading("captures"):
        found[[page - 1 for (page,) in connection.execute("SELECT page FROM captures")]] = True
    return found


def text_sizes(connection: sqlite3.Connection) -> NDArray[np.int32]:
    """Bytes of text of every page in UTF-8, one value for each page in order of ids; 0 where there is none."""
    found = np.zeros(count_pages(connection), dtype=np.int32)
    with values.reading("texts"):
        for page, size in connection.execute("SELECT page, LENGTH(CAST(text AS BLOB)) FROM texts"):
            found[page - 1] = size
    return found


def urls_of_host(connection: sqlite3.Connection, host: str) -> list[str]:
    """URLs of all pages of a host, in order of their ids.

    Args:
        connection: the collection.
        host: in lower case, in ASCII.
    """
    query = "SELECT url FROM pages WHERE host = (SELECT id FROM hosts WHERE host = ?) ORDER BY id"
    return [url for (url,) in connection.execute(query, (host,))]


def page_id(connection: sqlite3.Connection, url: str) -> int | None:
    """The id of a URL, or None.

    Args:
        connection: the collection.
        url: in canonical form.
    """
    row = connection.execute("SELECT id FROM pages WHERE url = ?", (url,)).fetchone()
    return None if row is None else int(row[0])
