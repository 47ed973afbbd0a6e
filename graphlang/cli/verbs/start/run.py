"""``run``: everything, from files to the language map."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import click

from graphlang.analysis import classify, propagate, vote
from graphlang.analysis.arrays import graph_input
from graphlang.cli.shared import options, reading
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.log import log, logs, say
from graphlang.cli.shared.output import write_json, write_line
from graphlang.cli.shared.progress import bars
from graphlang.cli.shared.targets import refuse_inputs
from graphlang.cli.verbs.collection.ingest import counts, finish, summary
from graphlang.cli.verbs.publish.report import write_report
from graphlang.content import registry
from graphlang.maps.facts import pages_by_language, totals
from graphlang.maps.sites import language_map
from graphlang.native.threads import cores
from graphlang.visible import visible

if TYPE_CHECKING:
    import sqlite3

    from graphlang.analysis.ingest import Ingested
    from graphlang.cli.shared.progress import Shown
    from graphlang.db.runs import Run

_SITES_SHOWN = 30
_LANGUAGES_SHOWN = 6


@click.command()
@reading.files
@click.option(
    "--db",
    "db",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The database; made if it does not exist.",
)
@click.option("--method", default="nfc", show_default=True, help="Content method, see 'graphlang methods'.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a report as well: one HTML file, see 'graphlang report'.",
)
@options.plugins
@reading.how
@waits
@click.option("--json", "as_json", is_flag=True, help="Print a summary for programs, one JSON object, and no map.")
@logs
def run(
    files: tuple[Path, ...],
    db: Path,
    method: str,
    report: Path | None,
    *,
    as_json: bool,
    **how: Unpack[reading.How],
) -> None:
    """Find the language of every page and print the language map.

    Reads the files into the database, classifies the text of each page, lets inlinks vote, and propagates over the
    whole graph; the last answer is what the database's views show. Stopped at any moment, the same command goes on;
    with more files it adds them. FILES are as in 'graphlang ingest'.

    \b
    Examples:
      graphlang run crawl.warc.gz --db crawl.db --report crawl.html
      graphlang run archive-folder/ more.arc.gz --db crawl.db --workers 2
    """
    if report is not None:
        refuse_inputs(report)
    with ExitStack() as stack:
        prestarted = stack.enter_context(reading.prestart(db, files, how))
        inputs = reading.inputs(files, how)
        identifier = registry.load(method)  # while the first pages are read
        connection = stack.enter_context(writing(db, new=True))
        shown = stack.enter_context(bars())
        done = reading.read(connection, db, how, shown, inputs=inputs, prestarted=prestarted)
        classify.classify(connection, identifier, workers=how["workers"] or cores(), progress=shown)
        load = graph_input.CachedLoader()  # both steps read the same links and scores
        vote.vote(connection, linked=False, load=load, progress=shown)
        final = propagate.propagate(connection, update=True, linked=False, load=load, progress=shown)
        del load
        shown.end()
        summary(done, shown, verbose=how["verbose"])
        if final.rounds is not None:
            state = "converged" if final.converged else "stopped at the cap"
            say(f"propagation {state} after {final.rounds} rounds")
        if report is not None:
            write_report(connection, report, db.stem)
        if as_json:
            facts = _facts(connection, db, report, done, final, shown)
            write_json(facts, indent=1)
        elif not log().quiet:
            _print_map(connection)
            write_line(f"database: {db}")
            if report is not None:
                write_line(f"report: {visible(str(report))}")
    finish(done)


def _facts(
    connection: sqlite3.Connection, db: Path, report: Path | None, done: Ingested, final: Run, shown: Shown
) -> dict[str, Any]:
    """What `run` did, for programs."""
    return {
        "database": str(db),
        "report": None if report is None else str(report),
        "read": counts(done),
        "stages": {name: round(seconds, 2) for name, seconds in shown.seconds.items()},
        "run": final.id,
        "rounds": final.rounds,
        "converged": final.converged,
        **totals(connection)._asdict(),
        "pages_by_language": pages_by_language(connection),
    }


def _print_map(connection: sqlite3.Connection) -> None:
    """One line a site: its pages and its commonest languages."""
    sites: dict[str, list[str]] = {}
    pages: dict[str, int] = {}
    for row in language_map(connection):
        if row.pages:
            sites.setdefault(row.site, []).append(f"{row.language} {row.share:.0%}")
            pages[row.site] = pages.get(row.site, 0) + row.pages
    width = max((len(visible(site)) for site in list(sites)[:_SITES_SHOWN]), default=4)
    write_line(f"{'site':<{width}}  {'pages':>8}  languages", bold=True)
    for site, shares in list(sites.items())[:_SITES_SHOWN]:
        more = len(shares) - _LANGUAGES_SHOWN
        words = "  ".join(shares[:_LANGUAGES_SHOWN]) + (f"  and {more} more" if more > 0 else "")
        write_line(f"{visible(site):<{width}}  {pages[site]:>8,}  {words}")
    if len(sites) > _SITES_SHOWN:
        write_line(f"and {len(sites) - _SITES_SHOWN} more sites: 'graphlang sites' lists them all")
    counted = totals(connection)
    others = f"; {counted.not_counted:,} redirects, errors and files that are no text do not count"
    write_line(
        f"{counted.pages:,} pages read in {counted.languages} languages, {counted.undetermined:,} of them undetermined;"
        f" {counted.only_linked_to:,} more only linked to{others if counted.not_counted else ''}"
    )
