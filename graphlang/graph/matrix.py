"""Links as canonical arrays: no self-link, no duplicate, sorted by source and target; and the way back.

Everything after this sees the same arrays however the links were ordered or repeated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.evidence import Graph


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """Distinct links between different pages, sorted by source, then target.

    The links of page s are ``start[s]:start[s + 1]``. ``by_target`` lists link numbers sorted by target, then source;
    those that lead to page t are ``by_target[into[t]:into[t + 1]]``.
    """

    n: int
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    kind: NDArray[np.uint8]
    hreflang: NDArray[np.int16]
    start: NDArray[np.int64]
    by_target: NDArray[np.int32]
    into: NDArray[np.int64]

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
        # both matrices have sorted rows: their product by element is one merge, and holds numbers of links
        shape = (self.n, self.n)
        forward = sparse.csr_matrix((np.arange(1, self.m + 1), self.target, self.start), shape=shape)
        backward = sparse.csr_matrix((np.ones(self.m, np.int8), self.source[self.by_target], self.into), shape=shape)
        answer = np.zeros(self.m, np.bool_)
        answer[forward.multiply(backward).data - 1] = True
        return answer


def canonical(graph: Graph) -> Links:
    """Sort the links, join duplicates, drop self-links.

    Of a link given several times the lowest kind is kept (it says most, see ``LinkKind``) and the lowest hreflang
    that is one. Links with rel=nofollow count like all others: for a language it does not matter whether the author
    vouches for the target.

    >>> import numpy as np
    >>> from graphlang.graph.evidence import Graph
    >>> ends = np.int32([2, 0, 2, 1]), np.int32([0, 1, 0, 1])
    >>> links = canonical(Graph(3, *ends, np.uint8([7, 7, 1, 7]), np.int16([-1] * 4)))
    >>> links.source.tolist(), links.target.tolist(), links.kind.tolist()
    ([0, 2], [1, 0], [7, 1])
    """
    n = graph.n
    keep = graph.source != graph.target
    everything = bool(keep.all())
    source, target = (graph.source, graph.target) if everything else (graph.source[keep], graph.target[keep])
    kind, hreflang = (graph.kind, graph.hreflang) if everything else (graph.kind[keep], graph.hreflang[keep])
    key = source.astype(np.int64) * n + target
    steps = np.diff(key)
    if not (steps > 0).all():  # the store hands links over in this order, so that this is the exception
        if not (steps >= 0).all():
            order = np.argsort(key, kind="stable")
            source, target, kind, hreflang = source[order], target[order], kind[order], hreflang[order]
            steps = np.diff(key[order])
        starts = np.flatnonzero(np.concatenate([[True], steps > 0]))
        # an hreflang of -1 must lose against any other: as unsigned it is the largest
        kind = np.minimum.reduceat(kind, starts)
        hreflang = np.minimum.reduceat(np.ascontiguousarray(hreflang).view(np.uint16), starts).view(np.int16)
        source, target = source[starts], target[starts]
    m = len(source)
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(source, minlength=n), out=start[1:])
    # A transposed CSR matrix is a counting sort, far faster than argsort
    forward = sparse.csr_matrix((np.arange(m, dtype=np.int32), target.astype(np.int32), start), shape=(n, n))
    backward = forward.tocsc()
    return Links(
        n,
        source.astype(np.int32, copy=False),
        target.astype(np.int32, copy=False),
        kind,
        hreflang,
        start,
        backward.data.astype(np.int32, copy=False),
        backward.indptr.astype(np.int64),
    )
