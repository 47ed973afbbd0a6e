"""Write the tables of a cluster, with hashed ids, from the database of a collection."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from graphlang.analysis import linked
from graphlang.cluster.page_ids import ATTEMPTS, CollisionError, compute_page_id, derive_key
from graphlang.cluster.tables import (
    ANCHOR_TEXTS,
    ANSWER,
    CORRECTIONS,
    HISTORY,
    KEPT_CAPTURES,
    LANGUAGES,
    LINKS,
    PAGES,
    PROBLEMS,
    REMOVED,
    RUNS,
    SITES,
    SOURCES_KEPT,
)
from graphlang.db import StoreError, collection
from graphlang.db.records import LinkKind, inflate_text
from graphlang.db.runs.run import get_chosen_run
from graphlang.files import OutputError, add_file_name

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

_ROWS: Final = 20_000  # of a row group
_WITH_TEXT: Final = 2_000
_PAGES: Final = (
    "SELECT pages.id, url, hosts.host, domain, suffix, tld FROM pages JOIN hosts ON hosts.id = pages.host"
    " ORDER BY pages.id"
)
_CAPTURES: Final = (
    "SELECT captures.page, pages.url, source, sources.name AS file, offset, date, status, mime, charset, charset_from,"
    " captures.length, size, digest, revisit_of, revisit_date, parts, COALESCE(title, '') AS title,"
    " COALESCE(text, '') AS text, COALESCE(main, 0) AS main, COALESCE(visible_bytes.bytes, X'') AS visible, captures,"
    " original, texts.rest FROM captures JOIN pages ON pages.id = captures.page JOIN sources ON sources.id = source"
    " LEFT JOIN texts ON texts.page = captures.page LEFT JOIN visible_bytes ON visible_bytes.page = captures.page"
    " ORDER BY captures.page"
)
_ANSWERS: Final = (
    "SELECT page, best.label, confidence, second.label AS runner_up_label, runner_up_confidence, characters, encoding,"
    " read FROM predictions JOIN labels AS best ON best.id = predictions.label"
    " LEFT JOIN labels AS second ON second.id = runner_up WHERE run = ? ORDER BY page"
)
_LINKED: Final = (
    "SELECT page, best.label, confidence, second.label AS runner_up_label, runner_up_confidence, 0 AS characters,"
    " NULL AS encoding, NULL AS read FROM linked_predictions JOIN labels AS best ON best.id = linked_predictions.label"
    " LEFT JOIN labels AS second ON second.id = runner_up WHERE run = ?"
)
_SCORES: Final = "SELECT page, label, score FROM page_scores WHERE run = ? AND page BETWEEN ? AND ? ORDER BY page, rank"
_SHARES: Final = (
    "SELECT page, labels.label, share FROM page_shares JOIN labels ON labels.id = page_shares.label"
    " WHERE run = ? AND page BETWEEN ? AND ? ORDER BY page, rank"
)


_CORRECTED: Final = (
    "SELECT url, given.label, corrected_by, note, corrected, before.label AS former, former_confidence, undone,"
    " undone_by FROM corrections JOIN labels AS given ON given.id = corrections.label"
    " LEFT JOIN labels AS before ON before.id = former ORDER BY corrections.id"
)
#: Tables that not every collection fills, what a row of theirs holds, and SQL.
_MORE: Final = (
    ("anchor_texts", ANCHOR_TEXTS, "SELECT target, source, text FROM anchor_texts ORDER BY target, source"),
    ("removed", REMOVED, "SELECT digest, kind, since, pages FROM removed ORDER BY digest"),
    (
        "corrections",
        CORRECTIONS,
        _CORRECTED,
    ),
)
_KINDS: Final = {int(kind): kind.name.lower() for kind in LinkKind}


class WrittenTables(NamedTuple):
    """Numbers of rows written to the tables."""

    pages: int
    fetched: int
    links: int
    runs: int


def export_database(path: Path, folder: Path, *, overwrite: bool = False) -> WrittenTables:
    """Write the tables of a collection as `graphlang cluster run` would, and all else that it holds.

    The folder gets its name when the tables are complete. Raise a StoreError if there is no such database or nothing is
    classified yet, an OutputError if the folder exists, an OSError if it cannot be written, a CollisionError if two
    URLs have the same id under each of several keys.
    """
    if folder.exists() and not overwrite:
        raise OutputError(f"{folder} exists; name another folder, or replace it with --overwrite")
    with closing(linked.open_with_answers(path)) as connection:
        try:
            unfinished = Path(
                tempfile.mkdtemp(prefix=f".{folder.name[:100]}.", suffix=".part", dir=folder.absolute().parent)
            )
        except OSError as error:  # in words of what the user named, not of the part beside it
            raise OSError(error.errno, error.strerror, str(folder)) from error
        try:
            with add_file_name(folder):
                done = _Load(connection, unfinished).write_all()
            if folder.exists():
                shutil.rmtree(folder)
            unfinished.chmod(0o755)
            unfinished.rename(folder)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
    return done


class _Load:
    def __init__(self, connection: sqlite3.Connection, folder: Path) -> None:
        self._connection, self._folder = connection, folder
        self._hashes = np.zeros(collection.count_pages(connection) + 1, dtype=np.int64)

    def write_all(self) -> WrittenTables:
        """Write every table."""
        chosen = get_chosen_run(self._connection)
        if chosen is None:
            raise StoreError("nothing is classified yet: run 'classify' first")
        self._assign_ids()
        pages = self._write("pages", PAGES, self._pages())
        fetched = self._write("captures", KEPT_CAPTURES, self._captures(), _WITH_TEXT)
        if self._connection.execute("SELECT 1 FROM history LIMIT 1").fetchone() is not None:
            self._write("history", HISTORY, self._history(), _WITH_TEXT)
        links = self._write("links", LINKS, self._links())
        sql = "SELECT name AS file, offset, url, kind, reason FROM problems JOIN sources ON sources.id = source"
        self._write("problems", PROBLEMS, self._rows(f"{sql} ORDER BY problems.id"))
        self._write("sources", SOURCES_KEPT, self._rows("SELECT *, id AS source FROM sources ORDER BY id"))
        sql = "SELECT *, id = ? AS chosen FROM runs WHERE finished IS NOT NULL ORDER BY id"
        self._write("runs", RUNS, self._rows(sql, (chosen.id,)))
        numbers = [number for (number,) in self._connection.execute("SELECT id FROM runs WHERE finished IS NOT NULL")]
        for run in numbers:
            self._write(f"answers/run={run}", pa.schema([PAGES.field("page"), *ANSWER]), self._answers(run))
        sql = f"SELECT {', '.join(LANGUAGES.names)} FROM page_languages"
        self._write("languages", LANGUAGES, self._hash_ids(self._rows(sql)))
        columns = ", ".join(SITES.names)
        self._write("sites", SITES, self._rows(f"SELECT {columns} FROM site_languages ORDER BY host, language"))
        for name, schema, query in _MORE:
            if self._connection.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone() is not None:
                self._write(name, schema, self._hash_ids(self._rows(query)))
        return WrittenTables(pages, fetched, links, len(numbers))

    def _write(self, name: str, schema: pa.Schema, rows: Iterable[dict[str, Any]], size: int = _ROWS) -> int:
        path = self._folder / name
        path.mkdir(parents=True)
        count, remaining = 0, iter(rows)
        with pq.ParquetWriter(path / "part-0.parquet", schema, compression="zstd") as writer:
            while batch := list(islice(remaining, size)):
                writer.write_table(pa.Table.from_pylist(batch, schema=schema))
                count += len(batch)
        return count

    def _rows(self, sql: str, values: Sequence[Any] = ()) -> Iterator[dict[str, Any]]:
        cursor = self._connection.execute(sql, values)
        names = [column[0] for column in cursor.description]
        for row in cursor:
            yield dict(zip(names, row, strict=True))

    def _hash_ids(self, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in rows:
            yield row | {name: int(self._hashes[row[name]]) for name in ("page", "source", "target") if name in row}

    def _pages(self) -> Iterator[dict[str, Any]]:
        for row in self._rows(_PAGES):
            yield row | {"page": int(self._hashes[row["id"]])}

    def _assign_ids(self) -> None:
        """Hash all URLs, with another key where two have the same id."""
        digests = [digest for (digest,) in self._connection.execute("SELECT sha256 FROM sources")]
        for attempt in range(ATTEMPTS):
            key = derive_key(digests, attempt)
            for number, url in self._connection.execute("SELECT id, url FROM pages"):
                self._hashes[number] = compute_page_id(url.encode(), key)
            values, counts = np.unique(self._hashes[self._hashes != 0], return_counts=True)
            if not (counts > 1).any():
                return
        twice = int(values[counts > 1][0])
        numbers = (np.flatnonzero(self._hashes == twice)[:2]).tolist()
        urls = [url for (url,) in self._connection.execute("SELECT url FROM pages WHERE id IN (?, ?)", numbers)]
        raise CollisionError(f"two URLs have the same 64-bit id {twice}: {' and '.join(urls)}")

    def _captures(self) -> Iterator[dict[str, Any]]:
        for row in self._rows(_CAPTURES):
            declarations = self._connection.execute(
                "SELECT source, value FROM declarations WHERE page = ? ORDER BY source", (row["page"],)
            )
            row["declared"] = [{"source": source, "value": value} for source, value in declarations]
            if row["rest"]:
                row["text"] += inflate_text(row["rest"], row["length"])
            if row["original"] is not None:
                row["original"] = int(self._hashes[row["original"]])
            yield row | {"page": int(self._hashes[row["page"]])}

    def _history(self) -> Iterator[dict[str, Any]]:
        last, number = None, 0
        for row in self._rows("SELECT * FROM history ORDER BY page, id"):
            number = number + 1 if row["page"] == last else 0
            last = row["page"]
            if row["rest"]:
                row["text"] += inflate_text(row["rest"], row["length"])
            declarations = self._rows(
                "SELECT source, value FROM history_declarations WHERE capture = ? ORDER BY source", (row["id"],)
            )
            sql = "SELECT target, kind, nofollow, hreflang, place FROM history_links WHERE capture = ? ORDER BY place"
            links = [
                link | {"target": int(self._hashes[link["target"]]), "kind": _KINDS[link["kind"]]}
                for link in self._rows(sql, (row["id"],))
            ]
            columns = {name: row.get(name) for name in HISTORY.names}
            lists = {"number": number, "declared": list(declarations), "links": links}
            yield columns | lists | {"page": int(self._hashes[last])}

    def _links(self) -> Iterator[dict[str, Any]]:
        for row in self._rows("SELECT source, target, kind, nofollow, hreflang, place FROM links"):
            ends = {name: int(self._hashes[row[name]]) for name in ("source", "target")}
            yield row | ends | {"kind": _KINDS[row["kind"]]}

    def _answers(self, run: int) -> Iterator[dict[str, Any]]:
        rows = self._rows(_ANSWERS, (run,))
        while batch := list(islice(rows, _WITH_TEXT)):
            between = (run, batch[0]["page"], batch[-1]["page"])
            scores, shares = self._read_lists(_SCORES, "score", between), self._read_lists(_SHARES, "share", between)
            for row in batch:
                page = row["page"]
                lists = {"scores": scores.get(page, []), "shares": shares.get(page, [])}
                yield row | lists | {"page": int(self._hashes[page])}
        yield from self._hash_ids(self._rows(_LINKED, (run,)))

    def _read_lists(self, sql: str, name: str, between: Sequence[int]) -> dict[int, list[dict[str, Any]]]:
        lists: dict[int, list[dict[str, Any]]] = {}
        for page, label, value in self._connection.execute(sql, between):
            lists.setdefault(page, []).append({"label": label, name: value})
        return lists
