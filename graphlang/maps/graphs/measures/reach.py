"""Breadth-first search from up to 64 nodes at once: a bit of a word for each (Then et al., VLDB 2014, MS-BFS)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from graphlang.maps.graphs.measures.ways import Ways

#: Searches at once.
AT_ONCE: Final = 64
#: Where fewer nodes than one in so many are new, only their links are followed; else all links are.
_FEW: Final = 32


def searches(ways: Ways, bits: NDArray[np.uint64]) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.uint64]]]:
    """Follow the links from some nodes, a step at a time, as long as anything new is reached.

    Args:
        ways: the links.
        bits: the searches that begin at each node, as bits; shape (nodes,).

    Yields:
        Steps from 1 on; the nodes that searches reach by so many and no fewer, each once; and which searches do.
    """
    seen, fresh = bits.copy(), bits.copy()
    nodes, steps = np.flatnonzero(bits), 0
    while len(nodes):
        steps += 1
        if len(nodes) * _FEW < ways.size:
            reached, found = _onward(ways, nodes, fresh)
        elif not ways.links:
            return
        else:
            reached, found = ways.reached, np.bitwise_or.reduceat(fresh[ways.tails], ways.cuts)
        found = found & ~seen[reached]
        new = np.flatnonzero(found)
        fresh[nodes] = 0
        nodes, found = reached[new], found[new]
        fresh[nodes] = found
        seen[nodes] |= found
        if len(nodes):
            yield steps, nodes, found


def _onward(
    ways: Ways, nodes: NDArray[np.int64], fresh: NDArray[np.uint64]
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    place, heads = ways.onward(nodes)
    if not len(heads):
        return heads, np.zeros(0, dtype=np.uint64)
    order = np.argsort(heads, kind="stable")
    heads = heads[order]
    cuts = np.flatnonzero(np.concatenate(([True], heads[1:] != heads[:-1])))
    return heads[cuts], np.bitwise_or.reduceat(fresh[nodes[place[order]]], cuts)
