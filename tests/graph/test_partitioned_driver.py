"""A collection in partitions has the languages that one machine finds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang.graph.data import Evidence, Graph, Signal
from graphlang.graph.partitioned.local_driver import run
from graphlang.graph.partitioned.partition import Partition
from graphlang.graph.partitioned.survey import Cut
from graphlang.graph.propagation.inference import Options, propagate

if TYPE_CHECKING:
    from graphlang.graph.partitioned.local_driver import Run

CODES = tuple(f"q{letter}a" for letter in "abcdef")
SITE = 40  #: pages of a host


def web(seed: int, hosts: int = 6) -> tuple[Graph, Evidence]:
    """Hosts of two languages each; a third of the pages is short or empty; links within hosts and between them."""
    rng = np.random.default_rng(seed)
    n, m = SITE * hosts, 6 * SITE * hosts
    host = np.arange(n, dtype=np.int32) // SITE
    truth = np.where(rng.random(n) < 0.2, host + 1, host) % len(CODES)
    source = rng.integers(0, n, m)
    near = source // SITE * SITE + rng.integers(0, SITE, m)
    target = np.where(rng.random(m) < 0.85, near, rng.integers(0, n, m))
    kind = rng.choice(np.array([7, 7, 7, 6, 3, 1], np.uint8), m)
    ends = source.astype(np.int32), target.astype(np.int32)
    hreflang = np.where(rng.random(m) < 0.05, truth[target], -1).astype(np.int16)
    graph = Graph(n, *ends, kind, hreflang, None, rng.permutation(m).astype(np.int16))
    length = np.where(rng.random(n) < 0.35, rng.integers(0, 40, n), 900).astype(np.int32)
    lists = np.stack([truth, (truth + 1) % len(CODES)], axis=1).astype(np.int16)
    scores = np.where(length[:, None] < 40, np.float32([0.45, 0.4]), np.float32([0.9, 0.05])).astype(np.float32)
    lists[length < 10], scores[length < 10], length[length < 10] = -1, 0, 0
    declared = np.where(rng.random(n) < 0.4, truth, -1)[:, None].astype(np.int16)
    signal = Signal(declared, (declared >= 0).astype(np.float32), 0.7)
    directory = host * 3 + rng.integers(0, 3, n).astype(np.int32)
    return graph, Evidence(CODES, lists, scores, length, host, directory, {"declared": signal})


def partitions(graph: Graph, evidence: Evidence, number: np.ndarray, ids: np.ndarray) -> list[Partition]:
    """The collection in partitions; each has the links of its pages, and those among these pages' neighbours."""
    found = []
    for part in np.unique(number):
        rows = np.flatnonzero(number == part)
        touched = (number[graph.source] == part) | (number[graph.target] == part)
        near = number == part
        near[graph.source[touched]] = near[graph.target[touched]] = True
        some = near[graph.source] & near[graph.target]
        signals = {
            name: replace(one, languages=one.languages[rows], probabilities=one.probabilities[rows])
            for name, one in evidence.signals.items()
        }
        assert evidence.directory is not None
        assert graph.ordinal is not None
        found.append(
            Partition(
                evidence.codes,
                ids[rows],
                evidence.host[rows].astype(np.int64),
                evidence.directory[rows].astype(np.int64),
                evidence.languages[rows],
                evidence.probabilities[rows],
                evidence.length[rows],
                ids[graph.source[some]],
                ids[graph.target[some]],
                graph.kind[some],
                graph.hreflang[some],
                graph.ordinal[some],
                signals,
            )
        )
    return found


def answers(done: Run, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Language and probabilities of each page, in the order of the ids."""
    pages = np.concatenate([step.pages for step in done.steps])
    order = np.argsort(pages)[np.argsort(np.argsort(ids))]
    languages = np.concatenate([step.answer.languages for step in done.steps])[order]
    return languages, np.concatenate([step.answer.probabilities for step in done.steps])[order]


@pytest.mark.parametrize("seed", range(4))
def test_one_partition_answers_as_one_machine_does_to_the_last_bit(seed: int) -> None:
    graph, evidence = web(seed)
    ids = np.arange(graph.n, dtype=np.int64) * 7 - 500
    whole = propagate(graph, evidence)
    done = run(partitions(graph, evidence, np.zeros(graph.n, int), ids))
    languages, probabilities = answers(done, ids)
    assert languages.tolist() == whole.languages.tolist()
    assert np.abs(probabilities - whole.probabilities).max() < 1e-6
    assert (done.supersteps, done.sent, done.introduced) == (1, [0, 0], 0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("many", [2, 3, 6])
def test_whole_hosts_in_partitions_answer_as_one_machine_does(seed: int, many: int) -> None:
    graph, evidence = web(seed)
    ids = np.random.default_rng(seed).permutation(graph.n).astype(np.int64)
    options = Options(tolerance=1e-4)
    whole = propagate(graph, evidence, options=options)
    done = run(partitions(graph, evidence, evidence.host % many, ids), options=options, supersteps=60)
    languages, probabilities = answers(done, ids)
    assert done.converged
    assert np.abs(probabilities[:, 0] - whole.probabilities[:, 0]).max() < 2e-2
    assert languages[:, 0].tolist() == whole.languages[:, 0].tolist()


@pytest.mark.parametrize("seed", range(4))
def test_hosts_and_directories_that_are_cut_answer_as_one_machine_does(seed: int) -> None:
    graph, evidence = web(seed)
    assert evidence.directory is not None
    ids = np.random.default_rng(seed).permutation(graph.n).astype(np.int64)
    options = Options(tolerance=1e-4)
    whole = propagate(graph, evidence, options=options)
    hosts, directories = (np.unique(keys).astype(np.int64) for keys in (evidence.host, evidence.directory))
    for number, cut in (
        (evidence.directory % 5, Cut(hosts)),
        (np.random.default_rng(seed).integers(0, 5, graph.n), Cut(hosts, directories)),
    ):
        done = run(partitions(graph, evidence, number, ids), cut, options=options, supersteps=60)
        languages, probabilities = answers(done, ids)
        assert done.converged
        # pages that lean on each other may come to another solution of the same equations
        assert np.mean(np.abs(probabilities[:, 0] - whole.probabilities[:, 0]) < 2e-2) > 0.95
        assert np.mean(languages[:, 0] == whole.languages[:, 0]) > 0.97


def test_the_order_of_rows_and_links_changes_no_bit() -> None:
    graph, evidence = web(1)
    ids = np.random.default_rng(3).permutation(graph.n).astype(np.int64)
    parts = partitions(graph, evidence, evidence.host % 3, ids)
    one, other = run(parts), run([shuffled(part, seed) for seed, part in enumerate(parts)])
    assert one.supersteps == other.supersteps
    assert one.sent == other.sent
    for step, again in zip(one.steps, other.steps, strict=True):
        assert step.pages.tolist() == again.pages.tolist()
        assert step.answer.probabilities.tobytes() == again.answer.probabilities.tobytes()
        assert step.border.data.tobytes() == again.border.data.tobytes()


def shuffled(part: Partition, seed: int) -> Partition:
    rng = np.random.default_rng(seed)
    rows, links = rng.permutation(len(part.pages)), rng.permutation(len(part.source))
    of_pages = ("pages", "host", "directory", "languages", "probabilities", "length")
    of_links = ("source", "target", "kind", "hreflang", "ordinal")
    signals = {
        name: replace(signal, languages=signal.languages[rows], probabilities=signal.probabilities[rows])
        for name, signal in part.signals.items()
    }
    return replace(
        part,
        signals=signals,
        **{name: getattr(part, name)[rows] for name in of_pages},
        **{name: getattr(part, name)[links] for name in of_links},
    )
