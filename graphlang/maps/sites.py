"""The language map: pages counted by site and language, by the chosen run."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages
from graphlang.codes.territories import find_territory
from graphlang.maps import shares
from graphlang.maps.page_counts import PageCounts, write_spread_query
from graphlang.maps.selection import (
    Selection,
    find_content_run,
    gather,
    has_answered_history,
    select_inferred_pages,
    write_total,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence


#: Units of a site; several together make a finer one.
UNITS: Final = ("host", "domain", "suffix", "tld", "country", "path", "year")
#: A page with fewer letters is short: the graph is for them (Hayati 2004, table 5.1).
SHORT: Final = 50
#: Minimum confidence of a certain answer; below it a page alone is in doubt.
SURE: Final = 0.8
_EXPRESSIONS: Final = {"country": "country(tld)", "path": "first_folder(url)", "year": "SUBSTR(date, 1, 4)"}
_NEEDED: Final = {"country": "tld", "path": "url", "year": "date"}
_STEPS: Final = 50  # classes of confidence: few, for each site has its own


class SiteRow(NamedTuple):
    """Pages of one language on one site."""

    site: str  #: its name; with several units (`--by host --by tld`) a column for each, of the unit's name
    language: str  #: ISO 639-3
    name: str  #: of the language, in English
    expected: float  #: expected number of pages: the sum of the probabilities
    low: int  #: lower end of a 95 % interval for the number of pages
    high: int  #: upper end
    #: of the expected pages of the site, pages in several languages by their shares (of unfetched URLs where no page
    #: was read)
    share: float
    pages: int  #: fetched pages with this answer
    confidence: float  #: mean of the fetched pages (of the unfetched URLs where there is none)
    also: int  #: fetched pages with another answer that are in this language in part
    unfetched: int  #: URLs that were only linked to
    length: int  #: characters of visible text
    short: int  #: fetched pages with fewer than 50 letters (or characters)
    resolved: int  #: short pages that are in doubt by their own text, and not by the chosen run


class LanguageMap(NamedTuple):
    """A language map."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


def read_language_map(
    connection: sqlite3.Connection,
    by: str | Sequence[str] = "host",
    *,
    min_confidence: float = 0.0,
    selection: Selection | None = None,
    scripts: bool = False,
) -> list[SiteRow]:
    """Map languages by one unit: greatest sites first, within a site the commonest language first."""
    units = (by,) if isinstance(by, str) else tuple(by)
    table = read_site_map(connection, units, selection or Selection(min_confidence=min_confidence), scripts=scripts)
    width = len(units)
    return [SiteRow(" ".join(row[:width]), *row[width:]) for row in table.rows]


def read_site_map(
    connection: sqlite3.Connection,
    units: Sequence[str],
    selection: Selection,
    *,
    scripts: bool = False,
    unfetched: bool = False,
) -> LanguageMap:
    """Map languages by one or several units: a column for each unit (``site`` if one), then those of `SiteRow`.

    The largest sites come first, their years in order, and the languages of a year by frequency. With ``unfetched``,
    languages and sites that have only unfetched URLs have rows, too.
    """
    for unit in units:
        if unit not in UNITS:
            raise ValueError(f"cannot group by {unit}; there are {', '.join(UNITS)}")
    if len(set(units)) < len(units) or not units:
        raise ValueError(f"cannot group by {','.join(units)}: name each unit once")
    scripts = scripts or any(choice.script for choice in selection.choices)
    connection.create_function("first_folder", 1, find_first_folder, deterministic=True)
    connection.create_function("country", 1, _find_country, deterministic=True)
    by_year = "year" in units
    if by_year and has_answered_history(connection):
        needed = [_NEEDED.get(unit, unit) for unit in units]
        with gather(connection, selection, extra=needed, yearly=True) as subset:
            return _read_map(connection, units, subset, scripts=scripts, unfetched=unfetched, of_captures=True)
    return _read_map(connection, units, selection, scripts=scripts, unfetched=unfetched)


class _SiteLanguage(PageCounts):
    def __init__(self, language: str) -> None:
        super().__init__(language)
        self.short = self.resolved = 0


class _SiteCounts:
    """Languages of a site."""

    def __init__(self) -> None:
        self.languages: dict[str, _SiteLanguage] = {}

    def find(self, language: str, script: str | None) -> _SiteLanguage:
        label = f"{language}_{script}" if script else language
        counts = self.languages.get(label)
        if counts is None:
            counts = self.languages[label] = _SiteLanguage(label)
        return counts

    @property
    def pages(self) -> int:
        return sum(counts.pages for counts in self.languages.values())

    @property
    def unfetched(self) -> int:
        return sum(counts.unfetched for counts in self.languages.values())

    def list_rows(self, *, unfetched: bool) -> list[tuple[Any, ...]]:
        """List the fields of `SiteRow` after ``site``, the commonest language first."""
        weights = {label: counts.weight for label, counts in self.languages.items()}
        weight, urls = sum(weights.values()), self.unfetched
        listed = [counts for counts in self.languages.values() if counts.has_row(weight, unfetched=unfetched)]
        weight = sum(weights[counts.language] for counts in listed)
        rows = []
        for counts in listed:
            share = counts.unfetched / urls if urls else 0.0
            if weight:
                share = weights[counts.language] / weight
            name, (low, high) = languages.name(counts.language), counts.find_interval()
            rows.append(
                (
                    *(counts.language, name, counts.expected, low, high, share, counts.pages, counts.mean_confidence),
                    *(counts.also, counts.unfetched, counts.length, counts.short, counts.resolved),
                )
            )
        rows.sort(key=lambda row: (-round(row[2], 6), -row[9], -row[8], row[0]))
        return rows


def _read_map(
    connection: sqlite3.Connection,
    units: Sequence[str],
    selection: Selection,
    *,
    scripts: bool,
    unfetched: bool,
    of_captures: bool = False,
) -> LanguageMap:
    source, values = selection.write_source(with_languages=False, table=selection.view)
    keys = [_EXPRESSIONS.get(unit, unit) for unit in units]
    values |= {"short": SHORT, "sure": SURE, "own": find_content_run(connection)}
    places = ", ".join(str(place + 1) for place in range(len(units) + 5))
    # One pass: pages with the same answers and similar confidences come together. The sums are exact.
    query = (
        f"SELECT {', '.join(keys)}, language, {'script' if scripts else 'NULL'},"
        " CASE WHEN fetched = 1 AND runner_up <> language THEN runner_up END,"
        f" CASE WHEN fetched = 1 THEN CAST(confidence * {_STEPS} AS INTEGER) END,"
        f" CASE WHEN fetched = 1 THEN CAST(runner_up_confidence * {_STEPS} AS INTEGER) END,"
        f" SUM(fetched), COUNT(*) - SUM(fetched), {write_total('confidence', 'fetched = 1')},"
        f" {write_total('confidence')},"
        f" {write_total('runner_up_confidence', 'fetched = 1')},"
        " SUM(COALESCE(length, 0)), COUNT(*) FILTER (WHERE fetched = 1 AND letters < :short),"
        " COUNT(*) FILTER (WHERE fetched = 1 AND letters < :short AND confidence >= :sure"
        " AND (COALESCE(own_confidence, 0) < :sure OR own_language IN ('und', 'zxx'))"
        " AND language NOT IN ('und', 'zxx') AND COALESCE(method, '') <> 'correction')"
        f" FROM {source if selection.gathered else select_inferred_pages(source)}"
        f"{' WHERE fetched = 1' if 'year' in units else ''} GROUP BY {places} ORDER BY {places}"
    )
    width = len(units)
    sites: dict[tuple[Any, ...], _SiteCounts] = {}
    for row in connection.execute(query, values):
        site = sites.setdefault(row[:width], _SiteCounts())
        language, script, runner_up, _, _, pages, urls, sure, all_sure, second, *lengths = row[width:]
        counts = site.find(language, script)
        counts.add_pages(pages, sure)
        counts.unfetched += urls
        counts.unfetched_confidence += all_sure - sure
        counts.length += lengths[0]
        counts.short += lengths[1]
        counts.resolved += lengths[2]
        if runner_up is not None and not scripts:
            site.find(runner_up, None).add_chances(pages, second)
    read = replace(selection, fetched=True)  # SQLite scans these alone, not all URLs
    read_source, _ = read.write_source(with_languages=False, table=read.view)
    spread = write_spread_query(connection, read_source, keys, scripts=scripts)
    for row in connection.execute(spread, values) if selection.fetched is not False else ():
        language, script, variance, undetermined = row[width:]
        counts = sites[row[:width]].find(language, script)
        counts.variance, counts.undetermined = float(variance), undetermined
    for row in connection.execute(
        shares.write_parts_query(source, keys, of_captures=of_captures, scripts=scripts), values
    ):
        site = sites[row[:width]]
        language, answer, script, answer_script, pages, share = row[width:]
        counts = site.find(language, script)
        counts.also += pages
        counts.parts += share
        site.find(answer, answer_script).parts -= share
    columns = ("site",) if width == 1 else tuple(units)
    unfetched = unfetched or selection.fetched is False or selection.everything
    rows = [
        (*key, *row)
        for key in _rank_sites(sites, units)
        for row in sites[key].list_rows(unfetched=unfetched)
        if selection.includes_label(row[0])
    ]
    return LanguageMap((*columns, *SiteRow._fields[1:]), rows)


def _rank_sites(sites: dict[tuple[Any, ...], _SiteCounts], units: Sequence[str]) -> list[tuple[Any, ...]]:
    """Rank sites: greatest first, the years of a site in their order; or by year, and within a year greatest first."""
    place = units.index("year") if "year" in units else len(units)
    years_first = place == 0
    groups = {key: (key[0],) if years_first else (*key[:place], *key[place + 1 :]) for key in sites}
    sizes = {key: (-site.pages, -site.unfetched) for key, site in sites.items()}
    totals: dict[tuple[Any, ...], tuple[int, int]] = {}
    for key, group in groups.items():
        pages, unfetched = totals.get(group, (0, 0))
        totals[group] = (0, 0) if years_first else (pages + sizes[key][0], unfetched + sizes[key][1])
    return sorted(sites, key=lambda key: (totals[groups[key]], groups[key], *(sizes[key] if years_first else ()), key))


@cache
def _find_country(tld: str) -> str:
    return find_territory(tld) or ""


def find_first_folder(url: str) -> str:
    """Return host and first folder of a URL.

    >>> find_first_folder("http://a.example/fr/guide/x.html")
    'a.example/fr/'
    >>> find_first_folder("http://a.example/index.html?q=/x/")
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


def list_sites(
    connection: sqlite3.Connection, unit: str, selection: Selection, *, unfetched: bool = False
) -> Iterator[Site]:
    """Yield one row for each host or domain; with ``unfetched``, also for those of which no page was read."""
    rows = map(SiteRow._make, read_site_map(connection, [unit], selection, unfetched=unfetched).rows)
    for name, group in groupby(rows, key=attrgetter("site")):
        site = list(group)
        pages, unfetched, length = (
            sum(getattr(row, field) for row in site) for field in ("pages", "unfetched", "length")
        )
        parts = ", ".join(f"{row.language} {row.share:.3f}" for row in site)
        yield Site(name, site[0].language, site[0].share, site[0].confidence, pages, unfetched, length, parts)
