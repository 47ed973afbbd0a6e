"""Read links and content runs once for several steps over a collection, in a thread where that saves time.

SQLite and the kernels release Python's lock: while one thread builds the index of URLs, another reads links through
its own connection.
"""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self, TypeVar

from graphlang.analysis import signals
from graphlang.analysis.graph_input import LoadedRun
from graphlang.analysis.graph_rows import LinkRows
from graphlang.db import open_existing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future
    from pathlib import Path

    from graphlang.db.runs.run import Run

_Result = TypeVar("_Result")
_AGAIN: Final = 0.005  # seconds between interrupts of running queries


class PrefetchThread:
    """A thread that reads a collection. Leaving its context interrupts the current query.

    ``database`` must exist when the first task starts.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="graphlang")
        self._connection: sqlite3.Connection | None = None

    def begin(self, read: Callable[[sqlite3.Connection], _Result]) -> Future[_Result]:
        """Read in the thread, with its connection, after earlier tasks; return the result as a future."""
        return self._thread.submit(lambda: read(self._open()))

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = open_existing(self._database)
        return self._connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        closed = self._thread.submit(self._close)
        while not closed.done():
            # An interrupt between two queries has no effect, and tasks often run many short ones.
            if self._connection is not None:
                with suppress(sqlite3.ProgrammingError):  # closed in the meantime
                    self._connection.interrupt()
            wait([closed], _AGAIN)
        self._thread.shutdown()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()


class CachedLoader:
    """Load links and scores of a collection once for several steps; see `LoadedRun` for the arguments.

    ``one_graph`` means that all steps use the same pages.
    """

    def __init__(
        self, *, one_graph: bool = False, prefetch: tuple[Mapping[str, float], PrefetchThread] | None = None
    ) -> None:
        self._loaded: LoadedRun | None = None
        self._links: Future[LinkRows] | None = None
        self._one_graph, self._prefetch = one_graph, prefetch

    def begin_links(self) -> None:
        """Start reading links and loading the URL method ahead, once all pages are written."""
        if self._prefetch is not None:
            weights, thread = self._prefetch
            self._links = thread.begin(LinkRows.read)
            if weights.get("url", 0):
                thread.begin(lambda _: bool(signals.load_url_method()))  # slow: it is decompressed

    def __call__(self, connection: sqlite3.Connection, run: Run) -> LoadedRun:
        """Return the run with all links."""
        if self._loaded is None or self._loaded.run != run:
            started, self._links = self._links, None
            links = None if started is None else started.result()
            self._loaded = LoadedRun(connection, run, links, one_graph=self._one_graph, prefetch=self._prefetch)
        return self._loaded

    def take(self, connection: sqlite3.Connection, run: Run) -> LoadedRun:
        """Return the run with all links, and drop the cache."""
        loaded, self._loaded = self(connection, run), None
        return loaded
