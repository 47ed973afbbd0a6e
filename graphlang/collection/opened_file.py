"""The file of a collection: how the verbs open it, for reading, for writing, and row by row."""

from __future__ import annotations

import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from graphlang.analysis.progress import SILENT, Progress
from graphlang.db import StoreError, open_existing
from graphlang.db.errors import store_error
from graphlang.db.runs.run import chosen_run, get_run
from graphlang.rows import Rows
from graphlang.whole_file import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlite_utils import Database

    from graphlang.db.runs.run import Run


class OpenedFile:
    """What all verbs of a collection share: its file, and ways to open it.

    Args:
        path: the SQLite file.
        wait: whether what writes waits for another writer.

    Raises:
        StoreError: the file exists and is no collection, or its folder does not exist.
    """

    def __init__(self, path: str | Path, *, wait: bool = False) -> None:
        self.path = Path(path)
        self._patience = None if wait else 0.0
        self._kept: Database | None = None
        if self.path.exists():
            open_existing(self.path).close()
        elif not self.path.absolute().parent.is_dir():
            raise StoreError(f"cannot create {path}: the folder {self.path.parent} does not exist")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Collection({str(self.path)!r})"

    def close(self) -> None:
        """Close what `db` opened; all else is closed when a method returns."""
        if self._kept is not None:
            self._kept.conn.close()
            self._kept = None

    @property
    def db(self) -> Database:
        """The database for queries of your own, read-only, until `close`.

        Raises:
            StoreError: there is no database yet.
        """
        if self._kept is None:
            from sqlite_utils import Database  # noqa: PLC0415  takes as long as all the rest

            connection = open_existing(self.path)
            connection.set_progress_handler(None, 0)  # queries of one's own may take as long as they do
            self._kept = Database(connection)
        return self._kept

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """Errors of SQLite become ours: another program holds the file, the disk is full, a page of it is damaged."""
        try:
            yield
        except sqlite3.Error as error:
            raise store_error(f"cannot use {self.path}", error) from error

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._in_words(), closing(open_existing(self.path)) as connection:
            yield connection

    @contextmanager
    def _writing(self, verb: str) -> Iterator[sqlite3.Connection]:
        how: dict[str, Any] = {"write": True, "verb": verb, "patience": self._patience}
        with self._in_words(), closing(open_existing(self.path, **how)) as connection:
            yield connection

    @contextmanager
    def _answered(self, output: Path) -> Iterator[sqlite3.Connection]:
        """The collection with all answers of the chosen run, to be written to a file that is not its own."""
        from graphlang.analysis import linked  # noqa: PLC0415
        from graphlang.db.connection import own_files, same_file  # noqa: PLC0415

        for path, words in own_files(self.path):
            if same_file(output, path):
                raise OutputError(f"cannot write to {output}: it is {words}")
        with self._in_words(), closing(linked.opened(self.path)) as connection:
            yield connection

    def _rows(
        self,
        kind: Callable[[Any], Any],
        columns: Sequence[str],
        read: Callable[[sqlite3.Connection], Iterable[Any]],
        linked: Sequence[int | None] = (),
        progress: Progress = SILENT,
    ) -> Rows[Any]:
        """Rows that are read anew each time; ``linked`` names runs whose answers for unfetched URLs they need."""

        def rows() -> Iterable[tuple[Any, ...]]:
            if linked:
                from graphlang.analysis import linked as linked_answers  # noqa: PLC0415

                with self._in_words():
                    linked_answers.ready(self.path, *linked, progress=progress)
            with self._reading() as connection:
                yield from read(connection)

        return Rows(kind, columns, rows)

    def _rows_by_id(
        self,
        kind: Callable[[Any], Any],
        columns: Sequence[str],
        read: Callable[[sqlite3.Connection, int, int | None], Iterable[Any]],
        progress: Progress,
    ) -> Rows[Any]:
        """Rows of pages in the order of their ids, with the answers for unfetched URLs as far as they are read.

        ``read`` gives those behind an id, up to an id.
        """

        def rows() -> Iterable[tuple[Any, ...]]:
            from graphlang.analysis import linked  # noqa: PLC0415

            after = 0
            with self._in_words():
                for until in linked.steps(self.path, progress=progress):
                    with self._reading() as connection:
                        yield from read(connection, after, until)
                    after = until or after

        return Rows(kind, columns, rows)


_NOTHING_YET = "nothing is classified yet: run 'classify' first"


def run_or_chosen(connection: sqlite3.Connection, number: int | None) -> Run:
    """The run of a number, or the one that the views show.

    Args:
        connection: the collection.
        number: of a run; None: the chosen one.

    Raises:
        StoreError: there is no such run, or it is not finished; nothing is classified yet.
    """
    run = chosen_run(connection) if number is None else get_run(connection, number)
    if run is None:
        raise StoreError(_NOTHING_YET)
    return run
