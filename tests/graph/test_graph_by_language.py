"""What each language does to the links of a host: one avoids itself, another links to nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from graphlang.graph.data import Evidence, Graph
from graphlang.graph.propagation import group_tables
from graphlang.graph.propagation.inference import learn

CODES = ("deu", "eng", "fra", "spa", "zho")
DEU, ENG, FRA, SPA, ZHO = range(5)
LONG, SHORT = 900, 20
VERSIONS = 12  #: texts that stand in all languages


def site(label: list[int], links: list[tuple[int, int]], short: tuple[int, ...] = ()) -> tuple[Graph, Evidence]:
    """Pages of one host, sure of their language except the short ones, which have almost no evidence."""
    n, m = len(label), len(links)
    languages = np.array([[one, (one + 1) % len(CODES)] for one in label], np.int16)
    scores, length = np.full((n, 2), (0.97, 0.01), np.float32), np.full(n, LONG, np.int32)
    languages[list(short)], scores[list(short)], length[list(short)] = (ENG, FRA), (0.45, 0.4), SHORT
    ends = np.array(links, np.int32).reshape(-1, 2).T
    graph = Graph(n, *ends, np.full(m, 7, np.uint8), np.full(m, -1, np.int16))
    return graph, Evidence(CODES, languages, scores, length, np.zeros(n, np.int32))


def switchers(versions: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Each page lists the other versions of its text; of two of them the language is the same, Chinese."""
    label = [*range(5), ZHO] * versions
    links = [(6 * text + a, 6 * text + b) for text in range(versions) for a in range(6) for b in range(6) if a != b]
    return label, links


def test_two_kinds_of_chinese_do_not_make_other_languages_list_themselves() -> None:
    model = learn(*site(*switchers(VERSIONS))).compatibility
    assert model.exclusion[0, ZHO] < 0.6
    assert model.exclusion[0, [DEU, ENG, FRA, SPA]].min() > 0.7


def test_a_language_whose_links_all_keep_it_leans_on_itself_and_one_with_half_of_them_does_not() -> None:
    # of 100 links from each of two languages, three in four keep the language; all of the first, half of the second
    language = np.repeat([0, 1], 100)
    same = (language == 0) | (np.arange(200) % 2 == 0)
    lean = group_tables.leans(np.full(200, 0.75), same, np.zeros(200), language, 1, 3)[0]
    assert lean[0] > 0.5
    assert lean[1] < -0.5
    assert lean[2] == 0


def test_leans_by_hand() -> None:
    # k = 1/2, nothing by chance, 30 of 40 links of language 0 keep it: d with 30 - 40 / (1 + exp(-d)) = d / VARIANCE
    given = np.full(40, 0.5), np.arange(40) < 30, np.zeros(40), np.zeros(40, np.int64)
    (lean,) = group_tables.leans(*given, 1, 1)[0].tolist()
    assert 30 - 40 / (1 + np.exp(-lean)) == pytest.approx(lean / group_tables.VARIANCE, abs=1e-3)


def test_links_that_hardly_bind_teach_nothing() -> None:
    given = np.full(40, 0.04), np.ones(40, bool), np.zeros(40), np.zeros(40, np.int64)
    assert group_tables.leans(*given, 1, 2).tolist() == [[0, 0]]


def test_without_links_between_certain_pages_nothing_is_excluded_and_nothing_leans() -> None:
    model = learn(*site([ENG, FRA, ENG], [])).compatibility
    assert model.exclusion.max() < 0.1
    assert not model.lean.any()


def test_a_host_with_few_links_does_as_the_others_of_the_collection() -> None:
    sure, flat = np.full(7, -40.0), np.zeros(7)
    sure[-1] = 0.0
    usual = group_tables.estimate_usual_exclusion(group_tables.sum_votes(np.stack([sure] * 50, axis=1)))
    found = group_tables.estimate_exclusions(np.array([0, 2]), np.stack([sure, flat], axis=1), usual, 3, 2)
    assert found.min() > 0.9


def test_how_many_hosts_are_worked_out_at_a_time_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, evidence = site(*switchers(VERSIONS))
    hosts = replace(evidence, host=np.repeat(np.arange(VERSIONS, dtype=np.int32), 6) // 3)
    together = learn(graph, hosts).compatibility
    assert len(together.switch_to) == VERSIONS // 3 + 1
    monkeypatch.setattr(group_tables, "GROUPS", 2)
    apart = learn(graph, hosts).compatibility
    for name in ("source_marginal", "switch_to", "exclusion", "lean", "by_chance"):
        assert (getattr(apart, name) == getattr(together, name)).all()
