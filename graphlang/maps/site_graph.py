"""Links between sites: from which language to which, and how far sites keep to their own (Caminero and Mikami 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphlang.maps.web_graph import web_graph

if TYPE_CHECKING:
    import sqlite3

    from graphlang.maps.selection import Selection


class SiteLinks(NamedTuple):
    """A site and its links to other sites."""

    site: str
    language: str  #: the commonest
    pages: int
    links_out: int  #: links between pages, to other sites
    links_in: int
    sites_out: int  #: different sites that it links to
    sites_in: int
    introversion: float  #: share of ``links_out`` that lead to sites of the same language
    extroversion: float  #: the rest


def site_links_of(connection: sqlite3.Connection, selection: Selection, *, unit: str = "domain") -> list[SiteLinks]:
    """Every site that counts, the most pages first.

    Args:
        connection: a collection.
        selection: which pages count.
        unit: ``domain`` or ``host``.
    """
    graph = web_graph(connection, unit, selection)
    nodes = {node.id: node for node in graph.nodes}
    sums = {number: [0, 0, 0, 0, 0] for number in nodes}
    for edge in graph.edges:
        one, other = sums[edge.source], sums[edge.target]
        one[0] += edge.weight
        one[2] += 1
        one[4] += edge.weight * (nodes[edge.source].language == nodes[edge.target].language)
        other[1] += edge.weight
        other[3] += 1
    found = []
    for number, node in nodes.items():
        links_out, links_in, sites_out, sites_in, same = sums[number]
        inner = same / links_out if links_out else 0.0
        outer = 1 - inner if links_out else 0.0
        found.append(
            SiteLinks(node.label, node.language, node.size, links_out, links_in, sites_out, sites_in, inner, outer)
        )
    return sorted(found, key=lambda one: (-one.pages, one.site))
