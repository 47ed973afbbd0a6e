"""The file of a collection: how methods open it for reading, for writing, and row by row."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from graphlang.analysis.progress import SILENT, Progress, make_progress
from graphlang.arguments import check_arguments, flag, run_number
from graphlang.db import StoreError, open_existing
from graphlang.db.errors import EmptyError, store_error
from graphlang.db.runs.run import get_chosen_run, get_run
from graphlang.files import OutputError
from graphlang.rows import Rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlite_utils import Database

    from graphlang.db.lock import Holder
    from graphlang.db.runs.run import Run


NOTHING_YET = "nothing is classified yet: run 'graphlang classify' first"


class OpenedFile:
    """The file of a collection, and ways to open it, for all its methods.

    Args:
        path: the SQLite file.
        wait: whether methods that write wait for another writer.
        on_wait: called before such a wait, with the other writer: its process and verb; None where it is unknown.

    Raises:
        StoreError: the file exists and is no collection, or its folder does not exist.
    """

    def __init__(
        self, path: str | Path, *, wait: bool = False, on_wait: Callable[[Holder | None], None] | None = None
    ) -> None:
        self.path = Path(path)
        self._lock: dict[str, Any] = {"patience": None, "on_wait": on_wait} if wait else {"patience": 0.0}
        self._database: Database | None = None
        if self.path.exists():
            with suppress(EmptyError):  # left by a reading that was stopped at once: the next one goes on with it
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
        """Close what `db` opened; every other method closes the file before it returns."""
        if self._database is not None:
            self._database.conn.close()
            self._database = None

    @property
    def db(self) -> Database:
        """The database for queries of your own, read-only, until `close`.

        Raises:
            StoreError: there is no database yet.
        """
        if self._database is None:
            from sqlite_utils import Database  # noqa: PLC0415 - takes as long to import as everything else

            connection = open_existing(self.path)
            connection.set_progress_handler(None, 0)  # no limit of time for the user's own queries
            self._database = Database(connection)
        return self._database

    def answer_unfetched(self, *runs: int | None, progress: Progress | bool = False) -> bool:
        """Infer the languages of URLs that were only linked to, where a run does not have them yet.

        Methods that list these URLs do so by themselves. Call it to show its progress.

        Args:
            runs: numbers of runs; None, or no number at all, for the run that the views show.
            progress: True draws a bar; an object receives the stage.

        Returns:
            Whether the runs have all answers now. They do not where the collection has changed since the run, or the
            file cannot be written.

        Raises:
            StoreError: there is no such file or run.
            TypeError: a number that is not an integer.
        """
        numbers = [None if run is None else run_number("runs", run) for run in runs]
        from graphlang.analysis import linked  # noqa: PLC0415

        with self._sqlite_errors():
            return linked.ensure_answers(self.path, *numbers, progress=make_progress(progress))

    @check_arguments(unfetched=flag)
    def outdated(self, *, unfetched: bool = True) -> str | None:
        """Return why the run that the views show lacks languages, where the next run would have them.

        Args:
            unfetched: whether answers for URLs that were only linked to count.

        Returns:
            ``changed``: files were read or pages removed since the run. ``corrected``: pages were corrected since, so
            that most URLs that were only linked to are ``und``. ``read-only``: the answers for these URLs are not there
            yet, and the file cannot be written. None: the run is up to date, or there is none.
        """
        from graphlang.db.runs.lifecycle import digest_input  # noqa: PLC0415
        from graphlang.db.runs.run import has_changed  # noqa: PLC0415

        with self._reading() as connection:
            run = get_chosen_run(connection)
            if run is None:
                return None
            if has_changed(connection, run):
                return "changed"
            if not unfetched or run.linked is not False:
                return None
            if run.collection != digest_input(connection, run.seeds):
                return "corrected"
        writable = os.access(self.path, os.W_OK) and os.access(self.path.absolute().parent, os.W_OK)
        return None if writable else "read-only"

    @contextmanager
    def _sqlite_errors(self) -> Iterator[None]:
        """Raise errors of SQLite as `StoreError`: a locked file, a full disk, a damaged page."""
        try:
            yield
        except sqlite3.Error as error:
            raise store_error(f"cannot use {self.path}", error) from error

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._sqlite_errors(), closing(open_existing(self.path)) as connection:
            yield connection

    @contextmanager
    def _writing(self, verb: str) -> Iterator[sqlite3.Connection]:
        with (
            self._sqlite_errors(),
            closing(open_existing(self.path, write=True, verb=verb, **self._lock)) as connection,
        ):
            yield connection

    @contextmanager
    def _open_answered(self, *runs: int | None) -> Iterator[sqlite3.Connection]:
        """The collection, for reading, with all answers of some runs, or of the chosen one."""
        self.answer_unfetched(*runs)
        with self._reading() as connection:
            yield connection

    def _refuse_own_files(self, output: str | Path) -> None:
        from graphlang.db.connection import is_same_file, list_database_files  # noqa: PLC0415

        for path, description in list_database_files(self.path):
            if is_same_file(Path(output), path):
                raise OutputError(f"cannot write to {output}: it is {description}")

    def _rows(
        self,
        kind: Callable[[Any], Any],
        columns: Sequence[str],
        read: Callable[[sqlite3.Connection], Iterable[Any]],
        linked: Sequence[int | None] = (),
        progress: Progress = SILENT,
    ) -> Rows[Any]:
        """Rows that are read each time they are iterated; they need the answers of the runs ``linked``."""

        def rows() -> Iterable[tuple[Any, ...]]:
            if linked:
                self.answer_unfetched(*linked, progress=progress)
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
        """Rows of pages in the order of their ids, with answers for unfetched URLs as far as the rows are read.

        ``read`` gives those after an id, up to an id.
        """

        def rows() -> Iterable[tuple[Any, ...]]:
            from graphlang.analysis import linked  # noqa: PLC0415

            after = 0
            with self._sqlite_errors():
                for until in linked.answer_in_steps(self.path, progress=progress):
                    with self._reading() as connection:
                        yield from read(connection, after, until)
                    after = until or after

        return Rows(kind, columns, rows)


def require_answers(connection: sqlite3.Connection) -> None:
    """Refuse a collection in which no page has an answer: a map of it would be undetermined throughout.

    Args:
        connection: the collection.

    Raises:
        StoreError: nothing is classified yet, and no page is corrected.
    """
    (waiting,) = connection.execute(
        "SELECT EXISTS (SELECT 1 FROM captures) AND NOT EXISTS (SELECT 1 FROM corrections)"
    ).fetchone()
    if waiting and get_chosen_run(connection) is None:
        raise StoreError(NOTHING_YET)


def run_or_chosen(connection: sqlite3.Connection, number: int | None) -> Run:
    """Return the run of a number, or the one that the views show.

    Args:
        connection: the collection.
        number: of the run; None: the chosen one.

    Raises:
        StoreError: there is no such run, or nothing is classified yet.
    """
    run = get_chosen_run(connection) if number is None else get_run(connection, number)
    if run is None:
        raise StoreError(NOTHING_YET)
    return run
