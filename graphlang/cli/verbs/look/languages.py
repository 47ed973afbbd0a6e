"""``languages``: those of a collection, and those that a model knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from graphlang.cli.shared import options
from graphlang.cli.shared.database import answered
from graphlang.cli.shared.messages.say_unanswered import say_unanswered
from graphlang.cli.shared.selection import selects
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.maps.languages import Known, Row, known, languages_of, languages_of_years

if TYPE_CHECKING:
    from graphlang.maps.selection import Selection


@click.command()
@click.argument("db", type=click.Path(dir_okay=False, path_type=Path), required=False)
@click.option("--known", "all_known", is_flag=True, help="List the languages that the method knows; needs no DB.")
@click.option("--method", default="nfc", show_default=True, help="With --known: a method, or a model file.")
@click.option(
    "--by",
    type=click.Choice(["year"]),
    help="The languages of each calendar year: a page counts once for every year of which a capture has an answer.",
)
@selects
@options.plugins
@output_options
@click.pass_context
def languages(
    ctx: click.Context,
    /,
    db: Path | None,
    method: str,
    by: str | None,
    selection: Selection,
    format_: str,
    limit: int | None,
    output: str,
    *,
    all_known: bool,
) -> None:
    """List the languages of DB: pages, sites, scripts, encodings.

    "expected" is the expected number of pages in the language: the sum of p, the probability of each page to be in it
    (its confidence, or that of its runner-up). "low" and "high" bound the number with 95 % probability, if the
    confidences are right and errors independent: then it is Poisson binomial, with the mean sum(p) and the variance
    sum(p (1 - p)); computed exactly for up to 2,000 uncertain pages, by the normal approximation beyond. "certainty" is
    1 - product(1 - p), the probability that at least one page is in the language. "sites" are registered domains.

    \b
    Examples:
      graphlang languages crawl.db
      graphlang languages crawl.db --by year --format csv
      graphlang languages --known --format csv -o known.csv
    """
    _refuse_inert(ctx, db, all_known=all_known)
    if all_known:
        from graphlang.identification import load  # noqa: PLC0415 - brings the model along

        rows = [one for one in known(load(method).labels) if selection.takes(one.language, one.script)]
        write_rows(Known._fields, rows, format_=format_, limit=limit, output=output)
        return
    if db is None:
        raise click.UsageError("name a database, or --known")
    with answered(db) as connection:
        if by is not None:
            say_unanswered(connection)
            found = languages_of_years(connection, selection)
            write_rows(("year", *Row._fields), found, format_=format_, limit=limit, output=output)
            return
        write_rows(Row._fields, languages_of(connection, selection), format_=format_, limit=limit, output=output)


def _refuse_inert(ctx: click.Context, db: Path | None, *, all_known: bool) -> None:
    """Refuse options that would do nothing: a model has no pages, and a collection's languages are not a method's."""
    if db is not None and all_known:
        raise click.UsageError("--known lists what a method knows: name no database")
    inert = ("by", "below", "min_length", "max_length", "status", "mime", "everything", "min_confidence")
    for name in inert if all_known else ("method",):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = "--all" if name == "everything" else f"--{name.replace('_', '-')}"
            raise click.UsageError(f"{option} {'means nothing with' if all_known else 'needs'} --known")
