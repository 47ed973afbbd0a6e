"""Small parts of the inference, each computed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.graph.adjacency import find_first_links, sort_links
from graphlang.graph.data import Graph
from graphlang.graph.propagation import messages
from graphlang.graph.propagation.compatibility import learn
from graphlang.graph.propagation.edge_features import EdgeFeatures
from graphlang.graph.propagation.group_tables import group_of
from graphlang.graph.propagation.message_weights import compute_message_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray


def links(n: int, pairs: list[tuple[int, int]]) -> Graph:
    ends = np.array(pairs, np.int32).reshape(-1, 2)
    m = len(ends)
    return Graph(n, ends[:, 0].copy(), ends[:, 1].copy(), np.full(m, 7, np.uint8), np.full(m, -1, np.int16))


def classes_of(order: NDArray[Any], receiver: NDArray[Any], *given_: NDArray[Any]) -> messages.MessageClasses:
    """Of links whose receivers ascend."""
    *of_links, kin, host, number = given_
    of_pages = (number, kin, host)
    links = messages.link_messages(find_first_links(receiver, len(host)), order, *of_links, *of_pages)
    return messages.group_by_class(messages.classify_links(links, *of_pages, between=9))


PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30)


@given(PAIRS)
def test_reciprocal_links_are_those_whose_reverse_is_there(pairs: list[tuple[int, int]]) -> None:
    known = sort_links(links(7, pairs))
    there = set(zip(known.source.tolist(), known.target.tolist(), strict=True))
    assert len(there) == known.m
    assert known.reciprocal()[0].tolist() == [(t, s) in there for s, t in zip(known.source, known.target, strict=True)]


def test_voices_of_some_pages_are_found_by_their_senders() -> None:
    sender, receiver = np.int32([0, 1, 1, 2]), np.int32([3, 3, 4, 4])
    host = np.zeros(5, np.int32)
    level, kin = np.uint8([5, 5, 6, 5]), np.arange(5, dtype=np.int32)
    number = np.int32([0, 1, -1, 2, 3])
    every = np.arange(4, dtype=np.int32)
    said = classes_of(every, receiver, sender, np.ones(4, np.float32), level, kin, host, number)
    assert said.sender[said.select_by_sender(np.array([0, 1]))].tolist() == [0, 1, 1]
    assert said.sender[said.select_by_sender(np.arange(4))].tolist() == [0, 1, 1]
    assert said.select_by_sender(np.array([2, 3])).tolist() == []  # page 2 does not move, pages 3 and 4 say nothing
    assert said.select_by_sender(np.zeros(0, np.int64)).tolist() == []


def test_of_latent_senders_all_is_kept_and_of_the_others_nothing() -> None:
    sender, receiver = np.int32([2, 0, 1, 0]), np.int32([1, 3, 3, 4])
    number, kin = np.int32([0, 1, -1, 2, 3]), np.int32([1, 2, 0, 3, 4])  # page 2 is clamped
    host, every = np.zeros(5, np.int32), np.arange(4, dtype=np.int32)
    weight = np.float32([1, 2, 3, 4])
    said = classes_of(every, receiver, sender, weight, np.uint8([5, 5, 6, 7]), kin, host, number)
    few = messages.keep_latent_senders(said)
    assert said.sender.tolist() == [2, 0, 0, 1]
    assert few.sender.tolist() == [0, 0, 1]
    assert few.start.tolist() == [0, 1, 2, 3]
    assert few.receiver.tolist() == [2, 3, 2]  # pages 3, 4 and 3
    assert few.weight.tolist() == [2, 4, 3]
    assert (few.coupling == said.coupling[1:]).all()
    assert few.select_by_sender(np.array([1])).tolist() == [2]
    assert few.select_by_sender(np.array([0])).tolist() == [0, 1]
    mixed = classes_of(every, receiver, sender, weight, np.uint8([5, 5, 6, 7]), kin[::-1].copy(), host, number)
    with pytest.raises(ValueError, match=r"^classes of latent senders are not the last ones"):
        messages.keep_latent_senders(mixed)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2), st.integers(1, 9)), max_size=40),
    st.lists(st.integers(0, 1), min_size=5, max_size=5),
)
def test_what_a_page_hears_is_the_sum_over_its_links(rows: list[tuple[int, int, int, int]], homes: list[int]) -> None:
    rows.sort()
    receiver, sender, level, share = (
        (np.array(column, np.int64) for column in zip(*rows, strict=True)) if rows else (np.zeros((4, 0), np.int64))
    )
    kin, home, free = np.int32([0, 1, 1, 2, 3]), np.array(homes, np.int32), np.arange(5, dtype=np.int32)
    small = (receiver.astype(np.int32), sender.astype(np.int32), share.astype(np.float32))
    every = np.arange(len(rows), dtype=np.int32)
    said = classes_of(every, *small, level.astype(np.uint8), kin, home, free)
    if rows:
        with pytest.raises(ValueError, match=rf"order\[{len(rows) - 1}\] = {len(rows)} is outside"):
            classes_of(every + 1, *small, level.astype(np.uint8), kin, home, free)
    assert {(int(home[one]), int(group)) for one, group in zip(said.sender, said.group, strict=True)} <= {
        (number, group) for number in (0, 1) for group in (number, 9)
    }
    heard: dict[tuple[int, int, int, bool], float] = {}
    for to, by, at, weight in rows:
        key = (to, int(kin[by]), at, bool(home[to] != home[by]))
        heard[key] = heard.get(key, 0) + weight
    voice = np.repeat(np.arange(len(said.sender)), np.diff(said.start))
    entries = (said.receiver.tolist(), voice.tolist(), said.weight.tolist())
    assert len(said.weight) == len(heard)
    assert {
        (
            to,
            int(kin[said.sender[v]]),
            int(np.searchsorted(messages.LEVELS, said.coupling[v])),
            bool(said.group[v] == 9),
        ): total
        for to, v, total in zip(*entries, strict=True)
    } == heard


def test_keys_and_ends_out_of_range_are_refused() -> None:
    for key in (64, -1):
        with pytest.raises(ValueError, match=rf"keys\[0\] = {key} is outside 0\.\.63"):
            messages.number_keys(np.array([key]), 5)
    ends, bond, host = np.int32([1, 0]), np.ones(2, np.float32), np.zeros(2, np.int32)
    with pytest.raises(ValueError, match=r"source\[1\] = 0 comes after 1"):
        compute_message_weights(ends, ends[::-1].copy(), bond, host, 1.0)
    with pytest.raises(ValueError, match=r"ends\[1\] = 2 is outside 0\.\.1"):
        compute_message_weights(np.int32([0, 2]), ends, bond, host, 1.0)
    with pytest.raises(ValueError, match=r"coupling has shape \(1,\), expected \(links,\) = \(2,\)"):
        compute_message_weights(ends[::-1].copy(), ends, bond[:1], host, 1.0)


def test_neighbours_on_one_host_share_and_hosts_share_again() -> None:
    # page 0 hears two pages of its own host and four of another; one bond counts for each host, and one in all
    source, target = np.int32([1, 2, 3, 4, 5, 6]), np.zeros(6, np.int32)
    shared = compute_message_weights(source, target, np.ones(6, np.float32), np.int32([0, 0, 0, 1, 1, 1, 1]), 1.0)
    assert shared.to_target == pytest.approx([1 / 2] * 2 + [1 / 4] * 4)
    assert shared.page[0] == pytest.approx(1 / 2)
    assert shared.to_source == pytest.approx(1)  # each of the others has one neighbour
    assert shared.page[1:] == pytest.approx(1)


def test_a_switch_of_language_costs_no_share() -> None:
    source, target = np.int32([1, 2]), np.zeros(2, np.int32)
    shared = compute_message_weights(source, target, np.float32([0, 0]), np.zeros(3, np.int32), 1.0)
    assert shared.to_target.tolist() == [1, 1]
    assert shared.page.tolist() == [1, 1, 1]


def test_links_between_hosts_are_a_group_of_their_own() -> None:
    # two hosts, each in one language: only the table between the hosts knows both
    known = sort_links(links(4, [(0, 1), (2, 3), (1, 2)]))
    sites = np.array([[0.99, 0.01], [0.01, 0.99]])
    host, label = np.int32([0, 0, 1, 1]), np.int16([0, 0, 1, 1])
    every = np.arange(3, dtype=np.int32)
    features = EdgeFeatures(known, every)
    model = learn(known, features, host, label, sites, np.array([0.5, 0.5]), np.full(4, 500, np.int32))
    learned = model.apply(known.select(every), features, every, host)
    assert group_of(learned.source, learned.target, host, 2).tolist() == [0, 2, 1]  # links (0, 1), (1, 2), (2, 3)
    assert learned.source_marginal.shape == (3, 2)
    assert learned.source_marginal[2].min() > 0.3
    assert learned.source_marginal[:2].min() < 0.1


def test_many_links_that_say_the_same_are_added_up_exactly() -> None:
    links, one = 3_000_000, np.zeros(1, np.int32)
    every = np.zeros(links, np.int32)
    said = classes_of(
        *(np.arange(links, dtype=np.int32), every, every, np.full(links, 4 / links, np.float32)),
        *(np.zeros(links, np.uint8), one, one, one),
    )
    assert said.weight.tolist() == pytest.approx([4.0], rel=1e-6)
