"""INLINKS and OUTLINKS on graphs small enough to vote on paper."""

from __future__ import annotations

import numpy as np
import pytest

from graphlang.graph.data import Evidence, Graph
from graphlang.graph.vote import inlinks, outlinks

CODES = ("eng", "deu", "fra")


def graph(n: int, *links: tuple[int, int]) -> Graph:
    pairs = np.array(links, np.int32).reshape(-1, 2)
    m = len(pairs)
    return Graph(n, pairs[:, 0], pairs[:, 1], np.full(m, 7, np.uint8), np.full(m, -1, np.int16))


def evidence(*pages: tuple[str, float, int]) -> Evidence:
    """One page a tuple: code or "", probability, characters."""
    languages = np.array([[CODES.index(code) if code else -1] for code, _, _ in pages], np.int16).reshape(-1, 1)
    chances = np.array([[p] for _, p, _ in pages], np.float32).reshape(-1, 1)
    length = np.array([c for *_, c in pages], np.int32)
    return Evidence(CODES, languages, chances, length, np.zeros(len(pages), np.int32))


def said(answer: object) -> list[str]:
    return ["und" if i < 0 else CODES[i] for i in answer.language]


def test_majority_of_long_inlinks_beats_the_page_itself() -> None:
    pages = evidence(("eng", 0.4, 10), ("deu", 0.9, 500), ("deu", 0.9, 500), ("fra", 0.9, 500))
    answer = inlinks(graph(4, (1, 0), (2, 0), (3, 0)), pages)
    assert said(answer) == ["deu", "deu", "deu", "fra"]
    assert answer.confidence[0] == pytest.approx(2 / 4)  # deu, deu of eng, deu, deu, fra


def test_a_page_longer_than_min_length_answers_for_itself() -> None:
    links = graph(3, (1, 0), (2, 0))
    pages = evidence(("eng", 0.4, 51), ("deu", 0.9, 500), ("deu", 0.9, 500))
    assert said(inlinks(links, pages, min_length=50))[0] == "eng"
    assert said(inlinks(links, pages, min_length=51))[0] == "deu"


def test_min_ref_length_is_at_least() -> None:
    links = graph(2, (1, 0))
    assert said(inlinks(links, evidence(("", 0, 0), ("deu", 0.9, 149))))[0] == "und"
    assert said(inlinks(links, evidence(("", 0, 0), ("deu", 0.9, 150))))[0] == "deu"


def test_a_tie_keeps_the_page_s_own_answer() -> None:
    links = graph(2, (1, 0))
    assert said(inlinks(links, evidence(("eng", 0.1, 5), ("deu", 0.9, 500))))[0] == "eng"


def test_a_tie_of_others_keeps_the_page_s_own_answer() -> None:
    pages = evidence(("eng", 0.1, 5), *[("deu", 0.9, 500)] * 2, *[("fra", 0.9, 500)] * 2)
    answer = inlinks(graph(5, (1, 0), (2, 0), (3, 0), (4, 0)), pages)
    assert said(answer)[0] == "eng"


def test_a_tie_without_own_answer_goes_to_the_surer_voters_then_by_code() -> None:
    links = graph(3, (1, 0), (2, 0))
    assert said(inlinks(links, evidence(("", 0, 0), ("deu", 0.8, 500), ("fra", 0.9, 500))))[0] == "fra"
    assert said(inlinks(links, evidence(("", 0, 0), ("fra", 0.9, 500), ("deu", 0.9, 500))))[0] == "deu"


def test_of_eleven_inlinks_the_ten_longest_vote() -> None:
    # five long German, six French of which one is the shortest: 5 against 5, a tie; with eleven French would win
    pages = evidence(("deu", 0.2, 5), *[("deu", 0.9, 900)] * 5, *[("fra", 0.9, 800)] * 5, ("fra", 0.9, 700))
    links = graph(12, *[(i, 0) for i in range(1, 12)])
    assert said(inlinks(links, pages))[0] == "deu"  # own vote: 6 to 5
    assert said(inlinks(links, pages, max_inlinks=3))[0] == "deu"
    assert said(inlinks(links, pages, max_inlinks=11))[0] == "deu"  # 6 to 6, own answer
    none = evidence(("", 0, 0), *[("deu", 0.9, 900)] * 5, *[("fra", 0.9, 800)] * 5, ("fra", 0.9, 700))
    assert said(inlinks(links, none, max_inlinks=11))[0] == "fra"


def test_duplicates_and_self_links_do_not_vote_twice() -> None:
    pages = evidence(("", 0, 0), ("deu", 0.9, 500), ("fra", 0.9, 500), ("fra", 0.9, 500))
    answer = inlinks(graph(4, (1, 0), (1, 0), (1, 0), (0, 0), (2, 0), (3, 0)), pages)
    assert said(answer)[0] == "fra"


def test_outlinks_swap_the_direction() -> None:
    pages = evidence(("eng", 0.4, 10), ("deu", 0.9, 500), ("deu", 0.9, 500))
    links = graph(3, (0, 1), (0, 2))
    assert said(outlinks(links, pages))[0] == "deu"
    assert said(inlinks(links, pages))[0] == "eng"


def test_trace_lists_every_vote_and_sums() -> None:
    pages = evidence(("eng", 0.4, 10), ("deu", 0.9, 500), ("deu", 0.9, 500), ("fra", 0.9, 500))
    trace = inlinks(graph(4, (1, 0), (2, 0), (3, 0)), pages, trace=[0]).traces[0]
    assert sorted((c.source, c.neighbour) for c in trace.contributions) == [
        ("inlink", 1), ("inlink", 2), ("inlink", 3), ("text", -1),
    ]  # fmt: skip
    assert sum(c.log_odds for c in trace.contributions) == pytest.approx(trace.log_odds)


def test_no_pages_no_links_and_negative_parameters() -> None:
    assert len(inlinks(graph(0), evidence()).language) == 0
    assert said(inlinks(graph(2), evidence(("deu", 0.3, 5), ("", 0, 0)))) == ["deu", "und"]
    with pytest.raises(ValueError, match="negative"):
        inlinks(graph(0), evidence(), max_inlinks=-1)
