"""A collection as an object: a verb of the command line is a method of the same name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.collection.correcting import Correcting
from graphlang.collection.inferring import Inferring
from graphlang.collection.ingesting import Ingesting
from graphlang.collection.judging import Judging
from graphlang.collection.listing import Listing
from graphlang.collection.publishing import Publishing

if TYPE_CHECKING:
    from pathlib import Path


def open_collection(path: str | Path, *, wait: bool = False) -> Collection:
    """Open the database of a collection; `Collection.ingest` makes it if there is none.

    Args:
        path: the SQLite file.
        wait: whether what writes waits for another writer instead of raising `LockedError`.

    Raises:
        StoreError: the file is something else, or its folder does not exist.
    """
    return Collection(path, wait=wait)


class Collection(Ingesting, Inferring, Correcting, Listing, Judging, Publishing):
    """A crawled collection in one SQLite file.

    What lists something returns `Rows`, which are read when they are looked at. What computes something stores one run
    and returns it; nothing is overwritten. Every call opens the file anew, so that other processes may use it between
    two calls, and two threads may each call methods of one Collection. There is one writer at a time: what writes
    raises `LockedError` where there is another, or waits for it.

    Args:
        path: the SQLite file. It need not exist before `ingest`.
        wait: whether what writes waits for another writer.

    Raises:
        StoreError: the file exists and is no collection, or its folder does not exist.

    >>> import tempfile
    >>> with Collection(tempfile.mkdtemp() + "/crawl.db") as crawl:
    ...     crawl.ingest("examples/crawl.warc.gz").pages  # doctest: +SKIP
    443
    """
