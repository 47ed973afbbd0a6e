"""Pages for people to check: the most useful ones, or a random sample to label."""

from __future__ import annotations

import heapq
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from graphlang.db import collection
from graphlang.graph.options import Options
from graphlang.maps.selection import Selection
from graphlang.printing import quantity

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray


COUNT: Final = 50  #: pages, unless another number is asked for
#: Minimum benefit of a check, in pages of which nothing is known.
LEAST: Final = 0.01
_EXCERPT: Final = 160  # characters of a page to review
_SAMPLE_EXCERPT: Final = 400  # characters of a page to label
_READ: Final = 100_000


class ReviewRow(NamedTuple):
    """A page to check; the annotator fills in the two empty columns."""

    url: str  #: of the page
    language: str  #: empty: what the page is in
    note: str  #: empty: why
    answer: str  #: the language today
    confidence: float  #: of the answer
    runner_up: str | None  #: the second language
    why: str  #: why this page
    title: str  #: of the page
    text: str  #: how the text begins


class _Pages(NamedTuple):
    """The p pages that count, fetched or only linked to."""

    page: NDArray[np.int64]  #: ids, shape (p,)
    group: NDArray[np.int64]  #: number of the host and language, shape (p,)
    doubt: NDArray[np.float64]  #: how likely the answer is wrong, shape (p,)
    latent: NDArray[np.bool_]  #: whether its neighbours influence its answer, shape (p,)
    checkable: NDArray[np.bool_]  #: whether it has a text and no correction, shape (p,)


def list_pages_to_review(
    connection: sqlite3.Connection, *, count: int, selection: Selection
) -> Iterator[tuple[Any, ...]]:
    """Yield pages to check as tuples of the fields of `ReviewRow`, the most useful first; only those of a selection.

    The benefit of a check is the doubt about the page and about those of its neighbours that receive its messages: a
    page with confidence 0.4 and ten short neighbours with 0.9 each has 0.6 + 10 * 0.1. The second page of a host and
    language counts half, the third a third, and so on, so that no site fills the list. Pages without any words,
    corrected pages and pages whose text leaves no doubt are left out.
    """
    counted = Selection(status=selection.status, mime=selection.mime, everything=selection.everything)
    pages = _read_pages(connection, counted)
    total = collection.count_pages(connection)
    row_of = np.full(total + 1, -1, dtype=np.int64)
    row_of[pages.page] = np.arange(len(pages.page))
    neighbour_doubt, links = _sum_neighbours(connection, pages, row_of)
    if selection != counted:
        source, values = selection.write_source()
        chosen = [page for (page,) in connection.execute(f"SELECT page FROM {source}", values)]
        pages = pages._replace(checkable=pages.checkable & np.isin(pages.page, chosen))
    benefit = np.where(pages.checkable & (pages.latent | (pages.doubt >= LEAST)), pages.doubt + neighbour_doubt, 0)
    for row in _choose_diverse(benefit, pages.group, count):
        yield _make_review_row(connection, int(pages.page[row]), float(pages.doubt[row]), int(links[row]))


def _read_pages(connection: sqlite3.Connection, selection: Selection) -> _Pages:
    source, values = selection.write_source()
    cursor = connection.execute(
        "SELECT pages.page, host, language, confidence, COALESCE(characters, 0), fetched, method IS 'correction',"
        " COALESCE(texts.title, '') <> '' OR COALESCE(texts.text, '') <> ''"
        f" FROM {source} AS pages LEFT JOIN texts ON texts.page = pages.page",
        values,
    )
    numbers: dict[tuple[str, str], int] = {}
    parts = [np.zeros((0, 6))]
    while rows := cursor.fetchmany(_READ):
        block = [
            (
                page,
                numbers.setdefault((host, language), len(numbers)),
                1 - confidence,
                characters,
                corrected,
                fetched * has_words,
            )
            for page, host, language, confidence, characters, fetched, corrected, has_words in rows
        ]
        parts.append(np.array(block, dtype=np.float64))
    page, group, doubt, characters, corrected, has_words = np.concatenate(parts).T
    options = Options()
    latent = ((characters < options.clamp_length) | (1 - doubt < options.doubtful)) & (corrected == 0)
    return _Pages(page.astype(np.int64), group.astype(np.int64), doubt, latent, (has_words > 0) & (corrected == 0))


def _sum_neighbours(
    connection: sqlite3.Connection, pages: _Pages, row_of: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Sum the doubt about the latent neighbours of each page, and count those in doubt; shape (p,) each."""
    edges = collection.read_edges(connection)
    doubt = np.where(pages.latent, pages.doubt, 0)
    neighbour_doubt, links = np.zeros(len(pages.page)), np.zeros(len(pages.page), dtype=np.int64)
    for begin, end in ((edges.source, edges.target), (edges.target, edges.source)):
        near, far = row_of[begin + 1], row_of[end + 1]
        both = (near >= 0) & (far >= 0)
        near, far = near[both], far[both]
        neighbour_doubt += np.bincount(near, doubt[far], minlength=len(neighbour_doubt))
        links += np.bincount(near, doubt[far] >= LEAST, minlength=len(links)).astype(np.int64)
    return neighbour_doubt, links


def _choose_diverse(benefit: NDArray[np.float64], group: NDArray[np.int64], count: int) -> Sequence[int]:
    """Return rows in order of their worth, each of a group divided by its rank in the group.

    >>> _choose_diverse(np.array([3.0, 2.9, 1.0, 0.0]), np.array([0, 0, 1, 1]), 3)  # 2.9 / 2 is more than 1.0
    [0, 1, 2]
    >>> _choose_diverse(np.array([3.0, 1.9, 1.0, 0.0]), np.array([0, 0, 1, 1]), 3)
    [0, 2, 1]
    """
    rows = np.flatnonzero(benefit >= LEAST)
    rows = rows[np.lexsort((rows, -benefit[rows], group[rows]))]
    rank = np.arange(len(rows)) - np.searchsorted(group[rows], group[rows])
    worth = benefit[rows] / (rank + 1)
    order: list[int] = rows[np.lexsort((rows, -worth))][:count].tolist()
    return order


def _make_review_row(connection: sqlite3.Connection, page: int, doubt: float, links: int) -> tuple[Any, ...]:
    url, answer, confidence, runner_up, title, text = connection.execute(
        "SELECT url, language, confidence, runner_up, COALESCE(title, ''),"
        " REPLACE(SUBSTR(COALESCE(text, ''), 1, ?), CHAR(10), ' ')"
        " FROM page_languages LEFT JOIN texts USING (page) WHERE page = ?",
        (_EXCERPT, page),
    ).fetchone()
    why = f"in doubt by {doubt:.2f}; {quantity(links, 'link')} to and from short pages in doubt"
    return tuple(ReviewRow(url, "", "", answer, confidence, runner_up, why, title, text))


class SampleRow(NamedTuple):
    """A page to label by hand, without the answer; the annotator fills in the two empty columns."""

    url: str  #: of the page
    language: str  #: empty: what the page is in
    note: str  #: empty: why
    title: str  #: of the page
    text: str  #: how the text begins


def sample_rows(
    connection: sqlite3.Connection, *, count: int, draw: int = 1, selection: Selection
) -> Iterator[tuple[Any, ...]]:
    """Draw fetched pages at random without replacement; yield tuples of the fields of `SampleRow`.

    They are those that a map counts, see `Selection`: no redirects, error pages and images. The pages with the least
    digests of draw and URL are drawn, in this order. So the first rows are a sample as well, the order in which pages
    were read changes nothing, and of a collection that has grown most are drawn again.
    """
    selection = replace(selection, fetched=True)
    source, values = selection.write_source(table=selection.view, columns=("page", "url", "language", "script"))
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
            (_SAMPLE_EXCERPT, page),
        ).fetchone()
        yield tuple(SampleRow(url, "", "", title, text))
