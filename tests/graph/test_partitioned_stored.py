"""What passes between tasks as bytes, and what all partitions learn together: the same, however they are cut."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from graphlang.graph.data import Signal
from graphlang.graph.partitioned.borders.introduce import Ghosts, ghosts_of, introduce
from graphlang.graph.partitioned.borders.local import signals_of
from graphlang.graph.partitioned.cut import Cut
from graphlang.graph.partitioned.learning import order
from graphlang.graph.partitioned.learning.learn import Learned, learn
from graphlang.graph.partitioned.learning.observe import Observed, gathered, observe
from graphlang.graph.partitioned.learning.survey import Survey, merged, survey
from graphlang.graph.partitioned.local_driver import with_links_between_ghosts
from graphlang.graph.partitioned.partition import Partition
from graphlang.graph.partitioned.records import Records, joined
from graphlang.graph.partitioned.stored import from_bytes, to_bytes
from graphlang.graph.partitioned.supersteps.prepared import Prepared, prepared_of
from graphlang.graph.partitioned.supersteps.ready import Ready, ready_of
from graphlang.graph.partitioned.supersteps.superstep import INNER, Step, advance, answer_of, first
from graphlang.graph.propagation.options import Options

sys.path.append(str(Path(__file__).parent))
from partitioned_webs import partitions, web

OPTIONS = Options()


def learned_of(parts: list[Partition], cut: Cut) -> tuple[Survey, order.Counts, Observed, Learned]:
    """What the partitions learn, all of it passed on as bytes."""
    parts = [from_bytes(to_bytes(part.sorted()), Partition) for part in parts]
    introduced = from_bytes(to_bytes(joined([introduce(part, OPTIONS, cut) for part in parts])), Records)
    ghosts = [from_bytes(to_bytes(ghosts_of(part, introduced)), Ghosts) for part in parts]
    parts = with_links_between_ghosts(parts, ghosts, cut)
    surveys = [survey(part, signals_of(part, OPTIONS), cut, OPTIONS) for part in parts]
    counted = merged([from_bytes(to_bytes(one), Survey) for one in surveys])
    both = list(zip(parts, ghosts, strict=True))
    places = from_bytes(to_bytes(order.together([order.lists(*one, counted, OPTIONS) for one in both])), order.Places)
    counts = order.added([order.count(part, places.of(part.pages), counted, OPTIONS) for part in parts])
    counts = from_bytes(to_bytes(counts), order.Counts)
    ready = [
        (order.with_order(part, near, places.of(part.pages), counts, counted, cut, OPTIONS), near)
        for part, near in both
    ]
    seen = [from_bytes(to_bytes(observe(*one, counted, cut, OPTIONS)), Observed) for one in ready]
    together = gathered(seen)
    return counted, counts, together, from_bytes(to_bytes(learn(counted, together, cut)), Learned)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_learned_does_not_depend_on_the_partitions_by_a_single_bit(seed: int) -> None:
    graph, evidence = web(seed, within=1.0)
    assert evidence.directory is not None
    ids = np.random.default_rng(seed).permutation(graph.n).astype(np.int64)
    cut = Cut(*(np.unique(keys).astype(np.int64) for keys in (evidence.host, evidence.directory)))
    found = []
    for number in (
        np.zeros(graph.n, int),
        evidence.directory % 5,
        np.random.default_rng(seed).integers(0, 9, graph.n),
    ):
        learned = learned_of(partitions(graph, evidence, number, ids), cut)
        found.append([to_bytes(one) for one in learned])
    assert found[0] == found[1]
    assert found[0] == found[2]


def test_bytes_that_are_no_such_object_are_refused() -> None:
    data = to_bytes(Cut(np.array([3, 5])))
    with pytest.raises(ValueError, match="hold a Cut, expected a Records"):
        from_bytes(data, Records)
    with pytest.raises(ValueError, match="1 bytes more than the Cut has"):
        from_bytes(data + b"x", Cut)
    for damaged in (b"", data[:4], data[:-1], data.replace(b'"cut"', b'"cat"'), data.replace(b"<i8", b"|O8")):
        with pytest.raises(ValueError, match=r"."):
            from_bytes(damaged, Cut)
    with pytest.raises(TypeError, match="a set cannot be stored"):
        to_bytes({"a": {1}})


def test_a_signal_with_a_background_comes_back() -> None:
    signal = Signal(np.int16([[1, -1]]), np.float32([[0.5, 0]]), 0.25, np.float32([0.5, 0.5]))
    again = from_bytes(to_bytes(signal), Signal)
    assert again.background is not None
    assert (again.weight, again.background.tolist(), again.languages.tolist()) == (0.25, [0.5, 0.5], [[1, -1]])


def ready_webs(seed: int) -> tuple[list[Prepared], list[Records], list[Step]]:
    """Two partitions before superstep 1: what each is told, and what it told."""
    graph, evidence = web(seed)
    ids = np.random.default_rng(1).permutation(graph.n).astype(np.int64)
    parts = [part.sorted() for part in partitions(graph, evidence, evidence.host % 2, ids)]
    *_, learned = learned_of(parts, Cut())
    said = joined([introduce(part, OPTIONS) for part in parts])
    ready = [ready_of(part, learned, ghosts_of(part, said), OPTIONS) for part in parts]
    told = [first(prepared_of(one, None, OPTIONS), OPTIONS) for one in ready]
    heard = [joined([one.border for one in told]).of(one.here.ids[one.here.ghosts]) for one in ready]
    return [prepared_of(one, near, OPTIONS) for one, near in zip(ready, heard, strict=True)], heard, told


def test_a_partition_that_slept_while_others_leapt_goes_on() -> None:
    (prepared, _), (heard, _), (step, _) = ready_webs(1)
    for number in (1, 2, 3, 4, 5, 6, 9, 10, 11, 12):  # settled in 7 and 8, then told something new
        step = advance(prepared, heard, step, number, OPTIONS)
        assert len(step.trail) <= 2


def test_rounds_within_a_partition_double_from_superstep_to_superstep() -> None:
    (prepared, _), (heard, _), (step, _) = ready_webs(1)
    by_rounds = [prepared.exchange(heard, OPTIONS).run(2**number, OPTIONS.tolerance * INNER) for number in range(1, 9)]
    assert [one.converged for one in by_rounds] == sorted(one.converged for one in by_rounds)
    assert not by_rounds[0].converged
    assert by_rounds[-1].converged
    for number, outcome in enumerate(by_rounds, 1):
        step = advance(prepared, heard, step, number, OPTIONS)
        assert (step.most == 1) is not outcome.converged  # one that has more to say is not taken for settled


def test_a_superstep_from_a_checkpoint_is_the_same_to_the_last_bit() -> None:
    graph, evidence = web(1)
    ids = np.random.default_rng(1).permutation(graph.n).astype(np.int64)
    parts = [part.sorted() for part in partitions(graph, evidence, evidence.host % 2, ids)]
    *_, learned = learned_of(parts, Cut())
    said = joined([introduce(part, OPTIONS) for part in parts])
    ready = [ready_of(part, learned, ghosts_of(part, said), OPTIONS) for part in parts]
    alone = [prepared_of(one, None, OPTIONS) for one in ready]
    told = [first(one, OPTIONS) for one in alone]
    heard = [joined([one.border for one in told]).of(one.here.ids[one.here.ghosts]) for one in ready]
    mine = told[0]
    prepared = prepared_of(ready[0], heard[0], OPTIONS)
    again = prepared_of(from_bytes(to_bytes(ready[0]), Ready), from_bytes(to_bytes(heard[0]), Records), OPTIONS)
    assert to_bytes(again) == to_bytes(prepared)
    again = from_bytes(to_bytes(prepared), Prepared)
    for number in range(1, 3):
        step, other = (advance(one, heard[0], mine, number, OPTIONS) for one in (prepared, again))
        assert to_bytes(step.border) == to_bytes(other.border)
        assert to_bytes(step.moved) == to_bytes(other.moved)
        mine = step
    answer, same = (answer_of(one, heard[0], OPTIONS) for one in (prepared, again))
    assert answer.probabilities.tobytes() == same.probabilities.tobytes()
    assert answer.languages.tobytes() == same.languages.tobytes()
