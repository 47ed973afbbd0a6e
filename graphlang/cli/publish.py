"""Verbs that write for others: ``report``, ``serve``, ``texts`` and ``export``."""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
import threading
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from typing import TYPE_CHECKING, Any, Final

import click

from graphlang.cli.failures import UNFIT, USAGE, Failure
from graphlang.cli.shared import options
from graphlang.cli.shared.crawl import open_answered, open_crawl, say_outdated, say_unclassified
from graphlang.cli.shared.log import say
from graphlang.cli.shared.options import Finite, WholeNumber, is_on_command_line, selects_captures
from graphlang.cli.shared.output import (
    csv_safe,
    find_safe_setting,
    format_of_name,
    say_written,
    to_terminal,
    write_line,
    write_rows,
    write_text,
)
from graphlang.cli.shared.paths import refuse_before_work, refuse_inputs
from graphlang.export import to_file
from graphlang.export.tables import MissingExtraError, Table, write_parquet
from graphlang.export.texts import write_txt
from graphlang.files import open_packed, open_replacement, refuse_empty
from graphlang.printing import quantity, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from uvicorn import Server

    from graphlang.collection.page_filter import PageFilter

_ROWS: Final = ("jsonl", "csv", "tsv")  # a row a text


#: Where a verb writes its HTML.
html_file = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    required=True,
    help="HTML file to write; '-' is standard output.",
)


def _check_prefix(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return an address of http or https; a callback of --replay-prefix."""
    del ctx, param
    if value is not None and not value.startswith(("http://", "https://")):
        raise click.BadParameter(f"{value!r} does not begin with http:// or https://")
    return value


replay_prefix = click.option(
    "--replay-prefix",
    callback=_check_prefix,
    metavar="URL",
    help="Make URLs links to a replay tool: this address, followed by the URL (pywb: http://localhost:8080/NAME/).",
)


@click.command()
@options.database
@html_file
@click.option("--title", help="Title of the report; by default the database's name.")
@replay_prefix
def report(db: Path, output: Path, title: str | None, replay_prefix: str | None) -> None:
    """Write a report: one HTML file that needs no other.

    It loads nothing from the network. It shows the languages with the expected number of their pages, a world map
    by country-code domain, and the languages of sites and years. It also has links between languages, what the
    links changed, confidence by length, problems, and how it was made. Only text with status 200 counts.

    \b
    Examples:
      graphlang report crawl.db -o report.html
      graphlang report crawl.db -o report.html --replay-prefix http://localhost:8080/crawl/
    """
    if str(output) != "-":
        refuse_before_work(output)
    crawl = open_crawl(db)
    say_outdated(crawl, unfetched=False)
    options: dict[str, Any] = {"title": title, "replay_prefix": replay_prefix}
    if str(output) == "-":
        write_text(partial(crawl.report, **options))
    else:
        crawl.report(output, **options)
        write_line(f"report: {visible(str(output))}")


@click.command()
@options.database
@click.option("--port", type=click.IntRange(1, 65535), default=8001, show_default=True, help="Port on 127.0.0.1.")
@click.option("--search/--no-search", default=True, show_default=True, help="Make a full-text index first.")
def serve(db: Path, port: int, *, search: bool) -> None:
    """Browse DB with Datasette, read-only, on this machine.

    Needs graphlang[serve]. It shows facets, the meaning of each column, why a page has its language, and full-text
    search by trigrams. Prepared queries list pages that the graph changed, doubtful sites, unfetched URLs in a
    language, links between two languages, and pages that declare another language. Lists of 10,000 pages or more
    show a facet when you ask for it (in the menu of a column). The search index is a temporary file: the database
    is never changed.

    \b
    Example:
      graphlang serve crawl.db --port 8080
    """
    from graphlang.serve.site import make_datasette, make_index  # noqa: PLC0415

    with _open_port(port) as listener, tempfile.TemporaryDirectory(prefix="graphlang-") as folder:
        open_answered(db)
        search_index = Path(folder) / "search.db" if search else None
        try:
            site = make_datasette(db, None)
            if search_index is not None:
                pages = make_index(db, search_index)
                say(f"{quantity(pages, 'page')} can be searched")
                site = make_datasette(db, search_index)
        except ImportError as error:
            raise click.UsageError(str(error)) from error
        import uvicorn  # noqa: PLC0415 - comes with Datasette

        write_line(f"http://127.0.0.1:{port}/ (stop it with Ctrl-C)")
        server = uvicorn.Server(uvicorn.Config(site.app(), log_level="warning", lifespan="on"))
        with suppress(KeyboardInterrupt), _stopped_by_hangup(server):  # it ends in good order, and raises Ctrl-C again
            server.run(sockets=[listener])
        if not server.started:  # the server has printed why
            sys.exit(UNFIT)


@contextmanager
def _stopped_by_hangup(server: Server) -> Iterator[None]:
    """Let a server end in good order when its terminal is closed: it handles only Ctrl-C and SIGTERM."""
    before = signal.getsignal(signal.SIGHUP)
    if before is signal.SIG_IGN or threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def handle(number: int, _: FrameType | None) -> None:
        received.append(number)
        server.should_exit = True

    signal.signal(signal.SIGHUP, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGHUP, before)
    for number in received[:1]:
        signal.raise_signal(number)


def _open_port(port: int) -> socket.socket:
    """Open the port, before the index is made: it may belong to another program."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise click.BadParameter(f"{port}: {os.strerror(error.errno or 0)}", param_hint="--port") from error


_unique = click.option(
    "--unique", is_flag=True, help="Leave out texts whose main content an earlier page in the language has."
)
_near = click.option(
    "--near",
    type=Finite(0, 1),
    metavar="SHARE",
    help="Leave out near duplicates: texts that share this part (such as 0.8) of their runs of five words with an "
    "earlier text in the language. Needs graphlang[near].",
)
_quality = click.option("--quality", is_flag=True, help="Add the columns letters, repeated, filler and stopwords.")


@click.command()
@options.database
@click.option(
    "--format",
    "format_",
    type=click.Choice([*_ROWS, "txt", "parquet"]),
    default="jsonl",
    show_default=True,
    help="txt has only texts: a paragraph a line, an empty line after each page.",
)
@click.option("--main", is_flag=True, help="Write only the main content, without navigation and the like.")
@click.option(
    "-o",
    "--output",
    type=click.Path(allow_dash=True),
    default="-",
    callback=format_of_name,
    show_default=True,
    help="File to write to, in the format of its name; compressed if that ends in .gz or .zst. With {language} in the "
    "name, or a folder, each language gets a file. '-' is standard output.",
)
@_unique
@_near
@_quality
@click.option("--paragraphs", is_flag=True, help="Write a row for each paragraph, with its own language.")
@click.option("--limit", type=WholeNumber(0), help="At most this many texts.")
@csv_safe
@selects_captures
def texts(
    db: Path,
    format_: str,
    output: str,
    limit: int | None,
    captures: str,
    at: str | None,
    pages: PageFilter,
    *,
    paragraphs: bool,
    **settings: Any,
) -> None:
    """Write the texts of pages with language, URL and date.

    Each text has its source, confidence and method. "main" is the main content, "text" all visible text, menus
    last; a line feed ends a line or paragraph. "cut" is 1 if the page had more text than was kept ('graphlang
    ingest --text-limit'). Pages below --min-confidence count as und. "language" is the answer of the chosen run,
    "by_text" that of the text alone; "languages" and "shares" are for pages in several.

    --quality adds four signals; they leave no text out. "letters" is the share of letters, "repeated" that of
    characters in lines that came before, and "filler" is 1 for Lorem ipsum. "stopwords" is the share of stop words,
    where a list of the language is installed (graphlang[quality]). --near compares a text with the last 500,000 in
    its language and takes 2 KB of memory for each.

    Of a page with several captures the main one counts; see --captures and --at. For another capture "language" is
    the answer of the run of its time ('graphlang propagate --each year'), else that of its text.

    \b
    Examples:
      graphlang texts crawl.db --language swa,oci --min-confidence 0.8 -o texts.jsonl
      graphlang texts crawl.db --language sr-Latn --format txt --main
      graphlang texts crawl.db --unique --min-confidence 0.8 -o 'corpus/{language}.jsonl.zst'
      graphlang texts crawl.db --captures all --language dan -o danish.jsonl
    """
    options.refuse_value_errors("--output", to_file.check_braces, Path(output))
    crawl = open_crawl(db)
    say_unclassified(crawl)
    say_outdated(crawl, unfetched=False)
    notes: list[str] = []
    target = Path(output)
    if output.endswith("/") or target.is_dir():
        target /= f"{to_file.LANGUAGE}.{format_}"
    settings |= {"captures": captures, "at": at, **pages}
    if paragraphs and format_ == "txt":
        raise click.UsageError("txt has no languages of paragraphs: use jsonl, csv, tsv or parquet")
    if to_file.LANGUAGE not in target.name:
        rows = crawl.texts(paragraphs=paragraphs, limit=limit, notes=notes.append, **settings)
        _write_texts(Table(rows.columns, rows.tuples()), format_, output)
    elif limit is not None:
        raise click.UsageError("--limit is for one file, and not for a file for each language")
    else:
        refuse_inputs(target)
        notes = _export(
            db, "texts", {**settings, "paragraphs": paragraphs}, target, format_, partial(say_written, output=target)
        )
    for note in notes:
        say(visible(note))


def _write_texts(table: Table, format_: str, output: str) -> None:
    try:
        if format_ in _ROWS:
            write_rows(table.columns, table.rows, format_=format_, output=output)
        elif output != "-":
            _write_texts_to(Path(output), table, format_)
        elif format_ == "parquet":
            raise click.UsageError("Parquet goes to a file: name one with -o")
        else:
            write_text(partial(write_txt, table))
    except MissingExtraError as error:
        raise Failure(str(error), USAGE) from error


def _write_texts_to(target: Path, table: Table, format_: str) -> None:
    refuse_inputs(target)
    write = write_parquet if format_ == "parquet" else write_txt
    with open_packed(target) if format_ == "txt" else open_replacement(target) as file:
        written = write(table, file)
        if not written:
            refuse_empty(target)
    say_written(written, target)


@click.command()
@options.database
@click.option("--what", type=click.Choice(list(to_file.WHAT)), required=True, help="What to export, see above.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(to_file.FORMATS),
    help="By default that of the file name, else the first possible one.",
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
@click.option("--main", is_flag=True, help="For texts and wet: only the main content, without navigation and the like.")
@_unique
@_near
@_quality
@csv_safe
@selects_captures
def export(db: Path, what: str, output: Path, pages: PageFilter, **settings: Any) -> None:
    """Write files for other programs: tables, graphs, archives.

    Rows are written one by one, so that memory does not grow with the collection.

    \b
    pages, links               tables: csv, tsv, jsonl, parquet (needs graphlang[parquet]); pages also as a graph
    sites, hosts, domains,     the language map by host; one row a host or domain; the languages of the collection;
    languages                  hosts, domains and languages also as a graph
    gexf, graphml              graphs for Gephi, igraph and networkx; nodes have language, confidence and size
    texts                      jsonl, parquet, csv, tsv, or txt: texts alone; the main content and the whole, or --main
    translations               tables: pairs of pages that are probably translations of each other, by hreflang and URLs
    cdxj                       index of the captures with their languages, for pywb
    warc-metadata, wet         WARC records with the languages, and texts as in Common Crawl's WET: gzip, unless the
                               file's name ends in .warc or .wet
    vertices-edges             OUTPUT/vertices.txt.gz and OUTPUT/edges.txt.gz, as Common Crawl's web graphs
    web-languages              OUTPUT/CODE.md: the sites of each language, as Common Crawl's web-languages
    share                      a copy of the database without texts, titles, words of links, and names of those who
                               corrected pages, to give away

    links and cdxj have captures of all kinds, the others only text with status 200 (see --all). A page with several
    captures has the main one. --captures and --at choose others, for pages (as a table), texts, cdxj, warc-metadata
    and wet.

    Lines are compressed if the name of OUTPUT ends in .gz or .zst. If it contains {language}, texts get a file for
    each language. OUTPUT is replaced when everything is written, and never by an empty file.

    \b
    Examples:
      graphlang export crawl.db --what pages --format parquet -o pages.parquet
      graphlang export crawl.db --what hosts -o hosts.gexf
      graphlang export crawl.db --what wet --language swa -o swahili.wet.gz
      graphlang export crawl.db --what cdxj --captures all -o index.cdxj
      graphlang export crawl.db --what share -o share.db
    """
    format_ = settings.pop("format_")
    for name, meant in (("by", ("vertices-edges",)), ("main", to_file.OF_TEXTS), *_OF_TEXTS):
        if what not in meant and is_on_command_line(name):
            raise click.UsageError(f"--{name} is not supported by {what}; it is for {' and '.join(meant)}")
    if what == "texts" and output.is_dir():
        output /= f"{to_file.LANGUAGE}.{format_ or 'jsonl'}"
    options.refuse_value_errors("--format", to_file.choose_format, what, format_, output)
    options.refuse_value_errors("--output", to_file.check_target, what, output)
    write = partial(_export, db, what, {**settings, **pages})
    if str(output) == "-":
        notes = _to_standard_output(write, what, format_)
    else:
        refuse_inputs(output)
        notes = write(output, format_, on_written=partial(say_written, output=output, unit=_UNIT_OF.get(what, "row")))
    for note in notes:
        say(visible(note))


#: Options of one kind of export.
_OF_TEXTS: Final = (("unique", to_file.OF_TEXTS), ("near", to_file.OF_TEXTS), ("quality", ("texts",)))
#: What an export consists of; the others have rows.
_UNIT_OF: Final = {
    "pages": "page",
    "links": "link",
    "share": "page",
    "hosts": "host",
    "domains": "domain",
    "languages": "language",
    "texts": "text",
    "translations": "pair",
    "cdxj": "capture",
    "warc-metadata": "record",
    "wet": "record",
    "vertices-edges": "node",
    "web-languages": "language",
}


def _export(
    db: Path,
    what: str,
    settings: Any,
    output: Path,
    format_: str | None,
    on_written: Callable[[int], object] | None = None,
) -> list[str]:
    crawl = open_answered(db)
    say_unclassified(crawl)
    settings |= {"csv_safe": find_safe_setting(), "on_written": on_written}
    try:
        return crawl.export(output, what, format=format_, **settings)
    except MissingExtraError as error:
        raise Failure(str(error), USAGE) from error
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _to_standard_output(write: Callable[..., list[str]], what: str, format_: str | None) -> list[str]:
    """Write the export to a temporary file, and that to standard output: a file is written whole or not at all."""
    chosen = to_file.choose_format(what, format_, Path("-"))
    if what in to_file.FOLDERS:
        raise click.UsageError(f"{what} writes a folder: name one with -o")
    if chosen == "parquet" or (chosen in {"warc", "wet"} and to_terminal()):
        raise click.UsageError(f"{chosen} goes to a file: name one with -o")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / what
        notes = write(path, chosen)
        with path.open("rb") as file:
            write_text(partial(copyfileobj, file))
    return notes
