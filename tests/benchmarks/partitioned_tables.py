"""A collection in partitions against one machine: ``python tests/benchmarks/partitioned_tables.py [--parts 2 8 64]``.

For each development collection (the last one is docs-full with a fifth of its pages hidden, see ``graph_tables.py``),
way of cutting and number of partitions: pages of the largest partition and its ghosts, agreement with one machine on
fetched pages and on all URLs, accuracy by bucket on both, supersteps, and bytes sent per link (before the first
superstep, and in all of them). The ways of cutting: ``hosts`` leaves hosts whole, ``limit`` cuts hosts and directories
with more than pages / partitions pages (``graphlang.graph.partitioned.assign``), ``directories`` and ``pages`` deal out
directories and pages by a hash, which is the worst that can happen.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import graph_tables
import numpy as np

import graphlang
from graphlang.analysis import graph_input, graph_output
from graphlang.analysis.classify import classify
from graphlang.analysis.ingest import ingest
from graphlang.analysis.propagate import SIGNALS, propagate
from graphlang.cluster.page_ids import page_id
from graphlang.content import registry
from graphlang.db import collection, create
from graphlang.db.runs.lifecycle import start_run
from graphlang.evaluation.evaluate import Gold, evaluate, read_gold
from graphlang.graph.data import answer
from graphlang.graph.partitioned.assign import Cuts, cut_host, directory_of, host_of, key_of, partition_of
from graphlang.graph.partitioned.partition import Cut, Partition
from graphlang.graph.propagation.inference import propagate as kernel

sys.path.append(str(Path(__file__).parents[1] / "graph"))
import local_driver

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from local_driver import Run as Partitioned
    from numpy.typing import NDArray

    from graphlang.analysis.graph_input import GraphInput
    from graphlang.db.runs.run import Run
    from graphlang.graph.data import Answer

SETS = ("docs-short30", "docs-short60", "httpd2006-short30", "docs-full")
WAYS = ("hosts", "limit", "directories", "pages")


class Pages:
    """All URLs of a collection with their keys."""

    def __init__(self, connection: sqlite3.Connection, given: GraphInput) -> None:
        self.given = given
        urls = [b""] * len(given.pages)
        for rows, some in collection.urls_of(connection, given.pages):
            for row, url in zip(rows, some, strict=True):
                urls[row] = url.encode()
        self.urls = urls
        self.ids = np.array([page_id(url) for url in urls], np.int64)
        self.host = np.array([key_of(host_of(url)) for url in urls], np.int64)
        self.directory = np.array([key_of(directory_of(url)) for url in urls], np.int64)

    def dealt(self, way: str, many: int) -> tuple[NDArray[np.int32], Cut]:
        """The partition of each page, and what is cut."""
        none = np.zeros(0, np.int64)
        if way in {"directories", "pages"}:
            keys = self.directory if way == "directories" else self.ids
            cut = Cut(np.unique(self.host), none if way == "directories" else np.unique(self.directory))
            return (keys.view(np.uint64) % np.uint64(many)).astype(np.int32), cut
        cuts = Cuts(limit=-(-len(self.urls) // many))
        if way == "limit":
            sizes: dict[bytes, Counter[bytes]] = defaultdict(Counter)
            for url in self.urls:
                sizes[host_of(url)][directory_of(url)] += 1
            large = {host: of for host, of in sizes.items() if of.total() > cuts.limit}
            cuts = Cuts(cuts.limit, {host: cut_host(of, cuts.limit) for host, of in large.items()})
        found = partition_of(self.urls, self.ids, cuts, many)
        return found, Cut(cuts.cut_hosts(), cuts.cut_directories())

    def partitions(self, number: NDArray[np.int32]) -> Iterator[Partition]:
        """The partitions, each with the links from and to its pages."""
        graph, evidence = self.given.graph, self.given.evidence
        ordinal = np.full(len(graph.source), -1, np.int16) if graph.ordinal is None else graph.ordinal
        for part in np.unique(number):
            mine = number == part
            some = mine[graph.source] | mine[graph.target]
            yield Partition(
                evidence.codes,
                *(self.ids[mine], self.host[mine], self.directory[mine]),
                *(evidence.languages[mine], evidence.probabilities[mine], evidence.length[mine]),
                *(self.ids[graph.source[some]], self.ids[graph.target[some]]),
                *(graph.kind[some], graph.hreflang[some], ordinal[some]),
                {
                    name: replace(one, languages=one.languages[mine], probabilities=one.probabilities[mine])
                    for name, one in evidence.signals.items()
                },
                None if evidence.copies is None else evidence.copies[mine],
            )

    def answer(self, done: Partitioned) -> Answer:
        """What the partitions say, in the rows of the collection."""
        order = np.argsort(self.ids)
        rows = order[np.searchsorted(self.ids[order], np.concatenate(done.pages))]
        languages = np.empty((len(rows), done.answers[0].languages.shape[1]), np.int16)
        probabilities = np.empty(languages.shape, np.float32)
        languages[rows] = np.concatenate([found.languages for found in done.answers])
        probabilities[rows] = np.concatenate([found.probabilities for found in done.answers])
        return answer(languages, probabilities, rounds=done.supersteps, converged=done.converged)


def accuracy(connection: sqlite3.Connection, gold: Gold, run: Run) -> dict[str, float]:
    found = {one.group.partition(" ")[2]: one.accuracy for one in evaluate(connection, gold, run, "bucket").groups}
    return {bucket: 100 * found[bucket] for bucket in graph_tables.BUCKETS if bucket in found}


def table(connection: sqlite3.Connection, gold: Gold, ways: list[str], parts: list[int]) -> None:
    classify(connection, registry.load("nfc"))
    alone = propagate(connection)
    seed = graph_input.seed_run(connection, None)
    pages = Pages(connection, graph_input.load(connection, seed, SIGNALS))
    given, fetched = pages.given, pages.given.stored
    one = kernel(given.graph, given.evidence)
    expected = accuracy(connection, gold, alone)
    print(f"  {len(fetched)} URLs, {int(fetched.sum())} fetched, {len(given.graph.source)} links, one machine: "
          + ", ".join(f"{bucket} {value:.2f}" for bucket, value in expected.items()), flush=True)  # fmt: skip
    for way in ways:
        for many in parts:
            number, cut = pages.dealt(way, many)
            started = time.process_time()
            done = local_driver.run(list(pages.partitions(number)), cut)
            seconds = time.process_time() - started
            said = pages.answer(done)
            run = start_run(
                connection, kind="propagation", method="partitioned", parameters={"way": way, "parts": many},
                seeds=[seed.id], version=graphlang.__version__,
            )  # fmt: skip
            graph_output.write(connection, run, given, said, choose=False)
            found = accuracy(connection, gold, run)
            same = said.language == one.language
            links = max(1, len(given.graph.source))
            ghosts = max(len(part.sorted().ghosts()) for part in pages.partitions(number))
            print(
                f"  {way:<11} {many:>2}: largest {np.bincount(number).max()} + {ghosts} ghosts;"
                f" agree {100 * same[fetched].mean():.3f} (all {100 * same.mean():.3f}); "
                + ", ".join(f"{bucket} {found[bucket] - value:+.2f}" for bucket, value in expected.items())
                + f"; {done.supersteps} supersteps{'' if done.converged else ' (cap)'};"
                f" bytes a link {done.introduced / links:.1f} + {sum(done.sent) / links:.1f}; {seconds:.1f} s",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    parser.add_argument("--parts", nargs="+", type=int, default=[2, 8, 64])
    options = parser.parse_args()
    for name in options.sets:
        hidden = name == "docs-full"
        print(name + (", a fifth hidden" if hidden else ""), flush=True)
        with tempfile.TemporaryDirectory() as folder, closing(create(Path(folder) / "a.db")) as connection:
            ingest(connection, [graph_tables.DATA / f"{name}.warc.gz"], workers=1)
            gold = read_gold(connection, graph_tables.DATA / f"{name}.gold.tsv", "bucket")
            if hidden:
                graph_tables.hide(connection, gold)
            table(connection, gold, options.ways, options.parts)


if __name__ == "__main__":
    main()
