"""Small parts of the inference, each worked out on paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.graph import voices
from graphlang.graph.couplings import learn
from graphlang.graph.evidence import Graph
from graphlang.graph.matrix import canonical
from graphlang.graph.shares import shares


def links(n: int, pairs: list[tuple[int, int]]) -> Graph:
    ends = np.array(pairs, np.int32).reshape(-1, 2)
    m = len(ends)
    return Graph(n, ends[:, 0].copy(), ends[:, 1].copy(), np.full(m, 7, np.uint8), np.full(m, -1, np.int16))


PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30)


@given(PAIRS)
def test_reciprocal_links_are_those_whose_reverse_is_there(pairs: list[tuple[int, int]]) -> None:
    known = canonical(links(7, pairs))
    there = set(zip(known.source.tolist(), known.target.tolist(), strict=True))
    assert len(there) == known.m
    assert known.reciprocal().tolist() == [(t, s) in there for s, t in zip(known.source, known.target, strict=True)]


@given(st.lists(st.integers(0, 9), max_size=40), st.sampled_from([10, 1000]))
def test_places_are_those_of_unique_by_either_way(values: list[int], below: int) -> None:
    rows, place = voices.places(np.array(values, np.int32), below)
    assert rows.tolist() == sorted(set(values))
    assert rows[place].tolist() == values


def test_voices_of_some_pages_are_found_by_their_senders() -> None:
    sender, receiver = np.int32([0, 1, 1, 2]), np.int32([3, 3, 4, 4])
    host, moving = np.zeros(5, np.int32), np.array([True, True, False, True, True])
    level = np.uint8([5, 5, 6, 5])
    said = voices.voices(receiver, sender, np.ones(4, np.float32), host[sender], level, np.arange(5), host, moving)
    assert said.sender[said.of(np.array([0, 1]))].tolist() == [0, 1, 1]
    assert said.sender[said.of(np.array([2, 3]))].tolist() == []  # page 2 does not move, page 3 says nothing
    assert said.of(np.zeros(0, np.int64)).tolist() == []


def test_neighbours_on_one_host_share_and_hosts_share_again() -> None:
    # page 0 hears two pages of its own host and four of another; one bond counts for each host, and one in all
    source, target = np.int32([1, 2, 3, 4, 5, 6]), np.zeros(6, np.int32)
    shared = shares(source, target, np.ones(6, np.float32), np.int32([0, 0, 0, 1, 1, 1, 1]), 1.0)
    assert shared.along == pytest.approx([1 / 2] * 2 + [1 / 4] * 4)
    assert shared.page[0] == pytest.approx(1 / 2)
    assert shared.against == pytest.approx(1)  # each of the others has one neighbour
    assert shared.page[1:] == pytest.approx(1)


def test_a_switch_of_language_costs_no_share() -> None:
    source, target = np.int32([1, 2]), np.zeros(2, np.int32)
    shared = shares(source, target, np.float32([0, 0]), np.zeros(3, np.int32), 1.0)
    assert shared.along.tolist() == [1, 1]
    assert shared.page.tolist() == [1, 1, 1]


def test_links_between_hosts_are_a_group_of_their_own() -> None:
    # two hosts, each in one language: only the table between the hosts knows both
    known = canonical(links(4, [(0, 1), (2, 3), (1, 2)]))
    sites = np.array([[0.99, 0.01], [0.01, 0.99]])
    host, label = np.int32([0, 0, 1, 1]), np.int16([0, 0, 1, 1])
    learned = learn(known, np.arange(3), host, label, sites, np.array([0.5, 0.5]))
    assert learned.group.tolist() == [0, 2, 1]  # links (0, 1), (1, 2), (2, 3)
    assert learned.sources.shape == (3, 2)
    assert learned.sources[2].min() > 0.3
    assert learned.sources[:2].min() < 0.1
