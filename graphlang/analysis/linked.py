"""Answers for unfetched URLs, computed when they are needed, some at a time.

They are most of a crawl and send no evidence to other pages (see ``graph_input.LoadedRun``). So the main job answers
only for the first ones. The answers depend only on the run and the collection, not on when they are computed.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from graphlang.analysis.progress import SILENT, Progress
from graphlang.db import StoreError, collection, create, open_existing, snapshot
from graphlang.db.runs.lifecycle import digest_input
from graphlang.db.runs.linked_answers import (
    BLOCK,
    LinkedAnswers,
    count_answered_pages,
    write_block_answers,
    write_linked_answers,
)
from graphlang.db.runs.run import get_chosen_run, get_origin, get_run
from graphlang.interrupts import reraise_interrupt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from graphlang.analysis import graph_input
    from graphlang.db.runs.run import Run
    from graphlang.graph.data import Answer

#: Least number of URLs per batch; each batch runs the whole inference again.
TOGETHER = 1 << 18
#: First pages of the collection that the main job answers for: the first screens of a list.
FIRST = 1 << 11


def answer_unfetched(
    connection: sqlite3.Connection,
    run: Run,
    *,
    loaded: graph_input.LoadedRun | None = None,
    progress: Progress = SILENT,
) -> bool:
    """Write the missing answers of a vote or propagation for unfetched URLs.

    Return whether the run has all answers now. It has not if the collection has grown or pages were corrected since:
    its input is no longer known. ``loaded`` is the content run with the links, if already read.
    """
    if run.linked is not False:
        return True
    if run.collection != digest_input(connection, run.seeds):
        return False
    from graphlang.analysis import graph_input  # noqa: PLC0415 - slow to import, and often not needed

    with snapshot.show_moment(connection, run.at):
        loaded = loaded or graph_input.LoadedRun(connection, get_origin(connection, run))
        first = count_answered_pages(connection, run.id)
        progress.stage("linked", loaded.count, "URLs")
        blocks = _infer_blocks(connection, run, loaded, first)
        write_linked_answers(connection, run.id, _report_progress(blocks, first, progress), first=first)
    return True


def ensure_answers(path: str | Path, *numbers: int | None, progress: Progress = SILENT) -> bool:
    """Call `answer_unfetched` for some runs of the collection in a file.

    ``numbers`` are ids of runs; None, or no number, is the run that the views show. Return whether these runs have all
    answers now. They have not if the collection has grown since, or the file is read-only. Raise a StoreError if there
    is no such run.
    """
    with closing(open_existing(path)) as connection:
        runs = [get_chosen_run(connection) if run is None else get_run(connection, run) for run in numbers or (None,)]
    incomplete = [run for run in runs if run is not None and run.linked is False]
    if not incomplete:
        return True
    try:
        with closing(create(path, verb="answer")) as connection:
            done = [answer_unfetched(connection, run, progress=progress) for run in incomplete]
            return all(done)
    except (StoreError, sqlite3.OperationalError):  # the file is read-only
        reraise_interrupt()
        return False


def open_with_answers(path: str | Path, *numbers: int | None, progress: Progress = SILENT) -> sqlite3.Connection:
    """Open a collection for reading, with the answers of some runs; see `ensure_answers`.

    Raise a StoreError if there is no such file or run.
    """
    ensure_answers(path, *numbers, progress=progress)
    return open_existing(path)


def answer_in_steps(path: str | Path, *, progress: Progress = SILENT) -> Iterator[int | None]:
    """Answer for the chosen run step by step, as far as the caller iterates.

    Each step is stored: a caller who stops has paid only for what was read, and the next one continues from there.

    Yield ids up to which pages have all their answers, ascending; finally None for all other pages. None comes at
    once if nothing is missing, or nothing can be computed. Raise a StoreError if there is no such file, or another
    process has changed the input of the run since the first step.
    """
    with closing(open_existing(path)) as connection:
        run = get_chosen_run(connection)
        if run is not None and run.linked is False and run.collection == digest_input(connection, run.seeds):
            with snapshot.show_moment(connection, run.at):
                yield from _answer_in_steps(connection, path, run, progress)
    yield None


def _answer_in_steps(connection: sqlite3.Connection, path: str | Path, run: Run, progress: Progress) -> Iterator[int]:
    total, position = collection.count_pages(connection), 0
    blocks = None
    while position < total:
        answered_up_to = count_answered_pages(connection, run.id, position)
        if answered_up_to in (position, total):  # answers, or their end, have to be written
            try:
                writing = create(path, verb="answer")
            except (StoreError, sqlite3.OperationalError):  # the file is read-only
                reraise_interrupt()
                return
            with closing(writing):
                if _check_run(writing, path, run).linked:
                    return
                answered_up_to = count_answered_pages(
                    writing, run.id, position
                )  # another process may have written them
                if answered_up_to == position:
                    blocks = blocks or _iterate_answers(connection, run, position, progress)
                    answers = next(blocks)
                    answered_up_to = min(position + len(answers.label), total)
                    write_block_answers(writing, run.id, position, answers)
                if answered_up_to == total:
                    write_linked_answers(writing, run.id, ())
        if answered_up_to > position:
            progress.advance(answered_up_to)
        position = answered_up_to
        yield position


def _check_run(connection: sqlite3.Connection, path: str | Path, run: Run) -> Run:
    """Return the run if the views still show it and its input has not changed."""
    chosen = get_chosen_run(connection)
    if chosen is None or chosen.id != run.id or run.collection != digest_input(connection, run.seeds):
        raise StoreError(f"another process has changed {path} since this list was started: start again")
    return chosen


def _iterate_answers(
    connection: sqlite3.Connection, run: Run, after: int, progress: Progress
) -> Iterator[LinkedAnswers]:
    from graphlang.analysis import graph_input  # noqa: PLC0415 - slow to import

    loaded = graph_input.LoadedRun(connection, get_origin(connection, run))
    progress.stage("linked", loaded.count, "URLs")
    return _infer_blocks(connection, run, loaded, after)


def find_first_unfetched(loaded: graph_input.LoadedRun) -> NDArray[np.int64]:
    """Return the ids of unfetched URLs that the main job answers for; see `FIRST`."""
    return _list_unfetched(loaded, 0, FIRST)


def make_initial_answers(
    connection: sqlite3.Connection, inputs: graph_input.GraphInput, answer: Answer, pages: int
) -> tuple[LinkedAnswers, bool] | None:
    """Return the answers of the main job for the first unfetched URLs, and whether these are all.

    ``inputs`` include `find_first_unfetched`, ``answer`` has their answers, and ``pages`` is the number of pages.
    Return None if each page has its own row.
    """
    count = min(FIRST, pages)
    if np.count_nonzero(inputs.stored) == pages:
        return None
    from graphlang.analysis import graph_output  # noqa: PLC0415 - slow to import

    later = int(np.count_nonzero(inputs.stored & (inputs.pages > count)))
    return graph_output.make_unfetched_answers(connection, inputs, answer, 0, count), later == pages - count


def _list_unfetched(loaded: graph_input.LoadedRun, first: int, count: int) -> NDArray[np.int64]:
    ids = np.flatnonzero(~loaded.stored[first : first + count]) + 1 + first
    return np.setdiff1d(ids, loaded.removed, assume_unique=True)


def _report_progress(blocks: Iterable[LinkedAnswers], first: int, progress: Progress) -> Iterator[LinkedAnswers]:
    for answers in blocks:
        yield answers
        first += len(answers.label)
        progress.advance(first)


def _infer_blocks(
    connection: sqlite3.Connection, run: Run, loaded: graph_input.LoadedRun, after: int
) -> Iterator[LinkedAnswers]:
    """Yield answers for all pages after the first ``after``, in order of their ids; fetched pages have none."""
    from graphlang.analysis import graph_output  # noqa: PLC0415 - slow to import
    from graphlang.analysis.replay import replay  # noqa: PLC0415 - slow to import

    step = max(TOGETHER, int(loaded.stored.sum())) // BLOCK * BLOCK
    for first in range(after, loaded.count, step):
        count = min(step, loaded.count - first)
        requested = _list_unfetched(loaded, first, count)
        if len(requested):
            yield graph_output.make_unfetched_answers(connection, *replay(run, loaded, requested), first, count)
        else:
            none = np.full(count, -1)
            yield LinkedAnswers(none, np.zeros(count), none, np.zeros(count))
