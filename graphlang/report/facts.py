"""What the report says, as plain values: counted once, in a few passes over the database."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.codes import languages, territories
from graphlang.codes.names import name_of
from graphlang.db import values
from graphlang.maps import languages as language_lists
from graphlang.maps.gathered import gather
from graphlang.maps.language_graph import LanguageGraph, first_with_links
from graphlang.maps.selection import IS_PAGE, Selection, count_unanswered, outdated, total
from graphlang.maps.sites import SHORT, SURE, site_map

if TYPE_CHECKING:
    import sqlite3

#: Rows of long tables: the report of any collection stays small.
LANGUAGES: Final = 250
SITES: Final = 200
LINKED: Final = 20
CHANGES: Final = 40
PROBLEMS: Final = 50
DOUBTFUL: Final = 8
#: Classes of length, in letters: from which on.
LENGTHS: Final = (0, 1, 25, 50, 100, 300, 1_000)


class Part(NamedTuple):
    """Pages in a language."""

    language: str
    name: str
    pages: int
    share: float


class Place(NamedTuple):
    """A site, a country or a year with its languages, the one with the greatest share first."""

    name: str
    pages: int
    parts: list[Part]


class Length(NamedTuple):
    """Pages whose text has so many letters."""

    words: str  #: ``25 to 49``
    pages: int
    own: float  #: mean confidence by their own text
    final: float  #: mean confidence by the chosen run


class Change(NamedTuple):
    """A page that the graph gave another language than its own text, or one at all."""

    url: str
    title: str
    text: str  #: its beginning
    letters: int
    before: str
    before_confidence: float
    after: str
    after_confidence: float


@dataclass(frozen=True)
class Facts:
    """All of it."""

    pages: int
    unfetched: int
    outdated: int | None  #: the run that is shown, where it has not seen all that was read since
    captures: int
    files: int
    dates: tuple[str, str]
    languages: list[language_lists.LanguageRow]
    countries: list[Place]
    elsewhere: int  #: pages under top-level domains that are no country's
    sites: list[Place]
    all_sites: int
    years: list[Place]
    unanswered: int  #: pages of other years that no run has answered for
    links: LanguageGraph
    components: bool  #: whether these languages have components and diameters
    off_site: bool  #: whether the links are those between sites; else there are none, and all count
    lengths: list[Length]
    changed: int
    short: int
    resolved: int
    changes: list[Change]
    problems: list[tuple[str, int, str, str]]  #: kind, how many, a reason, a URL
    other_status: list[tuple[str, int]]  #: captures that do not count, by why
    runs: list[dict[str, Any]]
    sources: list[tuple[str, int, int]]  #: name, bytes, whether read to the end


def facts(connection: sqlite3.Connection) -> Facts:
    """Count all that the report says."""
    with gather(connection, Selection()) as selection:
        return _facts(connection, selection)


def _facts(connection: sqlite3.Connection, selection: Selection) -> Facts:
    source, values = selection.source()
    pages, unfetched = connection.execute(
        f"SELECT COALESCE(SUM(fetched), 0), COUNT(*) - COALESCE(SUM(fetched), 0) FROM {source}", values
    ).fetchone()
    (captures,) = connection.execute("SELECT COUNT(*) FROM captures").fetchone()
    first, last = connection.execute("SELECT MIN(date), MAX(date) FROM captures WHERE date <> ''").fetchone()
    hosts = site_map(connection, ["domain"], selection).rows
    sites = _places(hosts)
    countries = _places(site_map(connection, ["country"], selection).rows)
    # What was only linked to may wait for its answer, and is a guess at best.
    fetched = replace(selection, fetched=True)
    (all_links,) = connection.execute("SELECT COUNT(*) FROM links").fetchone()
    components = all_links <= _COMPONENTS
    unit, links = first_with_links(connection, fetched, ("domain", "page"), components=components)
    changed, changes = _changes(connection, source, values)
    return Facts(
        pages=pages,
        unfetched=unfetched,
        outdated=outdated(connection),
        captures=captures,
        files=connection.execute("SELECT COUNT(*) FROM sources").fetchone()[0],
        dates=((first or "")[:10], (last or "")[:10]),
        languages=language_lists.list_languages(connection, selection),
        countries=[place for place in countries if place.name],
        elsewhere=sum(place.pages for place in countries if not place.name),
        sites=sites[:SITES],
        all_sites=len(sites),
        years=sorted(_places(site_map(connection, ["year"], selection).rows), key=lambda place: place.name),
        unanswered=count_unanswered(connection),
        links=links,
        components=components,
        off_site=unit == "domain",
        lengths=_lengths(connection, source, values),
        changed=changed,
        short=sum(row[-3] for row in hosts),
        resolved=sum(row[-2] for row in hosts),
        changes=changes,
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
            (PROBLEMS,),
        ).fetchall(),
        runs=_runs(connection),
        sources=connection.execute(
            "SELECT name, bytes, finished FROM sources ORDER BY id LIMIT ?", (SITES,)
        ).fetchall(),
    )


_COMPONENTS: Final = 5_000_000  # links up to which components and diameters are worth their time


def _places(rows: list[tuple[Any, ...]]) -> list[Place]:
    found: dict[str, list[Part]] = {}
    for site, language, name, pages, _, share, *_, also in rows:
        if not pages and not also:  # only linked to
            continue
        found.setdefault(str(site), []).append(Part(language, name, pages, share))
    return [
        Place(name, sum(part.pages for part in parts), sorted(parts, key=lambda part: -part.share))
        for name, parts in found.items()
    ]


def country_name(code: str) -> str:
    """English name of a territory.

    >>> country_name("de"), country_name("gb")
    ('Germany', 'United Kingdom')
    """
    name = name_of("territory", code.upper()) or code
    return f"{name} (domain sold to all the world)" if code in territories.GENERIC_CCTLDS else name


def usual(code: str) -> str:
    """Names of the languages that are official in a territory."""
    return ", ".join(languages.name(language) for language in territories.official(code)[:4])


def _lengths(connection: sqlite3.Connection, source: str, values: dict[str, Any]) -> list[Length]:
    steps = " ".join(f"WHEN letters < {end} THEN {place}" for place, end in enumerate(LENGTHS[1:]))
    rows = connection.execute(
        f"SELECT CASE {steps} ELSE {len(LENGTHS) - 1} END, COUNT(*),"
        f" {total('own_confidence', _TOLD.format('own_language'))}, {total('confidence', _TOLD.format('language'))}"
        f" FROM {source} WHERE fetched = 1 GROUP BY 1 ORDER BY 1",
        values,
    )
    return [Length(_between(place), pages, own / pages, final / pages) for place, pages, own, final in rows]


_TOLD: Final = "{} NOT IN ('und', 'zxx')"


def _between(place: int) -> str:
    if place == len(LENGTHS) - 1:
        return f"{LENGTHS[place]:,} or more"
    first, last = LENGTHS[place], LENGTHS[place + 1] - 1
    return f"{first}" if first == last else f"{first} to {last}"


_CHANGED: Final = (
    " FROM {source} WHERE fetched = 1 AND own_language <> language AND language NOT IN ('und', 'zxx')"
    " AND COALESCE(method, '') <> 'correction'"
)


#: The surest first, of equals as they were read.
_SUREST: Final = "confidence DESC, own_confidence DESC, file, place"


def _changes(connection: sqlite3.Connection, source: str, values: dict[str, Any]) -> tuple[int, list[Change]]:
    (count,) = connection.execute(f"SELECT COUNT(*){_CHANGED.format(source=source)}", values).fetchone()
    rows = connection.execute(
        "SELECT url, COALESCE(title, ''), SUBSTR(COALESCE(text, ''), 1, 80), letters, own_language, own_confidence,"
        " language, confidence FROM ("
        "SELECT told.*, captures.source AS file, captures.offset AS place"
        f" FROM (SELECT *{_CHANGED.format(source=source)}) AS told JOIN captures ON captures.page = told.page"
        f" ORDER BY {_SUREST}, told.page LIMIT :most) AS changed"
        " LEFT JOIN pages ON pages.id = changed.page LEFT JOIN texts ON texts.page = changed.page"
        f" ORDER BY {_SUREST}, changed.page",
        values | {"most": CHANGES},
    )
    found = [Change(*row) for row in rows]
    return count, [one._replace(text=" ".join(one.text.split())) for one in found]


def _runs(connection: sqlite3.Connection) -> list[dict[str, Any]]:
    rows = connection.execute(
        "SELECT id, kind, method, model, model_hash, parameters, seeds, version, started, finished, pages, rounds,"
        " converged, id = (SELECT run FROM chosen) AS chosen FROM runs WHERE finished IS NOT NULL ORDER BY id"
    )
    names = [name for name, *_ in rows.description]
    found = [dict(zip(names, row, strict=True)) for row in rows]
    for run in found:
        parameters = values.parse_json("runs.parameters", run["parameters"], dict)
        # What a model was trained with fills pages; it stands in the database.
        shown = {name: value for name, value in parameters.items() if len(json.dumps(value)) <= _LONGEST}
        run["parameters"] = json.dumps(shown, ensure_ascii=False)
        run["left_out"] = len(parameters) - len(shown)
    return found


_LONGEST: Final = 200

__all__ = ["SHORT", "SURE", "Facts", "Length", "Part", "Place", "country_name", "facts", "usual"]
