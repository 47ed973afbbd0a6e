"""``export``: what other programs read."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

import click

from graphlang.cli.failures import USAGE, Failure
from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.log import say
from graphlang.cli.shared.output import csv_safe, write_rows
from graphlang.cli.shared.selection import selects
from graphlang.cli.shared.targets import refuse_inputs
from graphlang.export import tables
from graphlang.visible import visible
from graphlang.whole_file import refuse_empty, replacing

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from graphlang.maps.selection import Selection

_ROWS: Final = ("csv", "tsv", "jsonl", "parquet")
_GRAPHS: Final = ("gexf", "graphml")
#: What there is, and in which formats; the first is the default.
_WHAT: Final = {
    "pages": _ROWS + _GRAPHS,
    "sites": _ROWS,
    "links": _ROWS,
    "hosts": _ROWS + _GRAPHS,
    "domains": _ROWS + _GRAPHS,
    "languages": _ROWS + _GRAPHS,
    "texts": ("jsonl", "parquet", "csv", "tsv", "txt"),
    "cdxj": ("cdxj",),
    "warc-metadata": ("warc",),
    "wet": ("wet",),
    "vertices-edges": ("tsv",),
    "web-languages": ("md",),
}
_FORMATS: Final = (*_ROWS, *_GRAPHS, "txt", "cdxj", "warc", "wet", "md")
#: These take every capture, unless a filter says which.
_OF_ALL: Final = ("pages", "links", "cdxj")


def _format(what: str, wanted: str | None, output: Path) -> str:
    if wanted is None:
        ending = output.suffix.lower().lstrip(".")
        return ending if ending in _WHAT[what] else _WHAT[what][0]
    if wanted not in _WHAT[what]:
        raise click.BadParameter(f"{what} comes as {', '.join(_WHAT[what])}", param_hint="--format")
    return wanted


@click.command()
@options.database
@click.option("--what", type=click.Choice(list(_WHAT)), required=True, help="What to export, see above.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(_FORMATS),
    help="By default that of the file's name, else the first that there is.",
)
@click.option(
    "--by", type=click.Choice(["host", "domain"]), default="host", show_default=True, help="For vertices-edges."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="File to write to; a folder for vertices-edges and web-languages.",
)
@csv_safe
@selects
def export(db: Path, what: str, format_: str | None, by: str, output: Path, selection: Selection) -> None:
    """Write what other programs read: tables, graphs, archives.

    Rows are written one by one, so that memory does not grow with the collection.

    \b
    pages, links               tables: csv, tsv, jsonl, parquet (needs graphlang[parquet]); pages also as a graph
    sites, hosts, domains,     the language map by host; one row a host or domain; the languages of the collection;
    languages                  hosts, domains and languages also as a graph
    gexf, graphml              graphs for Gephi, igraph and networkx; nodes have language, confidence and size
    texts                      jsonl, parquet, csv, tsv, or txt: texts alone
    cdxj                       index of the captures with their languages, for pywb
    warc-metadata, wet         WARC records that say the languages, and texts as in Common Crawl's WET
    vertices-edges             OUTPUT/vertices.txt.gz and OUTPUT/edges.txt.gz, as Common Crawl's web graphs
    web-languages              OUTPUT/CODE.md: the sites of each language, as Common Crawl's web-languages

    pages, links and cdxj have every capture, the others only text with status 200 (see --all). OUTPUT is replaced
    when everything is written, and never by an empty file.

    \b
    Examples:
      graphlang export crawl.db --what pages --format parquet -o pages.parquet
      graphlang export crawl.db --what hosts -o hosts.gexf
      graphlang export crawl.db --what wet --language swa -o swahili.wet.gz
    """
    format_ = _format(what, format_, output)
    if what in _OF_ALL:
        selection = selection.of_everything()
    refuse_inputs(output)
    with answered(db) as connection:
        if what in ("vertices-edges", "web-languages"):
            _folder(connection, what, by, selection, output)
            return
        if output.is_dir():
            raise click.BadParameter(f"{visible(str(output))} is a folder", param_hint="--output")
        if format_ in ("csv", "tsv", "jsonl"):
            table = _table(connection, what, selection)
            write_rows(table.columns, table.rows, format_=format_, output=output)
            return
        with replacing(output) as file:
            written = _writer(connection, db, what, format_, selection)(file)
            if not written:
                refuse_empty(output)


def _table(connection: sqlite3.Connection, what: str, selection: Selection) -> tables.Table:
    if what == "texts":
        from graphlang.export.texts import texts  # noqa: PLC0415 - each export imports what it needs

        return texts(connection, selection)
    made: Callable[..., tables.Table] = getattr(tables, what)
    return made(connection, selection)


def _writer(
    connection: sqlite3.Connection, db: Path, what: str, format_: str, selection: Selection
) -> Callable[[IO[bytes]], int]:
    """What writes the export to a file and returns how much it wrote."""
    if format_ in _GRAPHS:
        return functools.partial(_graph, connection, what, format_, selection)
    if format_ == "parquet":
        return functools.partial(_parquet, _table(connection, what, selection))
    if format_ == "txt":
        from graphlang.export.texts import write_txt  # noqa: PLC0415

        return functools.partial(write_txt, _table(connection, what, selection))
    if what == "cdxj":
        return functools.partial(_cdxj, connection, db, selection)
    from graphlang.export import warc_records  # noqa: PLC0415

    write = warc_records.write_wet if what == "wet" else warc_records.write_metadata
    return functools.partial(write, connection, selection)


def _parquet(table: tables.Table, file: IO[bytes]) -> int:
    from graphlang.export.parquet import MissingExtraError, write_parquet  # noqa: PLC0415

    try:
        return write_parquet(table, file)
    except MissingExtraError as error:
        raise Failure(str(error), USAGE) from error


def _graph(connection: sqlite3.Connection, what: str, format_: str, selection: Selection, file: IO[bytes]) -> int:
    from graphlang.export.graph_files import WEB, WRITERS  # noqa: PLC0415
    from graphlang.maps.web_graph import web_graph  # noqa: PLC0415

    if what == "languages":
        from graphlang.export.language_graph_files import write_language_graph  # noqa: PLC0415
        from graphlang.maps.language_graph import language_graph  # noqa: PLC0415

        return write_language_graph(language_graph(connection, selection), format_, file)
    graph = web_graph(connection, what.removesuffix("s"), selection)
    nodes = ((node.id, node.label, (node.language, node.confidence, node.size, node.share)) for node in graph.nodes)
    edges = ((edge.source, edge.target, (edge.weight,)) for edge in graph.edges)
    return WRITERS[format_](WEB, nodes, edges, file)


def _cdxj(connection: sqlite3.Connection, db: Path, selection: Selection, file: IO[bytes]) -> int:
    from graphlang.export.cdxj import write_cdxj  # noqa: PLC0415

    made = write_cdxj(connection, db, selection, file)
    for name in made.missing:
        say(f"{visible(name)} is not where it was: its records have no length in the index")
    if made.without_length and not made.missing:
        say(f"{made.without_length:,} records have no length in the index: it cannot be told")
    return made.lines


def _folder(connection: sqlite3.Connection, what: str, by: str, selection: Selection, output: Path) -> None:
    from graphlang.export import common_crawl  # noqa: PLC0415

    if output.exists() and not output.is_dir():
        raise click.BadParameter(f"{visible(str(output))} is a file; {what} writes a folder", param_hint="--output")
    output.mkdir(exist_ok=True)
    if what == "vertices-edges":
        vertices, edges = output / "vertices.txt.gz", output / "edges.txt.gz"
        with replacing(vertices) as one, replacing(edges) as other:
            if not common_crawl.vertices_and_edges(connection, by, selection, one, other):
                refuse_empty(vertices)
        return
    for language, page in common_crawl.site_lists(connection, selection):
        with replacing(output / f"{language}.md") as file:
            file.write(page.encode())
