"""Add pages, links and problems in bulk, so that stopping at any moment and going on gives the same database."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .connection import StoreError
from .records import Page, Problem
from .url_ids import UrlIds

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

_HTTP_OK = 200
#: Hosts kept in memory; beyond that the table is asked.
_HOSTS_CACHED = 200_000
_READ_BACK = 50_000


_KEY = itemgetter(0, 1)


class Site(NamedTuple):
    """What the public suffix list says of a host."""

    host: str
    domain: str
    suffix: str
    tld: str


class Counts(NamedTuple):
    """What a batch added."""

    pages: int
    links: int
    problems: int


def capture_quality(status: int | None, date: str, revisit_of: str | None) -> tuple[int, str]:
    """Of two captures of a URL the greater is kept: status 200 before others, a revisit (no text) last, then the newer.

    >>> capture_quality(200, "2020", None) > capture_quality(404, "2024", None)
    True
    >>> capture_quality(404, "2024", None) > capture_quality(200, "2025", "http://a.example/")
    True
    """
    rank = 0 if revisit_of is not None else 2 if status == _HTTP_OK else 1
    return rank, date


class Writer:
    """The one writer of a collection.

    Ids go to URLs in the order in which the records name them (each page, then its links), whichever way the records
    are cut into batches; and each batch is one transaction together with the position reached in its file. So a
    process that is killed and started again continues as if nothing had happened.

    Args:
        connection: a collection opened for writing.
        site: from a URL to what stands in the ``hosts`` table.
    """

    def __init__(self, connection: sqlite3.Connection, site: Callable[[str], Site]) -> None:
        self._connection = connection
        self._site = site
        self._ids = UrlIds()
        self._hosts: dict[str, int] = {}
        self._next_host = connection.execute("SELECT COALESCE(MAX(id), 0) + 1 FROM hosts").fetchone()[0]
        urls = connection.execute("SELECT url FROM pages ORDER BY id")
        while rows := urls.fetchmany(_READ_BACK):
            self._ids.assign([url for (url,) in rows])
        # One bit of knowledge a page: has it been captured? Grows with the ids.
        self._captured = np.zeros(max(1024, len(self._ids) + 1), dtype=np.bool_)
        captured = connection.execute("SELECT page FROM captures")
        while rows := captured.fetchmany(_READ_BACK):
            self._captured[[page for (page,) in rows]] = True

    def add(self, source: int, items: Sequence[Page | Problem], *, position: int, finished: bool) -> Counts:
        """Write one batch of a file in one transaction.

        Args:
            source: the file's id in ``sources``.
            items: pages and problems in file order.
            position: raw records of the file that are done with this batch.
            finished: whether this is the end of the file.

        Raises:
            StoreError: another process has added pages meanwhile. After any error the writer is spent: open a new one.
        """
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            self._check_alone()
            pages = [item for item in items if isinstance(item, Page)]
            links = self._add_pages(source, pages)
            problems = [
                (source, item.offset, item.url, item.kind, item.reason) for item in items if isinstance(item, Problem)
            ]
            connection.executemany(
                "INSERT INTO problems (source, offset, url, kind, reason) VALUES (?, ?, ?, ?, ?)", problems
            )
            connection.execute(
                "UPDATE sources SET position = ?, finished = ? WHERE id = ?", (position, int(finished), source)
            )
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return Counts(len(pages), links, len(problems))

    def _check_alone(self) -> None:
        """Two writers would give out the same ids: the one that comes second stops before it has written."""
        greatest = self._connection.execute("SELECT COALESCE(MAX(id), 0) FROM pages").fetchone()[0]
        if greatest != len(self._ids):
            raise StoreError("another process is adding pages to this database; start again when it is done")

    def finish(self) -> None:
        """Make the index over URLs; at the end, because that is several times faster than keeping it up to date."""
        self._connection.execute("CREATE UNIQUE INDEX IF NOT EXISTS pages_url ON pages (url)")

    def _add_pages(self, source: int, pages: list[Page]) -> int:
        if not pages:
            return 0
        urls: list[str] = []
        for page in pages:
            urls.append(page.url)
            urls.extend([link[0] for link in page.links])
        ids, new = self._ids.assign(urls)
        self._add_urls([urls[i] for i in new.tolist()], ids[new].tolist())
        sizes = np.fromiter((1 + len(page.links) for page in pages), dtype=np.int64, count=len(pages))
        starts = np.concatenate([[0], np.cumsum(sizes)])
        own = ids[starts[:-1]]
        self._reserve(len(self._ids) + 1)
        # Of several captures of a URL one is written; what the others link to has its id, but not their links.
        kept = self._choose(own, pages)
        own_kept = own[list(kept)].tolist()
        pages_kept = [pages[i] for i in kept]
        self._add_captures(source, own_kept, pages_kept, list(kept.values()))
        targets = [ids[starts[i] + 1 : starts[i + 1]].tolist() for i in kept]
        return self._add_links(own_kept, pages_kept, targets)

    def _add_urls(self, urls: list[str], ids: list[int]) -> None:
        hosts = [self._host(url) for url in urls]
        self._connection.executemany(
            "INSERT INTO pages (id, url, host) VALUES (?, ?, ?)", zip(ids, urls, hosts, strict=True)
        )

    def _host(self, url: str) -> int:
        authority = url.split("/", 3)[2]
        known = self._hosts.get(authority)
        if known is not None:
            return known
        site = self._site(url)
        row = self._connection.execute("SELECT id FROM hosts WHERE host = ?", (site.host,)).fetchone()
        if row is None:
            known = self._next_host
            self._next_host += 1
            self._connection.execute("INSERT INTO hosts VALUES (?, ?, ?, ?, ?)", (known, *site))
        else:
            known = int(row[0])
        if len(self._hosts) >= _HOSTS_CACHED:
            self._hosts.clear()
        self._hosts[authority] = known
        return known

    def _reserve(self, size: int) -> None:
        if size > len(self._captured):
            grown = np.zeros(max(size, 2 * len(self._captured)), dtype=np.bool_)
            grown[: len(self._captured)] = self._captured
            self._captured = grown

    def _choose(self, own: NDArray[np.int64], pages: list[Page]) -> dict[int, int]:
        """Which captures to write: position -> how many captures of that URL there are so far."""
        if len(np.unique(own)) == len(own) and not self._captured[own].any():
            self._captured[own] = True
            return dict.fromkeys(range(len(pages)), 1)
        best: dict[int, tuple[tuple[int, str], int | None]] = {}
        counts: dict[int, int] = {}
        for index, (page_id, page) in enumerate(zip(own.tolist(), pages, strict=True)):
            if page_id not in best and self._captured[page_id]:
                status, date, revisit_of, count = self._connection.execute(
                    "SELECT status, date, revisit_of, captures FROM captures WHERE page = ?", (page_id,)
                ).fetchone()
                best[page_id], counts[page_id] = (capture_quality(status, date, revisit_of), None), count
            quality = capture_quality(page.status, page.date, page.revisit_of)
            if page_id not in best or quality > best[page_id][0]:
                best[page_id] = quality, index
            counts[page_id] = counts.get(page_id, 0) + 1
        for page_id, (_, winner) in best.items():
            if winner is None:
                self._connection.execute("UPDATE captures SET captures = ? WHERE page = ?", (counts[page_id], page_id))
            elif self._captured[page_id]:
                self._forget(page_id)
            self._captured[page_id] = True
        return {
            winner: counts[page_id]
            for page_id, (_, winner) in sorted(best.items(), key=lambda item: item[1][1] or 0)
            if winner is not None
        }

    def _forget(self, page_id: int) -> None:
        for table, column in (("captures", "page"), ("texts", "page"), ("declarations", "page"), ("links", "source")):
            self._connection.execute(f"DELETE FROM {table} WHERE {column} = ?", (page_id,))

    def _add_captures(self, source: int, ids: list[int], pages: list[Page], counts: list[int]) -> None:
        execute = self._connection.executemany
        execute(
            "INSERT INTO captures VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
                )
                for page_id, page, count in zip(ids, pages, counts, strict=True)
            ],
        )
        execute(
            "INSERT INTO texts VALUES (?, ?, ?)",
            [
                (page_id, page.title, page.text)
                for page_id, page in zip(ids, pages, strict=True)
                if page.text or page.title
            ],
        )
        execute(
            "INSERT OR IGNORE INTO declarations VALUES (?, ?, ?)",
            [(page_id, name, value) for page_id, page in zip(ids, pages, strict=True) for name, value in page.declared],
        )

    def _add_links(self, ids: list[int], pages: list[Page], targets: list[list[int]]) -> int:
        rows = [
            (origin, target, kind, nofollow, hreflang)
            for origin, page, its_targets in zip(ids, pages, targets, strict=True)
            for target, (_, kind, nofollow, hreflang) in zip(its_targets, page.links, strict=True)
            if target != origin
        ]
        # In key order the tree grows at its end instead of in the middle.
        rows.sort(key=_KEY)
        before = self._connection.total_changes
        self._connection.executemany("INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?)", rows)
        return self._connection.total_changes - before
