"""``corrections``: what people said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.collection import Collection

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.database
@click.option("--all", "everything", is_flag=True, help="Also those that were undone, or gave way to a later one.")
@output_options
def corrections(db: Path, format_: str, limit: int | None, output: str, *, everything: bool) -> None:
    """List the corrections that are in force.

    Who said what of which page, when and why, and what stood there before.

    \b
    Examples:
      graphlang corrections crawl.db
      graphlang corrections crawl.db --all --format csv -o history.csv
    """
    rows = Collection(db).corrections(everything=everything)
    write_rows(rows.columns, rows.tuples(), format_=format_, limit=limit, output=output)
