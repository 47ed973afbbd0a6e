"""``language-graph``: links between languages, and between sites."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.crawl import open_answered, say_unclassified
from graphlang.cli.shared.log import say
from graphlang.cli.shared.options import selects
from graphlang.cli.shared.output import csv_safe, format_of_name, wide_option, write_rows, write_text
from graphlang.cli.shared.paths import refuse_inputs
from graphlang.export.graph_files import write_language_graph, write_site_graph
from graphlang.files import open_replacement, refuse_empty
from graphlang.maps.language_graph import Distance, Language, Pair, list_distances
from graphlang.maps.site_graph import NEAR, SiteDistance, SiteLinks, SitePair, list_site_distances, list_site_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graphlang.collection.page_filter import PageFilter
    from graphlang.maps.language_graph import LanguageGraph
    from graphlang.maps.site_graph import SiteGraph

    _Rows = Iterable[tuple[Any, ...]]

#: Columns in the order of their importance, where the terminal has no room for all.
_FIRST: Final = ("site", "source", "language", "target", "links", "share", "pages", "introversion", "betweenness")
_LISTED: Final = ("table", "csv")
#: Rows by ``--what``: their columns, and what makes them of a graph.
_OF_LANGUAGES: Final[Mapping[str, tuple[Sequence[str], Callable[[LanguageGraph], _Rows]]]] = {
    "links": (Pair._fields, lambda graph: graph.pairs),
    "languages": (Language._fields, lambda graph: graph.languages),
    "distances": (Distance._fields, list_distances),
}
_OF_SITES: Final[Mapping[str, tuple[Sequence[str], Callable[[SiteGraph], _Rows]]]] = {
    "sites": (SiteLinks._fields, lambda graph: graph.sites),
    "site-links": (SitePair._fields, list_site_pairs),
    "site-distances": (SiteDistance._fields, list_site_distances),
}
_OPTIONS: Final = (
    click.option(
        "--format",
        "format_",
        type=click.Choice(["table", "csv", "json", "gexf", "graphml"]),
        default="table",
        show_default=True,
        help="json has everything at once; gexf and graphml are for Gephi, igraph and networkx.",
    ),
    click.option(
        "--what",
        type=click.Choice([*_OF_LANGUAGES, *_OF_SITES]),
        default="links",
        show_default=True,
        help="Rows of table and csv: pairs of languages, languages, or distances; or the same for sites. json, "
        "gexf and graphml have languages, or sites if you choose one of these.",
    ),
    click.option(
        "--by",
        type=click.Choice(["domain", "host"]),
        default="domain",
        show_default=True,
        help="Unit of a site: only links between different sites count.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
        default="-",
        callback=format_of_name,
        show_default=True,
        help="File to write to, in the format of its name; '-' is standard output.",
    ),
    csv_safe,
    wide_option,
)
#: Options of the verbs that count links.
graph_options = partial(options.apply, _OPTIONS)


class LanguageGraphOutput(NamedTuple):
    """The rows that `language-graph` writes."""

    columns: Sequence[str]
    rows: _Rows
    write: Callable[[IO[bytes]], int]  #: all at once


def answer(
    languages: Callable[..., LanguageGraph], sites: Callable[..., SiteGraph], *, format_: str, what: str, by: str
) -> LanguageGraphOutput:
    """Count links by one of two functions of the unit and of what to measure, and choose the rows to write."""
    listed = format_ in _LISTED
    if what in _OF_SITES:
        site_graph = sites(by=by, measures=what == "sites" or not listed)
        columns, rows_of_sites = _OF_SITES[what]
        _say_bounds(site_graph, distances=what == "site-distances" if listed else format_ == "json")
        return LanguageGraphOutput(columns, rows_of_sites(site_graph), partial(write_site_graph, site_graph, format_))
    graph = languages(by=by, components=what == "languages" or not listed)
    if not graph.pairs:
        say(f"no link leads from one {by} to another; those within a {by} do not count")
    columns, rows_of_languages = _OF_LANGUAGES[what]
    return LanguageGraphOutput(columns, rows_of_languages(graph), partial(write_language_graph, graph, format_))


def write_answer(result: LanguageGraphOutput, format_: str, output: Path) -> None:
    """Write rows, or a graph; never over a file that the verb reads, and never an empty file over another."""
    if format_ in _LISTED:
        write_rows(result.columns, result.rows, format_=format_, output=output, first=_FIRST)
    elif str(output) == "-":
        write_text(result.write)
    else:
        refuse_inputs(output)
        with open_replacement(output) as file:
            if not result.write(file):
                refuse_empty(output)


@click.command("language-graph")
@options.database
@graph_options
@selects
def language_graph(db: Path, format_: str, what: str, by: str, output: Path, pages: PageFilter) -> None:
    """Count links between languages, or between sites.

    Only links between sites count (Caminero and Mikami 2006). By default they include links to unfetched URLs,
    whose languages are inferred from links and URLs. With --fetched only links between fetched pages count, as in
    the report.

    --what links lists pairs of languages, with the share of the links of the first one. --what distances lists the
    steps from language to language along outgoing links.

    --what languages measures each language. Introversion is the share of its links that stay in it, extroversion
    the remainder. Betweenness is high for intermediaries on the shortest paths between others. Components are the
    strongly connected ones of its pages, with the diameter of the largest (above 2,000 pages a lower bound).

    --what sites, site-links and site-distances are the same for sites, each with its commonest language. Distances
    are between the 1,000 sites with the most pages, and diameters are lower bounds above 256 pages. Betweenness is
    an estimate if there are too many sites to follow all paths; a line on standard error marks it.

    \b
    Examples:
      graphlang language-graph crawl.db
      graphlang language-graph crawl.db --what languages --format csv -o languages.csv
      graphlang language-graph crawl.db --what sites --by host --fetched
      graphlang language-graph crawl.db --format gexf -o languages.gexf
      graphlang language-graph crawl.db --what sites --format graphml -o sites.graphml
    """
    crawl = open_answered(db)
    say_unclassified(crawl)
    languages, sites = partial(crawl.links_of_languages, **pages), partial(crawl.links_of_sites, **pages)
    write_answer(answer(languages, sites, format_=format_, what=what, by=by), format_, output)


def _say_bounds(graph: SiteGraph, *, distances: bool) -> None:
    """Print which figures do not cover all sites."""
    count = len(graph.sites)
    if graph.followed < count:
        say(f"betweenness is an estimate from the paths of {graph.followed:,} of {count:,} sites")
    if distances and count > NEAR:
        say(f"distances are those between the {NEAR:,} of {count:,} sites with the most pages")
