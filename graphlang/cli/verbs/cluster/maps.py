"""``cluster sites``, ``languages``, ``language-graph`` and ``report``: the maps straight from the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from graphlang.cli.shared.messages.log import logs
from graphlang.cli.shared.messages.say_unanswered import say_unanswered
from graphlang.cli.shared.selection import selects
from graphlang.cli.shared.tables.output import output_options, write_rows
from graphlang.cli.verbs.cluster.with_spark import needed, spark_options, tables_of
from graphlang.cli.verbs.look.language_graph import asked, graph_options, put
from graphlang.cli.verbs.look.sites import by_units
from graphlang.cli.verbs.publish.report import put as put_report
from graphlang.cli.verbs.publish.report import to_file
from graphlang.maps.languages import Row, languages_of, languages_of_years
from graphlang.maps.sites import site_map

if TYPE_CHECKING:
    from pathlib import Path

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
            say_unanswered(found)
            needed("graphlang.cluster.maps").refuse_other_years(found)
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
        rows: list[Any] = languages_of(found, selection) if by is None else languages_of_years(found, selection)
        if by is not None:
            say_unanswered(found)
    columns = Row._fields if by is None else ("year", *Row._fields)
    write_rows(columns, rows, format_=format_, limit=limit, output=output)


@click.command("language-graph")
@click.argument("tables")
@graph_options
@selects
@spark_options
@logs
def language_graph(
    tables: str,
    format_: str,
    what: str,
    by: str,
    fetched: bool,
    output: Path,
    selection: Selection,
    master: str | None,
    settings: dict[str, str],
) -> None:
    """Count links between the languages, or the sites, of TABLES.

    What 'graphlang language-graph' says of the database that 'graphlang import' makes of TABLES. Spark counts the
    links; one row for each pair of languages, or sites, comes to this machine. The components of a language, or site,
    are worked out in one task; where more than 20,000,000 links lie within it, they are 0, and a warning names it.

    \b
    Examples:
      graphlang cluster language-graph tables
      graphlang cluster language-graph tables --what sites --by host --format csv -o sites.csv
    """
    with tables_of(tables, master, settings) as found:
        answer = asked(found, selection, format_=format_, what=what, by=by, fetched=fetched)
    put(answer, format_, output)


@click.command()
@click.argument("tables")
@to_file
@click.option("--title", help="What the report is of; by default the folder's name.")
@spark_options
@logs
def report(tables: str, output: Path, title: str | None, master: str | None, settings: dict[str, str]) -> None:
    """Write a report on TABLES: one HTML file that needs nothing else.

    What 'graphlang report' says of the database that 'graphlang import' makes of TABLES. Spark counts; of single pages
    only those come to this machine that the report names.

    \b
    Example:
      graphlang cluster report tables -o report.html
    """
    with tables_of(tables, master, settings) as found:
        put_report(found, output, title or tables.rstrip("/").rpartition("/")[2])
