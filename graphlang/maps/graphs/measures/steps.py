"""Distances: the fewest links from node to node."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.maps.graphs.measures.reach import AT_ONCE, searches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from graphlang.maps.graphs.measures.ways import Ways


def steps_between(ways: Ways, nodes: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Steps between some nodes, by ways over all nodes, along the direction of the links.

    Args:
        ways: the links.
        nodes: those that count, each once.

    Yields:
        (place of the one in ``nodes``, of the other, steps from the one to the other), in order of the places; where
        no way leads from one to the other there is no row.

    >>> from graphlang.maps.graphs.measures.ways import Ways
    >>> list(steps_between(Ways(3, np.array([0, 1]), np.array([1, 2])), np.array([0, 2])))
    [(0, 1, 2)]
    """
    place = np.full(ways.size, -1, dtype=np.int64)
    place[nodes] = np.arange(len(nodes))
    for begin in range(0, len(nodes), AT_ONCE):
        some = nodes[begin : begin + AT_ONCE]
        bits = np.zeros(ways.size, dtype=np.uint64)
        bits[some] = np.left_shift(np.uint64(1), np.arange(len(some), dtype=np.uint64))
        steps = np.zeros((AT_ONCE, len(nodes)), dtype=np.int32)
        for step, reached, found in searches(ways, bits):
            wanted = place[reached] >= 0
            octets = found[wanted].astype("<u8").view(np.uint8).reshape(-1, 8)
            to, search = np.nonzero(np.unpackbits(octets, axis=1, bitorder="little"))
            steps[search, place[reached[wanted]][to]] = step
        for one, row in enumerate(steps[: len(some)]):
            others = np.flatnonzero(row)
            for other, count in zip(others.tolist(), row[others].tolist(), strict=True):
                yield begin + one, other, count
