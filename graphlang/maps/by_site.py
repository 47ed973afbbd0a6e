"""Hosts or domains, one row each: the language map with the languages of a site put together."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from graphlang.maps.sites import site_map

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from graphlang.maps.selection import Selection


class Site(NamedTuple):
    """One host or domain with its commonest language."""

    site: str
    language: str  #: ISO 639-3; where the selection wants a script, with that: ``zho_Hant``
    share: float  #: of the language
    confidence: float  #: mean of its pages in that language
    pages: int
    unfetched: int
    length: int  #: characters of visible text
    languages: str  #: all of them with their shares: ``deu 0.800, fra 0.200``


def by_site(connection: sqlite3.Connection, unit: str, selection: Selection) -> Iterator[Site]:
    """One row for each host or domain.

    Args:
        connection: a collection.
        unit: ``host`` or ``domain``.
        selection: which pages count.
    """
    rows = site_map(connection, [unit], selection).rows
    for site, group in groupby(rows, key=lambda row: str(row[0])):
        its = list(group)
        pages, unfetched, length = (sum(row[column] for row in its) for column in (3, 4, 7))
        parts = ", ".join(f"{row[1]} {row[5]:.3f}" for row in its)
        yield Site(site, its[0][1], its[0][5], its[0][6], pages, unfetched, length, parts)
