"""``texts``: the texts of a language."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphlang.cli.failures import USAGE, Failure
from graphlang.cli.shared import options
from graphlang.cli.shared.files.targets import refuse_inputs
from graphlang.cli.shared.messages.log import say
from graphlang.cli.shared.messages.say_unseen import say_unseen
from graphlang.cli.shared.selection import selects_captures
from graphlang.cli.shared.tables.output import csv_safe, format_of_name, write_rows, write_text
from graphlang.cli.shared.whole_number import WholeNumber
from graphlang.db import open_existing, snapshot
from graphlang.export.parquet import MissingExtraError, write_parquet
from graphlang.export.texts import Told, write_txt
from graphlang.export.texts import texts as rows_of
from graphlang.maps import captures
from graphlang.whole_file import refuse_empty, replacing

if TYPE_CHECKING:
    from graphlang.export.tables import Table
    from graphlang.maps.selection import Selection

_ROWS = ("jsonl", "csv", "tsv")  # a row a text


@click.command()
@options.database
@click.option(
    "--format",
    "format_",
    type=click.Choice([*_ROWS, "txt", "parquet"]),
    default="jsonl",
    show_default=True,
    help="txt is texts alone: a paragraph a line, an empty line behind each page.",
)
@click.option("--main", is_flag=True, help="Main content alone, without navigation and the like.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    default="-",
    callback=format_of_name,
    show_default=True,
    help="File to write to, in the format of its name; '-' is standard output.",
)
@click.option("--limit", type=WholeNumber(0), help="At most so many texts.")
@csv_safe
@selects_captures
def texts(
    db: Path, format_: str, output: Path, limit: int | None, selection: Selection, at: str | None, *, main: bool
) -> None:
    """Write the texts of pages with language, URL and date.

    Source, confidence and method stand beside them.
    "main" is the main content, "text" all visible text, menus behind it; a line feed ends a line or paragraph. Texts
    are as long as they were kept: "cut" is 1 where a page had more ('graphlang ingest --text-limit'). Pages below
    --min-confidence count as und, and are not in a language. "language" is what the chosen run says, "by_text" what the
    text alone says; "languages" and "shares" tell of pages in several.
    Of a page with several captures its own one counts, unless --captures or --at say otherwise. Of another one
    "language" is what the run of its time says ('graphlang propagate --each year'), else what its text says.

    \b
    Examples:
      graphlang texts crawl.db --language swa,oci --min-confidence 0.8 -o texts.jsonl
      graphlang texts crawl.db --language sr-Latn --format txt --main
      graphlang texts crawl.db --captures all --language dan -o danish.jsonl
    """
    with closing(open_existing(db)) as connection, snapshot.at(connection, at):
        say_unseen(connection, db, linked=False)
        told = Told()
        table = rows_of(connection, selection, whole=not main, told=told)
        if limit is not None:
            table = table._replace(rows=islice(table.rows, limit))
        if format_ in _ROWS:
            write_rows(table.columns, table.rows, format_=format_, output=output)
        elif str(output) == "-":
            if format_ == "parquet":
                raise click.UsageError("Parquet goes to a file: name one with -o")
            write_text(partial(write_txt, table))
        else:
            refuse_inputs(output)
            _write(table, format_, output)
        for words in told.words() + captures.lacking(connection, selection):
            say(words)


def _write(table: Table, format_: str, output: Path) -> None:
    write = write_parquet if format_ == "parquet" else write_txt
    try:
        with replacing(output) as file:
            if not write(table, file):
                refuse_empty(output)
    except MissingExtraError as error:
        raise Failure(str(error), USAGE) from error
