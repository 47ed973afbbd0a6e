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
AFFORDABLE = 1e8  #: entries of lists that may be compared in all: a graph beyond that goes without
HUB = 300  #: lists of neighbours longer than this are not compared: one hub must not cost the square of its links
NAMES = (
    "reciprocal", "out(source)", "in(target)", "out(target)", "in(source)", "mutual(source)", "mutual(target)",
    "out difference", "in difference", "common targets", "common sources", "detours", "targets shared",
    "sources shared",
)  # fmt: skip


class Shape:
    """The graph as the features need it, worked out once.

    Args:
        links: all links.
    """

    def __init__(self, links: Links) -> None:
        self.links = links
        self.outs, self.ins = links.outdegree(), links.indegree()
        self.back = links.reciprocal()
        self.out, self.into = np.log1p(self.outs).astype(np.float32), np.log1p(self.ins).astype(np.float32)
        self.mutual = np.log1p(np.bincount(links.source[self.back], minlength=links.n)).astype(np.float32)
        few_out, few_in = self.outs <= HUB, self.ins <= HUB
        ones, shape = np.ones(links.m, np.float32), (links.n, links.n)
        # comparing the lists of both ends of every link costs the sum of the squared degrees
        cost = float((np.minimum(self.outs, HUB).astype(float) * (self.outs + self.ins)).sum())
        self.compared = cost <= AFFORDABLE
        if self.compared:
            keep = few_out[links.source]
            self.forward = sparse.csr_matrix((ones[keep], (links.source[keep], links.target[keep])), shape=shape)
            keep = few_in[links.target]
            self.backward = sparse.csr_matrix((ones[keep], (links.target[keep], links.source[keep])), shape=shape)

    def features(self, wanted: NDArray[np.int64]) -> NDArray[np.float32]:
        """Features of some links, one column for each of ``NAMES``, shape (w, 14).

        ``reciprocal`` is 1 where the target links back; the degrees, their differences, and the numbers of common
        targets, common sources and detours (paths of length two) are logarithms of 1 + n; the last two columns are the
        shares (Jaccard) of the targets and sources that both ends have in common. A page with more than ``HUB`` targets
        (sources) is taken to have none in common with any other, and nothing is compared where the whole graph would
        cost more than ``AFFORDABLE``: those columns are then 0.

        Args:
            wanted: numbers of the links, shape (w,).
        """
        s, t = self.links.source[wanted], self.links.target[wanted]
        out_s, in_t, out_t, in_s = self.out[s], self.into[t], self.out[t], self.into[s]
        columns = np.zeros((len(wanted), len(NAMES)), np.float32)
        columns[:, 0] = self.back[wanted]
        single = (out_s, in_t, out_t, in_s, self.mutual[s], self.mutual[t], np.abs(out_s - out_t), np.abs(in_s - in_t))
        for place, values in enumerate(single, 1):
            columns[:, place] = values
        if self.compared:
            columns[:, 9:] = self._common(s, t)
        return columns

    def _common(self, s: NDArray[np.int32], t: NDArray[np.int32]) -> NDArray[np.float32]:
        common = np.zeros((len(s), 3), np.float32)
        for at in range(0, len(s), BLOCK):
            a, b = s[at : at + BLOCK], t[at : at + BLOCK]
            pairs = (
                (self.forward[a], self.forward[b]),
                (self.backward[a], self.backward[b]),
                (self.forward[a], self.backward[b]),
            )
            for column, (left, right) in enumerate(pairs):
                common[at : at + BLOCK, column] = np.asarray(left.multiply(right).sum(axis=1)).ravel()
        targets = common[:, 0] / np.maximum(1, self.outs[s] + self.outs[t] - common[:, 0])
        sources = common[:, 1] / np.maximum(1, self.ins[s] + self.ins[t] - common[:, 1])
        return np.column_stack([np.log1p(common), targets, sources]).astype(np.float32)
