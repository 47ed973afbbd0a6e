"""The language map: pages counted by site and language, by the chosen run."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages
from graphlang.codes.territories import territory
from graphlang.maps import shares
from graphlang.maps.gathered import beside_own_text, gather, has_answered_history
from graphlang.maps.selection import Selection, content_run, total

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence


#: What a site can be. Several together make a finer one.
UNITS: Final = ("host", "domain", "suffix", "tld", "country", "path", "year")
#: A page with fewer letters is short: the graph is for them (Hayati 2004, table 5.1).
SHORT: Final = 50
#: A confidence from which an answer is one; below it a page by itself is in doubt.
SURE: Final = 0.8
_EXPRESSIONS: Final = {"country": "country(tld)", "path": "first_folder(url)", "year": "SUBSTR(date, 1, 4)"}
_NEEDED: Final = {"country": "tld", "path": "url", "year": "date"}
_COUNTS: Final = 7  # of pages of a site and language, in a row


class SiteRow(NamedTuple):
    """Pages of one language on one site."""

    site: str  #: its name; with several units (`--by host --by tld`) a column for each, of the unit's name
    language: str  #: ISO 639-3
    name: str  #: of the language, in English
    pages: int  #: that were read
    unfetched: int  #: that were only linked to
    #: of the site's pages that were read, those in several languages by their shares (of its unfetched pages where none
    #: was read)
    share: float
    confidence: float  #: mean of the pages that were read (of the unfetched ones where none was)
    length: int  #: characters of visible text
    #: pages that were read with fewer than 50 letters (`SHORT`); where no run has counted them, characters
    short: int
    resolved: int  #: short pages that are in doubt by their own text, and not by the chosen run
    also: int  #: pages that were read, are in another language, and in this one in part


class Map(NamedTuple):
    """A language map."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def language_map(
    connection: sqlite3.Connection,
    by: str | Sequence[str] = "host",
    *,
    min_confidence: float = 0.0,
    selection: Selection | None = None,
    scripts: bool = False,
) -> list[SiteRow]:
    """Map languages by one unit: greatest sites first, within a site the commonest language first."""
    units = (by,) if isinstance(by, str) else tuple(by)
    table = site_map(connection, units, selection or Selection(min_confidence=min_confidence), scripts=scripts)
    width = len(units)
    return [SiteRow(" ".join(row[:width]), *row[width:]) for row in table.rows]


def site_map(
    connection: sqlite3.Connection, units: Sequence[str], selection: Selection, *, scripts: bool = False
) -> Map:
    """Map languages by one or several units: a column for each unit (``site`` if one), then those of `SiteRow`.

    The greatest sites come first, the years of each in their order, and of a year the commonest language first.
    """
    for unit in units:
        if unit not in UNITS:
            raise ValueError(f"cannot group by {unit}; there are {', '.join(UNITS)}")
    if len(set(units)) < len(units) or not units:
        raise ValueError(f"cannot group by {','.join(units)}: name each unit once")
    scripts = scripts or any(choice.script for choice in selection.choices)
    connection.create_function("first_folder", 1, first_folder, deterministic=True)
    connection.create_function("country", 1, _country, deterministic=True)
    by_year = "year" in units
    if by_year and has_answered_history(connection):
        needed = [_NEEDED.get(unit, unit) for unit in units]
        with gather(connection, selection, extra=needed, yearly=True) as at_hand:
            return _map(connection, units, at_hand, scripts=scripts, of_captures=True)
    return _map(connection, units, selection, scripts=scripts)


def _map(
    connection: sqlite3.Connection,
    units: Sequence[str],
    selection: Selection,
    *,
    scripts: bool,
    of_captures: bool = False,
) -> Map:
    source, values = selection.source(with_languages=False, of=selection.view)
    sites = [_EXPRESSIONS.get(unit, unit) for unit in units]
    values |= {"short": SHORT, "sure": SURE, "own": content_run(connection)}
    query = (
        f"SELECT {', '.join(sites)}, language, {'script' if scripts else 'NULL'},"
        f" SUM(fetched), COUNT(*) - SUM(fetched), {total('confidence', 'fetched = 1')}, {total('confidence')},"
        " SUM(COALESCE(length, 0)), COUNT(*) FILTER (WHERE fetched = 1 AND letters < :short),"
        " COUNT(*) FILTER (WHERE fetched = 1 AND letters < :short AND confidence >= :sure"
        " AND (COALESCE(own_confidence, 0) < :sure OR own_language IN ('und', 'zxx'))"
        " AND language NOT IN ('und', 'zxx') AND COALESCE(method, '') <> 'correction')"
        f" FROM {source if selection.gathered else beside_own_text(source)}"
        f"{' WHERE fetched = 1' if 'year' in units else ''} GROUP BY {_first(len(units) + 2)}"
        f" ORDER BY {_first(len(units) + 2)}"
    )
    columns = ("site",) if len(units) == 1 else tuple(units)
    script = "parts.script, pages.script" if scripts else "NULL, NULL"
    in_part = connection.execute(
        f"SELECT {', '.join(sites)}, parts.language, pages.language, {script}, COUNT(DISTINCT pages.page),"
        f" {total('page_shares.share')}{shares.join_shares(source, of_captures=of_captures, scripts=scripts)}"
        f" GROUP BY {_first(len(units) + 4)} ORDER BY {_first(len(units) + 4)}",
        values,
    )
    ranked = _ranked(connection.execute(query, values), in_part, units)
    rows = [row for row in ranked if selection.takes(*_parts(row[len(units)]))]
    return Map((*columns, *SiteRow._fields[1:]), rows)


def _first(count: int) -> str:
    """Write SQL for the first columns by their places."""
    return ", ".join(str(place + 1) for place in range(count))


def _parts(label: str) -> tuple[str, str | None]:
    language, _, script = label.partition("_")
    return language, script or None


def _ranked(
    rows: Iterable[tuple[Any, ...]], in_part: Iterable[tuple[Any, ...]], units: Sequence[str]
) -> list[tuple[Any, ...]]:
    width = len(units)
    listed = list(rows)
    also: dict[tuple[Any, ...], int] = {}
    gained: dict[tuple[Any, ...], float] = {}  # pages, of those in another language
    for row in in_part:
        language, answer, script, of_answer, pages, share = row[width:]
        its, lost = (*row[:width], language, script), (*row[:width], answer, of_answer)
        also[its] = also.get(its, 0) + pages
        gained[its] = gained.get(its, 0.0) + share
        gained[lost] = gained.get(lost, 0.0) - share
    known = {row[: width + 2] for row in listed}
    listed += [(*its, *[0] * _COUNTS) for its in also if its not in known]
    read: dict[tuple[Any, ...], int] = {}
    linked: dict[tuple[Any, ...], int] = {}
    for row in listed:
        site = row[:width]
        read[site] = read.get(site, 0) + row[width + 2]
        linked[site] = linked.get(site, 0) + row[width + 3]
    result: list[tuple[Any, ...]] = []
    for row in listed:
        site, (language, script, pages, unfetched, sure, all_sure, *rest) = row[:width], row[width:]
        label = f"{language}_{script}" if script else language
        its = (*site, language, script)
        share = (pages + gained.get(its, 0.0)) / read[site] if read[site] else unfetched / linked[site]
        confidence = sure / pages if pages else all_sure / unfetched if unfetched else 0.0
        counts = (pages, unfetched, share, confidence, *rest, also.get(its, 0))
        result.append((*site, label, languages.name(label), *counts))
    # Years come in their order: of a site, or where they come first, the sites of a year.
    place = units.index("year") if "year" in units else width
    years_first = place == 0
    whole = {site: (site[0],) if years_first else (*site[:place], *site[place + 1 :]) for site in read}
    totals: dict[tuple[Any, ...], tuple[int, int]] = {}
    for site, its in whole.items():
        before = totals.get(its, (0, 0))
        totals[its] = (0, 0) if years_first else (before[0] - read[site], before[1] - linked[site])

    def rank(row: tuple[Any, ...]) -> tuple[Any, ...]:
        site = row[:width]
        within = (-read[site], -linked[site], site) if years_first else (site,)
        return (
            *(totals[whole[site]], whole[site], *within),
            *(-row[width + 2], -row[width + 3], -row[-1], row[width]),
        )

    result.sort(key=rank)
    return result


@cache
def _country(tld: str) -> str:
    return territory(tld) or ""


def first_folder(url: str) -> str:
    """Return host and first folder of a URL.

    >>> first_folder("http://a.example/fr/guide/x.html")
    'a.example/fr/'
    >>> first_folder("http://a.example/index.html?q=/x/")
    'a.example/'
    """
    host, _, rest = url.partition("://")[2].partition("/")
    folder, slash, _ = rest.partition("?")[0].partition("/")
    return f"{host}/{folder}/" if slash else f"{host}/"


class Site(NamedTuple):
    """A host or domain with its commonest language."""

    site: str
    language: str  #: ISO 639-3; where the selection wants a script, with that: ``zho_Hant``
    share: float  #: of the language
    confidence: float  #: mean of its pages in that language
    pages: int
    unfetched: int
    length: int  #: characters of visible text
    languages: str  #: all of them with their shares: ``deu 0.800, fra 0.200``


def list_sites(connection: sqlite3.Connection, unit: str, selection: Selection) -> Iterator[Site]:
    """Yield one row for each host or domain."""
    rows = site_map(connection, [unit], selection).rows
    for site, group in groupby(rows, key=lambda row: str(row[0])):
        site_rows = list(group)
        pages, unfetched, length = (sum(row[column] for row in site_rows) for column in (3, 4, 7))
        parts = ", ".join(f"{row[1]} {row[5]:.3f}" for row in site_rows)
        yield Site(site, site_rows[0][1], site_rows[0][5], site_rows[0][6], pages, unfetched, length, parts)
