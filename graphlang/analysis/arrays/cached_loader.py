"""Reads the links and a content run once for several steps over one collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.analysis.arrays import signals
from graphlang.analysis.arrays.graph_input import Loaded
from graphlang.analysis.arrays.links import Links

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from concurrent.futures import Future

    from graphlang.analysis.arrays.read_ahead import ReadsAhead
    from graphlang.db.runs.run import Run


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
        """Have links read, and the URL method, where somebody reads ahead: when no pages are added any more."""
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
        """The same for the last step: whoever asked keeps it for as long as he needs it.

        Args:
            connection: the collection.
            run: a finished content run.
        """
        found, self._loaded = self(connection, run), None
        return found
