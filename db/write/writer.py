"""Add pages, links and problems in bulk, so that an interrupted reading resumed later gives the same database."""

from __future__ import annotations

from array import array
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db import statements
from graphlang.db.errors import StoreError
from graphlang.db.records import Links, Page, Problem, pack_texts, unpack_texts
from graphlang.db.remove import RemovedNames
from graphlang.db.schema import URL_INDEX
from graphlang.db.url_ids import CapturedPages, StoredIds, UrlIds, extract_authorities
from graphlang.db.write import captures, history, sources
from graphlang.db.write.choose_capture import CaptureProperties, Choice, Keep
from graphlang.db.write.links import LinkBatch, write_links

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

#: Spellings of hosts and ports in URLs that are cached; beyond that all are looked up again.
_HOSTS_CACHED = 200_000


class HostParts(NamedTuple):
    """A host, split by the public suffix list."""

    host: str
    domain: str
    suffix: str
    tld: str


class BatchCounts(NamedTuple):
    """Counts of the rows that a batch added."""

    pages: int
    links: int
    problems: int
    further_captures: int = 0  #: captures of URLs that had one already
    stored_captures: int = 0  #: of these, those stored in ``history``


class Writer:
    """The one writer of a collection.

    URLs get ids in the order in which the records name them (each page, then its links), however the records are cut
    into batches. Each batch is one transaction together with the position reached in its file, so that a process that
    was killed can be started again.

    ``site`` maps a URL to its row in ``hosts``, ``sites`` many URLs, if that is faster than one by one. ``keep``
    chooses the main capture of a URL.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        site: Callable[[str], HostParts],
        *,
        keep: Keep = Keep.BEST,
        sites: Callable[[list[str]], list[HostParts]] | None = None,
    ) -> None:
        self._connection = connection
        self._sites = sites or (lambda urls: [site(url) for url in urls])
        self._keep = keep
        self._ids = StoredIds(connection, "pages", "url", index="pages_url")
        self._authorities = UrlIds()  # ids of hosts with ports as spelled in URLs
        self._hosts = [0]  # ids of hosts by these
        self._host_ids = StoredIds(connection, "hosts", "host")
        self._captured = CapturedPages(connection)
        self._readings: dict[int, int] = {}  # number of the reading by file
        self._fresh: set[int] = set()  # pages whose first capture is in a file that is read again
        self._removed = RemovedNames(connection, lambda url: site(url).host)

    def add(self, source: int, items: Sequence[Page | Problem], *, position: int, finished: bool) -> BatchCounts:
        """Write one batch of a file in one transaction. After an error the writer cannot be used any more.

        ``source`` is the id of the file in ``sources``. ``items`` are pages and problems in file order. ``position``
        raw records of the file are done with this batch. Raise a StoreError if another process has added pages
        meanwhile.
        """
        connection = self._connection
        with statements.transaction(connection):
            self._check_alone()
            items = self._removed.drop_removed(items)
            pages = [item for item in items if isinstance(item, Page)]
            links, choices, stored = self._add_pages(source, pages)
            problems = [
                (source, item.offset, item.url, item.kind, item.reason) for item in items if isinstance(item, Problem)
            ]
            connection.executemany(
                "INSERT INTO problems (source, offset, url, kind, reason) VALUES (?, ?, ?, ?, ?)", problems
            )
            connection.execute(
                "UPDATE sources SET position = ?, finished = ? WHERE id = ?", (position, int(finished), source)
            )
            if finished and self._get_reading(source) > 1 and self._end_repeated(source):
                self._captured = CapturedPages(connection)
        further = sum(choice.further for choice in choices.values())
        return BatchCounts(len(pages), links, len(problems), further, stored)

    def _check_alone(self) -> None:
        """Raise before writing if there is a second writer, which would assign the same ids."""
        if self._ids.read_stored() != len(self._ids):
            raise StoreError("another process is adding pages to this database; start again when it is done")

    def _add_pages(self, source: int, pages: list[Page]) -> tuple[int, dict[int, Choice], int]:
        """Return the number of links added, the choice for each page, and the number of captures in ``history``."""
        if not pages:
            return 0, {}, 0
        links = [Links.from_links(page.links) for page in pages]
        urls = pack_texts(page.url for page in pages).split(b"\0")  # with an empty one at the end
        ids, _, fresh = self._ids.assign(
            b"".join([text for url, columns in zip(urls, links, strict=False) for text in (url, b"\0", columns.urls)])
        )
        self._add_urls(fresh)
        counts = array("q", [len(columns.kinds) for columns in links])
        starts = [place + number for number, place in enumerate(accumulate(counts[:-1], initial=0))]
        # All linked URLs have ids, also those of captures that are not chosen.
        choices, events = self._choose_captures([ids[start] for start in starts], pages, source)
        stored, reading = 0, self._get_reading(source)
        if self._keep is Keep.ALL:
            batch = LinkBatch(links, ids, counts, starts)
            stored = history.History(self._connection, source, reading, batch).write(events)
        captures.write_captures(self._connection, source, choices, reading=reading)
        chosen = bytearray(len(pages))
        for choice in choices.values():
            if choice.new_page is not None:
                chosen[choice.place] = 1
        return write_links(self._connection, links, ids, counts, chosen), choices, stored

    def _add_urls(self, urls: bytes) -> None:
        """Insert new URLs; their ids are the next ones, as SQLite numbers them."""
        if not urls:
            return
        if len(self._authorities) > _HOSTS_CACHED:
            self._authorities = UrlIds()
        spelled, new, _ = self._authorities.assign(extract_authorities(urls))
        texts = unpack_texts(urls)
        if new:
            del self._hosts[spelled[new[0]] :]
            self._hosts += self._add_hosts([texts[place] for place in new])
        statements.insert_columns(
            self._connection,
            "INSERT OR FAIL INTO pages (url, host)",
            (texts, list(map(self._hosts.__getitem__, spelled))),
        )
        (last,) = self._connection.execute("SELECT LAST_INSERT_ROWID()").fetchone()
        if last != len(self._ids):
            raise StoreError(f"a page was given the id {last} instead of {len(self._ids)}: run 'graphlang check'")

    def _add_hosts(self, urls: list[str]) -> list[int]:
        """Return the ids of the hosts of some URLs, and insert new hosts."""
        sites = self._sites(urls)
        ids, new, _ = self._host_ids.assign(pack_texts(site.host for site in sites))
        statements.insert_rows(
            self._connection, "INSERT OR FAIL INTO hosts", [(ids[place], *sites[place]) for place in new]
        )
        return ids.tolist()

    def _get_reading(self, source: int) -> int:
        if source not in self._readings:
            self._readings[source] = sources.get_reading(self._connection, source)
        return self._readings[source]

    def _choose_captures(
        self, page_ids: list[int], pages: list[Page], source: int
    ) -> tuple[dict[int, Choice], list[history.Event]]:
        """Choose the main capture of each page of the batch, by page id, and list the further captures."""
        choices: dict[int, Choice] = {}
        events: list[history.Event] = []
        captured = self._captured.select(page_ids)
        repeated = self._get_reading(source) > 1
        for place, (page_id, page) in enumerate(zip(page_ids, pages, strict=True)):
            choice = choices.get(page_id)
            if choice is None and page_id in captured:
                choice = choices[page_id] = captures.read_choice(self._connection, page_id)
            if choice is None:
                choices[page_id] = Choice(CaptureProperties.from_page(page), 1, page, place)
                if repeated:
                    self._fresh.add(page_id)
            elif repeated and choice.stored and page_id not in self._fresh:
                events.append(
                    history.Event(page_id, choice.add_repeated(page, place, self._keep, source), choice.facts)
                )
            else:
                events.append(history.Event(page_id, choice.add_capture(page, place, self._keep), choice.facts))
        self._captured.enter(list(choices))
        return choices, events

    def _end_repeated(self, source: int) -> bool:
        """Delete captures that the file no longer has, and empty revisits of its captures; return whether any went."""
        connection, reading = self._connection, self._get_reading(source)
        missing = "SELECT page FROM captures WHERE source = ? AND reading < ?"
        pages = [page for (page,) in connection.execute(missing, (source, reading))]
        revisits = "SELECT page FROM captures WHERE original IN (SELECT page FROM captures WHERE source = ?)"
        for (page,) in connection.execute(revisits, (source,)).fetchall():
            captures.empty_revisit(connection, page)
        captures.forget_captures(connection, pages)
        history.forget_missing(connection, source, reading)
        return bool(pages)


def finish(connection: sqlite3.Connection) -> list[int]:
    """Update what depends on all pages, after any reading, also one without new records.

    The index over URLs is built, and the pages of revisit records get the content of their originals. If a process is
    killed before this, the next reading does it. Returns the ids of pages whose text may have changed.
    """
    connection.execute(URL_INDEX)
    return captures.resolve_revisits(connection)
