"""Tables of a collection as streams of rows: pages, links, sites, hosts, domains, languages, texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.db import collection
from graphlang.export.translations import TranslationRow, translation_rows
from graphlang.maps import captures, shares
from graphlang.maps import languages as language_lists
from graphlang.maps.pages import GUESS
from graphlang.maps.selection import COLUMNS
from graphlang.maps.sites import Site, list_sites, site_map

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from graphlang.maps.selection import Selection


class Table(NamedTuple):
    """A table that is read once."""

    columns: tuple[str, ...]
    rows: Iterable[tuple[Any, ...]]


#: Columns that hold whole numbers, and those that hold others; the rest is text.
_WHOLE: Final = frozenset(
    "page run fetched status length characters target nofollow place pages unfetched short resolved also low high"  # noqa: SIM905
    " sites offset cut pending mutual source_length target_length paragraph is_main filler".split()
)
_REAL: Final = frozenset(
    (
        *("confidence", "runner_up_confidence", "share", "expected", "certainty", "by_text_confidence"),
        *("letters", "repeated"),
    )
)


def kinds(columns: tuple[str, ...]) -> dict[str, str]:
    """Return the type of each column by its name: ``int``, ``double`` or ``string``.

    >>> kinds(("source", "target", "hreflang")), kinds(("source", "confidence"))
    ({'source': 'int', 'target': 'int', 'hreflang': 'string'}, {'source': 'string', 'confidence': 'double'})
    """
    types = {name: "int" if name in _WHOLE else "double" if name in _REAL else "string" for name in columns}
    if "target" in types:  # the source of a link is a page, that of a text a file
        types["source"] = "int"
    return types


def pages(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read pages with the columns of ``page_languages``, in order of their ids, and their languages.

    ``languages`` are up to three ISO 639-3 codes, the page's answer first, then the others by share, as in Common
    Crawl's index; ``shares`` the part of the page's letters that each has. Both are empty without a language.

    Where captures of other times count, a row is a capture, with where its record begins in its file, and its digest.
    """
    if captures.needs_other_captures(connection, selection):
        source, values = captures.captures_sql(connection, selection)
        share_columns, bound = shares.share_columns(connection, run="pages.text_run")
        names = (*COLUMNS, "offset", "digest")
        query = f"SELECT {', '.join(names)}, {share_columns} FROM {source} AS pages ORDER BY page, date, capture"
        return Table((*names, "languages", "shares"), connection.execute(query, bound | values))
    source, values = selection.source(
        of="(SELECT *, language AS answer FROM page_languages)", columns=(*COLUMNS, "answer")
    )
    share_columns, bound = shares.share_columns(connection)
    columns = ", ".join(f"pages.{name}" for name in COLUMNS)
    query = f"SELECT {columns}, {share_columns}, {GUESS} FROM {source} AS pages ORDER BY page"
    return Table((*COLUMNS, "languages", "shares", "guess"), connection.execute(query, values | bound))


def links(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read links between pages that count, with the languages of both."""
    source, values = selection.source()
    codes: list[str] = []
    numbers: dict[str, int] = {}
    chosen = np.full(collection.count_pages(connection) + 1, -1, dtype=np.int16)
    for page, language in connection.execute(f"SELECT page, language FROM {source}", values):
        if language not in numbers:
            numbers[language] = len(codes)
            codes.append(language)
        chosen[page] = numbers[language]
    columns = ("source", "target", "source_url", "target_url", "kind", "nofollow", "hreflang", "place")

    def rows() -> Iterator[tuple[Any, ...]]:
        for row in connection.execute(f"SELECT {', '.join(columns)} FROM link_details ORDER BY source, target"):
            source_code, target_code = chosen[row[0]], chosen[row[1]]
            if source_code >= 0 and target_code >= 0:
                yield (*row, codes[source_code], codes[target_code])

    return Table((*columns, "source_language", "target_language"), rows())


def sites(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read the language map by host."""
    table = site_map(connection, ["host"], selection)
    return Table(table.columns, table.rows)


def hosts(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read one row for each host."""
    return Table(("host", *Site._fields[1:]), list_sites(connection, "host", selection))


def domains(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read one row for each registered domain."""
    return Table(("domain", *Site._fields[1:]), list_sites(connection, "domain", selection))


def translations(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read pairs of pages that are probably translations of each other."""
    return Table(TranslationRow._fields, translation_rows(connection, selection))


def languages(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Read one row for each language."""
    return Table(language_lists.LanguageRow._fields, language_lists.list_languages(connection, selection))
