"""Betweenness: how often a node lies on the shortest ways between two others.

Freeman (1977), by the algorithm of Brandes (2001), and estimated from some nodes as Brandes and Pich (2007) do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.maps.graphs.measures.ways import Ways

#: Links, nodes and steps that are looked at: from as many nodes as that allows, from all of small graphs.
BUDGET: Final = 200_000_000
_A_STEP: Final = 1_000  #: what a step costs besides its links, in links
_MANY: Final = 1e100  #: numbers of shortest ways are scaled down from here, lest they grow beyond all floats
_LEAST: Final = 1e-200
_SEED: Final = 1


def betweenness(ways: Ways, *, budget: int = BUDGET) -> tuple[NDArray[np.float64], int]:
    """The share of ordered pairs of other nodes whose shortest ways lead over each node.

    Where there are several shortest ways, each counts for its part of them.

    Args:
        ways: the links; along their direction.
        budget: what may be looked at. Where it is spent before the ways from every node are followed, betweenness is
            estimated without bias from those that were: nodes drawn with a fixed seed.

    Returns:
        Betweenness from 0 to 1, shape (nodes,), as `networkx.betweenness_centrality` has it; and how many nodes it
        is from: all where it is exact.

    >>> from graphlang.maps.graphs.measures.ways import Ways
    >>> betweenness(Ways(3, np.array([0, 1]), np.array([1, 2])))
    (array([0. , 0.5, 0. ]), 3)
    """
    total, size = np.zeros(ways.size), ways.size
    done, drawn = 0, np.zeros(size, dtype=np.bool_)
    for start in np.random.default_rng(_SEED).permutation(size).tolist():
        if budget <= 0:
            break
        budget -= _add_from(ways, start, total)
        done, drawn[start] = done + 1, True
    if size <= 2:  # noqa: PLR2004 - there is no pair of others
        return total, done
    if done < size:  # a node that was drawn was no start of ways over it
        total *= (size - 1) / np.where(drawn, max(done - 1, 1), done)
    return total / ((size - 1) * (size - 2)), done


def _add_from(ways: Ways, start: int, total: NDArray[np.float64]) -> int:
    """Add what every node has of the ways from one; returns what was looked at."""
    steps = np.full(ways.size, -1, dtype=np.int64)
    steps[start] = 0
    number = np.zeros(ways.size)  # of shortest ways
    number[start] = 1.0
    levels: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
    nodes, cost = np.array([start]), ways.size
    while len(nodes):
        place, heads = ways.onward(nodes)
        cost += len(heads) + _A_STEP
        nearest = steps[heads] < 0
        tails, heads = nodes[place[nearest]], heads[nearest]
        np.add.at(number, heads, number[tails])
        levels.append((tails, heads, number[tails] / number[heads]))
        steps[heads] = len(levels)
        nodes = _once(heads, steps)
        if number[nodes].max(initial=0) > _MANY:
            number[nodes] = np.maximum(number[nodes] / _MANY, _LEAST)
    behind = np.zeros(ways.size)
    for tails, heads, part in reversed(levels):
        np.add.at(behind, tails, part * (1 + behind[heads]))
    behind[start] = 0
    total += behind
    return cost


def _once(nodes: NDArray[np.int64], scratch: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each node once; ``scratch``, which has a value for each, is as before."""
    kept = scratch[nodes]
    scratch[nodes] = np.arange(len(nodes))
    single: NDArray[np.int64] = nodes[scratch[nodes] == np.arange(len(nodes))]
    scratch[nodes] = kept
    return single
