"""Links as canonical arrays: no self-link, no duplicate, sorted by source and target; and the way back.

Everything after this sees the same arrays however the links were ordered or repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.data import Graph

_kernels = Kernels("graphlang.graph.native._adjacency")
Number = TypeVar("Number", np.int16, np.int32)


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

    @property
    def m(self) -> int:
        """Number of links."""
        return len(self.source)

    def outdegree(self) -> NDArray[np.int64]:
        """Distinct pages that each page links to."""
        return np.diff(self.out_start)

    def indegree(self) -> NDArray[np.int64]:
        """Distinct pages that link to each page."""
        return np.diff(self.in_start)

    def reciprocal(self) -> NDArray[np.bool_]:
        """Whether the target of each link links back, shape (m,)."""
        back = np.zeros(self.m, np.uint8)
        _kernels.links_reciprocal(self.n, self.out_start, self.target, self.in_start, self.in_source, back)
        return back.view(np.bool_)


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
    out_start, in_start = (starts(end, n) for end in (source, target))
    in_source = np.empty(len(source), np.int32)
    _kernels.links_sources(n, source, target, in_start.copy(), in_source)
    return Links(n, source, target, kind, hreflang, out_start, in_source, in_start, ordinal)


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
    found = np.zeros(pages + 1, np.int64)
    _kernels.links_starts(pages, ends, found)
    return found


def order_by_target(target: NDArray[np.int32], in_start: NDArray[np.int64]) -> NDArray[np.int32]:
    """The numbers of the links sorted by target; those that lead to page t are ``in_start[t]:in_start[t + 1]``.

    Args:
        target: of each link, shape (m,).
        in_start: its ``starts``, shape (n + 1,).

    Returns:
        shape (m,).

    Raises:
        ValueError: a target that is not a page, or ``in_start`` does not count the links to each.
    """
    order = np.empty(len(target), np.int32)
    _kernels.links_order(len(in_start) - 1, target, in_start.copy(), order)
    return order


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
