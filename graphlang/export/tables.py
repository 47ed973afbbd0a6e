"""Tables of a collection as streams of rows: pages, links, sites, hosts, domains, languages, texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.db import collection
from graphlang.maps import captures, shares
from graphlang.maps import languages as language_lists
from graphlang.maps.selection import COLUMNS
from graphlang.maps.sites import Site, by_site, site_map

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
    " sites offset cut pending".split()
)
_REAL: Final = frozenset("confidence runner_up_confidence share expected certainty by_text_confidence".split())  # noqa: SIM905


def kinds(columns: tuple[str, ...]) -> dict[str, str]:
    """What the columns of one of these tables hold: ``int``, ``double`` or ``string``.

    >>> kinds(("source", "target", "hreflang")), kinds(("source", "confidence"))
    ({'source': 'int', 'target': 'int', 'hreflang': 'string'}, {'source': 'string', 'confidence': 'double'})
    """
    found = {name: "int" if name in _WHOLE else "double" if name in _REAL else "string" for name in columns}
    if "target" in found:  # the source of a link is a page, that of a text a file
        found["source"] = "int"
    return found


def pages(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Pages with the columns of the view ``page_languages``, in order of their ids; and the languages of each.

    ``languages`` are up to three ISO 639-3 codes, the page's answer first, then the others by share, as in Common
    Crawl's index; ``shares`` the part of the page's letters that each has. Both are empty without a language.

    Where captures of other times count, a row is a capture, with where its record begins in its file, and its digest.

    Args:
        connection: a collection, open for as long as the rows are read; where it shows a moment, of each page the
            capture nearest to it counts.
        selection: which pages count.
    """
    if captures.others_count(connection, selection):
        source, values = captures.source(connection, selection)
        told, own = shares.columns(connection, run="pages.text_run")
        names = (*COLUMNS, "offset", "digest")
        query = f"SELECT {', '.join(names)}, {told} FROM {source} AS pages ORDER BY page, date, capture"
        return Table((*names, "languages", "shares"), connection.execute(query, own | values))
    source, values = selection.source()
    told, own = shares.columns(connection)
    rows = connection.execute(f"SELECT pages.*, {told} FROM {source} AS pages ORDER BY page", values | own)
    return Table((*COLUMNS, "languages", "shares"), rows)


def links(connection: sqlite3.Connection, selection: Selection) -> Table:
    """Links between pages that count, with the languages of both.

    Args:
        connection: a collection, open for as long as the rows are read.
        selection: which pages count; a link counts where both of its pages do.
    """
    source, values = selection.source()
    spoken: list[str] = []
    numbers: dict[str, int] = {}
    chosen = np.full(collection.count_pages(connection) + 1, -1, dtype=np.int16)
    for page, language in connection.execute(f"SELECT page, language FROM {source}", values):
        if language not in numbers:
            numbers[language] = len(spoken)
            spoken.append(language)
        chosen[page] = numbers[language]
    columns = ("source", "target", "source_url", "target_url", "kind", "nofollow", "hreflang", "place")

    def rows() -> Iterator[tuple[Any, ...]]:
        for row in connection.execute(f"SELECT {', '.join(columns)} FROM link_details ORDER BY source, target"):
            one, other = chosen[row[0]], chosen[row[1]]
            if one >= 0 and other >= 0:
                yield (*row, spoken[one], spoken[other])

    return Table((*columns, "source_language", "target_language"), rows())


def sites(connection: sqlite3.Connection, selection: Selection) -> Table:
    """The language map by host.

    Args:
        connection: a collection.
        selection: which pages count; where it asks for a script, scripts have rows of their own.
    """
    found = site_map(connection, ["host"], selection)
    return Table(found.columns, found.rows)


def hosts(connection: sqlite3.Connection, selection: Selection) -> Table:
    """One row for each host.

    Args:
        connection: a collection, open for as long as the rows are read.
        selection: which pages count.
    """
    return Table(("host", *Site._fields[1:]), by_site(connection, "host", selection))


def domains(connection: sqlite3.Connection, selection: Selection) -> Table:
    """One row for each registered domain.

    Args:
        connection: a collection, open for as long as the rows are read.
        selection: which pages count.
    """
    return Table(("domain", *Site._fields[1:]), by_site(connection, "domain", selection))


def languages(connection: sqlite3.Connection, selection: Selection) -> Table:
    """One row for each language.

    Args:
        connection: a collection.
        selection: which pages count.
    """
    return Table(language_lists.Row._fields, language_lists.languages_of(connection, selection))
