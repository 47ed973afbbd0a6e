"""Pages in several languages: the parts that count for languages other than the answer.

A page's shares are those of the content run that the chosen run is based on. They count if the answer is among them:
a page with another answer (by its links, by hand, or `und` for lack of confidence) is whole. The rest belongs to the
answer.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from graphlang.codes import languages
from graphlang.maps.selection import CONTENT_RUN, find_content_run, write_total

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

_LISTED: Final = 3  # codes of a page, as in Common Crawl's index
NONE: Final = "[]"  #: `SHARES` of a page in one language


def write_shares_sql(run: str) -> str:
    """Write SQL for the shares of a page of ``pages`` by a content run, as `rank_shares` reads them.

    A value that is no share (an altered file; `graphlang.db.check` reports it) is left out.
    """
    return (
        "(SELECT JSON_GROUP_ARRAY(JSON_ARRAY(labels.language, page_shares.share)) FROM page_shares"
        f" JOIN labels ON labels.id = page_shares.label WHERE page_shares.run = {run}"
        " AND page_shares.page = pages.page"
        " AND TYPEOF(page_shares.share) = 'real' AND page_shares.share BETWEEN 0 AND 1)"
    )


#: SQL: the shares of a page of ``pages``, by the content run ``:own``, as `rank_shares` reads them.
SHARES: Final = write_shares_sql(":own")


def write_parts_query(
    source: str, units: Sequence[str] = (), *, of_captures: bool = False, scripts: bool = False
) -> str:
    """Write the query for parts of pages in other languages than the answer.

    Its columns are the units (SQL), the language, the answer, the scripts of both (NULL without ``scripts``), pages,
    and the sum of the shares, each times the confidence of its page. ``source`` is a subquery of pages, ``of_captures``
    is for captures of other times, and with ``scripts`` another script counts as another language.
    """
    run = CONTENT_RUN if of_captures else ":own"
    pages = f"{source} AS pages", f"page_shares ON page_shares.page = pages.page AND page_shares.run = {run}"
    if not of_captures:  # few pages have shares
        pages = "page_shares", f"{source} AS pages ON pages.page = page_shares.page AND page_shares.run = :own"
    differs = "parts.language <> pages.language"
    if scripts:
        differs += " OR COALESCE(parts.script, '') <> COALESCE(pages.script, '')"
    keys = [
        *units,
        "parts.language",
        "pages.language",
        *(("parts.script", "pages.script") if scripts else ("NULL",) * 2),
    ]
    places = ", ".join(str(place + 1) for place in range(len(keys)))
    return (
        f"SELECT {', '.join(keys)}, COUNT(DISTINCT pages.page), {write_total('page_shares.share * pages.confidence')}"
        f" FROM {pages[0]} CROSS JOIN {pages[1]} CROSS JOIN labels AS parts ON parts.id = page_shares.label"
        f" WHERE pages.fetched = 1 AND ({differs})"
        " AND pages.language IN (SELECT named.language FROM page_shares AS own"
        " JOIN labels AS named ON named.id = own.label WHERE own.run = page_shares.run AND own.page = page_shares.page)"
        f" GROUP BY {places} ORDER BY {places}"
    )


def rank_shares(language: str, shares: str) -> list[tuple[str, float]]:
    """Rank up to three languages of a page: its answer, then the others by share; none without a language.

    >>> rank_shares("cym", '[["eng",0.4],["cym",0.35],["fra",0.25]]'), rank_shares("und", NONE)
    ([('cym', 0.35), ('eng', 0.4), ('fra', 0.25)], [])
    >>> rank_shares("bre", '[["cym",0.5],["eng",0.5]]')
    [('bre', 1.0)]
    """
    if language in (languages.UND, languages.ZXX):
        return []
    if shares == NONE:
        return [(language, 1.0)]
    share_of: dict[str, float] = {}
    for name, share in json.loads(shares):
        share_of[name] = share_of.get(name, 0.0) + share
    if share_of.pop(language, None) is None:
        return [(language, 1.0)]
    rest = sorted(share_of.items(), key=lambda item: (-item[1], item[0]))
    return [(language, 1.0 - sum(share_of.values())), *rest[: _LISTED - 1]]


def format_shares(ranking: list[tuple[str, float]]) -> tuple[str, str]:
    """Return the codes and the shares of a ranking, each separated by commas.

    >>> format_shares([("cym", 0.524), ("eng", 0.476)])
    ('cym,eng', '0.52,0.48')
    """
    return ",".join(name for name, _ in ranking), ",".join(f"{share:.2f}" for _, share in ranking)


_SEVERAL: Final = "EXISTS (SELECT 1 FROM page_shares WHERE page_shares.run = {} AND page_shares.page = pages.page)"


def write_share_columns(connection: sqlite3.Connection, *, run: str = ":own") -> tuple[str, dict[str, int | None]]:
    """Write SQL for the columns ``languages`` and ``shares`` of ``pages``; return it with its values.

    Few pages have shares. The columns of the others are plain SQL, so that a list of pages stays fast.
    """
    expressions = []
    for place, (name, single) in enumerate((("languages", "pages.language"), ("shares", "'1.00'"))):
        connection.create_function(f"list_{name}", 2, _make_column_function(place), deterministic=True)
        several = f"list_{name}(CAST(pages.language AS BLOB), CAST({write_shares_sql(run)} AS BLOB))"
        expressions.append(
            f"CASE WHEN pages.language IN ('{languages.UND}', '{languages.ZXX}') THEN ''"
            f" WHEN {_SEVERAL.format(run)} THEN {several} ELSE {single} END AS {name}"
        )
    return ", ".join(expressions), {"own": find_content_run(connection)}


def _make_column_function(place: int) -> Callable[[bytes, bytes], str]:
    """Make an SQL function of bytes: SQLite refuses to pass text that is not UTF-8."""

    def read_column(language: bytes, parts: bytes) -> str:
        return _format_shares(language, parts)[place]

    return read_column


@lru_cache(maxsize=4)  # both columns of a row have the same arguments
def _format_shares(language: bytes, parts: bytes) -> tuple[str, str]:
    return format_shares(rank_shares(language.decode(errors="replace"), parts.decode(errors="replace")))
