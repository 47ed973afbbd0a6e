"""The language graph, or that of sites, as a file: GEXF, GraphML, or JSON with all at once."""

from __future__ import annotations

import itertools
from typing import IO, TYPE_CHECKING, Any, Final

from graphlang.export.graph_files import WRITERS, Schema
from graphlang.maps.graphs.language_graph import distances
from graphlang.maps.graphs.site_graph import site_distances, site_pairs
from graphlang.printing.as_json import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graphlang.maps.graphs.language_graph import LanguageGraph
    from graphlang.maps.graphs.site_graph import SiteGraph

_SCHEMA: Final = Schema(
    {
        "language": "string",
        "name": "string",
        "size": "int",
        "introversion": "double",
        "extroversion": "double",
        "betweenness": "double",
        "links_out": "int",
        "links_in": "int",
        "components": "int",
        "largest": "int",
        "diameter": "int",
    },
    {"weight": "int", "share": "double"},
)
_OF_SITES: Final = Schema(
    {
        "language": "string",
        "size": "int",
        "introversion": "double",
        "extroversion": "double",
        "betweenness": "double",
        "links_out": "int",
        "links_in": "int",
        "sites_out": "int",
        "sites_in": "int",
        "components": "int",
        "largest": "int",
        "diameter": "int",
    },
    {"weight": "int", "share": "double"},
)


def write_language_graph(found: LanguageGraph, format_: str, file: IO[bytes]) -> int:
    """Write the graph as ``gexf``, ``graphml`` or ``json``; returns the number of languages.

    JSON has the languages, the pairs and the distances between all languages.

    Args:
        found: the graph.
        format_: ``gexf``, ``graphml`` or ``json``.
        file: is left open.
    """
    if format_ == "json":
        _write_json({"languages": found.languages, "links": found.pairs, "distances": distances(found)}, file)
        return len(found.languages)
    nodes = (
        (
            one.language,
            one.name,
            (
                *(one.language, one.name, one.pages, round(one.introversion, 6), round(one.extroversion, 6)),
                *(round(one.betweenness, 6), one.links_out, one.links_in, one.components, one.largest, one.diameter),
            ),
        )
        for one in found.languages
    )
    edges = ((one.source, one.target, (one.links, round(one.share, 6))) for one in found.pairs)
    return WRITERS[format_](_SCHEMA, nodes, edges, file)


def write_site_graph(found: SiteGraph, format_: str, file: IO[bytes]) -> int:
    """Write the graph of sites as ``gexf``, ``graphml`` or ``json``; returns the number of sites.

    JSON has the sites, the pairs and the distances that `graphlang.maps.graphs.site_graph.site_distances` gives.

    Args:
        found: the graph.
        format_: ``gexf``, ``graphml`` or ``json``.
        file: is left open.
    """
    if format_ == "json":
        _write_json({"sites": found.sites, "links": site_pairs(found), "distances": site_distances(found)}, file)
        return len(found.sites)
    nodes = (
        (
            one.site,
            one.site,
            (
                *(one.language, one.pages, round(one.introversion, 6), round(one.extroversion, 6)),
                *(round(one.betweenness, 6), one.links_out, one.links_in, one.sites_out, one.sites_in),
                *(one.components, one.largest, one.diameter),
            ),
        )
        for one in found.sites
    )
    edges = ((one.source, one.target, (one.links, round(one.share, 6))) for one in site_pairs(found))
    return WRITERS[format_](_OF_SITES, nodes, edges, file)


def _write_json(lists: Mapping[str, Iterable[Any]], file: IO[bytes]) -> None:
    """Write an object of lists, each row on a line of its own: the file is never in memory."""
    before = "{"
    for name, rows in lists.items():
        file.write(f'{before}\n "{name}": ['.encode())
        for row, comma in zip(rows, itertools.chain([""], itertools.repeat(",")), strict=False):
            file.write(f"{comma}\n  {json_text(row._asdict())}".encode("utf-8", "replace"))
        file.write(b"\n ]")
        before = ","
    file.write(b"\n}\n")
