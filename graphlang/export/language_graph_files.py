"""The language graph as a file: GEXF, GraphML, or JSON with all at once."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any, Final

from graphlang.export.graph_files import WRITERS, Schema
from graphlang.maps.language_graph import distances
from graphlang.printing.as_json import json_text

if TYPE_CHECKING:
    from graphlang.maps.language_graph import LanguageGraph

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


def write_language_graph(found: LanguageGraph, format_: str, file: IO[bytes]) -> int:
    """Write the graph as ``gexf``, ``graphml`` or ``json``; returns the number of languages.

    JSON has the languages, the pairs and the distances between all languages.

    Args:
        found: the graph.
        format_: ``gexf``, ``graphml`` or ``json``.
        file: is left open.
    """
    if format_ == "json":
        document: dict[str, Any] = {
            "languages": [one._asdict() for one in found.languages],
            "links": [one._asdict() for one in found.pairs],
            "distances": [one._asdict() for one in distances(found)],
        }
        file.write(json_text(document, indent=1).encode() + b"\n")
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
