"""Time and memory of the propagation on a synthetic web, beside other ways to spread labels over links.

python tests/benchmarks/graph_scale.py PAGES LINKS [--languages N] [--peers]

What the web is made of: ``synthetic_web.py``. ``--peers`` adds, in the same run and on the same arrays, one copy of the
arrays of links (what the memory alone allows), igraph's label propagation with the long pages as fixed seeds, and
scikit-network's diffusion (the packages have to be installed); both of them take the best label of the long pages and
know neither scores, nor hosts, nor kinds of links. Times are of this process on all cores that it may use. Graph and
evidence are let go of as soon as the inference has what it needs of them, as ``graphlang run`` does.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line has it, before numpy is there

import numpy as np
from scipy import sparse
from synthetic_web import web

from graphlang.graph.propagation.inference import build_model, make_exchange, run_rounds
from graphlang.graph.propagation.options import Options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphlang.graph.data import Evidence, Graph

SHORT = 50  #: characters


def peak() -> float:
    """Gigabytes that this process held at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


@contextmanager
def timed(name: str, links: int) -> Iterator[list[str]]:
    """Print how long a block took, and what it adds to the list."""
    notes: list[str] = []
    start, used = time.perf_counter(), time.process_time()
    yield notes
    seconds, used = time.perf_counter() - start, time.process_time() - used
    rest = "".join(f", {note}" for note in notes)
    print(f"  {name:<34} {seconds:7.2f} s wall {used:7.2f} s CPU {1e9 * used / links:6.0f} ns/link{rest}", flush=True)


def right(language: np.ndarray, truth: np.ndarray, short: np.ndarray) -> str:
    """Shares of the pages that have their true language."""
    return f"short pages right {(language == truth)[short].mean():.4f}, long {(language == truth)[~short].mean():.4f}"


def peers(graph: Graph, evidence: Evidence, truth: np.ndarray) -> None:
    """The same links through other hands."""
    m, languages = len(graph.source), len(evidence.codes)
    short = evidence.length < SHORT
    with timed("memory: a copy of the links", m) as notes:
        copies = graph.source.copy(), graph.target.copy()
        notes.append(f"{2 * sum(copy.nbytes for copy in copies) / 1e9:.1f} GB read and written")
    del copies
    best = evidence.best()[0]
    seeds = np.where(short, -1, best).astype(np.int64)
    ones = np.ones(m, np.float32)
    links = sparse.csr_matrix((ones, (graph.source, graph.target)), shape=(graph.n, graph.n))
    scores = np.zeros((graph.n, languages), np.float32)
    scores[np.flatnonzero(seeds >= 0), seeds[seeds >= 0]] = 1
    with timed("one sparse product, no inference", m):
        links @ scores
    try:
        import igraph  # noqa: PLC0415  only where it is installed

        with timed("igraph: build the graph", m):
            net = igraph.Graph(n=graph.n, edges=np.column_stack([graph.source, graph.target]), directed=False)
        with timed("igraph: community_label_propagation", m) as notes:
            fixed = (seeds >= 0).tolist()
            found = net.community_label_propagation(initial=seeds.tolist(), fixed=fixed)
            group = np.array(found.membership)  # numbered anew: a seed tells which language a group is
            language = np.full(group.max() + 1, -1)
            language[group[seeds >= 0]] = seeds[seeds >= 0]
            notes.append(right(language[group], truth, short))
        del net
    except ImportError:
        print("  igraph is not installed")
    try:
        from sknetwork.classification import DiffusionClassifier  # noqa: PLC0415

        with timed("scikit-network: DiffusionClassifier", m) as notes:
            classifier = DiffusionClassifier(n_iter=5)
            notes.append(right(classifier.fit_predict(links, labels=seeds), truth, short))
    except ImportError:
        print("  scikit-network is not installed")


def main() -> None:
    """Print a line of figures for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", type=int)
    parser.add_argument("links", type=int)
    parser.add_argument("--languages", type=int, default=30)
    parser.add_argument("--peers", action="store_true")
    options = parser.parse_args()
    graph, evidence, truth = web(options.pages, options.links, options.languages)
    same = (truth[graph.source] == truth[graph.target]).mean()
    print(
        f"{options.pages:,} pages, {options.links:,} distinct links (synthetic; {same:.1%} keep the language),"
        f" {options.languages} languages, {evidence.host[-1] + 1:,} hosts; inputs {peak():.2f} GB at most"
    )
    short = evidence.length < SHORT
    if options.peers:
        peers(graph, evidence, truth)
    with timed("graphlang propagate", options.links) as notes:
        made = build_model(graph, evidence, options=Options())
        del graph, evidence
        if made is None:
            raise SystemExit("no page says anything: more pages are needed")
        exchange = make_exchange(made, Options())
        del made
        result = run_rounds(exchange, Options(), options.pages)
        notes.append(f"{result.rounds} rounds, converged {result.converged}, peak {peak():.2f} GB")
        notes.append(right(result.language, truth, short))


if __name__ == "__main__":
    main()
