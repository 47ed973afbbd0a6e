"""``pages``: pages and their languages."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.files.named import host_named
from graphlang.cli.shared.messages.progress import bars
from graphlang.cli.shared.messages.say_unseen import say_unseen
from graphlang.cli.shared.selection import tags_of
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.collection import Collection
from graphlang.db import open_existing
from graphlang.maps.pages import ORDERS

if TYPE_CHECKING:
    from pathlib import Path

#: What a narrow terminal shows first.
_FIRST = ("url", "language", "confidence", "runner_up", "length", "script", "fetched", "status", "languages", "shares")


@click.command()
@options.database
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="CODES",
    help="Only these languages: any usual codes or names, with commas between; repeatable. A script counts: zho_Hant,"
    " zh-TW, sr-Latn.",
)
@click.option("--below", type=options.Finite(0, 1), metavar="C", help="Only pages with less confidence.")
@click.option("--host", help="Only pages of this host.")
@click.option("--fetched/--unfetched", default=None, help="Only pages that were read; only pages that were not.")
@options.min_confidence
@click.option(
    "--declared-unlike", is_flag=True, help="Only pages that declare languages, of which none is the one found."
)
@click.option(
    "--sort",
    type=click.Choice(tuple(ORDERS)),
    default="found",
    show_default=True,
    help="Order: as read; least sure, or shortest, first; by URL.",
)
@output_options
def pages(
    db: Path,
    languages: tuple[str, ...],
    below: float | None,
    host: str | None,
    min_confidence: float,
    sort: str,
    format_: str,
    limit: int | None,
    output: str,
    *,
    fetched: bool | None,
    declared_unlike: bool,
) -> None:
    """List pages and their languages, by the chosen run.

    Languages of URLs that were only linked to are worked out when they are asked for the first time: as far as the list
    is read, or, where it is sorted, before its first row.

    "languages" are those of a page in several, up to three by rank, and "shares" the part of its letters that each has.

    \b
    Examples:
      graphlang pages crawl.db --language sw --format csv -o swahili.csv
      graphlang pages crawl.db --language swa --language amh --limit 20
      graphlang pages crawl.db --below 0.6 --sort confidence --limit 20
      graphlang pages crawl.db --fetched --declared-unlike
    """
    wanted = tags_of(languages)
    with closing(open_existing(db)) as connection:
        say_unseen(connection, db, linked=not fetched)
    with bars(beside_rows=output == "-") as shown:
        try:
            rows = Collection(db).pages(
                language=wanted,
                below=below,
                host=None if host is None else host_named(host),
                fetched=fetched,
                min_confidence=min_confidence,
                declared_unlike=declared_unlike,
                sort=sort,
                progress=shown,
            )
        except ValueError as error:
            raise click.BadParameter(str(error), param_hint="--language") from error
        write_rows(rows.columns, rows.tuples(), format_=format_, limit=limit, output=output, first=_FIRST)
