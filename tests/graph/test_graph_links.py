"""The kernels over lists of links, against counting by sets."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.graph import adjacency
from graphlang.graph.adjacency import SortedLinks, sort_links
from graphlang.graph.data import Graph
from graphlang.graph.propagation import compatibility, edge_features
from graphlang.native import threads

sys.path.append(str(Path(__file__).parent))
import graph_definitions as definitions

PAIRS = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=40)


def links_of(pairs: list[tuple[int, int]], n: int = 9) -> SortedLinks:
    ends = np.array(pairs, np.int32).reshape(-1, 2)
    m = len(ends)
    return sort_links(Graph(n, ends[:, 0], ends[:, 1], np.full(m, 7, np.uint8), np.full(m, -1, np.int16)))


@given(PAIRS, st.integers(0, 6))
def test_what_the_ends_of_links_have_in_common(pairs: list[tuple[int, int]], longest: int) -> None:
    distinct = {(s, t) for s, t in pairs if s != t}
    links = links_of(pairs)
    assert list(zip(links.source.tolist(), links.target.tolist(), strict=True)) == sorted(distinct)
    back, mutual = links.reciprocal()
    assert back.tolist() == [(t, s) in distinct for s, t in sorted(distinct)]
    assert mutual.tolist() == [sum((p, t) in distinct and (t, p) in distinct for t in range(9)) for p in range(9)]
    ins = [sorted(s for s, t in distinct if t == page) for page in range(9)]
    assert [links.in_source[links.in_start[p] : links.in_start[p + 1]].tolist() for p in range(9)] == ins
    everything = np.arange(links.m)
    shape = edge_features.EdgeFeatures(links, everything, longest)
    found = shape.compute(everything)
    expected = definitions.edge_features(distinct, 9, longest)
    assert found == pytest.approx(np.array(expected).reshape(-1, 14), abs=1e-6)
    middle, width, weights = np.linspace(-1, 1, 14, dtype=np.float32), np.full(14, 0.3, np.float32), np.arange(14.0)
    odds = np.clip((found - middle) / width, -4, 4) @ weights
    assert shape.log_odds(everything, middle, width, weights) == pytest.approx(odds, abs=1e-4)


@pytest.mark.parametrize("far", [2**15 - 1, 2**15, 2**15 + 1, 100_000])
@pytest.mark.parametrize("of_targets", [1, 4, 300])
def test_neighbours_with_distant_numbers_are_distinct(far: int, of_targets: int) -> None:
    """Three pages that link to each other, with neighbours in common before them, among them and behind them."""
    ends = [far + 5, far + 6, 2 * far + 6]
    others = [5, 6, 7, *range(far + 10, far + 10 + of_targets), 2 * far + 5, 2 * far + 7, 2 * far + 8]
    pairs = {(s, t) for s in ends for t in ends if s != t} | {(end, other) for end in ends for other in others}
    pairs |= {(other, end) for end in ends for other in others[::2]} - {(others[0], ends[0])}
    links = links_of(sorted(pairs), 2 * far + 9 + of_targets)
    everything = np.arange(links.m)
    shape = edge_features.EdgeFeatures(links, everything)
    assert shape.longest == 300  # the ends have more neighbours where there are 300 besides
    numbers = {page: i for i, page in enumerate(sorted({*ends, *others}))}  # the definition looks at every page
    few = {(numbers[s], numbers[t]) for s, t in pairs}
    expected = definitions.edge_features(few, len(numbers), shape.longest)
    assert shape.compute(everything) == pytest.approx(np.array(expected), abs=1e-6)


@given(PAIRS, st.lists(st.booleans(), min_size=9, max_size=9))
def test_evidence_reaches_along_chains_of_links(pairs: list[tuple[int, int]], silent: list[bool]) -> None:
    ends = np.array(pairs, np.int32).reshape(-1, 2)
    found = adjacency.find_reached(ends[:, 0].copy(), ends[:, 1].copy(), np.array(silent))
    assert found.tolist() == definitions.reached(pairs, silent)


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    links = links_of([tuple(pair) for pair in rng.integers(0, 60, (900, 2)).tolist()], 60)
    everything = np.arange(links.m)
    alone = edge_features.EdgeFeatures(links, everything).compute(everything)
    order = adjacency.order_by_target(links.target, links.n)
    monkeypatch.setattr(threads, "LEAST", 100)
    monkeypatch.setattr(threads, "cores", lambda: 3)
    assert len(threads.split_evenly(links.m)) == len(adjacency._split_links(links.m, links.n)) == 3
    again = sort_links(Graph(links.n, links.source, links.target, links.kind, links.hreflang))
    for name in ("out_start", "in_start", "in_source"):
        assert (getattr(again, name) == getattr(links, name)).all()
    for found, expected in zip(adjacency.order_by_target(links.target, links.n), order, strict=True):
        assert (found == expected).all()
    assert (edge_features.EdgeFeatures(links, everything).compute(everything) == alone).all()
    steps = edge_features.EdgeFeatures(links, everything)._steps(everything, 300)
    monkeypatch.setattr(edge_features, "LEAST", steps)
    monkeypatch.setattr(edge_features, "AFFORDABLE", 0)
    assert edge_features.EdgeFeatures(links, everything).longest == edge_features.LONGEST[0]
    monkeypatch.setattr(edge_features, "LEAST", steps - 1)
    assert edge_features.EdgeFeatures(links, everything).longest < edge_features.LONGEST[0]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=30), st.data())
def test_no_links_cost_more_than_what_is_said_of_all(pairs: list[tuple[int, int]], data: st.DataObject) -> None:
    links = links_of(pairs, 7)
    wanted = np.flatnonzero([data.draw(st.booleans()) for _ in range(links.m)])
    shape, longest = edge_features.EdgeFeatures(links, wanted), data.draw(st.integers(0, 4))
    assert shape._steps(wanted, longest) <= shape._bound_steps(longest)


@pytest.mark.parametrize("many", [126, 127, 128, 200, 254, 255, 299])
def test_as_many_neighbours_as_a_list_may_have_are_counted(many: int) -> None:
    # pages 0 and 1 link to the same pages and are linked to by them; page 0 links to page 1 as well
    others = range(2, 2 + many)
    pairs = [(0, 1), *((n, end) for n in others for end in (0, 1)), *((end, n) for n in others for end in (0, 1))]
    links = links_of(pairs, 2 + many)
    features = edge_features.EdgeFeatures(links, np.int32([0])).compute(np.int32([0]))[0]
    found = dict(zip(edge_features.NAMES, features.tolist(), strict=True))
    for name in ("common targets", "common sources", "detours"):
        assert found[name] == pytest.approx(np.log1p(many))
    assert found["targets shared"] == pytest.approx(many / (many + 1))  # page 1 is a target of page 0 alone


def test_what_is_drawn_of_the_links_depends_on_their_pages_not_on_blocks_or_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(5)
    links = links_of([tuple(pair) for pair in rng.integers(0, 60, (900, 2)).tolist()], 60)
    label, length = rng.integers(-1, 3, 60).astype(np.int16), rng.integers(1, 9**9, 60).astype(np.int32)
    given_ = (links, label, rng.integers(0, 4, 60).astype(np.int32), length)
    every = compatibility.draw_sample(*given_)
    assert every.tolist() == [i for i in range(links.m) if label[links.source[i]] >= 0 and label[links.target[i]] >= 0]
    monkeypatch.setattr(compatibility, "SAMPLE", 40)
    few = compatibility.draw_sample(*given_)
    assert len(few) == 40
    assert (np.diff(few) > 0).all()
    assert set(few) < set(every)
    monkeypatch.setattr(threads, "cores", lambda: 3)
    for size in (7, 90):
        monkeypatch.setattr(compatibility, "AT_ONCE", size)
        assert compatibility.draw_sample(*given_).tolist() == few.tolist()


def test_a_graph_that_would_cost_too_much_compares_shorter_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    # a ring of 60 pages that all link to a hub: looking through the hub's list for each of these links is what costs
    links = links_of([(n, 0) for n in range(1, 61)] + [(n, n % 60 + 1) for n in range(1, 61)], 61)
    everything = np.arange(links.m)
    shape = edge_features.EdgeFeatures(links, everything)
    assert shape._bound_steps(100) == 60 * (60 + 2) + 60 * 3 * (1 + 2)  # of the hub, and of the others
    assert shape._bound_steps(30) == 60 * 3 * (1 + 2)
    assert edge_features.EdgeFeatures(links, everything).longest == edge_features.LONGEST[0]
    monkeypatch.setattr(edge_features, "LEAST", 600)
    monkeypatch.setattr(edge_features, "AFFORDABLE", 0)
    shape = edge_features.EdgeFeatures(links, everything)
    assert shape.longest == 30
    to_hub = links.target == 0
    detours = edge_features.NAMES.index("detours")  # from each page over the next one to the hub
    assert not shape.compute(everything)[to_hub, detours].any()  # the hub's list is left out
    monkeypatch.setattr(edge_features, "LEAST", 0)
    shape = edge_features.EdgeFeatures(links, everything)
    assert shape.longest == 0
    assert not shape.compute(everything)[:, 9:].any()


def test_arrays_that_do_not_fit_are_refused() -> None:
    one = np.zeros(1, np.int32)
    links = links_of([(0, 1)], 2)
    for start, words in (
        ([0, 2, 1], r"^out_start\[1\] = 2 is outside 0\.\.1$"),
        ([1, 0, 1], r"^out_start\[1\] = 0 is outside 1\.\.1$"),
        ([0, 1], r"^out_start has shape \(2,\)"),
    ):
        with pytest.raises(ValueError, match=words):
            replace(links, out_start=np.array(start)).reciprocal()
    shape = edge_features.EdgeFeatures(links, one)
    for number in (1, -1):
        with pytest.raises(ValueError, match=rf"^numbers\[0\] = {number} is outside 0\.\.0$"):
            shape.compute(one + number)
    with pytest.raises(ValueError, match=r"^mean has shape \(3,\), expected \(GRAPHLANG_EDGE_FEATURES,\) = \(14,\)$"):
        shape.log_odds(one, np.ones(3, np.float32), np.ones(14, np.float32), np.ones(14))
    with pytest.raises(ValueError, match=r"^ends\[0\] = 2 is outside 0\.\.1$"):
        adjacency.find_first_links(one + 2, 2)
