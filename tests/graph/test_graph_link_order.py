"""What the order of links says: by hand, and on menus of translations."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.graph.adjacency import sort_links
from graphlang.graph.data import Evidence, Graph
from graphlang.graph.propagation import link_order as module
from graphlang.graph.propagation.inference import Options, propagate
from graphlang.graph.propagation.link_order import infer_from_order

sys.path.append(str(Path(__file__).parent))
import graph_definitions as definitions

CODES = ("deu", "eng", "fra", "ita")
DEU, ENG, FRA, ITA = range(4)
LONG = 1000


def graph(n: int, lists: dict[int, list[int]]) -> Graph:
    """One list for each page that has one, in its order."""
    links = [(page, target, place) for page, its in lists.items() for place, target in enumerate(its)]
    source, target, place = (np.array(column) for column in zip(*links, strict=True))
    rest = (np.full(len(links), 7, np.uint8), np.full(len(links), -1, np.int16))
    return Graph(n, source.astype(np.int32), target.astype(np.int32), *rest, None, place.astype(np.int16))


def evidence(languages: list[int], hosts: list[int] | None = None) -> Evidence:
    lists = np.array([[language] for language in languages], np.int16)
    length = np.where(lists[:, 0] >= 0, LONG, 0).astype(np.int32)
    where = np.zeros(len(lists), np.int32) if hosts is None else np.array(hosts, np.int32)
    return Evidence(CODES, lists, np.where(lists >= 0, 0.95, 0).astype(np.float32), length, where)


def read_order(web: Graph, given: Evidence) -> list[dict[int, float]]:
    languages, chances = infer_from_order(sort_links(web), given, given.length >= LONG)
    return [
        {int(code): float(chance) for code, chance in zip(*row, strict=True) if code >= 0}
        for row in zip(languages, chances, strict=True)
    ]


def test_counts_by_hand() -> None:
    # Page 0 lists German 1, French 2, German 3, unknown 4. To the right of a German page, one place away, there was
    # French once; the unknown one has that on its left, and the end of the list on its right, where nothing known was.
    web = graph(5, {0: [1, 2, 3, 4]})
    found = read_order(web, evidence([-1, DEU, FRA, DEU, -1]))[4]
    pseudo = module.PSEUDO
    # languages of the host: two German and one French page, ten of the collection's (5 pages share 0.005 more)
    everywhere = np.array([2 + 0.0025, 1 + 0.0025]) / 3.005
    prior = (np.array([2, 1]) + 10 * everywhere) / 13
    # before: contexts (end, 1) [German 1], (German, 1) [French 1, and page 4, unknown], (French, 1) [German 3]
    counts, seen = np.array([0.0, 1.0]), np.array([1.5, 1.5, 1.5])
    usual = seen[1] / seen.sum()
    before = (counts + pseudo * usual) / (np.array([2.0, 1.0]) + pseudo) / usual
    # after: (French, 1) [German 1], (German, 1) [French 2], (end, 2) [German 3], (end, 1) [page 4 only]
    usual = 0.5 / (0.5 + 3 * 1.5)
    after = pseudo * usual / (np.array([2.0, 1.0]) + pseudo) / usual
    expected = prior * before * after
    expected /= expected.sum()
    assert found == pytest.approx({DEU: expected[0], FRA: expected[1]}, rel=1e-5)


def menu(pages: int, holes: dict[int, int]) -> tuple[Graph, Evidence, list[int]]:
    """Texts in four languages, each listing the others in one order; ``holes``: text -> version that is empty."""
    languages = [version for _ in range(pages) for version in range(4)]
    gold = list(languages)
    lists = {4 * text + a: [4 * text + b for b in range(4) if b != a] for text in range(pages) for a in range(4)}
    for text, version in holes.items():
        languages[4 * text + version] = -1
    return graph(4 * pages, lists), evidence(languages), gold


def test_the_gap_in_a_menu_is_the_language_that_is_missing() -> None:
    web, given, gold = menu(20, {0: 0, 1: 1, 2: 2, 3: 3})
    answer = propagate(web, given, trace=[5])
    assert answer.language.tolist() == gold
    assert answer.confidence[[0, 5, 10, 15]].min() > 0.9
    parts = {part.source: part for part in answer.traces[5].contributions if part.neighbour < 0}
    assert (parts["link_order"].language, parts["link_order"].log_odds > 1) == (ENG, True)
    assert sum(part.log_odds for part in answer.traces[5].contributions) == pytest.approx(answer.traces[5].log_odds)
    without = propagate(web, given, options=Options(link_order=0))
    assert "link_order" not in {
        part.source for part in propagate(web, given, options=Options(link_order=0), trace=[5]).traces[5].contributions
    }
    assert without.confidence[5] < answer.confidence[5]


def test_an_order_without_order_says_next_to_nothing() -> None:
    web, given, _ = menu(40, {0: 1, 1: 2})
    shuffled = np.random.default_rng(1).permuted(np.tile(np.arange(3), (160, 1)), axis=1).ravel()
    found = read_order(replace(web, ordinal=shuffled.astype(np.int16)), given)
    prior = 0.25
    assert max(abs(share - prior) for row in (found[1], found[6]) for share in row.values()) < 0.3
    ordered = read_order(web, given)
    assert ordered[1][ENG] > 0.8
    assert ordered[6][FRA] > 0.8


def test_a_certain_page_is_not_its_own_witness() -> None:
    # the only Italian page, listed everywhere after the German one: without itself nothing says that Italian is there
    web = graph(4, {0: [1, 2], 3: [1, 2]})
    alone = read_order(web, evidence([FRA, DEU, ITA, FRA]))[2]
    assert alone[ITA] < 0.28  # a quarter of the pages are Italian
    # a second one makes it likely
    more = graph(7, {0: [1, 2], 3: [1, 2], 4: [5, 6]})
    assert read_order(more, evidence([FRA, DEU, ITA, FRA, FRA, DEU, ITA]))[2][ITA] > 0.4


def test_lists_of_other_hosts_and_links_without_a_place_do_not_count() -> None:
    web = graph(4, {0: [1, 2, 3]})
    assert read_order(web, evidence([DEU, DEU, FRA, -1], [0, 1, 1, 1])) == [{}] * 4
    nowhere = replace(web, ordinal=np.full(3, -1, np.int16))
    assert read_order(nowhere, evidence([DEU, DEU, FRA, -1])) == [{}] * 4
    assert read_order(replace(web, ordinal=None), evidence([DEU, DEU, FRA, -1])) == [{}] * 4
    assert read_order(web, evidence([-1] * 4)) == [{}] * 4
    # a gap in the places is none in the list: of two links that are left, one comes first
    gap = replace(web, ordinal=np.array([3, -1, 9], np.int16))
    found = read_order(gap, evidence([-1, DEU, FRA, -1]))
    assert (set(found[1]), found[2], set(found[3])) == ({DEU, FRA}, {}, {DEU, FRA})


def test_blocks_and_large_numbers_of_contexts_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    web, given, _ = menu(12, {0: 0, 1: 1, 5: 2})
    given = replace(given, host=np.arange(48, dtype=np.int32) // 16)  # three sites of four texts
    whole = read_order(web, given)
    assert whole[0]
    assert whole[20]
    monkeypatch.setattr(module, "LINKS", 5)
    monkeypatch.setattr(module, "PAGES", 7)
    monkeypatch.setattr(module, "BITS", 0)
    assert read_order(web, given) == whole
    order = np.random.default_rng(2).permutation(len(web.source))
    shuffled = Graph(
        web.n,
        *(np.asarray(c)[order] for c in (web.source, web.target, web.kind, web.hreflang)),
        None,
        web.ordinal[order],
    )  # type: ignore[index]
    assert read_order(shuffled, given) == whole


def test_of_a_link_given_twice_the_first_place_counts() -> None:
    ends = np.array([0, 0, 0], np.int32), np.array([1, 2, 1], np.int32)
    rest = (np.full(3, 7, np.uint8), np.full(3, -1, np.int16), None)
    assert sort_links(Graph(3, *ends, *rest, np.array([5, 1, -1], np.int16))).ordinal.tolist() == [5, 1]  # type: ignore[union-attr]
    assert sort_links(Graph(3, *ends, *rest, np.array([5, 1, 0], np.int16))).ordinal.tolist() == [0, 1]  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="ordinal has shape"):
        Graph(3, *ends, *rest, np.zeros(2, np.int16))


ROWS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(-1, 9)), max_size=30)


@given(ROWS, st.lists(st.integers(-1, 2), min_size=7, max_size=7), st.lists(st.integers(0, 1), min_size=7, max_size=7))
def test_contexts_against_lists_in_python(rows: list[tuple[int, int, int]], label: list[int], host: list[int]) -> None:
    links = {(s, t): place for s, t, place in rows if s != t}  # the last of each pair
    ends = np.array(sorted(links), np.int32).reshape(-1, 2)
    places = np.array([links[s, t] for s, t in sorted(links)], np.int16)
    rest = (np.full(len(ends), 7, np.uint8), np.full(len(ends), -1, np.int16), None, places)
    web = sort_links(Graph(7, ends[:, 0].copy(), ends[:, 1].copy(), *rest))
    several = [True, False]
    for backwards in (False, True):
        expected = definitions.contexts(links, host, label, several, 3, module.FARTHEST, backwards=backwards)
        given_ = (np.array(label, np.int16), np.array(host, np.int32), np.array(several), 3)
        page, key = module.list_contexts(web, *given_, backwards=backwards)
        assert list(zip(page.tolist(), key.tolist(), strict=True)) == expected


def test_contexts_of_what_is_not_there_are_refused() -> None:
    web = sort_links(graph(4, {0: [1, 2, 3], 1: [0]}))
    label, host, several = np.zeros(4, np.int16), np.zeros(4, np.int32), np.ones(1, np.bool_)
    assert len(module.list_contexts(web, label, host, several, 1, backwards=False)[0]) == 4
    for arrays, words in (
        ((label + 1, host, several), r"label[1] = 1 is outside -1..0"),
        ((label, host - 1, several), r"host[0] = -1 is outside 0..0"),
        ((label, host + 1, several), r"host[0] = 1 is outside 0..0"),
        ((label, host, several[:0]), r"host[0] = 0 is outside 0..-1"),
        ((label[:3], host, several), r"label has shape (3,), expected (pages,) = (4,)"),
        ((label.astype(np.int32), host, several), r"label is int32, expected int16"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(words)}$"):
            module.list_contexts(web, *arrays, 1, backwards=False)  # type: ignore[arg-type]
    bounds = replace(web, out_start=np.array([0, 4, 0, 4, 4]))
    with pytest.raises(ValueError, match=r"^out_start\[2\] = 0 is outside 4\.\.4$"):
        module.list_contexts(
            bounds, label, np.array([0, 1, 0, 1], np.int32), np.array([True, False]), 1, backwards=False
        )
    with pytest.raises(ValueError, match="no ordinals"):
        module.list_contexts(replace(web, ordinal=None), label, host, several, 1, backwards=False)
