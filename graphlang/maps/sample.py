"""Pages drawn at random, for somebody to label: what a collection's answers are judged by."""

from __future__ import annotations

import heapq
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from graphlang.maps.selection import Selection

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from graphlang.codes.wanted import Wanted

_EXCERPT: Final = 400  # characters


class SampleRow(NamedTuple):
    """A page to look at; the two empty columns are filled in by whoever does. What graphlang says of it is not told."""

    url: str  #: of the page
    language: str  #: empty: what the page is in
    note: str  #: empty: why
    title: str  #: of the page
    text: str  #: how the text begins


def sample_rows(
    connection: sqlite3.Connection, *, count: int, draw: int = 1, wanted: tuple[Wanted, ...] = ()
) -> Iterator[tuple[Any, ...]]:
    """Fetched pages as tuples of the fields of `SampleRow`, each as likely as any other, without replacement.

    They are those that a map counts, see `Selection`: no redirects, error pages and images. The pages with the least
    digests of draw and URL are drawn, in this order. So the first rows are a sample as well, the order in which pages
    were read changes nothing, and of a collection that has grown most are drawn again.

    Args:
        connection: a collection.
        count: so many at most.
        draw: another number draws other pages.
        wanted: only pages that the chosen run takes for one of these languages; all if empty.
    """
    selection = Selection(wanted=wanted, fetched=True)
    source, values = selection.source(of=selection.view, columns=("page", "url"))
    key = draw.to_bytes(8, "little")
    drawn = heapq.nsmallest(
        count,
        (
            (blake2b(url.encode(), digest_size=8, key=key).digest(), page)
            for page, url in connection.execute(f"SELECT page, url FROM {source}", values)
        ),
    )
    for _, page in drawn:
        url, title, text = connection.execute(
            "SELECT url, COALESCE(title, ''), REPLACE(SUBSTR(COALESCE(text, ''), 1, ?), CHAR(10), ' ')"
            " FROM page_languages LEFT JOIN texts USING (page) WHERE page = ?",
            (_EXCERPT, page),
        ).fetchone()
        yield tuple(SampleRow(url, "", "", title, text))
