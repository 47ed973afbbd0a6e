"""Measures of large graphs: strongly connected components, diameters, distances and betweenness.

What networkx answers for small graphs, in numpy for large ones: 100,000 sites, a million pages. Breadth-first search
runs from up to 64 nodes at once, a bit of a word for each (Then et al., VLDB 2014, MS-BFS). Betweenness (Freeman 1977)
is computed by the algorithm of Brandes (2001), and estimated from some nodes as Brandes and Pich (2007) do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from numpy.typing import NDArray


class LinkIndex:
    """Links between nodes 0..size-1, by source and by target.

    `source` and `target` have the shape (links,). A link that occurs twice counts once; links of a node to itself do
    not count.
    """

    def __init__(self, size: int, source: NDArray[Any], target: NDArray[Any]) -> None:
        self.size = size
        keys = np.unique(source.astype(np.int64) * max(size, 1) + target)
        tails, heads = np.divmod(keys, max(size, 1))
        differ = tails != heads
        tails, self._heads = tails[differ], heads[differ]
        self._starts = np.searchsorted(tails, np.arange(size + 1))
        order = np.argsort(self._heads, kind="stable")
        #: Nodes that links lead to; where the links of each begin in ``tails``; sources of links, sorted by targets.
        self.reached, self.cuts = np.unique(self._heads[order], return_index=True)
        self.tails = tails[order]

    @property
    def links(self) -> int:
        """Number of links."""
        return len(self.tails)

    def list_links(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the links of some nodes: for each link the index of its source in ``nodes``, and its target.

        >>> LinkIndex(3, np.array([0, 0, 2, 2]), np.array([1, 2, 2, 0])).list_links(np.array([2, 0]))
        (array([0, 1, 1]), array([0, 1, 2]))
        """
        counts = self._starts[nodes + 1] - self._starts[nodes]
        place = np.repeat(np.arange(len(nodes)), counts)
        first = np.cumsum(counts) - counts
        links = np.arange(len(place)) - first[place] + self._starts[nodes][place]
        return place, self._heads[links]


#: Searches at once.
AT_ONCE: Final = 64
#: If fewer nodes than one in this many are new, only their links are followed; else all links.
_FEW: Final = 32


def search_breadth_first(
    index: LinkIndex, bits: NDArray[np.uint64]
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.uint64]]]:
    """Follow the links from some nodes, a step at a time, until no search reaches a new node.

    `bits` are the searches that begin at each node, shape (nodes,). Yield the number of the step, from 1 on, the nodes
    that searches first reach in it, each once, and the bits of these searches.
    """
    seen, fresh = bits.copy(), bits.copy()
    nodes, steps = np.flatnonzero(bits), 0
    while len(nodes):
        steps += 1
        if len(nodes) * _FEW < index.size:
            reached, bits_reached = _follow_links(index, nodes, fresh)
        elif not index.links:
            return
        else:
            reached, bits_reached = index.reached, np.bitwise_or.reduceat(fresh[index.tails], index.cuts)
        bits_reached = bits_reached & ~seen[reached]
        new = np.flatnonzero(bits_reached)
        fresh[nodes] = 0
        nodes, bits_reached = reached[new], bits_reached[new]
        fresh[nodes] = bits_reached
        seen[nodes] |= bits_reached
        if len(nodes):
            yield steps, nodes, bits_reached


def _follow_links(
    index: LinkIndex, nodes: NDArray[np.int64], fresh: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    place, heads = index.list_links(nodes)
    if not len(heads):
        return heads, np.zeros(0, dtype=np.uint64)
    order = np.argsort(heads, kind="stable")
    heads = heads[order]
    cuts = np.flatnonzero(np.concatenate(([True], heads[1:] != heads[:-1])))
    return heads[cuts], np.bitwise_or.reduceat(fresh[nodes[place[order]]], cuts)


_SWEEPS: Final = 8


class Shape(NamedTuple):
    """Components and diameter of the links between the pages of a language or a site."""

    components: int  #: strongly connected ones
    largest: int  #: pages of the largest; of equals, that with the first page
    diameter: int  #: its longest shortest path; of large ones a lower bound


def compute_shapes(
    group: NDArray[np.int32], groups: int, source: NDArray[np.int32], target: NDArray[np.int32], *, exact: int
) -> list[Shape]:
    """Find the components of each group of pages, by the links within it.

    `group` is the group of each page, -1 if it does not count, shape (pages,); `source` and `target`, shape (links,),
    are within one group each. All numbers of a group without pages are 0. The diameter of a component of up to `exact`
    pages is exact. Otherwise it is the longest distance of eight sweeps, each from the page that was farthest in the
    sweep before: a lower bound that is mostly reached.

    >>> compute_shapes(np.array([0, 0, 1, 0, -1]), 3, np.array([0, 1]), np.array([1, 0]), exact=9)[:2]
    [Shape(components=2, largest=2, diameter=1), Shape(components=1, largest=1, diameter=0)]
    """
    size = len(group)
    matrix = sparse.csr_matrix((np.ones(len(source), dtype=np.int8), (source, target)), shape=(size, size))
    _, label = csgraph.connected_components(matrix, directed=True, connection="strong")
    counted = np.flatnonzero(group >= 0)
    _, first, number, sizes = np.unique(label[counted], return_index=True, return_inverse=True, return_counts=True)
    of_component = group[counted[first]]
    count = np.bincount(of_component, minlength=groups)
    best = np.lexsort((first, -sizes, of_component))[np.cumsum(count)[count > 0] - count[count > 0]]
    largest = np.zeros(groups, dtype=np.int64)
    largest[of_component[best]] = sizes[best]
    # Pages of the largest components, renumbered: those of a component are adjacent.
    rank = np.full(len(sizes), -1, dtype=np.int64)
    rank[best] = np.arange(len(best))
    of_page = np.full(size, -1, dtype=np.int64)
    of_page[counted] = rank[number]
    pages = np.argsort(of_page, kind="stable")[np.count_nonzero(of_page < 0) :]
    place = np.full(size, -1, dtype=np.int64)
    place[pages] = np.arange(len(pages))
    within = (of_page[source] >= 0) & (of_page[source] == of_page[target])
    diameters = _compute_diameters(sizes[best], place[source[within]], place[target[within]], exact)
    diameter = np.zeros(groups, dtype=np.int64)
    diameter[of_component[best]] = diameters
    return [Shape(*row) for row in zip(count.tolist(), largest.tolist(), diameter.tolist(), strict=True)]


def _compute_diameters(
    sizes: NDArray[np.int64], source: NDArray[np.int64], target: NDArray[np.int64], exact: int
) -> NDArray[np.int64]:
    """Return the diameters of components whose pages are numbered consecutively."""
    ends = np.cumsum(sizes)
    small = sizes <= exact
    diameters = np.zeros(len(sizes), dtype=np.int64)
    of_link = np.searchsorted(ends, source, side="right")
    _measure_all_distances(np.flatnonzero(small & (sizes > 1)), sizes, (source, target, of_link), diameters)
    order = np.argsort(of_link, kind="stable")
    source, target, cuts = source[order], target[order], np.searchsorted(of_link[order], np.arange(len(sizes) + 1))
    for component in np.flatnonzero(~small):
        within, begin = slice(cuts[component], cuts[component + 1]), ends[component] - sizes[component]
        links = np.ones(cuts[component + 1] - cuts[component]), (source[within] - begin, target[within] - begin)
        diameters[component] = _estimate_by_sweeps(sparse.csr_matrix(links, shape=(sizes[component], sizes[component])))
    return diameters


def _measure_all_distances(
    components: NDArray[np.int64],
    sizes: NDArray[np.int64],
    links: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    diameters: NDArray[np.int64],
) -> None:
    """Search from every page, from 64 pages of each component at once."""
    source, target, of_link = links
    starts = np.cumsum(sizes) - sizes
    for begin in range(0, int(sizes[components].max(initial=0)), AT_ONCE):
        components = components[sizes[components] > begin]
        new = np.full(len(sizes), -1, dtype=np.int64)
        new[components] = np.cumsum(sizes[components]) - sizes[components]  # where the pages of each begin now
        searched = new[of_link] >= 0
        shift = (new - starts)[of_link[searched]]
        total = int(sizes[components].sum())
        component = np.repeat(components, sizes[components])
        rank = np.arange(total) - new[component]
        bits = np.zeros(total, dtype=np.uint64)
        start = (rank >= begin) & (rank < begin + AT_ONCE)
        bits[start] = np.left_shift(np.uint64(1), (rank[start] - begin).astype(np.uint64))
        for steps, nodes, _ in search_breadth_first(
            LinkIndex(total, source[searched] + shift, target[searched] + shift), bits
        ):
            component_of_node = component[nodes]
            diameters[component_of_node] = np.maximum(diameters[component_of_node], steps)


def _estimate_by_sweeps(matrix: sparse.csr_matrix) -> int:
    """Estimate the diameter by sweeps, each from the page that was farthest in the sweep before."""
    longest, start, transposed = 0, 0, matrix.T.tocsr()
    for sweep in range(_SWEEPS):
        order, before = csgraph.breadth_first_order(transposed if sweep % 2 else matrix, start)
        steps, page, predecessors = 0, int(order[-1]), before.tolist()
        while page != start:
            steps, page = steps + 1, predecessors[page]
        longest, start = max(longest, steps), int(order[-1])
    return longest


def count_steps_between(index: LinkIndex, nodes: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Count the steps between some nodes, each listed once, along the direction of all links.

    Yield the index of the first node in ``nodes``, of the second, and the steps, in order of the indices. Pairs without
    a path are left out.

    >>> list(count_steps_between(LinkIndex(3, np.array([0, 1]), np.array([1, 2])), np.array([0, 2])))
    [(0, 1, 2)]
    """
    place = np.full(index.size, -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    for begin in range(0, len(nodes), AT_ONCE):
        starts = nodes[begin : begin + AT_ONCE]
        bits = np.zeros(index.size, dtype=np.uint64)
        bits[starts] = np.left_shift(np.uint64(1), np.arange(len(starts), dtype=np.uint64))
        steps = np.zeros((AT_ONCE, len(nodes)), dtype=np.int32)
        for step, reached, bits_reached in search_breadth_first(index, bits):
            selected = place[reached] >= 0
            octets = bits_reached[selected].astype("<u8").view(np.uint8).reshape(-1, 8)
            to, search = np.nonzero(np.unpackbits(octets, axis=1, bitorder="little"))
            steps[search, place[reached[selected]][to]] = step
        for number, row in enumerate(steps[: len(starts)]):
            reached_places = np.flatnonzero(row)
            for target, count in zip(reached_places.tolist(), row[reached_places].tolist(), strict=True):
                yield begin + number, target, count


#: Links, nodes and steps that are looked at: from as many nodes as that allows, from all of small graphs.
BUDGET: Final = 200_000_000
_A_STEP: Final = 1_000  #: what a step costs besides its links, in links
_MANY: Final = 1e100  #: greater numbers of shortest paths are scaled down, because they could exceed every float
_LEAST: Final = 1e-200
_SEED: Final = 1


def compute_betweenness(index: LinkIndex, *, budget: int = BUDGET) -> tuple[NDArray[np.float64], int]:
    """Return the betweenness of each node, from 0 to 1, shape (nodes,), and from how many nodes it is computed.

    Betweenness is the share of ordered pairs of other nodes whose shortest paths pass through the node, as in
    `networkx.betweenness_centrality`; if a pair has several shortest paths, each counts for its part. It is exact if it
    is computed from all nodes. If `budget` steps are spent before that, it is an unbiased estimate from nodes drawn
    with a fixed seed.

    >>> compute_betweenness(LinkIndex(3, np.array([0, 1]), np.array([1, 2])))
    (array([0. , 0.5, 0. ]), 3)
    """
    total, size = np.zeros(index.size), index.size
    done, drawn = 0, np.zeros(size, dtype=np.bool_)
    for start in np.random.default_rng(_SEED).permutation(size).tolist():
        if budget <= 0:
            break
        budget -= _add_dependencies(index, start, total)
        done, drawn[start] = done + 1, True
    if size <= 2:  # noqa: PLR2004 - there is no pair of others
        return total, done
    if done < size:  # paths that begin at a drawn node do not pass through it
        total *= (size - 1) / np.where(drawn, max(done - 1, 1), done)
    return total / ((size - 1) * (size - 2)), done


def _add_dependencies(index: LinkIndex, start: int, total: NDArray[np.float64]) -> int:
    """Add the share of each node in the shortest paths from one; return the steps spent."""
    steps = np.full(index.size, -1, dtype=np.int64)
    steps[start] = 0
    number = np.zeros(index.size)  # of shortest paths
    number[start] = 1.0
    levels: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
    nodes, cost = np.array([start]), index.size
    while len(nodes):
        place, heads = index.list_links(nodes)
        cost += len(heads) + _A_STEP
        nearest = steps[heads] < 0
        tails, heads = nodes[place[nearest]], heads[nearest]
        np.add.at(number, heads, number[tails])
        levels.append((tails, heads, number[tails] / number[heads]))
        steps[heads] = len(levels)
        nodes = _drop_repeats(heads, steps)
        if number[nodes].max(initial=0) > _MANY:
            number[nodes] = np.maximum(number[nodes] / _MANY, _LEAST)
    dependency = np.zeros(index.size)  # of the start on each node, in the terms of Brandes
    for tails, heads, ratio in reversed(levels):
        np.add.at(dependency, tails, ratio * (1 + dependency[heads]))
    dependency[start] = 0
    total += dependency
    return cost


def _drop_repeats(nodes: NDArray[np.int64], scratch: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each node once; ``scratch`` has one value for each node and is restored."""
    saved = scratch[nodes]
    scratch[nodes] = np.arange(len(nodes))
    single: NDArray[np.int64] = nodes[scratch[nodes] == np.arange(len(nodes))]
    scratch[nodes] = saved
    return single
