"""``language-graph``: links between languages."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.files.targets import refuse_inputs
from graphlang.cli.shared.selection import selects
from graphlang.cli.shared.tables.output import csv_safe, write_rows, write_text
from graphlang.export.language_graph_files import write_language_graph
from graphlang.maps.language_graph import Distance, Language, Pair, distances
from graphlang.maps.language_graph import language_graph as graph_of
from graphlang.maps.site_graph import SiteLinks, site_links_of
from graphlang.whole_file import refuse_empty, replacing

if TYPE_CHECKING:
    from graphlang.maps.selection import Selection


@click.command("language-graph")
@options.database
@click.option(
    "--format",
    "format_",
    type=click.Choice(["table", "csv", "json", "gexf", "graphml"]),
    default="table",
    show_default=True,
    help="json has all at once; gexf and graphml are for Gephi, igraph and networkx.",
)
@click.option(
    "--what",
    type=click.Choice(["links", "languages", "distances", "sites"]),
    default="links",
    show_default=True,
    help="Rows of table and csv: pairs of languages, languages, distances, or sites.",
)
@click.option(
    "--by",
    type=click.Choice(["domain", "host"]),
    default="domain",
    show_default=True,
    help="What a site is: only links between different ones count.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    default="-",
    show_default=True,
    help="File to write to; '-' is standard output.",
)
@csv_safe
@selects
def language_graph(db: Path, format_: str, what: str, by: str, output: Path, selection: Selection) -> None:
    """Count links between languages (Caminero and Mikami 2006).

    Links are those between sites.

    links: from which language to which, with the share of the first one's links. distances: steps from language to
    language along outgoing links. languages: introversion is the share of links that stay in the language,
    extroversion the rest; betweenness is high for intermediaries, over which the shortest ways between others lead;
    components are the strongly connected ones of its pages, with the diameter of the largest (of more than 2,000 pages
    a lower bound).
    sites: the same of sites, each with its commonest language.

    \b
    Examples:
      graphlang language-graph crawl.db
      graphlang language-graph crawl.db --what languages --format csv -o languages.csv
      graphlang language-graph crawl.db --format gexf -o languages.gexf
    """
    with answered(db) as connection:
        if format_ in ("table", "csv"):
            if what == "sites":
                rows = site_links_of(connection, selection, unit=by)
                write_rows(SiteLinks._fields, rows, format_=format_, output=output)
                return
            found = graph_of(connection, selection, unit=by, components=what == "languages")
            if what == "links":
                write_rows(Pair._fields, found.pairs, format_=format_, output=output)
            elif what == "distances":
                write_rows(Distance._fields, distances(found), format_=format_, output=output)
            else:
                write_rows(Language._fields, found.languages, format_=format_, output=output)
            return
        found = graph_of(connection, selection, unit=by)
    if str(output) == "-":
        write_text(partial(write_language_graph, found, format_))
        return
    refuse_inputs(output)
    with replacing(output) as file:
        if not write_language_graph(found, format_, file):
            refuse_empty(output)
