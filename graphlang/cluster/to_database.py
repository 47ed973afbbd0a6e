"""The tables of a cluster -> the one file of a collection, where ids are dense: as pages were read, then by URL."""

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
from graphlang.cluster.only_linked import OnlyLinked
from graphlang.cluster.tables import ANSWER, CORRECTIONS, REMOVED
from graphlang.db import InputError, create
from graphlang.db.records import LinkKind, apart
from graphlang.db.runs.answers import PageShare, RunAnswers
from graphlang.db.runs.begin import start_run
from graphlang.db.runs.finish import finish_run
from graphlang.db.runs.linked_answers import write_linked
from graphlang.db.runs.write_answers import write_answers
from graphlang.db.write import multirow, sources
from graphlang.db.write.writer import finish

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_ROWS: Final = 1 << 16  # of a batch
_WITH_TEXT: Final = 2048  # where rows have texts
#: Tables that a folder has to have.
NEEDED: Final = ("answers", "captures", "links", "pages", "problems", "runs", "sources")
#: Tables that it may have.
MORE: Final = ("anchor_texts", "corrections", "history", "removed")
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
_RUN: Final = (
    *("id", "kind", "method", "model", "model_hash", "parameters", "seeds", "version", "rounds", "converged"),
    *("collection", "linked", "chosen", "started", "finished", "pages"),
)


class Imported(NamedTuple):
    """What was brought into a database."""

    pages: int  #: URLs, fetched or only linked to
    fetched: int
    links: int
    problems: int
    runs: int


def to_database(folder: Path, path: Path) -> Imported:
    """Make a database of the tables that `graphlang cluster run` wrote.

    The file gets its name when it is complete.

    Args:
        folder: with the tables as Parquet.
        path: of the database; there must be no such file.

    Raises:
        InputError: a table or a column is missing or broken; or the database exists.
    """
    if path.exists():
        raise InputError(f"{path} exists; import makes a new database")
    tables = {name: _table(folder, name) for name in NEEDED}
    tables |= {name: _table(folder, name) for name in MORE if (folder / name).is_dir()}
    if not path.absolute().parent.is_dir():
        raise InputError(f"cannot create {path}: the folder {path.parent} does not exist")
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.absolute().parent)
    os.close(handle)
    part = Path(name)
    try:
        with closing(create(part, verb="import")) as connection:
            done = _Import(connection, tables).all()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except (pa.ArrowException, KeyError) as error:
        raise InputError(f"{folder} does not hold what 'graphlang cluster run' writes: {_first_line(error)}") from error
    finally:
        for leftover in part.parent.glob(f"{part.name}*"):
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


class _Import:
    def __init__(self, connection: sqlite3.Connection, tables: dict[str, ds.Dataset]) -> None:
        self._connection, self._tables = connection, tables
        order = self._order()
        self._sorted = np.argsort(order, kind="stable")
        self._hashes = order[self._sorted]
        if (self._hashes[1:] == self._hashes[:-1]).any():
            raise InputError("a page stands twice in the table pages")
        self._sources: dict[int, int] = {}
        self._readings: dict[int, int] = {}
        self._files: dict[str, int] = {}
        self._answered: list[tuple[int, int]] = []  # run and number of captures in the history
        self._kinds = {kind.name.lower(): int(kind) for kind in LinkKind}

    def all(self) -> Imported:
        """Write every table."""
        connection = self._connection
        connection.execute("BEGIN IMMEDIATE")
        self._write_sources()
        pages = self._write_pages()
        fetched = self._write_captures()
        if "history" in self._tables:
            self._write_history()
        links = self._write_links()
        problems = self._write_problems()
        self._write_rest()
        connection.execute("COMMIT")
        finish(connection)
        count = self._write_runs()
        return Imported(pages, fetched, links, problems, count)

    def _order(self) -> NDArray[np.int64]:
        """Hashed ids in the order in which pages get their numbers: as they were read, then by URL."""
        read = self._tables["captures"].to_table(columns=["page", "source", "offset"])
        read = read.sort_by([("source", "ascending"), ("offset", "ascending"), ("page", "ascending")])
        first = read["page"].to_numpy()
        every = self._tables["pages"].to_table(columns=["page", "url"]).sort_by([("url", "ascending")])
        every = every["page"].to_numpy()
        if not np.isin(first, every).all():
            raise InputError("the table captures names a page that the table pages does not have")
        return np.concatenate([first, every[~np.isin(every, first)]]).astype(np.int64)

    def _ids(self, hashes: NDArray[np.int64], what: str) -> NDArray[np.int64]:
        """Numbers of pages."""
        at = np.minimum(np.searchsorted(self._hashes, hashes), max(len(self._hashes) - 1, 0))
        if len(hashes) and not (len(self._hashes) and (self._hashes[at] == hashes).all()):
            raise InputError(f"the table {what} names a page that the table pages does not have")
        return self._sorted[at] + 1

    def _rows(self, name: str, columns: Sequence[str], size: int = _ROWS) -> Iterator[pa.RecordBatch]:
        return (batch for batch in self._tables[name].to_batches(columns=list(columns), batch_size=size) if len(batch))

    def _write_sources(self) -> None:
        columns = ("source", "name", "sha256", "bytes", "keep", "options", *_READING)
        rows = sorted((row for batch in self._rows("sources", columns) for row in batch.to_pylist()), key=_by_source)
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
        """Pages and hosts by their numbers, so that tables grow at their ends."""
        table = self._tables["pages"].to_table(columns=["page", "url", "host", "domain", "suffix", "tld"])
        ids = self._ids(table["page"].to_numpy(), "pages")
        table = table.take(np.argsort(ids))
        hosts: dict[str, int] = {}
        first = 1
        for batch in table.to_batches(max_chunksize=_ROWS):
            new, of = [], []
            sites = zip(*(batch.column(name).to_pylist() for name in ("host", "domain", "suffix", "tld")), strict=True)
            for site in sites:
                if site[0] not in hosts:
                    hosts[site[0]] = len(hosts) + 1
                    new.append((hosts[site[0]], *site))
                of.append(hosts[site[0]])
            multirow.insert_rows(self._connection, "INSERT INTO hosts (id, host, domain, suffix, tld)", new)
            numbers = list(range(first, first + len(batch)))
            urls = batch.column("url").to_pylist()
            multirow.insert(self._connection, "INSERT INTO pages (id, url, host)", [numbers, urls, of])
            first += len(batch)
        return first - 1

    def _write_captures(self) -> int:
        columns = ("page", "source", "original", *_CAPTURE, "title", "text", "main", "declared", "visible")
        count = 0
        for batch in self._rows("captures", columns, _WITH_TEXT):
            ids = self._ids(batch.column("page").to_numpy(), "captures").tolist()
            originals = batch.column("original").to_pylist()
            known = np.array([one for one in originals if one is not None], dtype=np.int64)
            lenders = iter(self._ids(known, "captures").tolist())
            original = [None if one is None else next(lenders) for one in originals]
            read = batch.column("source").to_pylist()
            files, readings = [self._sources[one] for one in read], [self._readings[one] for one in read]
            facts = [batch.column(name).to_pylist() for name in _CAPTURE]
            multirow.insert(self._connection, _INTO_CAPTURES, [ids, files, original, readings, *facts])
            self._write_content(ids, batch)
            count += len(ids)
        return count

    def _write_content(self, ids: list[int], batch: pa.RecordBatch) -> None:
        said_of = zip(ids, *(batch.column(name).to_pylist() for name in ("title", "text", "main")), strict=True)
        rows = []
        for page, title, text, main in said_of:
            if title or text:
                body, rest = apart(text or "")
                rows.append((page, title, body, main, rest or None))
        said = list(zip(ids, batch.column("declared").to_pylist(), batch.column("visible").to_pylist(), strict=True))
        insert = multirow.insert_rows
        insert(self._connection, "INSERT INTO texts (page, title, text, main, rest)", rows)
        declared = [(page, one["source"], one["value"]) for page, listed, _ in said for one in listed or ()]
        insert(self._connection, "INSERT OR IGNORE INTO declarations (page, source, value)", declared)
        visible = [(page, data) for page, _, data in said if data]
        insert(self._connection, "INSERT INTO visible_bytes (page, bytes)", visible)

    def _write_history(self) -> None:
        columns = ("page", "source", *_OTHER, "title", "text", "main", "declared", "links", "run")
        number = 0
        for batch in self._rows("history", columns, _WITH_TEXT):
            ids = self._ids(batch.column("page").to_numpy(), "history").tolist()
            captures, links, said = [], [], []
            for page, row in zip(ids, batch.to_pylist(), strict=True):
                number += 1
                body, rest = (None, None) if row["text"] is None else apart(row["text"])
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
                    self._answered.append((row["run"], number))
                links += [(number, *link.values()) for link in row["links"] or ()]
                said += [(number, one["source"], one["value"]) for one in row["declared"] or ()]
            insert = multirow.insert_rows
            insert(self._connection, _INTO_HISTORY, captures)
            insert(self._connection, "INSERT OR IGNORE INTO history_declarations", said)
            targets = self._ids(np.array([link[1] for link in links], dtype=np.int64), "history").tolist()
            rows = [
                (capture, target, self._kinds[kind], *rest)
                for (capture, _, kind, *rest), target in zip(links, targets, strict=True)
            ]
            insert(self._connection, "INSERT OR IGNORE INTO history_links", rows)

    def _write_links(self) -> int:
        into = "INSERT OR IGNORE INTO links (source, target, kind, nofollow, hreflang, place)"
        count = 0
        for batch in self._rows("links", ("source", "target", "kind", "nofollow", "hreflang", "place")):
            source, target = (self._ids(batch.column(name).to_numpy(), "links") for name in ("source", "target"))
            order = np.lexsort((target, source))
            ordered = batch.take(pa.array(order))
            kinds = [self._kinds[kind] for kind in ordered.column("kind").to_pylist()]
            rest = [ordered.column(name).to_pylist() for name in ("nofollow", "hreflang", "place")]
            columns = [source[order].tolist(), target[order].tolist(), kinds, *rest]
            count += multirow.insert(self._connection, into, columns)
        return count

    def _write_problems(self) -> int:
        count = 0
        for batch in self._rows("problems", ("file", "offset", "url", "kind", "reason")):
            rows = [(self._files[row["file"]], *list(row.values())[1:]) for row in batch.to_pylist()]
            into = "INSERT INTO problems (source, offset, url, kind, reason)"
            count += multirow.insert_rows(self._connection, into, rows)
        return count

    def _write_rest(self) -> None:
        """What few collections have."""
        insert = multirow.insert_rows
        if "anchor_texts" in self._tables:
            for batch in self._rows("anchor_texts", ("target", "source", "text")):
                ends = (
                    self._ids(batch.column(name).to_numpy(), "anchor_texts").tolist() for name in ("target", "source")
                )
                rows = list(zip(*ends, batch.column("text").to_pylist(), strict=True))
                insert(self._connection, "INSERT INTO anchor_texts (target, source, text)", rows)
        if "removed" in self._tables:
            for batch in self._rows("removed", REMOVED.names):
                rows = [tuple(row.values()) for row in batch.to_pylist()]
                insert(self._connection, "INSERT INTO removed (digest, kind, since)", rows)
        if "corrections" in self._tables:
            for batch in self._rows("corrections", CORRECTIONS.names):
                listed = batch.to_pylist()
                named = sorted({row[name] for row in listed for name in ("label", "former")} - {None})
                known = dict(zip(named, label_ids(self._connection, named), strict=True)) | {None: None}
                rows = [
                    tuple(row.values())
                    for row in (row | {name: known[row[name]] for name in ("label", "former")} for row in listed)
                ]
                insert(self._connection, f"INSERT INTO corrections ({', '.join(CORRECTIONS.names)})", rows)

    def _write_runs(self) -> int:
        rows = sorted(
            (row for batch in self._rows("runs", _RUN) for row in batch.to_pylist()), key=lambda row: row["id"]
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
            apart = None if row["linked"] is None else OnlyLinked(len(self._hashes))
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
        answered = [(numbers[run], capture) for run, capture in self._answered]
        self._connection.executemany("UPDATE history SET run = ? WHERE id = ?", answered)
        return len(rows)

    def _write_answers(self, given: int, run: int, apart: OnlyLinked | None) -> int:
        dataset = self._tables["answers"].filter(ds.field("run") == given)
        known: dict[str, int] = {}
        count = 0
        for rows in dataset.to_batches(columns=["page", *ANSWER.names], batch_size=_ROWS // 8):
            batch = rows
            if apart is not None:  # URLs that were only linked to have no list of scores
                scored = batch.column("scores").is_valid()
                apart.take(self._connection, self._ids, batch.filter(pc.invert(scored)))
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
            ids = self._ids(batch.column("page").to_numpy(), "answers")
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


def _first_line(error: Exception) -> str:
    """Arrow repeats whole schemas."""
    return (str(error).splitlines() or [type(error).__name__])[0][:500]


def _by_source(row: dict[str, Any]) -> int:
    return int(row["source"])


def _reals(column: pa.Array) -> NDArray[np.float64]:
    found: NDArray[np.float64] = column.fill_null(0.0).to_numpy(zero_copy_only=False)
    return found
