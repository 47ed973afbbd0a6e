"""Pages that influence no other page may be left out: the inference and the votes give the others the same answers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.graph.data import Evidence, Graph, Signal
from graphlang.graph.propagation.inference import Options, propagate
from graphlang.graph.vote import inlinks, outlinks

CODES = ("eng", "deu", "fra")
LONG = 400

#: (best language or -1 for no text, characters, host) of a page that was read
PAGES = st.lists(
    st.tuples(st.sampled_from([-1, 0, 0, 1, 2]), st.sampled_from([10, 40, 160, LONG, LONG, LONG]), st.integers(0, 2)),
    min_size=2,
    max_size=9,
)


@st.composite
def webs(draw: st.DrawFn) -> tuple[Graph, Evidence]:
    """A few pages, what they say, and URLs that some of them link to; every language has a long text."""
    pages = [*draw(PAGES), *((language, LONG, language) for language in range(3))]
    urls = draw(st.lists(st.integers(0, 2), max_size=12))  # hosts
    n = len(pages) + len(urls)
    ends = st.tuples(st.integers(0, len(pages) - 1), st.integers(0, n - 1))
    pairs = draw(st.lists(ends.filter(lambda pair: pair[0] != pair[1]), unique=True, max_size=40))
    ordinals = draw(st.permutations(range(len(pairs))))
    languages, probabilities = np.full((n, 2), -1, np.int16), np.zeros((n, 2), np.float32)
    length = np.zeros(n, np.int32)
    for row, (language, characters, _) in enumerate(pages):
        if language >= 0:
            languages[row], probabilities[row] = (language, (language + 1) % 3), (0.8, 0.15)
            length[row] = characters
    host = np.array([*(host for *_, host in pages), *urls], np.int32)
    sounds = np.array(draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n)), np.int16)[:, None]
    signal = Signal(sounds, np.where(sounds >= 0, np.float32(0.7), np.float32(0)))
    source, target = (
        (np.array(end, np.int32) for end in zip(*pairs, strict=True)) if pairs else (np.zeros(0, np.int32),) * 2
    )
    kinds, none = np.full(len(pairs), 7, np.uint8), np.full(len(pairs), -1, np.int16)
    graph = Graph(n, source, target, kinds, none, ordinal=np.array(ordinals, np.int16))
    every = Evidence(CODES, languages, probabilities, length, host, signals={"url": signal})
    return graph, every


def without(graph: Graph, evidence: Evidence, asked: np.ndarray) -> tuple[Graph, Evidence, np.ndarray]:
    """The same, but for the pages without text all of whose neighbours have long texts; and the rows that stay."""
    latent = evidence.length < 200
    inside = evidence.length > 0
    inside[graph.target[latent[graph.source]]] = True
    inside[graph.source[latent[graph.target]]] = True
    inside |= graph_sources(graph)
    new = np.flatnonzero(asked & ~inside)
    rows = np.concatenate([np.flatnonzero(inside), new])
    out = np.setdiff1d(np.arange(graph.n), rows)
    place = np.empty(graph.n, np.int32)
    place[np.concatenate([rows, out])] = np.arange(graph.n)
    assert graph.ordinal is not None
    source, target = place[graph.source], place[graph.target]
    less = Graph(graph.n, source, target, graph.kind, graph.hreflang, ordinal=graph.ordinal, outside=evidence.host[out])
    signal = evidence.signals["url"]
    said = Signal(signal.languages[rows], signal.probabilities[rows])
    few = Evidence(
        evidence.codes,
        evidence.languages[rows],
        evidence.probabilities[rows],
        evidence.length[rows],
        evidence.host[rows],
        signals={"url": said},
        answer_only=len(new),
    )
    return less, few, rows


def graph_sources(graph: Graph) -> np.ndarray:
    found = np.zeros(graph.n, np.bool_)
    found[graph.source] = True
    return found


@settings(max_examples=40)
@given(webs(), st.randoms(use_true_random=False))
def test_what_is_left_out_changes_no_belief_of_the_others(web: tuple[Graph, Evidence], random: object) -> None:
    graph, evidence = web
    asked = np.array([random.random() < 0.3 for _ in range(graph.n)])  # type: ignore[attr-defined]
    less, few, rows = without(graph, evidence, asked)
    # rounds end when nothing moves by more than the tolerance, be it on a page that one of them leaves out
    exact = Options(tolerance=1e-9, rounds=100)
    whole, part = propagate(graph, evidence, options=exact), propagate(less, few, options=exact)
    assert np.abs(part.confidence - whole.confidence[rows]).max() < 1e-6
    sure = whole.confidence[rows] - whole.runner_up_confidence[rows] > 1e-5  # of two that are equal either is first
    assert (part.language[sure] == whole.language[rows][sure]).all()


@settings(max_examples=40)
@given(webs())
def test_votes_for_the_others_are_the_same(web: tuple[Graph, Evidence]) -> None:
    graph, evidence = web
    less, few, rows = without(graph, evidence, np.zeros(graph.n, np.bool_))
    for vote in (inlinks, outlinks):
        whole, part = vote(graph, evidence), vote(less, few)
        assert part.language.tolist() == whole.language[rows].tolist()
        assert part.confidence.tolist() == whole.confidence[rows].tolist()


def test_a_page_that_a_latent_one_links_to_cannot_be_left_out() -> None:
    one = np.zeros(1, np.int32)
    graph = Graph(2, one, one + 1, np.uint8([7]), np.int16([-1]), outside=one)
    scores = np.int16([[0]]), np.float32([[0.9]])
    with pytest.raises(ValueError, match=r"^link 0, 0 -> 1, joins a latent page to an excluded one$"):
        propagate(graph, Evidence(CODES, *scores, np.int32([10]), one))
    clamped = propagate(graph, Evidence(CODES, *scores, np.int32([LONG]), one))
    assert clamped.language.tolist() == [0]
    with pytest.raises(ValueError, match=r"^the graph has 1 pages, the evidence 2$"):
        propagate(
            graph, Evidence(CODES, *(np.repeat(part, 2, 0) for part in scores), np.int32([10, 10]), np.repeat(one, 2))
        )
