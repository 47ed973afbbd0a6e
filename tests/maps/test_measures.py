"""Components, distances and betweenness: by hand, and against networkx."""

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from graphlang.maps.graph_measures import LinkIndex, compute_betweenness, compute_shapes, count_steps_between

MOST = 9
Links = list[tuple[int, int]]
links = st.lists(st.tuples(st.integers(0, MOST - 1), st.integers(0, MOST - 1)), max_size=30)


def ends(given_links: Links) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    pairs = np.array(given_links, dtype=np.int32).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]


def graph_of(given_links: Links, size: int) -> "nx.DiGraph[int]":
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from((one, other) for one, other in given_links if one != other)
    return graph


def circle(size: int, first: int = 0) -> Links:
    return [(first + place, first + (place + 1) % size) for place in range(size)]


@given(links)
def test_betweenness_is_that_of_networkx(given_links: Links) -> None:
    found, followed = compute_betweenness(LinkIndex(MOST, *ends(given_links)))
    expected = nx.betweenness_centrality(graph_of(given_links, MOST))
    assert followed == MOST
    np.testing.assert_allclose(found, [expected[node] for node in range(MOST)], atol=1e-12)


def test_an_estimate_has_the_mean_of_the_ways_that_were_followed() -> None:
    # A star: all ways between the leaves lead over the middle, which is exact from however few leaves.
    star = [(0, leaf) for leaf in range(1, 40)] + [(leaf, 0) for leaf in range(1, 40)]
    found, followed = compute_betweenness(LinkIndex(40, *ends(star)), budget=10_000)
    assert 1 < followed < 40
    np.testing.assert_allclose(found, [1.0, *[0.0] * 39])


def test_more_shortest_ways_than_a_float_can_count() -> None:
    # 2,000 diamonds in a row: 2 ** 2000 ways. Each of the two sides has half of what its diamond's ends have.
    diamonds: Links = []
    for first in range(0, 6_000, 3):
        diamonds += [(first, first + 1), (first, first + 2), (first + 1, first + 3), (first + 2, first + 3)]
    found, _ = compute_betweenness(LinkIndex(6_001, *ends(diamonds)), budget=1)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found[1::3], found[2::3])


@given(links, st.sets(st.integers(0, MOST - 1)))
def test_distances_are_those_of_networkx(given_links: Links, nodes: set[int]) -> None:
    expected = dict(nx.all_pairs_shortest_path_length(graph_of(given_links, MOST)))
    wanted = sorted(nodes)
    found = list(count_steps_between(LinkIndex(MOST, *ends(given_links)), np.array(wanted, dtype=np.int64)))
    assert found == [
        (place, to, expected[one][other])
        for place, one in enumerate(wanted)
        for to, other in enumerate(wanted)
        if one != other and other in expected[one]
    ]


def test_distances_from_more_nodes_than_are_searched_at_once() -> None:
    found = count_steps_between(LinkIndex(150, *ends(circle(150))), np.arange(150))
    assert list(found) == [
        (one, other, (other - one) % 150) for one in range(150) for other in range(150) if one != other
    ]


@given(links, st.lists(st.integers(-1, 2), min_size=MOST, max_size=MOST))
def test_shapes_are_those_of_networkx(given_links: Links, groups: list[int]) -> None:
    inside = [(one, other) for one, other in given_links if groups[one] == groups[other] >= 0]
    found = compute_shapes(np.array(groups, dtype=np.int32), 3, *ends(inside), exact=MOST)
    for number, shape in enumerate(found):
        pages = [page for page in range(MOST) if groups[page] == number]
        graph = graph_of(inside, MOST).subgraph(pages)
        components = sorted(nx.strongly_connected_components(graph), key=lambda one: (-len(one), min(one)))
        largest = components[0] if components else set()
        diameter = nx.diameter(graph.subgraph(largest)) if largest else 0
        assert shape == (len(components), len(largest), diameter)


def test_the_diameter_of_a_large_component_is_found_by_sweeps() -> None:
    # Circles of 200 and of 100 pages, which is once below the limit and once above: in a circle the sweeps are exact.
    group = np.repeat(np.array([0, 1], dtype=np.int32), [200, 100])
    both = ends(circle(200) + circle(100, first=200))
    assert (
        compute_shapes(group, 2, *both, exact=100)
        == compute_shapes(group, 2, *both, exact=300)
        == [(1, 200, 199), (1, 100, 99)]
    )
