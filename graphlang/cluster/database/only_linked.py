"""Answers of a run for URLs that were only linked to, on their way into a database, which keeps them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.analysis.classify import label_ids
from graphlang.db.runs.linked_answers import LinkedAnswers

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from numpy.typing import NDArray


class OnlyLinked:
    """Answers of a run for URLs that were only linked to.

    Args:
        count: pages of the collection.
    """

    def __init__(self, count: int) -> None:
        self._labels = np.full((2, count), -1, dtype=np.int64)
        self._chances = np.zeros((2, count))

    def take(
        self, connection: sqlite3.Connection, ids: Callable[[NDArray[np.int64], str], NDArray[np.int64]], batch: Any
    ) -> None:
        """Take rows of the table of answers.

        Args:
            connection: the database.
            ids: numbers of pages.
            batch: rows.
        """
        pages = ids(batch.column("page").to_numpy(), "answers") - 1
        for rank, before in enumerate(("", "runner_up_")):
            labels = batch.column(f"{before}label").to_pylist()
            named = sorted({label for label in labels if label is not None})
            known: dict[str | None, int] = {None: -1, **dict(zip(named, label_ids(connection, named), strict=True))}
            self._labels[rank, pages] = [known[label] for label in labels]
            self._chances[rank, pages] = (
                batch.column(f"{before}confidence").fill_null(0.0).to_numpy(zero_copy_only=False)
            )

    def answers(self) -> LinkedAnswers:
        """All of them."""
        return LinkedAnswers(self._labels[0], self._chances[0], self._labels[1], self._chances[1])
