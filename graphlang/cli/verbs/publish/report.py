"""``report``: one page for people."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.files.targets import refuse_before_work
from graphlang.cli.shared.messages.say_unseen import say_unseen
from graphlang.cli.shared.tables.output import write_line, write_text
from graphlang.db import open_existing
from graphlang.report.to_file import report_of, write_report
from graphlang.visible import visible

if TYPE_CHECKING:
    import sqlite3


to_file = click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path, allow_dash=True),
    required=True,
    help="HTML file to write; '-' is standard output.",
)


def put(connection: sqlite3.Connection, output: Path, title: str) -> None:
    """Write the report of a collection where the user wants it, and say where that is.

    Args:
        connection: a collection.
        output: a file, or ``-``.
        title: the page's heading.
    """
    if str(output) == "-":
        page = report_of(connection, title)
        write_text(lambda file: file.write(page))
        return
    write_report(connection, output, title)
    write_line(f"report: {visible(str(output))}")


@click.command()
@options.database
@to_file
@click.option("--title", help="What the report is of; by default the database's name.")
def report(db: Path, output: Path, title: str | None) -> None:
    """Write a report: one HTML file that needs nothing else.

    Opening it loads nothing from the network. It has a summary in words, languages, a world map by country-code domain,
    languages of sites, years where there are several, links between languages, what the graph changed, length against
    confidence, what could not be read, and how it was made. Only text with status 200 counts.

    \b
    Example:
      graphlang report crawl.db -o report.html
    """
    if str(output) != "-":
        refuse_before_work(output)
    with closing(open_existing(db)) as connection:
        say_unseen(connection, db, linked=False)
        put(connection, output, title or db.stem)
