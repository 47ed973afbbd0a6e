"""Build the graph from the links of a collection: page ids become rows, and leaves are only counted.

Four in five URLs of a crawl are leaves: unfetched, with one inlink, from a page whose long text is clear. They count
in the degree of that page, and have no other effect unless they are in a list with other pages. So the graph has a
count in their place (``graph.data.Graph.leaves``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.db import collection
from graphlang.graph.adjacency import find_first_links
from graphlang.graph.data import Graph

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from numpy.typing import NDArray

_LINKS = 1 << 20  #: links handled at a time, or those of a single page


class PageRows(NamedTuple):
    """Pages of a graph, by their row in the collection (id - 1)."""

    pages: NDArray[np.int64]  #: pages with evidence, or that may receive some, shape (rows,)
    inside: NDArray[np.bool_]  #: whether each page of the collection is in `pages`
    answer_only: int  #: number of the last pages, which only need an answer


def find_multilingual(hosts: NDArray[np.int32], language: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return whether the pages of each host are in several languages; shape (largest host number + 1,).

    ``hosts`` and ``language`` (-1 unknown) have shape (n,).

    >>> find_multilingual(np.int32([0, 0, 1, 1, 2]), np.int16([3, 5, 3, 3, -1])).tolist()
    [True, False, False]
    """
    has_language = language >= 0
    size = int(hosts.max(initial=-1)) + 1
    lowest, highest = np.full(size, np.iinfo(np.int16).max, np.int16), np.full(size, -1, np.int16)
    np.minimum.at(lowest, hosts[has_language], language[has_language])
    np.maximum.at(highest, hosts[has_language], language[has_language])
    return lowest < highest


def build_graph(links: LinkRows, rows: PageRows, hreflang: NDArray[np.int16], multilingual: NDArray[np.bool_]) -> Graph:
    """Build the graph of some pages and their common neighbours.

    Pages outside ``rows`` become leaves or are excluded. The graph is sorted by source and target, without
    ``nofollow``, which no algorithm uses. ``hreflang`` has the language of each tag of the links, and a last entry of
    -1. ``multilingual`` hosts have lists that are evidence.
    """
    edges, hosts = links
    leaf = _find_leaves(links, rows.inside, multilingual)
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
    count_done, last, is_sorted = 0, -1, True
    for block in _split_links(edges.source):
        s, t = row_of.take(edges.source[block]), row_of.take(edges.target[block])
        np.add.at(leaves, s[t < 0], 1)
        with_row = np.flatnonzero(t >= 0)
        with_row = with_row[np.lexsort((t[with_row], s[with_row]))]
        span = slice(count_done, count_done + len(with_row))
        source[span], target[span] = s[with_row], t[with_row]
        kind[span], tag[span] = edges.kind[block][with_row], hreflang[edges.hreflang[block][with_row]]
        if ordinal is not None and edges.place is not None:
            ordinal[span] = edges.place[block][with_row]
        if len(with_row):
            is_sorted &= last < source[count_done]
            last = int(source[span.stop - 1])
        count_done = span.stop
    if not is_sorted:  # links of excluded pages are not in the order of rows
        order = np.lexsort((target, source))
        source, target, kind, tag = source[order], target[order], kind[order], tag[order]
        ordinal = None if ordinal is None else ordinal[order]
    n = len(rows.pages) + len(outside)
    excluded_hosts = hosts[outside] if len(outside) or leaves.any() else None
    counted = leaves if leaves.any() else None
    return Graph(n, source, target, kind, tag, ordinal=ordinal, outside=excluded_hosts, leaves=counted)


def _split_links(source: NDArray[np.int32]) -> Iterator[slice]:
    """Split the links into blocks; links of a page stay together."""
    at = 0
    while at < len(source):
        end = min(at + _LINKS, len(source))
        end = int(np.searchsorted(source, source[end - 1], side="right"))
        yield slice(at, end)
        at = end


def _find_leaves(links: LinkRows, inside: NDArray[np.bool_], multilingual: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the pages that are only counted, shape (n,)."""
    edges, hosts = links
    start = find_first_links(edges.target, len(inside))
    leaf = np.empty(len(inside), np.bool_)
    for at in range(0, len(inside), _LINKS):
        block = slice(at, min(at + _LINKS, len(inside)))
        leaf[block] = (np.diff(start[at : block.stop + 1]) == 1) & ~inside[block]
    del start
    for block in _split_links(edges.source):
        source, target = edges.source[block], edges.target[block]
        leaf[source] = False
        needed = ~inside[source]
        if edges.place is not None:
            home = hosts[source]
            needed |= (home == hosts[target]) & multilingual[home] & (edges.place[block] >= 0)
        leaf[target[needed]] = False
    return leaf


class LinkRows(NamedTuple):
    """Links and hosts, which do not depend on a run."""

    edges: collection.Edges
    hosts: NDArray[np.int32]  #: of each page

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> LinkRows:
        """Read links and hosts of a collection."""
        return cls(collection.read_edges(connection, places=True), collection.read_hosts(connection))


def drop_unknown(edges: collection.Edges, unknown: NDArray[np.int64]) -> collection.Edges:
    """Drop the links from or to pages in an unknown language, in place.

    Such a page is in none of the method's languages. If it sent messages, its links to pages of one language would be
    evidence of that language for its other neighbours.

    ``edges`` share their arrays with the result; ``unknown`` has the rows of pages with long text in no known
    language.

    >>> ends = np.int32([0, 0, 2]), np.int32([1, 2, 1])  # the pages 0, 1 and 2; the language of 2 is unknown
    >>> flags = np.zeros(3, np.uint8), np.zeros(3, np.bool_), np.int16([-1, -1, -1])
    >>> remaining = drop_unknown(collection.Edges(*ends, *flags, ()), np.array([2]))
    >>> remaining.source.tolist(), remaining.target.tolist()
    ([0], [1])
    """
    if not len(unknown):
        return edges
    is_unknown = np.zeros(
        int(max(edges.source.max(initial=0), edges.target.max(initial=0), unknown.max())) + 1, np.bool_
    )
    is_unknown[unknown] = True
    columns = [name for name in edges._fields if isinstance(getattr(edges, name), np.ndarray)]
    count = 0
    for at in range(0, len(edges.source), _LINKS):  # a copy of all links would be the largest thing in memory
        block = slice(at, at + _LINKS)
        remaining = np.flatnonzero(~(is_unknown[edges.source[block]] | is_unknown[edges.target[block]]))
        for name in columns:
            column = getattr(edges, name)
            column[count : count + len(remaining)] = column[block][remaining]
        count += len(remaining)
    return edges._replace(**{name: getattr(edges, name)[:count] for name in columns})
