"""A collection in partitions has the languages that one machine finds."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graphlang.graph.partitioned.cut import Cut
from graphlang.graph.partitioned.local_driver import run
from graphlang.graph.propagation.inference import Options, propagate

sys.path.append(str(Path(__file__).parent))
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


def test_pages_in_two_languages_speak_for_both_across_borders() -> None:
    graph, evidence = web(0)
    ids = np.arange(graph.n, dtype=np.int64)
    without = propagate(graph, replace(evidence, parts=None))
    options = Options(tolerance=1e-4)
    whole = propagate(graph, evidence, options=options)
    done = run(
        partitions(graph, evidence, ids % 3, ids),
        Cut(*(np.unique(keys) for keys in (evidence.host, evidence.directory))),
        options=options,
        supersteps=60,
    )
    _, probabilities = answers(done, ids)
    assert np.abs(without.probabilities - whole.probabilities).max() > 0.1
    assert np.abs(probabilities[:, 0] - whole.probabilities[:, 0]).max() < 2e-2


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


def test_a_partition_does_not_make_up_its_mind_before_it_hears_its_neighbours() -> None:
    graph, evidence = web(9)  # its equations have two solutions: by itself each partition would go for the other one
    assert evidence.directory is not None
    ids = np.arange(graph.n, dtype=np.int64)
    options = Options(tolerance=1e-4)
    whole = propagate(graph, evidence, options=options)
    parts = partitions(graph, evidence, evidence.directory % 5, ids)
    done = run(parts, Cut(np.unique(evidence.host).astype(np.int64)), options=options)
    languages, probabilities = answers(done, ids)
    assert done.converged
    assert done.moved[0] == 1  # stopped after two rounds, with more to say
    assert languages[:, 0].tolist() == whole.languages[:, 0].tolist()
    assert np.abs(probabilities[:, 0] - whole.probabilities[:, 0]).max() < 1e-2


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
