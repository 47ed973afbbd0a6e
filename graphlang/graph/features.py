"""What the shape of the graph around a link says: is it navigation within one language, or a switch to another?

None of these needs a language, so that they are known for links between short pages too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.matrix import Links

BLOCK = 50_000  #: links whose common neighbours are counted at once
HUB = 300  #: lists of neighbours longer than this are not compared: one hub must not cost the square of its links
NAMES = (
    "reciprocal", "out(source)", "in(target)", "out(target)", "in(source)", "mutual(source)", "mutual(target)",
    "out difference", "in difference", "common targets", "common sources", "detours", "targets shared",
    "sources shared",
)  # fmt: skip


def features(links: Links, wanted: NDArray[np.int64]) -> NDArray[np.float64]:
    """Structural features of some links, one column for each of ``NAMES``.

    ``reciprocal`` is 1 where the target links back; the degrees, the differences of degrees, and the numbers of common
    targets, common sources and detours (paths of length two) are logarithms of 1 + n; the last two columns are the
    shares (Jaccard) of the targets and sources that both ends have in common. A page with more than ``HUB`` targets
    (sources) is taken to have none in common with any other.

    Args:
        links: all links.
        wanted: numbers of the links to describe, shape (w,).

    Returns:
        shape (w, 14).
    """
    outs, ins = links.outdegree(), links.indegree()
    out, into = np.log1p(outs), np.log1p(ins)
    back = links.reverse() >= 0
    mutual = np.log1p(np.bincount(links.source[back], minlength=links.n))
    s, t = links.source[wanted], links.target[wanted]
    degrees = [out[s], into[t], out[t], into[s], mutual[s], mutual[t]]
    simple = [back[wanted], *degrees, np.abs(out[s] - out[t]), np.abs(into[s] - into[t])]
    ones = np.ones(links.m, np.float32)
    few_out, few_in = outs[links.source] <= HUB, ins[links.target] <= HUB
    shape = (links.n, links.n)
    forward = sparse.csr_matrix((ones[few_out], (links.source[few_out], links.target[few_out])), shape=shape)
    backward = sparse.csr_matrix((ones[few_in], (links.target[few_in], links.source[few_in])), shape=shape)
    common = np.zeros((len(wanted), 3))
    for at in range(0, len(wanted), BLOCK):
        a, b = s[at : at + BLOCK], t[at : at + BLOCK]
        pairs = ((forward[a], forward[b]), (backward[a], backward[b]), (forward[a], backward[b]))
        for column, (left, right) in enumerate(pairs):
            common[at : at + BLOCK, column] = np.asarray(left.multiply(right).sum(axis=1)).ravel()
    shared = [
        common[:, 0] / np.maximum(1, outs[s] + outs[t] - common[:, 0]),
        common[:, 1] / np.maximum(1, ins[s] + ins[t] - common[:, 1]),
    ]
    return np.column_stack([*simple, np.log1p(common), *shared]).astype(np.float64)
