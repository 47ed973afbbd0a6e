"""A collection in partitions has the languages that one machine finds."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from graphlang.graph.data import Evidence, Graph
from graphlang.graph.partitioned.partition import Cut
from graphlang.graph.propagation import candidates
from graphlang.graph.propagation.inference import Options, propagate

sys.path.append(str(Path(__file__).parent))
from local_driver import run
from partitioned_webs import answers, partitions, shuffled, web


@pytest.mark.parametrize("seed", range(4))
def test_one_partition_answers_as_one_machine_does_to_the_last_bit(seed: int) -> None:
    graph, evidence = web(seed)
    ids = np.arange(graph.n, dtype=np.int64) * 7 - 500
    whole = propagate(graph, evidence)
    done = run(partitions(graph, evidence, np.zeros(graph.n, int), ids))
    languages, probabilities = answers(done, ids)
    assert languages.tolist() == whole.languages.tolist()
    assert np.abs(probabilities - whole.probabilities).max() < 1e-6
    assert (done.supersteps, done.sent, done.introduced) == (0, [], 0)


def cuts_of(seed: int, evidence: Evidence) -> list[tuple[np.ndarray, Cut]]:
    """Whole hosts, whole directories, and single pages dealt out."""
    assert evidence.directory is not None
    hosts, directories = (np.unique(keys).astype(np.int64) for keys in (evidence.host, evidence.directory))
    pages = np.random.default_rng(seed).integers(0, 5, evidence.n)
    return [(evidence.host % 3, Cut()), (evidence.directory % 5, Cut(hosts)), (pages, Cut(hosts, directories))]


@pytest.mark.parametrize("most", [32, 3])
@pytest.mark.parametrize("seed", range(2))
def test_partitions_take_the_rounds_of_one_machine(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST", most)  # of six languages: all, or half of them
    graph, evidence = web(seed)
    ids = np.random.default_rng(seed).permutation(graph.n).astype(np.int64)
    whole = propagate(graph, evidence)
    for number, cut in cuts_of(seed, evidence):
        done = run(partitions(graph, evidence, number, ids), cut)
        languages, probabilities = answers(done, ids)
        assert done.converged
        assert done.supersteps == whole.rounds
        assert languages[:, 0].tolist() == whole.languages[:, 0].tolist()
        assert np.abs(probabilities[:, 0] - whole.probabilities[:, 0]).max() < 5e-3


@pytest.mark.parametrize("seed", [0, 1])
def test_partitions_come_to_the_same_of_several_solutions(seed: int) -> None:
    # nine of ten links lead to other hosts, many of them to another language: pages that lean on each other may be in
    # either, and which it is depends on who speaks first
    graph, evidence = web(seed, hosts=60, within=0.1)
    ids = np.random.default_rng(seed).permutation(graph.n).astype(np.int64)
    whole = propagate(graph, evidence)
    for number, cut in cuts_of(seed, evidence):
        done = run(partitions(graph, evidence, number, ids), cut)
        languages, _ = answers(done, ids)
        assert languages[:, 0].tolist() == whole.languages[:, 0].tolist()


def test_what_is_known_goes_from_partition_to_partition_after_all_beliefs_rest() -> None:
    # all pages are in one language, so that no belief ever moves; a chain of 20 pages without text leads away from a
    # page with text, from one partition to the next of five
    links = np.arange(20, dtype=np.int32)
    none = np.full((21, 1), -1, np.int16)
    graph = Graph(21, links, links + 1, np.full(20, 7, np.uint8), none[1:, 0], ordinal=none[1:, 0])
    languages, sure, length = none.copy(), np.zeros((21, 1), np.float32), np.zeros(21, np.int32)
    languages[0], sure[0], length[0] = 0, 1, 900
    host = np.arange(21, dtype=np.int32)
    evidence = Evidence(("qaa",), languages, sure, length, host, host)
    done = run(partitions(graph, evidence, host % 5, host.astype(np.int64)))
    languages, probabilities = answers(done, host)
    assert languages[:, 0].tolist() == [0] * 21
    assert (probabilities[:, 0] > 0.87).all()
    assert (done.converged, done.supersteps) == (True, 20)  # page 20 is told in the last but one, and nobody after it
    capped = run(partitions(graph, evidence, host % 5, host.astype(np.int64)), supersteps=4)
    assert not capped.converged


def test_a_cap_on_supersteps_is_reported() -> None:
    graph, evidence = web(0)
    ids = np.arange(graph.n, dtype=np.int64)
    done = run(partitions(graph, evidence, evidence.host % 3, ids), supersteps=2)
    assert (done.supersteps, done.converged) == (2, False)
    assert done.moved[-1] > Options().tolerance


def test_the_order_of_rows_and_links_changes_no_bit() -> None:
    graph, evidence = web(1)
    ids = np.random.default_rng(3).permutation(graph.n).astype(np.int64)
    parts = partitions(graph, evidence, evidence.host % 3, ids)
    one, other = run(parts), run([shuffled(part, seed) for seed, part in enumerate(parts)])
    assert one.supersteps == other.supersteps
    assert one.sent == other.sent
    for pages, same in zip(one.pages, other.pages, strict=True):
        assert pages.tolist() == same.tolist()
    for found, same_found in zip(one.answers, other.answers, strict=True):
        assert found.probabilities.tobytes() == same_found.probabilities.tobytes()
    for step, again in zip(one.steps, other.steps, strict=True):
        assert step.border.data.tobytes() == again.border.data.tobytes()
