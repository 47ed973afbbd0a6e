"""GEXF (Gephi) and GraphML (igraph, yEd, networkx), written node by node: memory does not grow with the graph."""

from __future__ import annotations

import io
import itertools
import re
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple
from xml.sax.saxutils import escape

from graphlang.maps.language_graph import distances
from graphlang.maps.site_graph import site_distances, site_pairs
from graphlang.printing.as_json import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from graphlang.maps.language_graph import LanguageGraph
    from graphlang.maps.site_graph import SiteGraph


#: What XML 1.0 has no way to write: control characters, halves of pairs, two characters that are none.
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_QUOTES: Final = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


class Schema(NamedTuple):
    """Names of the attributes that nodes and edges have, with their types: ``string``, ``int`` or ``double``."""

    nodes: Mapping[str, str]
    edges: Mapping[str, str]


#: (id, label, attributes) and (source, target, attributes); attributes by the schema, None where there is none.
NodeRow = tuple[int | str, str, tuple[Any, ...]]
EdgeRow = tuple[int | str, int | str, tuple[Any, ...]]


def text(value: object) -> str:
    r"""Escape a value as the content of an XML attribute or element; what XML cannot hold becomes U+FFFD.

    >>> text('a "b" & <c>\x00')
    'a &quot;b&quot; &amp; &lt;c&gt;\ufffd'
    """
    return escape(_NO_XML.sub("\ufffd", str(value)), _QUOTES)


def write_gexf(schema: Schema, nodes: Iterable[NodeRow], edges: Iterable[EdgeRow], file: IO[bytes]) -> int:
    """Write a directed graph as GEXF 1.2; edges have a weight if the schema says so. Returns the number of nodes."""
    out = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    out.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">\n'
        "<meta><creator>graphlang</creator></meta>\n"
        '<graph mode="static" defaultedgetype="directed">\n'
    )
    unweighted = {name: type_ for name, type_ in schema.edges.items() if name != "weight"}
    for kind, attributes in (("node", schema.nodes), ("edge", unweighted)):
        if attributes:
            rows = "".join(
                f'<attribute id="{name}" title="{name}" type="{"integer" if type_ == "int" else type_}"/>'
                for name, type_ in attributes.items()
            )
            out.write(f'<attributes class="{kind}" mode="static">{rows}</attributes>\n')
    out.write("<nodes>\n")
    written = 0
    node_names = list(schema.nodes)
    for identity, label, values in nodes:
        out.write(f'<node id="{text(identity)}" label="{text(label)}">{_gexf_values(node_names, values)}</node>\n')
        written += 1
    out.write("</nodes>\n<edges>\n")
    edge_names = [name for name in schema.edges if name != "weight"]
    place = list(schema.edges).index("weight") if "weight" in schema.edges else None
    for number, (source, target, values) in enumerate(edges):
        weight = "" if place is None else f' weight="{text(values[place])}"'
        edge_values = [value for at, value in enumerate(values) if at != place]
        out.write(
            f'<edge id="{number}" source="{text(source)}" target="{text(target)}"{weight}>'
            f"{_gexf_values(edge_names, edge_values)}</edge>\n"
        )
    out.write("</edges>\n</graph>\n</gexf>\n")
    out.flush()
    out.detach()
    return written


def _gexf_values(names: list[str], values: Iterable[Any]) -> str:
    inner = "".join(
        f'<attvalue for="{name}" value="{text(value)}"/>'
        for name, value in zip(names, values, strict=True)
        if value is not None
    )
    return f"<attvalues>{inner}</attvalues>" if inner else ""


def write_graphml(schema: Schema, nodes: Iterable[NodeRow], edges: Iterable[EdgeRow], file: IO[bytes]) -> int:
    """Write a directed graph as GraphML; the label is an attribute of its own. Returns the number of nodes."""
    out = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    out.write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
    out.write('<key id="label" for="node" attr.name="label" attr.type="string"/>\n')
    for kind, names in (("node", schema.nodes), ("edge", schema.edges)):
        for name, type_ in names.items():
            out.write(f'<key id="{kind[0]}-{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>\n')
    out.write('<graph edgedefault="directed">\n')
    written = 0
    node_keys, edge_keys = [f"n-{name}" for name in schema.nodes], [f"e-{name}" for name in schema.edges]
    for identity, label, values in nodes:
        data = _graphml_values(["label", *node_keys], (label, *values))
        out.write(f'<node id="n{text(identity)}">{data}</node>\n')
        written += 1
    for source, target, values in edges:
        data = _graphml_values(edge_keys, values)
        out.write(f'<edge source="n{text(source)}" target="n{text(target)}">{data}</edge>\n')
    out.write("</graph>\n</graphml>\n")
    out.flush()
    out.detach()
    return written


def _graphml_values(keys: list[str], values: Iterable[Any]) -> str:
    return "".join(
        f'<data key="{key}">{text(value)}</data>' for key, value in zip(keys, values, strict=True) if value is not None
    )


#: Writers by format.
WRITERS: Final[Mapping[str, Callable[[Schema, Iterable[NodeRow], Iterable[EdgeRow], IO[bytes]], int]]] = {
    "gexf": write_gexf,
    "graphml": write_graphml,
}
#: Of the graphs of `graphlang.maps.web_graph`.
WEB: Final = Schema({"language": "string", "confidence": "double", "size": "int", "share": "double"}, {"weight": "int"})


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


def write_language_graph(graph: LanguageGraph, format_: str, file: IO[bytes]) -> int:
    """Write the graph as ``gexf``, ``graphml`` or ``json``; returns the number of languages.

    JSON has the languages, the pairs and the distances between all languages.
    """
    if format_ == "json":
        _write_json({"languages": graph.languages, "links": graph.pairs, "distances": distances(graph)}, file)
        return len(graph.languages)
    nodes = (
        (
            row.language,
            row.name,
            (
                *(row.language, row.name, row.pages, round(row.introversion, 6), round(row.extroversion, 6)),
                *(round(row.betweenness, 6), row.links_out, row.links_in, row.components, row.largest, row.diameter),
            ),
        )
        for row in graph.languages
    )
    edges = ((row.source, row.target, (row.links, round(row.share, 6))) for row in graph.pairs)
    return WRITERS[format_](_SCHEMA, nodes, edges, file)


def write_site_graph(graph: SiteGraph, format_: str, file: IO[bytes]) -> int:
    """Write the graph of sites as ``gexf``, ``graphml`` or ``json``; returns the number of sites.

    JSON has the sites, the pairs and the distances that `graphlang.maps.site_graph.site_distances` gives.
    """
    if format_ == "json":
        _write_json({"sites": graph.sites, "links": site_pairs(graph), "distances": site_distances(graph)}, file)
        return len(graph.sites)
    nodes = (
        (
            row.site,
            row.site,
            (
                *(row.language, row.pages, round(row.introversion, 6), round(row.extroversion, 6)),
                *(round(row.betweenness, 6), row.links_out, row.links_in, row.sites_out, row.sites_in),
                *(row.components, row.largest, row.diameter),
            ),
        )
        for row in graph.sites
    )
    edges = ((row.source, row.target, (row.links, round(row.share, 6))) for row in site_pairs(graph))
    return WRITERS[format_](_OF_SITES, nodes, edges, file)


def _write_json(lists: Mapping[str, Iterable[Any]], file: IO[bytes]) -> None:
    """Write an object of lists, a row a line, without keeping the file in memory."""
    before = "{"
    for name, rows in lists.items():
        file.write(f'{before}\n "{name}": ['.encode())
        for row, comma in zip(rows, itertools.chain([""], itertools.repeat(",")), strict=False):
            file.write(f"{comma}\n  {json_text(row._asdict())}".encode("utf-8", "replace"))
        file.write(b"\n ]")
        before = ","
    file.write(b"\n}\n")
