"""Runs over the captures of a moment, and of each year in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphlang.analysis import graph_input
from graphlang.analysis.progress import SILENT, Progress
from graphlang.analysis.update import up_to_date
from graphlang.db import StoreError, snapshot

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from graphlang.db.runs.run import Run


def of_texts(connection: sqlite3.Connection, moment: str, ask: Callable[[], Run]) -> Run:
    """Classify the texts of a moment.

    Args:
        connection: a collection opened for writing.
        moment: see `graphlang.db.snapshot.moment_of`.
        ask: makes the run.

    Returns:
        The run, finished. The run that the views show stays the same.
    """
    with snapshot.at(connection, moment):
        run = ask()
        snapshot.answered(connection, run.id, inferred=False)
    return run


def of_links(
    connection: sqlite3.Connection,
    moment: str,
    ask: Callable[[int], Run],
    *,
    seed: int | None = None,
    workers: int = 1,
    progress: Progress = SILENT,
) -> Run:
    """Let the pages of a moment vote, or infer their languages, by the links of that moment.

    The texts of the moment are identified by the method of the content run first, unless a run has done so.

    Args:
        connection: a collection opened for writing.
        moment: see `graphlang.db.snapshot.moment_of`.
        ask: makes the run over links, given the content run to start from.
        seed: a content run, of this moment or of the pages' own captures; the newest of these if not given.
        workers: threads that identify texts.
        progress: reports the pages done.

    Returns:
        The run over links, finished. The run that the views show stays the same.

    Raises:
        StoreError: nothing is classified yet, the content run is of another moment, or its model is not at hand.
    """
    with snapshot.at(connection, moment):
        start = graph_input.seed_run(connection, seed)
        if start.at is not None and start.at != snapshot.moment(connection):
            raise StoreError(f"run {start.id} is of {start.at}, and cannot be the start of one of {moment}")
        start = up_to_date(connection, start, workers=workers, progress=progress)
        run = ask(start.id)
        snapshot.answered(connection, run.id, inferred=True)
    return run


def each_year(
    connection: sqlite3.Connection,
    ask: Callable[[int], Run],
    *,
    seed: int | None = None,
    workers: int = 1,
    progress: Progress = SILENT,
) -> Iterator[Run]:
    """`of_links` for each calendar year that any capture has, one after the other.

    Args:
        connection: a collection opened for writing.
        ask: makes the run over links of a year.
        seed: a content run over the pages' own captures; the newest if not given.
        workers: threads that identify texts.
        progress: reports the years done.

    Yields:
        The run of each year.

    Raises:
        StoreError: see `of_links`; or no capture has a date.
    """
    start = graph_input.seed_run(connection, seed)
    years = snapshot.years(connection)
    if not years:
        raise StoreError("no capture in this database has a date")
    progress.stage("propagate", len(years), "years")
    for done, year in enumerate(years, 1):
        yield of_links(connection, year, ask, seed=start.id, workers=workers)
        progress.advance(done)
