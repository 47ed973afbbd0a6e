"""One run of the inference over the whole graph."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import graphlang
from graphlang.analysis import digests, seeds
from graphlang.analysis.progress import SILENT, Progress
from graphlang.analysis.signals import NAMES
from graphlang.analysis.update import up_to_date
from graphlang.db import runs
from graphlang.graph import harmonic
from graphlang.graph import propagate as kernel
from graphlang.graph.weights import WEIGHTS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from graphlang.graph.answer import Answer

#: Algorithms of the verb: the inference, and plain label spreading to compare it with.
ALGORITHMS = ("couplings", "harmonic")

#: Weights of the signals, if none are given.
SIGNALS = {name: WEIGHTS[name] for name in NAMES}


def propagate(
    connection: sqlite3.Connection,
    *,
    algorithm: str = "couplings",
    options: kernel.Options | None = None,
    signals: Mapping[str, float] = SIGNALS,
    seed: int | None = None,
    update: bool = False,
    choose: bool = True,
    workers: int = 1,
    load: Callable[..., seeds.Seeds] = seeds.load,
    progress: Progress = SILENT,
) -> runs.Run:
    """Infer the language of every page from its own evidence and its neighbours' beliefs.

    Args:
        connection: a collection opened for writing.
        algorithm: ``couplings`` (``graphlang.graph.propagate``) or ``harmonic`` (plain label spreading).
        options: options of the inference.
        signals: weights of what else is known of the pages, see ``graphlang.analysis.signals.NAMES``.
        seed: the content run to start from; the newest if not given.
        update: first bring that run up to date with the collection (``analysis.update``); and where an earlier run with
            the same parameters has read just the same, choose that one. The inference itself is done anew whenever
            anything has changed: the languages of the collection, the habits of its links and the reliability of its
            signals are common to all pages, so that one more page moves the belief of every page that is not settled.
        choose: whether the run becomes the one that the views show.
        workers: threads that identify texts for ``update``.
        load: what reads the seeds: ``seeds.Remembered()`` where several steps read the same.
        progress: told of the stage.

    Returns:
        The run, finished; if the collection has one with the same parameters, that one.

    Raises:
        StoreError: nothing is classified yet.
        ModelError: with ``update``, the model of the content run is not at hand.
        ValueError: an option that is negative or no number, or an unknown algorithm.
    """
    if algorithm not in ALGORITHMS:
        msg = f"unknown algorithm {algorithm}; there are {', '.join(ALGORITHMS)}"
        raise ValueError(msg)
    options = options or kernel.Options()
    start = seeds.seed_run(connection, seed)
    if update:
        start = up_to_date(connection, start, workers=workers, progress=progress)
    run = runs.start(
        connection,
        kind="propagation",
        method="propagation" if algorithm == "couplings" else algorithm,
        parameters={**asdict(options), "signals": dict(signals)} if algorithm == "couplings" else {},
        seeds=[start.id],
        version=graphlang.__version__,
    )
    if runs.reuse(connection, run, choose_it=choose):
        return run
    progress.stage("propagate", None, "pages")
    given = load(connection, start, signals if algorithm == "couplings" else {})
    inputs = digests.of_inference(given, run.parameters)
    same = runs.earlier(connection, run, inputs=inputs) if update else None
    if same is not None:
        runs.drop_unfinished(connection)
        runs.reuse(connection, same, choose_it=choose)
        return same
    run = seeds.write(connection, run, given, infer(given, algorithm, options), inputs=inputs, choose=choose)
    progress.advance(given.graph.n)
    return run


def infer(given: seeds.Seeds, algorithm: str, options: kernel.Options, trace: tuple[int, ...] = ()) -> Answer:
    """The kernel's answer; ``trace`` names rows whose reasons are wanted (harmonic gives none)."""
    if algorithm == "harmonic":
        return harmonic.harmonic(given.graph, given.evidence)
    return kernel.propagate(given.graph, given.evidence, options=options, trace=trace)
