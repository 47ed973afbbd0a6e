"""``cluster sites`` and ``cluster languages``: the maps straight from the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from graphlang.cli.shared.messages.log import logs
from graphlang.cli.shared.selection import selects
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.cli.verbs.cluster.with_spark import needed, spark_options, tables_of
from graphlang.cli.verbs.look.sites import by_units
from graphlang.maps.languages import Row, languages_of, languages_of_years
from graphlang.maps.sites import site_map

if TYPE_CHECKING:
    from graphlang.maps.selection import Selection


@click.command()
@click.argument("tables")
@by_units
@click.option("--scripts", is_flag=True, help="Tell the scripts of a language apart.")
@selects
@spark_options
@output_options
@logs
def sites(
    tables: str,
    by: tuple[str, ...],
    selection: Selection,
    master: str | None,
    settings: dict[str, str],
    format_: str,
    limit: int | None,
    output: str,
    *,
    scripts: bool,
) -> None:
    """The language map of TABLES: pages by site and language.

    What 'graphlang sites' says of the database that 'graphlang import' makes of TABLES. Spark counts; no page comes to
    this machine.

    \b
    Examples:
      graphlang cluster sites tables --by domain
      graphlang cluster sites hdfs:///tables --by country --master yarn --format csv -o countries.csv
    """
    with tables_of(tables, master, settings) as found:
        if "year" in by:
            needed("graphlang.cluster.maps.gather").refuse_other_years(found)
        made = site_map(found, by, selection, scripts=scripts or any(one.script for one in selection.wanted))
    write_rows(made.columns, made.rows, format_=format_, limit=limit, output=output)


@click.command()
@click.argument("tables")
@click.option("--by", type=click.Choice(["year"]), help="The languages of each calendar year.")
@selects
@spark_options
@output_options
@logs
def languages(
    tables: str,
    by: str | None,
    selection: Selection,
    master: str | None,
    settings: dict[str, str],
    format_: str,
    limit: int | None,
    output: str,
) -> None:
    """List the languages of TABLES: pages, sites, scripts, encodings.

    What 'graphlang languages' says of the database that 'graphlang import' makes of TABLES. Spark counts; no page comes
    to this machine.

    \b
    Examples:
      graphlang cluster languages tables
      graphlang cluster languages tables --language swa,zul --format csv
    """
    with tables_of(tables, master, settings) as found:
        rows = languages_of(found, selection) if by is None else languages_of_years(found, selection)
    columns = Row._fields if by is None else ("year", *Row._fields)
    write_rows(columns, rows, format_=format_, limit=limit, output=output)
