"""``sites``: the language map."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.messages.say_unanswered import say_unanswered
from graphlang.cli.shared.selection import selects
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.maps.sites import SHORT, SURE, UNITS, site_map

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from graphlang.maps.selection import Selection


def _units(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    del ctx, param
    units = tuple(part.strip() for part in value.split(","))
    unknown = [unit for unit in units if unit not in UNITS]
    if unknown or len(set(units)) < len(units):
        raise click.BadParameter(f"{value!r} is not made of {', '.join(UNITS)}, each once")
    return units


def by_units(function: Callable[..., None]) -> Callable[..., None]:
    """The option that says what counts as one site."""
    return click.option(
        "--by",
        callback=_units,
        default="host",
        show_default=True,
        metavar="UNITS",
        help=f"What counts as one site: {', '.join(UNITS)}; or several with commas between.",
    )(function)


@click.command(
    help=f"""The language map: pages by site and language.

    Only text with status 200 counts (see --all). Shares are of the site's pages that were read; where none was, of
    those only linked to. "short" are pages with fewer than {SHORT} letters; "resolved" those of them whose own text
    leaves them in doubt (confidence below {SURE}) and the chosen run does not. With several units there is a column
    for each. By year only pages that were read count, each once for every year of which a capture has an answer
    ('graphlang propagate DB --each year'). A country is that of the top-level domain.

    \b
    Examples:
      graphlang sites crawl.db
      graphlang sites crawl.db --by country --format csv -o countries.csv
      graphlang sites crawl.db --by domain,year --language zh-TW,sr-Latn
    """
)
@options.database
@by_units
@click.option("--scripts", is_flag=True, help="Tell the scripts of a language apart.")
@selects
@output_options
def sites(
    db: Path,
    by: tuple[str, ...],
    selection: Selection,
    format_: str,
    limit: int | None,
    output: str,
    *,
    scripts: bool,
) -> None:
    """List pages by site and language."""
    with answered(db) as connection:
        if "year" in by:
            say_unanswered(connection)
        found = site_map(connection, by, selection, scripts=scripts)
        write_rows(found.columns, found.rows, format_=format_, limit=limit, output=output)
