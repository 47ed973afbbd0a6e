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

from graphlang.analysis.classify import enter_label_names
from graphlang.cluster.tables import ANSWER, CORRECTIONS, REMOVED
from graphlang.db import InputError, create, statements
from graphlang.db.records import LinkKind, split_text
from graphlang.db.runs.answers import PageShare, RunAnswers, write_answers
from graphlang.db.runs.lifecycle import finish_run, start_run
from graphlang.db.runs.linked_answers import LinkedAnswers, write_linked_answers
from graphlang.db.write import sources
from graphlang.db.write.writer import finish

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

_WITH_TEXT: Final = 2048  # where rows have texts
_CAPTURE: Final = (
    *("offset", "date", "status", "mime", "charset", "charset_from", "length", "size", "digest", "revisit_of"),
    *("captures", "revisit_date", "parts"),
)
_INTO_CAPTURES: Final = f"INSERT INTO captures (page, source, original, reading, {', '.join(_CAPTURE)})"
_OTHER: Final = (
    *("offset", "date", "status", "mime", "charset", "charset_from", "length", "size", "digest", "parts", "whole"),
)
#: Of a source: how far it was read, and how often.
_READING: Final = ("position", "finished", "readings", "lacks")
_INTO_HISTORY: Final = f"INSERT INTO history (id, page, source, reading, {', '.join(_OTHER)}, title, text, main, rest)"


BATCH_ROWS: Final = 1 << 16  #: of a batch


class TableRows:
    """The tables of a folder, and the numbers that pages get: in reading order, then by URL."""

    def __init__(self, tables: dict[str, ds.Dataset]) -> None:
        self.tables = tables
        order = self._order()
        self._rank = np.argsort(order, kind="stable")
        self.hashes = order[self._rank]  #: of all pages, ascending; shape (pages,)
        if (self.hashes[1:] == self.hashes[:-1]).any():
            raise InputError("a page stands twice in the table pages")

    def _order(self) -> NDArray[np.int64]:
        """Return the hashed ids of pages in the order of their numbers."""
        read = self.tables["captures"].to_table(columns=["page", "source", "offset"])
        read = read.sort_by([("source", "ascending"), ("offset", "ascending"), ("page", "ascending")])
        first = read["page"].to_numpy()
        all_pages = self.tables["pages"].to_table(columns=["page", "url"]).sort_by([("url", "ascending")])
        all_pages = all_pages["page"].to_numpy()
        if not np.isin(first, all_pages).all():
            raise InputError("the table captures names a page that the table pages does not have")
        return np.concatenate([first, all_pages[~np.isin(all_pages, first)]]).astype(np.int64)

    def ids(self, hashes: NDArray[np.int64], what: str) -> NDArray[np.int64]:
        """Return the numbers of pages, from 1 on; ``what`` is the table that names them."""
        at = np.minimum(np.searchsorted(self.hashes, hashes), max(len(self.hashes) - 1, 0))
        if len(hashes) and not (len(self.hashes) and (self.hashes[at] == hashes).all()):
            raise InputError(f"the table {what} names a page that the table pages does not have")
        return self._rank[at] + 1

    def rows(self, name: str, columns: Sequence[str], size: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a table in batches."""
        return (batch for batch in self.tables[name].to_batches(columns=list(columns), batch_size=size) if len(batch))


class Pages:
    """Imports everything but answers."""

    def __init__(self, connection: sqlite3.Connection, tables: TableRows) -> None:
        self._connection, self._tables = connection, tables
        self._sources: dict[int, int] = {}
        self._readings: dict[int, int] = {}
        self._files: dict[str, int] = {}
        #: Run and number of each capture in the history that has an answer.
        self.answered: list[tuple[int, int]] = []
        self._kinds = {kind.name.lower(): int(kind) for kind in LinkKind}

    def write(self) -> tuple[int, int, int, int]:
        """Return how many pages, fetched pages, links and problems were written."""
        self._write_sources()
        pages, fetched = self._write_pages(), self._write_captures()
        if "history" in self._tables.tables:
            self._write_history()
        links, problems = self._write_links(), self._write_problems()
        self._write_rest()
        return pages, fetched, links, problems

    def _write_sources(self) -> None:
        columns = ("source", "name", "sha256", "bytes", "keep", "options", *_READING)
        rows = sorted(
            (row for batch in self._tables.rows("sources", columns) for row in batch.to_pylist()), key=_sort_key
        )
        for row in rows:
            number = sources.enter(
                self._connection, *(row[name] for name in columns[1:5]), options=json.loads(row["options"] or "{}")
            )
            self._sources[row["source"]] = self._files[row["name"]] = number
            self._readings[row["source"]] = row["readings"]
            if row["options"] is None:
                self._connection.execute("UPDATE sources SET options = NULL WHERE id = ?", (number,))
            self._connection.execute(
                f"UPDATE sources SET ({', '.join(_READING)}) = (?, ?, ?, ?) WHERE id = ?",
                (*(row[name] for name in _READING), number),
            )

    def _write_pages(self) -> int:
        """Write pages and hosts by their numbers, so that tables grow at their ends."""
        table = self._tables.tables["pages"].to_table(columns=["page", "url", "host", "domain", "suffix", "tld"])
        ids = self._tables.ids(table["page"].to_numpy(), "pages")
        table = table.take(np.argsort(ids))
        hosts: dict[str, int] = {}
        first = 1
        for batch in table.to_batches(max_chunksize=BATCH_ROWS):
            new, of = [], []
            sites = zip(*(batch.column(name).to_pylist() for name in ("host", "domain", "suffix", "tld")), strict=True)
            for site in sites:
                if site[0] not in hosts:
                    hosts[site[0]] = len(hosts) + 1
                    new.append((hosts[site[0]], *site))
                of.append(hosts[site[0]])
            statements.insert_rows(self._connection, "INSERT INTO hosts (id, host, domain, suffix, tld)", new)
            numbers = list(range(first, first + len(batch)))
            urls = batch.column("url").to_pylist()
            statements.insert_columns(self._connection, "INSERT INTO pages (id, url, host)", [numbers, urls, of])
            first += len(batch)
        return first - 1

    def _write_captures(self) -> int:
        columns = ("page", "source", "original", *_CAPTURE, "title", "text", "main", "declared", "visible")
        count = 0
        for batch in self._tables.rows("captures", columns, _WITH_TEXT):
            ids = self._tables.ids(batch.column("page").to_numpy(), "captures").tolist()
            originals = batch.column("original").to_pylist()
            lender_ids = np.array([original for original in originals if original is not None], dtype=np.int64)
            lenders = iter(self._tables.ids(lender_ids, "captures").tolist())
            original = [None if original is None else next(lenders) for original in originals]
            read = batch.column("source").to_pylist()
            files, readings = (
                [self._sources[original] for original in read],
                [self._readings[original] for original in read],
            )
            facts = [batch.column(name).to_pylist() for name in _CAPTURE]
            statements.insert_columns(self._connection, _INTO_CAPTURES, [ids, files, original, readings, *facts])
            self._write_content(ids, batch)
            count += len(ids)
        return count

    def _write_content(self, ids: list[int], batch: pa.RecordBatch) -> None:
        said_of = zip(ids, *(batch.column(name).to_pylist() for name in ("title", "text", "main")), strict=True)
        rows = []
        for page, title, text, main in said_of:
            if title or text:
                body, rest = split_text(text or "")
                rows.append((page, title, body, main, rest or None))
        extras = list(zip(ids, batch.column("declared").to_pylist(), batch.column("visible").to_pylist(), strict=True))
        insert = statements.insert_rows
        insert(self._connection, "INSERT INTO texts (page, title, text, main, rest)", rows)
        declared = [
            (page, declaration["source"], declaration["value"])
            for page, listed, _ in extras
            for declaration in listed or ()
        ]
        insert(self._connection, "INSERT OR IGNORE INTO declarations (page, source, value)", declared)
        visible = [(page, data) for page, _, data in extras if data]
        insert(self._connection, "INSERT INTO visible_bytes (page, bytes)", visible)

    def _write_history(self) -> None:
        columns = ("page", "source", *_OTHER, "title", "text", "main", "declared", "links", "run")
        number = 0
        for batch in self._tables.rows("history", columns, _WITH_TEXT):
            ids = self._tables.ids(batch.column("page").to_numpy(), "history").tolist()
            captures, links, declarations = [], [], []
            for page, row in zip(ids, batch.to_pylist(), strict=True):
                number += 1
                body, rest = (None, None) if row["text"] is None else split_text(row["text"])
                facts = [row[name] for name in _OTHER]
                captures.append(
                    (
                        number,
                        page,
                        self._sources[row["source"]],
                        self._readings[row["source"]],
                        *facts,
                        row["title"],
                        body,
                        row["main"],
                        rest or None,
                    )
                )
                if row["run"] is not None:
                    self.answered.append((row["run"], number))
                links += [(number, *link.values()) for link in row["links"] or ()]
                declarations += [
                    (number, declaration["source"], declaration["value"]) for declaration in row["declared"] or ()
                ]
            insert = statements.insert_rows
            insert(self._connection, _INTO_HISTORY, captures)
            insert(self._connection, "INSERT OR IGNORE INTO history_declarations", declarations)
            targets = self._tables.ids(np.array([link[1] for link in links], dtype=np.int64), "history").tolist()
            rows = [
                (capture, target, self._kinds[kind], *rest)
                for (capture, _, kind, *rest), target in zip(links, targets, strict=True)
            ]
            insert(self._connection, "INSERT OR IGNORE INTO history_links", rows)

    def _write_links(self) -> int:
        into = "INSERT OR IGNORE INTO links (source, target, kind, nofollow, hreflang, place)"
        count = 0
        for batch in self._tables.rows("links", ("source", "target", "kind", "nofollow", "hreflang", "place")):
            source, target = (self._tables.ids(batch.column(name).to_numpy(), "links") for name in ("source", "target"))
            order = np.lexsort((target, source))
            ordered = batch.take(pa.array(order))
            kinds = [self._kinds[kind] for kind in ordered.column("kind").to_pylist()]
            rest = [ordered.column(name).to_pylist() for name in ("nofollow", "hreflang", "place")]
            columns = [source[order].tolist(), target[order].tolist(), kinds, *rest]
            count += statements.insert_columns(self._connection, into, columns)
        return count

    def _write_problems(self) -> int:
        count = 0
        for batch in self._tables.rows("problems", ("file", "offset", "url", "kind", "reason")):
            rows = [(self._files[row["file"]], *list(row.values())[1:]) for row in batch.to_pylist()]
            into = "INSERT INTO problems (source, offset, url, kind, reason)"
            count += statements.insert_rows(self._connection, into, rows)
        return count

    def _write_rest(self) -> None:
        """Write the tables that few collections have."""
        insert = statements.insert_rows
        if "anchor_texts" in self._tables.tables:
            for batch in self._tables.rows("anchor_texts", ("target", "source", "text")):
                ends = (
                    self._tables.ids(batch.column(name).to_numpy(), "anchor_texts").tolist()
                    for name in ("target", "source")
                )
                rows = list(zip(*ends, batch.column("text").to_pylist(), strict=True))
                insert(self._connection, "INSERT INTO anchor_texts (target, source, text)", rows)
        if "removed" in self._tables.tables:
            for batch in self._tables.rows("removed", REMOVED.names):
                rows = [tuple(row.values()) for row in batch.to_pylist()]
                insert(self._connection, "INSERT INTO removed (digest, kind, since, pages)", rows)
        if "corrections" in self._tables.tables:
            for batch in self._tables.rows("corrections", CORRECTIONS.names):
                listed = batch.to_pylist()
                named = sorted({row[name] for row in listed for name in ("label", "former")} - {None})
                numbers = dict(zip(named, enter_label_names(self._connection, named), strict=True)) | {None: None}
                rows = [
                    tuple(row.values())
                    for row in (row | {name: numbers[row[name]] for name in ("label", "former")} for row in listed)
                ]
                insert(self._connection, f"INSERT INTO corrections ({', '.join(CORRECTIONS.names)})", rows)


def _sort_key(row: dict[str, Any]) -> int:
    return int(row["source"])


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
            numbers: dict[str | None, int] = {
                None: -1,
                **dict(zip(named, enter_label_names(connection, named), strict=True)),
            }
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
                write_linked_answers(self._connection, run.id, [only_linked.answers()])
            when = (row["started"], row["finished"], row["collection"] or run.collection, run.id)
            self._connection.execute("UPDATE runs SET started = ?, finished = ?, collection = ? WHERE id = ?", when)
        rows_of = [(numbers[run], capture) for run, capture in answered]
        self._connection.executemany("UPDATE history SET run = ? WHERE id = ?", rows_of)
        return len(rows)

    def _write_answers(self, number: int, run: int, only_linked: OnlyLinked | None) -> int:
        dataset = self._tables.tables["answers"].filter(ds.field("run") == number)
        numbers: dict[str, int] = {}
        count = 0
        for rows in dataset.to_batches(columns=["page", *ANSWER.names], batch_size=BATCH_ROWS // 8):
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
            numbers |= zip(new, enter_label_names(self._connection, new), strict=True)
            width = max((len(listed or ()) for listed in lists), default=0)
            label, score = np.full((len(batch), width), -1, dtype=np.int64), np.zeros((len(batch), width))
            for row, listed in enumerate(lists):
                for rank, entry in enumerate(listed or ()):
                    label[row, rank], score[row, rank] = numbers[entry["label"]], entry["score"]
            best, second = (np.array([numbers.get(entry, -1) for entry in columns[name]]) for name in columns)
            sure, less = (_convert_reals(batch.column(name)) for name in ("confidence", "runner_up_confidence"))
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


def _convert_reals(column: pa.Array) -> NDArray[np.float64]:
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
    tables = {name: _open_table(folder, name) for name in NEEDED}
    tables |= {name: _open_table(folder, name) for name in MORE if (folder / name).is_dir()}
    if not path.absolute().parent.is_dir():
        raise InputError(f"cannot create {path}: the folder {path.parent} does not exist")
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.absolute().parent)
    os.close(handle)
    unfinished = Path(name)
    try:
        with closing(create(unfinished, verb="import")) as connection:
            done = _copy_all(connection, tables)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        unfinished.chmod(0o666 & ~_read_umask())
        unfinished.replace(path)
    except (pa.ArrowException, KeyError) as error:
        raise InputError(f"{folder} does not hold what 'graphlang cluster run' writes: {_first_line(error)}") from error
    finally:
        for leftover in unfinished.parent.glob(f"{unfinished.name}*"):
            leftover.unlink()
    return done


def _read_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _open_table(folder: Path, name: str) -> ds.Dataset:
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
