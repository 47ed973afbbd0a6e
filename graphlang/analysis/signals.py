"""Evidence for a page's language besides its text: declarations, country of its host, URL, directory."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphlang.codes import languages, territories
from graphlang.content.declared import DECLARATION_SOURCES, find_declared
from graphlang.content.score_lists import choose_top
from graphlang.db import collection
from graphlang.db.url_evidence import CELL, read_url_evidence
from graphlang.graph.data import NONE, Signal
from graphlang.graph.tables import Lists, ListTable
from graphlang.urls import url_methods

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.urls.url_methods import UrlIdentifier

#: Signals with a weight, besides those of links.
NAMES = ("declared", "cctld", "url")
_READ = 100_000
#: URLs with a lower confidence are no signal: opaque URLs have .3 to .45, nearly always for a language whose training
#: URLs were opaque.
_LEAST_URL = 0.5
_OFFICIAL = 4  # official languages per country; no country has more that pages are likely to use


class PageSignals(NamedTuple):
    """Evidence of some pages besides their text and links."""

    signals: dict[str, Signal]  #: by name
    directory: NDArray[np.int32]  #: number of everything before the last slash of the URL's path, shape (pages,)
    new: NDArray[Any]  #: cells of URLs that are not stored yet, see `graphlang.db.url_evidence`


def load(
    connection: sqlite3.Connection,
    index: Mapping[str, int],
    pages: NDArray[np.int64],
    weights: Mapping[str, float],
    hosts: NDArray[np.int32],
) -> PageSignals:
    """Return the signals with a weight for some pages, and the directories of their URLs.

    ``index`` numbers the languages, ``pages`` are distinct ids, ``weights`` are by name (see ``NAMES``), and ``hosts``
    are those of the pages. Raise a ValueError for a weight that is negative or not a number.
    """
    cells, new = _read_urls(connection, pages)
    signals = {}
    if weights.get("declared", 0):
        signals["declared"] = Signal(*_read_declared(connection, index, pages), weights["declared"])
    if weights.get("cctld", 0):
        signals["cctld"] = Signal(*_find_country_languages(connection, index, hosts), weights["cctld"])
    if weights.get("url", 0):
        codes, code = np.unique(cells["language"], return_inverse=True)
        language = np.array([index.get(name.decode("latin-1"), -1) for name in codes.tolist()], dtype=np.int16)[code]
        probability = np.where(language >= 0, cells["probability"], 0)
        signals["url"] = Signal(language[:, None], probability[:, None], weights["url"])
    return PageSignals(signals, _number_directories(pages, cells), new)


def _read_urls(connection: sqlite3.Connection, pages: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the cells of some pages, zeros for removed ones, and those that are not stored yet."""
    stored = read_url_evidence(connection, url_methods.digest_default())
    ids = np.ascontiguousarray(stored["page"])
    place = np.searchsorted(ids, pages)
    is_stored = np.append(ids, 0)[place] == pages
    cells = np.zeros(len(pages), CELL)
    cells[is_stored] = stored[place[is_stored]]
    missing = np.flatnonzero(~is_stored)
    if len(missing):
        identifier = load_url_method()
        labels = np.array([label.encode() for label in identifier.labels])
        for rows, urls in collection.read_page_urls(connection, pages[missing]):
            place = missing[rows]
            column, cells["probability"][place] = _find_languages(identifier, urls)
            cells["language"][place] = np.where(column < 0, b"", labels[column])
            cells["directory"][place] = _digest_directories(urls)
            cells["page"][place] = pages[place]
    load_url_method.cache_clear()
    return cells, cells[missing[cells["page"][missing] > 0]]


def _digest_directories(urls: Sequence[str]) -> list[int]:
    """Return digests of URLs up to the last slash of the path, as integers of 64 bits with a sign."""
    paths = (url.partition("?")[0] if "?" in url else url for url in urls)
    return [
        int.from_bytes(hashlib.blake2b(path.rpartition("/")[0].encode(), digest_size=8).digest(), "little", signed=True)
        for path in paths
    ]


def _number_directories(pages: NDArray[np.int64], cells: NDArray[Any]) -> NDArray[np.int32]:
    """Number the directories of pages from 0, in the order of page ids; -1 for removed pages."""
    order = np.argsort(pages, kind="stable")
    order = order[cells["page"][order] > 0]
    _, first, number = np.unique(cells["directory"][order], return_index=True, return_inverse=True)
    directory = np.full(len(pages), -1, dtype=np.int32)
    directory[order] = np.argsort(np.argsort(first))[number]
    return directory


@lru_cache(maxsize=1)
def load_url_method() -> UrlIdentifier:
    """Load the default URL method ahead; it is cached until `make_url_signal` takes it."""
    return url_methods.load()


def make_url_signal(
    parts: Iterable[tuple[NDArray[np.integer[Any]], list[str]]], count: int, index: Mapping[str, int], weight: float
) -> Signal:
    """Return the most likely language of each URL (``graphlang.urls``), where the method is sure enough.

    ``parts`` have rows of some pages and their URLs, ``count`` is the number of all pages, ``index`` numbers the
    languages.
    """
    identifier = load_url_method()
    load_url_method.cache_clear()
    index_of_column = np.array([*(index.get(label, -1) for label in identifier.labels), -1], dtype=np.int16)
    language = np.full((count, 1), -1, dtype=np.int16)
    probability = np.zeros((count, 1), dtype=np.float32)
    for rows, urls in parts:
        column, score = _find_languages(identifier, urls)
        language[rows, 0] = index_of_column[column]
        probability[rows, 0] = np.where(language[rows, 0] >= 0, score, 0)
    return Signal(language, probability, weight)


def _find_languages(identifier: UrlIdentifier, urls: Sequence[str]) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return the column of the language of each URL, -1 if it is not sure enough, and its probability."""
    best, score = choose_top(identifier.probabilities(urls), 1)
    is_sure = (best[:, 0] >= 0) & (score[:, 0] >= _LEAST_URL)
    return np.where(is_sure, best[:, 0], -1), np.where(is_sure, score[:, 0], np.float32(0))


def _read_declared(
    connection: sqlite3.Connection, index: Mapping[str, int], pages: NDArray[np.int64]
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Return the language that each page declares, by the precedence of `graphlang.content.declared`."""
    language = np.full((len(pages), 1), -1, dtype=np.int16)
    row_of = np.full(int(pages.max(initial=0)) + 1, -1, dtype=np.int32)
    row_of[pages] = np.arange(len(pages), dtype=np.int32)
    for first in range(0, len(row_of), _READ):
        declared = connection.execute(
            "SELECT source, value, GROUP_CONCAT(page, ' ') FROM declarations WHERE page BETWEEN ? AND ?"
            " GROUP BY source, value",
            (first, min(first + _READ, len(row_of)) - 1),
        ).fetchall()
        for trusted in reversed(DECLARATION_SOURCES):  # the most trusted one last
            for source, value, numbers in declared:
                if source == trusted and (code := find_declared_language(f"{source}={value}")):
                    rows = row_of[np.fromstring(numbers, dtype=np.int64, sep=" ")]
                    language[rows[rows >= 0], 0] = index.get(code, -1)
    return language, (language >= 0).astype(np.float32)


@lru_cache(maxsize=4096)  # pages of a site have the same few declarations
def find_declared_language(declarations: str) -> str:
    """Return the language of declarations, ``source=value`` on each line; empty without a valid one."""
    rows = [(source, value) for source, _, value in (line.partition("=") for line in declarations.split("\n"))]
    declared = find_declared(rows)
    return languages.split_label(declared.label)[0] if declared else ""


def _find_country_languages(
    connection: sqlite3.Connection, index: Mapping[str, int], hosts: NDArray[np.int32]
) -> tuple[ListTable[np.int16], ListTable[np.float32]]:
    """Return the languages of the country of each page's host (ccTLD, Baykan et al. 2008, section 3.2).

    The paper assigns one language to a country, by hand. Here a country has all its official languages, with their
    shares of speakers; TLDs that are sold worldwide have none.
    """
    rows = connection.execute("SELECT tld, GROUP_CONCAT(id, ' ') FROM hosts GROUP BY tld").fetchall()
    table, share = list_tld_languages([tld for tld, _ in rows], index)
    row_of = np.full(collection.count_hosts(connection) + 1, len(rows), dtype=np.int32)
    for row, (_, numbers) in enumerate(rows):
        row_of[np.fromstring(numbers, dtype=np.int64, sep=" ") - 1] = row
    list_number, start = row_of[hosts], np.arange(len(table) + 1) * _OFFICIAL  # pages of a country have one list
    return (
        ListTable(list_number, Lists(start, table.ravel()), _OFFICIAL, NONE),
        ListTable(list_number, Lists(start, share.ravel()), _OFFICIAL, 0),
    )


def list_tld_languages(tlds: Sequence[str], index: Mapping[str, int]) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Return the official languages of the country of each TLD, and their shares of speakers; shape (t + 1, 4) each.

    The last row is for hosts without a TLD. TLDs that are sold worldwide have no languages.
    """
    table = np.full((len(tlds) + 1, _OFFICIAL), -1, dtype=np.int16)
    share = np.zeros((len(tlds) + 1, _OFFICIAL), dtype=np.float32)
    for row, tld in enumerate(tlds):
        uses = [] if tld in territories.GENERIC_CCTLDS else territories.list_uses(tld)
        official = [(index[use.language], use.share) for use in uses if use.language in index and use.status != "used"]
        total = sum(speakers for _, speakers in official)
        for column, (language, speakers) in enumerate(official[:_OFFICIAL]):
            if speakers > 0:
                table[row, column], share[row, column] = language, speakers / total
    return table, share
