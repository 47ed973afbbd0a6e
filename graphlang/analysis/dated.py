"""Runs over the captures of a moment, or of each year."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Final

from graphlang.analysis import graph_input
from graphlang.analysis.progress import SILENT, Progress
from graphlang.analysis.update import update_run
from graphlang.db import StoreError, snapshot

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from graphlang.db.runs.run import Run


class NoCaptureOfMomentWarning(UserWarning):
    """No capture is from the moment that a run is of."""


def classify_moment(connection: sqlite3.Connection, moment: str, make_run: Callable[[], Run]) -> Run:
    """Classify the texts of a moment with ``make_run``, and return the finished run; the views still show the same run.

    ``moment`` is as in `graphlang.db.snapshot.parse_moment`.
    """
    with snapshot.show_moment(connection, moment):
        _warn_without_captures(connection)
        run = make_run()
        snapshot.record_answered(connection, run.id, inferred=False)
    return run


def infer_moment(
    connection: sqlite3.Connection,
    moment: str,
    make_run: Callable[[int], Run],
    *,
    seed: int | None = None,
    workers: int = 1,
    progress: Progress = SILENT,
) -> Run:
    """Vote or infer languages at a moment, with the links of that moment; return the finished run.

    The texts of the moment are identified first, by the method of the content run, unless a run has done so. The views
    still show the same run. ``moment`` is as in `graphlang.db.snapshot.parse_moment`. ``make_run`` makes the run over
    links from the id of a content run. ``seed`` is a content run of this moment or of main captures; default: the
    newest of these.

    Raise a StoreError if nothing is classified yet, the content run is of another moment, or its model is missing.
    """
    with snapshot.show_moment(connection, moment):
        _warn_without_captures(connection)
        start = graph_input.find_seed_run(connection, seed)
        if start.at is not None and start.at != snapshot.get_moment(connection):
            raise StoreError(f"run {start.id} is of {start.at}; a run of {moment} cannot start from it")
        start = update_run(connection, start, workers=workers, progress=progress)
        run = make_run(start.id)
        snapshot.record_answered(connection, run.id, inferred=True)
    return run


def infer_each_year(
    connection: sqlite3.Connection,
    make_run: Callable[[int], Run],
    *,
    seed: int | None = None,
    workers: int = 1,
    progress: Progress = SILENT,
) -> Iterator[Run]:
    """Yield the run of each calendar year with captures; arguments as in `infer_moment`.

    Raise a StoreError as there, and if no capture has a date.
    """
    start = graph_input.find_seed_run(connection, seed)
    years = snapshot.list_years(connection)
    if not years:
        raise StoreError("no capture in this database has a date")
    progress.stage("propagate", len(years), "years")
    for done, year in enumerate(years, 1):
        yield infer_moment(connection, year, make_run, seed=start.id, workers=workers)
        progress.advance(done)


def _warn_without_captures(connection: sqlite3.Connection) -> None:
    """Warn which captures are used where none is from the day, month or year that the connection shows."""
    moment = (snapshot.get_moment(connection) or "")[:_DAY]
    query = (
        "SELECT SUBSTR(MIN(date), 1, :day), SUBSTR(MAX(date), 1, :day),"
        " COUNT(*) FILTER (WHERE date LIKE :moment || '%') FROM captures WHERE date <> ''"
    )
    first, last, captures = connection.execute(query, {"day": _DAY, "moment": moment}).fetchone()
    if not captures and first is not None:
        dates = f"of {first}" if first == last else f"from {first} to {last}"
        warnings.warn(f"no capture is from {moment}: the nearest, {dates}, are used", NoCaptureOfMomentWarning, 2)


_DAY: Final = 10  # characters of a date
