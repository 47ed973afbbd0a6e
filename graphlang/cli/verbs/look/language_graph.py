"""``language-graph``: links between languages, and between sites."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.files.targets import refuse_inputs
from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.selection import selects
from graphlang.cli.shared.tables.output import csv_safe, format_of_name, wide, write_rows, write_text
from graphlang.export.language_graph_files import write_language_graph, write_site_graph
from graphlang.maps.graphs.language_graph import Distance, Language, Pair, distances
from graphlang.maps.graphs.language_graph import language_graph as graph_of
from graphlang.maps.graphs.site_graph import (
    NEAR,
    SiteDistance,
    SiteGraph,
    SiteLinks,
    SitePair,
    site_distances,
    site_graph,
    site_pairs,
)
from graphlang.whole_file import refuse_empty, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graphlang.maps.graphs.language_graph import LanguageGraph
    from graphlang.maps.selection import Selection

#: Columns in the order of their importance, where the terminal has no room for all.
_FIRST: Final = ("site", "source", "language", "target", "links", "share", "pages", "introversion", "betweenness")
_LISTED: Final = ("table", "csv")
#: What rows there are, by ``--what``: their columns, and what makes them of a graph.
_OF_LANGUAGES: Final[Mapping[str, tuple[Sequence[str], Callable[[LanguageGraph], Iterable[tuple[Any, ...]]]]]] = {
    "links": (Pair._fields, lambda found: found.pairs),
    "languages": (Language._fields, lambda found: found.languages),
    "distances": (Distance._fields, distances),
}
_OF_SITES: Final[Mapping[str, tuple[Sequence[str], Callable[[SiteGraph], Iterable[tuple[Any, ...]]]]]] = {
    "sites": (SiteLinks._fields, lambda found: found.sites),
    "site-links": (SitePair._fields, site_pairs),
    "site-distances": (SiteDistance._fields, site_distances),
}


_OPTIONS: Final = (
    click.option(
        "--format",
        "format_",
        type=click.Choice(["table", "csv", "json", "gexf", "graphml"]),
        default="table",
        show_default=True,
        help="json has all at once; gexf and graphml are for Gephi, igraph and networkx.",
    ),
    click.option(
        "--what",
        type=click.Choice([*_OF_LANGUAGES, *_OF_SITES]),
        default="links",
        show_default=True,
        help="Rows of table and csv: pairs of languages, languages, distances; or the same of sites. json, gexf and"
        " graphml have languages, or sites where one of theirs is named.",
    ),
    click.option(
        "--by",
        type=click.Choice(["domain", "host"]),
        default="domain",
        show_default=True,
        help="What a site is: only links between different ones count.",
    ),
    click.option(
        "--fetched",
        is_flag=True,
        help="Only pages that were read, as in the report; without, URLs only linked to count.",
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
    wide,
)


def graph_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options of the verbs that count links; what they say is for `asked` and `put`."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


class Answer(NamedTuple):
    """What was asked for, to be written."""

    columns: Sequence[str]
    rows: Iterable[tuple[Any, ...]]
    write: Callable[[IO[bytes]], int]  #: all at once


def asked(connection: Any, selection: Selection, *, format_: str, what: str, by: str, fetched: bool) -> Answer:
    """Count the links of a collection.

    Args:
        connection: a collection, or the tables of one.
        selection: which pages count.
        format_: as `graph_options` gives it.
        what: as `graph_options` gives it.
        by: as `graph_options` gives it.
        fetched: as `graph_options` gives it.
    """
    if fetched:
        selection = replace(selection, fetched=True)
    listed = format_ in _LISTED
    if what in _OF_SITES:
        sites = site_graph(connection, selection, unit=by, measures=what == "sites" or not listed)
        columns, of_sites = _OF_SITES[what]
        _say_bounds(sites, distances=what == "site-distances" if listed else format_ == "json")
        return Answer(columns, of_sites(sites), partial(write_site_graph, sites, format_))
    found = graph_of(connection, selection, unit=by, components=what == "languages" or not listed)
    if not found.pairs:
        say(f"no link leads from one {by} to another; those within a {by} do not count")
    columns, of_languages = _OF_LANGUAGES[what]
    return Answer(columns, of_languages(found), partial(write_language_graph, found, format_))


def put(answer: Answer, format_: str, output: Path) -> None:
    """Write what was asked for.

    Args:
        answer: of `asked`.
        format_: as `graph_options` gives it.
        output: as `graph_options` gives it.

    Raises:
        OutputError: it is a file that the verb reads; or it exists, and there is nothing to write.
    """
    if format_ in _LISTED:
        write_rows(answer.columns, answer.rows, format_=format_, output=output, first=_FIRST)
    elif str(output) == "-":
        write_text(answer.write)
    else:
        refuse_inputs(output)
        with replacing(output) as file:
            if not answer.write(file):
                refuse_empty(output)


@click.command("language-graph")
@options.database
@graph_options
@selects
def language_graph(
    db: Path, format_: str, what: str, by: str, fetched: bool, output: Path, selection: Selection
) -> None:
    """Count links between languages, or between sites.

    Links are those between sites (Caminero and Mikami 2006). They, and pages, include URLs that were only linked to,
    whose languages are guesses from links and addresses; with --fetched they are those between pages that were read,
    as in the report.

    links: from which language to which, with the share of the first one's links. distances: steps from language to
    language along outgoing links. languages: introversion is the share of links that stay in the language,
    extroversion the rest; betweenness is high for intermediaries, over which the shortest ways between others lead;
    components are the strongly connected ones of its pages, with the diameter of the largest (of more than 2,000 pages
    a lower bound).

    sites, site-links, site-distances: the same of sites, each with its commonest language. Distances are those between
    the 1,000 sites with the most pages, diameters are lower bounds above 256 pages, and betweenness is an estimate
    where there are too many sites to follow the ways from all: standard error says so.

    \b
    Examples:
      graphlang language-graph crawl.db
      graphlang language-graph crawl.db --what languages --format csv -o languages.csv
      graphlang language-graph crawl.db --what sites --by host --fetched
      graphlang language-graph crawl.db --format gexf -o languages.gexf
      graphlang language-graph crawl.db --what sites --format graphml -o sites.graphml
    """
    with answered(db) as connection:
        answer = asked(connection, selection, format_=format_, what=what, by=by, fetched=fetched)
    put(answer, format_, output)


def _say_bounds(found: SiteGraph, *, distances: bool) -> None:
    """Say what of the graph is not of all its sites."""
    count = len(found.sites)
    if found.followed < count:
        say(f"betweenness is an estimate from the ways of {found.followed:,} of {count:,} sites")
    if distances and count > NEAR:
        say(f"distances are those between the {NEAR:,} of {count:,} sites with the most pages")
