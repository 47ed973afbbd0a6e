"""Links as sorted arrays without self-links and duplicates, with the index of inlinks.

The order and repetition of the links in the input do not change these arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from graphlang.graph.native import adjacency as _kernels
from graphlang.native.threads import run_blocks, run_parts, run_side_by_side, split_evenly

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from graphlang.graph.data import Graph

Number = TypeVar("Number", np.int16, np.int32, np.bool_)
BLOCK = 1 << 18  #: links that one core handles at a time


@dataclass(frozen=True, slots=True, eq=False)
class SortedLinks:
    """Distinct links between different pages, sorted by source, then by target.

    Page s links to ``target[out_start[s]:out_start[s + 1]]``. The pages ``in_source[in_start[t]:in_start[t + 1]]`` link
    to page t. Both are in ascending order.
    """

    n: int  #: pages
    source: NDArray[np.int32]  #: shape (m,)
    target: NDArray[np.int32]  #: shape (m,)
    kind: NDArray[np.uint8]  #: see ``Graph``, shape (m,)
    hreflang: NDArray[np.int16]  #: announced language, -1 none, shape (m,)
    out_start: NDArray[np.int64]  #: index of the first link of each page, shape (n + 1,)
    in_source: NDArray[np.int32]  #: sources, sorted by target, shape (m,)
    in_start: NDArray[np.int64]  #: index of the first inlink of each page in ``in_source``, shape (n + 1,)
    ordinal: NDArray[np.int16] | None = None  #: position of each link on its page, -1 unknown, shape (m,)
    outside: int = 0  #: number of the last pages, which are excluded
    leaves: NDArray[np.int32] | None = None  #: links of each page to leaves without a row, shape (inside,)

    @property
    def m(self) -> int:
        """Number of links."""
        return len(self.source)

    @property
    def inside(self) -> int:
        """Number of pages that are not excluded."""
        return self.n - self.outside

    @property
    def distinct(self) -> int:
        """Number of links of the collection, with those to leaves without a row."""
        return self.m + (0 if self.leaves is None else int(self.leaves.sum(dtype=np.int64)))

    @property
    def pages(self) -> int:
        """Number of pages of the collection, with leaves without a row (each has one link)."""
        return self.n + self.distinct - self.m

    def drop_sources(self) -> SortedLinks:
        """Return the links without ``in_source``, which takes four bytes per link."""
        return replace(self, in_source=np.zeros(0, np.int32))

    def outdegree(self) -> NDArray[np.int64]:
        """Count the distinct pages that each page links to; shape (inside,)."""
        degree = np.diff(self.out_start[: self.inside + 1])
        if self.leaves is not None:
            degree += self.leaves
        return degree

    def indegree(self) -> NDArray[np.int64]:
        """Count the distinct pages that link to each page; shape (inside,)."""
        return np.diff(self.in_start[: self.inside + 1])

    def reciprocal(self) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Return whether each link is mutual, shape (m,), and the mutual links per page, shape (n,)."""
        back, mutual = np.zeros(self.m, np.uint8), np.empty(self.n, np.int32)
        arrays = (self.out_start, self.target, self.in_start, self.in_source, back, mutual)
        run_parts(self.n, lambda pages: _kernels.links_reciprocal(pages.start, pages.stop, *arrays))
        return back.view(np.bool_), mutual

    def find_incident(self, pages: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return the numbers of the links with an end in ``pages``, a mask of shape (n,), ascending."""
        return find_incident_links(self.source, self.target, pages)

    def select(self, numbers: NDArray[np.int32]) -> LinkSubset:
        """Select links by number, and sort them by target as well.

        ``numbers`` is ascending without repeats, shape (w,). No link may lead to an excluded page.
        """
        source, target, kind = self.source, self.target, self.kind
        if len(numbers) < self.m:
            source, target = np.empty(len(numbers), np.int32), np.empty(len(numbers), np.int32)
            kind = np.empty(len(numbers), np.uint8)

            def take(block: slice) -> None:  # without "clip" numpy makes a copy; all numbers are valid
                self.source.take(numbers[block], out=source[block], mode="clip")
                self.target.take(numbers[block], out=target[block], mode="clip")
                self.kind.take(numbers[block], out=kind[block], mode="clip")

            list(run_blocks(len(numbers), BLOCK, take))
        return LinkSubset(source, target, kind, *order_by_target(target, self.inside))

    def kinds(self) -> NDArray[np.bool_]:
        """Return which link kinds occur, shape (256,)."""
        present = np.zeros(256, np.uint8)
        _kernels.link_kinds(self.kind, present)
        return present.view(np.bool_)

    def draw(
        self,
        block: slice,
        chosen: NDArray[np.bool_],
        excluded_kinds: NDArray[np.bool_],
        key: NDArray[np.uint64],
        limit: int,
    ) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        """Draw the links between chosen pages whose hash (of the keys of both pages) is at most ``limit``.

        ``chosen`` has shape (n,), ``excluded_kinds`` shape (256,), ``key`` shape (n,). Return
        the numbers of the links, ascending, and their hashes; shape (d,) each.
        """
        size = block.stop - block.start
        numbers, hashes = np.empty(size, np.int32), np.empty(size, np.uint64)
        arrays = (self.source, self.target, self.kind, excluded_kinds, chosen, key, numbers, hashes)
        count = _kernels.links_drawn(block.start, block.stop, limit, *arrays)
        return numbers[:count].copy(), hashes[:count].copy()


@dataclass(frozen=True, slots=True, eq=False)
class LinkSubset:
    """w links between n pages, sorted by source."""

    source: NDArray[np.int32]  #: source page of each link, ascending, shape (w,)
    target: NDArray[np.int32]  #: target page, shape (w,)
    kind: NDArray[np.uint8]  #: link kind, shape (w,)
    order: NDArray[np.int32]  #: the links sorted by target, shape (w,)
    in_start: NDArray[np.int64]  #: index of the first inlink of each page in `order`, shape (n + 1,)


def pad_values(values: NDArray[Number], pages: int, fill: int) -> NDArray[Number]:
    """Append ``fill`` to the values, shape (n,), up to length ``pages``; longer arrays stay as they are.

    >>> pad_values(np.int16([3, 4]), 4, -1).tolist()
    [3, 4, -1, -1]
    """
    return np.concatenate([values, np.full(pages - len(values), fill, values.dtype)]) if pages > len(values) else values


def sort_links(graph: Graph) -> SortedLinks:
    """Sort the links, join duplicates and drop self-links.

    A duplicate keeps the lowest kind (the most informative, see ``LinkKind``), the lowest valid hreflang and the
    first ordinal. Links with rel=nofollow count like others: whether an author vouches for the target is no evidence
    of its language. Raise a ValueError for more than 2 ** 31 - 1 links.

    >>> import numpy as np
    >>> from graphlang.graph.data import Graph
    >>> ends = np.int32([2, 0, 2, 1]), np.int32([0, 1, 0, 1])
    >>> links = sort_links(Graph(3, *ends, np.uint8([7, 7, 1, 7]), np.int16([-1] * 4)))
    >>> links.source.tolist(), links.target.tolist(), links.kind.tolist()
    ([0, 2], [1, 0], [7, 1])
    """
    if len(graph.source) > np.iinfo(np.int32).max:
        raise ValueError(f"{len(graph.source)} links; no more than {np.iinfo(np.int32).max} can be numbered")
    n, source, target, kind, hreflang = graph.n, graph.source, graph.target, graph.kind, graph.hreflang
    ordinal = graph.ordinal
    source, target = (np.ascontiguousarray(end, dtype=np.int32) for end in (source, target))
    if not _kernels.links_are_sorted(source, target):  # rare: the database returns sorted links
        source, target, kind, hreflang, ordinal = _drop_duplicates(n, source, target, kind, hreflang, ordinal)
    out_start, in_source = find_first_links(source, n), np.empty(len(source), np.int32)
    in_start = _sort_by_page(
        target,
        n,
        lambda first, last, places: _kernels.links_sources(n, first, last, source, target, places, in_source),
    )
    outside = n - graph.inside
    return SortedLinks(
        n, source, target, kind, hreflang, out_start, in_source, in_start, ordinal, outside, graph.leaves
    )


def find_first_links(ends: NDArray[np.int32], pages: int) -> NDArray[np.int64]:
    """Return the index of the first link of each page, as in a CSR matrix; shape (n + 1,).

    ``ends`` is the page at one end of each link, shape (m,). Raises ValueError for an end outside 0..pages - 1.

    >>> find_first_links(np.int32([2, 0, 2]), 3).tolist()
    [0, 1, 1, 3]
    """
    counted = _find_first_links_by_part(ends, pages, _split_links(len(ends), pages))
    return np.asarray(sum(counted[1:], counted[0]))


def order_by_target(target: NDArray[np.int32], pages: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the order of the links by target, shape (m,), and the index of each page's first inlink, shape (n + 1,).

    Raises ValueError for a target outside 0..pages - 1.

    >>> [array.tolist() for array in order_by_target(np.int32([2, 0, 2]), 3)]
    [[1, 0, 2], [0, 1, 1, 3]]
    """
    order = np.empty(len(target), np.int32)
    in_start = _sort_by_page(
        target, pages, lambda first, last, places: _kernels.links_order(pages, first, last, target, places, order)
    )
    return order, in_start


def _split_links(links: int, pages: int) -> list[slice]:
    """Split the links into parts large enough to pay for a counter per page."""
    return split_evenly(links, most=max(1, links // (4 * pages + 1)))


def _find_first_links_by_part(ends: NDArray[np.int32], pages: int, parts: list[slice]) -> list[NDArray[np.int64]]:
    """Return the ``find_first_links`` of each part of the links; they add up to those of all links."""

    def count(block: slice) -> NDArray[np.int64]:
        counts = np.zeros(pages + 1, np.int64)
        _kernels.links_starts(pages, block.start, block.stop, ends, counts)
        return counts

    return list(run_side_by_side(count, parts, len(parts)))


def _sort_by_page(
    ends: NDArray[np.int32], pages: int, write_links: Callable[[int, int, NDArray[np.int64]], object]
) -> NDArray[np.int64]:
    """Sort links by one end with all cores; links of one page keep their order.

    ``write_links(first, last, places)`` writes links ``first..last - 1``. ``places`` has the next free index of each
    page, shape (n + 1,), and is modified. Return the ``find_first_links``.
    """
    parts = _split_links(len(ends), pages)
    counted = _find_first_links_by_part(ends, pages, parts)
    first = np.asarray(sum(counted[1:], counted[0]))
    places = [first.copy()]
    for counts in counted[:-1]:
        places.append(places[-1].copy())
        places[-1][:-1] += np.diff(counts)
    del counted
    list(
        run_side_by_side(
            lambda at: write_links(parts[at].start, parts[at].stop, places[at]), range(len(parts)), len(parts)
        )
    )
    return first


def find_incident_links(
    source: NDArray[np.int32], target: NDArray[np.int32], pages: NDArray[np.bool_]
) -> NDArray[np.int32]:
    """Return the numbers of the links with an end in ``pages``, ascending.

    ``source`` and ``target`` have shape (m,), the mask ``pages`` shape (n,). Raises ValueError for a page outside
    0..n - 1.

    >>> find_incident_links(np.int32([0, 2, 1]), np.int32([1, 1, 0]), np.array([False, False, True])).tolist()
    [1]
    """

    def find_block(block: slice) -> NDArray[np.int32]:
        numbers = np.empty(block.stop - block.start, np.int32)
        count = _kernels.links_reaching(block.start, block.stop, source, target, pages, numbers)
        return numbers[:count].copy()

    return np.concatenate([np.zeros(0, np.int32), *run_blocks(len(source), BLOCK, find_block)])


def find_reached(
    source: NDArray[np.int32], target: NDArray[np.int32], no_evidence: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return the pages without evidence that a chain of links, in any direction, joins to a page with evidence.

    ``source`` and ``target`` have shape (m,), the masks shape (n,). Raises ValueError for a page outside 0..n - 1.

    >>> ends = np.int32([0, 2, 3]), np.int32([1, 1, 4])
    >>> find_reached(*ends, np.array([False, True, True, True, True])).tolist()
    [False, True, True, False, False]
    """
    reached = np.zeros(len(no_evidence), np.uint8)
    queue = np.empty(len(no_evidence) + 1, np.int32)
    _kernels.links_reached(source, target, no_evidence, queue, reached)
    return reached.view(np.bool_)


def _drop_duplicates(  # noqa: PLR0917  internal
    n: int,
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    kind: NDArray[np.uint8],
    hreflang: NDArray[np.int16],
    ordinal: NDArray[np.int16] | None,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8], NDArray[np.int16], NDArray[np.int16] | None]:
    keep = np.flatnonzero(source != target)
    order = keep[np.argsort(source[keep].astype(np.int64) * n + target[keep], kind="stable")]
    source, target, kind, hreflang = source[order], target[order], kind[order], hreflang[order]
    ordinal = None if ordinal is None else ordinal[order]
    new = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    starts = np.flatnonzero(np.concatenate([[len(order) > 0], new]))
    if not len(starts):
        return source, target, kind, hreflang, ordinal
    return (
        source[starts],
        target[starts],
        np.minimum.reduceat(kind, starts),
        _find_minima(hreflang, starts),
        None if ordinal is None else _find_minima(ordinal, starts),
    )


def _find_minima(values: NDArray[np.int16], starts: NDArray[np.int64]) -> NDArray[np.int16]:
    """Return the minimum of each run of values, where -1 is the largest (as an unsigned number)."""
    return np.minimum.reduceat(np.ascontiguousarray(values).view(np.uint16), starts).view(np.int16)
