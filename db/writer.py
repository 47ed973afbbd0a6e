"""Add pages, links and problems in bulk, so that stopping at any moment and going on gives the same database."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from . import captures, revisits
from .connection import StoreError
from .records import Page, Problem
from .snapshot import Choice, Facts, Keep
from .stored_ids import Captured, StoredIds

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

#: Ports and spellings of hosts that are remembered as they stand in URLs; beyond that all are looked up again.
_HOSTS_CACHED = 200_000

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


class Writer:
    """The one writer of a collection.

    Ids go to URLs in the order in which the records name them (each page, then its links), whichever way the records
    are cut into batches; and each batch is one transaction together with the position reached in its file. So a
    process that is killed and started again continues as if nothing had happened.

    Args:
        connection: a collection opened for writing.
        site: from a URL to what stands in the ``hosts`` table.
        keep: which of several captures of a URL is kept.
    """

    def __init__(self, connection: sqlite3.Connection, site: Callable[[str], Site], *, keep: Keep = Keep.BEST) -> None:
        self._connection = connection
        self._site = site
        self._keep = keep
        self._ids = StoredIds(connection, "pages", "url", index="pages_url")
        self._hosts: dict[str, int] = {}
        self._host_ids = StoredIds(connection, "hosts", "host")
        self._captured = Captured(connection)

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
        # Of several captures of a URL one is written; what the others link to has its id, but not their links.
        choices = self._choose(own.tolist(), pages)
        captures.write(self._connection, source, choices)
        targets = {
            page_id: ids[starts[choice.place] + 1 : starts[choice.place + 1]].tolist()
            for page_id, choice in choices.items()
            if choice.read is not None
        }
        return self._add_links(choices, targets)

    def _add_urls(self, urls: list[str], ids: list[int]) -> None:
        known = self._hosts
        authorities = [url.split("/", 3)[2] for url in urls]
        unknown = {authority: url for authority, url in zip(authorities, urls, strict=True) if authority not in known}
        if unknown:
            self._add_hosts(unknown)
        self._connection.executemany(
            "INSERT INTO pages (id, url, host) VALUES (?, ?, ?)",
            zip(ids, urls, [known[authority] for authority in authorities], strict=True),
        )
        if len(known) > _HOSTS_CACHED:
            known.clear()

    def _add_hosts(self, urls: dict[str, str]) -> None:
        """Enter the hosts of some URLs that are new, and remember all of them by what stands in the URL."""
        sites = [self._site(url) for url in urls.values()]
        ids, new = self._host_ids.assign([site.host for site in sites])
        self._connection.executemany(
            "INSERT INTO hosts VALUES (?, ?, ?, ?, ?)", [(int(ids[place]), *sites[place]) for place in new.tolist()]
        )
        self._hosts.update(zip(urls, ids.tolist(), strict=True))

    def _choose(self, own: list[int], pages: list[Page]) -> dict[int, Choice]:
        """What becomes of each page that this batch has a capture of, by page id."""
        choices: dict[int, Choice] = {}
        captured = self._captured.among(own)
        for place, (page_id, page) in enumerate(zip(own, pages, strict=True)):
            held = choices.get(page_id)
            if held is None and page_id in captured:
                held = choices[page_id] = captures.stored(self._connection, page_id)
            if held is None:
                choices[page_id] = Choice(Facts.of(page), 1, page, place)
            else:
                held.take(page, place, self._keep)
        self._captured.enter(list(choices))
        return choices

    def _add_links(self, choices: dict[int, Choice], targets: dict[int, list[int]]) -> int:
        rows = [
            (origin, target, kind, nofollow, hreflang, words)
            for origin, its_targets in targets.items()
            for target, (_, kind, nofollow, hreflang, words) in zip(its_targets, choices[origin].links, strict=True)
            if target != origin
        ]
        # In key order the tree grows at its end instead of in the middle.
        rows.sort(key=_KEY)
        before = self._connection.total_changes
        self._connection.executemany("INSERT OR IGNORE INTO links VALUES (?, ?, ?, ?, ?)", [row[:-1] for row in rows])
        added = self._connection.total_changes - before
        spoken = sorted((target, origin, words) for origin, target, *_, words in rows if words)
        self._connection.executemany("INSERT OR IGNORE INTO anchor_texts VALUES (?, ?, ?)", spoken)
        return added


def finish(connection: sqlite3.Connection) -> None:
    """Bring up to date what depends on all pages; after any reading, also where there was nothing new to read.

    The index over URLs is made at the end, because that is several times faster than keeping it up to date. Then the
    pages of revisit records get what their originals hold. Whoever was stopped before this does it the next time.
    """
    connection.execute("CREATE UNIQUE INDEX IF NOT EXISTS pages_url ON pages (url)")
    revisits.resolve(connection)
