"""Graphs of pages, hosts or domains: nodes with language, confidence and size, links between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphlang.db import collection
from graphlang.maps.sites import by_site

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
    """Nodes and edges, each to be read once, the nodes first."""

    nodes: Iterable[Node]
    edges: Iterable[Edge]


def web_graph(connection: sqlite3.Connection, unit: str, selection: Selection) -> WebGraph:
    """The graph of a collection's pages, hosts or domains.

    Args:
        connection: a collection.
        unit: of `UNITS`.
        selection: which pages count; a link counts if both of its pages do. Links within a host or domain do not.

    Raises:
        ValueError: the unit is unknown.
    """
    if unit not in UNITS:
        raise ValueError(f"no graph of {unit}; there are {', '.join(UNITS)}")
    return _pages(connection, selection) if unit == "page" else _sites(connection, unit, selection)


def _pages(connection: sqlite3.Connection, selection: Selection) -> WebGraph:
    source, values = selection.source()
    counted = np.zeros(collection.count_pages(connection) + 1, dtype=np.bool_)

    def nodes() -> Iterator[Node]:
        rows = connection.execute(
            f"SELECT page, url, language, confidence, COALESCE(length, 0) FROM {source} ORDER BY page", values
        )
        for page, url, language, confidence, length in rows:
            counted[page] = True
            yield Node(page, url, language, confidence, length, 1.0)

    def edges() -> Iterator[Edge]:
        for one, other in connection.execute("SELECT source, target FROM links ORDER BY source, target"):
            if counted[one] and counted[other]:
                yield Edge(one, other, 1)

    return WebGraph(nodes(), edges())


def _sites(connection: sqlite3.Connection, unit: str, selection: Selection) -> WebGraph:
    sites = {site.site: site for site in by_site(connection, unit, selection)}
    numbers, names = site_numbers(connection, unit)

    def nodes() -> Iterator[Node]:
        for number, name in enumerate(names):
            its = sites.get(name)
            if its is not None:
                yield Node(number, name, its.language, its.confidence, its.pages, its.share)

    def edges() -> Iterator[Edge]:
        for one, other, count in site_links(connection, numbers, selected(connection, selection)):
            if names[one] in sites and names[other] in sites:
                yield Edge(one, other, count)

    return WebGraph(nodes(), edges())


def site_numbers(connection: sqlite3.Connection, unit: str) -> tuple[NDArray[np.int32], list[str]]:
    """The host or domain of every page as a number, in order of page ids, and the names that the numbers stand for.

    Args:
        connection: a collection.
        unit: a column of ``hosts`` that names one: ``host`` or ``domain``.

    Returns:
        Numbers from 0 on, shape (pages,), and a name for each number.
    """
    hosts = collection.hosts(connection)
    names: dict[str, int] = {}
    of_host = np.zeros(int(hosts.max(initial=-1)) + 1, dtype=np.int32)
    for host, name in connection.execute(f"SELECT id, {unit} FROM hosts ORDER BY id"):
        if host <= len(of_host):
            of_host[host - 1] = names.setdefault(name, len(names))
    return of_host[hosts], list(names)


def selected(connection: sqlite3.Connection, selection: Selection) -> NDArray[np.bool_]:
    """Which pages count, in order of page ids.

    Args:
        connection: a collection.
        selection: which pages count.

    Returns:
        shape (pages,).
    """
    source, values = selection.source()
    found = np.zeros(collection.count_pages(connection), dtype=np.bool_)
    for (page,) in connection.execute(f"SELECT page FROM {source}", values):
        found[page - 1] = True
    return found


def site_links(
    connection: sqlite3.Connection, numbers: NDArray[np.int32], counted: NDArray[np.bool_]
) -> Iterator[tuple[int, int, int]]:
    """Links between different sites as (source, target, how many), in order.

    Args:
        connection: a collection.
        numbers: the site of each page, shape (pages,).
        counted: which pages count, shape (pages,).
    """
    edges = collection.edges(connection)
    kept = counted[edges.source] & counted[edges.target]
    source, target = numbers[edges.source[kept]].astype(np.int64), numbers[edges.target[kept]].astype(np.int64)
    apart = source != target
    width = int(numbers.max(initial=0)) + 1
    keys, counts = np.unique(source[apart] * width + target[apart], return_counts=True)
    for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
        yield key // width, key % width, count
