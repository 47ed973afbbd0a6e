"""The links of a graph, sorted for whoever follows them from many nodes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray


class Ways:
    """Links between nodes that are numbered from 0 on, by their sources and by their targets.

    Args:
        size: number of nodes.
        source: shape (links,), each in 0..size-1. A link that occurs twice counts once; those of a node to itself do
            not count.
        target: shape (links,).
    """

    def __init__(self, size: int, source: NDArray[Any], target: NDArray[Any]) -> None:
        self.size = size
        keys = np.unique(source.astype(np.int64) * max(size, 1) + target)
        tails, heads = np.divmod(keys, max(size, 1))
        apart = tails != heads
        tails, self._heads = tails[apart], heads[apart]
        self._starts = np.searchsorted(tails, np.arange(size + 1))
        order = np.argsort(self._heads, kind="stable")
        #: Nodes that links lead to; where the links of each begin in ``tails``; sources of links, sorted by targets.
        self.reached, self.cuts = np.unique(self._heads[order], return_index=True)
        self.tails = tails[order]

    @property
    def links(self) -> int:
        """Number of links."""
        return len(self.tails)

    def onward(self, nodes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The links of some nodes.

        Args:
            nodes: which ones.

        Returns:
            For each link the place of its source in ``nodes``, and its target.

        >>> Ways(3, np.array([0, 0, 2, 2]), np.array([1, 2, 2, 0])).onward(np.array([2, 0]))
        (array([0, 1, 1]), array([0, 1, 2]))
        """
        counts = self._starts[nodes + 1] - self._starts[nodes]
        place = np.repeat(np.arange(len(nodes)), counts)
        first = np.cumsum(counts) - counts
        links = np.arange(len(place)) - first[place] + self._starts[nodes][place]
        return place, self._heads[links]
