"""Time and memory of the propagation on a synthetic web, beside other ways to spread labels over links.

python tests/benchmarks/graph_scale.py PAGES LINKS [--languages N] [--peers]

The web is made: hosts have a power law of sizes, and so do the outlinks and inlinks of pages. A host has a main
language, 92 % of its pages have that; 95 % of the links keep the language, three in four stay on the host. Links are
distinct and none leads to its own page. 30 % of the pages are short, a third of those have no text at all; what the
text alone says is right for 70 % of the short pages and 99.9 % of the others.

``--peers`` adds, in the same run and on the same arrays, one copy of the
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

from graphlang.graph.data import Evidence, Graph
from graphlang.graph.options import Options
from graphlang.graph.propagation.inference import build_model, make_exchange, run_rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

SHORT = 50  #: characters
ANCHOR = 7


def web(pages: int, links: int, languages: int = 30, seed: int = 1) -> tuple[Graph, Evidence, np.ndarray]:
    """Links, evidence and the true language of each page.

    Raises:
        ValueError: more links than so many pages have room for in this model.
    """
    rng = np.random.default_rng(seed)
    host = _hosts(rng, pages)
    hosts = int(host[-1]) + 1
    popular = np.sort(rng.dirichlet(np.full(languages, 0.5)))[::-1]
    main = rng.choice(languages, hosts, p=popular)
    truth = np.where(rng.random(pages) < 0.92, main[host], rng.choice(languages, pages, p=popular)).astype(np.int16)
    source, target = _links(rng, host, truth, links, languages)
    kinds, none = np.full(links, ANCHOR, np.uint8), np.full(links, -1, np.int16)
    return Graph(pages, source, target, kinds, none), _evidence(rng, host, truth, languages), truth


def _hosts(rng: np.random.Generator, pages: int) -> np.ndarray:
    sizes = np.ceil((rng.pareto(1.1, pages // 10 + 10) + 1) * 10).astype(np.int64)
    sizes = np.minimum(sizes, max(10, pages // 20))
    ends = np.cumsum(sizes)
    return np.searchsorted(ends, np.arange(pages), side="right").astype(np.int32)


def _links(
    rng: np.random.Generator, host: np.ndarray, truth: np.ndarray, links: int, languages: int
) -> tuple[np.ndarray, np.ndarray]:
    pages = len(host)
    eager = np.minimum(rng.pareto(1.8, pages) + 0.5, 50)  # how many outlinks, in proportion
    here = _Choice(host.astype(np.int64) * languages + truth)  # the pages of a host in one language
    alike, anywhere = _Choice(truth), _Choice(host)
    keys = np.zeros(0, np.int64)
    for attempt in range(8):
        wanted = int(1.1 * (links - len(keys)) * (1 + attempt)) + 100
        source = np.repeat(np.arange(pages, dtype=np.int32), rng.poisson(eager * (wanted / eager.sum())))
        draw = rng.random(len(source), np.float32)
        keep, home = draw < 0.89, rng.random(len(source), np.float32) < 0.75
        target = np.empty(len(source), np.int32)
        for part, choice in ((keep & home, here), (keep & ~home, alike), (~keep & home, anywhere)):
            target[part] = choice.draw(rng, source[part])
        wild = ~keep & ~home
        target[wild] = (pages * rng.random(int(wild.sum())) ** 3).astype(np.int32)
        del draw, keep, home
        ours = source != target
        fresh = source[ours].astype(np.int64) * pages + target[ours]
        del source, target, ours
        keys = np.concatenate([keys, fresh])
        del fresh
        keys.sort()
        keys = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
        if len(keys) >= links:
            break
    else:
        raise ValueError(f"{pages:,} pages have no room for {links:,} links")
    dropped = rng.choice(len(keys), len(keys) - links, replace=False)
    stays = np.ones(len(keys), bool)
    stays[dropped] = False
    keys = keys[stays]
    return (keys // pages).astype(np.int32), (keys % pages).astype(np.int32)


class _Choice:
    """A page of the same group, the first ones of a group far more often than the last."""

    def __init__(self, group: np.ndarray) -> None:
        self.order = np.argsort(group, kind="stable").astype(np.int32)
        ordered = group[self.order]
        starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
        size = np.diff(np.append(starts, len(group)))
        self.start, self.size = np.empty(len(group), np.int32), np.empty(len(group), np.int32)
        self.start[self.order], self.size[self.order] = np.repeat(starts, size), np.repeat(size, size)

    def draw(self, rng: np.random.Generator, pages: np.ndarray) -> np.ndarray:
        place = self.size[pages] * rng.random(len(pages)) ** 2
        return self.order[self.start[pages] + place.astype(np.int32)]


def _evidence(rng: np.random.Generator, host: np.ndarray, truth: np.ndarray, languages: int) -> Evidence:
    pages = len(host)
    short = rng.random(pages) < 0.3
    silent = short & (rng.random(pages) < 0.33)
    length = np.where(short, rng.integers(5, 50, pages), rng.integers(300, 5000, pages)).astype(np.int32)
    length[silent] = 0
    right = rng.random(pages) < np.where(short, 0.7, 0.999)
    first = np.where(right, truth, rng.integers(0, languages, pages)).astype(np.int16)
    second = (np.where(right, first + 1, truth) % languages).astype(np.int16)
    second = np.where(second == first, (first + 1) % languages, second).astype(np.int16)
    scores = np.where(short, 0.6, 0.98).astype(np.float32)
    lists = np.stack([first, second], axis=1)
    chances = np.stack([scores, (1 - scores) * np.float32(0.7)], axis=1)
    lists[silent], chances[silent] = -1, 0
    return Evidence(tuple(f"q{i:02d}" for i in range(languages)), lists, chances, length, host)


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
