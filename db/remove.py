"""Take pages out of a collection, with all that was read and computed of them, so that nothing of it is left."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from graphlang.db.errors import LockedError
from graphlang.db.runs.linked_answers import drop_linked
from graphlang.db.schema import URL_INDEX
from graphlang.db.statements import transaction
from graphlang.db.values import now
from graphlang.db.write import revisits
from graphlang.db.write.removed import digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Sequence

    from graphlang.db.write.removed import Kind

#: By table, the columns that name a page; the order matters to nothing.
_OF_A_PAGE: tuple[tuple[str, tuple[str, ...]], ...] = (
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


@dataclass(slots=True)
class Removal:
    """What was removed."""

    pages: int = 0
    hosts: int = 0
    captures: int = 0
    texts: int = 0
    links: int = 0
    answers: int = 0
    problems: int = 0
    corrections: int = 0
    missing: list[str] = field(default_factory=list)  #: URLs and hosts of which the collection had no page

    @property
    def unknown(self) -> int:
        """How many are `missing`."""
        return len(self.missing)

    def words(self) -> str:
        """What there was of it, in words.

        >>> Removal(pages=1, links=3).words()
        '1 page, 3 links'
        """
        counts = {name: count for name, count in asdict(self).items() if name != "missing" and count}
        words = (f"{count:,} {name.removesuffix('s') if count == 1 else name}" for name, count in counts.items())
        return ", ".join(words) or "nothing"


def remove(
    connection: sqlite3.Connection,
    urls: Sequence[str],
    hosts: Sequence[str],
    *,
    host_of: Callable[[str], str],
    canonical: Callable[[str], str],
) -> Removal:
    """Take URLs, and all URLs of hosts, out of the collection, and remember that they are not to be read again.

    Pages that were given the content of a removed one, because they were revisits of it, lose it too. What other pages
    say of a removed one in their own text stays. All in one transaction.

    Args:
        connection: a collection opened for writing.
        urls: in canonical form.
        hosts: in lower case, in ASCII.
        host_of: from a URL to its host.
        canonical: from a URL, as a problem names it, to its canonical form.
    """
    done = Removal()
    every: list[tuple[Kind, str]] = [*(("url", url) for url in urls), *(("host", host) for host in hosts)]
    named = list(dict.fromkeys(every))
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(URL_INDEX)
        connection.execute("CREATE TEMP TABLE doomed (page INTEGER PRIMARY KEY)")
        done.missing += _doom(connection, named)
        _drop(connection, done)
        done.problems = _drop_problems(connection, {*urls}, {*hosts}, host_of, canonical)
        done.corrections = _drop_corrections(connection, {*urls}, {*hosts}, host_of)
        connection.executemany(
            "INSERT OR IGNORE INTO removed (digest, kind, since) VALUES (?, ?, ?)",
            [(digest(kind, name), kind, now()) for kind, name in named],
        )
        connection.execute("DROP TABLE doomed")
        connection.execute("DROP TABLE doomed_hosts")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return done


def _doom(connection: sqlite3.Connection, named: Iterable[tuple[Kind, str]]) -> list[str]:
    """Enter the pages that go into ``doomed``; the names of which there are none come out.

    No index says which pages a host has, so that all pages are gone through: once, and not for each host.
    """
    connection.execute("CREATE TEMP TABLE doomed_hosts (id INTEGER PRIMARY KEY)")
    ids: dict[tuple[Kind, str], int | None] = {}
    for kind, name in named:
        table, column = ("pages", "url") if kind == "url" else ("hosts", "host")
        found = connection.execute(f"SELECT id FROM {table} WHERE {column} = ?", (name,)).fetchone()
        ids[kind, name] = None if found is None else found[0]
    for of, doomed in (("url", "doomed"), ("host", "doomed_hosts")):
        those = [(known,) for (kind, _), known in ids.items() if kind == of and known is not None]
        connection.executemany(f"INSERT INTO {doomed} VALUES (?)", those)
    connection.execute("INSERT OR IGNORE INTO doomed SELECT id FROM pages WHERE host IN doomed_hosts")
    there = {host for (host,) in connection.execute("SELECT DISTINCT host FROM doomed JOIN pages ON id = doomed.page")}
    return [name for (kind, name), known in ids.items() if known is None or (kind == "host" and known not in there)]


def _drop(connection: sqlite3.Connection, done: Removal) -> None:
    lent = "SELECT page FROM captures WHERE original IN doomed AND page NOT IN doomed"
    for (page,) in connection.execute(lent).fetchall():
        revisits.empty(connection, page)
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
    for table, columns in _OF_A_PAGE:
        where = " OR ".join(f"{column} IN doomed" for column in columns)
        counts[table] = connection.execute(f"DELETE FROM {table} WHERE {where}").rowcount
    done.captures = counts["captures"] + counts["history"]
    done.texts, done.links = counts["texts"], counts["links"]
    linked = drop_linked(connection, (page for (page,) in connection.execute("SELECT page FROM doomed").fetchall()))
    done.answers = counts["predictions"] + linked
    done.pages = connection.execute("DELETE FROM pages WHERE id IN doomed").rowcount
    done.hosts = connection.execute("DELETE FROM hosts WHERE id NOT IN (SELECT host FROM pages)").rowcount


def _drop_problems(
    connection: sqlite3.Connection,
    urls: set[str],
    hosts: set[str],
    host_of: Callable[[str], str],
    canonical: Callable[[str], str],
) -> int:
    gone = []
    for number, url in connection.execute("SELECT id, url FROM problems WHERE url IS NOT NULL"):
        known = canonical(url)
        if url in urls or known in urls or host_of(known) in hosts:
            gone.append((number,))
    connection.executemany("DELETE FROM problems WHERE id = ?", gone)
    return len(gone)


def _drop_corrections(
    connection: sqlite3.Connection, urls: set[str], hosts: set[str], host_of: Callable[[str], str]
) -> int:
    """Corrections go with their notes, also of URLs that were never read: they are made again after `forget`."""
    found = connection.execute("SELECT id, url FROM corrections").fetchall()
    gone = [(number,) for number, url in found if url in urls or host_of(url) in hosts]
    connection.executemany("DELETE FROM corrections WHERE id = ?", gone)
    return len(gone)


def forget(connection: sqlite3.Connection, urls: Iterable[str], hosts: Iterable[str]) -> int:
    """Let URLs and hosts that were removed be read again; returns how many of them had been.

    Args:
        connection: a collection opened for writing.
        urls: in canonical form.
        hosts: in lower case, in ASCII.
    """
    named: list[tuple[Kind, str]] = [*(("url", url) for url in urls), *(("host", host) for host in hosts)]
    with transaction(connection):
        return sum(
            connection.execute("DELETE FROM removed WHERE digest = ?", (digest(kind, name),)).rowcount
            for kind, name in named
        )


def scrub(connection: sqlite3.Connection, *, vacuum: bool) -> None:
    """Bring what was removed out of the write-ahead log and, with ``vacuum``, out of every unused part of the file.

    Args:
        connection: a collection opened for writing, outside a transaction.
        vacuum: whether the file is written anew; that takes up to twice its size on disk meanwhile.

    Raises:
        LockedError: somebody is reading the database, so that the log cannot be emptied.
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
