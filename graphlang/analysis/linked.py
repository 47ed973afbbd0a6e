"""Answers for the URLs that were only linked to: worked out when somebody asks for them, some at a time.

They are most of a crawl and teach the other pages nothing (see ``graph_input.Loaded``), so that the main job leaves
them out, but for the first screens of them. What they are told depends on nothing but the run and the collection; it is
the same whenever it is asked for.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from graphlang.analysis.progress import SILENT, Progress
from graphlang.db import StoreError, collection, create, open_existing, snapshot
from graphlang.db.runs.lifecycle import state_seen
from graphlang.db.runs.linked_answers import BLOCK, LinkedAnswers, answered_to, write_linked, write_part
from graphlang.db.runs.run import chosen_run, get_run, origin_of
from graphlang.interrupts import reraise_interrupt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from graphlang.analysis import graph_input
    from graphlang.db.runs.run import Run
    from graphlang.graph.data import Answer

#: URLs that are asked about at a time, at least: what is common to all pages is worked out anew for each so many.
TOGETHER = 1 << 18
#: Pages, from the first on, whose answers the main job writes: those of a list that somebody looks at and leaves.
FIRST = 1 << 11


def answer(
    connection: sqlite3.Connection,
    run: Run,
    *,
    loaded: graph_input.Loaded | None = None,
    progress: Progress = SILENT,
) -> bool:
    """Write the answers of a vote or propagation for the URLs that were only linked to, as far as they are not there.

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
    from graphlang.analysis import graph_input  # noqa: PLC0415 - the machinery, where there is anything to work out

    with snapshot.at(connection, run.at):
        loaded = loaded or graph_input.Loaded(connection, origin_of(connection, run))
        first = answered_to(connection, run.id)
        progress.stage("linked", loaded.count, "URLs")
        parts = _parts(connection, run, loaded, first)
        write_linked(connection, run.id, _told(parts, first, progress), first=first)
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
        reraise_interrupt()
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


def steps(path: str | Path, *, progress: Progress = SILENT) -> Iterator[int | None]:
    """Answer for the run that the views show as far as somebody reads on, and not before he does.

    Each step is kept; who stops has paid for no more than what he asked for, and the next one goes on there.

    Args:
        path: the file of a collection.
        progress: told of URLs.

    Yields:
        Up to which id pages have all the answers that they will have, ever greater; at last None: all the others. That
        comes at once where there is nothing to be worked out, or nothing that can be.

    Raises:
        StoreError: there is no such file; or another process has changed, since the first step, what the run saw.
    """
    with closing(open_existing(path)) as connection:
        run = chosen_run(connection)
        if run is not None and run.linked is False and run.collection == state_seen(connection, run.seeds):
            with snapshot.at(connection, run.at):
                yield from _steps(connection, path, run, progress)
    yield None


def _steps(connection: sqlite3.Connection, path: str | Path, run: Run, progress: Progress) -> Iterator[int]:
    total, at = collection.count_pages(connection), 0
    parts = None
    while at < total:
        found = answered_to(connection, run.id, at)
        if found in (at, total):  # there is something to be written: answers, or that there are no more
            try:
                writing = create(path, verb="answer")
            except (StoreError, sqlite3.OperationalError):  # of a file that others may read but not write
                reraise_interrupt()
                return
            with closing(writing):
                if _of_now(writing, path, run).linked:
                    return
                found = answered_to(writing, run.id, at)  # another process may have come first
                if found == at:
                    parts = parts or _from(connection, run, at, progress)
                    part = next(parts)
                    found = min(at + len(part.label), total)
                    write_part(writing, run.id, at, part)
                if found == total:
                    write_linked(writing, run.id, ())
        if found > at:
            progress.advance(found)
        at = found
        yield at


def _of_now(connection: sqlite3.Connection, path: str | Path, run: Run) -> Run:
    """The same run, if it still is what the views show, and sees what it saw."""
    chosen = chosen_run(connection)
    if chosen is None or chosen.id != run.id or run.collection != state_seen(connection, run.seeds):
        raise StoreError(f"another process has changed {path} since this list was begun: begin again")
    return chosen


def _from(connection: sqlite3.Connection, run: Run, after: int, progress: Progress) -> Iterator[LinkedAnswers]:
    from graphlang.analysis import graph_input  # noqa: PLC0415 - as above

    loaded = graph_input.Loaded(connection, origin_of(connection, run))
    progress.stage("linked", loaded.count, "URLs")
    return _parts(connection, run, loaded, after)


def first_ones(loaded: graph_input.Loaded) -> NDArray[np.int64]:
    """Ids of the URLs that the main job answers for at once, though they were only linked to; see `FIRST`.

    Args:
        loaded: what the content run says, and the links.
    """
    return _asked(loaded, 0, FIRST)


def initial_unfetched_answers(
    connection: sqlite3.Connection, given: graph_input.GraphInput, answered: Answer, pages: int
) -> tuple[LinkedAnswers, bool] | None:
    """What the main job writes for the first URLs that were only linked to, and whether these are all.

    Args:
        connection: the collection.
        given: what the kernel was given, `first_ones` among it.
        answered: what it said.
        pages: of the collection.

    Returns:
        None where each page has a row of its own.
    """
    count = min(FIRST, pages)
    if np.count_nonzero(given.stored) == pages:
        return None
    from graphlang.analysis import graph_output  # noqa: PLC0415 - as above

    behind = int(np.count_nonzero(given.stored & (given.pages > count)))
    return graph_output.of_linked(connection, given, answered, 0, count), behind == pages - count


def _asked(loaded: graph_input.Loaded, first: int, count: int) -> NDArray[np.int64]:
    ids = np.flatnonzero(~loaded.stored[first : first + count]) + 1 + first
    return np.setdiff1d(ids, loaded.removed, assume_unique=True)


def _told(parts: Iterable[LinkedAnswers], first: int, progress: Progress) -> Iterator[LinkedAnswers]:
    for part in parts:
        yield part
        first += len(part.label)
        progress.advance(first)


def _parts(connection: sqlite3.Connection, run: Run, loaded: graph_input.Loaded, after: int) -> Iterator[LinkedAnswers]:
    """Answers for all pages behind the first ones, in order of their ids, of those that were fetched without any."""
    from graphlang.analysis import graph_output  # noqa: PLC0415 - as above
    from graphlang.analysis.replay import replay  # noqa: PLC0415 - as above

    step = max(TOGETHER, int(loaded.stored.sum())) // BLOCK * BLOCK
    for first in range(after, loaded.count, step):
        count = min(step, loaded.count - first)
        asked = _asked(loaded, first, count)
        if len(asked):
            yield graph_output.of_linked(connection, *replay(run, loaded, asked), first, count)
        else:
            none = np.full(count, -1)
            yield LinkedAnswers(none, np.zeros(count), none, np.zeros(count))
