"""What methods read of the pages of a collection: their own words, without the template lines of their hosts.

Template lines are learned host by host, before any page is classified: the lines of its pages are counted, or those of
a sample that depends on the pages' URLs alone. So they are the same however a collection was read.
"""

from __future__ import annotations

import hashlib
import json
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphlang.content.page_input import Material
from graphlang.content.template_lines import NO_TEMPLATES, REPEATED, PageText, Templates, body_of, find_templates
from graphlang.db import collection, values

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

#: Pages of a host whose lines are compared; of more, a sample.
COMPARED: Final = 2_000
_TOGETHER: Final = 4_096  # pages whose texts are in memory


class Bodies(NamedTuple):
    """What methods read of some pages."""

    material: Material
    framed: NDArray[np.bool_]  #: pages that have letters, but none of their own; shape (pages,)


def read_bodies(
    pages: Sequence[PageText], templates: Sequence[Templates], visible: Sequence[bytes], anchors: Sequence[str]
) -> Bodies:
    """Return what methods read of some pages, given the template lines of the host of each."""
    titles, texts, framed = [], [], np.zeros(len(pages), dtype=np.bool_)
    for place, (page, lines) in enumerate(zip(pages, templates, strict=True)):
        body = body_of(page, lines)
        titles.append(body.title)
        texts.append(body.text.replace("\n", " "))  # answers do not depend on where lines end
        framed[place] = not body.text and bool(page.text)
    return Bodies(Material(titles, texts, list(map(len, texts)), visible, anchors), framed)


class HostTemplates:
    """The template lines of each host of a collection.

    Args:
        connection: A collection.
        pages: Learn those of hosts all of whose pages are among these ids alone; None: of all hosts.
    """

    def __init__(self, connection: sqlite3.Connection, *, pages: NDArray[np.int64] | None = None) -> None:
        self._hosts = collection.hosts(connection)
        self._templates = dict(_learn(connection, self._hosts, pages))

    def of_page(self, number: int) -> Templates:
        """Return the template lines of the host of a page, by its id."""
        return self._templates.get(int(self._hosts[number - 1]) + 1, NO_TEMPLATES)

    def bodies(self, batch: collection.Texts) -> Bodies:
        """Return what methods read of some pages."""
        pages = list(map(PageText, batch.titles, batch.texts, batch.mains))
        return read_bodies(pages, list(map(self.of_page, batch.pages)), batch.visible, batch.anchors)


def _learn(
    connection: sqlite3.Connection, hosts: NDArray[np.int32], asked: NDArray[np.int64] | None
) -> Iterator[tuple[int, Templates]]:
    """Yield the hosts that have template lines, with these."""
    with_text = collection.pages_with_text(connection, asked)
    host = hosts[with_text - 1].astype(np.int64) + 1
    order = np.argsort(host, kind="stable")
    rows = zip(host[order].tolist(), with_text[order].tolist(), strict=True)
    waiting: list[tuple[int, list[int]]] = []
    size = 0
    for number, group in groupby(rows, key=itemgetter(0)):
        pages = [page for _, page in group]
        if len(pages) < REPEATED:  # of most hosts of a wide crawl; their texts need not be read
            continue
        pages = _sample(connection, pages)
        waiting.append((number, pages))
        size += len(pages)
        if size >= _TOGETHER:
            yield from _compare(connection, waiting)
            waiting, size = [], 0
    yield from _compare(connection, waiting)


def url_digest(url: str) -> bytes:
    """Return what orders the pages of a large host: the lowest are its sample."""
    return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _sample(connection: sqlite3.Connection, pages: list[int]) -> list[int]:
    """Return the pages with the lowest digests of their URLs, `COMPARED` at most."""
    if len(pages) <= COMPARED:
        return pages
    digests = [
        (url_digest(url), pages[place])
        for places, urls in collection.urls_of(connection, np.array(pages))
        for place, url in zip(places.tolist(), urls, strict=True)
    ]
    return sorted(page for _, page in sorted(digests)[:COMPARED])


def _compare(connection: sqlite3.Connection, hosts: Sequence[tuple[int, list[int]]]) -> Iterator[tuple[int, Templates]]:
    """Yield those of some hosts that have template lines, with these."""
    texts = dict(_texts(connection, [page for _, pages in hosts for page in pages]))
    for host, pages in hosts:
        templates = find_templates(texts[page] for page in pages if page in texts)
        if templates.counts:
            yield host, templates


def _texts(connection: sqlite3.Connection, pages: list[int]) -> Iterator[tuple[int, PageText]]:
    with values.reading("texts"):
        rows = connection.execute(
            "SELECT page, title, text, main FROM texts WHERE page IN (SELECT value FROM json_each(?))",
            (json.dumps(pages),),
        )
        for page, title, text, main in rows:
            yield page, PageText(title, text, main)
