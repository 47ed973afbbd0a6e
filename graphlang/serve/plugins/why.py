"""A page of Datasette that says why a page has its language: ``/-/why?url=...``, and a link to it from every URL."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from datasette import Response, hookimpl
from markupsafe import Markup, escape

from graphlang.analysis.explain import explain
from graphlang.db import StoreError, open_existing
from graphlang.maps.pages import declares_another
from graphlang.visible import CONTROL, visible, visible_lines

if TYPE_CHECKING:
    import sqlite3


#: Columns that hold URLs of the collection.
_URLS: Final = ("url", "source_url", "target_url", "revisit_of")
_LONGEST: Final = 2048  #: characters of a cell, as Datasette has it


@hookimpl  # type: ignore[untyped-decorator,unused-ignore]
def register_routes() -> list[tuple[str, Any]]:
    """Add the page."""
    return [("^/-/why$", why)]


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


async def why(datasette: Any, request: Any) -> Any:
    """Show the reasons of an answer; status 404 if the collection has no such URL.

    Args:
        datasette: the `Datasette` that serves the collection.
        request: asks for ``url``.

    Returns:
        The page; with status 404 where the collection has no such URL.
    """
    url = request.args.get("url") or ""
    paths = [Path(db.path) for db in datasette.databases.values() if db.path and db.name != "search"]
    try:
        with closing(open_existing(paths[0])) as connection:
            explanation = explain(connection, url)
    except StoreError as error:
        return Response.html(_page("No reasons", str(error)), status=404)
    return Response.html(_page(url, _told(explanation)))


def _told(explanation: Any) -> str:
    from dataclasses import asdict  # noqa: PLC0415 - here alone
    from json import dumps  # noqa: PLC0415

    return dumps(asdict(explanation), indent=2, ensure_ascii=False)


def _page(title: str, text: str) -> str:
    lines = "\n".join(visible(line) for line in text.split("\n"))
    return str(
        Markup("<!doctype html><html lang=en><meta charset=utf-8><title>Why</title><h1>{}</h1><pre>{}</pre>").format(
            escape(visible(title)), escape(lines)
        )
    )


@hookimpl  # type: ignore[untyped-decorator,unused-ignore]
def prepare_connection(conn: sqlite3.Connection) -> None:
    """Add SQL functions to a connection."""
    conn.create_function("declares_another", 2, declares_another, deterministic=True)
