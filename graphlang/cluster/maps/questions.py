"""The maps of a cluster's tables, as functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang.cluster.maps import gather
from graphlang.cluster.maps.tables import Tables
from graphlang.maps.languages import YearRow, languages_of, languages_of_years
from graphlang.maps.selection import Selection
from graphlang.maps.sites import language_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphlang.maps.languages import Row as LanguageRow
    from graphlang.maps.sites import Row as SiteRow


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
