"""Links as canonical arrays: no self-link, no duplicate, sorted by source and target; and the way back.

Everything after this sees the same arrays however the links were ordered or repeated.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from graphlang.graph.native import adjacency as _kernels
from graphlang.native.threads import even_parts, in_blocks, over_parts, side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from graphlang.graph.data import Graph

Number = TypeVar("Number", np.int16, np.int32, np.bool_)
BLOCK = 1 << 18  #: links that one core looks at at once


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Distinct links between different pages, sorted by source, then target.

    The targets of page s are ``target[out_start[s]:out_start[s + 1]]``, the sources of the links that lead to page t
    ``in_source[in_start[t]:in_start[t + 1]]``, ascending as well.
    """

    n: int  #: pages
    source: NDArray[np.int32]  #: shape (m,)
    target: NDArray[np.int32]  #: shape (m,)
    kind: NDArray[np.uint8]  #: see ``Graph``, shape (m,)
    hreflang: NDArray[np.int16]  #: announced language, -1 none, shape (m,)
    out_start: NDArray[np.int64]  #: where the links of each page begin, shape (n + 1,)
    in_source: NDArray[np.int32]  #: sources of the links, sorted by target, shape (m,)
    in_start: NDArray[np.int64]  #: where the links to each page begin in ``in_source``, shape (n + 1,)
    ordinal: NDArray[np.int16] | None = None  #: position of each link on its page, -1 unknown, shape (m,)
    outside: int = 0  #: pages that are left out, the last ones
    leaves: NDArray[np.int32] | None = None  #: links of each page that are not here, see ``Graph``, shape (inside,)

    @property
    def m(self) -> int:
        """Number of links."""
        return len(self.source)

    @property
    def inside(self) -> int:
        """Number of pages that are not left out."""
        return self.n - self.outside

    @property
    def distinct(self) -> int:
        """Number of links of the collection, those that are not here among them."""
        return self.m + (0 if self.leaves is None else int(self.leaves.sum(dtype=np.int64)))

    @property
    def pages(self) -> int:
        """Number of pages of the collection, those that are not here among them: one for each link that is not."""
        return self.n + self.distinct - self.m

    def without_sources(self) -> Links:
        """The same for whoever does not ask which pages link to one: ``in_source`` takes four bytes a link."""
        return replace(self, in_source=np.zeros(0, np.int32))

    def outdegree(self) -> NDArray[np.int64]:
        """Distinct pages that each page that is not left out links to; shape (inside,)."""
        found = np.diff(self.out_start[: self.inside + 1])
        if self.leaves is not None:
            found += self.leaves
        return found

    def indegree(self) -> NDArray[np.int64]:
        """Distinct pages that link to each page that is not left out; shape (inside,)."""
        return np.diff(self.in_start[: self.inside + 1])

    def reciprocal(self) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Whether the target of each link links back, shape (m,), and how many links of each page do, shape (n,)."""
        back, mutual = np.zeros(self.m, np.uint8), np.empty(self.n, np.int32)
        given = (self.out_start, self.target, self.in_start, self.in_source, back, mutual)
        over_parts(self.n, lambda part: _kernels.links_reciprocal(part.start, part.stop, *given))
        return back.view(np.bool_), mutual

    def reaching(self, wanted: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Numbers of the links with an end at some pages, ascending.

        Args:
            wanted: whether each page is one of these, shape (n,).
        """
        return reaching(self.source, self.target, wanted)

    def ends(self, numbers: NDArray[np.int32]) -> Ends:
        """The ends of some links.

        Args:
            numbers: of the links, ascending, each once, shape (w,); none leads to a page that is left out.
        """
        source, target, kind = self.source, self.target, self.kind
        if len(numbers) < self.m:
            source, target = np.empty(len(numbers), np.int32), np.empty(len(numbers), np.int32)
            kind = np.empty(len(numbers), np.uint8)

            def take(part: slice) -> None:  # "clip", else they are copied once more; all of them are links
                self.source.take(numbers[part], out=source[part], mode="clip")
                self.target.take(numbers[part], out=target[part], mode="clip")
                self.kind.take(numbers[part], out=kind[part], mode="clip")

            list(in_blocks(len(numbers), BLOCK, take))
        return Ends(source, target, kind, *order_by_target(target, self.inside))

    def kinds(self) -> NDArray[np.bool_]:
        """Which kinds of links there are, shape (256,)."""
        present = np.zeros(256, np.uint8)
        _kernels.link_kinds(self.kind, present)
        return present.view(np.bool_)

    def drawn(
        self, part: slice, chosen: NDArray[np.bool_], left_out: NDArray[np.bool_], key: NDArray[np.uint64], limit: int
    ) -> tuple[NDArray[np.int32], NDArray[np.uint64]]:
        """Some links between chosen pages: those whose hash, of the keys of both pages, is small enough.

        Args:
            part: the links to draw from.
            chosen: whether each page is, shape (n,).
            left_out: kinds of links that are not drawn, shape (256,).
            key: of each page, shape (n,).
            limit: the largest hash.

        Returns:
            numbers of the links, ascending, and their hashes, shape (d,) each.
        """
        size = part.stop - part.start
        found, hashes = np.empty(size, np.int32), np.empty(size, np.uint64)
        given = (self.source, self.target, self.kind, left_out, chosen, key, found, hashes)
        many = _kernels.links_drawn(part.start, part.stop, limit, *given)
        return found[:many].copy(), hashes[:many].copy()


@dataclass(frozen=True, slots=True, eq=False)
class Ends:
    """Some links between n pages, sorted by source; w links."""

    source: NDArray[np.int32]  #: page that holds each link, ascending, shape (w,)
    target: NDArray[np.int32]  #: page that it leads to, shape (w,)
    kind: NDArray[np.uint8]  #: how it links, shape (w,)
    order: NDArray[np.int32]  #: the links sorted by target, shape (w,)
    in_start: NDArray[np.int64]  #: where those to each page begin in `order`, shape (n + 1,)


def padded(values: NDArray[Number], pages: int, fill: int) -> NDArray[Number]:
    """One value for each page, followed by the same one for all that are left out, up to ``pages``.

    Args:
        values: shape (n,).
        pages: length of what comes out; nothing is done where it is n or less.
        fill: the value of those that are left out.

    Returns:
        shape (max(n, pages),).

    >>> padded(np.int16([3, 4]), 4, -1).tolist()
    [3, 4, -1, -1]
    """
    return np.concatenate([values, np.full(pages - len(values), fill, values.dtype)]) if pages > len(values) else values


def canonical(graph: Graph) -> Links:
    """Sort the links, join duplicates, drop self-links.

    Of a link given several times the lowest kind is kept (it says most, see ``LinkKind``), the lowest hreflang that
    is one, and the first ordinal. Links with rel=nofollow count like all others: for a language it does not matter
    whether the author vouches for the target.

    Args:
        graph: its links in any order.

    Raises:
        ValueError: more than 2 ** 31 - 1 links.

    >>> import numpy as np
    >>> from graphlang.graph.data import Graph
    >>> ends = np.int32([2, 0, 2, 1]), np.int32([0, 1, 0, 1])
    >>> links = canonical(Graph(3, *ends, np.uint8([7, 7, 1, 7]), np.int16([-1] * 4)))
    >>> links.source.tolist(), links.target.tolist(), links.kind.tolist()
    ([0, 2], [1, 0], [7, 1])
    """
    if len(graph.source) > np.iinfo(np.int32).max:
        raise ValueError(f"{len(graph.source)} links; no more than {np.iinfo(np.int32).max} can be numbered")
    n, source, target, kind, hreflang = graph.n, graph.source, graph.target, graph.kind, graph.hreflang
    ordinal = graph.ordinal
    source, target = (np.ascontiguousarray(end, dtype=np.int32) for end in (source, target))
    if not _kernels.links_are_sorted(
        source, target
    ):  # the store hands links over in this order, so that this is the exception
        source, target, kind, hreflang, ordinal = _distinct(n, source, target, kind, hreflang, ordinal)
    out_start, in_source = starts(source, n), np.empty(len(source), np.int32)
    in_start = _by_page(
        target,
        n,
        lambda first, last, places: _kernels.links_sources(n, first, last, source, target, places, in_source),
    )
    outside = n - graph.inside
    return Links(n, source, target, kind, hreflang, out_start, in_source, in_start, ordinal, outside, graph.leaves)


def starts(ends: NDArray[np.int32], pages: int) -> NDArray[np.int64]:
    """Where the links of each page begin once they are sorted by that end, and where the last one's stop.

    Args:
        ends: page at one end of each link, shape (m,).
        pages: how many there are, n.

    Returns:
        shape (n + 1,).

    Raises:
        ValueError: an end that is not a page.

    >>> starts(np.int32([2, 0, 2]), 3).tolist()
    [0, 1, 1, 3]
    """
    counted = _starts_of_parts(ends, pages, _parts(len(ends), pages))
    return np.asarray(sum(counted[1:], counted[0]))


def order_by_target(target: NDArray[np.int32], pages: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The numbers of the links sorted by target.

    Args:
        target: of each link, shape (m,).
        pages: how many there are, n.

    Returns:
        the numbers, shape (m,), and where those that lead to each page begin, shape (n + 1,).

    Raises:
        ValueError: a target that is not a page.

    >>> [found.tolist() for found in order_by_target(np.int32([2, 0, 2]), 3)]
    [[1, 0, 2], [0, 1, 1, 3]]
    """
    order = np.empty(len(target), np.int32)
    in_start = _by_page(
        target, pages, lambda first, last, places: _kernels.links_order(pages, first, last, target, places, order)
    )
    return order, in_start


def _parts(links: int, pages: int) -> list[slice]:
    """Parts of the links that are worth a number of each page."""
    return even_parts(links, most=max(1, links // (4 * pages + 1)))


def _starts_of_parts(ends: NDArray[np.int32], pages: int, parts: list[slice]) -> list[NDArray[np.int64]]:
    """The ``starts`` of the links of each part alone; they sum to those of all."""

    def count(part: slice) -> NDArray[np.int64]:
        found = np.zeros(pages + 1, np.int64)
        _kernels.links_starts(pages, part.start, part.stop, ends, found)
        return found

    return list(side_by_side(count, parts, len(parts)))


def _by_page(
    ends: NDArray[np.int32], pages: int, put: Callable[[int, int, NDArray[np.int64]], object]
) -> NDArray[np.int64]:
    """Sort links by one end, in as many threads as there are cores, those of a page in the order given.

    Args:
        ends: page at that end of each link, shape (m,).
        pages: how many there are, n.
        put: puts the links from a first up to a last one in their places, given those of the first one of them that
            leads to each page, shape (n + 1,), which are used up.

    Returns:
        the ``starts``.
    """
    parts = _parts(len(ends), pages)
    counted = _starts_of_parts(ends, pages, parts)
    begin = np.asarray(sum(counted[1:], counted[0]))
    places = [begin.copy()]
    for before in counted[:-1]:
        places.append(places[-1].copy())
        places[-1][:-1] += np.diff(before)
    del counted
    list(side_by_side(lambda at: put(parts[at].start, parts[at].stop, places[at]), range(len(parts)), len(parts)))
    return begin


def reaching(source: NDArray[np.int32], target: NDArray[np.int32], wanted: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Numbers of the links with an end at some pages, ascending.

    Args:
        source: of each link, shape (m,).
        target: of each link, shape (m,).
        wanted: whether each page is one of these, shape (n,).

    Raises:
        ValueError: a page outside 0..n - 1.

    >>> reaching(np.int32([0, 2, 1]), np.int32([1, 1, 0]), np.array([False, False, True])).tolist()
    [1]
    """

    def some(part: slice) -> NDArray[np.int32]:
        found = np.empty(part.stop - part.start, np.int32)
        many = _kernels.links_reaching(part.start, part.stop, source, target, wanted, found)
        return found[:many].copy()

    return np.concatenate([np.zeros(0, np.int32), *in_blocks(len(source), BLOCK, some)])


def reached_by_evidence(
    source: NDArray[np.int32], target: NDArray[np.int32], no_evidence: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Pages without evidence that some chain of links, whatever their direction, joins to a page with evidence.

    Args:
        source: of each link, shape (m,).
        target: of each link, shape (m,).
        no_evidence: pages without evidence, shape (n,).

    Returns:
        shape (n,).

    Raises:
        ValueError: a page outside 0..n - 1.

    >>> ends = np.int32([0, 2, 3]), np.int32([1, 1, 4])
    >>> reached_by_evidence(*ends, np.array([False, True, True, True, True])).tolist()
    [False, True, True, False, False]
    """
    found = np.zeros(len(no_evidence), np.uint8)
    room = np.empty(len(no_evidence) + 1, np.int32)
    _kernels.links_reached(source, target, no_evidence, room, found)
    return found.view(np.bool_)


def _distinct(  # noqa: PLR0917  internal, called once
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
        _least(hreflang, starts),
        None if ordinal is None else _least(ordinal, starts),
    )


def _least(values: NDArray[np.int16], starts: NDArray[np.int64]) -> NDArray[np.int16]:
    """The least of each run of values; -1 loses against any other: as unsigned it is the largest."""
    return np.minimum.reduceat(np.ascontiguousarray(values).view(np.uint16), starts).view(np.int16)
