"""``check``: what is wrong with a database."""

from __future__ import annotations

from contextlib import closing
from itertools import chain
from typing import TYPE_CHECKING

import click

from graphlang.cli.failures import UNFIT
from graphlang.cli.shared import options
from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.db.check import Finding, findings, name_user_items
from graphlang.db.connection import inspect

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


_SHOWN = 20  #: of a user's own tables, views and indexes


@click.command()
@options.database
@output_options
@click.pass_context
def check(ctx: click.Context, db: Path, format_: str, limit: int | None, output: str) -> None:
    """List all that is wrong with DB.

    A sound database prints nothing. The schema must be that of this program; SQLite checks the file and the types of
    all values; then references, texts, numbers and the counts of runs are checked. If the schema is foreign, nothing
    else is checked. Your own tables, views and indexes are named on standard error and not checked. The exit code is 3
    if anything is wrong.

    \b
    Examples:
      graphlang check crawl.db
      graphlang check crawl.db --format jsonl
    """
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
        if names := name_user_items(connection):
            shown = ", ".join(names[:_SHOWN]) + f" and {len(names) - _SHOWN} more" * (len(names) > _SHOWN)
            say(f"of a user's own, and not looked at: {shown}")
    if found:
        ctx.exit(UNFIT)
