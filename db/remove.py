"""Remove pages from a collection with all that was read and computed for them, and keep them from being read again."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from graphlang.db.errors import LockedError
from graphlang.db.records import Links, Page, unpack_texts
from graphlang.db.schema import URL_INDEX
from graphlang.db.statements import transaction
from graphlang.db.values import get_time
from graphlang.db.write.captures import empty_revisit

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from graphlang.db.records import Problem

Kind = Literal["url", "host"]
_HOSTS_CACHED = 100_000  # whose digests are cached
#: Columns that name a page, by table.
PAGE_COLUMNS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("captures", ("page",)),
    ("texts", ("page",)),
    ("visible_bytes", ("page",)),
    ("declarations", ("page",)),
    ("links", ("source", "target")),
    ("anchor_texts", ("source", "target")),
    ("history", ("page",)),
    ("predictions", ("page",)),
    ("scores", ("page",)),
    ("page_shares", ("page",)),
)


def digest_name(kind: Kind, name: str) -> str:
    """Return the SHA-256, in hexadecimal, that a removed canonical URL or lower-case host is known by.

    >>> digest_name("host", "a.example")[:16]
    '01dc8327fa4cfc0a'
    """
    return hashlib.sha256(f"{kind}:{name}".encode("utf-8", "surrogatepass")).hexdigest()


def list_host_patterns(host: str) -> list[str]:
    """Return the names by which a host may have been removed: its own, and ``*.`` with its own or a parent's name.

    >>> list_host_patterns("www.a.example")
    ['www.a.example', '*.www.a.example', '*.a.example', '*.example']
    """
    labels = host.split(".")
    return [host, *(f"*.{'.'.join(labels[place:])}" for place in range(len(labels)))]


class RemovedNames:
    """URLs and hosts that were removed before this object was made; ``host`` maps a URL to its host."""

    def __init__(self, connection: sqlite3.Connection, host: Callable[[str], str]) -> None:
        self._digests: dict[str, set[str]] = {"url": set(), "host": set()}
        for name_digest, kind in connection.execute("SELECT digest, kind FROM removed"):
            self._digests.setdefault(kind, set()).add(name_digest)
        self._host = host
        self._has_host = lru_cache(_HOSTS_CACHED)(
            lambda name: any(
                digest_name("host", pattern) in self._digests["host"] for pattern in list_host_patterns(name)
            )
        )

    def __contains__(self, url: str) -> bool:
        if self._digests["url"] and digest_name("url", url) in self._digests["url"]:
            return True
        return bool(self._digests["host"]) and self._has_host(self._host(url))

    def drop_removed(self, items: Sequence[Page | Problem]) -> Sequence[Page | Problem]:
        """Leave out removed pages and their problems, and links to them in other pages."""
        if not any(self._digests.values()):
            return items
        return [
            self._drop_links(item) if isinstance(item, Page) else item
            for item in items
            if item.url is None or item.url not in self
        ]

    def _drop_links(self, page: Page) -> Page:
        links = Links.from_links(page.links)
        if any(url in self for url in unpack_texts(links.urls)):
            page = replace(page, links=Links.from_links([link for link in links if link.url not in self]))
        if page.revisit_of is not None and page.revisit_of in self:
            page = replace(page, revisit_of="")
        return page


@dataclass(slots=True)
class Removal:
    """Numbers of rows that were removed."""

    pages: int = 0
    hosts: int = 0
    captures: int = 0
    texts: int = 0
    links: int = 0
    answers: int = 0
    problems: int = 0
    corrections: int = 0
    missing: list[str] = field(default_factory=list)  #: URLs and hosts without a page in the collection

    @property
    def unknown(self) -> int:
        """The number of URLs and hosts in `missing`."""
        return len(self.missing)

    def describe(self) -> str:
        """Return the numbers in words.

        >>> Removal(pages=1, links=3).describe()
        '1 page, 3 links'
        """
        counts = {name: count for name, count in asdict(self).items() if name != "missing" and count}
        parts = (f"{count:,} {name.removesuffix('s') if count == 1 else name}" for name, count in counts.items())
        return ", ".join(parts) or "nothing"


def remove(
    connection: sqlite3.Connection,
    urls: Sequence[str],
    hosts: Sequence[str],
    *,
    host_of: Callable[[str], str],
    canonical: Callable[[str], str],
) -> Removal:
    """Remove URLs, and all URLs of hosts, in one transaction, and remember them.

    Revisits lose the content that they got from a removed page. Texts of other pages do not change. ``urls`` are
    canonical. ``hosts`` are in lower case, in ASCII; ``*.a.example`` is a.example and all hosts below it. ``host_of``
    maps a URL to its host, ``canonical`` a URL as in ``problems`` to its canonical form.
    """
    result = Removal()
    names: list[tuple[Kind, str]] = [*(("url", url) for url in urls), *(("host", host) for host in hosts)]
    names = list(dict.fromkeys(names))
    connection.execute("PRAGMA secure_delete=ON")
    with transaction(connection):
        connection.execute(URL_INDEX)
        result.missing += _mark_pages(connection, names)
        missing = set(result.missing)
        _delete_pages(connection, result)
        result.problems = _delete_problems(connection, {*urls}, {*hosts}, host_of, canonical)
        result.corrections = _delete_corrections(connection, {*urls}, {*hosts}, host_of)
        connection.executemany(
            "INSERT INTO removed (digest, kind, since, pages) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET pages = pages + excluded.pages",
            [(digest_name(kind, name), kind, get_time(), int(name not in missing)) for kind, name in names],
        )
        connection.execute("DROP TABLE doomed")
        connection.execute("DROP TABLE doomed_hosts")
    return result


def _mark_pages(connection: sqlite3.Connection, names: Iterable[tuple[Kind, str]]) -> list[str]:
    """Put the pages to be deleted into the table ``doomed``, and return the names without a page.

    Without an index on the host all pages are scanned: once, not for each host.
    """
    connection.execute("CREATE TEMP TABLE doomed (page INTEGER PRIMARY KEY)")
    connection.execute("CREATE TEMP TABLE doomed_hosts (id INTEGER PRIMARY KEY)")
    ids: dict[tuple[Kind, str], int | None] = {}
    for kind, name in names:
        table, column = ("pages", "url") if kind == "url" else ("hosts", "host")
        row = connection.execute(f"SELECT id FROM {table} WHERE {column} = ?", (name,)).fetchone()
        ids[kind, name] = None if row is None else row[0]
        if kind == "host" and name.startswith("*."):
            below = connection.execute(
                "SELECT id FROM hosts WHERE host = SUBSTR(?1, 3) OR SUBSTR(host, 1 - LENGTH(?1)) = SUBSTR(?1, 2)",
                (name,),
            ).fetchall()
            connection.executemany("INSERT OR IGNORE INTO doomed_hosts VALUES (?)", below)
            ids[kind, name] = below[0][0] if below else None
    for kind, table in (("url", "doomed"), ("host", "doomed_hosts")):
        rows = [(number,) for (name_kind, _), number in ids.items() if name_kind == kind and number is not None]
        connection.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?)", rows)
    connection.execute("INSERT OR IGNORE INTO doomed SELECT id FROM pages WHERE host IN doomed_hosts")
    used = {host for (host,) in connection.execute("SELECT DISTINCT host FROM doomed JOIN pages ON id = doomed.page")}
    return [name for (kind, name), number in ids.items() if number is None or (kind == "host" and number not in used)]


def _delete_pages(connection: sqlite3.Connection, result: Removal) -> None:
    from graphlang.db.runs.linked_answers import drop_linked_answers  # noqa: PLC0415 - readers import this module without numpy

    lent = "SELECT page FROM captures WHERE original IN doomed AND page NOT IN doomed"
    for (page,) in connection.execute(lent).fetchall():
        empty_revisit(connection, page)
    connection.execute(
        "UPDATE captures SET revisit_of = '' WHERE revisit_of IN (SELECT url FROM pages JOIN doomed ON page = id)"
    )
    connection.execute(
        "UPDATE runs SET pages = pages - (SELECT COUNT(*) FROM predictions WHERE run = id AND page IN doomed)"
        " WHERE pages IS NOT NULL"
    )
    for table in ("history_links", "history_declarations"):
        connection.execute(f"DELETE FROM {table} WHERE capture IN (SELECT id FROM history WHERE page IN doomed)")
    connection.execute("DELETE FROM history_links WHERE target IN doomed")
    counts = {}
    for table, columns in PAGE_COLUMNS:
        where = " OR ".join(f"{column} IN doomed" for column in columns)
        counts[table] = connection.execute(f"DELETE FROM {table} WHERE {where}").rowcount
    result.captures = counts["captures"] + counts["history"]
    result.texts, result.links = counts["texts"], counts["links"]
    pages = [page for (page,) in connection.execute("SELECT page FROM doomed")]
    result.answers = counts["predictions"] + drop_linked_answers(connection, pages)
    connection.execute("DELETE FROM url_evidence")  # packed: it is computed again
    result.pages = connection.execute("DELETE FROM pages WHERE id IN doomed").rowcount
    result.hosts = connection.execute("DELETE FROM hosts WHERE id NOT IN (SELECT host FROM pages)").rowcount


def _delete_problems(
    connection: sqlite3.Connection,
    urls: set[str],
    hosts: set[str],
    host_of: Callable[[str], str],
    canonical: Callable[[str], str],
) -> int:
    rows = []
    for number, url in connection.execute("SELECT id, url FROM problems WHERE url IS NOT NULL"):
        normal = canonical(url)
        if url in urls or normal in urls or not hosts.isdisjoint(list_host_patterns(host_of(normal))):
            rows.append((number,))
    connection.executemany("DELETE FROM problems WHERE id = ?", rows)
    return len(rows)


def _delete_corrections(
    connection: sqlite3.Connection, urls: set[str], hosts: set[str], host_of: Callable[[str], str]
) -> int:
    """Delete corrections with their notes, also for URLs that were never read."""
    corrections = connection.execute("SELECT id, url FROM corrections").fetchall()
    rows = [
        (number,)
        for number, url in corrections
        if url in urls or not hosts.isdisjoint(list_host_patterns(host_of(url)))
    ]
    connection.executemany("DELETE FROM corrections WHERE id = ?", rows)
    return len(rows)


def forget(connection: sqlite3.Connection, urls: Iterable[str], hosts: Iterable[str]) -> int:
    """Let removed URLs and hosts be read again, and return how many of them had been removed."""
    names: list[tuple[Kind, str]] = [*(("url", url) for url in urls), *(("host", host) for host in hosts)]
    with transaction(connection):
        return sum(
            connection.execute("DELETE FROM removed WHERE digest = ?", (digest_name(kind, name),)).rowcount
            for kind, name in names
        )


def scrub(connection: sqlite3.Connection, *, vacuum: bool) -> None:
    """Erase removed rows from the write-ahead log and, with ``vacuum``, from unused parts of the file.

    Vacuuming rewrites the file and takes up to twice its size on disk meanwhile. Raise a LockedError if another program
    is reading the database, so that the log cannot be emptied.
    """
    if vacuum:
        connection.execute("VACUUM")
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        msg = (
            "what was removed is still in the write-ahead log, because another program is reading the database:"
            " repeat the command when it is done"
        )
        raise LockedError(msg)
