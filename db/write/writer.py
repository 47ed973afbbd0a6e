"""Add pages, links and problems in bulk, so that stopping at any moment and going on gives the same database."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db import statements
from graphlang.db.errors import StoreError
from graphlang.db.records import Links, Page, Problem, packed, unpacked
from graphlang.db.schema import URL_INDEX
from graphlang.db.url_ids.in_memory import UrlIds, authorities
from graphlang.db.url_ids.stored import Captured, StoredIds
from graphlang.db.write import again, captures, history, revisits
from graphlang.db.write import links as linkage
from graphlang.db.write.choose_capture import Choice, Facts, Keep
from graphlang.db.write.removed import Removed

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

#: Ports and spellings of hosts that are remembered as they stand in URLs; beyond that all are looked up again.
_HOSTS_CACHED = 200_000


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
    others: int = 0  #: captures of URLs that had one already
    kept: int = 0  #: of these, those that are kept beside the pages' own
    new: Sequence[int] = ()  #: ids of pages that have a text by this batch
    changed: Sequence[int] = ()  #: ids of pages that may have another text than before, or none any more


class Writer:
    """The one writer of a collection.

    Ids go to URLs in the order in which the records name them (each page, then its links), whichever way the records
    are cut into batches; and each batch is one transaction together with the position reached in its file. So a
    process that is killed and started again continues as if nothing had happened.

    Args:
        connection: a collection opened for writing.
        site: from a URL to what stands in the ``hosts`` table.
        keep: which of several captures of a URL is kept.
        sites: what `site` says of each of many, where that is faster than one by one.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        site: Callable[[str], Site],
        *,
        keep: Keep = Keep.BEST,
        sites: Callable[[list[str]], list[Site]] | None = None,
    ) -> None:
        self._connection = connection
        self._sites = sites or (lambda urls: [site(url) for url in urls])
        self._keep = keep
        self._ids = StoredIds(connection, "pages", "url", index="pages_url")
        self._authorities = UrlIds()  # hosts and ports as they stand in URLs
        self._hosts = [0]  # by these, the id of the host
        self._host_ids = StoredIds(connection, "hosts", "host")
        self._captured = Captured(connection)
        self._readings: dict[int, int] = {}  # of files, which reading it is
        self._fresh: set[int] = set()  # pages whose first capture stands in a file that is being read again
        self._removed = Removed(connection, lambda url: site(url).host)

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
            items = self._removed.kept(items)
            pages = [item for item in items if isinstance(item, Page)]
            links, choices, kept = self._add_pages(source, pages)
            problems = [
                (source, item.offset, item.url, item.kind, item.reason) for item in items if isinstance(item, Problem)
            ]
            connection.executemany(
                "INSERT INTO problems (source, offset, url, kind, reason) VALUES (?, ?, ?, ?, ?)", problems
            )
            connection.execute(
                "UPDATE sources SET position = ?, finished = ? WHERE id = ?", (position, int(finished), source)
            )
            if finished and self._reading(source) > 1 and again.end(connection, source, self._reading(source)):
                self._captured = Captured(connection)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        others = sum(choice.others for choice in choices.values())
        new = [
            page for page, one in choices.items() if not one.stored and one.page and (one.page.text or one.page.title)
        ]
        changed = [page for page, one in choices.items() if one.stored and one.read is not None]
        return Counts(len(pages), links, len(problems), others, kept, new, changed)

    def _check_alone(self) -> None:
        """Two writers would give out the same ids: the one that comes second stops before it has written."""
        if self._ids.stored() != len(self._ids):
            raise StoreError("another process is adding pages to this database; start again when it is done")

    def _add_pages(self, source: int, pages: list[Page]) -> tuple[int, dict[int, Choice], int]:
        """How many links were added, what became of each page, and how many captures are kept beside a page's own."""
        if not pages:
            return 0, {}, 0
        links = [Links.of(page.links) for page in pages]
        urls = packed(page.url for page in pages).split(b"\0")  # what is behind the last zero is for no page
        ids, _, fresh = self._ids.assign(
            b"".join([part for url, its in zip(urls, links, strict=False) for part in (url, b"\0", its.urls)])
        )
        self._add_urls(fresh)
        counts = array("q", [len(its.kinds) for its in links])
        starts = [place + number for number, place in enumerate(accumulate(counts[:-1], initial=0))]
        # Of several captures of a URL one is the page's own; what the others link to has its id in any case.
        choices, events = self._choose([ids[start] for start in starts], pages, source)
        kept, reading = 0, self._reading(source)
        if self._keep is Keep.ALL:
            batch = linkage.Batch(links, ids, counts, starts)
            kept = history.History(self._connection, source, reading, batch).write(events)
        captures.write(self._connection, source, choices, reading=reading)
        chosen = bytearray(len(pages))
        for choice in choices.values():
            if choice.read is not None:
                chosen[choice.place] = 1
        return linkage.write(self._connection, links, ids, counts, chosen), choices, kept

    def _add_urls(self, urls: bytes) -> None:
        """Enter URLs that are new; the ids that they were given are the next ones, as SQLite gives them."""
        if not urls:
            return
        if len(self._authorities) > _HOSTS_CACHED:
            self._authorities = UrlIds()
        spelled, new, _ = self._authorities.assign(authorities(urls))
        written = unpacked(urls)
        if new:
            del self._hosts[spelled[new[0]] :]
            self._hosts += self._add_hosts([written[place] for place in new])
        statements.insert_columns(
            self._connection,
            "INSERT OR FAIL INTO pages (url, host)",
            (written, list(map(self._hosts.__getitem__, spelled))),
        )
        (last,) = self._connection.execute("SELECT LAST_INSERT_ROWID()").fetchone()
        if last != len(self._ids):
            raise StoreError(f"a page was given the id {last} instead of {len(self._ids)}: run 'graphlang check'")

    def _add_hosts(self, urls: list[str]) -> list[int]:
        """Return the ids of the hosts of some URLs, entering those that are new."""
        sites = self._sites(urls)
        ids, new, _ = self._host_ids.assign(packed(site.host for site in sites))
        statements.insert_rows(
            self._connection, "INSERT OR FAIL INTO hosts", [(ids[place], *sites[place]) for place in new]
        )
        return ids.tolist()

    def _reading(self, source: int) -> int:
        if source not in self._readings:
            self._readings[source] = again.reading(self._connection, source)
        return self._readings[source]

    def _choose(self, own: list[int], pages: list[Page], source: int) -> tuple[dict[int, Choice], list[history.Event]]:
        """What becomes of each page that this batch has a capture of, by page id; and of each further capture."""
        choices: dict[int, Choice] = {}
        events: list[history.Event] = []
        captured = self._captured.among(own)
        repeated = self._reading(source) > 1
        for place, (page_id, page) in enumerate(zip(own, pages, strict=True)):
            held = choices.get(page_id)
            if held is None and page_id in captured:
                held = choices[page_id] = captures.stored(self._connection, page_id)
            if held is None:
                choices[page_id] = Choice(Facts.of(page), 1, page, place)
                if repeated:
                    self._fresh.add(page_id)
            elif repeated and held.stored and page_id not in self._fresh:
                events.append(history.Event(page_id, held.take_again(page, place, self._keep, source), held.facts))
            else:
                events.append(history.Event(page_id, held.take(page, place, self._keep), held.facts))
        self._captured.enter(list(choices))
        return choices, events


def finish(connection: sqlite3.Connection) -> list[int]:
    """Bring up to date what depends on all pages; after any reading, also where there was nothing new to read.

    The index over URLs is made at the end, because that is several times faster than keeping it up to date. Then the
    pages of revisit records get what their originals hold. Whoever was stopped before this does it the next time.

    Returns:
        Ids of the pages that may have another text than before.
    """
    connection.execute(URL_INDEX)
    return revisits.resolve(connection)
