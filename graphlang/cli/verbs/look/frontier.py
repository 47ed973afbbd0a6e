"""``frontier``: which URLs to fetch next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from graphlang.analysis import frontier as candidates
from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.codes.wanted import Wanted, wanted
from graphlang.db import StoreError
from graphlang.db.runs.run import chosen_run, get_run

if TYPE_CHECKING:
    from pathlib import Path


class _Codes(click.ParamType[tuple[Wanted, ...]]):
    """Language codes with commas between them."""

    name = "codes"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Wanted, ...]:
        """The languages, with a script where one is said; a usage error names what is no language."""
        if isinstance(value, tuple):
            return value
        found = []
        for tag in str(value).split(","):
            try:
                found.append(wanted(tag))
            except ValueError as error:
                self.fail(str(error), param, ctx)
        return tuple(found)


@click.command()
@options.database
@click.option(
    "--want", type=_Codes(), multiple=True, metavar="CODES", help="Languages to look for, as swa,zh-TW; repeatable."
)
@click.option(
    "--saturated", type=_Codes(), multiple=True, metavar="CODES", help="Languages of which there is enough; repeatable."
)
@options.choose_run
@output_options
def frontier(
    db: Path,
    want: tuple[tuple[Wanted, ...], ...],
    saturated: tuple[tuple[Wanted, ...], ...],
    run_id: int | None,
    format_: str,
    limit: int | None,
    output: str,
) -> None:
    """Rank URLs to fetch next by the languages that you want.

    It lists URLs that were never fetched. 'chance' is the probability, by the run, that the page is in a wanted
    language (without --want: in none of the saturated ones). 'clueweb09' lists the languages of the referring pages,
    which ClueWeb09's rule takes for possible; 'fetch' is 1 where that rule would fetch the URL.

    \b
    Examples:
      graphlang frontier crawl.db --want swa,amh --format tsv
      graphlang frontier crawl.db --saturated eng --limit 1000 --format csv -o next.csv
    """
    with answered(db, run_id) as connection:
        run = chosen_run(connection) if run_id is None else get_run(connection, run_id)
        if run is None:
            raise StoreError("nothing is classified yet: run 'graphlang classify' first")
        rows = candidates.frontier(connection, want=_flat(want), saturated=_flat(saturated), run=run)
    write_rows(candidates.Candidate._fields, rows, format_=format_, limit=limit, output=output)


def _flat(given: tuple[tuple[Wanted, ...], ...]) -> list[Wanted]:
    return [one for several in given for one in several]
