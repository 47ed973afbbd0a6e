"""GEXF (Gephi) and GraphML (igraph, yEd, networkx), written node by node: memory does not grow with the graph."""

from __future__ import annotations

import io
import itertools
import math
import re
from collections import Counter
from types import MappingProxyType
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple
from xml.sax.saxutils import escape

from graphlang.maps.colours import OTHER, choose_colours
from graphlang.maps.language_graph import list_distances
from graphlang.maps.site_graph import list_site_distances, list_site_pairs
from graphlang.printing import format_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graphlang.maps.language_graph import LanguageGraph
    from graphlang.maps.site_graph import SiteGraph


#: Characters that XML 1.0 cannot contain: controls, surrogates, U+FFFE and U+FFFF.
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DISCS, _NODES = 400.0, 20.0  #: distances of discs, and of nodes in a disc
_LEAST, _GROWTH = 6.0, 8.0  #: size of a node without pages, and growth for ten times as many pages
_QUOTES: Final = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


class Schema(NamedTuple):
    """Names of the attributes that nodes and edges have, with their types: ``string``, ``int`` or ``double``."""

    nodes: Mapping[str, str]
    edges: Mapping[str, str]
    colours: Mapping[str, str] = MappingProxyType({})  #: colours of languages; without them GEXF has no picture


#: (id, label, attributes) and (source, target, attributes); attributes by the schema, None where there is none.
NodeRow = tuple[int | str, str, tuple[Any, ...]]
EdgeRow = tuple[int | str, int | str, tuple[Any, ...]]


def escape_xml(value: object) -> str:
    r"""Escape a value as the content of an XML attribute or element; what XML cannot hold becomes U+FFFD.

    >>> escape_xml('a "b" & <c>\x00')
    'a &quot;b&quot; &amp; &lt;c&gt;\ufffd'
    """
    return escape(_NO_XML.sub("\ufffd", str(value)), _QUOTES)


def write_gexf(schema: Schema, nodes: Iterable[NodeRow], edges: Iterable[EdgeRow], file: IO[bytes]) -> int:
    """Write a directed graph as GEXF 1.2, with weights of edges if the schema has them; return the number of nodes.

    With colours in the schema nodes have a colour, a size and a place, so that Gephi opens a picture.
    """
    out = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
    out.write(
        '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://www.gexf.net/1.2draft"'
        ' xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2">\n'
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
    drawing = _Drawing(schema) if schema.colours else None
    for identity, label, values in nodes:
        drawn = drawing.draw_node(values) if drawing else ""
        inner = _format_gexf_values(node_names, values) + drawn
        out.write(f'<node id="{escape_xml(identity)}" label="{escape_xml(label)}">{inner}</node>\n')
        written += 1
    out.write("</nodes>\n<edges>\n")
    edge_names = [name for name in schema.edges if name != "weight"]
    place = list(schema.edges).index("weight") if "weight" in schema.edges else None
    for number, (source, target, values) in enumerate(edges):
        weight = "" if place is None else f' weight="{escape_xml(values[place])}"'
        edge_values = [value for at, value in enumerate(values) if at != place]
        out.write(
            f'<edge id="{number}" source="{escape_xml(source)}" target="{escape_xml(target)}"{weight}>'
            f"{_format_gexf_values(edge_names, edge_values)}</edge>\n"
        )
    out.write("</edges>\n</graph>\n</gexf>\n")
    out.flush()
    out.detach()
    return written


class _Drawing:
    """Colours, sizes and places of nodes: a disc of nodes for each language, in the order in which they come."""

    def __init__(self, schema: Schema) -> None:
        names = list(schema.nodes)
        self._language, self._size = names.index("language"), names.index("size")
        self._colours = schema.colours
        self._discs: dict[str, tuple[float, float]] = {}
        self._counts: Counter[str] = Counter()

    def draw_node(self, values: Sequence[Any]) -> str:
        """Return the elements of the next node."""
        language, size = str(values[self._language]), values[self._size] or 0
        if language not in self._discs:
            self._discs[language] = _place_in_sunflower(len(self._discs), _DISCS)
        x, y = _place_in_sunflower(self._counts[language], _NODES)
        self._counts[language] += 1
        centre_x, centre_y = self._discs[language]
        colour = self._colours.get(language, OTHER)
        red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
        return (
            f'<viz:color r="{red}" g="{green}" b="{blue}"/>'
            f'<viz:position x="{centre_x + x:.1f}" y="{centre_y + y:.1f}" z="0"/>'
            f'<viz:size value="{_LEAST + _GROWTH * math.log10(1 + size):.1f}"/>'
        )


def _place_in_sunflower(number: int, distance: float) -> tuple[float, float]:
    """Return the position of a seed in a sunflower: neighbours have the same distance, from the middle outwards."""
    angle, radius = number * math.pi * (3 - math.sqrt(5)), distance * math.sqrt(number)
    return radius * math.cos(angle), radius * math.sin(angle)


def _format_gexf_values(names: list[str], values: Iterable[Any]) -> str:
    inner = "".join(
        f'<attvalue for="{name}" value="{escape_xml(value)}"/>'
        for name, value in zip(names, values, strict=True)
        if value is not None
    )
    return f"<attvalues>{inner}</attvalues>" if inner else ""


def write_graphml(schema: Schema, nodes: Iterable[NodeRow], edges: Iterable[EdgeRow], file: IO[bytes]) -> int:
    """Write a directed graph as GraphML, with the label as a separate attribute; return the number of nodes."""
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
        data = _format_graphml_values(["label", *node_keys], (label, *values))
        out.write(f'<node id="n{escape_xml(identity)}">{data}</node>\n')
        written += 1
    for source, target, values in edges:
        data = _format_graphml_values(edge_keys, values)
        out.write(f'<edge source="n{escape_xml(source)}" target="n{escape_xml(target)}">{data}</edge>\n')
    out.write("</graph>\n</graphml>\n")
    out.flush()
    out.detach()
    return written


def _format_graphml_values(keys: list[str], values: Iterable[Any]) -> str:
    return "".join(
        f'<data key="{key}">{escape_xml(value)}</data>'
        for key, value in zip(keys, values, strict=True)
        if value is not None
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
        _write_json({"languages": graph.languages, "links": graph.pairs, "distances": list_distances(graph)}, file)
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
    by_pages = sorted(graph.languages, key=lambda row: -row.pages)
    schema = _SCHEMA._replace(colours=choose_colours(row.language for row in by_pages))
    return WRITERS[format_](schema, nodes, edges, file)


def write_site_graph(graph: SiteGraph, format_: str, file: IO[bytes]) -> int:
    """Write the graph of sites as ``gexf``, ``graphml`` or ``json``; returns the number of sites.

    JSON has the sites, the pairs and the distances of `graphlang.maps.site_graph.list_site_distances`.
    """
    if format_ == "json":
        _write_json(
            {"sites": graph.sites, "links": list_site_pairs(graph), "distances": list_site_distances(graph)}, file
        )
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
    edges = ((row.source, row.target, (row.links, round(row.share, 6))) for row in list_site_pairs(graph))
    pages: Counter[str] = Counter()
    for row in graph.sites:
        pages[row.language] += row.pages
    schema = _OF_SITES._replace(colours=choose_colours(language for language, _ in pages.most_common()))
    return WRITERS[format_](schema, nodes, edges, file)


def _write_json(lists: Mapping[str, Iterable[Any]], file: IO[bytes]) -> None:
    """Write an object of lists, a row a line, without keeping the file in memory."""
    before = "{"
    for name, rows in lists.items():
        file.write(f'{before}\n "{name}": ['.encode())
        for row, comma in zip(rows, itertools.chain([""], itertools.repeat(",")), strict=False):
            file.write(f"{comma}\n  {format_json(row._asdict())}".encode("utf-8", "replace"))
        file.write(b"\n ]")
        before = ","
    file.write(b"\n}\n")
