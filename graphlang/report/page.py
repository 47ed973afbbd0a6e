"""The report as one HTML file without requests, in which nothing of the crawl can run.

Jinja2 escapes every value. The Content-Security-Policy allows one style sheet and one script, known by their hashes,
and nothing else: no image, no font, no connection, no form, no base. Lengths and colours are attributes of SVG, so that
not even a ``style`` attribute is needed.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import jinja2
from markupsafe import Markup

from graphlang import __version__
from graphlang.codes import languages
from graphlang.db.errors import InputError
from graphlang.files import open_replacement
from graphlang.maps.colours import OTHER, choose_colours
from graphlang.printing import quantity, visible
from graphlang.report import facts as fact_lists

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from pathlib import Path


_LONGEST: Final = 200  # characters of a title or a URL
_LABELLED: Final = 0.12  # share of a bar from which its part has its code on it
_DARK: Final = 140  # luma, 0 to 255, under which a colour has white text
_PALEST: Final = 0.3  # opacity of a country where the main language has the smallest share
_HEAT: Final = 9  # steps of colour in the table of links
_YEARS: Final = 60  # of a chart in which each year has its place


def _get_report_time(environment: Mapping[str, str]) -> datetime:
    """Return the time of the report: ``SOURCE_DATE_EPOCH``, in seconds since 1970, else now.

    With this variable of reproducible builds the same collection gives the same bytes.
    """
    seconds = environment.get("SOURCE_DATE_EPOCH")
    if not seconds:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        raise InputError(
            f"SOURCE_DATE_EPOCH is '{visible(seconds)}', which is not a time in seconds since 1970"
        ) from None


def render(
    connection: sqlite3.Connection, *, title: str, now: datetime | None = None, replay_prefix: str | None = None
) -> str:
    """Return the report of a collection; with ``replay_prefix``, URLs are links to it and the URL."""
    facts = fact_lists.count_facts(connection)
    style, script = (files(__package__).joinpath(name).read_text("utf-8") for name in ("report.css", "report.js"))
    codes = [row.language for row in facts.languages if row.language not in _NO_LANGUAGE]
    colours = choose_colours(codes)
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("graphlang.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "clean": clean_text,
        "percent": format_percent,
        "thousands": format_thousands,
        "quantity": quantity,
        "segments": lambda parts: list_segments(parts, colours),
        "language_name": languages.name,
        "heat": lambda share: math.ceil(_HEAT * share),
    }
    environment.finalize = clean_value
    return environment.get_template("report.html").render(
        facts=facts,
        title=title,
        version=__version__,
        made=(now or _get_report_time(os.environ)).strftime("%Y-%m-%d %H:%M UTC"),
        style=Markup(style),  # noqa: S704  a file of this package
        script=Markup(script),  # noqa: S704  a file of this package
        policy=f"default-src 'none'; style-src '{_hash_source(style)}'; script-src '{_hash_source(script)}';"
        " base-uri 'none'; form-action 'none'",
        replay_prefix=replay_prefix,
        colours=colours,
        other=OTHER,
        world=_make_world_map(facts, colours),
        matrix=_make_matrix(facts),
        charts=_make_year_charts(facts),
        limits=fact_lists,
        country_name=fact_lists.name_country,
        official=fact_lists.name_official_languages,
    )


_NO_LANGUAGE: Final = (languages.UND, languages.ZXX)


def choose_text_colour(colour: str) -> str:
    """Return black or white, whichever is easier to read on a colour.

    >>> choose_text_colour("#f0e442"), choose_text_colour("#332288")
    ('#000000', '#ffffff')
    """
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < _DARK else "#000000"


def list_segments(parts: list[fact_lists.LanguagePages], colours: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the parts of a bar from left to right: languages with a colour first, in the same order in all bars.

    >>> parts = [fact_lists.LanguagePages(code, code, 1, share) for code, share in (("a", 0.7), ("b", 0.3))]
    >>> [(part["name"], part["x"], part["width"], part["label"]) for part in list_segments(parts, {"b": "#0072b2"})]
    [('b', 0.0, 30.0, 'b'), ('a', 30.0, 70.0, 'a')]
    """
    places = {language: place for place, language in enumerate(colours)}
    listed, start = [], 0.0
    for item in sorted(parts, key=lambda item: places.get(item.language, len(places))):
        if item.share < _THINNEST:
            continue
        fill = colours.get(item.language, OTHER)
        listed.append(
            {
                "name": item.name,
                "share": item.share,
                "expected": item.expected,
                "x": round(start, 2),
                "width": round(100 * item.share, 2),
                "label": item.language if item.share >= _LABELLED else "",
                "fill": fill,
                "text": choose_text_colour(fill),
            }
        )
        start += 100 * item.share
    return listed


_THINNEST: Final = 0.001  # share of a bar under which a part is not drawn


def _hash_source(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def clean_text(value: object, width: int = _LONGEST) -> str:
    r"""Shorten a text of the crawl, and escape control and direction characters.

    >>> clean_text("a\u202eb" + "x" * 500, 5)
    'a\\u2…'
    """
    text = visible(str(value))
    return text if len(text) <= width else text[: width - 1] + "…"


def clean_value(value: Any) -> Any:
    """Escape control characters of a value that the template shows."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(value)
    return value


def format_percent(share: float) -> str:
    """Write a share as a percentage, without false precision.

    >>> format_percent(0.5), format_percent(0.0998), format_percent(0.0994), format_percent(0.9003)
    ('50 %', '10 %', '9.9 %', '90 %')
    >>> format_percent(0.0004), format_percent(0.99996), format_percent(1.0), format_percent(0)
    ('under 0.1 %', 'over 99.9 %', '100 %', '0 %')
    """
    if 0 < share < _FEW:
        return "under 0.1 %"
    if 1 - _FEW < share < 1:
        return "over 99.9 %"
    digits = 0 if share in (0, 1) or _TENTH <= round(share, 3) <= 1 - _TENTH else 1
    return f"{100 * share:.{digits}f} %"


_FEW: Final = 0.001
_TENTH: Final = 0.1


def format_thousands(number: float) -> str:
    """Write a whole number with commas.

    >>> format_thousands(1234567)
    '1,234,567'
    """
    return f"{number:,.0f}"


@cache
def _read_outlines() -> dict[str, Any]:
    outlines: dict[str, Any] = json.loads(files("graphlang").joinpath("data", "world.json").read_text("utf-8"))
    return outlines


def _make_world_map(facts: fact_lists.Facts, colours: Mapping[str, str]) -> dict[str, Any]:
    """Return the map: shapes and dots, with colour, opacity and title for each country that has pages."""
    outlines = _read_outlines()
    places = {place.name: place for place in facts.countries}

    def describe(code: str) -> tuple[str, float, str]:
        place = places.get(code)
        if place is None:
            return "", 0.0, ""
        main = place.parts[0]
        parts = ", ".join(f"{item.name} {format_percent(item.share)}" for item in place.parts[:5])
        title = f"{fact_lists.name_country(code)}: {quantity(place.pages, 'page')}; {parts}"
        return colours.get(main.language, OTHER), round(_PALEST + (1 - _PALEST) * main.share, 2), title

    drawn = outlines["shapes"] | outlines["dots"]
    languages_shown = {place.parts[0].language for place in facts.countries if place.name in drawn}
    return {
        "width": outlines["width"],
        "height": outlines["height"],
        "land": outlines["land"],
        "shapes": [(path, *describe(code)) for code, path in outlines["shapes"].items()],
        "dots": [(x, y, *describe(code)) for code, (x, y) in outlines["dots"].items() if code in places],
        "key": [(code, colour) for code, colour in colours.items() if code in languages_shown],
        "grey": bool(languages_shown - colours.keys()),
    }


def _make_matrix(facts: fact_lists.Facts) -> dict[str, Any]:
    """Return links between the commonest languages as a square of shares."""
    linked = [node for node in facts.links.languages if node.links_out or node.links_in]
    listed = linked[: fact_lists.LINKED]
    cells = {(pair.source, pair.target): pair for pair in facts.links.pairs}
    return {
        "languages": listed,
        "left_out": len(linked) - len(listed),
        "rows": [
            (source, [(target, cells.get((source.language, target.language))) for target in listed])
            for source in listed
        ],
    }


def _make_year_charts(facts: fact_lists.Facts) -> list[dict[str, Any]]:
    """Return a chart of shares by year for each of the commonest languages."""
    years = [place for place in facts.years if place.name.isdecimal()]
    if len(years) < 2:  # noqa: PLR2004 - a chart needs two
        return []
    first, last = int(years[0].name), int(years[-1].name)
    # A year without captures is a gap, unless there are too many for bars to be visible.
    places = [int(year.name) - first for year in years] if last - first < _YEARS else list(range(len(years)))
    charts: list[dict[str, Any]] = []
    for row in facts.languages:
        shares = [next((item.share for item in year.parts if item.language == row.language), 0.0) for year in years]
        if row.language in _NO_LANGUAGE or not any(shares):
            continue
        highest, width = max(shares), 100 / (places[-1] + 1)
        bars = [
            (round(place * width, 2), round(width * 0.8, 2), round(40 * (1 - share / highest), 1), year.name, share)
            for place, year, share in zip(places, years, shares, strict=True)
        ]
        charts.append({"name": row.name, "language": row.language, "bars": bars})
        if len(charts) == fact_lists.CHARTS:
            break
    return charts


def write_report(connection: sqlite3.Connection, output: Path, title: str, *, replay_prefix: str | None = None) -> None:
    """Write the report of a collection to a file, which is replaced when all is written."""
    page = render_bytes(connection, title, replay_prefix=replay_prefix)
    with open_replacement(output) as file:
        file.write(page)


def render_bytes(connection: sqlite3.Connection, title: str, *, replay_prefix: str | None = None) -> bytes:
    """Return the report of a collection, HTML in UTF-8."""
    return render(connection, title=title, replay_prefix=replay_prefix).encode("utf-8", "replace")
