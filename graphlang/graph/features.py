"""What the shape of the graph around a link says: is it navigation within one language, or a switch to another?

None of these needs a language, so that they are known for links between short pages too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.matrix import Links

BLOCK = 1_000_000  #: links that are looked at at once
AFFORDABLE = 40  #: steps of the comparison of lists of neighbours for each link of the graph, on average ...
LEAST = 100_000_000  #: ... and so many in all, whatever the number of links
LONGEST = (300, 100, 30, 10)  #: lists longer than this are not compared: the first that is affordable
NAMES = (
    "reciprocal", "out(source)", "in(target)", "out(target)", "in(source)", "mutual(source)", "mutual(target)",
    "out difference", "in difference", "common targets", "common sources", "detours", "targets shared",
    "sources shared",
)  # fmt: skip


class Shape:
    """The graph as the features need it, worked out once.

    Args:
        links: all links.
        wanted: numbers of those whose features will be asked for, shape (w,).
    """

    def __init__(self, links: Links, wanted: NDArray[np.integer[Any]]) -> None:
        self.links = links
        self.outs, self.ins = links.outdegree(), links.indegree()
        self.back = links.reciprocal()
        self.out, self.into = np.log1p(self.outs).astype(np.float32), np.log1p(self.ins).astype(np.float32)
        self.mutual = np.log1p(np.bincount(links.source[self.back], minlength=links.n)).astype(np.float32)
        self.longest = self._affordable(wanted)

    def _affordable(self, wanted: NDArray[np.integer[Any]]) -> int:
        """How long the lists may be that are compared: one hub must not cost the square of its links."""
        most = max(LEAST, AFFORDABLE * self.links.m)
        for longest in LONGEST:
            # each comparison takes at most as many steps as both lists have entries; a link takes part in three
            outs, ins = (np.where(degree <= longest, degree, 0).astype(np.float32) for degree in (self.outs, self.ins))
            steps = 0.0
            for at in range(0, len(wanted), BLOCK):
                part = wanted[at : at + BLOCK]
                s, t = self.links.source[part], self.links.target[part]
                out_s, out_t, in_s, in_t = outs[s], outs[t], ins[s], ins[t]
                apart = (out_s > 0) * (out_t > 0) * (out_s + out_t) + (in_s > 0) * (in_t > 0) * (in_s + in_t)
                steps += float((apart + (out_s > 0) * (in_t > 0) * (out_s + in_t)).sum(dtype=np.float64))
            if steps <= most:
                return longest
        return 0

    def features(self, wanted: NDArray[np.integer[Any]]) -> NDArray[np.float32]:
        """Features of some links, one column for each of ``NAMES``, shape (w, 14).

        ``reciprocal`` is 1 where the target links back; the degrees, their differences, and the numbers of common
        targets, common sources and detours (paths of length two) are logarithms of 1 + n; the last two columns are the
        shares (Jaccard) of the targets and sources that both ends have in common. A page with more targets (sources)
        than the whole graph can afford to compare (``LONGEST``) is taken to have none in common with any other.

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
        common = self.links.common(wanted, self.longest)
        columns[:, 9:12] = np.log1p(common.astype(np.float32))
        columns[:, 12] = common[:, 0] / np.maximum(1, self.outs[s] + self.outs[t] - common[:, 0])
        columns[:, 13] = common[:, 1] / np.maximum(1, self.ins[s] + self.ins[t] - common[:, 1])
        return columns
