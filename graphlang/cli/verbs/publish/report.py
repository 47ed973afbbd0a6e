"""``report``: one page for people."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.files.targets import refuse_before_work
from graphlang.cli.shared.tables.output import write_line
from graphlang.db import open_existing
from graphlang.report.to_file import write_report
from graphlang.visible import visible


@click.command()
@options.database
@click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True, help="HTML file to write."
)
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
    refuse_before_work(output)
    with closing(open_existing(db)) as connection:
        write_report(connection, output, title or db.stem)
    write_line(f"report: {visible(str(output))}")
