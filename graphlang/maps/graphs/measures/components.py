"""Strongly connected components of many graphs at once, and the diameter of the largest of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from graphlang.maps.graphs.measures.reach import AT_ONCE, searches
from graphlang.maps.graphs.measures.ways import Ways

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SWEEPS: Final = 8


class Shape(NamedTuple):
    """What the links between the pages of a language, or a site, look like."""

    components: int  #: strongly connected ones
    largest: int  #: pages of the largest; of equals, that with the first page
    diameter: int  #: its longest shortest way; of large ones a lower bound


def shapes(
    group: NDArray[np.int32], groups: int, source: NDArray[np.int32], target: NDArray[np.int32], *, exact: int
) -> list[Shape]:
    """The components of each group of pages, by the links within it.

    Args:
        group: the group of each page, -1 where it counts nowhere; shape (pages,).
        groups: how many there are.
        source: links, each between pages of one group; shape (links,).
        target: shape (links,).
        exact: up to so many pages the diameter is exact. Of a larger component it is the longest way that eight sweeps
            find, each from the page that was farthest from the one before: a lower bound, which is nearly always met.

    Returns:
        One for each group; of one without pages all is 0.

    >>> shapes(np.array([0, 0, 1, 0, -1]), 3, np.array([0, 1]), np.array([1, 0]), exact=9)[:2]
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
    # Pages of the largest components, numbered anew: those of a component stand together.
    rank = np.full(len(sizes), -1, dtype=np.int64)
    rank[best] = np.arange(len(best))
    of_page = np.full(size, -1, dtype=np.int64)
    of_page[counted] = rank[number]
    pages = np.argsort(of_page, kind="stable")[np.count_nonzero(of_page < 0) :]
    place = np.full(size, -1, dtype=np.int64)
    place[pages] = np.arange(len(pages))
    within = (of_page[source] >= 0) & (of_page[source] == of_page[target])
    found = _diameters(sizes[best], place[source[within]], place[target[within]], exact)
    diameter = np.zeros(groups, dtype=np.int64)
    diameter[of_component[best]] = found
    return [Shape(*row) for row in zip(count.tolist(), largest.tolist(), diameter.tolist(), strict=True)]


def _diameters(
    sizes: NDArray[np.int64], source: NDArray[np.int64], target: NDArray[np.int64], exact: int
) -> NDArray[np.int64]:
    """Diameters of components whose pages are numbered one after the other."""
    ends = np.cumsum(sizes)
    small = sizes <= exact
    found = np.zeros(len(sizes), dtype=np.int64)
    of_link = np.searchsorted(ends, source, side="right")
    _exactly(np.flatnonzero(small & (sizes > 1)), sizes, (source, target, of_link), found)
    order = np.argsort(of_link, kind="stable")
    source, target, cuts = source[order], target[order], np.searchsorted(of_link[order], np.arange(len(sizes) + 1))
    for one in np.flatnonzero(~small):
        its, begin = slice(cuts[one], cuts[one + 1]), ends[one] - sizes[one]
        links = np.ones(cuts[one + 1] - cuts[one]), (source[its] - begin, target[its] - begin)
        found[one] = _by_sweeps(sparse.csr_matrix(links, shape=(sizes[one], sizes[one])))
    return found


def _exactly(
    which: NDArray[np.int64],
    sizes: NDArray[np.int64],
    links: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    found: NDArray[np.int64],
) -> None:
    """Search from every page: from 64 pages of each of these components at once."""
    source, target, of_link = links
    starts = np.cumsum(sizes) - sizes
    for begin in range(0, int(sizes[which].max(initial=0)), AT_ONCE):
        which = which[sizes[which] > begin]
        new = np.full(len(sizes), -1, dtype=np.int64)
        new[which] = np.cumsum(sizes[which]) - sizes[which]  # where the pages of each begin now
        its = new[of_link] >= 0
        shift = (new - starts)[of_link[its]]
        total = int(sizes[which].sum())
        component = np.repeat(which, sizes[which])
        rank = np.arange(total) - new[component]
        bits = np.zeros(total, dtype=np.uint64)
        start = (rank >= begin) & (rank < begin + AT_ONCE)
        bits[start] = np.left_shift(np.uint64(1), (rank[start] - begin).astype(np.uint64))
        for steps, nodes, _ in searches(Ways(total, source[its] + shift, target[its] + shift), bits):
            its_component = component[nodes]
            found[its_component] = np.maximum(found[its_component], steps)


def _by_sweeps(matrix: sparse.csr_matrix) -> int:
    """From the page that is farthest to the one that is farthest from it, and so on."""
    found, start, transposed = 0, 0, matrix.T.tocsr()
    for sweep in range(_SWEEPS):
        order, before = csgraph.breadth_first_order(transposed if sweep % 2 else matrix, start)
        steps, page, back = 0, int(order[-1]), before.tolist()
        while page != start:
            steps, page = steps + 1, back[page]
        found, start = max(found, steps), int(order[-1])
    return found
