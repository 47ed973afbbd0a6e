"""The report as one HTML file: no request to anywhere, and nothing of the crawl can do anything in it.

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
from graphlang.db.errors import InputError
from graphlang.files import replacing
from graphlang.report import facts as counted
from graphlang.visible import quantity, visible

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from pathlib import Path


#: Colours that people with any colour vision tell apart (Okabe and Ito 2008), for the commonest languages; the rest is
#: grey.
COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#882255", "#44aa99")
_OTHER: Final = "#999999"
#: From few pages to many: one hue, darker and darker (ColorBrewer's Blues, safe for all).
_STEPS: Final = ("#deebf7", "#9ecae1", "#4292c6", "#2171b5", "#084594")
_LONGEST: Final = 200  # characters of a title or a URL


def _moment(environment: Mapping[str, str]) -> datetime:
    """The time that the report gives as its own.

    Whoever publishes a report wants the same bytes of the same collection: ``SOURCE_DATE_EPOCH``, the variable of
    reproducible builds, is then the time, in seconds since 1970.
    """
    written = environment.get("SOURCE_DATE_EPOCH")
    if not written:
        return datetime.now(UTC)
    try:
        return datetime.fromtimestamp(int(written), UTC)
    except (ValueError, OverflowError, OSError):
        raise InputError(f"SOURCE_DATE_EPOCH is '{visible(written)}', which is no time in seconds since 1970") from None


def report(connection: sqlite3.Connection, *, title: str, now: datetime | None = None) -> str:
    """The report of a collection."""
    found = counted.facts(connection)
    style, script = (files(__package__).joinpath(name).read_text("utf-8") for name in ("report.css", "report.js"))
    spoken = [row.language for row in found.languages if row.language not in ("und", "zxx")]
    colours = dict(zip(spoken, COLOURS, strict=False))
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("graphlang.report", "."),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {
        "clean": clean,
        "percent": percent,
        "thousands": thousands,
        "quantity": quantity,
        "in_one_order": in_one_order,
    }
    environment.finalize = clean_value
    names = {row.language: row.name for row in found.languages}
    return environment.get_template("report.html").render(
        facts=found,
        title=title,
        version=__version__,
        made=(now or _moment(os.environ)).strftime("%Y-%m-%d %H:%M UTC"),
        style=Markup(style),  # noqa: S704  a file of ours
        script=Markup(script),  # noqa: S704  a file of ours
        policy=f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none';"
        " form-action 'none'",
        colours=colours,
        other=_OTHER,
        names=names,
        world=_world(found),
        matrix=_matrix(found),
        limits=counted,
        country_name=counted.country_name,
        usual=counted.usual,
        lengths=_bars(found),
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def clean(value: object, most: int = _LONGEST) -> str:
    r"""Text of the crawl, short, with control and direction characters shown as escapes.

    >>> clean("a\u202eb" + "x" * 500, 5)
    'a\\u2…'
    """
    text = visible(str(value))
    return text if len(text) <= most else text[: most - 1] + "…"


def clean_value(value: Any) -> Any:
    """What every value goes through that the template shows."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return visible(value)
    return value


def percent(share: float) -> str:
    """A share in words that do not claim too much.

    >>> percent(0.5), percent(0.0998), percent(0.0994), percent(0.9003)
    ('50 %', '10 %', '9.9 %', '90 %')
    >>> percent(0.0004), percent(0.99996), percent(1.0), percent(0)
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


def thousands(number: float) -> str:
    """A number with commas.

    >>> thousands(1234567)
    '1,234,567'
    """
    return f"{number:,.0f}"


def in_one_order(parts: list[counted.Part], colours: dict[str, str]) -> list[counted.Part]:
    """The parts of a bar as they stand in all bars, so that bars can be compared: coloured ones first.

    >>> [part.language for part in in_one_order([counted.Part(x, x, 1, 0.3) for x in "abc"], {"c": "", "b": ""})]
    ['c', 'b', 'a']
    """
    places = {language: place for place, language in enumerate(colours)}
    return sorted(parts, key=lambda part: places.get(part.language, len(places)))


@cache
def _outlines() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files("graphlang").joinpath("data", "world.json").read_text("utf-8"))
    return found


def _world(found: counted.Facts) -> dict[str, Any]:
    """The map: shapes and dots with a class of colour and a text for each country that has pages."""
    outlines = _outlines()
    places = {place.name: place for place in found.countries}
    largest = max((place.pages for place in found.countries), default=1)

    def step(pages: int) -> int:
        return min(len(_STEPS) - 1, int(len(_STEPS) * math.log1p(pages) / math.log1p(largest + 1)))

    def words(place: counted.Place) -> str:
        parts = ", ".join(f"{part.name} {percent(part.share)}" for part in place.parts[:5])
        return f"{counted.country_name(place.name)}: {quantity(place.pages, 'page')}; {parts}"

    def drawn(code: str) -> tuple[str, str]:
        return (_STEPS[step(places[code].pages)], words(places[code])) if code in places else ("", "")

    shapes = [(path, *drawn(code)) for code, path in outlines["shapes"].items()]
    dots = [(x, y, *drawn(code)) for code, (x, y) in outlines["dots"].items() if code in places]
    bounds = [math.ceil(math.expm1(n * math.log1p(largest + 1) / len(_STEPS))) for n in range(len(_STEPS))]
    return {
        "width": outlines["width"],
        "height": outlines["height"],
        "land": outlines["land"],
        "shapes": shapes,
        "dots": dots,
        "legend": sorted({max(1, bound): colour for colour, bound in zip(_STEPS, bounds, strict=True)}.items()),
        "unseen": [place.name for place in found.countries if place.name not in outlines["shapes"] | outlines["dots"]],
    }


def _matrix(found: counted.Facts) -> dict[str, Any]:
    """Links between the commonest languages as a square of shares."""
    shown = [one for one in found.links.languages if one.links_out or one.links_in][: counted.LINKED]
    cells = {(pair.source, pair.target): pair for pair in found.links.pairs}
    linked = sum(1 for one in found.links.languages if one.links_out or one.links_in)
    return {
        "languages": shown,
        "left_out": linked - len(shown),
        "rows": [(one, [(other, cells.get((one.language, other.language))) for other in shown]) for one in shown],
    }


def _bars(found: counted.Facts) -> list[tuple[counted.Length, float, float]]:
    return [(one, one.own * 100, one.final * 100) for one in found.lengths]


def write_report(connection: sqlite3.Connection, output: Path, title: str) -> None:
    """Write the report of a collection to a file."""
    page = report_of(connection, title)
    with replacing(output) as file:
        file.write(page)


def report_of(connection: sqlite3.Connection, title: str) -> bytes:
    """The report of a collection, HTML in UTF-8."""
    return report(connection, title=title).encode("utf-8", "replace")
