"""Write the tables of a cluster to the database of a collection, where ids are dense: in reading order, then by URL."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from graphlang.analysis.classify import label_ids
from graphlang.cluster.import_pages import ROWS, Pages, TableRows
from graphlang.cluster.tables import ANSWER
from graphlang.db import InputError, create
from graphlang.db.runs.answers import PageShare, RunAnswers, write_answers
from graphlang.db.runs.lifecycle import finish_run, start_run
from graphlang.db.runs.linked_answers import LinkedAnswers, write_linked
from graphlang.db.write.writer import finish

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray


class OnlyLinked:
    """Answers of a run for URLs that were only linked to; the database keeps them apart."""

    def __init__(self, count: int) -> None:
        self._labels = np.full((2, count), -1, dtype=np.int64)
        self._chances = np.zeros((2, count))

    def take(
        self, connection: sqlite3.Connection, ids: Callable[[NDArray[np.int64], str], NDArray[np.int64]], batch: Any
    ) -> None:
        """Take rows of the table of answers."""
        pages = ids(batch.column("page").to_numpy(), "answers") - 1
        for rank, before in enumerate(("", "runner_up_")):
            labels = batch.column(f"{before}label").to_pylist()
            named = sorted({label for label in labels if label is not None})
            numbers: dict[str | None, int] = {None: -1, **dict(zip(named, label_ids(connection, named), strict=True))}
            self._labels[rank, pages] = [numbers[label] for label in labels]
            self._chances[rank, pages] = (
                batch.column(f"{before}confidence").fill_null(0.0).to_numpy(zero_copy_only=False)
            )

    def answers(self) -> LinkedAnswers:
        """Return all of them."""
        return LinkedAnswers(self._labels[0], self._chances[0], self._labels[1], self._chances[1])


_RUN: Final = (
    *("id", "kind", "method", "model", "model_hash", "parameters", "seeds", "version", "rounds", "converged"),
    *("collection", "linked", "chosen", "started", "finished", "pages"),
)


class Runs:
    """Imports runs and their answers, when pages are there."""

    def __init__(self, connection: sqlite3.Connection, tables: TableRows) -> None:
        self._connection, self._tables = connection, tables

    def write(self, answered: Iterable[tuple[int, int]]) -> int:
        """Write all runs, and the answers for captures of the history; return how many runs there are."""
        rows = sorted(
            (row for batch in self._tables.rows("runs", _RUN) for row in batch.to_pylist()), key=lambda row: row["id"]
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
            only_linked = None if row["linked"] is None else OnlyLinked(len(self._tables.hashes))
            pages = self._write_answers(row["id"], run.id, only_linked)
            converged = None if row["converged"] is None else bool(row["converged"])
            finish_run(
                *(self._connection, run.id),
                pages=pages,
                rounds=row["rounds"],
                converged=converged,
                linked=None if only_linked is None else False,
                choose=bool(row["chosen"]),
            )
            if only_linked is not None and row["linked"]:
                write_linked(self._connection, run.id, [only_linked.answers()])
            when = (row["started"], row["finished"], row["collection"] or run.collection, run.id)
            self._connection.execute("UPDATE runs SET started = ?, finished = ?, collection = ? WHERE id = ?", when)
        rows_of = [(numbers[run], capture) for run, capture in answered]
        self._connection.executemany("UPDATE history SET run = ? WHERE id = ?", rows_of)
        return len(rows)

    def _write_answers(self, number: int, run: int, only_linked: OnlyLinked | None) -> int:
        dataset = self._tables.tables["answers"].filter(ds.field("run") == number)
        numbers: dict[str, int] = {}
        count = 0
        for rows in dataset.to_batches(columns=["page", *ANSWER.names], batch_size=ROWS // 8):
            batch = rows
            if only_linked is not None:  # URLs that were only linked to have no list of scores
                scored = batch.column("scores").is_valid()
                only_linked.take(self._connection, self._tables.ids, batch.filter(pc.invert(scored)))
                batch = batch.filter(scored)
            if not len(batch):
                continue
            lists = batch.column("scores").to_pylist()
            columns = {name: batch.column(name).to_pylist() for name in ("label", "runner_up_label")}
            named = {entry["label"] for listed in lists for entry in listed or ()}.union(*columns.values())
            parts = batch.column("shares").to_pylist()
            named |= {entry["label"] for listed in parts for entry in listed or ()}
            new = sorted(label for label in named - numbers.keys() if label is not None)
            numbers |= zip(new, label_ids(self._connection, new), strict=True)
            width = max((len(listed or ()) for listed in lists), default=0)
            label, score = np.full((len(batch), width), -1, dtype=np.int64), np.zeros((len(batch), width))
            for row, listed in enumerate(lists):
                for rank, entry in enumerate(listed or ()):
                    label[row, rank], score[row, rank] = numbers[entry["label"]], entry["score"]
            best, second = (np.array([numbers.get(entry, -1) for entry in columns[name]]) for name in columns)
            sure, less = (_reals(batch.column(name)) for name in ("confidence", "runner_up_confidence"))
            letters = batch.column("characters").fill_null(0).to_numpy(zero_copy_only=False)
            ids = self._tables.ids(batch.column("page").to_numpy(), "answers")
            columns_kept = (batch.column("encoding").to_pylist(), batch.column("read").to_pylist())
            answers = RunAnswers(ids, best, sure, second, less, letters, *columns_kept)
            shares = [
                PageShare(page, rank, numbers[entry["label"]], entry["share"])
                for page, listed in zip(ids.tolist(), parts, strict=True)
                for rank, entry in enumerate(listed or (), 1)
            ]
            write_answers(self._connection, run, answers, (label, score), shares=shares)
            count += len(batch)
        return count


def _reals(column: pa.Array) -> NDArray[np.float64]:
    values: NDArray[np.float64] = column.fill_null(0.0).to_numpy(zero_copy_only=False)
    return values


#: Tables that a folder has to have.
NEEDED: Final = ("answers", "captures", "links", "pages", "problems", "runs", "sources")
#: Tables that it may have.
MORE: Final = ("anchor_texts", "corrections", "history", "removed")


class Imported(NamedTuple):
    """Numbers of rows written to the database."""

    pages: int  #: URLs, fetched or only linked to
    fetched: int
    links: int
    problems: int
    runs: int


def to_database(folder: Path, path: Path) -> Imported:
    """Make a database from the tables that `graphlang cluster run` wrote as Parquet.

    The file gets its name when it is complete. Raise an InputError if a table or a column is missing or broken, or the
    database exists.
    """
    if path.exists():
        raise InputError(f"{path} exists; import makes a new database")
    tables = {name: _table(folder, name) for name in NEEDED}
    tables |= {name: _table(folder, name) for name in MORE if (folder / name).is_dir()}
    if not path.absolute().parent.is_dir():
        raise InputError(f"cannot create {path}: the folder {path.parent} does not exist")
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.absolute().parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        with closing(create(unfinished, verb="import")) as connection:
            done = _copy_all(connection, tables)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        unfinished.chmod(0o666 & ~_umask())
        unfinished.replace(path)
    except (pa.ArrowException, KeyError) as error:
        raise InputError(f"{folder} does not hold what 'graphlang cluster run' writes: {_first_line(error)}") from error
    finally:
        for leftover in unfinished.parent.glob(f"{unfinished.name}*"):
            leftover.unlink()
    return done


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _table(folder: Path, name: str) -> ds.Dataset:
    if not (folder / name).is_dir():
        raise InputError(f"{folder} holds no table {name}; name a folder that 'graphlang cluster run' wrote")
    try:
        return ds.dataset(folder / name, format="parquet", partitioning="hive" if name == "answers" else None)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"cannot read {folder / name}: {_first_line(error)}") from error


def _copy_all(connection: sqlite3.Connection, tables: dict[str, ds.Dataset]) -> Imported:
    table_rows = TableRows(tables)
    pages = Pages(connection, table_rows)
    connection.execute("BEGIN IMMEDIATE")
    counts = pages.write()
    connection.execute("COMMIT")
    finish(connection)
    return Imported(*counts, Runs(connection, table_rows).write(pages.answered))


def _first_line(error: Exception) -> str:
    """Return the first line of a message; Arrow repeats whole schemas."""
    return (str(error).splitlines() or [type(error).__name__])[0][:500]
