"""The language map: pages counted by site and language, by the chosen run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graphlang import languages

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

#: What a site can be: the column of ``page_languages`` that pages are grouped by.
UNITS = ("host", "domain", "suffix", "tld", "path")


class Row(NamedTuple):
    """Pages of one language on one site."""

    site: str
    language: str
    name: str  #: of the language, in English
    pages: int  #: that were read
    unfetched: int  #: that were only linked to
    share: float  #: of the site's pages that were read (of its unfetched ones where none was)
    confidence: float  #: mean over all of them
    length: int  #: characters of visible text


def language_map(connection: sqlite3.Connection, by: str = "host", *, min_confidence: float = 0.0) -> list[Row]:
    """The map, greatest sites first and within a site the commonest language first.

    Args:
        connection: a collection; its chosen run gives the languages.
        by: ``host``, ``domain`` (registered domain), ``suffix`` (public suffix), ``tld``, or ``path`` (host and first
            folder of the path).
        min_confidence: pages below count as ``und``.

    Raises:
        ValueError: ``by`` is none of these.
    """
    if by not in UNITS:
        msg = f"cannot group by {by}; there are {', '.join(UNITS)}"
        raise ValueError(msg)
    site = by
    if by == "path":
        connection.create_function("first_folder", 1, first_folder, deterministic=True)
        site = "first_folder(url)"
    rows = connection.execute(
        f"SELECT {site} AS site, CASE WHEN confidence < :least THEN 'und' ELSE language END AS spoken,"
        " SUM(fetched), COUNT(*) - SUM(fetched), AVG(confidence), SUM(COALESCE(length, 0))"
        " FROM page_languages GROUP BY 1, 2",
        {"least": min_confidence},
    ).fetchall()
    return _rank(rows)


def _rank(rows: Sequence[tuple[str, str, int, int, float, int]]) -> list[Row]:
    read: dict[str, int] = {}
    linked: dict[str, int] = {}
    for site, _, pages, unfetched, *_ in rows:
        read[site] = read.get(site, 0) + pages
        linked[site] = linked.get(site, 0) + unfetched
    result = [
        Row(
            site,
            language,
            languages.name(language),
            pages,
            unfetched,
            pages / read[site] if read[site] else unfetched / linked[site],
            confidence,
            length,
        )
        for site, language, pages, unfetched, confidence, length in rows
    ]
    result.sort(
        key=lambda row: (-read[row.site], -linked[row.site], row.site, -row.pages, -row.unfetched, row.language)
    )
    return result


def first_folder(url: str) -> str:
    """Host and first folder of a URL's path.

    >>> first_folder("http://a.example/fr/guide/x.html")
    'a.example/fr/'
    >>> first_folder("http://a.example/index.html?q=/x/")
    'a.example/'
    """
    host, _, rest = url.partition("://")[2].partition("/")
    folder, slash, _ = rest.partition("?")[0].partition("/")
    return f"{host}/{folder}/" if slash else f"{host}/"
