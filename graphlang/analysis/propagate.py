"""One run of the inference over the whole graph."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import graphlang
from graphlang.analysis import digests, graph_input, graph_output
from graphlang.analysis import linked as linked_answers
from graphlang.analysis.progress import SILENT, Progress
from graphlang.analysis.signals import NAMES
from graphlang.analysis.update import up_to_date
from graphlang.db.runs.lifecycle import drop_unfinished_runs, reuse_run, seen_again, start_run
from graphlang.db.runs.run import earlier_run, get_run
from graphlang.graph import label_spreading
from graphlang.graph.propagation import inference as kernel
from graphlang.graph.propagation.messages import release_memory
from graphlang.graph.propagation.options import WEIGHTS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from graphlang.db.runs.run import Run


LABEL_SPREADING = "label-spreading"
#: Algorithms of the verb: the inference, and label spreading to compare it with.
ALGORITHMS = ("couplings", LABEL_SPREADING)
#: What an algorithm was called before.
ALIASES = {"harmonic": LABEL_SPREADING}

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
    linked: bool = True,
    load: Callable[[sqlite3.Connection, Run], graph_input.Loaded] = graph_input.Loaded,
    progress: Progress = SILENT,
) -> Run:
    """Infer the language of every page from its own evidence and its neighbours' beliefs.

    Args:
        connection: a collection opened for writing.
        algorithm: ``couplings`` (``graphlang.graph.propagation.inference``) or ``label-spreading`` (Zhou et al. 2004;
            ``harmonic`` is an older name).
        options: options of the inference.
        signals: weights of what else is known of the pages, see ``graphlang.analysis.signals.NAMES``.
        seed: the content run to start from; the chosen one if not given.
        update: first bring that run up to date with the collection (``analysis.update``); and where an earlier run with
            the same parameters has read just the same, choose that one. The inference itself is done anew whenever
            anything has changed: the languages of the collection, the habits of its links and the reliability of its
            signals are common to all pages, so that one more page moves the belief of every latent page.
        choose: whether the run becomes the one that the views show.
        workers: threads that identify texts for ``update``.
        linked: whether to answer all URLs that were only linked to at once, and not only the first ones of them. They
            teach the others nothing, and whatever lists them asks for their answers (``analysis.linked``).
        load: what reads the links and the content run: a `read_ahead.CachedLoader` if several steps read the same.
        progress: reports the stage.

    Returns:
        The run, finished; if the collection has one with the same parameters, that one.

    Raises:
        StoreError: nothing is classified yet.
        ModelError: with ``update``, the model of the content run is not at hand.
        ValueError: an option that is negative or no number, or an unknown algorithm.
    """
    algorithm = ALIASES.get(algorithm, algorithm)
    if algorithm not in ALGORITHMS:
        msg = f"unknown algorithm {algorithm}; there are {', '.join(ALGORITHMS)}"
        raise ValueError(msg)
    options = options or kernel.Options()
    start = graph_input.seed_run(connection, seed)
    if update:
        start = up_to_date(connection, start, workers=workers, progress=progress)
    run = start_run(
        connection,
        kind="propagation",
        method="propagation" if algorithm == "couplings" else algorithm,
        parameters={**asdict(options), "signals": dict(signals)} if algorithm == "couplings" else {},
        seeds=[start.id],
        version=graphlang.__version__,
    )
    loaded = None
    if not reuse_run(connection, run, choose_it=choose):
        progress.stage("propagate", None, "pages")
        loaded = load(connection, start)
        if algorithm == LABEL_SPREADING:
            given = loaded.arrays({})
            answer = label_spreading.label_spreading(given.graph, given.evidence)
            return graph_output.write(connection, run, given, answer, choose=choose)
        first, pages = linked_answers.first_ones(loaded), loaded.count
        given = loaded.arrays(signals, asked=first, listening=graph_input.Listening.of(options))
        inputs = digests.of_inference(given, run.parameters)
        same = earlier_run(connection, run, inputs=inputs) if update else None
        if same is not None:
            drop_unfinished_runs(connection)
            run = seen_again(connection, same, run)
            reuse_run(connection, run, choose_it=choose)
        else:
            if not linked:
                loaded = None  # memory is scarcest now
                release_memory()
            model = kernel.build_model(given.graph, given.evidence, options=options)
            given = given.for_output()
            exchange = None if model is None else kernel.make_exchange(model, options)
            del model
            answer = kernel.run_rounds(exchange, options, len(given.pages))
            del exchange
            unfetched = linked_answers.initial_unfetched_answers(connection, given, answer, pages)
            run = graph_output.write(connection, run, given, answer, inputs=inputs, linked=unfetched, choose=choose)
        progress.advance(pages)
    if linked and run.linked is False:
        linked_answers.answer(connection, run, loaded=loaded, progress=progress)
        run = get_run(connection, run.id)
    return run
