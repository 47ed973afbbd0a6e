"""Read the answers and scores of a run; what no run can have given is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.db import values
from graphlang.db.collection import count_pages
from graphlang.db.runs.answers import ROWS_AT_ONCE, RunAnswers, Scores
from graphlang.db.runs.labels import check_labels
from graphlang.db.runs.linked_answers import BLOCK, CELL, read_linked, unpacked
from graphlang.db.values import MOST

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from numpy.typing import NDArray


_ONE = 1.001  #: no confidence is greater, rounding being allowed for


def read_answers(connection: sqlite3.Connection, run: int) -> RunAnswers:
    """All answers of a run, in order of page ids.

    Args:
        connection: the collection.
        run: the run's id.

    Returns:
        One row a page; for URLs that were only linked to, 0 characters, and confidences rounded to four digits.

    Raises:
        StoreError: an answer for no page, with a label that there is not, or whose confidence is no probability.
    """
    cursor = connection.execute(
        "SELECT page, label, confidence, COALESCE(runner_up, -1), COALESCE(runner_up_confidence, 0), characters"
        " FROM predictions WHERE run = ? ORDER BY page",
        (run,),
    )
    parts: list[NDArray[np.float64]] = []
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        parts.append(values.to_array("predictions", rows, 6))
    if len(linked := read_linked(connection, run)):
        parts.append(linked)
    table = np.concatenate(parts) if parts else np.zeros((0, 6))
    _check_answers(connection, table)
    if len(linked):
        table = table[np.argsort(table[:, 0], kind="stable")]
    whole = table.astype(np.int64)
    return RunAnswers(whole[:, 0], whole[:, 1], table[:, 2], whole[:, 3], table[:, 4], whole[:, 5])


def _check_answers(connection: sqlite3.Connection, table: NDArray[np.float64]) -> None:
    """Refuse answers, as columns of `RunAnswers`, that no run can have given."""
    values.check_range("predictions.page", table[:, 0], 1, count_pages(connection))
    for place, name in enumerate(("label", "runner_up")):
        check_labels(connection, f"predictions.{name}", table[:, 1 + 2 * place], least=1 if not place else -1)
        values.check_range(f"predictions.{name}_confidence", table[:, 2 + 2 * place], 0, _ONE)
    values.check_range("predictions.characters", table[:, 5], 0, MOST)


def read_scores(connection: sqlite3.Connection, run: int, pages: NDArray[np.bool_], width: int) -> Scores:
    """The score lists of a run.

    Args:
        connection: the collection.
        run: the run.
        pages: whether the list of the page ``id`` is wanted: ``pages[id - 1]``.
        width: at most so many labels a page.

    Returns:
        The lists of these pages, in order of their ids; those that have no score have an empty one.

    Raises:
        StoreError: a score of no page, with a label that there is not, or that is no probability.
    """
    cursor = connection.execute(
        "SELECT page, rank, label, score FROM scores WHERE run = ? AND rank <= ? ORDER BY page, rank", (run, width)
    )
    count = np.zeros(len(pages), dtype=np.uint8 if width < np.iinfo(np.uint8).max else np.int32)
    labels, scores = [np.zeros(0, dtype=np.int32)], [np.zeros(0, dtype=np.float32)]
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        table = values.to_array("scores", rows, 4)
        values.check_range("scores.page", table[:, 0], 1, len(pages))
        values.check_range("scores.rank", table[:, 1], 1, width)
        check_labels(connection, "scores.label", table[:, 2], least=1)
        values.check_range("scores.score", table[:, 3], 0, _ONE)
        row = table[:, 0].astype(np.int64) - 1
        table, row = table[pages[row]], row[pages[row]]
        first = np.flatnonzero(np.diff(row, prepend=-1))  # the rows of a page follow each other
        count[row[first]] += np.diff(first, append=len(row)).astype(count.dtype)
        labels.append(table[:, 2].astype(np.int32))
        scores.append(table[:, 3].astype(np.float32))
    return Scores(count[pages].astype(np.int32), np.concatenate(labels), np.concatenate(scores))


def read_shares(connection: sqlite3.Connection, run: int, width: int) -> NDArray[np.float64]:
    """Page, rank, label and share of the pages in several languages, by page and rank; shape (rows, 4).

    Args:
        connection: the collection.
        run: a content run.
        width: at most so many labels a page.

    Raises:
        StoreError: a share of no page, with a label that there is not, or that is no part of a whole.
    """
    cursor = connection.execute(
        "SELECT page, rank, label, share FROM page_shares WHERE run = ? AND rank <= ? ORDER BY page, rank", (run, width)
    )
    parts = [np.zeros((0, 4))]
    while rows := cursor.fetchmany(ROWS_AT_ONCE):
        parts.append(values.to_array("page_shares", rows, 4))
    table = np.concatenate(parts)
    values.check_range("page_shares.page", table[:, 0], 1, count_pages(connection))
    values.check_range("page_shares.rank", table[:, 1], 1, width)
    check_labels(connection, "page_shares.label", table[:, 2], least=1)
    values.check_range("page_shares.share", table[:, 3], 0, _ONE)
    return table


def count_answers(connection: sqlite3.Connection, run: int, labels: Collection[int]) -> tuple[int, int]:
    """How many answers a run has, and how many of those for URLs that were only linked to have no label.

    Args:
        connection: the collection.
        run: the run's id.
        labels: ids that there are.
    """
    (count,) = connection.execute("SELECT COUNT(*) FROM predictions WHERE run = ?", (run,)).fetchone()
    strange = 0
    for (cells,) in connection.execute(
        "SELECT cells FROM linked_answers WHERE run = ? AND LENGTH(cells) = ? AND typeof(cells) = 'blob'",
        (run, CELL * BLOCK),
    ):
        label, runner_up = (column.astype(np.int64) for column in unpacked(cells)[:, ::2].T)
        count += int((label >= 0).sum())
        known = np.array([-1, *labels])
        strange += int((~np.isin(label, known) | ~np.isin(runner_up, known)).sum())
    return count, strange


def last_page(connection: sqlite3.Connection, run: int) -> int:
    """The greatest page id that the run has answered; 0 if none.

    Args:
        connection: the collection.
        run: the run's id.
    """
    return int(connection.execute("SELECT COALESCE(MAX(page), 0) FROM predictions WHERE run = ?", (run,)).fetchone()[0])
