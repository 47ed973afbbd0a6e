"""What passes between tasks as bytes, and what all partitions learn together: the same, however they are cut."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from graphlang.cluster.parcels import decode, to_bytes
from graphlang.graph.data import Signal
from graphlang.graph.options import Options
from graphlang.graph.partitioned import list_counts
from graphlang.graph.partitioned.borders import Ghosts, decode_ghosts, introduce, list_signals
from graphlang.graph.partitioned.learning import (
    Observed,
    PartitionParameters,
    Survey,
    join_samples,
    learn,
    merge_surveys,
    observe,
    survey,
)
from graphlang.graph.partitioned.partition import Cut, Partition
from graphlang.graph.partitioned.records import PageRecords, join_records
from graphlang.graph.partitioned.supersteps import (
    Moves,
    Prepared,
    Ready,
    advance,
    answer_of,
    apply_moves,
    find_border_labels,
    find_moves,
    first,
    make_partition_ready,
    prepare_supersteps,
)

sys.path.append(str(Path(__file__).parent))
from local_driver import routes_of, with_links_between_ghosts
from partitioned_webs import partitions, web

OPTIONS = Options()


def learn_parameters(
    parts: list[Partition], cut: Cut
) -> tuple[Survey, list_counts.Counts, Observed, PartitionParameters]:
    """What the partitions learn, all of it passed on as bytes."""
    parts = [decode(to_bytes(part.sort()), Partition) for part in parts]
    routes = routes_of(parts)
    said = join_records([introduce(part, OPTIONS, cut, of) for part, of in zip(parts, routes, strict=True)])
    introduced = decode(to_bytes(said), PageRecords)
    ghosts = [decode(to_bytes(decode_ghosts(part, introduced)), Ghosts) for part in parts]
    parts = with_links_between_ghosts(parts, ghosts)
    surveys = [survey(part, list_signals(part, OPTIONS), cut, OPTIONS) for part in parts]
    counted = merge_surveys([decode(to_bytes(one), Survey) for one in surveys])
    both = list(zip(parts, ghosts, strict=True))
    places = decode(
        to_bytes(list_counts.add_places([list_counts.find_lists(*one, counted, OPTIONS) for one in both])),
        list_counts.Places,
    )
    counts = list_counts.add_list_counts(
        [list_counts.count(part, places.of(part.pages), counted, OPTIONS) for part in parts]
    )
    counts = decode(to_bytes(counts), list_counts.Counts)
    ready = [
        (list_counts.add_link_order(part, near, places.of(part.pages), counts, counted, cut, OPTIONS), near)
        for part, near in both
    ]
    seen = [decode(to_bytes(observe(*one, counted, cut, OPTIONS)), Observed) for one in ready]
    together = join_samples(seen)
    return counted, counts, together, decode(to_bytes(learn(counted, together, cut)), PartitionParameters)


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
        learned = learn_parameters(partitions(graph, evidence, number, ids), cut)
        found.append([to_bytes(one) for one in learned])
    assert found[0] == found[1]
    assert found[0] == found[2]


def test_bytes_that_are_no_such_object_are_refused() -> None:
    data = to_bytes(Cut(np.array([3, 5])))
    with pytest.raises(ValueError, match="hold a Cut, expected a PageRecords"):
        decode(data, PageRecords)
    with pytest.raises(ValueError, match="1 bytes more than the Cut has"):
        decode(data + b"x", Cut)
    for damaged in (b"", data[:4], data[:-1], data.replace(b'"cut"', b'"cat"'), data.replace(b"<i8", b"|O8")):
        with pytest.raises(ValueError, match=r"."):
            decode(damaged, Cut)
    with pytest.raises(TypeError, match="a set cannot be stored"):
        to_bytes({"a": {1}})


def test_a_signal_comes_back() -> None:
    signal = Signal(np.int16([[1, -1]]), np.float32([[0.5, 0]]), 0.25)
    again = decode(to_bytes(signal), Signal)
    assert (again.weight, again.probabilities.tolist(), again.languages.tolist()) == (0.25, [[0.5, 0]], [[1, -1]])


def test_a_superstep_from_a_checkpoint_is_the_same_to_the_last_bit() -> None:
    graph, evidence = web(1)
    ids = np.random.default_rng(1).permutation(graph.n).astype(np.int64)
    parts = [part.sort() for part in partitions(graph, evidence, evidence.host % 2, ids)]
    *_, learned = learn_parameters(parts, Cut())
    said = join_records([introduce(part, OPTIONS) for part in parts])
    ready = [make_partition_ready(part, learned, decode_ghosts(part, said), OPTIONS) for part in parts]
    labels = join_records([find_border_labels(prepare_supersteps(one, None, OPTIONS)) for one in ready])
    mine, others = (labels.of(one.here.ids[one.here.ghosts]) for one in ready)
    prepared = prepare_supersteps(ready[0], mine, OPTIONS)
    again = prepare_supersteps(decode(to_bytes(ready[0]), Ready), decode(to_bytes(mine), PageRecords), OPTIONS)
    assert to_bytes(again) == to_bytes(prepared)
    again = decode(to_bytes(prepared), Prepared)
    heard = first(prepare_supersteps(ready[1], others, OPTIONS), OPTIONS).border.of(prepared.ids[prepared.ghosts])
    start = step = first(prepared, OPTIONS)
    for _ in range(2):
        motion = apply_moves(start.motion, decode(to_bytes(find_moves(start.motion, step.motion)), Moves))
        assert to_bytes(motion) == to_bytes(step.motion)
        step, other = (
            advance(one, heard, replace(step, motion=at), OPTIONS)
            for one, at in ((prepared, step.motion), (again, motion))
        )
        assert to_bytes(step.border) == to_bytes(other.border)
        assert to_bytes(step.moved) == to_bytes(other.moved)
        assert to_bytes(step.motion) == to_bytes(other.motion)
    answer, same = (answer_of(one, heard, step.motion, OPTIONS) for one in (prepared, again))
    assert answer.probabilities.tobytes() == same.probabilities.tobytes()
    assert answer.languages.tobytes() == same.languages.tobytes()
