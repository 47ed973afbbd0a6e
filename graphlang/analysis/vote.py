"""One run of the vote of neighbours (Hayati 2004, sections 5.3 and 5.4), or of ClueWeb09's rule for unfetched URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import graphlang
from graphlang.analysis import graph_input, graph_output
from graphlang.analysis import linked as linked_answers
from graphlang.analysis.progress import SILENT, Progress
from graphlang.analysis.replay import replay
from graphlang.db import collection
from graphlang.db.runs.lifecycle import reuse_run, start_run
from graphlang.db.runs.run import get_run
from graphlang.graph import clueweb09
from graphlang.graph import vote as kernel

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from graphlang.db.runs.run import Run
    from graphlang.graph.data import Answer


def vote(
    connection: sqlite3.Connection,
    *,
    outlinks: bool = False,
    min_length: int = kernel.MIN_LENGTH,
    min_ref_length: int = kernel.MIN_REF_LENGTH,
    max_links: int = kernel.MAX_INLINKS,
    rounds: int = 1,
    seed: int | None = None,
    choose: bool = True,
    linked: bool = True,
    load: Callable[[sqlite3.Connection, Run], graph_input.Loaded] = graph_input.Loaded,
    progress: Progress = SILENT,
) -> Run:
    """INLINKS (algorithm 5.5), or the same with outlinks, over a finished content run.

    Args:
        connection: a collection opened for writing.
        outlinks: let the pages vote that a page links to, instead of those that link to it.
        min_length: MIN_LENGTH: pages with more characters answer for themselves.
        min_ref_length: MIN_REF_LENGTH: pages with fewer have no vote.
        max_links: MAX_INLINKS: at most so many votes.
        rounds: the vote is repeated so often: see ``inlinks`` of the kernel.
        seed: the content run to start from; the chosen one if not given.
        choose: whether the run becomes the one that the views show.
        linked: see ``propagate``.
        load: what reads the links and the content run: a `read_ahead.CachedLoader` if several steps read the same.
        progress: reports the stage.

    Returns:
        The run, finished; if the collection has one with the same parameters, that one.

    Raises:
        StoreError: nothing is classified yet.
        ValueError: a negative parameter.
    """
    start = graph_input.seed_run(connection, seed)
    limits = {"min_length": min_length, "min_ref_length": min_ref_length, "max_links": max_links}
    if rounds > 1:
        limits["rounds"] = rounds
    run = start_run(
        connection,
        kind="vote",
        method="outlinks" if outlinks else "inlinks",
        parameters=limits,
        seeds=[start.id],
        version=graphlang.__version__,
    )
    loaded = None
    if not reuse_run(connection, run, choose_it=choose):
        progress.stage("vote", None, "pages")
        loaded = load(connection, start)
        given, answer = replay(run, loaded, linked_answers.first_unfetched(loaded))
        unfetched = linked_answers.initial_unfetched_answers(connection, given, answer, loaded.count)
        run = graph_output.write(connection, run, given, answer, linked=unfetched, choose=choose)
        progress.advance(given.graph.pages)
    if linked and run.linked is False:
        linked_answers.answer(connection, run, loaded=loaded, progress=progress)
        run = get_run(connection, run.id)
    return run


def guess(
    connection: sqlite3.Connection,
    *,
    min_bytes: int = clueweb09.MIN_BYTES,
    seed: int | None = None,
    choose: bool = True,
    progress: Progress = SILENT,
) -> Run:
    """ClueWeb09's rule: URLs that were never fetched have the languages of the pages that refer to them.

    Args:
        connection: a collection opened for writing.
        min_bytes: referring pages with fewer bytes of text do not count.
        seed: the content run to start from; the chosen one if not given.
        choose: whether the run becomes the one that the views show.
        progress: reports the stage.

    Returns:
        The run, finished; if the collection has one with the same parameters, that one.

    Raises:
        StoreError: nothing is classified yet.
        ValueError: a negative parameter.
    """
    start = graph_input.seed_run(connection, seed)
    run = start_run(
        connection,
        kind="vote",
        method=clueweb09.CLUEWEB09,
        parameters={"min_bytes": min_bytes},
        seeds=[start.id],
        version=graphlang.__version__,
    )
    if reuse_run(connection, run, choose_it=choose):
        return run
    progress.stage("vote", None, "pages")
    given = graph_input.load(connection, start)
    run = graph_output.write(connection, run, given, apply_rule(connection, given, min_bytes), choose=choose)
    progress.advance(given.graph.pages)
    return run


def apply_rule(
    connection: sqlite3.Connection, given: graph_input.GraphInput, min_bytes: int, trace: tuple[int, ...] = ()
) -> Answer:
    """The kernel's answer; ``trace`` names rows whose reasons are wanted.

    Args:
        connection: the collection.
        given: its links and a content run; row i is the page i + 1.
        min_bytes: referring pages with fewer bytes of text do not count.
        trace: rows whose reasons are wanted.
    """
    sizes, fetched = collection.text_sizes(connection), collection.fetched(connection)
    if given.evidence.labelled is not None:  # whose word counts whatever their size, and who need no other's
        sizes[given.evidence.labelled] = np.maximum(sizes[given.evidence.labelled], min_bytes)
        fetched |= given.evidence.labelled
    return clueweb09.guess(given.graph, given.evidence, sizes, fetched, min_bytes=min_bytes, trace=trace)
