"""Pages of Datasette about a collection: its home page, a search, and why a page has its language."""

from __future__ import annotations

import re
import shlex
from contextlib import closing
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from datasette import Response, hookimpl
from markupsafe import Markup

from graphlang.analysis import explain_words
from graphlang.analysis.explain import explain, find_url
from graphlang.codes import languages
from graphlang.db import StoreError, open_existing
from graphlang.db.schema import read_documentation
from graphlang.maps.facts import count_pages_by_language, count_totals
from graphlang.maps.pages import declares_another
from graphlang.maps.selection import FLOOR
from graphlang.printing import CONTROL, visible, visible_lines
from graphlang.serve.site import INDEX, LISTS, MATCH, QUERIES, SEARCH

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

#: Columns that hold URLs of the collection.
_URLS: Final = ("url", "source_url", "target_url", "revisit_of")
_LONGEST: Final = 2048  #: characters of a cell, as Datasette has it
_NEIGHBOURS: Final = 100  #: of a page that are listed
_LANGUAGES: Final = 30  #: on the home page
_RESULTS: Final = 50  #: pages that a search lists
_AROUND: Final = 120  #: characters before and after a match
#: Folds the meaning of the columns, which is longer than the screen.
_FOLD: Final = """
for (const list of document.querySelectorAll("dl.column-descriptions")) {
  const fold = document.createElement("details"), head = document.createElement("summary");
  head.textContent = "Meaning of the columns";
  list.replaceWith(fold);
  fold.append(head, list);
}
"""


@hookimpl  # type: ignore[untyped-decorator,unused-ignore]
def register_routes() -> list[tuple[str, Any]]:
    """Add the pages."""
    return [("^/-/why$", why), ("^/-/search$", search)]


@hookimpl  # type: ignore[untyped-decorator,unused-ignore]
def extra_body_script() -> str:
    """Add a script to pages of tables."""
    return _FOLD


@hookimpl  # type: ignore[untyped-decorator,unused-ignore]
def extra_template_vars(template: str, datasette: Any) -> dict[str, Any]:
    """Add the variables of the home page."""
    return {"home": _make_home(_make_path(datasette), INDEX in datasette.databases)} if template == "index.html" else {}


@hookimpl  # type: ignore[untyped-decorator,unused-ignore]
def render_cell(value: object, column: str) -> Markup | None:
    """Link URLs of the collection to the reasons, not to the Web, and escape control characters."""
    if not isinstance(value, str):
        return None
    if column in _URLS:
        return Markup('{} <a href="/-/why?url={}">why?</a>').format(visible(value), quote(value, safe=""))
    if value.lstrip().lower().startswith(("http:", "https:")) or CONTROL.search(value):
        text = visible_lines(value[:_LONGEST])
        return Markup("{}").format(f"{text}..." if len(value) > _LONGEST else text)
    return None


@hookimpl  # type: ignore[untyped-decorator,unused-ignore]
def prepare_connection(conn: sqlite3.Connection) -> None:
    """Add SQL functions to a connection."""
    conn.create_function("declares_another", 2, declares_another, deterministic=True)


def _make_path(datasette: Any) -> Path:
    return next(Path(db.path) for db in datasette.databases.values() if db.path and db.name != INDEX)


@lru_cache(maxsize=1)
def _make_home(path: Path, search: bool) -> dict[str, Any]:
    with closing(open_existing(path)) as connection:
        counts = count_pages_by_language(connection)
        listed = [(code, languages.name(code), count) for code, count in islice(counts.items(), _LANGUAGES)]
        return {
            "database": path.stem,
            "search": search,
            "totals": count_totals(connection, counts),
            "languages": listed,
            "more": len(counts) - len(listed),
            "least": FLOOR,
            "tables": [
                (name, read_documentation()[name].purpose.removeprefix("View: ").replace("`", "")) for name in LISTS
            ],
            "queries": [(name, title) for name, (title, _) in QUERIES.items()],
        }


async def why(datasette: Any, request: Any) -> Any:
    """Show the reasons of an answer; status 404 if the collection has no such URL.

    The `Datasette` serves the collection; the request asks for ``url``.
    """
    written = request.args.get("url") or ""
    path = _make_path(datasette)
    try:
        with closing(open_existing(path)) as connection:
            page = explain(connection, find_url(connection, written))
    except StoreError as error:
        values: dict[str, Any] = {"url": visible(written), "page": None, "error": visible(str(error))}
        return Response.html(await datasette.render_template("why.html", values, request=request), status=404)
    ordered = sorted(page.reasons, key=lambda reason: reason.url is not None)
    fields = ("log_odds", "source", "language", "weight", "link", "url")
    reasons = [{name: getattr(reason, name) for name in fields} for reason in ordered[:_NEIGHBOURS]]
    values = {
        "url": visible(page.url),
        "page": page,
        "facts": list(explain_words.list_facts(page)),
        "sums": list(explain_words.list_sums(page)) if page.reasons else [],
        "reasons": [{**reason, "shown": visible(reason["url"] or "")} for reason in reasons],
        "left_out": len(ordered) - len(reasons),
        "steps": " -> ".join(explain_words.list_steps(page.rounds)),
        "command": f"graphlang correct {_quote(str(path))} {_quote(page.url)} --language CODE --by NAME",
    }
    return Response.html(await datasette.render_template("why.html", values, request=request))


def _quote(argument: str) -> str:
    """Quote an argument for a shell, so that nothing of a URL is run."""
    return visible(shlex.quote(argument))


async def search(datasette: Any, request: Any) -> Any:
    """Show the pages whose title or text has some words, with the place; status 404 if there is no index.

    The `Datasette` serves the collection; the request asks for ``words``.
    """
    words = (request.args.get("words") or "").strip()
    if INDEX not in datasette.databases:
        return Response.html("there is no index: start the server without --no-search", status=404)
    rows = []
    if len(words) >= MATCH:
        found = await datasette.databases[INDEX].execute(SEARCH, {"words": words})
        rows = found.rows[: _RESULTS + 1]
    with closing(open_existing(_make_path(datasette))) as connection:
        pages = list(_list_results(connection, [tuple(row) for row in rows[:_RESULTS]], words))
    values = {"words": words, "pages": pages, "more": len(rows) > _RESULTS}
    return Response.html(await datasette.render_template("search.html", values, request=request))


def _list_results(connection: sqlite3.Connection, rows: list[tuple[Any, ...]], words: str) -> Iterator[dict[str, str]]:
    """Yield pages with the place of the words in their text, or its beginning."""
    pattern = re.compile(re.escape(words), re.IGNORECASE)
    for page, url, title, language in rows:
        row = connection.execute("SELECT text FROM texts WHERE page = ?", (page,)).fetchone()
        text = " ".join(row[0].split()) if row else ""
        match = pattern.search(text)
        start, end = match.span() if match else (0, 0)
        yield {
            "url": visible(url),
            "title": visible(title or ""),
            "language": languages.name(language),
            "before": visible(("…" if start > _AROUND else "") + text[max(0, start - _AROUND) : start]),
            "match": visible(text[start:end]),
            "after": visible(text[end : end + _AROUND] + ("…" if len(text) > end + _AROUND else "")),
        }
