"""``review``: the pages that somebody should look at first."""

from __future__ import annotations

from pathlib import Path

import click

from graphlang.analysis import correct as correcting
from graphlang.analysis.read_review import read_review
from graphlang.cli.shared import options
from graphlang.cli.shared.database import waits, writing
from graphlang.cli.shared.messages.log import logs, say
from graphlang.cli.shared.messages.progress import bars
from graphlang.cli.shared.tables.output import format_of_name, wide, write_rows
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.collection.collection import Collection
from graphlang.maps.review import COUNT
from graphlang.printing.counted import counted

_FIRST = ("url", "answer", "confidence", "runner_up", "text", "title", "why")


@click.command()
@options.database
@click.option("--count", type=WholeNumber(1), default=COUNT, show_default=True, help="Pages at most.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    default="-",
    callback=format_of_name,
    help="File to write to, in the format of its name; '-' is standard output.",
    show_default=True,
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(("csv", "tsv", "jsonl", "table")),
    default="csv",
    show_default=True,
    help="csv to be filled in; table for a look.",
)
@click.option(
    "--from",
    "from_",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Read a CSV that was filled in: rows with a language become corrections.",
)
@click.option("--by", metavar="NAME", default="", help="With --from: who filled it in.")
@wide
@waits
@logs
@click.pass_context
def review(ctx: click.Context, db: Path, count: int, output: str, format_: str, from_: Path | None, by: str) -> None:
    """List the pages whose check would teach most.

    These are pages in doubt with many links to and from short pages in doubt, of many hosts and languages. Look at each
    page and write its language (any usual code or name; zxx for none) into the column 'language'; rows that stay empty
    change nothing. Then read the file back with --from.

    \b
    Examples:
      graphlang review crawl.db --count 50 -o check.csv
      graphlang review crawl.db --from check.csv --by Asha
    """
    if from_ is None:
        if by:
            raise click.UsageError("--by needs --from")
        rows = Collection(db).review(count=count)
        write_rows(rows.columns, rows.tuples(), format_=format_, output=output, first=_FIRST, for_people=True)
        return
    for name in ("count", "output", "format_"):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.rstrip('_')} means nothing with --from")
    if not by.strip():
        raise click.UsageError("--by is missing: who filled it in?")
    said = read_review(from_)
    with writing(db) as connection, bars() as shown:
        done = correcting.correct(connection, said, by=by, progress=shown)
    words = f"corrected: {counted(done.pages, 'page')}"
    if done.unknown:
        words += f"; {counted(done.unknown, 'URL')} that the database does not have"
    say(words + ("; run 'graphlang propagate' for their neighbours" if done.pages else ""))
