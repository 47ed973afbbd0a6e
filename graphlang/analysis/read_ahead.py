"""Read links and content runs once for several steps over one collection, in a thread where that saves time.

SQLite and the kernels let other threads of Python run: while one makes the index over URLs, another reads links over a
connection of its own.
"""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self, TypeVar

from graphlang.analysis import signals
from graphlang.analysis.graph_input import Loaded
from graphlang.analysis.graph_rows import Links
from graphlang.db import open_existing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from graphlang.db.runs.run import Run

_Made = TypeVar("_Made")
_AGAIN: Final = 0.005  # seconds after which a query is interrupted that has begun meanwhile


class ReadsAhead:
    """One thread that reads a collection; used as a context, at whose end it stops whatever it is at.

    Args:
        database: the file of the collection, which has to be there when something is begun.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="graphlang")
        self._connection: sqlite3.Connection | None = None

    def begin(self, read: Callable[[sqlite3.Connection], _Made]) -> Future[_Made]:
        """Have something read, as the collection stands when its turn comes.

        Args:
            read: called in the thread, with its connection.

        Returns:
            What comes of it, or what it raises.
        """
        return self._thread.submit(lambda: read(self._opened()))

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_existing(self._database)
        return self._connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        closed = self._thread.submit(self._close)
        while not closed.done():
            # Between two queries there is nothing to be interrupted, and what is read is often many short ones.
            if self._connection is not None:
                with suppress(sqlite3.ProgrammingError):  # it was closed in this moment
                    self._connection.interrupt()
            wait([closed], _AGAIN)
        self._thread.shutdown()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()


class CachedLoader:
    """`Loaded` for several steps over one collection: links and scores are read once for as long as this is kept.

    Args:
        one_graph: whether all steps ask for the same pages, see `Loaded`.
        later: see `Loaded`.
    """

    def __init__(self, *, one_graph: bool = False, later: tuple[Mapping[str, float], ReadsAhead] | None = None) -> None:
        self._loaded: Loaded | None = None
        self._links: Future[Links] | None = None
        self._one_graph, self._later = one_graph, later

    def begin_links(self) -> None:
        """Start reading links and loading the URL method ahead, once no page is added any more."""
        if self._later is not None:
            weights, ahead = self._later
            self._links = ahead.begin(Links.of)
            if weights.get("url", 0):
                ahead.begin(lambda _: bool(signals.url_method()))  # it has to be unpacked

    def __call__(self, connection: sqlite3.Connection, run: Run) -> Loaded:
        """What the run says and all links."""
        if self._loaded is None or self._loaded.run != run:
            begun, self._links = self._links, None
            links = None if begun is None else begun.result()
            self._loaded = Loaded(connection, run, links, one_graph=self._one_graph, later=self._later)
        return self._loaded

    def last(self, connection: sqlite3.Connection, run: Run) -> Loaded:
        """Return the loaded graph and drop the cache.

        Args:
            connection: the collection.
            run: a finished content run.
        """
        found, self._loaded = self(connection, run), None
        return found
