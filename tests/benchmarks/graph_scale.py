"""Time and memory of the propagation on a synthetic web.

python tests/benchmarks/graph_scale.py PAGES LINKS [LANGUAGES]

Synthetic: degrees follow a power law, pages cluster in hosts, 95 % of links keep the language, 30 % of the pages
are short and a third of those have no text at all.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from graphlang.graph.evidence import Evidence, Graph
from graphlang.graph.propagate import propagate


def web(pages: int, links: int, languages: int, seed: int = 1) -> tuple[Graph, Evidence, np.ndarray]:
    """Links, evidence and the true language of each page."""
    rng = np.random.default_rng(seed)
    hosts = max(1, pages // 100)
    popular = rng.dirichlet(np.full(languages, 0.5))
    main = rng.choice(languages, hosts, p=popular)
    host = np.sort(rng.integers(0, hosts, pages)).astype(np.int32)
    truth = np.where(rng.random(pages) < 0.9, main[host], rng.choice(languages, pages, p=popular)).astype(np.int16)
    order = np.lexsort((truth, host))
    source = order[(pages * rng.random(links) ** 1.5).astype(np.int64)]
    place = np.empty(pages, np.int64)
    place[order] = np.arange(pages)
    step = np.ceil(rng.pareto(1.2, links)).astype(np.int64) * rng.choice([-1, 1], links)
    target = order[np.clip(place[source] + step, 0, pages - 1)]
    wild = rng.random(links) < 0.03
    target[wild] = (pages * rng.random(int(wild.sum())) ** 3).astype(np.int64)
    sort = np.lexsort((target, source))
    graph = Graph(
        pages,
        source[sort].astype(np.int32),
        target[sort].astype(np.int32),
        np.full(links, 7, np.uint8),
        np.full(links, -1, np.int16),
    )
    short = rng.random(pages) < 0.3
    silent = short & (rng.random(pages) < 0.33)
    length = np.where(short, rng.integers(5, 50, pages), rng.integers(300, 5000, pages)).astype(np.int32)
    length[silent] = 0
    right = rng.random(pages) < np.where(short, 0.7, 0.999)
    first = np.where(right, truth, rng.integers(0, languages, pages)).astype(np.int16)
    second = ((np.where(right, first + 1, truth)) % languages).astype(np.int16)
    second = np.where(second == first, (first + 1) % languages, second).astype(np.int16)
    scores = np.where(short, 0.6, 0.98).astype(np.float32)
    lists = np.stack([first, second], axis=1)
    chances = np.stack([scores, (1 - scores) * np.float32(0.7)], axis=1)
    lists[silent], chances[silent] = -1, 0
    codes = tuple(f"q{i:02d}" for i in range(languages))
    return graph, Evidence(codes, lists, chances, length, host), truth


def main() -> None:
    """Print one line of figures."""
    pages, links = int(sys.argv[1]), int(sys.argv[2])
    languages = int(sys.argv[3]) if len(sys.argv) > 3 else 30
    graph, evidence, truth = web(pages, links, languages)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    start = time.perf_counter()
    result = propagate(graph, evidence)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    short = evidence.length < 50
    right = result.language == truth
    print(
        f"{pages:,} pages, {links:,} links (synthetic), {languages} languages: "
        f"{seconds:.1f} s, {1e9 * seconds / links:.0f} ns/link, "
        f"{result.rounds} rounds, converged {result.converged}, peak {after:.2f} GB (inputs alone {before:.2f} GB), "
        f"short pages right {right[short].mean():.3f}, long {right[~short].mean():.4f}"
    )


if __name__ == "__main__":
    main()
