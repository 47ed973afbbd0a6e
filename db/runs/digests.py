"""What a run read of each page, as a digest: pages whose digest is the same need not be read again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.db import values
from graphlang.db.collection import count_pages
from graphlang.db.runs.answers import ROWS_AT_ONCE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from numpy.typing import NDArray


def digests_of_pages(connection: sqlite3.Connection, run: int, pages: Sequence[int]) -> dict[int, int]:
    """Digests of what a run read of some pages, in ascending order of ids; a page that it kept none of is left out.

    Args:
        connection: the collection.
        run: the run's id.
        pages: ids, ascending.

    Returns:
        The digest of each page by its id, and of the other pages that the run read between the first id and the last.
    """
    if not pages:
        return {}
    return dict(
        connection.execute(
            "SELECT page, read FROM predictions WHERE run = ? AND page BETWEEN ? AND ? AND read IS NOT NULL",
            (run, pages[0], pages[-1]),
        )
    )


def digests_of_short_pages(
    connection: sqlite3.Connection, run: int, shorter: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pages with fewer than so many characters, and a digest of what the run read of each, where it kept one.

    Args:
        connection: the collection.
        run: the run's id.
        shorter: characters; only pages with fewer.

    Returns:
        Page ids, ascending, and a digest for each: two arrays of shape (pages,).
    """
    cursor = connection.execute(
        "SELECT page, read FROM predictions WHERE run = ? AND characters < ? AND read IS NOT NULL ORDER BY page",
        (run, shorter),
    )
    parts = [np.zeros((0, 2), dtype=np.int64)]
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        with values.reading("predictions"):
            parts.append(np.array(rows, dtype=np.int64))
    table = np.concatenate(parts)
    values.check_range("predictions.page", table[:, 0], 1, count_pages(connection))
    return table[:, 0], table[:, 1]
