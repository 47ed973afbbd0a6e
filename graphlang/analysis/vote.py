"""One run of the vote of neighbours (Hayati 2004, sections 5.3 and 5.4), or of ClueWeb09's rule for unfetched URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import graphlang
from graphlang.analysis import seeds
from graphlang.analysis.progress import SILENT, Progress
from graphlang.db import collection, runs
from graphlang.graph import frontier
from graphlang.graph import vote as kernel

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from graphlang.graph.answer import Answer


def vote(
    connection: sqlite3.Connection,
    *,
    outlinks: bool = False,
    min_length: int = kernel.MIN_LENGTH,
    min_ref_length: int = kernel.MIN_REF_LENGTH,
    max_links: int = kernel.MAX_INLINKS,
    seed: int | None = None,
    choose: bool = True,
    load: Callable[..., seeds.Seeds] = seeds.load,
    progress: Progress = SILENT,
) -> runs.Run:
    """INLINKS (algorithm 5.5), or the same with outlinks, over a finished content run.

    Args:
        connection: a collection opened for writing.
        outlinks: let the pages vote that a page links to, instead of those that link to it.
        min_length: MIN_LENGTH: pages with more characters answer for themselves.
        min_ref_length: MIN_REF_LENGTH: pages with fewer have no vote.
        max_links: MAX_INLINKS: at most so many votes.
        seed: the content run to start from; the newest if not given.
        choose: whether the run becomes the one that the views show.
        load: what reads the seeds: ``seeds.Remembered()`` where several steps read the same.
        progress: told of the stage.

    Returns:
        The run, finished; if the collection has one with the same parameters, that one.

    Raises:
        StoreError: nothing is classified yet.
        ValueError: a negative parameter.
    """
    start = seeds.seed_run(connection, seed)
    parameters = {"min_length": min_length, "min_ref_length": min_ref_length, "max_links": max_links}
    run = runs.start(
        connection,
        kind="vote",
        method="outlinks" if outlinks else "inlinks",
        parameters=parameters,
        seeds=[start.id],
        version=graphlang.__version__,
    )
    if runs.reuse(connection, run, choose_it=choose):
        return run
    progress.stage("vote", None, "pages")
    given = load(connection, start)
    if outlinks:
        answer = kernel.outlinks(
            given.graph,
            given.evidence,
            min_length=min_length,
            min_ref_length=min_ref_length,
            max_outlinks=max_links,
        )
    else:
        answer = kernel.inlinks(
            given.graph, given.evidence, min_length=min_length, min_ref_length=min_ref_length, max_inlinks=max_links
        )
    run = seeds.write(connection, run, given, answer, choose=choose)
    progress.advance(given.graph.n)
    return run


def guess(
    connection: sqlite3.Connection,
    *,
    min_bytes: int = frontier.MIN_BYTES,
    seed: int | None = None,
    choose: bool = True,
    progress: Progress = SILENT,
) -> runs.Run:
    """ClueWeb09's rule: URLs that were never fetched have the languages of the pages that refer to them.

    Args:
        connection: a collection opened for writing.
        min_bytes: referring pages with fewer bytes of text do not count.
        seed: the content run to start from; the newest if not given.
        choose: whether the run becomes the one that the views show.
        progress: told of the stage.

    Returns:
        The run, finished; if the collection has one with the same parameters, that one.

    Raises:
        StoreError: nothing is classified yet.
        ValueError: a negative parameter.
    """
    start = seeds.seed_run(connection, seed)
    run = runs.start(
        connection,
        kind="vote",
        method=frontier.CLUEWEB09,
        parameters={"min_bytes": min_bytes},
        seeds=[start.id],
        version=graphlang.__version__,
    )
    if runs.reuse(connection, run, choose_it=choose):
        return run
    progress.stage("vote", None, "pages")
    given = seeds.load(connection, start)
    run = seeds.write(connection, run, given, apply_rule(connection, given, min_bytes), choose=choose)
    progress.advance(given.graph.n)
    return run


def apply_rule(
    connection: sqlite3.Connection, given: seeds.Seeds, min_bytes: int, trace: tuple[int, ...] = ()
) -> Answer:
    """The kernel's answer; ``trace`` names rows whose reasons are wanted."""
    sizes, fetched = collection.text_sizes(connection), collection.fetched(connection)
    return frontier.guess(given.graph, given.evidence, sizes, fetched, min_bytes=min_bytes, trace=trace)
