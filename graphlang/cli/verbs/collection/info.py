"""``info``: what a database holds."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.tables.output import table_options, write_rows
from graphlang.db import open_existing
from graphlang.maps.facts import Encoding, Fact, facts
from graphlang.maps.facts import encodings as encodings_of

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@options.database
@table_options
@click.option("--encodings", is_flag=True, help="Count pages by language and encoding instead.")
def info(db: Path, format_: str, *, encodings: bool) -> None:
    """Count what DB holds: files, pages, links, languages.

    It counts links by kind, charsets and problems as well. WARC revisit records are among the captures; those kept
    are counted, too, and the pages of which nothing but revisits was read ('revisits alone').
    With --encodings: pages of each language (by the chosen run) by charset, by what named the charset (the server,
    the page, detection), and by the encoding that a method over bytes found, if one was run.

    \b
    Examples:
      graphlang info crawl.db
      graphlang info crawl.db --encodings --format csv
    """
    with closing(open_existing(db)) if encodings else answered(db) as connection:
        if encodings:
            first = ("language", "charset", "pages")
            write_rows(Encoding._fields, encodings_of(connection), format_=format_, first=first)
            return
        rows = facts(connection)
    write_rows(Fact._fields, rows, format_=format_)
