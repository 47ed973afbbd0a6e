"""Verbs that list pages and their languages: ``pages``, ``sites``, ``languages``, ``explain`` and ``frontier``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.crawl import open_answered, open_crawl, say_outdated, say_unanswered, say_unclassified
from graphlang.cli.shared.options import WholeNumber, is_on_command_line, selects
from graphlang.cli.shared.output import RowOptions, output_options, write_json, write_lines, write_list, write_rows
from graphlang.cli.shared.paths import parse_named_host
from graphlang.cli.shared.progress import bars
from graphlang.collection.page_filter import make_selection
from graphlang.maps.pages import ORDERS
from graphlang.maps.sites import SHORT, SURE, UNITS

if TYPE_CHECKING:
    from graphlang.collection.page_filter import PageFilter

#: What a narrow terminal shows first.
_FIRST = ("url", "language", "confidence", "runner_up", "length", "script", "fetched", "status", "languages", "shares")


@click.command()
@options.database
@click.option("--host", help="Only pages of this host.")
@click.option("--declared-unlike", is_flag=True, help="Only pages that declare another language than the answer.")
@click.option(
    "--sort",
    type=click.Choice(tuple(ORDERS)),
    default="found",
    show_default=True,
    help="Order: as read; least certain first; shortest first; by URL.",
)
@selects
@output_options
def pages(
    db: Path,
    host: str | None,
    format_: str,
    limit: int | None,
    output: str,
    pages: PageFilter,
    **order: Any,
) -> None:
    """List pages and their languages, by the chosen run.

    Only fetched text with status 200 counts, as in 'sites', 'texts' and 'export' (see --all). Unfetched URLs
    (--unfetched) get their languages when they are listed for the first time, row by row, or before the first row if
    the list is sorted. An answer below --min-confidence is und, and "guess" has it.

    "languages" has the languages of a page in several, up to three by rank, and "shares" the share of letters in
    each.

    \b
    Examples:
      graphlang pages crawl.db --language sw --format csv -o swahili.csv
      graphlang pages crawl.db --language swa --language amh --limit 20
      graphlang pages crawl.db --sort confidence --limit 20
      graphlang pages crawl.db --declared-unlike
      graphlang pages crawl.db --unfetched --language swa
    """
    site = None if host is None else parse_named_host(host)
    crawl = open_crawl(db)
    fetched = pages.get("fetched") is not False and not pages.get("everything")
    say_unclassified(crawl)
    say_outdated(crawl, unfetched=not fetched)
    with bars(beside_rows=output == "-") as progress:
        rows = crawl.pages(host=site, progress=progress, **order, **pages)
        write_rows(rows.columns, rows.tuples(), format_=format_, limit=limit, output=output, first=_FIRST)


def units(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Return the units of a language map, without blanks; a callback of --by."""
    del ctx, param
    names = [name.strip() for name in value.split(",")]
    if set(names) - set(UNITS) or len(set(names)) < len(names):
        raise click.BadParameter(f"{value!r}: name one or several of {', '.join(UNITS)}, each once")
    return ",".join(names)


#: What counts as one site.
by_units = click.option(
    "--by",
    callback=units,
    default="host",
    show_default=True,
    metavar="UNITS",
    help=f"Unit of a site: {', '.join(UNITS)}; or several, separated by commas.",
)


@click.command(
    help=f"""The language map: pages by site and language.

    Only text with status 200 counts (see --all). Shares are of the fetched pages of a site, or of its unfetched URLs if
    it has no fetched page. "short" are pages with fewer than {SHORT} letters; "resolved" are short pages whose text is
    doubtful (confidence below {SURE}) while the answer of the chosen run is not. With several units each has a column.
    By year only fetched pages count. Each page counts once a year: its main capture if it is from that year, else the
    newest with an answer ('graphlang propagate DB --each year'). A country is that of the top-level domain. "expected",
    "low" and "high" are as in 'graphlang languages --help'.

    \b
    Examples:
      graphlang sites crawl.db
      graphlang sites crawl.db --by country --format csv -o countries.csv
      graphlang sites crawl.db --by domain,year --language zh-TW,sr-Latn
    """
)
@options.database
@by_units
@click.option("--scripts", is_flag=True, help="Count the scripts of a language separately.")
@selects
@output_options
def sites(db: Path, by: str, pages: PageFilter, *, scripts: bool, **target: Unpack[RowOptions]) -> None:
    """List pages by site and language."""
    crawl = open_answered(db)
    if "year" in by.split(","):
        say_unanswered(crawl.unanswered())
    rows = crawl.sites(by, scripts=scripts, **pages)
    write_list(rows, **target)


@click.command()
@click.argument("db", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--known", "all_known", is_flag=True, help="List the languages that the method knows; needs no DB.")
@click.option("--method", default="nfc", show_default=True, help="With --known: a method, or a model file.")
@click.option(
    "--by",
    type=click.Choice(["year"]),
    help="The languages of each calendar year: a page counts once for each year in which a capture has an answer.",
)
@selects
@options.plugins
@output_options
def languages(
    db: Path | None, method: str, by: str | None, pages: PageFilter, *, all_known: bool, **target: Unpack[RowOptions]
) -> None:
    """List the languages of DB: pages, sites, scripts, encodings.

    "expected" is the expected number of pages in the language: the sum of p over all pages. p is the probability
    that a page is in the language: its confidence, or that of its runner-up. "certainty" is 1 - product(1 - p), the
    probability that at least one page is in the language. "sites" are registered domains.

    "low" and "high" are a 95 % interval. It assumes that confidences are right, and that all pages of a registered
    domain are right or wrong together. So the standard deviation of a domain is the sum of sqrt(p (1 - p)), and
    variances of domains add up. The upper end includes the undetermined pages of domains where the language occurs.

    \b
    Examples:
      graphlang languages crawl.db
      graphlang languages crawl.db --by year --format csv
      graphlang languages --known --format csv -o known.csv
    """
    _refuse_without_effect(db, all_known=all_known)
    if all_known:
        from graphlang.identification import load  # noqa: PLC0415
        from graphlang.maps.languages import KnownLanguage, describe_labels  # noqa: PLC0415

        chosen = make_selection({"language": pages["language"]})
        labels = [
            label for label in describe_labels(load(method).labels) if chosen.includes(label.language, label.script)
        ]
        write_rows(KnownLanguage._fields, labels, **target)
        return
    if db is None and Path(options.DEFAULT).is_file():
        db = Path(options.DEFAULT)
    if db is None:
        raise click.UsageError("name a database, or --known")
    crawl = open_answered(db)
    if by is not None:
        say_unanswered(crawl.unanswered())
    rows = crawl.languages(by=by, **pages) if by is not None else crawl.languages(**pages)
    write_list(rows, **target)


def _refuse_without_effect(db: Path | None, *, all_known: bool) -> None:
    """Refuse options without effect: a model has no pages, and --method changes no database."""
    if db is not None and all_known:
        raise click.UsageError("--known lists what a method knows: name no database")
    unused = ("by", *(name for name in options.FILTER if name != "language")) if all_known else ("method",)
    for name in unused:
        if is_on_command_line(name):
            option = "--all" if name == "everything" else f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} {'has no effect with' if all_known else 'needs'} --known")


@click.command()
@options.database
@options.codes("--want", help="Languages that you want, such as swa,zh-TW; repeatable.")
@options.codes("--saturated", help="Languages of which you have enough; repeatable.")
@options.choose_run
@output_options
def frontier(db: Path, want: list[str], saturated: list[str], run_id: int | None, **target: Unpack[RowOptions]) -> None:
    """Rank URLs to fetch next by the languages that you want.

    It lists URLs that were never fetched. 'chance' is the probability that the page is in a wanted language
    (without --want: in none of the saturated ones). 'clueweb09' has the languages of the pages that link to it,
    which are possible by ClueWeb09's rule; 'fetch' is 1 if that rule would fetch the URL.

    \b
    Examples:
      graphlang frontier crawl.db --want swa,amh --format tsv
      graphlang frontier crawl.db --saturated eng --limit 1000 --format csv -o next.csv
    """
    rows = open_answered(db, run_id).frontier(want=want, saturated=saturated, run=run_id)
    write_list(rows, **target)


@click.command()
@options.database
@click.argument("url")
@options.choose_run
@click.option(
    "--at",
    callback=options.parse_moment_option,
    metavar="MOMENT",
    help="Use the run of this moment (2012, 2012-05, ...; see 'graphlang propagate --at') and its captures.",
)
@click.option("--neighbours", type=WholeNumber(0), default=20, show_default=True, help="Number of neighbours to list.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="Text for people, json for programs.",
)
def explain(db: Path, url: str, run_id: int | None, at: str | None, neighbours: int, format_: str) -> None:
    """Print why a page has its language.

    It prints the text, declarations and URL of the page, and the weight of every neighbour, round by round.

    \b
    Examples:
      graphlang explain crawl.db https://www.example.org/menu.html
      graphlang explain crawl.db https://www.example.org/menu.html --run 2 --format json
      graphlang explain crawl.db https://www.example.org/menu.html --at 2012
    """
    if at is not None and run_id is not None:
        raise click.UsageError("--at and --run name two runs: choose one")
    explanation = open_crawl(db).explain(url, run=run_id, at=at)
    if format_ == "json":
        corrections = [correction._asdict() for correction in explanation.corrections]
        write_json(asdict(explanation) | {"corrections": corrections}, indent=2)
    else:
        write_lines(explanation.to_text(neighbours))
