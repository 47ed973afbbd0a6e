"""Links between ghosts: what the shape of the graph around a link across a border depends on.

How a page and its ghost are linked to the same pages shows in links between ghosts, of which the page's partition has
none. So it asks the partitions of its ghosts for them: each for the links of its own pages among themselves, and to
those pages that are ghosts of both. Which these are was told as they were introduced.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.partitioned.borders.introduce import Ghosts
    from graphlang.graph.partitioned.partition import Partition

UNKNOWN = 0  #: kind of a link between ghosts, which nobody needs to know


def asked(ghosts: Ghosts, homes: NDArray[np.int32]) -> dict[int, NDArray[np.int64]]:
    """What a partition asks others.

    Args:
        ghosts: its neighbours.
        homes: partition of each ghost, shape (g,).

    Returns:
        By partition the ids of pages, ascending: are any of yours among them linked to any other of them?
    """
    rows = np.arange(len(homes))
    some = np.isin(ghosts.near, homes)  # it is one of them itself
    whom = np.concatenate([homes, ghosts.near[some]])
    which = np.concatenate([rows, np.repeat(rows, np.diff(ghosts.near_start))[some]])
    order = np.lexsort((which, whom))
    pages = ghosts.pages[which[order]]
    found, first = np.unique(whom[order], return_index=True)
    bounds = pairwise([*first.tolist(), len(pages)])
    listed = {home: pages[begin:stop] for home, (begin, stop) in zip(found.tolist(), bounds, strict=True)}
    return {home: some for home, some in listed.items() if len(some) > 1}


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
