"""Run the inference over the whole graph."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

import graphlang
from graphlang.analysis import graph_input, graph_output
from graphlang.analysis import linked as linked_answers
from graphlang.analysis.progress import SILENT, Progress
from graphlang.analysis.signals import NAMES
from graphlang.analysis.update import update_run
from graphlang.db.runs.lifecycle import drop_unfinished_runs, extend_run, reuse_run, start_run
from graphlang.db.runs.run import find_earlier_run, get_run
from graphlang.db.url_evidence import write_url_evidence
from graphlang.graph import baselines
from graphlang.graph.options import WEIGHTS
from graphlang.graph.propagation import inference as kernel
from graphlang.graph.propagation.messages import release_memory
from graphlang.graph.tables import ListTable
from graphlang.urls import url_methods

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from graphlang.db.runs.run import Run


LABEL_SPREADING = "label-spreading"
#: Algorithms of the verb: the inference, and label spreading to compare it with.
ALGORITHMS = ("couplings", LABEL_SPREADING)
#: Former names of algorithms.
ALIASES = {"harmonic": LABEL_SPREADING}

#: Default weights of the signals.
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
    load: Callable[[sqlite3.Connection, Run], graph_input.LoadedRun] = graph_input.LoadedRun,
    progress: Progress = SILENT,
) -> Run:
    """Infer the language of every page from its own evidence and its neighbours' beliefs; return the finished run.

    A finished run with the same parameters is returned as it is. ``algorithm`` is ``couplings``
    (``graphlang.graph.propagation.inference``) or ``label-spreading`` (Zhou et al. 2004; ``harmonic`` is an older
    name). ``signals`` are weights (``graphlang.analysis.signals.NAMES``). ``seed`` is the content run to start from;
    default: the chosen one. With ``choose`` the views show the run. ``load`` reads the links and the content run; a
    `read_ahead.CachedLoader` if several steps read the same.

    With ``update`` that run is updated first (``analysis.update``), and an earlier run is chosen if its input was the
    same. The inference itself is repeated after any change: all pages share the languages of the collection, the
    compatibility of links and the reliability of signals, so one new page changes the belief of every latent page.
    ``workers`` threads identify texts for it.

    With ``linked`` all unfetched URLs get answers now, instead of the first ones. They are no evidence for other pages,
    and lists compute their answers when needed (``analysis.linked``).

    Raise a StoreError if nothing is classified yet, a ModelError if ``update`` lacks the model of the content run, a
    ValueError for an option that is negative or not a number, or an unknown algorithm.
    """
    algorithm = ALIASES.get(algorithm, algorithm)
    if algorithm not in ALGORITHMS:
        msg = f"unknown algorithm {algorithm}; there are {', '.join(ALGORITHMS)}"
        raise ValueError(msg)
    options = options or kernel.Options()
    start = graph_input.find_seed_run(connection, seed)
    if update:
        start = update_run(connection, start, workers=workers, progress=progress)
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
            inputs = loaded.make_input()
            answer = baselines.spread_labels(inputs.graph, inputs.evidence)
            return graph_output.write(connection, run, inputs, answer, choose=choose)
        requested, pages = linked_answers.find_first_unfetched(loaded), loaded.count
        inputs = loaded.make_input(signals, requested=requested, limits=graph_input.ClampLimits.from_options(options))
        new_urls, loaded.new_urls = loaded.new_urls, None
        if new_urls is not None and len(new_urls):
            write_url_evidence(connection, url_methods.digest_default(), new_urls)
        del new_urls
        input_digest = _digest_inference(inputs, run.parameters)
        unchanged = find_earlier_run(connection, run, inputs=input_digest) if update else None
        if unchanged is not None:
            drop_unfinished_runs(connection)
            run = extend_run(connection, unchanged, run)
            reuse_run(connection, run, choose_it=choose)
        else:
            if not linked:
                loaded = None  # memory use peaks below
                release_memory()
            model = kernel.build_model(inputs.graph, inputs.evidence, options=options)
            inputs = inputs.drop_links()
            exchange = None if model is None else kernel.make_exchange(model, options)
            del model
            answer = kernel.run_rounds(exchange, options, len(inputs.pages))
            del exchange
            unfetched = linked_answers.make_initial_answers(connection, inputs, answer, pages)
            run = graph_output.write(
                connection, run, inputs, answer, inputs=input_digest, linked=unfetched, choose=choose
            )
        progress.advance(pages)
    if linked and run.linked is False:
        linked_answers.answer_unfetched(connection, run, loaded=loaded, progress=progress)
        run = get_run(connection, run.id)
    return run


def _digest_inference(inputs: graph_input.GraphInput, parameters: Mapping[str, Any]) -> str:
    """Return a digest of the input of the inference, 128 bits in hexadecimal.

    It covers links, scores, lengths, sites, signals, corrections and the parameters of the run.
    """
    graph, evidence = inputs.graph, inputs.evidence
    arrays: list[NDArray[np.generic]] = [
        *(graph.source, graph.target, graph.kind, graph.hreflang),
        *_list_arrays(evidence.languages),
        *_list_arrays(evidence.probabilities),
        *(evidence.length, evidence.host),
        *_list_arrays(inputs.labels),
        *(inputs.no_letters, inputs.unknown, inputs.pages, inputs.stored),
    ]
    if (inputs.corrected >= 0).any():
        arrays.append(inputs.corrected)
    if graph.outside is not None:
        arrays.append(graph.outside)
    if graph.leaves is not None:
        arrays.append(graph.leaves)
    if graph.ordinal is not None:
        arrays.append(graph.ordinal)
    if evidence.copies is not None:
        arrays.append(evidence.copies)
    if evidence.directory is not None:
        arrays.append(evidence.directory)
    for name in sorted(evidence.signals):
        signal = evidence.signals[name]
        arrays += [*_list_arrays(signal.languages), *_list_arrays(signal.probabilities)]
    settings = [dict(parameters), evidence.codes, sorted(inputs.language_of.items()), sorted(evidence.signals)]
    return _digest_arrays(json.dumps(settings, sort_keys=True), arrays)


def _list_arrays(table: NDArray[Any] | ListTable[Any]) -> list[NDArray[Any]]:
    return [table.list_number, table.lists.start, table.lists.values] if isinstance(table, ListTable) else [table]


def _digest_arrays(text: str, arrays: Iterable[NDArray[np.generic]]) -> str:
    digest = hashlib.blake2b(text.encode(), digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()
