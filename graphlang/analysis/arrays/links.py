"""The links of a collection as arrays, and those of them that say something of a language."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.db import collection

if TYPE_CHECKING:
    import sqlite3

    from numpy.typing import NDArray

_LINKS = 1 << 20  # that are looked at at once


class Links(NamedTuple):
    """What no run has a part in."""

    edges: collection.Edges
    hosts: NDArray[np.int32]  #: of each page

    @classmethod
    def of(cls, connection: sqlite3.Connection) -> Links:
        """Those of a collection."""
        return cls(collection.edges(connection, places=True), collection.hosts(connection))


def spoken(edges: collection.Edges, unknown: NDArray[np.int64]) -> collection.Edges:
    """Links that say something of a language: not those from or to pages in one that is not known.

    Such a page is in another language than all that the model knows. If it passed on what it hears, its own links to
    one language would be evidence of that language for everything else that it is linked with.

    Args:
        edges: of a collection; what comes out stands in the same arrays.
        unknown: places of pages with a long text of which nothing can be told.

    >>> ends = np.int32([0, 0, 2]), np.int32([1, 2, 1])  # the pages 0, 1 and 2; nobody knows what 2 is written in
    >>> flags = np.zeros(3, np.uint8), np.zeros(3, np.bool_), np.int16([-1, -1, -1])
    >>> left = spoken(collection.Edges(*ends, *flags, ()), np.array([2]))
    >>> left.source.tolist(), left.target.tolist()
    ([0], [1])
    """
    if not len(unknown):
        return edges
    silent = np.zeros(int(max(edges.source.max(initial=0), edges.target.max(initial=0), unknown.max())) + 1, np.bool_)
    silent[unknown] = True
    columns = [name for name in edges._fields if isinstance(getattr(edges, name), np.ndarray)]
    left = 0
    for at in range(0, len(edges.source), _LINKS):  # a copy of all links would be the largest thing in memory
        part = slice(at, at + _LINKS)
        kept = np.flatnonzero(~(silent[edges.source[part]] | silent[edges.target[part]]))
        for name in columns:
            column = getattr(edges, name)
            column[left : left + len(kept)] = column[part][kept]
        left += len(kept)
    return edges._replace(**{name: getattr(edges, name)[:left] for name in columns})
