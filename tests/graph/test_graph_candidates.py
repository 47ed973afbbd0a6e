"""Few languages for each page: with enough slots nothing changes, and without next to nothing."""

from __future__ import annotations

import numpy as np
import pytest

from graphlang.graph.adjacency import sort_links
from graphlang.graph.data import Evidence, FixedBeliefs, Graph, Signal
from graphlang.graph.propagation import candidates
from graphlang.graph.propagation.inference import Options, prepare, propagate

LANGUAGES = 12
CODES = tuple(f"q{letter}a" for letter in "abcdefghijkl")


def web(seed: int, pages: int = 120) -> tuple[Graph, Evidence]:
    """Hosts of twenty pages, each in one of many languages; a third of the pages is short, and some have no text."""
    rng = np.random.default_rng(seed)
    host = np.arange(pages, dtype=np.int32) // 20
    truth = rng.integers(0, LANGUAGES, pages // 20 + 1)[host]
    source = rng.integers(0, pages, 6 * pages)
    there = np.where(rng.random(len(source)) < 0.8, source // 20 * 20, rng.integers(0, pages - 20, len(source)))
    target = there + rng.integers(0, 20, len(source))
    short = rng.random(pages) < 0.4
    lists = np.stack([truth, (truth + 1) % LANGUAGES, (truth + 2) % LANGUAGES], axis=1).astype(np.int16)
    chances = np.tile(np.float32([0.9, 0.05, 0.05]), (pages, 1))
    chances[short] = np.float32([0.4, 0.35, 0.2])
    length = np.where(short, rng.integers(1, 30, pages), 900).astype(np.int32)
    lists[short & (length < 10)], chances[short & (length < 10)] = -1, 0
    length[length < 10] = 0
    m = len(source)
    kinds, none = np.full(m, 7, np.uint8), np.full(m, -1, np.int16)
    graph = Graph(pages, source.astype(np.int32), target.astype(np.int32), kinds, none)
    return graph, Evidence(CODES, lists, chances, length, host)


@pytest.mark.parametrize("seed", range(8))
def test_few_slots_give_the_answers_of_all(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, evidence = web(seed)
    full = propagate(graph, evidence, trace=[0, 1, 2, 3])
    monkeypatch.setattr(candidates, "MOST", 6)
    few = propagate(graph, evidence, trace=[0, 1, 2, 3])
    assert few.language.tolist() == full.language.tolist()
    assert few.confidence == pytest.approx(full.confidence, abs=0.02)
    for trace in few.traces.values():
        assert sum(part.log_odds for part in trace.contributions) == pytest.approx(trace.log_odds)


def test_a_language_comes_in_through_pages_without_text(monkeypatch: pytest.MonkeyPatch) -> None:
    # a page in a rare language at the end of a chain of pages without text; the site's other pages fill all slots
    monkeypatch.setattr(candidates, "MOST", 3)
    links = sort_links(
        Graph(5, np.int32([0, 1, 2]), np.int32([1, 2, 3]), np.full(3, 7, np.uint8), np.full(3, -1, np.int16))
    )
    near = candidates.Nearby(links, np.int16([5, -1, -1, -1, -1]), LANGUAGES)
    assert near.shares(np.array([3]))[0].tolist() == [0] * 5 + [1] + [0] * 6
    assert not near.shares(np.array([4])).any()


def test_pages_keep_the_likeliest_and_the_sum_of_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST", 2)
    scores = np.float32([[0.1, 0.5, 0.1, 0.3], [0.4, 0.1, 0.3, 0.2]])
    kept = candidates.choose(scores)
    assert kept.tolist() == [[1, 3], [0, 2]]
    assert np.exp(candidates.gather(np.log(scores), kept)) == pytest.approx(
        np.float32([[0.5, 0.3, 0.2], [0.4, 0.3, 0.3]])
    )


def test_the_last_bits_of_a_score_decide_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST", 2)
    alike = np.float32([0.3, 0.3, 0.1, 0.3])
    for sign in (1, -1):
        scores = np.float32([alike + sign * np.float32(1e-6) * np.arange(4), alike])
        assert candidates.choose(scores).tolist() == [[1, 3], [1, 3]]
        assert candidates.choose(np.log(scores)).tolist() == [[0, 1], [0, 1]]
        assert candidates.choose(scores + np.float32([0.001, 0, 0, 0])).tolist() == [[0, 3], [0, 3]]


def test_a_page_of_which_others_know_nothing_names_no_language(monkeypatch: pytest.MonkeyPatch) -> None:
    # page 2 has no text, and page 3, which is answered for elsewhere, may be anything: not language 0, of all
    monkeypatch.setattr(candidates, "MOST", 2)
    lists = np.int16([[1], [2], [-1], [-1]])
    chances, length = np.float32([[0.9], [0.9], [0], [0]]), np.int32([900, 900, 0, 0])
    signal = Signal(np.int16([[-1], [0], [-1], [-1]]), np.float32([[0], [1], [0], [0]]), 0.5)
    evidence = Evidence(CODES, lists, chances, length, np.int32([0, 0, 0, 1]), signals={"declared": signal})
    links = Graph(4, np.int32([2, 3]), np.int32([3, 2]), np.full(2, 7, np.uint8), np.full(2, -1, np.int16))
    fixed = FixedBeliefs(np.array([3]), np.int16([[-1]]), np.float32([[0]]))
    found = prepare(links, evidence, options=Options(), fixed=fixed)
    assert found is not None
    named = found.potentials.active[found.potentials.candidates[found.potentials.number[2]]]
    assert named.tolist() == [1, 2]


@pytest.mark.parametrize("at_once", [1, 3, 1000])
def test_neighbours_are_counted_alike_however_many_links_are_looked_at_at_once(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # page 0 (language 3) is linked from pages in 1, 1 and 2, and links to one in 2
    monkeypatch.setattr(candidates, "LINKS", at_once)
    ends = np.int32([1, 2, 3, 0]), np.int32([0, 0, 0, 4])
    links = sort_links(Graph(5, *ends, np.full(4, 7, np.uint8), np.full(4, -1, np.int16)))
    near = candidates.Nearby(links, np.int16([3, 1, 1, 2, 2]), 4)
    assert near.shares(np.array([0, 1, 4])).tolist() == [[0, 0.5, 0.5, 0], [0, 0, 0, 1], [0, 0, 0, 1]]


def sixty(links: list[tuple[int, int, int]], pages: int) -> tuple[Graph, Evidence]:
    """Sixty languages on as many hosts, and pages without text on one more."""
    source, target, kind = (np.array(column) for column in zip(*links, strict=True))
    n = 60 + pages
    lists = np.full((n, 1), -1, np.int16)
    lists[:60, 0] = np.arange(60)
    length = np.where(np.arange(n) < 60, 900, 0).astype(np.int32)
    host = np.minimum(np.arange(n), 60).astype(np.int32)
    graph = Graph(
        n, source.astype(np.int32), target.astype(np.int32), kind.astype(np.uint8), np.full(len(links), -1, np.int16)
    )
    codes = tuple(f"q{i:02d}" for i in range(60))
    return graph, Evidence(codes, lists, np.where(lists >= 0, 0.99, 0).astype(np.float32), length, host)


@pytest.mark.parametrize("kind", [1, 7])
def test_a_neighbour_that_only_a_signal_knows_has_a_slot(kind: int) -> None:
    # page 60 redirects, or links, to page 61, which declares the last of sixty languages; neither has any text
    graph, evidence = sixty([(60, 61, kind)], 2)
    declared = np.full((62, 1), -1, np.int16)
    declared[61] = 59
    chances = np.where(declared >= 0, 1, 0).astype(np.float32)
    signals = {"declared": Signal(declared, chances, 0.8)}
    evidence = Evidence(
        evidence.codes, evidence.languages, evidence.probabilities, evidence.length, evidence.host, signals=signals
    )
    answer = propagate(graph, evidence, trace=[61])
    assert answer.language[60:].tolist() == [59, 59]
    weights = {part.source: part.weight for part in answer.traces[61].contributions if part.neighbour < 0}
    assert weights == {"text": 1.0, "site": Options().site, "declared": 0.8}


def test_links_without_weight_leave_the_slots_alone() -> None:
    graph, evidence = sixty([(n, 60, 7) for n in range(30, 60)] + [(60, 61, 7)], 2)
    without = propagate(Graph(62, *(np.zeros(0, kind) for kind in (np.int32, np.int32, np.uint8, np.int16))), evidence)
    answer = propagate(graph, evidence, options=Options(neighbours=0))
    assert answer.languages.tolist() == without.languages.tolist()
