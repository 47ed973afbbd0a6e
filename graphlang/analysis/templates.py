"""Texts that methods read from pages of a collection: without the template lines of their hosts.

Template lines are learned host by host before any page is classified, from the lines of all pages of a host, or of a
sample that depends only on their URLs. So they do not depend on how the collection was read.
"""

from __future__ import annotations

import hashlib
import json
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphlang.content.page_input import Material
from graphlang.content.template_lines import NO_TEMPLATES, REPEATED, PageText, Templates, extract_body, find_templates
from graphlang.db import collection, values

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

#: Pages of a host whose lines are compared; larger hosts are sampled.
COMPARED: Final = 2_000
_TOGETHER: Final = 4_096  # pages whose texts are in memory at a time


class Bodies(NamedTuple):
    """Texts of some pages for methods to read."""

    material: Material
    framed: NDArray[np.bool_]  #: pages with template text only, shape (pages,)


def read_bodies(
    pages: Sequence[PageText], templates: Sequence[Templates], visible: Sequence[bytes], anchors: Sequence[str]
) -> Bodies:
    """Return the texts of some pages without the template lines of their hosts."""
    titles, texts, framed = [], [], np.zeros(len(pages), dtype=np.bool_)
    for place, (page, lines) in enumerate(zip(pages, templates, strict=True)):
        body = extract_body(page, lines)
        titles.append(body.title)
        texts.append(body.text.replace("\n", " "))  # answers do not depend on where lines end
        framed[place] = not body.text and bool(page.text)
    return Bodies(Material(titles, texts, list(map(len, texts)), visible, anchors), framed)


class HostTemplates:
    """Template lines of each host of a collection.

    ``hosts`` has the host of each page, see `collection.read_hosts`. Only ``pages`` are learned from, which include all
    pages of their hosts; None: all pages.
    """

    def __init__(
        self, connection: sqlite3.Connection, hosts: NDArray[np.int32], *, pages: NDArray[np.int64] | None = None
    ) -> None:
        self._hosts = hosts
        self._templates = dict(_learn_templates(connection, hosts, pages))

    def read_page_lines(self, number: int) -> Templates:
        """Return the template lines of a page's host, by page id."""
        return self._templates.get(int(self._hosts[number - 1]) + 1, NO_TEMPLATES)

    def make_bodies(self, batch: collection.StoredTexts) -> Bodies:
        """Return the texts of some pages without template lines."""
        pages = list(map(PageText, batch.titles, batch.texts, batch.mains))
        return read_bodies(pages, list(map(self.read_page_lines, batch.pages)), batch.visible, batch.anchors)


def _learn_templates(
    connection: sqlite3.Connection, hosts: NDArray[np.int32], page_ids: NDArray[np.int64] | None
) -> Iterator[tuple[int, Templates]]:
    """Yield the template lines of each host that has some."""
    with_text = collection.find_pages_with_text(connection, page_ids)
    host = hosts[with_text - 1].astype(np.int64) + 1
    order = np.argsort(host, kind="stable")
    rows = zip(host[order].tolist(), with_text[order].tolist(), strict=True)
    waiting: list[tuple[int, list[int]]] = []
    size = 0
    for number, group in groupby(rows, key=itemgetter(0)):
        pages = [page for _, page in group]
        if len(pages) < REPEATED:  # most hosts of a wide crawl; their texts are not read
            continue
        pages = _sample_pages(connection, pages)
        waiting.append((number, pages))
        size += len(pages)
        if size >= _TOGETHER:
            yield from _compare_hosts(connection, waiting)
            waiting, size = [], 0
    yield from _compare_hosts(connection, waiting)


def digest_url(url: str) -> bytes:
    """Return a digest of a URL; the pages with the lowest are the sample of a large host."""
    return hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def _sample_pages(connection: sqlite3.Connection, pages: list[int]) -> list[int]:
    """Return the pages with the lowest digests of their URLs, `COMPARED` at most."""
    if len(pages) <= COMPARED:
        return pages
    digests = [
        (digest_url(url), pages[place])
        for places, urls in collection.read_page_urls(connection, np.array(pages))
        for place, url in zip(places.tolist(), urls, strict=True)
    ]
    return sorted(page for _, page in sorted(digests)[:COMPARED])


def _compare_hosts(
    connection: sqlite3.Connection, hosts: Sequence[tuple[int, list[int]]]
) -> Iterator[tuple[int, Templates]]:
    """Yield the template lines of those of some hosts that have some."""
    texts = dict(_read_texts(connection, [page for _, pages in hosts for page in pages]))
    for host, pages in hosts:
        templates = find_templates(texts[page] for page in pages if page in texts)
        if templates.counts:
            yield host, templates


def _read_texts(connection: sqlite3.Connection, pages: list[int]) -> Iterator[tuple[int, PageText]]:
    with values.translate_errors("texts"):
        rows = connection.execute(
            "SELECT page, title, text, main FROM texts WHERE page IN (SELECT value FROM json_each(?))",
            (json.dumps(pages),),
        )
        for page, title, text, main in rows:
            yield page, PageText(title, text, main)


_BYTES = 8  # of SQLite's INTEGER


def digest_pages(*columns: Sequence[str] | Sequence[int] | Sequence[bytes]) -> list[int]:
    """Return a signed 64-bit digest of each page's columns, to find pages that have changed.

    A page is compared only with itself at another time, so 64 bits are enough.

    >>> digest_pages(["a", "ab"], ["bc", "c"])[0] == digest_pages(["ab"], ["c"])[0]  # boundaries between columns count
    False
    """
    return [_digest(values) for values in zip(*columns, strict=True)]


def _digest(values: tuple[str | int | bytes, ...]) -> int:
    data = [value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass") for value in values]
    sizes = repr(list(map(len, data))).encode()
    return int.from_bytes(hashlib.blake2b(b"".join([sizes, *data]), digest_size=_BYTES).digest(), "little", signed=True)
