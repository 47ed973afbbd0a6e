"""Run the vote of neighbours (Hayati 2004, sections 5.3 and 5.4), or ClueWeb09's rule for unfetched URLs."""

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
from graphlang.graph import baselines
from graphlang.graph.options import MAX_INLINKS, MIN_LENGTH, MIN_REF_LENGTH

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from graphlang.db.runs.run import Run
    from graphlang.graph.data import Answer


def vote(
    connection: sqlite3.Connection,
    *,
    outlinks: bool = False,
    min_length: int = MIN_LENGTH,
    min_ref_length: int = MIN_REF_LENGTH,
    max_links: int = MAX_INLINKS,
    rounds: int = 1,
    seed: int | None = None,
    choose: bool = True,
    linked: bool = True,
    load: Callable[[sqlite3.Connection, Run], graph_input.LoadedRun] = graph_input.LoadedRun,
    progress: Progress = SILENT,
) -> Run:
    """Run INLINKS (algorithm 5.5), or the same with outlinks, over a finished content run; return the finished run.

    A finished run with the same parameters is returned as it is. With ``outlinks`` the targets of a page's links vote,
    instead of the sources of its inlinks. Limits and ``rounds`` are those of `graphlang.graph.vote`: pages with more
    than ``min_length`` characters keep the answer of their text, those with fewer than ``min_ref_length`` have no vote,
    and at most ``max_links`` vote. Other arguments are as for ``propagate``. Raise a StoreError if nothing is
    classified yet, a ValueError for a negative parameter.
    """
    start = graph_input.find_seed_run(connection, seed)
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
        inputs, answer = replay(run, loaded, linked_answers.find_first_unfetched(loaded))
        unfetched = linked_answers.make_initial_answers(connection, inputs, answer, loaded.count)
        run = graph_output.write(connection, run, inputs, answer, linked=unfetched, choose=choose)
        progress.advance(inputs.graph.pages)
    if linked and run.linked is False:
        linked_answers.answer_unfetched(connection, run, loaded=loaded, progress=progress)
        run = get_run(connection, run.id)
    return run


def guess(
    connection: sqlite3.Connection,
    *,
    min_bytes: int = baselines.MIN_BYTES,
    seed: int | None = None,
    choose: bool = True,
    progress: Progress = SILENT,
) -> Run:
    """Run ClueWeb09's rule and return the finished run: unfetched URLs have the languages of pages that refer to them.

    Referring pages with fewer than ``min_bytes`` bytes of text do not count. Raise a StoreError if nothing is
    classified yet, a ValueError for a negative parameter.
    """
    start = graph_input.find_seed_run(connection, seed)
    run = start_run(
        connection,
        kind="vote",
        method=baselines.CLUEWEB09,
        parameters={"min_bytes": min_bytes},
        seeds=[start.id],
        version=graphlang.__version__,
    )
    if reuse_run(connection, run, choose_it=choose):
        return run
    progress.stage("vote", None, "pages")
    inputs = graph_input.load(connection, start)
    run = graph_output.write(connection, run, inputs, apply_rule(connection, inputs, min_bytes), choose=choose)
    progress.advance(inputs.graph.pages)
    return run


def apply_rule(
    connection: sqlite3.Connection, inputs: graph_input.GraphInput, min_bytes: int, trace: tuple[int, ...] = ()
) -> Answer:
    """Apply ClueWeb09's rule to a content run (row i is the page i + 1); ``trace`` has rows to explain."""
    sizes, fetched = collection.read_text_sizes(connection), collection.load_is_fetched(connection)
    if inputs.evidence.labelled is not None:  # labelled pages always count, and keep their label
        sizes[inputs.evidence.labelled] = np.maximum(sizes[inputs.evidence.labelled], min_bytes)
        fetched |= inputs.evidence.labelled
    return baselines.guess_unfetched(inputs.graph, inputs.evidence, sizes, fetched, min_bytes=min_bytes, trace=trace)
