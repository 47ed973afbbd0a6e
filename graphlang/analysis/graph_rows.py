"""From the links of a collection, by ids of pages, to those of a graph, by its rows: leaves are only counted.

Four in five URLs of a crawl are leaves: they were never fetched, and one page links to them, whose long text leaves no
question. They are part of the shape of the graph, for their page has a link more, and of nothing else, unless a list
names them in which other pages stand. So the graph has numbers in their place (``graph.data.Graph.leaves``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.db import collection
from graphlang.graph.adjacency import starts
from graphlang.graph.data import Graph

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from numpy.typing import NDArray

_LINKS = 1 << 20  #: that are looked at at once, but for those of one page


class Rows(NamedTuple):
    """Pages of a graph, by their row in the collection, which is their id - 1."""

    pages: NDArray[np.int64]  #: rows of the graph that have evidence, or may hear of some, shape (rows,)
    inside: NDArray[np.bool_]  #: whether each page of the collection is one of them
    asked: int  #: how many of the last ones are only to be answered


def of_several_languages(hosts: NDArray[np.int32], language: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Whether pages of each host are in different languages; shape (greatest number of a host + 1,).

    Args:
        hosts: of some pages, shape (n,).
        language: of the same pages, -1 not known, shape (n,).

    >>> of_several_languages(np.int32([0, 0, 1, 1, 2]), np.int16([3, 5, 3, 3, -1])).tolist()
    [True, False, False]
    """
    known = language >= 0
    size = int(hosts.max(initial=-1)) + 1
    least, most = np.full(size, np.iinfo(np.int16).max, np.int16), np.full(size, -1, np.int16)
    np.minimum.at(least, hosts[known], language[known])
    np.maximum.at(most, hosts[known], language[known])
    return least < most


def graph_of(links: Links, rows: Rows, hreflang: NDArray[np.int16], several: NDArray[np.bool_]) -> Graph:
    """The links between some pages of the collection, and to others that these have in common.

    Args:
        links: all links, sorted by source and target, and hosts of all pages of the collection.
        rows: of the graph; pages that listen to their neighbours link to no others.
        hreflang: language of each tag of the links, and -1 for none, at the end.
        several: whether each host has pages in several languages, whose lists may tell something.

    Returns:
        The graph with leaves, all else that is not among the rows being `outside`, sorted by source and target; without
        ``nofollow``, for no kernel asks for it.
    """
    edges, hosts = links
    leaf = _leaves(links, rows.inside, several)
    outside = np.flatnonzero(~(rows.inside | leaf)).astype(np.int32)
    row_of = np.full(len(hosts), -1, dtype=np.int32)
    row_of[rows.pages] = np.arange(len(rows.pages), dtype=np.int32)
    row_of[outside] = np.arange(len(rows.pages), len(rows.pages) + len(outside), dtype=np.int32)
    count = len(edges.source) - int(np.count_nonzero(leaf))
    del leaf
    source, target = np.empty(count, np.int32), np.empty(count, np.int32)
    kind, tag = np.empty(count, np.uint8), np.empty(count, np.int16)
    ordinal = None if edges.place is None else np.empty(count, np.int16)
    leaves = np.zeros(len(rows.pages), np.int32)
    done, last, is_sorted = 0, -1, True
    for part in _parts(edges.source):
        s, t = row_of.take(edges.source[part]), row_of.take(edges.target[part])
        np.add.at(leaves, s[t < 0], 1)
        kept = np.flatnonzero(t >= 0)
        kept = kept[np.lexsort((t[kept], s[kept]))]
        some = slice(done, done + len(kept))
        source[some], target[some] = s[kept], t[kept]
        kind[some], tag[some] = edges.kind[part][kept], hreflang[edges.hreflang[part][kept]]
        if ordinal is not None and edges.place is not None:
            ordinal[some] = edges.place[part][kept]
        if len(kept):
            is_sorted &= last < source[done]
            last = int(source[some.stop - 1])
        done = some.stop
    if not is_sorted:  # where pages link that were never fetched, which are not in the order of their ids
        order = np.lexsort((target, source))
        source, target, kind, tag = source[order], target[order], kind[order], tag[order]
        ordinal = None if ordinal is None else ordinal[order]
    n = len(rows.pages) + len(outside)
    others = hosts[outside] if len(outside) or leaves.any() else None
    counted = leaves if leaves.any() else None
    return Graph(n, source, target, kind, tag, ordinal=ordinal, outside=others, leaves=counted)


def _parts(source: NDArray[np.int32]) -> Iterator[slice]:
    """All links, some at a time; those of a page stay together."""
    at = 0
    while at < len(source):
        end = min(at + _LINKS, len(source))
        end = int(np.searchsorted(source, source[end - 1], side="right"))
        yield slice(at, end)
        at = end


def _leaves(links: Links, inside: NDArray[np.bool_], several: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Pages that are only to be counted, shape (n,)."""
    edges, hosts = links
    start = starts(edges.target, len(inside))
    leaf = np.empty(len(inside), np.bool_)
    for at in range(0, len(inside), _LINKS):
        part = slice(at, min(at + _LINKS, len(inside)))
        leaf[part] = (np.diff(start[at : part.stop + 1]) == 1) & ~inside[part]
    del start
    for part in _parts(edges.source):
        source, target = edges.source[part], edges.target[part]
        leaf[source] = False
        needed = ~inside[source]
        if edges.place is not None:
            home = hosts[source]
            needed |= (home == hosts[target]) & several[home] & (edges.place[part] >= 0)
        leaf[target[needed]] = False
    return leaf


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
        unknown: places of pages with a long text in no known language.

    >>> ends = np.int32([0, 0, 2]), np.int32([1, 2, 1])  # the pages 0, 1 and 2; the language of 2 is unknown
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
