"""``compare``: what changed from run to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.db.runs.run import get_run
from graphlang.evaluation import compare as comparing

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.database
@click.argument("before", type=WholeNumber(1), metavar="RUN")
@click.argument("after", type=WholeNumber(1), metavar="RUN")
@click.option("--count", is_flag=True, help="Only how many pages moved, by pair of languages and length.")
@click.option("--fetched", is_flag=True, help="Only pages that were read; without, URLs only linked to count.")
@output_options
def compare(
    db: Path, before: int, after: int, format_: str, limit: int | None, output: str, *, count: bool, fetched: bool
) -> None:
    """List the pages whose language differs between two runs.

    A content run says nothing of URLs that were only linked to: from und to whatever a later run says, all of them
    differ. With --count they are in a bucket of their own, unfetched; the others are by the length of their text.

    \b
    Examples:
      graphlang compare crawl.db 1 3 --fetched
      graphlang compare crawl.db 1 3 --count --format csv
    """
    with answered(db, before, after) as connection:
        one, two = get_run(connection, before), get_run(connection, after)
        if count:
            found = comparing.counts(connection, one, two, fetched=fetched)
            write_rows(comparing.Count._fields, found, format_=format_, limit=limit, output=output)
        else:
            rows = comparing.changes(connection, one, two, fetched=fetched)
            write_rows(comparing.Change._fields, rows, format_=format_, limit=limit, output=output)
