"""Count the figures of the report once, in a few passes over the database, as plain values."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages, territories
from graphlang.codes.languages import find_name
from graphlang.db import values
from graphlang.maps import languages as language_lists
from graphlang.maps.changes import PageChangeCount, count_year_changes
from graphlang.maps.language_graph import LanguageGraph, read_first_graph
from graphlang.maps.selection import FLOOR, IS_PAGE, Selection, count_unanswered, find_outdated, gather, write_total
from graphlang.maps.sites import SHORT, SURE, SiteRow, read_site_map

if TYPE_CHECKING:
    import sqlite3

#: Rows of long tables: the report of any collection stays small.
LANGUAGES: Final = 250
SITES: Final = 200
LINKED: Final = 20
CHANGES: Final = 40
PROBLEMS: Final = 50
DOUBTFUL: Final = 8
OTHERS: Final = 12  # reasons why captures do not count
OPEN_RUNS: Final = 5  # more are folded
#: Languages with a chart of their years, and rows of what changed between the last two years.
CHARTS: Final = 12
YEAR_CHANGES: Final = 15
#: Lower bounds of classes of length, in letters.
LENGTHS: Final = (0, 1, 25, 50, 100, 300, 1_000)


class LanguagePages(NamedTuple):
    """Pages in a language."""

    language: str
    name: str
    expected: float
    share: float


class Place(NamedTuple):
    """A site, a country or a year with its languages, the one with the greatest share first."""

    name: str
    pages: int
    parts: list[LanguagePages]


class LengthClass(NamedTuple):
    """Pages whose text has a number of letters in this class."""

    letters: str  #: ``25 to 49``
    pages: int
    by_text: float  #: mean confidence by the text alone
    with_links: float  #: mean confidence by the chosen run


class SettledPage(NamedTuple):
    """A page that has another language by its links than by its text, or one at all."""

    url: str
    title: str
    text: str  #: its beginning
    letters: int
    before: str
    before_confidence: float
    after: str
    after_confidence: float
    neighbours: list[tuple[str, int]]  #: languages of linked pages, with their numbers, the commonest first


class YearChanges(NamedTuple):
    """Changes between two years."""

    years: tuple[str, str]
    languages: list[PageChangeCount]
    sites: list[PageChangeCount]


@dataclass(frozen=True)
class Facts:
    """Everything that the report shows."""

    pages: int
    unfetched: int
    uncertain: int  #: pages with a language, and a confidence under `SURE`
    classified: bool  #: whether there is a run
    outdated: int | None  #: the chosen run, where it lacks captures that were read since
    captures: int
    files: int
    dates: tuple[str, str]
    languages: list[language_lists.LanguageRow]
    countries: list[Place]
    elsewhere: int  #: pages under top-level domains of no country
    sites: list[Place]
    all_sites: int
    years: list[Place]
    year_changes: YearChanges | None
    unanswered: int  #: pages of other years that no run has answered for
    links: LanguageGraph
    components: bool  #: whether these languages have components and diameters
    off_site: bool  #: whether links between sites are counted; if there are none, all links are
    lengths: list[LengthClass]
    changed: int
    short: int
    resolved: int
    changes: list[SettledPage]
    unreadable: int
    problems: list[tuple[str, int, str, str]]  #: kind, number, a reason, a URL
    other_status: list[tuple[str, int]]  #: captures that do not count, by reason
    runs: list[dict[str, Any]]
    sources: list[tuple[str, int, int]]  #: name, bytes, whether the whole file was read


def count_facts(connection: sqlite3.Connection) -> Facts:
    """Count everything that the report shows, by the chosen run."""
    with gather(connection, Selection()) as selection:
        facts = _count_all(connection, selection)
    return replace(facts, year_changes=_count_year_changes(connection, facts.years))


def _count_all(connection: sqlite3.Connection, selection: Selection) -> Facts:
    source, values = selection.write_source()
    pages, unfetched, uncertain = connection.execute(
        f"SELECT COALESCE(SUM(fetched), 0), COUNT(*) - COALESCE(SUM(fetched), 0),"
        " COUNT(*) FILTER (WHERE fetched = 1 AND confidence < :sure AND language NOT IN ('und', 'zxx'))"
        f" FROM {source}",
        values | {"sure": SURE},
    ).fetchone()
    (captures,) = connection.execute("SELECT COUNT(*) FROM captures").fetchone()
    (unreadable,) = connection.execute("SELECT COUNT(*) FROM problems").fetchone()
    first, last = connection.execute("SELECT MIN(date), MAX(date) FROM captures WHERE date <> ''").fetchone()
    rows = [SiteRow._make(row) for row in read_site_map(connection, ["domain"], selection).rows]
    sites = _list_places(rows)
    countries = _list_places(_read_map(connection, "country", selection))
    # An unfetched URL may have no answer yet, and has a guess at best.
    fetched = replace(selection, fetched=True)
    (all_links,) = connection.execute("SELECT COUNT(*) FROM links").fetchone()
    components = all_links <= _COMPONENTS
    unit, links = read_first_graph(connection, fetched, ("domain", "page"), components=components)
    changed, changes = _list_settled_pages(connection, source, values)
    runs = _list_runs(connection)
    return Facts(
        pages=pages,
        unfetched=unfetched,
        uncertain=uncertain,
        classified=bool(runs),
        outdated=find_outdated(connection),
        captures=captures,
        files=connection.execute("SELECT COUNT(*) FROM sources").fetchone()[0],
        dates=((first or "")[:10], (last or "")[:10]),
        languages=language_lists.list_languages(connection, selection),
        countries=[place for place in countries if place.name],
        elsewhere=sum(place.pages for place in countries if not place.name),
        sites=sites[:SITES],
        all_sites=len(sites),
        years=sorted(_list_places(_read_map(connection, "year", selection)), key=lambda place: place.name),
        year_changes=None,
        unanswered=count_unanswered(connection),
        links=links,
        components=components,
        off_site=unit == "domain",
        lengths=_count_by_length(connection, source, values),
        changed=changed,
        short=sum(row.short for row in rows),
        resolved=sum(row.resolved for row in rows),
        changes=changes,
        unreadable=unreadable,
        problems=connection.execute(
            "SELECT kind, COUNT(*), MIN(reason), MIN(COALESCE(url, '')) FROM problems GROUP BY kind"
            " ORDER BY 2 DESC, 1 LIMIT ?",
            (PROBLEMS,),
        ).fetchall(),
        other_status=connection.execute(
            "SELECT CASE WHEN status <> 200 THEN 'status ' || status"
            " ELSE 'no text: ' || CASE WHEN mime = '' THEN 'no media type' ELSE mime END END, COUNT(*)"
            f" FROM captures WHERE NOT ({' AND '.join(IS_PAGE)})"
            " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?",
            (OTHERS,),
        ).fetchall(),
        runs=runs,
        sources=connection.execute(
            "SELECT name, bytes, finished FROM sources ORDER BY id LIMIT ?", (SITES,)
        ).fetchall(),
    )


_COMPONENTS: Final = 5_000_000  # links up to which components and diameters are worth their time


def _read_map(connection: sqlite3.Connection, unit: str, selection: Selection) -> list[SiteRow]:
    return [SiteRow._make(row) for row in read_site_map(connection, [unit], selection).rows]


def _list_places(rows: list[SiteRow]) -> list[Place]:
    places: dict[str, list[SiteRow]] = {}
    for row in rows:
        places.setdefault(str(row.site), []).append(row)
    return [
        Place(
            name,
            sum(row.pages for row in listed),
            sorted(
                (LanguagePages(row.language, row.name, row.expected, row.share) for row in listed),
                key=lambda language: -language.share,
            ),
        )
        for name, listed in places.items()
    ]


def _count_year_changes(connection: sqlite3.Connection, years: list[Place]) -> YearChanges | None:
    """Count what changed between the last two years."""
    dated = [place.name for place in years if place.name]
    if len(dated) < 2:  # noqa: PLR2004 - a change needs two
        return None
    last = (dated[-2], dated[-1])
    by_language, by_site = (
        [row for row in count_year_changes(connection, last, Selection(), by) if any(row[3:])]
        for by in ("language", "domain")
    )
    return YearChanges(last, by_language[:YEAR_CHANGES], by_site[:YEAR_CHANGES])


def name_country(code: str) -> str:
    """Return the English name of a territory.

    >>> name_country("de"), name_country("gb")
    ('Germany', 'United Kingdom')
    """
    name = find_name("territory", code.upper()) or code
    return f"{name} (domain sold to all the world)" if code in territories.GENERIC_CCTLDS else name


def name_official_languages(code: str) -> str:
    """Return the names of the languages that are official in a territory."""
    return ", ".join(languages.name(language) for language in territories.list_official_languages(code)[:4])


def _count_by_length(connection: sqlite3.Connection, source: str, values: dict[str, Any]) -> list[LengthClass]:
    steps = " ".join(f"WHEN letters < {end} THEN {place}" for place, end in enumerate(LENGTHS[1:]))
    rows = connection.execute(
        f"SELECT CASE {steps} ELSE {len(LENGTHS) - 1} END, COUNT(*),"
        f" {write_total('own_confidence', _HAS_LANGUAGE.format('own_language'))},"
        f" {write_total('confidence', _HAS_LANGUAGE.format('language'))}"
        f" FROM {source} WHERE fetched = 1 GROUP BY 1 ORDER BY 1",
        values,
    )
    return [
        LengthClass(_name_class(place), pages, by_text / pages, with_links / pages)
        for place, pages, by_text, with_links in rows
    ]


_HAS_LANGUAGE: Final = "{} NOT IN ('und', 'zxx')"


def _name_class(place: int) -> str:
    if place == len(LENGTHS) - 1:
        return f"{LENGTHS[place]:,} or more"
    first, last = LENGTHS[place], LENGTHS[place + 1] - 1
    return f"{first}" if first == last else f"{first} to {last}"


_CHANGED: Final = (
    " FROM {source} WHERE fetched = 1 AND own_language <> language AND language NOT IN ('und', 'zxx')"
    " AND COALESCE(method, '') <> 'correction'"
)


#: The most certain first, equals as they were read.
_ORDER: Final = "confidence DESC, own_confidence DESC, file, place"


def _list_settled_pages(
    connection: sqlite3.Connection, source: str, values: dict[str, Any]
) -> tuple[int, list[SettledPage]]:
    (count,) = connection.execute(f"SELECT COUNT(*){_CHANGED.format(source=source)}", values).fetchone()
    rows = connection.execute(
        "SELECT changed.page, url, COALESCE(title, ''), SUBSTR(COALESCE(text, ''), 1, 80), letters, own_language,"
        " own_confidence, language, confidence FROM ("
        "SELECT candidates.*, captures.source AS file, captures.offset AS place"
        f" FROM (SELECT *{_CHANGED.format(source=source)}) AS candidates"
        " JOIN captures ON captures.page = candidates.page"
        f" ORDER BY {_ORDER}, candidates.page LIMIT :most) AS changed"
        " LEFT JOIN pages ON pages.id = changed.page LEFT JOIN texts ON texts.page = changed.page"
        f" ORDER BY {_ORDER}, changed.page",
        values | {"most": CHANGES},
    ).fetchall()
    neighbours = _count_neighbours(connection, source, values, [row[0] for row in rows])
    return count, [
        SettledPage._make((url, title, " ".join(text.split()), *answers, neighbours[page]))
        for page, url, title, text, *answers in rows
    ]


def _count_neighbours(
    connection: sqlite3.Connection, source: str, values: dict[str, Any], pages: list[int]
) -> dict[int, list[tuple[str, int]]]:
    """Count the fetched pages with links from or to each of these pages, by language."""
    listed: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    if not pages:
        return listed
    numbers = ", ".join(map(str, pages))
    rows = connection.execute(
        "SELECT pairs.page, neighbours.language, COUNT(DISTINCT neighbours.page) FROM ("
        f"SELECT source AS page, target AS neighbour FROM links WHERE source IN ({numbers})"
        f" UNION ALL SELECT target, source FROM links WHERE target IN ({numbers})) AS pairs"
        f" JOIN {source} AS neighbours ON neighbours.page = pairs.neighbour WHERE neighbours.fetched = 1"
        " AND neighbours.language NOT IN ('und', 'zxx') GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2",
        values,
    )
    for page, language, count in rows:
        listed[page].append((language, count))
    return listed


def _list_runs(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    cursor = connection.execute(
        "SELECT id, kind, method, model, model_hash, parameters, seeds, version, started, finished, pages, rounds,"
        " converged, id = (SELECT run FROM chosen) AS chosen FROM runs WHERE finished IS NOT NULL ORDER BY id"
    )
    names = [name for name, *_ in cursor.description]
    runs = [dict(zip(names, row, strict=True)) for row in cursor]
    for run in runs:
        parameters = values.parse_json("runs.parameters", run["parameters"], dict)
        # Those of a trained model fill pages; the database has them.
        short = {name: value for name, value in parameters.items() if len(json.dumps(value)) <= _LONGEST}
        run["parameters"] = json.dumps(short, ensure_ascii=False)
        run["left_out"] = len(parameters) - len(short)
    return runs


_LONGEST: Final = 200

__all__ = ["FLOOR", "SHORT", "SURE", "Facts", "LanguagePages", "LengthClass", "Place", "count_facts", "name_country"]
