"""Answers for the URLs that were only linked to: worked out when somebody asks for them, some at a time.

They are most of a crawl and teach the other pages nothing (see ``graph_input.Loaded``), so that the main job leaves
them out. What they are told depends on nothing but the run and the collection; it is the same whenever it is asked for.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from graphlang.analysis.progress import SILENT, Progress
from graphlang.db import StoreError, collection, create, open_existing, snapshot
from graphlang.db.runs.answers import LinkedAnswers
from graphlang.db.runs.begin import state_seen
from graphlang.db.runs.choose import chosen_run
from graphlang.db.runs.find import get_run, origin_of
from graphlang.db.runs.linked_answers import BLOCK, write_linked

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphlang.analysis.arrays import graph_input
    from graphlang.db.runs.run import Run

#: URLs that are asked about at a time, at least: what is common to all pages is worked out anew for each so many.
TOGETHER = 1 << 18


def answer(
    connection: sqlite3.Connection,
    run: Run,
    *,
    loaded: graph_input.Loaded | None = None,
    progress: Progress = SILENT,
) -> bool:
    """Write the answers of a vote or propagation for the URLs that were only linked to, unless they are there.

    Args:
        connection: a collection opened for writing.
        run: the run, finished.
        loaded: what its content run says, and the links, where they were read before.
        progress: told of URLs.

    Returns:
        Whether all answers of the run are there now. They are not where the collection has grown since, or pages were
        corrected: what the run saw is no longer known.
    """
    if run.linked is not False:
        return True
    if run.collection != state_seen(connection, run.seeds):
        return False
    from graphlang.analysis.arrays import graph_input  # noqa: PLC0415 - the machinery, where there is anything to work out

    with snapshot.at(connection, run.at):
        loaded = loaded or graph_input.Loaded(connection, origin_of(connection, run))
        progress.stage("linked", loaded.count, "URLs")
        write_linked(connection, run.id, _parts(connection, run, loaded, progress))
    return True


def ready(path: str | Path, *numbers: int | None, progress: Progress = SILENT) -> bool:
    """`answer` for some runs of the collection in a file.

    Args:
        path: the file.
        numbers: of the runs; None is the one that the views show. If no number is given, that one.
        progress: told of URLs.

    Returns:
        Whether all answers of these runs are there now. They are not where the collection has grown since a run, nor
        where the file cannot be written.

    Raises:
        StoreError: there is no such run.
    """
    with closing(open_existing(path)) as connection:
        found = [chosen_run(connection) if run is None else get_run(connection, run) for run in numbers or (None,)]
    waiting = [run for run in found if run is not None and run.linked is False]
    if not waiting:
        return True
    try:
        with closing(create(path, verb="answer")) as connection:
            done = [answer(connection, run, progress=progress) for run in waiting]
            return all(done)
    except (StoreError, sqlite3.OperationalError):  # of a file that others may read but not write
        return False


def opened(path: str | Path, *numbers: int | None, progress: Progress = SILENT) -> sqlite3.Connection:
    """The collection, to be read, with the answers of some runs; see `ready`.

    Args:
        path: the file.
        numbers: ids of the runs; None is the one that the views show. If no number is given, that one.
        progress: told of URLs, where there are any to be answered for.

    Raises:
        StoreError: there is no such file or run.
    """
    ready(path, *numbers, progress=progress)
    return open_existing(path)


def _parts(
    connection: sqlite3.Connection, run: Run, loaded: graph_input.Loaded, progress: Progress
) -> Iterator[LinkedAnswers]:
    """Answers for all pages in order of their ids, of those that were fetched without any."""
    from graphlang.analysis.arrays import graph_output  # noqa: PLC0415 - as above
    from graphlang.analysis.arrays.replay import replay  # noqa: PLC0415 - as above

    ids = np.setdiff1d(np.flatnonzero(~loaded.stored) + 1, collection.missing(connection), assume_unique=True)
    step = max(TOGETHER, int(loaded.stored.sum())) // BLOCK * BLOCK
    for first in range(0, loaded.count, step):
        count = min(step, loaded.count - first)
        asked = ids[np.searchsorted(ids, first + 1) : np.searchsorted(ids, first + count + 1)]
        label, runner_up = np.full(count, -1, dtype=np.int64), np.full(count, -1, dtype=np.int64)
        confidence, second = np.zeros(count), np.zeros(count)
        if len(asked):
            given, found = replay(run, loaded, asked)
            best, other = graph_output.labels(connection, given, [found.language, found.runner_up])
            rows = np.flatnonzero(~given.stored & np.isin(given.pages, asked))
            places = given.pages[rows] - 1 - first
            label[places], confidence[places] = best[rows], found.confidence[rows]
            runner_up[places], second[places] = other[rows], found.runner_up_confidence[rows]
            known = given.corrected[rows] >= 0
            label[places[known]], confidence[places[known]] = given.corrected[rows][known], 1
            runner_up[places[known]], second[places[known]] = -1, 0
        yield LinkedAnswers(label, confidence, runner_up, second)
        progress.advance(first + count)
