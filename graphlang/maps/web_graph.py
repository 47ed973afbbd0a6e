"""Graphs of pages, hosts or domains: nodes with language, confidence and size, links between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphlang.db import collection
from graphlang.maps.sites import list_sites

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from graphlang.maps.selection import Selection

UNITS: Final = ("page", "host", "domain")


class Node(NamedTuple):
    """A node; ids are numbers."""

    id: int
    label: str  #: the URL, host or domain
    language: str
    confidence: float
    size: int  #: of a page: characters of visible text; else pages that were read
    share: float  #: of the language, among the pages of the host or domain; 1 for a page


class Edge(NamedTuple):
    """Links from one node to another."""

    source: int
    target: int
    weight: int  #: links between pages


class WebGraph(NamedTuple):
    """Nodes and edges, each read once, the nodes first."""

    nodes: Iterable[Node]
    edges: Iterable[Edge]


def read_web_graph(connection: sqlite3.Connection, unit: str, selection: Selection) -> WebGraph:
    """Read the graph of pages, hosts or domains, without links within a host or domain."""
    if unit not in UNITS:
        raise ValueError(f"no graph of {unit}; there are {', '.join(UNITS)}")
    return _read_pages(connection, selection) if unit == "page" else _read_sites(connection, unit, selection)


def _read_pages(connection: sqlite3.Connection, selection: Selection) -> WebGraph:
    source, values = selection.write_source()
    counted = np.zeros(collection.count_pages(connection) + 1, dtype=np.bool_)

    def nodes() -> Iterator[Node]:
        rows = connection.execute(
            f"SELECT page, url, language, confidence, COALESCE(length, 0) FROM {source} ORDER BY page", values
        )
        for page, url, language, confidence, length in rows:
            counted[page] = True
            yield Node(page, url, language, confidence, length, 1.0)

    def edges() -> Iterator[Edge]:
        for source, target in connection.execute("SELECT source, target FROM links ORDER BY source, target"):
            if counted[source] and counted[target]:
                yield Edge(source, target, 1)

    return WebGraph(nodes(), edges())


def _read_sites(connection: sqlite3.Connection, unit: str, selection: Selection) -> WebGraph:
    sites = {site.site: site for site in list_sites(connection, unit, selection)}
    numbers, names = number_sites(connection, unit)

    def nodes() -> Iterator[Node]:
        for number, name in enumerate(names):
            site = sites.get(name)
            if site is not None:
                yield Node(number, name, site.language, site.confidence, site.pages, site.share)

    def edges() -> Iterator[Edge]:
        for source, target, count in count_site_links(connection, numbers, find_selected_pages(connection, selection)):
            if names[source] in sites and names[target] in sites:
                yield Edge(source, target, count)

    return WebGraph(nodes(), edges())


def number_sites(connection: sqlite3.Connection, unit: str) -> tuple[NDArray[np.int32], list[str]]:
    """Number the hosts or domains of pages from 0, shape (pages,); return the numbers and the names."""
    hosts = collection.read_hosts(connection)
    names: dict[str, int] = {}
    of_host = np.zeros(int(hosts.max(initial=-1)) + 1, dtype=np.int32)
    for host, name in connection.execute(f"SELECT id, {unit} FROM hosts ORDER BY id"):
        if host <= len(of_host):
            of_host[host - 1] = names.setdefault(name, len(names))
    return of_host[hosts], list(names)


def find_selected_pages(connection: sqlite3.Connection, selection: Selection) -> NDArray[np.bool_]:
    """Return which pages count, shape (pages,)."""
    source, values = selection.write_source()
    counted = np.zeros(collection.count_pages(connection), dtype=np.bool_)
    for (page,) in connection.execute(f"SELECT page FROM {source}", values):
        counted[page - 1] = True
    return counted


def count_site_links(
    connection: sqlite3.Connection, numbers: NDArray[np.int32], counted: NDArray[np.bool_]
) -> Iterator[tuple[int, int, int]]:
    """Yield links between different sites as (source, target, number of links), in order."""
    edges = collection.read_edges(connection)
    within = counted[edges.source] & counted[edges.target]
    source, target = numbers[edges.source[within]].astype(np.int64), numbers[edges.target[within]].astype(np.int64)
    across = source != target
    width = int(numbers.max(initial=0)) + 1
    keys, counts = np.unique(source[across] * width + target[across], return_counts=True)
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        yield key // width, key % width, count
