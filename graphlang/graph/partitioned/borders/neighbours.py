"""Links between ghosts: what the shape of the graph around a link across a border depends on.

How a page and its ghost are linked to the same pages shows in links between ghosts, which neither partition of the two
ends has. So a partition asks the partitions of its ghosts for them: each for the links among its own pages, and those
that share a host with it (which is cut) for the links to each other's pages as well.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.partitioned.borders.introduce import Ghosts
    from graphlang.graph.partitioned.cut import Cut
    from graphlang.graph.partitioned.partition import Partition

UNKNOWN = 0  #: kind of a link between ghosts, which nobody needs to know


def asked(ghosts: Ghosts, homes: NDArray[np.int32], cut: Cut) -> dict[int, NDArray[np.int64]]:
    """What a partition asks others.

    Args:
        ghosts: its neighbours.
        homes: partition of each ghost, shape (g,).
        cut: hosts whose pages lie in several partitions.

    Returns:
        By partition the ids of pages, ascending: are any of yours among them linked to any other of them?
    """
    apart = np.isin(ghosts.host, cut.hosts)
    found = {}
    for home in np.unique(homes).tolist():
        there = homes == home
        together = apart & np.isin(ghosts.host, ghosts.host[there & apart])
        some = ghosts.pages[there | together]
        if there.sum() and len(some) > 1:
            found[home] = some
    return found


def links_among(partition: Partition, pages: NDArray[np.int64]) -> NDArray[np.int64]:
    """The links from a partition's own pages among some pages to others of them.

    Args:
        partition: sorted.
        pages: ids, ascending.

    Returns:
        sources and targets, shape (2, m), each link once.
    """
    mine = pages[partition.own(pages)]
    some = np.flatnonzero(_among(partition.source, mine) & _among(partition.target, pages))
    ends = np.stack([partition.source[some], partition.target[some]])
    new = np.ones(len(some), np.bool_)
    new[1:] = (ends[:, 1:] != ends[:, :-1]).any(axis=0)  # links are sorted
    return ends[:, new]


def with_links(partition: Partition, links: Sequence[NDArray[np.int64]]) -> Partition:
    """A partition with links between its ghosts.

    Args:
        partition: sorted.
        links: what `links_among` said of each of the other partitions, in any order.

    Returns:
        sorted.
    """
    source, target = np.concatenate([np.zeros((2, 0), np.int64), *links], axis=1)
    few = np.full(len(source), NONE, np.int16)
    return replace(
        partition,
        source=np.concatenate([partition.source, source]),
        target=np.concatenate([partition.target, target]),
        kind=np.concatenate([partition.kind, np.full(len(source), UNKNOWN, np.uint8)]),
        hreflang=np.concatenate([partition.hreflang, few]),
        ordinal=np.concatenate([partition.ordinal, few]),
    ).sorted()


def _among(ids: NDArray[np.int64], pages: NDArray[np.int64]) -> NDArray[np.bool_]:
    if not len(pages):
        return np.zeros(len(ids), np.bool_)
    return np.asarray(pages[np.minimum(np.searchsorted(pages, ids), len(pages) - 1)] == ids)
