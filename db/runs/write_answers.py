"""Write the answers of a run for pages that were fetched, with their scores and shares."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.db import statements
from graphlang.db.runs.ownership import check_own
from graphlang.db.statements import transaction

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.db.runs.answers import PageShare, RunAnswers


_COPY = tuple(
    f"INSERT INTO {table} SELECT ?, {columns} FROM {table} WHERE run = ? AND page IN (SELECT value FROM json_each(?))"
    f" ORDER BY {key}"
    for table, columns, key in (
        (
            "predictions",
            "page, label, confidence, runner_up, runner_up_confidence, characters, encoding, read",
            "page",
        ),
        ("scores", "page, rank, label, score", "page, rank"),
        ("page_shares", "page, rank, label, share", "page, rank"),
    )
)


def write_answers(
    connection: sqlite3.Connection,
    run: int,
    answers: RunAnswers,
    top: tuple[NDArray[np.integer[Any]], NDArray[np.floating[Any]]] | None = None,
    *,
    shares: Sequence[PageShare] = (),
    copied: tuple[int, Sequence[int]] | None = None,
) -> None:
    """Write the answers for some pages in one transaction.

    Args:
        connection: the collection.
        run: the run, not finished.
        answers: one row a page.
        top: label ids and scores, both of shape (pages, k), best first; a label of -1 is not written.
        shares: of the pages in several languages.
        copied: an earlier run, and other pages that have its answers, scores and shares in this run, too.

    Raises:
        StoreError: the run is finished, or does not belong to this connection.
    """
    with transaction(connection):
        check_own(connection, run)
        count, known = len(answers.pages), (answers.runner_up >= 0).tolist()
        second = _tidy(answers.runner_up_confidence)
        statements.insert_columns(
            connection,
            "INSERT INTO predictions",
            (
                [run] * count,
                answers.pages.tolist(),
                answers.label.tolist(),
                _tidy(answers.confidence),
                [
                    label if is_known else None
                    for label, is_known in zip(answers.runner_up.tolist(), known, strict=True)
                ],
                [value if is_known else None for value, is_known in zip(second, known, strict=True)],
                answers.characters.tolist(),
                answers.encodings or [None] * count,
                answers.read or [None] * count,
            ),
        )
        if top is not None:
            labels, scores = top
            row, rank = np.nonzero(np.asarray(labels) >= 0)
            statements.insert_columns(
                connection,
                "INSERT INTO scores",
                (
                    [run] * len(row),
                    answers.pages[row].tolist(),
                    (rank + 1).tolist(),
                    np.asarray(labels)[row, rank].tolist(),
                    _tidy(np.asarray(scores)[row, rank]),
                ),
            )
        statements.insert_rows(
            connection,
            "INSERT INTO page_shares",
            [(run, one.page, one.rank, one.label, round(one.share, 6)) for one in shares],
        )
        if copied is not None:
            for statement in _COPY:
                connection.execute(statement, (run, copied[0], json.dumps(list(copied[1]))))


def _tidy(values: NDArray[np.floating[Any]]) -> list[float]:
    # Six digits: what is beyond differs from machine to machine and means nothing.
    tidied: list[float] = np.round(np.asarray(values, dtype=np.float64), 6).tolist()
    return tidied
