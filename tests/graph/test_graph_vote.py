"""INLINKS and OUTLINKS on graphs small enough to vote on paper."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def list_codes(answer: object) -> list[str]:
    return ["und" if i < 0 else CODES[i] for i in answer.language]


def test_majority_of_long_inlinks_beats_the_page_itself() -> None:
    pages = evidence(("eng", 0.4, 10), ("deu", 0.9, 500), ("deu", 0.9, 500), ("fra", 0.9, 500))
    answer = inlinks(graph(4, (1, 0), (2, 0), (3, 0)), pages)
    assert list_codes(answer) == ["deu", "deu", "deu", "fra"]
    assert answer.confidence[0] == pytest.approx(2 / 4)  # deu, deu of eng, deu, deu, fra


def test_a_page_longer_than_min_length_answers_for_itself() -> None:
    links = graph(3, (1, 0), (2, 0))
    pages = evidence(("eng", 0.4, 51), ("deu", 0.9, 500), ("deu", 0.9, 500))
    assert list_codes(inlinks(links, pages, min_length=50))[0] == "eng"
    assert list_codes(inlinks(links, pages, min_length=51))[0] == "deu"


def test_min_ref_length_is_at_least() -> None:
    links = graph(2, (1, 0))
    assert list_codes(inlinks(links, evidence(("", 0, 0), ("deu", 0.9, 149))))[0] == "und"
    assert list_codes(inlinks(links, evidence(("", 0, 0), ("deu", 0.9, 150))))[0] == "deu"


def test_a_tie_keeps_the_page_s_own_answer() -> None:
    links = graph(2, (1, 0))
    assert list_codes(inlinks(links, evidence(("eng", 0.1, 5), ("deu", 0.9, 500))))[0] == "eng"


def test_a_tie_of_others_goes_to_one_of_them_not_to_the_page_s_own_answer() -> None:
    # eng 1, deu 2, fra 2: step 4 of algorithm 5.5 has the language with the largest multiplicity
    pages = evidence(("eng", 0.1, 5), *[("deu", 0.8, 500)] * 2, *[("fra", 0.9, 500)] * 2)
    answer = inlinks(graph(5, (1, 0), (2, 0), (3, 0), (4, 0)), pages)
    assert list_codes(answer)[0] == "fra"
    assert answer.confidence[0] == pytest.approx(2 / 5)


def test_a_tie_without_own_answer_goes_to_the_surer_voters_then_by_code() -> None:
    links = graph(5, (1, 0), (2, 0), (3, 0), (4, 0))
    surer = evidence(("", 0, 0), *[("deu", 0.8, 500)] * 2, *[("fra", 0.9, 500)] * 2)
    alike = evidence(("", 0, 0), *[("fra", 0.9, 500)] * 2, *[("deu", 0.9, 500)] * 2)
    assert list_codes(inlinks(links, surer))[0] == "fra"
    assert list_codes(inlinks(links, alike))[0] == "deu"


@given(
    st.lists(st.tuples(st.sampled_from(CODES), st.floats(0.1, 1)), min_size=1, max_size=10),
    st.sampled_from(("", *CODES)),
)
def test_the_answer_is_among_the_commonest_or_the_vote_abstains(voters: list[tuple[str, float]], own: str) -> None:
    pages = evidence((own, 0.5 if own else 0, 5), *((code, p, 500) for code, p in voters))
    links = graph(len(voters) + 1, *((i + 1, 0) for i in range(len(voters))))
    answer = inlinks(links, pages)
    votes = Counter([code for code, _ in voters] + [own] * bool(own))
    tied = {code for code, count in votes.items() if count == max(votes.values())}
    different = len({code for code, _ in voters})
    if len(voters) > 1 and different == len(voters):
        assert list_codes(answer)[0] == (own or "und")
    elif not (len(voters) > 3 and different == len(voters) - 1):
        assert list_codes(answer)[0] in tied


def test_inlinks_in_different_languages_leave_the_page_its_own_answer_and_confidence() -> None:
    # a list of translations: the page is Spanish, its versions are not
    links = graph(4, (1, 0), (2, 0), (3, 0))
    voters = [("eng", 0.9, 500), ("deu", 0.9, 500), ("fra", 0.9, 500)]
    answer = inlinks(links, evidence(("deu", 0.3, 5), *voters))  # deu 2, eng 1, fra 1: but its own vote is no majority
    assert (list_codes(answer)[0], answer.confidence[0]) == ("deu", pytest.approx(0.3))
    assert list_codes(inlinks(links, evidence(("", 0, 0), *voters)))[0] == "und"
    assert list_codes(inlinks(graph(2, (1, 0)), evidence(("", 0, 0), voters[0])))[0] == "eng"  # one inlink is no list


def test_one_language_twice_among_four_inlinks_is_no_majority_but_among_three_it_is() -> None:
    codes = (*CODES, "spa")

    def asked(*voters: int) -> int:
        languages = np.int16([3, *voters]).reshape(-1, 1)
        length = np.int32([5, *[500] * len(voters)])
        pages = Evidence(codes, languages, np.full(languages.shape, 0.5, np.float32), length, np.zeros_like(length))
        return int(inlinks(graph(len(length), *((i + 1, 0) for i in range(len(voters)))), pages).language[0])

    assert asked(0, 0, 1) == 0  # two of three
    assert asked(0, 0, 1, 2) == 3  # two of four, all others different: the page's own
    assert asked(0, 0, 1, 1) == 1  # two pairs are no list of translations: a tie, and deu comes before eng
    assert asked(0, 0, 0, 1, 2) == 0


def test_a_vote_that_abstains_lists_its_voters_with_weight_0() -> None:
    links = graph(3, (1, 0), (2, 0))
    trace = inlinks(links, evidence(("eng", 0.4, 5), ("deu", 0.9, 500), ("fra", 0.9, 500)), trace=[0]).traces[0]
    assert [(c.source, c.weight, c.log_odds > 0) for c in trace.contributions] == [
        ("text", 1.0, True), ("inlink", 0.0, False), ("inlink", 0.0, False),
    ]  # fmt: skip
    assert sum(c.log_odds for c in trace.contributions) == pytest.approx(trace.log_odds)


def test_of_eleven_inlinks_the_ten_longest_vote() -> None:
    # five long German, six French of which one is the shortest: 5 against 5, a tie; with eleven French would win
    pages = evidence(("deu", 0.2, 5), *[("deu", 0.9, 900)] * 5, *[("fra", 0.9, 800)] * 5, ("fra", 0.9, 700))
    links = graph(12, *[(i, 0) for i in range(1, 12)])
    assert list_codes(inlinks(links, pages))[0] == "deu"  # own vote: 6 to 5
    assert list_codes(inlinks(links, pages, max_inlinks=3))[0] == "deu"
    assert list_codes(inlinks(links, pages, max_inlinks=11))[0] == "deu"  # 6 to 6, own answer
    none = evidence(("", 0, 0), *[("deu", 0.9, 900)] * 5, *[("fra", 0.9, 800)] * 5, ("fra", 0.9, 700))
    assert list_codes(inlinks(links, none, max_inlinks=11))[0] == "fra"


def test_duplicates_and_self_links_do_not_vote_twice() -> None:
    pages = evidence(("", 0, 0), ("deu", 0.9, 500), ("fra", 0.9, 500), ("fra", 0.9, 500))
    answer = inlinks(graph(4, (1, 0), (1, 0), (1, 0), (0, 0), (2, 0), (3, 0)), pages)
    assert list_codes(answer)[0] == "fra"


def test_outlinks_swap_the_direction() -> None:
    pages = evidence(("eng", 0.4, 10), ("deu", 0.9, 500), ("deu", 0.9, 500))
    links = graph(3, (0, 1), (0, 2))
    assert list_codes(outlinks(links, pages))[0] == "deu"
    assert list_codes(inlinks(links, pages))[0] == "eng"


def test_trace_lists_every_vote_and_sums() -> None:
    pages = evidence(("eng", 0.4, 10), ("deu", 0.9, 500), ("deu", 0.9, 500), ("fra", 0.9, 500))
    trace = inlinks(graph(4, (1, 0), (2, 0), (3, 0)), pages, trace=[0]).traces[0]
    assert sorted((c.source, c.neighbour) for c in trace.contributions) == [
        ("inlink", 1), ("inlink", 2), ("inlink", 3), ("text", -1),
    ]  # fmt: skip
    assert sum(c.log_odds for c in trace.contributions) == pytest.approx(trace.log_odds)


def test_short_pages_vote_in_the_second_round_unless_they_have_no_text_or_no_majority() -> None:
    long, short = [("deu", 0.9, 500)] * 2, [("eng", 0.2, 10)] * 2
    pages = evidence(*long, *short, ("fra", 0.3, 10), ("", 0, 0), ("fra", 0.3, 10))
    # 0 and 1 link to 2, 3 and 5; 2 and 3 link to 4; 5, which has no text, links to 6
    links = graph(7, *[(i, j) for i in (0, 1) for j in (2, 3, 5)], (2, 4), (3, 4), (5, 6))
    assert list_codes(inlinks(links, pages))[2:] == ["deu", "deu", "fra", "deu", "fra"]
    answer = inlinks(links, pages, rounds=9, trace=[4])
    assert list_codes(answer)[2:] == ["deu", "deu", "deu", "deu", "fra"]
    assert answer.confidence[4] == pytest.approx(2 / 3)
    assert [(vote.neighbour, CODES[vote.language]) for vote in answer.traces[4].contributions] == [
        (-1, "fra"),
        (2, "deu"),
        (3, "deu"),
    ]
    with pytest.raises(ValueError, match="rounds is 0; it must be at least 1"):
        inlinks(links, pages, rounds=0)


def test_no_pages_no_links_and_negative_parameters() -> None:
    assert len(inlinks(graph(0), evidence()).language) == 0
    assert list_codes(inlinks(graph(2), evidence(("deu", 0.3, 5), ("", 0, 0)))) == ["deu", "und"]
    with pytest.raises(ValueError, match="negative"):
        inlinks(graph(0), evidence(), max_inlinks=-1)
