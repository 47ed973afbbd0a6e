"""The inference on graphs computed by hand, on hostile ones, and its invariants on any graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.graph.baselines import spread_labels
from graphlang.graph.data import Evidence, Graph, Signal
from graphlang.graph.propagation import messages, rounds
from graphlang.graph.propagation.compatibility import EdgeCompatibility
from graphlang.graph.propagation.inference import Options, prepare, propagate
from graphlang.graph.propagation.potentials import LEFT
from graphlang.graph.propagation.rounds import MOST
from graphlang.native import threads

CODES = ("eng", "deu", "fra", "nld", "jpn")
LONG, SHORT = 1000, 10


def graph(n: int, links: list[tuple[int, int]], kind: int = 7) -> Graph:
    pairs = np.array(links, np.int32).reshape(-1, 2)
    m = len(pairs)
    return Graph(n, pairs[:, 0], pairs[:, 1], np.full(m, kind, np.uint8), np.full(m, -1, np.int16))


def evidence(pages: list[tuple[dict[str, float], int]], host: list[int] | None = None) -> Evidence:
    """One page a pair: scores by code, characters."""
    languages, chances = np.full((len(pages), 3), -1, np.int16), np.zeros((len(pages), 3), np.float32)
    for row, (scores, _) in enumerate(pages):
        for rank, (code, p) in enumerate(sorted(scores.items(), key=lambda item: -item[1])):
            languages[row, rank], chances[row, rank] = CODES.index(code), p
    length = np.array([c for _, c in pages], np.int32)
    return Evidence(CODES, languages, chances, length, np.array(host or [0] * len(pages), np.int32))


def list_codes(answer: object) -> list[str]:
    return ["und" if i < 0 else CODES[i] for i in answer.language]


FULL = {code: ({code: 0.95}, LONG) for code in CODES}
EMPTY: tuple[dict[str, float], int] = ({}, 0)
UNSURE = ({"nld": 0.5, "deu": 0.4}, SHORT)


def edges(
    coupling: np.ndarray,
    exclusion: np.ndarray,
    source_marginal: np.ndarray,
    switch_to: np.ndarray,
    lean: np.ndarray | None = None,
) -> EdgeCompatibility:
    """Of links whose ends do not matter."""
    ends = np.zeros(len(coupling), np.int32)
    exclusion = np.broadcast_to(exclusion[:, None], switch_to.shape)
    lean = np.zeros_like(switch_to) if lean is None else lean
    tables = (exclusion, lean, source_marginal, switch_to)
    return EdgeCompatibility(ends, ends, ends.astype(np.uint8), coupling, coupling, *tables)


def test_message_is_the_sum_over_the_sender_s_languages() -> None:
    # two languages, by hand: k = 1/2, D = (3/4, 1/4), x = 0, sources = (1/2, 1/2), belief over prior = (2, 0)
    one = np.float64([[0.5, 0.5]])
    model = edges(np.float32([0.5]), np.float64([0]), one, np.float64([[0.75, 0.25]]))
    # P(t|s): from 0: (7/8, 1/8), from 1: (3/8, 5/8); P(s=0|t): 7/10 and 1/6
    speak = messages.Messages(model, np.float32([[0.5, 0.5]]), np.float32([[1, 0]]), np.zeros((0, 2), np.int16)).logs
    first, nobody = np.int32([0]), np.zeros((0, 3), np.float32)
    given = (first, np.float32([0.5]), first + 2, first, nobody, first)
    sure = (*given[:2], first, *given[3:])  # of language 0, without a belief of its own
    assert speak(*sure, to_target=True).tolist() == speak(*given, to_target=True).tolist()
    assert speak(*sure, to_target=False).tolist() == speak(*given, to_target=False).tolist()
    inward = np.log(0.98 * np.float64([2 * 7 / 10, 2 * 1 / 6]) + 0.02)
    assert speak(*given, to_target=True)[0, :2] == pytest.approx(inward, abs=1e-5)
    outward = np.log(0.98 * np.float64([2 * 7 / 8, 2 * 3 / 8]) + 0.02)
    assert speak(*given, to_target=False)[0, :2] == pytest.approx(outward, abs=1e-5)
    for place, name, last in ((0, "group", 0), (2, "sender", 2), (3, "prior_group", 0)):
        with pytest.raises(ValueError, match=rf"^{name}\[0\] = {last + 1} is outside 0\.\.{last}$"):
            speak(*given[:place], np.int32([last + 1]), *given[place + 1 :], to_target=True)
    with pytest.raises(ValueError, match=r"belief has shape \(1, 4\), expected"):
        speak(*given[:4], np.ones((1, 4), np.float32), given[5], to_target=True)


def test_a_language_that_links_to_itself_has_its_own_coupling() -> None:
    # as above, but pages in language 0 link to each other three times as readily: odds of k are 3 there, and 1 in 1
    one, switch = np.float64([[0.5, 0.5]]), np.float64([[0.75, 0.25]])
    model = edges(np.float32([0.5]), np.float64([0]), one, switch, np.log([[3.0, 1.0]]))
    # P(t|s): from 0: (15/16, 1/16), from 1: (3/8, 5/8); P(s=0|t): 15/21 and 1/11
    speak = messages.Messages(model, np.float32([[0.5, 0.5]]), np.float32([[1, 0]]), np.zeros((0, 2), np.int16)).logs
    first, nobody = np.int32([0]), np.zeros((0, 3), np.float32)
    given = (first, np.float32([0.5]), first, first, nobody, first)
    inward = np.log(0.98 * np.float64([2 * 15 / 21, 2 * 1 / 11]) + 0.02)
    assert speak(*given, to_target=True)[0, :2] == pytest.approx(inward, abs=1e-5)
    outward = np.log(0.98 * np.float64([2 * 15 / 16, 2 * 3 / 8]) + 0.02)
    assert speak(*given, to_target=False)[0, :2] == pytest.approx(outward, abs=1e-5)


def test_the_url_of_a_page_without_text_counts_for_its_own_answer_alone() -> None:
    # Page 0 is short and German; it links to pages 1..5, whose URLs are English and which were never fetched; page 6
    # links to one of them, and nothing else is known of it. Pages 7 and 8 are on another host.
    pages = evidence([({"deu": 0.6, "eng": 0.4}, SHORT), *[EMPTY] * 6, FULL["eng"], FULL["deu"]], [0] * 7 + [1] * 2)
    links = graph(9, [*((0, page) for page in range(1, 6)), (6, 1)])
    named = np.int16([[-1], *[[CODES.index("eng")]] * 5, *[[-1]] * 3])
    url = Signal(named, (named >= 0) * np.float32(0.9))
    alone = propagate(links, replace(pages, signals={"url": replace(url, weight=0)}))
    heard = propagate(links, replace(pages, signals={"url": url}), trace=[1])
    assert heard.probabilities[[0, 6]] == pytest.approx(alone.probabilities[[0, 6]], abs=1e-6)
    assert list_codes(alone) == [*["deu"] * 7, "eng", "deu"]
    assert list_codes(heard) == ["deu", *["eng"] * 5, "deu", "eng", "deu"]
    trace = heard.traces[1]
    assert {part.source for part in trace.contributions if part.log_odds > 1} == {"url"}
    assert 1 / (1 + np.exp(-trace.log_odds)) == pytest.approx(
        heard.confidence[1] / (heard.confidence[1] + heard.runner_up_confidence[1]), abs=1e-5
    )
    assert trace.rounds[0][0] == CODES.index("eng")
    nothing = propagate(links, replace(evidence([EMPTY] * 9), signals={"url": url}))
    assert list_codes(nothing) == ["und", *["eng"] * 5, *["und"] * 3]  # evidence reaches no page that links to them


def test_a_ring_of_empty_pages_is_never_surer_of_a_language_than_the_certain_pages_of_its_site() -> None:
    # The URLs and the ccTLD of all pages name French; six certain pages are English, and four German.
    full, ring = [FULL["eng"]] * 6 + [FULL["deu"]] * 4, range(10, 40)
    links = graph(40, [(page, page + 1 if page < 39 else 10) for page in ring])
    named = np.full((40, 1), CODES.index("fra"), np.int16)
    signals = {name: Signal(named, np.full((40, 1), 0.95, np.float32)) for name in ("url", "cctld")}
    answer = propagate(links, replace(evidence([*full, *[EMPTY] * 30]), signals=signals))
    assert set(list_codes(answer)[10:]) <= {"eng", "und"}
    assert answer.confidence[10:].max() <= 0.6


def test_the_cctld_is_ignored_where_the_url_names_a_language() -> None:
    named = np.full((1, 1), CODES.index("fra"), np.int16)
    signal = Signal(named, np.full((1, 1), 0.95, np.float32))
    pages = evidence([EMPTY])
    url, both = (
        propagate(graph(1, []), replace(pages, signals=dict.fromkeys(names, signal)), trace=[0])
        for names in (["url"], ["url", "cctld"])
    )
    assert both.confidence[0] == url.confidence[0]
    assert {part.source for part in both.traces[0].contributions if part.log_odds} <= {"url", "site"}


def test_a_short_page_keeps_its_language_under_a_menu_that_links_all_pages_of_another() -> None:
    pages = evidence([*[FULL["fra"]] * 28, *[FULL["nld"]] * 2, ({"nld": 0.9}, SHORT), ({"fra": 0.9}, SHORT)])
    menu = graph(32, [(source, target) for source in range(32) for target in range(32) if source != target])
    assert list_codes(propagate(menu, pages))[30:] == ["nld", "fra"]


@pytest.mark.parametrize("languages", [2, 4, 7])
def test_a_sender_that_knows_nothing_says_nothing(languages: int) -> None:
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(languages), 2)
    model = edges(np.float32([0.3, 0.9]), np.float64([1.0, 0.5]), shares, shares[::-1])
    prior = rng.dirichlet(np.ones(languages), 3).astype(np.float32)
    group = np.int32([0, 1])
    all_ = np.broadcast_to(np.arange(languages, dtype=np.int16), (2, languages))
    for inward in (True, False):
        place = np.int32([2, 0])
        speak = messages.Messages(model, prior, prior, all_).logs
        nobody = np.zeros((2, languages + 1), np.float32)
        said_ = speak(group, model.coupling, languages + place, place, nobody, place, to_target=inward)
        assert said_ == pytest.approx(0, abs=1e-5)
        heeded = np.column_stack([prior[place], np.zeros(2)]).astype(np.float32)
        rows = group
        said_ = speak(group, model.coupling, languages + 3 + rows, place, heeded, rows, to_target=inward)
        assert said_ == pytest.approx(0, abs=1e-5)


def test_languages_without_a_slot_say_what_they_say_together() -> None:
    # what a page believes of languages that it does not keep is taken to be in proportion to its prior
    rng = np.random.default_rng(1)
    shares, prior = rng.dirichlet(np.ones(6), 1), rng.dirichlet(np.ones(6), 1).astype(np.float32)
    model = edges(np.float32([0.6]), np.float64([0.5]), shares, shares[:, ::-1])
    kept, first = np.int16([[1, 4]]), np.int32([0])
    whole = prior * 0.3 / (1 - prior[0, [1, 4]].sum())
    whole[0, [1, 4]] = 0.5, 0.2
    speak = messages.Messages(model, prior, whole, kept).logs
    for inward in (True, False):
        given = (first, np.float32([0.6]))
        dense = speak(*given, 6 + first, first, np.zeros((1, 3), np.float32), first, to_target=inward)
        few = speak(*given, 7 + first, first, np.float32([[0.5, 0.2, 0.3]]), first, to_target=inward)
        assert few[:, :-1] == pytest.approx(dense[:, :-1], abs=1e-5)
        rest = [0, 2, 3, 5]
        mean = (prior[0, rest] * np.exp(dense[0, rest])).sum() / prior[0, rest].sum()
        assert few[0, -1] == pytest.approx(np.log(mean), abs=1e-4)


def test_a_short_page_listens_and_a_long_one_does_not() -> None:
    answer = propagate(graph(3, [(0, 1), (0, 2)]), evidence([FULL["deu"], UNSURE, ({"nld": 0.7, "deu": 0.2}, LONG)]))
    assert list_codes(answer) == ["deu", "deu", "nld"]


def test_links_speak_in_both_directions() -> None:
    pages = evidence([UNSURE, FULL["deu"], FULL["nld"]])
    assert list_codes(propagate(graph(3, [(1, 0)]), pages))[0] == "deu"
    assert list_codes(propagate(graph(3, [(0, 1)]), pages))[0] == "deu"


def test_belief_travels_through_pages_never_fetched() -> None:
    answer = propagate(graph(4, [(0, 1), (1, 2)]), evidence([FULL["jpn"], EMPTY, EMPTY, FULL["eng"]], [0, 0, 0, 1]))
    assert list_codes(answer)[:3] == ["jpn", "jpn", "jpn"]
    assert answer.confidence[1] > answer.confidence[2]


def test_nothing_known_is_und_not_a_guess() -> None:
    answer = propagate(graph(4, [(2, 3)]), evidence([FULL["deu"], EMPTY, EMPTY, EMPTY]))
    assert list_codes(answer) == ["deu", "und", "und", "und"]
    assert answer.confidence[1:].tolist() == [0, 0, 0]


def test_one_language_reaches_an_empty_page_and_not_a_lonely_one() -> None:
    assert list_codes(propagate(graph(3, [(0, 1)]), evidence([FULL["deu"], EMPTY, EMPTY]))) == ["deu", "deu", "und"]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_no_evidence_at_all(n: int) -> None:
    answer = propagate(graph(n, [(0, 0), (0, n - 1)] if n else []), evidence([EMPTY] * n))
    assert list_codes(answer) == ["und"] * n
    assert answer.converged


def test_one_page_and_pages_all_alike() -> None:
    assert list_codes(propagate(graph(1, [(0, 0)]), evidence([FULL["fra"]]))) == ["fra"]
    alike = evidence([UNSURE] * 4)
    answer = propagate(graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)]), alike)
    assert set(list_codes(answer)) == {"nld"}


def switcher(texts: int, short: set[int]) -> tuple[Graph, Evidence, list[str]]:
    """Every text in four languages, each page linking to the other three only."""
    names = ["eng", "deu", "fra", "jpn"]
    pages, links = [], []
    for text in range(texts):
        at = 4 * text
        links += [(at + i, at + j) for i in range(4) for j in range(4) if i != j]
        pages += [UNSURE_OF[name] if at + i in short else FULL[name] for i, name in enumerate(names)]
    return graph(4 * texts, links), evidence(pages), names * texts


UNSURE_OF = {
    "eng": ({"deu": 0.4, "eng": 0.35}, SHORT),
    "deu": ({"eng": 0.45, "deu": 0.4}, SHORT),
    "fra": ({"eng": 0.4, "fra": 0.35}, SHORT),
    "jpn": ({"eng": 0.4, "jpn": 0.35}, SHORT),
}


def test_a_language_switcher_is_evidence_against_the_languages_it_lists() -> None:
    links, pages, truth = switcher(20, {0, 5, 10, 15, 41})
    assert list_codes(propagate(links, pages)) == truth
    assert list_codes(spread_labels(links, pages)) != truth  # plain spreading believes that links keep the language


def test_a_wrong_majority_does_not_move_full_pages() -> None:
    links = [(i, 0) for i in range(1, 30)] + [(0, i) for i in range(1, 30)]
    pages = [({"nld": 0.5, "deu": 0.45}, LONG)] + [FULL["deu"]] * 29
    assert list_codes(propagate(graph(30, links), evidence(pages)))[0] == "nld"


def test_a_long_page_in_doubt_listens_to_its_neighbours() -> None:
    links = [(i, 0) for i in range(1, 30)]
    pages = evidence([({"nld": 0.4, "deu": 0.35}, LONG)] + [FULL["deu"]] * 29 + [FULL["nld"]] * 30)
    assert list_codes(propagate(graph(60, links), pages))[0] == "deu"
    assert list_codes(propagate(graph(60, links), pages, options=Options(doubtful=0)))[0] == "nld"


def test_pages_in_doubt_do_not_make_each_other_sure() -> None:
    doubt = {"nld": 0.6, "deu": 0.4}
    links = [(i, j) for i in range(6) for j in range(6) if i != j]
    sure = [FULL["nld"], FULL["deu"]]
    answer = propagate(graph(8, links), evidence([(doubt, LONG)] * 5 + [({"nld": 0.9}, SHORT), *sure]))
    assert answer.confidence[:5] == pytest.approx([0.6] * 5, abs=2e-3)  # as by the text, whatever the others repeat
    heard = propagate(graph(8, [*links, (6, 0)]), evidence([(doubt, LONG)] * 5 + [({"deu": 0.9}, SHORT), *sure]))
    assert heard.confidence[0] > answer.confidence[0]  # what is sure is heard


def test_a_page_in_doubt_shares_no_weight_among_those_it_does_not_hear() -> None:
    doubt = ({"nld": 0.4, "deu": 0.35}, LONG)
    pages = evidence([doubt, FULL["deu"], *[doubt] * 20, *[FULL["nld"]] * 20])
    alone, among = (propagate(graph(42, [(i, 0) for i in range(1, n)]), pages) for n in (2, 22))
    assert among.confidence[0] == pytest.approx(alone.confidence[0], abs=1e-6)


@pytest.mark.parametrize("sure", [0.55, 0.95])
def test_a_long_page_without_inlinks_is_as_sure_as_its_text_on_any_site(sure: float) -> None:
    pages = evidence([({"nld": sure, "deu": 1 - sure}, LONG), *[FULL["deu"]] * 29])
    answer = propagate(graph(30, [(1, 2)]), pages, options=Options(calibration=1))
    assert list_codes(answer)[0] == "nld"
    assert answer.confidence[0] == pytest.approx(sure, abs=2e-3)  # a little is left for the languages that it lacks


def test_calibration_changes_only_the_probability_of_a_long_page() -> None:
    pages = evidence([({"nld": 0.9, "deu": 0.1}, LONG), EMPTY, ({"nld": 0.6, "deu": 0.4}, LONG), UNSURE, FULL["deu"]])
    links = graph(5, [(0, 1), (2, 1), (0, 3)])
    plain, squared = (propagate(links, pages, options=Options(calibration=power)) for power in (1, 2))
    assert squared.confidence[0] == pytest.approx(0.81 / 0.82, abs=2e-3)  # .9 and .1 squared, of their sum
    assert squared.language.tolist() == plain.language.tolist()
    assert squared.probabilities[1:4].tolist() == plain.probabilities[1:4].tolist()  # what is heard is the same


def test_a_language_that_is_second_everywhere_keeps_what_it_has() -> None:
    pages = evidence([({"nld": 0.6, "deu": 0.4}, LONG)] * 3)
    answer = propagate(graph(3, [(0, 1), (1, 2)]), pages)
    assert answer.confidence == pytest.approx([0.6] * 3, abs=2e-3)


def test_what_a_long_text_leaves_to_languages_that_no_page_is_in_stays_in_part() -> None:
    pages = evidence([({"nld": 0.9}, LONG), ({"deu": 1.0}, LONG)])
    answer = propagate(graph(2, []), pages, options=Options(calibration=1))
    named = 0.9 + 2 * 0.1 / 100  # the two languages of the collection have 2 of 100 shares of the rest
    left = LEFT * 98 * 0.1 / 100
    assert answer.confidence[0] == pytest.approx((0.9 + 0.1 / 100) / (named + left), abs=1e-4)


def test_so_it_does_where_the_text_is_in_doubt_whatever_neighbours_say() -> None:
    pages = evidence([({"nld": 0.6}, LONG), *[FULL["nld"]] * 20, FULL["deu"]])
    alone, among = (propagate(graph(22, [(i, 0) for i in range(1, n)]), pages) for n in (1, 21))
    named = 0.6 + 2 * 0.4 / 100
    left = LEFT * 98 * 0.4 / 100
    assert alone.confidence[0] == pytest.approx((0.6 + 0.4 / 100) / (named + left), abs=1e-4)
    assert alone.confidence[0] < among.confidence[0] <= named / (named + left) + 1e-6


def test_all_neighbours_together_say_no_more_than_the_bound() -> None:
    chains = [(i, i + 1) for i in (*range(1, 60), *range(61, 120))]
    few_or_many = [graph(121, [*chains, *((i, 0) for i in range(1, n))]) for n in (3, 60)]
    pages = evidence([({"nld": 0.9}, SHORT), *[FULL["jpn"]] * 60, *[FULL["nld"]] * 60])
    of_few, of_many = (propagate(links, pages, options=Options(degree=60), trace=[0]) for links in few_or_many)
    heard = [
        sum(part.log_odds for part in answer.traces[0].contributions if part.source == "inlink")
        for answer in (of_few, of_many)
    ]
    assert 0 < heard[0] <= heard[1] == pytest.approx(MOST)
    trace = of_many.traces[0]
    assert sum(part.log_odds for part in trace.contributions) == pytest.approx(trace.log_odds)
    first, second = of_many.probabilities[0, :2].astype(np.float64)
    assert trace.log_odds == pytest.approx(np.log(first / second), rel=1e-3)


def test_a_page_passes_on_its_evidence_and_little_of_its_messages() -> None:
    # 0 is German for sure; 1, 2 and 3 have no text, and each is linked from the one before: 1 knows nothing itself, so
    # that 2 hears little, and 3 next to nothing. With a power of 1 all hear as much as 1 does, less what links lose
    answer = propagate(
        graph(5, [(0, 1), (1, 2), (2, 3)]), evidence([FULL["deu"], *[EMPTY] * 3, FULL["fra"]]), trace=[1, 2]
    )
    own, passed_on = (
        sum(part.log_odds for part in answer.traces[row].contributions if part.source == "inlink") for row in (1, 2)
    )
    assert list_codes(answer)[1:4] == ["deu"] * 3
    assert 0 < passed_on < 0.3 * own


@pytest.mark.parametrize(("power", "certain"), [(rounds.RELAY, False), (1.0, True)])
def test_undecided_pages_do_not_make_each_other_certain(
    monkeypatch: pytest.MonkeyPatch, *, power: float, certain: bool
) -> None:
    # eight pages, each Dutch at .45 and German at .4, all of which link to each other, beside a German and a Dutch host
    monkeypatch.setattr(rounds, "RELAY", power)
    links = [(a, b) for a in range(8) for b in range(8) if a != b]
    pages = evidence([*[({"nld": 0.45, "deu": 0.4}, 30)] * 8, FULL["deu"], FULL["nld"]], [0] * 8 + [1, 2])
    answer = propagate(graph(10, links), pages)
    assert list_codes(answer)[:8] == ["nld"] * 8
    assert (answer.confidence[:8] > 0.9).all() == certain


def test_neighbours_overturn_no_text_of_half_the_length_that_is_sure() -> None:
    links = graph(22, [(i, 0) for i in range(1, 21)] + [(i, i + 1) for i in range(1, 20)])
    texts = {(0.95, 120): "fra", (0.8, 120): "deu", (0.6, 120): "deu"}
    for (score, characters), expected in texts.items():
        pages = evidence([({"fra": score, "deu": (1 - score) / 2}, characters), *[FULL["deu"]] * 20, FULL["fra"]])
        assert list_codes(propagate(links, pages))[0] == expected
    lowered = propagate(
        links, pages, options=Options(clamp_length=100, doubtful=0.5)
    )  # .6 at 120 characters is clamped
    assert list_codes(lowered)[0] == "fra"


def test_a_link_farm_counts_as_few() -> None:
    farm = list(range(1, 200))
    sure = ({"jpn": 0.98}, 150)
    pages = evidence([sure, *[({"eng": 0.6}, SHORT)] * 199])
    assert list_codes(propagate(graph(200, [(i, 0) for i in farm]), pages))[0] == "jpn"


def test_a_hub_that_links_to_everything_in_every_language_teaches_nothing_wrong() -> None:
    names = ["deu", "fra", "jpn"] * 20
    pages = [FULL["eng"]] + [FULL[name] for name in names] + [({"fra": 0.7, "deu": 0.1}, 30)]
    answer = propagate(graph(62, [(0, i) for i in range(1, 62)]), evidence(pages))
    assert list_codes(answer)[61] == "fra"


def test_parts_that_are_not_joined_do_not_talk() -> None:
    pages = evidence([FULL["deu"], UNSURE, FULL["nld"], UNSURE], [0, 0, 1, 1])
    assert list_codes(propagate(graph(4, [(0, 1), (2, 3)]), pages)) == ["deu", "deu", "nld", "nld"]


def test_signal_is_believed_as_far_as_the_collection_bears_it_out() -> None:
    names = ["deu", "fra"] * 10
    pages = evidence([*[FULL[name] for name in names], EMPTY])
    right = np.array([[CODES.index(name)] for name in names] + [[CODES.index("fra")]], np.int16)
    wrong = np.array([[CODES.index("nld")]] * 21, np.int16)
    sure = np.ones((21, 1), np.float32)

    def last(languages: np.ndarray, weight: float) -> tuple[str, float]:
        given = replace(pages, signals={"declared": Signal(languages, sure, weight)})
        answer = propagate(graph(21, []), given)
        return list_codes(answer)[20], float(answer.confidence[20])

    assert last(right, 1.0)[0] == "fra"
    assert last(right, 1.0)[1] > 0.9
    assert last(wrong, 1.0)[1] < 0.9  # it was wrong on every page that could be checked
    assert last(right, 0.0)[0] == "und"


def test_hreflang_names_the_target() -> None:
    links = graph(3, [(0, 2), (1, 0)], kind=6)
    announced = replace(links, hreflang=np.array([CODES.index("jpn"), -1], np.int16))
    pages = evidence([FULL["eng"], FULL["jpn"], EMPTY])
    assert list_codes(propagate(announced, pages))[2] == "jpn"


def test_contributions_sum_to_the_final_log_odds() -> None:
    links, pages, _ = switcher(6, {0, 5, 10})
    answer = propagate(links, pages, trace=[0, 5, 7])
    for row in (0, 5):
        trace = answer.traces[row]
        final = np.log(answer.confidence[row] / answer.runner_up_confidence[row])
        assert sum(c.log_odds for c in trace.contributions) == pytest.approx(final, abs=1e-3)
        assert len([c for c in trace.contributions if c.source == "inlink"]) == 3
        assert len(trace.rounds) == answer.rounds + 1
    assert answer.traces[7].contributions[0].source == "text"


@st.composite
def collections(draw: st.DrawFn) -> tuple[Graph, Evidence]:
    n = draw(st.integers(1, 12))
    page = st.sampled_from([*FULL.values(), *UNSURE_OF.values(), EMPTY, UNSURE, ({"fra": 0.6}, 120)])
    pages = draw(st.lists(page, min_size=n, max_size=n))
    end = st.integers(0, n - 1)
    links = draw(st.lists(st.tuples(end, end), max_size=30))
    return graph(n, links), evidence(pages, draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))


@given(collections(), st.randoms())
def test_order_and_numbering_change_nothing(collection: tuple[Graph, Evidence], random: object) -> None:
    links, pages = collection
    new = list(range(links.n))
    random.shuffle(new)
    new = np.array(new, np.int32)
    order = np.arange(len(links.source))
    random.shuffle(order)
    old = np.argsort(new)
    moved = Graph(links.n, new[links.source[order]], new[links.target[order]], links.kind[order], links.hreflang[order])
    hosts = np.array([2, 0, 1], np.int32)[pages.host[old]]
    there = Evidence(CODES, pages.languages[old], pages.probabilities[old], pages.length[old], hosts)
    first, second = propagate(links, pages), propagate(moved, there)
    by_language = lambda a: np.sort(a.probabilities, axis=1)  # noqa: E731
    assert by_language(second)[new] == pytest.approx(by_language(first), abs=2e-3)
    clear = first.confidence - first.runner_up_confidence > 0.01
    assert (second.language[new] == first.language)[clear].all()


@settings(max_examples=30)
@given(collections(), st.data())
def test_duplicates_and_self_links_change_nothing(collection: tuple[Graph, Evidence], data: st.DataObject) -> None:
    links, pages = collection
    again = data.draw(st.lists(st.integers(0, max(0, len(links.source) - 1)), max_size=5)) if len(links.source) else []
    selves = data.draw(st.lists(st.integers(0, links.n - 1), max_size=3))
    more = [(int(links.source[i]), int(links.target[i])) for i in again] + [(i, i) for i in selves]
    everything = [*zip(links.source.tolist(), links.target.tolist(), strict=True), *more]
    first, second = propagate(links, pages), propagate(graph(links.n, everything), pages)
    assert np.array_equal(first.probabilities, second.probabilities)


@settings(max_examples=30)
@given(collections())
def test_weight_zero_changes_nothing_and_long_pages_keep_their_answer(collection: tuple[Graph, Evidence]) -> None:
    links, pages = collection
    off = Signal(np.zeros((links.n, 1), np.int16), np.ones((links.n, 1), np.float32), 0.0)
    first = propagate(links, pages)
    assert np.array_equal(first.probabilities, propagate(links, replace(pages, signals={"url": off})).probabilities)
    alone = propagate(links, pages, options=Options(neighbours=0))
    assert np.array_equal(alone.probabilities, propagate(graph(links.n, []), pages).probabilities)
    long = pages.length >= Options().clamp_length
    assert (first.language == pages.languages[:, 0])[long].all()
    assert (first.probabilities >= 0).all()
    assert (first.probabilities.sum(axis=1) <= 1 + 1e-5).all()


def test_bad_weights_and_bad_evidence_are_refused_in_words() -> None:
    for bad in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=r"neighbours is .*not negative"):
            Options(neighbours=bad)
    with pytest.raises(ValueError, match="weight of a signal"):
        Signal(np.zeros((1, 1), np.int16), np.ones((1, 1), np.float32), float("nan"))
    with pytest.raises(ValueError, match=r"probabilities\[0, 0\] = nan is not a probability"):
        evidence([({"eng": float("nan")}, 5)])
    with pytest.raises(ValueError, match=r"target\[0\] = 2 is outside 0\.\.1"):
        graph(2, [(0, 2)])
    with pytest.raises(ValueError, match="the evidence 1"):
        propagate(graph(2, []), evidence([EMPTY]))


def draw_web(n: int = 400, languages: int = 12) -> tuple[Graph, Evidence]:
    """Pages of all lengths, linked at random."""
    rng = np.random.default_rng(7)
    ends = rng.integers(0, n, (2, 2500)).astype(np.int32)
    length = rng.choice([0, 20, 40, 900], n).astype(np.int32)
    best = rng.integers(0, languages, n).astype(np.int16)
    scores = np.where(length[:, None] < 100, np.float32([0.5, 0.3]), np.float32([0.96, 0.02]))
    lists = np.stack([best, (best + 1) % languages], axis=1).astype(np.int16)
    lists[length == 0], scores[length == 0] = -1, 0
    evidence = Evidence(tuple(f"q{i}" for i in range(languages)), lists, scores, length, np.sort(best).astype(np.int32))
    return Graph(n, *ends, np.full(2500, 7, np.uint8), np.full(2500, -1, np.int16)), evidence


def test_what_is_let_go_of_where_nothing_is_explained_changes_no_byte_and_is_not_asked_again() -> None:
    graph, evidence = draw_web()
    alone, explained = propagate(graph, evidence), propagate(graph, evidence, trace=[3])
    assert alone.rounds == explained.rounds > 2
    assert alone.probabilities.tobytes() == explained.probabilities.tobytes()
    assert alone.languages.tobytes() == explained.languages.tobytes()
    exchange = prepare(graph, evidence, options=Options())
    assert exchange is not None
    first, again = (exchange.run(1, 1e-3) for _ in range(2))
    assert again.rounds == first.rounds == 1
    exchange.free_traces()
    exchange.run(1, 1e-3)
    with pytest.raises(ValueError, match=r"^the rounds have been run"):
        exchange.run(1, 1e-3)


def test_the_number_of_cores_and_the_blocks_that_they_work_on_change_no_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, evidence = draw_web()
    monkeypatch.setattr(threads, "cores", lambda: 1)
    monkeypatch.setattr(messages, "cores", lambda: 1)
    alone = propagate(graph, evidence)
    assert alone.rounds > 2
    monkeypatch.setattr(threads, "LEAST", 50)
    monkeypatch.setattr(messages, "SINGLE_CORE", 0)
    for cores, block in ((2, 64), (3, 17), (5, 1000)):
        monkeypatch.setattr(threads, "cores", lambda cores=cores: cores)
        monkeypatch.setattr(messages, "cores", lambda cores=cores: cores)
        monkeypatch.setattr(rounds, "BLOCK", block)
        together = propagate(graph, evidence)
        assert together.rounds == alone.rounds
        assert together.languages.tobytes() == alone.languages.tobytes()
        assert together.probabilities.tobytes() == alone.probabilities.tobytes()


def test_cap_on_rounds_is_reported() -> None:
    links, pages, _ = switcher(6, {0, 1, 2, 3, 5, 10})
    capped = propagate(links, pages, options=Options(rounds=1))
    assert (capped.rounds, capped.converged) == (1, False)
    assert propagate(links, pages).converged


def test_weights_beyond_reason_are_refused_or_borne() -> None:
    for name in ("site", "neighbours", "hreflang", "directory"):
        with pytest.raises(ValueError, match="above 100"):
            Options(**{name: 100.5})
    web = graph(4, [(0, 1), (1, 2), (2, 3)])
    answer = propagate(web, evidence([FULL["deu"], UNSURE, EMPTY, FULL["nld"]]), options=Options(site=100.0))
    assert answer.converged
    assert np.isfinite(answer.confidence).all()


def test_the_label_of_all_other_languages_is_not_taken_for_english() -> None:
    sure = []
    for codes in (("deu", "eng"), ("eng", "deu")):
        languages, chances = np.array([[codes.index("deu")]] * 2, np.int16), np.float32([[0.95], [0.6]])
        only = Evidence(codes, languages, chances, np.int32([900, 9]), np.zeros(2, np.int32))
        sure.append(float(propagate(graph(2, [(0, 1)]), only).confidence[1]))
    assert sure[0] == sure[1]
