"""What is learned once and handed in, and pages whose belief is given: parts of a collection answer like the whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graphlang.graph.data import Evidence, FixedBeliefs, Graph, Signal
from graphlang.graph.propagation import rounds
from graphlang.graph.propagation.inference import Options, learn, propagate

CODES = tuple(f"q{letter}a" for letter in "abcdef")
SITE = 25  #: pages of a host


def web(seed: int, hosts: int = 8) -> tuple[Graph, Evidence]:
    """Hosts in one language each, or in two; a third of the pages is short or empty; links within hosts and between."""
    rng = np.random.default_rng(seed)
    n = SITE * hosts
    host = np.arange(n, dtype=np.int32) // SITE
    truth = np.where(rng.random(n) < 0.2, host + 1, host) % len(CODES)
    source = rng.integers(0, n, 6 * n)
    target = np.where(
        rng.random(6 * n) < 0.85, source // SITE * SITE + rng.integers(0, SITE, 6 * n), rng.integers(0, n, 6 * n)
    )
    kind = rng.choice(np.array([7, 7, 7, 6, 3, 1], np.uint8), 6 * n)
    ordinal = rng.integers(0, 6, 6 * n).astype(np.int16)
    graph = Graph(
        n, source.astype(np.int32), target.astype(np.int32), kind, np.full(6 * n, -1, np.int16), None, ordinal
    )
    length = np.where(rng.random(n) < 0.35, rng.integers(0, 40, n), 900).astype(np.int32)
    lists = np.stack([truth, (truth + 1) % len(CODES)], axis=1).astype(np.int16)
    scores = np.where(length[:, None] < 40, np.float32([0.45, 0.4]), np.float32([0.9, 0.05])).astype(np.float32)
    lists[length < 10], scores[length < 10], length[length < 10] = -1, 0, 0
    declared = np.where(rng.random(n) < 0.4, truth, -1)[:, None].astype(np.int16)
    signal = Signal(declared, (declared >= 0).astype(np.float32), 0.7)
    return graph, Evidence(CODES, lists, scores, length, host, host * 3 % 5, {"declared": signal})


def part_of(graph: Graph, evidence: Evidence, rows: np.ndarray) -> tuple[Graph, Evidence]:
    """Some pages, and the links between them."""
    number = np.full(graph.n, -1, np.int32)
    number[rows] = np.arange(len(rows))
    some = (number[graph.source] >= 0) & (number[graph.target] >= 0)
    assert graph.ordinal is not None
    ends = number[graph.source[some]], number[graph.target[some]]
    links = Graph(len(rows), *ends, graph.kind[some], graph.hreflang[some], None, graph.ordinal[some])
    signals = {
        name: replace(one, languages=one.languages[rows], probabilities=one.probabilities[rows])
        for name, one in evidence.signals.items()
    }
    assert evidence.directory is not None
    of_pages = (evidence.languages, evidence.probabilities, evidence.length, evidence.host, evidence.directory)
    return links, Evidence(CODES, *(column[rows] for column in of_pages), signals)


def fix_beliefs(answer: object, rows: np.ndarray) -> FixedBeliefs:
    return FixedBeliefs(rows, answer.languages[rows], answer.probabilities[rows])


@pytest.mark.parametrize("seed", range(4))
def test_what_was_learned_of_the_same_pages_changes_no_bit(seed: int) -> None:
    graph, evidence = web(seed)
    whole = propagate(graph, evidence, trace=[3, 7])
    again = propagate(graph, evidence, learned=learn(graph, evidence), trace=[3, 7])
    assert np.array_equal(whole.languages, again.languages)
    assert np.array_equal(whole.probabilities, again.probabilities)
    assert whole.traces == again.traces
    options = Options(degree=2.0, link_order=0.0, neighbours=0.5)
    whole = propagate(graph, evidence, options=options)
    again = propagate(graph, evidence, options=options, learned=learn(graph, evidence, options=options))
    assert np.array_equal(whole.probabilities, again.probabilities)


@pytest.mark.parametrize("seed", range(4))
def test_a_page_whose_neighbours_are_held_at_what_they_came_to_comes_to_the_same(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "RELAY", 1.0)  # the answers are what the pages tell their neighbours
    graph, evidence = web(seed)
    options, learned = Options(tolerance=1e-6), learn(graph, evidence)
    whole = propagate(graph, evidence, options=options)
    assert whole.converged
    latent = np.flatnonzero(evidence.length < options.clamp_length)
    for page in latent[:5]:
        fixed = fix_beliefs(whole, latent[latent != page])
        held = propagate(graph, evidence, options=options, learned=learned, fixed=fixed)
        assert held.probabilities[page] == pytest.approx(whole.probabilities[page], abs=1e-5)
        assert held.language.tolist() == whole.language.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_pages_held_at_what_they_came_to_leave_the_others_their_languages(seed: int) -> None:
    # the equations may have several solutions, so that probabilities can differ
    graph, evidence = web(seed)
    whole = propagate(graph, evidence)
    held = np.flatnonzero((evidence.host % 2 == 0) & (evidence.length < Options().clamp_length))
    answer = propagate(graph, evidence, learned=learn(graph, evidence), fixed=fix_beliefs(whole, held))
    assert np.mean(answer.language == whole.language) > 0.99


def test_blocks_with_ghosts_at_their_borders_answer_like_the_whole() -> None:
    # four blocks of two hosts each; the neighbours on other hosts are there with the belief that the whole came to
    graph, evidence = web(9)
    whole, learned = propagate(graph, evidence), learn(graph, evidence)
    agreed, short = [], evidence.length < Options().clamp_length
    for block in range(4):
        mine = evidence.host // 2 == block
        border = np.zeros(graph.n, bool)
        border[graph.target[mine[graph.source]]] = border[graph.source[mine[graph.target]]] = True
        rows = np.flatnonzero(mine | border)
        ghosts = np.flatnonzero((~mine & short)[rows])
        fixed = FixedBeliefs(ghosts, whole.languages[rows[ghosts]], whole.probabilities[rows[ghosts]])
        answer = propagate(*part_of(graph, evidence, rows), learned=learned, fixed=fixed)
        agreed += (answer.language == whole.language[rows])[(mine & short)[rows]].tolist()
    assert len(agreed) == short.sum()
    assert np.mean(agreed) > 0.95


def test_hosts_that_were_not_in_the_sample_are_learned_from_their_own_pages() -> None:
    graph, evidence = web(2)
    sample = np.flatnonzero(evidence.host < 5)
    learned = learn(*part_of(graph, evidence, sample))
    assert learned.hosts.tolist() == [0, 1, 2, 3, 4]
    rest = np.flatnonzero(evidence.host >= 4)  # one host that the sample had, three that it had not
    part = part_of(graph, evidence, rest)
    answer, whole = propagate(*part, learned=learned), propagate(graph, evidence)
    assert np.mean(answer.language == whole.language[rest]) > 0.9


def test_a_given_belief_is_the_answer_and_reaches_neighbours() -> None:
    # page 0 says one language by its text and is held at another; page 1 has no text and listens
    ends = np.int32([0]), np.int32([1])
    graph = Graph(3, *ends, np.uint8([7]), np.int16([-1]))
    lists = np.int16([[0], [-1], [1]])
    scores = np.where(lists >= 0, 0.95, 0).astype(np.float32)
    evidence = Evidence(("deu", "fra"), lists, scores, np.int32([900, 0, 900]), np.int32([0, 0, 1]))
    assert propagate(graph, evidence).language.tolist() == [0, 0, 1]
    fixed = FixedBeliefs(np.array([0]), np.int16([[1, -1]]), np.float32([[0.9, 0]]))
    answer = propagate(graph, evidence, fixed=fixed, trace=[0, 1])
    assert answer.language.tolist() == [1, 1, 1]
    assert answer.probabilities[0, :2].tolist() == pytest.approx([0.9, 0.1])  # what is left goes to the others
    assert answer.traces[1].contributions[-1].language == 1
    # a page without text that is given a belief has evidence
    fixed = FixedBeliefs(np.array([1]), np.int16([[1]]), np.float32([[0.8]]))
    assert propagate(graph, evidence, fixed=fixed).language.tolist() == [0, 1, 1]


def test_what_does_not_fit_is_refused() -> None:
    graph, evidence = web(1)
    learned = learn(graph, evidence)
    other = replace(evidence, codes=tuple(reversed(CODES)))
    with pytest.raises(ValueError, match="learned with 6 languages, the evidence has 6, 6 of them the same"):
        propagate(graph, other, learned=learned)
    one = np.int16([[0]]), np.float32([[0.5]])
    for rows, words in (([graph.n], r"rows\[0\] = 200 is outside 0\.\.199"), ([-1], r"rows\[0\] = -1 is outside")):
        with pytest.raises(ValueError, match=words):
            propagate(graph, evidence, fixed=FixedBeliefs(np.array(rows), *one))
    with pytest.raises(ValueError, match=r"languages\[0, 0\] = 6 is outside -1\.\.5"):
        propagate(graph, evidence, fixed=FixedBeliefs(np.array([0]), np.int16([[6]]), one[1]))
    with pytest.raises(ValueError, match=r"rows\[1\] = 3 comes after 3"):
        FixedBeliefs(np.array([3, 3]), np.int16([[0], [0]]), np.float32([[0.5], [0.5]]))
    with pytest.raises(ValueError, match=r"probabilities\[0, 0\] = 1.5 is not a probability"):
        FixedBeliefs(np.array([3]), np.int16([[0]]), np.float32([[1.5]]))
    nothing = Evidence(CODES, np.full((2, 1), -1, np.int16), np.zeros((2, 1), np.float32), *np.zeros((2, 2), np.int32))
    empty = Graph(2, *np.zeros((2, 0), np.int32), np.zeros(0, np.uint8), np.zeros(0, np.int16))
    with pytest.raises(ValueError, match="no evidence"):
        learn(empty, nothing)
