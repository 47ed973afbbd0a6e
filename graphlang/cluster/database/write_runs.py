"""Runs and their answers from a cluster's tables, into a database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow.compute as pc
import pyarrow.dataset as ds

from graphlang.analysis.classify import label_ids
from graphlang.cluster.database.only_linked import OnlyLinked
from graphlang.cluster.database.table_rows import ROWS
from graphlang.cluster.tables import ANSWER
from graphlang.db.runs.answers import PageShare, RunAnswers, write_answers
from graphlang.db.runs.lifecycle import finish_run, start_run
from graphlang.db.runs.linked_answers import write_linked

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    import pyarrow as pa
    from numpy.typing import NDArray

    from graphlang.cluster.database.table_rows import TableRows

_RUN: Final = (
    *("id", "kind", "method", "model", "model_hash", "parameters", "seeds", "version", "rounds", "converged"),
    *("collection", "linked", "chosen", "started", "finished", "pages"),
)


class Runs:
    """All runs; pages have to be there.

    Args:
        connection: the database that is being made.
        given: what is read.
    """

    def __init__(self, connection: sqlite3.Connection, given: TableRows) -> None:
        self._connection, self._given = connection, given

    def write(self, answered: Iterable[tuple[int, int]]) -> int:
        """Write them; how many there are.

        Args:
            answered: run and number of each capture in the history that has an answer.
        """
        rows = sorted(
            (row for batch in self._given.rows("runs", _RUN) for row in batch.to_pylist()), key=lambda row: row["id"]
        )
        numbers: dict[int, int] = {}
        for row in rows:
            run = start_run(
                self._connection,
                kind=row["kind"],
                method=row["method"],
                model=row["model"],
                model_hash=row["model_hash"],
                parameters=json.loads(row["parameters"]),
                version=row["version"],
                seeds=[numbers[seed] for seed in json.loads(row["seeds"])],
            )
            numbers[row["id"]] = run.id
            apart = None if row["linked"] is None else OnlyLinked(len(self._given.hashes))
            pages = self._write_answers(row["id"], run.id, apart)
            converged = None if row["converged"] is None else bool(row["converged"])
            finish_run(
                *(self._connection, run.id),
                pages=pages,
                rounds=row["rounds"],
                converged=converged,
                linked=None if apart is None else False,
                choose=bool(row["chosen"]),
            )
            if apart is not None and row["linked"]:
                write_linked(self._connection, run.id, [apart.answers()])
            when = (row["started"], row["finished"], row["collection"] or run.collection, run.id)
            self._connection.execute("UPDATE runs SET started = ?, finished = ?, collection = ? WHERE id = ?", when)
        rows_of = [(numbers[run], capture) for run, capture in answered]
        self._connection.executemany("UPDATE history SET run = ? WHERE id = ?", rows_of)
        return len(rows)

    def _write_answers(self, given: int, run: int, apart: OnlyLinked | None) -> int:
        dataset = self._given.tables["answers"].filter(ds.field("run") == given)
        known: dict[str, int] = {}
        count = 0
        for rows in dataset.to_batches(columns=["page", *ANSWER.names], batch_size=ROWS // 8):
            batch = rows
            if apart is not None:  # URLs that were only linked to have no list of scores
                scored = batch.column("scores").is_valid()
                apart.take(self._connection, self._given.ids, batch.filter(pc.invert(scored)))
                batch = batch.filter(scored)
            if not len(batch):
                continue
            lists = batch.column("scores").to_pylist()
            columns = {name: batch.column(name).to_pylist() for name in ("label", "runner_up_label")}
            named = {one["label"] for listed in lists for one in listed or ()}.union(*columns.values())
            parts = batch.column("shares").to_pylist()
            named |= {one["label"] for listed in parts for one in listed or ()}
            new = sorted(label for label in named - known.keys() if label is not None)
            known |= zip(new, label_ids(self._connection, new), strict=True)
            width = max((len(listed or ()) for listed in lists), default=0)
            label, score = np.full((len(batch), width), -1, dtype=np.int64), np.zeros((len(batch), width))
            for row, listed in enumerate(lists):
                for rank, one in enumerate(listed or ()):
                    label[row, rank], score[row, rank] = known[one["label"]], one["score"]
            best, second = (np.array([known.get(one, -1) for one in columns[name]]) for name in columns)
            sure, less = (_reals(batch.column(name)) for name in ("confidence", "runner_up_confidence"))
            letters = batch.column("characters").fill_null(0).to_numpy(zero_copy_only=False)
            ids = self._given.ids(batch.column("page").to_numpy(), "answers")
            more = (batch.column("encoding").to_pylist(), batch.column("read").to_pylist())
            answers = RunAnswers(ids, best, sure, second, less, letters, *more)
            shares = [
                PageShare(page, rank, known[one["label"]], one["share"])
                for page, listed in zip(ids.tolist(), parts, strict=True)
                for rank, one in enumerate(listed or (), 1)
            ]
            write_answers(self._connection, run, answers, (label, score), shares=shares)
            count += len(batch)
        return count


def _reals(column: pa.Array) -> NDArray[np.float64]:
    found: NDArray[np.float64] = column.fill_null(0.0).to_numpy(zero_copy_only=False)
    return found
