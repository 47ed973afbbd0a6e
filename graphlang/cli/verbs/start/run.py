"""``run``: everything, from files to the language map."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import claimed, waits, writing
from graphlang.cli.shared.files import reading
from graphlang.cli.shared.files.targets import refuse_before_work
from graphlang.cli.shared.messages.log import log, logs, say
from graphlang.cli.shared.messages.progress import bars
from graphlang.cli.shared.tables.output import write_json, write_line
from graphlang.cli.verbs.collection.ingest import finish, summary
from graphlang.ingest import small
from graphlang.modelfile import ModelError
from graphlang.native.threads import cores
from graphlang.printing.counted import counted
from graphlang.report.to_file import write_report
from graphlang.visible import visible

if TYPE_CHECKING:
    from graphlang.content.identifier import Identifier
    from graphlang.db.runs.run import Run


@click.command()
@reading.files
@click.option(
    "--db",
    "db",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    callback=options.remember_database,
    help="The database; made if it does not exist.",
)
@click.option("--method", default="nfc", show_default=True, help="Content method, see 'graphlang methods'.")
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a report as well: one HTML file, see 'graphlang report'.",
)
@options.shares
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
    shares: bool | None,
    as_json: bool,
    **how: Unpack[reading.How],
) -> None:
    """Find the language of every page and print the language map.

    Reads the files into the database, classifies the text of each page, lets inlinks vote, and propagates over the
    whole graph; the last answer is what the database's views show. Interrupt it at any time; run the same command
    again to resume. With more files it adds them. FILES are as in 'graphlang ingest'.

    \b
    Examples:
      graphlang run crawl.warc.gz --db crawl.db --report crawl.html
      graphlang run archive-folder/ more.arc.gz --db crawl.db --workers 2
    """
    if report is not None:
        refuse_before_work(report)
    with ExitStack() as stack:
        held = stack.enter_context(claimed(db))  # whoever comes first has it, whatever there is to be loaded yet
        prestarted = stack.enter_context(reading.prestart(db, files, how))
        inputs = reading.inputs(files, how)
        # What takes its time to import comes now, when nobody else can write any more, and the first pages are read.
        from graphlang.analysis import propagate, vote  # noqa: PLC0415
        from graphlang.analysis.arrays.cached_loader import CachedLoader  # noqa: PLC0415
        from graphlang.analysis.arrays.read_ahead import ReadsAhead  # noqa: PLC0415
        from graphlang.analysis.classify import classify  # noqa: PLC0415
        from graphlang.cli.shared.messages import run_summary  # noqa: PLC0415

        identifier = _loaded(method)  # while the first pages are read
        connection = stack.enter_context(writing(db, new=True, held=held))
        shown = stack.enter_context(bars())
        done = reading.read(connection, db, how, shown, inputs=inputs, prestarted=prestarted)
        workers = how["workers"] or cores()
        later = None
        if workers > 1 and not small(files):
            later = propagate.SIGNALS, stack.enter_context(ReadsAhead(db))
        load = CachedLoader(one_graph=True, later=later)  # both steps read the same links and scores
        load.begin_links()
        classify(connection, identifier, shares=shares, workers=workers, progress=shown)
        del identifier  # a model takes as much memory as the links of ten million URLs
        vote.vote(connection, linked=False, load=load, progress=shown)
        final = propagate.propagate(connection, update=True, linked=False, load=load.last, progress=shown)
        del load
        shown.end()
        summary(done, shown, verbose=how["verbose"])
        _say_end(final)
        if report is not None:
            write_report(connection, report, db.stem)
        if as_json:
            facts = run_summary.facts(connection, db, report, done, final, shown)
            write_json(facts, indent=1)
        elif not log().quiet:
            run_summary.print_map(connection)
            write_line(f"database: {visible(str(db))}")
            if report is not None:
                write_line(f"report: {visible(str(report))}")
    finish(done)


def _say_end(final: Run) -> None:
    if final.rounds is not None:
        state = "converged" if final.converged else "stopped at the cap"
        say(f"propagation {state} after {counted(final.rounds, 'round')}")


def _loaded(method: str) -> Identifier:
    from graphlang.content import registry  # noqa: PLC0415

    try:
        return registry.load(method)
    except ModelError:
        _refuse_no_texts(method)
        raise


def _refuse_no_texts(method: str) -> None:
    """Refuse a method that reads no texts by what it is, and not as one that does not exist."""
    from graphlang.analysis.of_collections import DECLARED, TLD  # noqa: PLC0415 - hardly ever needed
    from graphlang.identification import is_url_method  # noqa: PLC0415

    if method in (DECLARED, TLD) or is_url_method(method):
        instead = f"graphlang classify DB --method {method}"
        raise click.UsageError(f"{method} reads no text, and run begins with texts: {instead}")
