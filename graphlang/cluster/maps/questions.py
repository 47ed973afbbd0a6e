"""The maps and the report of a cluster's tables, as functions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphlang.cluster.maps import gather, links
from graphlang.cluster.maps.tables import Tables
from graphlang.maps.graphs.language_graph import language_graph as graph_of
from graphlang.maps.languages import YearRow, languages_of, languages_of_years
from graphlang.maps.selection import Selection
from graphlang.maps.sites import language_map
from graphlang.report.to_file import write_report

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphlang.maps.graphs.language_graph import LanguageGraph
    from graphlang.maps.languages import Row as LanguageRow
    from graphlang.maps.sites import Row as SiteRow

#: Modules that say how maps are asked of tables: once they are imported, all functions of `graphlang.maps` here know.
WAYS = (gather, links)


def opened(spark: Any, folder: str) -> Any:
    """The tables of a collection, of which all functions of `graphlang.maps` here can ask.

    Args:
        spark: the session.
        folder: that a job wrote, as Spark names it.

    Returns:
        `Tables`, which are asked as a database's connection is.

    Raises:
        InputError: it does not hold what a job writes.
    """
    return Tables(spark, folder)


def sites(
    spark: Any,
    folder: str,
    by: str | Sequence[str] = "host",
    *,
    selection: Selection | None = None,
    scripts: bool = False,
) -> list[SiteRow]:
    """Pages counted by site and language, the greatest sites first: the verb ``cluster sites``.

    Spark counts; one row for each site and language comes to the driver.

    Args:
        spark: the session.
        folder: with the tables that a job wrote, as Spark names it.
        by: what counts as one site: host, domain, suffix, tld, country, path or year; or several.
        selection: which pages count; by default text with status 200.
        scripts: tell the scripts of a language apart.

    Raises:
        InputError: the folder does not hold what a job writes; or it has answers for other years, and ``by`` asks for
            them.
        ValueError: ``by`` is none of these.
    """
    tables = opened(spark, folder)
    if "year" in ((by,) if isinstance(by, str) else by):
        gather.refuse_other_years(tables)
    return language_map(tables, by, selection=selection, scripts=scripts)


def languages(
    spark: Any, folder: str, *, by: str | None = None, selection: Selection | None = None
) -> list[LanguageRow] | list[Any]:
    """The languages with their pages, sites, scripts and encodings, the commonest first: ``cluster languages``.

    Args:
        spark: the session.
        folder: with the tables that a job wrote, as Spark names it.
        by: ``year`` for those of each calendar year; rows have the year first.
        selection: which pages count; by default text with status 200.

    Raises:
        InputError: as for `sites`.
        ValueError: ``by`` is something else.
    """
    if by not in {None, "year"}:
        raise ValueError(f"languages are listed by year, or all together, not by {by}")
    tables, which = opened(spark, folder), selection or Selection()
    if by is None:
        return languages_of(tables, which)
    return [YearRow(*row) for row in languages_of_years(tables, which)]


def language_graph(spark: Any, folder: str, *, by: str = "domain", selection: Selection | None = None) -> LanguageGraph:
    """The languages and the links between them, after Caminero and Mikami 2006: ``cluster language-graph``.

    Spark counts; one row for each pair of languages comes to the driver. The components of a language's pages are
    worked out in one task; they are 0 where more than 20,000,000 links lie within a language.

    Args:
        spark: the session.
        folder: with the tables that a job wrote, as Spark names it.
        by: links within one ``domain`` or ``host`` are not counted; ``page``: all are.
        selection: which pages count; by default text with status 200.

    Raises:
        InputError: the folder does not hold what a job writes.
        ValueError: ``by`` is none of these.
    """
    if by not in {"domain", "host", "page"}:
        raise ValueError(f"cannot group links by {by}; there are domain, host, page")
    return graph_of(opened(spark, folder), selection or Selection(), unit=by)


def report(spark: Any, folder: str, output: str | Path, *, title: str | None = None) -> None:
    """Write one HTML page for people that needs nothing else: the verb ``cluster report``.

    Args:
        spark: the session.
        folder: with the tables that a job wrote, as Spark names it.
        output: the file, which is replaced when all is written.
        title: the page's heading; the folder's name if not given.

    Raises:
        InputError: the folder does not hold what a job writes.
    """
    write_report(opened(spark, folder), Path(output), title or folder.rstrip("/").rpartition("/")[2])
