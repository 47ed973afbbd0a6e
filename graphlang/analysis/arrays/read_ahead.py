"""What a later step will ask for, read by a thread meanwhile, over a connection of its own.

SQLite and the kernels let other threads of Python run: while one makes the index over URLs, another reads links.
"""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Self, TypeVar

from graphlang.db import open_existing

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from pathlib import Path

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
