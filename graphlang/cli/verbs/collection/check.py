"""``check``: what is wrong with a database, and its repair."""

from __future__ import annotations

from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

import click

from graphlang.analysis.ingest import site_of
from graphlang.cli.failures import UNFIT
from graphlang.cli.shared import options
from graphlang.cli.shared.database import patience, waits
from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.db.check import Finding, findings, of_users
from graphlang.db.connection import inspect
from graphlang.db.repair import Repair, repair

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


_SHOWN = 20  #: of a user's own tables, views and indexes


@click.command()
@options.database
@click.option("--repair", "repairs", is_flag=True, help="Put right what can be, and say what was done.")
@waits
@output_options
@click.pass_context
def check(ctx: click.Context, db: Path, format_: str, limit: int | None, output: str, *, repairs: bool) -> None:
    """Say all that is wrong with DB, one thing a row.

    Nothing is printed where it is sound. The schema is compared with that of this program; SQLite looks through the
    file; types, texts, numbers and references of every row are read, and what the runs say of themselves. Of a file
    whose schema is foreign nothing else is looked at. Tables, views and indexes of your own may be there: they are
    named on standard error, and not looked at. The exit code is 3 if anything is wrong.

    With --repair all rows that are as they should be are copied into a new database, which takes DB's place: tables,
    views and triggers that are foreign, or your own, are gone, rows that point nowhere are dropped, counts made anew,
    and each of these is said. It takes as much room on the disk again. The exit code is then 0, or 3 where nothing can
    be saved.

    \b
    Examples:
      graphlang check crawl.db
      graphlang check crawl.db --format jsonl
      graphlang check crawl.db --repair
    """
    if repairs:
        done = repair(db, site_of, patience=patience())
        if done:
            write_rows(Repair._fields, done, format_=format_, limit=limit, output=output)
        return
    found = 0

    def counted(rows: Iterable[Finding]) -> Iterator[Finding]:
        nonlocal found
        for row in rows:
            found += 1
            yield row

    with closing(inspect(db)) as connection:
        rows = counted(findings(connection))
        first = next(rows, None)
        if first is not None:
            write_rows(Finding._fields, chain((first,), rows), format_=format_, limit=limit, output=output)
        if theirs := of_users(connection):
            shown = ", ".join(theirs[:_SHOWN]) + f" and {len(theirs) - _SHOWN} more" * (len(theirs) > _SHOWN)
            say(f"of a user's own, and not looked at: {shown}")
    if found:
        ctx.exit(UNFIT)
