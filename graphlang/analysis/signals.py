"""What speaks for a page's language besides its text: declarations, the country of its host, its directory."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.codes import languages, territories
from graphlang.content.declared import find_declared
from graphlang.content.score_lists import top
from graphlang.db import collection
from graphlang.graph.data import NONE, Signal
from graphlang.graph.lists import Lists, ListTable
from graphlang.urls import url_methods

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.urls.url_methods import UrlIdentifier

#: The signals that can be given a weight, besides those of the links themselves.
NAMES = ("declared", "cctld", "url")
_READ = 100_000
#: Confidence of the URL method below which a URL is no signal: opaque URLs have .3 to .45, nearly always for a language
#: whose training URLs were opaque.
_LEAST_URL = 0.5
_OFFICIAL = 4  # languages of a country that are looked at; no country has more that a page is likely to be in


def load(
    connection: sqlite3.Connection,
    index: Mapping[str, int],
    pages: NDArray[np.int64],
    weights: Mapping[str, float],
    hosts: NDArray[np.int32],
) -> tuple[dict[str, Signal], NDArray[np.int32]]:
    """The signals that have a weight above 0, for some pages of the collection, and the directories of these pages.

    Args:
        connection: the collection.
        index: the number of each language.
        pages: ids, all different.
        weights: by name, see ``NAMES``.
        hosts: of the pages, as `collection.hosts` has them.

    Returns:
        The signals by name; and a number for the directory of each page's URL, all that comes before the last slash of
        its path: from 0 on, -1 for pages that were removed, shape (pages,). Pages of one directory have one number.

    Raises:
        ValueError: a weight that is negative or no number.
    """
    directory = np.full(len(pages), -1, dtype=np.int32)
    urls = _directories(collection.urls_of(connection, pages), directory)  # they are read once, for both
    found = {}
    if weights.get("declared", 0):
        found["declared"] = Signal(*_declared(connection, index, pages), weights["declared"])
    if weights.get("cctld", 0):
        found["cctld"] = Signal(*_cctld(connection, index, hosts), weights["cctld"])
    if weights.get("url", 0):
        found["url"] = of_urls(urls, len(pages), index, weights["url"])
    else:
        for _ in urls:
            pass
    return found, directory


@lru_cache(maxsize=1)
def url_method() -> UrlIdentifier:
    """The URL method that comes with the program, kept until `of_urls` takes it: it can be loaded before."""
    return url_methods.load()


def of_urls(
    parts: Iterable[tuple[NDArray[np.integer[Any]], list[str]]], count: int, index: Mapping[str, int], weight: float
) -> Signal:
    """Return the most likely language of each URL (``graphlang.urls``), where the method is sure of it.

    Args:
        parts: rows of some pages, and their URLs.
        count: of all pages.
        index: the number of each language.
        weight: of the signal.
    """
    identifier = url_method()
    url_method.cache_clear()
    column = np.array([index.get(label, -1) for label in identifier.labels], dtype=np.int16)
    language = np.full((count, 1), -1, dtype=np.int16)
    probability = np.zeros((count, 1), dtype=np.float32)
    for rows, urls in parts:
        best, score = top(identifier.probabilities(urls), 1)
        language[rows] = np.where((best >= 0) & (score >= _LEAST_URL), column[best], -1)
        probability[rows] = np.where(language[rows] >= 0, score, 0)
    return Signal(language, probability, weight)


def _declared(
    connection: sqlite3.Connection, index: Mapping[str, int], pages: NDArray[np.int64]
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """The language that each page declares for itself, by the precedence of `graphlang.content.declared`."""
    language = np.full((len(pages), 1), -1, dtype=np.int16)
    row_of = np.full(int(pages.max(initial=0)) + 1, -1, dtype=np.int32)
    row_of[pages] = np.arange(len(pages), dtype=np.int32)
    cursor = connection.execute(
        "SELECT page, GROUP_CONCAT(source || '=' || value, CHAR(10)) FROM declarations WHERE page <= ? GROUP BY page",
        (len(row_of) - 1,),
    )
    while rows := cursor.fetchmany(_READ):
        for page, said in rows:
            if row_of[page] >= 0:
                language[row_of[page], 0] = index.get(language_declared(said), -1)
    return language, (language >= 0).astype(np.float32)


@lru_cache(maxsize=4096)  # the pages of a site declare the same few things
def language_declared(said: str) -> str:
    """The language that a page declares; empty where it declares none that can be used.

    Args:
        said: its declarations, ``source=value`` a line.
    """
    rows = [(source, value) for source, _, value in (line.partition("=") for line in said.split("\n"))]
    found = find_declared(rows)
    return languages.split(found.label)[0] if found else ""


def _cctld(
    connection: sqlite3.Connection, index: Mapping[str, int], hosts: NDArray[np.int32]
) -> tuple[ListTable[np.int16], ListTable[np.float32]]:
    """The languages of the country of each page's host (ccTLD, Baykan et al. 2008, section 3.2).

    The paper takes one language a country, by hand. Here a country has all its official languages, each with the share
    of the people who use it; a TLD that is sold worldwide says nothing.
    """
    tlds: dict[str, int] = {}
    of_host = [(host, tlds.setdefault(tld, len(tlds))) for host, tld in connection.execute("SELECT id, tld FROM hosts")]
    table, share = of_tlds(list(tlds), index)
    row_of = np.full(collection.count_hosts(connection) + 1, len(tlds), dtype=np.int32)
    for host, row in of_host:
        row_of[host - 1] = row
    own, start = row_of[hosts], np.arange(len(table) + 1) * _OFFICIAL  # pages of a country have one list
    return (
        ListTable(own, Lists(start, table.ravel()), _OFFICIAL, NONE),
        ListTable(own, Lists(start, share.ravel()), _OFFICIAL, 0),
    )


def of_tlds(tlds: Sequence[str], index: Mapping[str, int]) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """The official languages of the country of each top-level domain, and their shares of the people who use them.

    Args:
        tlds: t top-level domains; one that is sold worldwide says nothing.
        index: the number of each language.

    Returns:
        Languages, -1 padding, and shares; shape (t + 1, 4) both. The last row is for hosts without one.
    """
    table = np.full((len(tlds) + 1, _OFFICIAL), -1, dtype=np.int16)
    share = np.zeros((len(tlds) + 1, _OFFICIAL), dtype=np.float32)
    for row, tld in enumerate(tlds):
        uses = [] if tld in territories.GENERIC_CCTLDS else territories.uses(tld)
        spoken = [(index[use.language], use.share) for use in uses if use.language in index and use.status != "used"]
        total = sum(part for _, part in spoken)
        for column, (language, part) in enumerate(spoken[:_OFFICIAL]):
            if part > 0:
                table[row, column], share[row, column] = language, part / total
    return table, share


def _directories(
    parts: Iterable[tuple[NDArray[np.int64], list[str]]], found: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.int64], list[str]]]:
    """The same rows and URLs, once ``found`` has the number of each one's directory."""
    known: dict[int, int] = {}
    for rows, urls in parts:
        paths = (url.partition("?")[0] if "?" in url else url for url in urls)
        # Hashes instead of strings: a large collection has millions of directories.
        found[rows] = [known.setdefault(hash(path.rpartition("/")[0]), len(known)) for path in paths]
        yield rows, urls
