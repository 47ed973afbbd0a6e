"""A collection as an object: a verb of the command line is a method of the same name.

In: the path of a database. Out: a `Collection`, whose methods return runs and lazy rows. Open `computing`, `listing`,
`correcting` or `publishing` for the methods of that kind, `opened_file` for how a method opens the file, `page_filter`
for the arguments that say which pages count.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from graphlang.collection.computing import Computing
from graphlang.collection.correcting import Correcting
from graphlang.collection.listing import Listing
from graphlang.collection.publishing import Publishing
from graphlang.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from graphlang.db.check import Finding
    from graphlang.db.lock import Holder


def open_collection(
    path: str | Path, *, wait: bool = False, on_wait: Callable[[Holder | None], None] | None = None
) -> Collection:
    """Open the database of a collection; `Collection.ingest` makes it if there is none.

    Args:
        path: the SQLite file.
        wait: whether methods that write wait for another writer instead of raising `LockedError`.
        on_wait: called before such a wait, with the other writer: its process and verb; None where it is unknown.

    Raises:
        StoreError: the file is something else, or its folder does not exist.
    """
    return Collection(path, wait=wait, on_wait=on_wait)


def check(path: str | Path) -> Rows[Finding]:
    """List faults of a database: the verb `check`. `open` refuses a database that is none of this program.

    Args:
        path: the SQLite file.

    Raises:
        StoreError: there is no such file (when the rows are read).
    """
    from graphlang.db.check import Finding, list_findings  # noqa: PLC0415 - rarely needed
    from graphlang.db.connection import inspect  # noqa: PLC0415

    def read() -> Iterator[Finding]:
        with closing(inspect(path)) as connection:
            yield from list_findings(connection)

    return Rows(Finding._make, Finding._fields, read)


class Collection(Computing, Correcting, Listing, Publishing):
    """A crawled collection in one SQLite file.

    Methods that list return `Rows`, which are read when they are iterated. Methods that compute store one run and
    return it; nothing is overwritten. Every call opens the file for itself, so that other processes may use it between
    two calls, and two threads may each call methods of one Collection. There is one writer at a time: methods that
    write raise `LockedError` where there is another, or wait for it.

    Args:
        path: the SQLite file. It need not exist before `ingest`.
        wait: whether methods that write wait for another writer.
        on_wait: called before such a wait, with the other writer: its process and verb; None where it is unknown.

    Raises:
        StoreError: the file exists and is no collection, or its folder does not exist.

    >>> import tempfile
    >>> with Collection(tempfile.mkdtemp() + "/crawl.db") as crawl:
    ...     crawl.ingest("examples/crawl.warc.gz").pages  # doctest: +SKIP
    443
    """


__all__ = ["Collection", "check", "open_collection"]
