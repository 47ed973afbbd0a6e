"""``export``: what other programs read."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from graphlang.cli.failures import USAGE, Failure
from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.files.targets import refuse_inputs
from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.selection import selects_captures
from graphlang.cli.shared.tables.output import csv_safe, safe_asked, to_terminal, write_text
from graphlang.db import snapshot
from graphlang.export import to_file
from graphlang.export.parquet import MissingExtraError
from graphlang.export.to_file import FORMATS, WHAT
from graphlang.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.maps.selection import Selection


@click.command()
@click.pass_context
@options.database
@click.option("--what", type=click.Choice(list(WHAT)), required=True, help="What to export, see above.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
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
    help="File to write to ('-' is standard output); a folder for vertices-edges and web-languages.",
)
@click.option("--main", is_flag=True, help="Of texts and wet the main content alone, without navigation and the like.")
@csv_safe
@selects_captures
def export(
    ctx: click.Context,
    db: Path,
    what: str,
    format_: str | None,
    by: str,
    output: Path,
    selection: Selection,
    at: str | None,
    *,
    main: bool,
) -> None:
    """Write what other programs read: tables, graphs, archives.

    Rows are written one by one, so that memory does not grow with the collection.

    \b
    pages, links               tables: csv, tsv, jsonl, parquet (needs graphlang[parquet]); pages also as a graph
    sites, hosts, domains,     the language map by host; one row a host or domain; the languages of the collection;
    languages                  hosts, domains and languages also as a graph
    gexf, graphml              graphs for Gephi, igraph and networkx; nodes have language, confidence and size
    texts                      jsonl, parquet, csv, tsv, or txt: texts alone; the main content and the whole, or --main
    cdxj                       index of the captures with their languages, for pywb
    warc-metadata, wet         WARC records that say the languages, and texts as in Common Crawl's WET: gzip, unless
                               the file's name ends in .warc or .wet
    vertices-edges             OUTPUT/vertices.txt.gz and OUTPUT/edges.txt.gz, as Common Crawl's web graphs
    web-languages              OUTPUT/CODE.md: the sites of each language, as Common Crawl's web-languages

    pages, links and cdxj have captures of all kinds, the others only text with status 200 (see --all). Of a page with
    several captures its own one counts, unless --captures or --at say otherwise: for pages (as a table), texts, cdxj,
    warc-metadata and wet. OUTPUT is replaced when everything is written, and never by an empty file.

    \b
    Examples:
      graphlang export crawl.db --what pages --format parquet -o pages.parquet
      graphlang export crawl.db --what hosts -o hosts.gexf
      graphlang export crawl.db --what wet --language swa -o swahili.wet.gz
      graphlang export crawl.db --what cdxj --captures all -o index.cdxj
    """
    for name, meant in (("by", ("vertices-edges",)), ("main", to_file.OF_TEXTS)):
        if what not in meant and ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name} is for {' and '.join(meant)}, and means nothing to {what}")
    try:
        to_file.format_of(what, format_, output)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--format") from error
    try:
        to_file.check_target(what, output)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="--output") from error
    write = partial(_export, db, what, at=at, by=by, selection=selection, main=main)
    if str(output) == "-":
        told = _to_standard_output(write, what, format_)
    else:
        refuse_inputs(output)
        told = write(output, format_)
    for sentence in told:
        say(visible(sentence))


def _export(
    db: Path, what: str, output: Path, format_: str | None, *, at: str | None, by: str, selection: Selection, main: bool
) -> list[str]:
    """Write the export; returns what there is to say of it."""
    with answered(db) as connection, snapshot.at(connection, at):
        try:
            return to_file.export(
                *(connection, what, output),
                database=db,
                format_=format_,
                by=by,
                selection=selection,
                safe=safe_asked(),
                main=main,
            )
        except MissingExtraError as error:
            raise Failure(str(error), USAGE) from error
        except ValueError as error:
            raise click.UsageError(str(error)) from error


def _to_standard_output(write: Callable[[Path, str | None], list[str]], what: str, format_: str | None) -> list[str]:
    """Write the export to a file beside, and that to standard output: a file is written whole or not at all."""
    form = to_file.format_of(what, format_, Path("-"))
    if what in to_file.FOLDERS:
        raise click.UsageError(f"{what} writes a folder: name one with -o")
    if form == "parquet" or (form in {"warc", "wet"} and to_terminal()):
        raise click.UsageError(f"{form} goes to a file: name one with -o")
    with TemporaryDirectory() as folder:
        part = Path(folder) / what
        told = write(part, form)
        with part.open("rb") as file:
            write_text(partial(copyfileobj, file))
    return told
