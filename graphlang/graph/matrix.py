"""Links as canonical arrays: no self-link, no duplicate, sorted by source and target; and the way back.

Everything after this sees the same arrays however the links were ordered or repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph import native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.evidence import Graph


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Distinct links between different pages, sorted by source, then target.

    The targets of page s are ``target[start[s]:start[s + 1]]``, the sources of the links that lead to page t
    ``origin[into[t]:into[t + 1]]``, ascending as well.
    """

    n: int
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    kind: NDArray[np.uint8]
    hreflang: NDArray[np.int16]
    start: NDArray[np.int64]
    origin: NDArray[np.int32]
    into: NDArray[np.int64]
    place: NDArray[np.int16] | None = None

    @property
    def m(self) -> int:
        """Number of links."""
        return len(self.source)

    def outdegree(self) -> NDArray[np.int64]:
        """Distinct pages that each page links to."""
        return np.diff(self.start)

    def indegree(self) -> NDArray[np.int64]:
        """Distinct pages that link to each page."""
        return np.diff(self.into)

    def reciprocal(self) -> NDArray[np.bool_]:
        """Whether the target of each link links back, shape (m,)."""
        return native.reciprocal(self.start, self.target, self.into, self.origin)


def canonical(graph: Graph) -> Links:
    """Sort the links, join duplicates, drop self-links.

    Of a link given several times the lowest kind is kept (it says most, see ``LinkKind``), the lowest hreflang that
    is one, and the first place. Links with rel=nofollow count like all others: for a language it does not matter
    whether the author vouches for the target.

    >>> import numpy as np
    >>> from graphlang.graph.evidence import Graph
    >>> ends = np.int32([2, 0, 2, 1]), np.int32([0, 1, 0, 1])
    >>> links = canonical(Graph(3, *ends, np.uint8([7, 7, 1, 7]), np.int16([-1] * 4)))
    >>> links.source.tolist(), links.target.tolist(), links.kind.tolist()
    ([0, 2], [1, 0], [7, 1])
    """
    if len(graph.source) > np.iinfo(np.int32).max:
        raise ValueError(f"{len(graph.source)} links; no more than {np.iinfo(np.int32).max} can be numbered")
    n, source, target, kind, hreflang = graph.n, graph.source, graph.target, graph.kind, graph.hreflang
    place = graph.place
    source, target = (np.ascontiguousarray(end, dtype=np.int32) for end in (source, target))
    if not native.canonical(source, target):  # the store hands links over in this order, so that this is the exception
        source, target, kind, hreflang, place = _distinct(n, source, target, kind, hreflang, place)
    start, into = (native.bounds(end, n) for end in (source, target))
    return Links(n, source, target, kind, hreflang, start, native.origins(source, target, into), into, place)


def _distinct(  # noqa: PLR0917  internal, called once
    n: int,
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    kind: NDArray[np.uint8],
    hreflang: NDArray[np.int16],
    place: NDArray[np.int16] | None,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8], NDArray[np.int16], NDArray[np.int16] | None]:
    keep = np.flatnonzero(source != target)
    order = keep[np.argsort(source[keep].astype(np.int64) * n + target[keep], kind="stable")]
    source, target, kind, hreflang = source[order], target[order], kind[order], hreflang[order]
    place = None if place is None else place[order]
    new = (source[1:] != source[:-1]) | (target[1:] != target[:-1])
    starts = np.flatnonzero(np.concatenate([[len(order) > 0], new]))
    if not len(starts):
        return source, target, kind, hreflang, place
    return (
        source[starts],
        target[starts],
        np.minimum.reduceat(kind, starts),
        _least(hreflang, starts),
        None if place is None else _least(place, starts),
    )


def _least(values: NDArray[np.int16], starts: NDArray[np.int64]) -> NDArray[np.int16]:
    """The least of each stretch; -1 loses against any other: as unsigned it is the largest."""
    return np.minimum.reduceat(np.ascontiguousarray(values).view(np.uint16), starts).view(np.int16)
