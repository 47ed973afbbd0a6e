"""Leaves are only counted: what the inference and the votes say of the other pages stays the same, to the last bit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from graphlang.analysis import graph_rows
from graphlang.analysis.graph_rows import LinkRows, PageRows, build_graph, find_multilingual
from graphlang.db.collection import Edges
from graphlang.graph.adjacency import sort_links
from graphlang.graph.data import Evidence, Graph
from graphlang.graph.propagation import candidates, inference
from graphlang.graph.propagation.inference import propagate
from graphlang.graph.vote import inlinks, outlinks

CODES = ("eng", "deu", "fra")
LONG = 400
NO_TAGS = np.int16([-1])


class Web(NamedTuple):
    """A few pages and URLs, in any order of ids."""

    links: LinkRows
    language: list[int]  #: -1 no text
    length: list[int]


def links_of(pairs: list[tuple[int, int]], hosts: list[int], places: list[int] | None = None) -> LinkRows:
    order = sorted(range(len(pairs)), key=pairs.__getitem__)
    ends = [np.array([pairs[link][end] for link in order], np.int32) for end in (0, 1)]
    flags = np.full(len(pairs), 7, np.uint8), np.zeros(len(pairs), np.bool_), np.full(len(pairs), -1, np.int16)
    place = None if places is None else np.array([places[link] for link in order], np.int16)
    return LinkRows(Edges(*ends, *flags, (), place), np.array(hosts, np.int32))


def web_of(seed: int) -> Web:
    """Sixty pages on four hosts list what they link to; three in four of the others are leaves, some redirect."""
    rng = np.random.default_rng(seed)
    n = 400
    hosts = rng.integers(0, 4, n)
    read = rng.random(n) < 0.15  # pages were read in between
    of_host = np.array([[0.9, 0.1, 0.0], [0.3, 0.4, 0.3], [0.0, 0.5, 0.5], [0.0, 0.0, 1.0]])
    language = [int(rng.choice(3, p=of_host[hosts[page]])) if read[page] else -1 for page in range(n)]
    length = [int(rng.choice([10, 40, LONG, LONG, LONG, LONG])) if read[page] else 0 for page in range(n)]
    pairs, places = [], []
    for page in range(n):
        if not read[page] and rng.random() < 0.97:
            continue
        home = np.flatnonzero(hosts == hosts[page])
        listed = [int(rng.choice(home if rng.random() < 0.8 else n)) for _ in range(12 if read[page] else 1)]
        listed = [one for one in dict.fromkeys(listed) if one != page]
        pairs += [(page, one) for one in listed]
        places += [place if seed % 4 else -1 for place in range(len(listed))]
    return Web(links_of(pairs, hosts.tolist(), places if seed % 3 else None), language, length)


def rows_of(web: Web, asked: list[int]) -> PageRows:
    """Pages with a text, those that have a neighbour who listens, and those that are asked for."""
    source, target = web.links.edges.source, web.links.edges.target
    length = np.array(web.length)
    inside, listens = length > 0, length < LONG
    inside[target[listens[source]]] = True
    inside[source[listens[target]]] = True
    kept, new = np.flatnonzero(inside), np.array([page for page in asked if not inside[page]], np.int64)
    inside[new] = True
    return PageRows(np.concatenate([kept, new]), inside, len(new))


def evidence_of(web: Web, rows: PageRows) -> Evidence:
    languages = np.array([(one, (one + 1) % 3) if one >= 0 else (-1, -1) for one in web.language], np.int16)[rows.pages]
    probabilities = np.where(languages >= 0, np.float32([0.97, 0.02]), np.float32(0))
    length, host = np.array(web.length, np.int32)[rows.pages], web.links.hosts[rows.pages]
    return Evidence(CODES, languages, probabilities, length, host, answer_only=rows.answer_only)


def with_leaves(web: Web, rows: PageRows) -> Graph:
    """The same graph with a row for each leaf."""
    edges, hosts = web.links
    outside = np.setdiff1d(np.arange(len(hosts)), rows.pages)
    row = np.empty(len(hosts), np.int32)
    row[np.concatenate([rows.pages, outside])] = np.arange(len(hosts))
    left_out = hosts[outside] if len(outside) else None
    ends = row[edges.source], row[edges.target]
    return Graph(len(hosts), *ends, edges.kind, edges.hreflang, ordinal=edges.place, outside=left_out)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("together", [5, 1 << 20])
def test_leaves_that_are_only_counted_change_no_answer(
    seed: int, together: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_rows, "_LINKS", together)
    web = web_of(seed)
    rows = rows_of(web, [3, 50, 51, 200, 399])
    several = find_multilingual(web.links.hosts, np.int16(web.language))
    graph = build_graph(web.links, rows, NO_TAGS, several)
    evidence, whole = evidence_of(web, rows), with_leaves(web, rows)
    assert graph.leaves is not None
    assert graph.leaves.sum() > 10
    assert graph.inside == evidence.n
    assert graph.pages == len(web.length)
    assert sorted(zip(graph.source.tolist(), graph.target.tolist(), strict=True)) == list(
        zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    )
    for ask in (propagate, inlinks, outlinks):
        found, expected = ask(graph, evidence), ask(whole, evidence)
        assert found.language.tolist() == expected.language.tolist()
        assert found.confidence.tolist() == expected.confidence.tolist()
        assert found.runner_up_confidence.tolist() == expected.runner_up_confidence.tolist()


def test_leaves_have_no_row_unless_a_list_of_a_host_of_several_languages_names_them() -> None:
    # pages 0 and 1 were read; both link to 2, page 0 also to the leaves 3 and 4, page 1 to the leaf 5
    links = links_of([(0, 2), (1, 2), (0, 3), (0, 4), (1, 5)], [0, 1, 0, 0, 1, 1], [0, 0, 1, 2, 1])
    rows = PageRows(np.array([0, 1]), np.array([True, True, False, False, False, False]), 0)
    graph = build_graph(links, rows, NO_TAGS, np.array([False, False]))
    assert (graph.n, graph.pages, graph.inside) == (3, 6, 2)
    assert graph.leaves is not None
    assert graph.leaves.tolist() == [2, 1]
    assert (graph.source.tolist(), graph.target.tolist()) == ([0, 1], [2, 2])
    graph = build_graph(links, rows, NO_TAGS, np.array([True, False]))
    assert graph.leaves is not None
    assert graph.leaves.tolist() == [1, 1]  # of host 0 only the leaf 3 is on the host of the page that names it
    assert (graph.source.tolist(), graph.target.tolist()) == ([0, 0, 1], [2, 3, 2])
    assert graph.ordinal is not None
    assert graph.ordinal.tolist() == [0, 1, 0]


@pytest.mark.parametrize("seed", range(6))
def test_candidates_come_from_the_links_that_reach_a_latent_page(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST", 1)
    web = web_of(seed)  # of ten pages with a text nine are clamped
    web = web._replace(length=[size and (10 if page % 10 == 0 else LONG) for page, size in enumerate(web.length)])
    rows = rows_of(web, [3, 50, 51, 200, 399])
    evidence, whole = evidence_of(web, rows), with_leaves(web, rows)
    found = propagate(whole, evidence)
    asked: list[int] = []
    monkeypatch.setattr(inference, "_index", lambda *given: asked.append(len(given)) or sort_links(whole))
    expected = propagate(whole, evidence)
    assert len(asked) == 1
    assert found.language.tolist() == expected.language.tolist()
    assert found.confidence.tolist() == expected.confidence.tolist()
