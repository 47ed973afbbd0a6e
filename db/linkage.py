"""The links of a batch of pages into their table, and the words of links into theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import bulk
from .records import NOFOLLOW

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from .records import Links


def write(
    connection: sqlite3.Connection,
    links: Sequence[Links],
    pages: NDArray[np.int64],
    targets: NDArray[np.int64],
    counts: NDArray[np.int64],
    *,
    chosen: NDArray[np.bool_],
) -> int:
    """Write the links of those pages that are chosen; links of a page to itself are left out.

    Args:
        connection: within a transaction.
        links: of each page.
        pages: ids of the pages.
        targets: ids of the targets of all links, page by page.
        counts: links of each page.
        chosen: which pages' links are written.

    Returns:
        How many links were added.
    """
    sources = np.repeat(pages, counts)
    kept = np.flatnonzero(np.repeat(chosen, counts) & (targets != sources))
    own = np.searchsorted(kept, np.cumsum(counts) - counts)  # where the links of each page begin among the kept ones
    places = np.arange(len(kept)) - np.repeat(own, np.diff(own, append=len(kept)))
    # In key order the tree grows at its end instead of in the middle.
    order = np.lexsort((targets[kept], sources[kept]))
    kept, places = kept[order], places[order]
    if not len(kept):
        return 0
    kinds = np.frombuffer(b"".join([one.kinds for one in links]), dtype=np.uint8)[kept]
    starts = (np.cumsum(counts) - counts).tolist()
    hreflangs: list[str | None] = [None] * len(kept)
    texts: list[tuple[int, int, str]] = []
    if any(one.hreflangs or one.texts for one in links):
        row = np.full(len(targets), -1, dtype=np.int64)
        row[kept] = np.arange(len(kept))
        for start, one in zip(starts, links, strict=True):
            for place, hreflang in one.hreflangs:
                if row[start + place] >= 0:
                    hreflangs[row[start + place]] = hreflang
            texts += [
                (int(targets[start + place]), int(sources[start + place]), text)
                for place, text in one.texts
                if row[start + place] >= 0
            ]
    added = bulk.insert(
        connection,
        "INSERT OR IGNORE INTO links",
        (
            sources[kept].tolist(),
            targets[kept].tolist(),
            (kinds & ~np.uint8(NOFOLLOW)).tolist(),
            (kinds >= NOFOLLOW).astype(np.int64).tolist(),
            hreflangs,
            places.tolist(),
        ),
    )
    bulk.insert_rows(connection, "INSERT OR IGNORE INTO anchor_texts", sorted(texts))
    return added
