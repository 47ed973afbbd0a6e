"""``problems``: what could not be read."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.collection import Collection
from graphlang.db import open_existing
from graphlang.maps.problems import count_problems
from graphlang.visible import visible

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.database
@click.option("--kind", help="Only problems of this kind.")
@click.option("--count", is_flag=True, help="Only how many there are of each kind.")
@output_options
def problems(db: Path, kind: str | None, format_: str, limit: int | None, output: str, *, count: bool) -> None:
    """List what could not be read: file, offset, URL and reason.

    \b
    Examples:
      graphlang problems crawl.db
      graphlang problems crawl.db --count
    """
    with closing(open_existing(db)) as connection:
        counted = count_problems(connection)
    known = dict(counted)
    if kind is not None and kind not in known:
        there = f"there are: {', '.join(sorted(known))}" if known else "there is none at all"
        say(f"no problem of kind '{visible(kind)}'; {visible(there)}", "none of this kind")
    if count:
        rows_of_kind = [row for row in counted if kind in (None, row[0])]
        write_rows(("kind", "problems"), rows_of_kind, format_=format_, limit=limit, output=output)
    else:
        rows = Collection(db).problems(kind=kind)
        write_rows(rows.columns, rows.tuples(), format_=format_, limit=limit, output=output)
