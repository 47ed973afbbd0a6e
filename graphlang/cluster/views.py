"""The tables that readers start from, with the columns of the database's views: `languages` and `sites`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from graphlang.codes import languages

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Of the view ``page_languages``.
_LANGUAGES = """
SELECT /*+ {hints} */
    pages.page, pages.url, host, domain, suffix, tld,
    COALESCE(best.language, 'und') AS language,
    best.script,
    COALESCE(answers.confidence, 0D) AS confidence,
    second.language AS runner_up,
    answers.runner_up_confidence,
    '{method}' AS method,
    {run} AS run,
    IF(captures.page IS NULL, 0, 1) AS fetched,
    status, mime, charset, charset_from, date, length,
    answers.characters, answers.encoding,
    IF({linked} = 0 AND captures.page IS NULL AND answers.page IS NULL, 1, 0) AS pending
FROM {pages} AS pages
LEFT JOIN {captures} AS captures ON captures.page = pages.page
LEFT JOIN {answers} AS answers ON answers.page = pages.page
LEFT JOIN {labels} AS best ON best.label = answers.label
LEFT JOIN {labels} AS second ON second.label = answers.runner_up_label
"""
_TABLES: Final = {name: f"{{{name}}}" for name in ("pages", "captures", "answers", "labels")}  # which Spark puts in
_FEW: Final = 500_000  # rows that are sent to all executors
_SITES = """
SELECT
    host, FIRST(domain) AS domain, FIRST(suffix) AS suffix, FIRST(tld) AS tld, language,
    SUM(fetched) AS pages,
    COUNT(*) - SUM(fetched) AS unfetched,
    AVG(confidence) AS confidence,
    SUM(COALESCE(length, 0)) AS length
FROM {pages}
GROUP BY host, language
"""


def languages_of(
    pages: Any, captures: Any, answers: Any, labels: Iterable[str], *, method: str, run: int, linked: bool = True
) -> Any:
    """One row a page with its language: the columns of the view ``page_languages``.

    Args:
        pages: all pages.
        captures: those that were fetched.
        answers: ``page``, ``label``, ``confidence``, ``runner_up_label``, ``runner_up_confidence``, ``characters`` and
            ``encoding``, for some pages.
        labels: that answers may have.
        method: of the run that answers.
        run: its number.
        linked: whether it answers for URLs that were only linked to; else they are pending.
    """
    spark = pages.sparkSession
    known = [(label, *split(label)) for label in sorted({*labels, languages.UND, languages.ZXX})]
    table = spark.createDataFrame(known, "label string, language string, script string").hint("broadcast")
    # Nothing is sorted: what is small goes to all executors, the rest is looked up in a table of hashes.
    few = captures.count() <= _FEW
    ways = {"captures": few, "answers": few and not linked}
    hints = ", ".join(f"{'BROADCAST' if small else 'SHUFFLE_HASH'}({name})" for name, small in ways.items())
    sql = _LANGUAGES.format(hints=hints, method=method, run=run, linked=int(linked), **_TABLES)
    return spark.sql(sql, pages=pages, captures=captures, answers=answers, labels=table)


def split(label: str) -> tuple[str, str | None]:
    """Language and script of a label; no script where there is no language.

    >>> split("srp_Cyrl"), split("und")
    (('srp', 'Cyrl'), ('und', None))
    """
    return (label, None) if label in {languages.UND, languages.ZXX} else languages.split(label)


def sites_of(pages: Any) -> Any:
    """One row a host and language: the columns of the view ``site_languages``.

    Args:
        pages: of `languages_of`.
    """
    return pages.sparkSession.sql(_SITES, pages=pages)
