"""Sources, pages, captures, links and problems of a cluster's tables, into a database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from graphlang.analysis.classify import label_ids
from graphlang.cluster.database.table_rows import ROWS
from graphlang.cluster.tables import CORRECTIONS, REMOVED
from graphlang.db import statements
from graphlang.db.records import LinkKind, apart
from graphlang.db.write import sources

if TYPE_CHECKING:
    import sqlite3

    from graphlang.cluster.database.table_rows import TableRows

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


class Pages:
    """All that is not an answer.

    Args:
        connection: the database that is being made.
        given: what is read.
    """

    def __init__(self, connection: sqlite3.Connection, given: TableRows) -> None:
        self._connection, self._given = connection, given
        self._sources: dict[int, int] = {}
        self._readings: dict[int, int] = {}
        self._files: dict[str, int] = {}
        #: Run and number of each capture in the history that has an answer.
        self.answered: list[tuple[int, int]] = []
        self._kinds = {kind.name.lower(): int(kind) for kind in LinkKind}

    def write(self) -> tuple[int, int, int, int]:
        """Write them; how many pages, fetched pages, links and problems there are."""
        self._write_sources()
        pages, fetched = self._write_pages(), self._write_captures()
        if "history" in self._given.tables:
            self._write_history()
        links, problems = self._write_links(), self._write_problems()
        self._write_rest()
        return pages, fetched, links, problems

    def _write_sources(self) -> None:
        columns = ("source", "name", "sha256", "bytes", "keep", "options", *_READING)
        rows = sorted(
            (row for batch in self._given.rows("sources", columns) for row in batch.to_pylist()), key=_by_source
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
        """Pages and hosts by their numbers, so that tables grow at their ends."""
        table = self._given.tables["pages"].to_table(columns=["page", "url", "host", "domain", "suffix", "tld"])
        ids = self._given.ids(table["page"].to_numpy(), "pages")
        table = table.take(np.argsort(ids))
        hosts: dict[str, int] = {}
        first = 1
        for batch in table.to_batches(max_chunksize=ROWS):
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
        for batch in self._given.rows("captures", columns, _WITH_TEXT):
            ids = self._given.ids(batch.column("page").to_numpy(), "captures").tolist()
            originals = batch.column("original").to_pylist()
            known = np.array([one for one in originals if one is not None], dtype=np.int64)
            lenders = iter(self._given.ids(known, "captures").tolist())
            original = [None if one is None else next(lenders) for one in originals]
            read = batch.column("source").to_pylist()
            files, readings = [self._sources[one] for one in read], [self._readings[one] for one in read]
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
                body, rest = apart(text or "")
                rows.append((page, title, body, main, rest or None))
        said = list(zip(ids, batch.column("declared").to_pylist(), batch.column("visible").to_pylist(), strict=True))
        insert = statements.insert_rows
        insert(self._connection, "INSERT INTO texts (page, title, text, main, rest)", rows)
        declared = [(page, one["source"], one["value"]) for page, listed, _ in said for one in listed or ()]
        insert(self._connection, "INSERT OR IGNORE INTO declarations (page, source, value)", declared)
        visible = [(page, data) for page, _, data in said if data]
        insert(self._connection, "INSERT INTO visible_bytes (page, bytes)", visible)

    def _write_history(self) -> None:
        columns = ("page", "source", *_OTHER, "title", "text", "main", "declared", "links", "run")
        number = 0
        for batch in self._given.rows("history", columns, _WITH_TEXT):
            ids = self._given.ids(batch.column("page").to_numpy(), "history").tolist()
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
                    self.answered.append((row["run"], number))
                links += [(number, *link.values()) for link in row["links"] or ()]
                said += [(number, one["source"], one["value"]) for one in row["declared"] or ()]
            insert = statements.insert_rows
            insert(self._connection, _INTO_HISTORY, captures)
            insert(self._connection, "INSERT OR IGNORE INTO history_declarations", said)
            targets = self._given.ids(np.array([link[1] for link in links], dtype=np.int64), "history").tolist()
            rows = [
                (capture, target, self._kinds[kind], *rest)
                for (capture, _, kind, *rest), target in zip(links, targets, strict=True)
            ]
            insert(self._connection, "INSERT OR IGNORE INTO history_links", rows)

    def _write_links(self) -> int:
        into = "INSERT OR IGNORE INTO links (source, target, kind, nofollow, hreflang, place)"
        count = 0
        for batch in self._given.rows("links", ("source", "target", "kind", "nofollow", "hreflang", "place")):
            source, target = (self._given.ids(batch.column(name).to_numpy(), "links") for name in ("source", "target"))
            order = np.lexsort((target, source))
            ordered = batch.take(pa.array(order))
            kinds = [self._kinds[kind] for kind in ordered.column("kind").to_pylist()]
            rest = [ordered.column(name).to_pylist() for name in ("nofollow", "hreflang", "place")]
            columns = [source[order].tolist(), target[order].tolist(), kinds, *rest]
            count += statements.insert_columns(self._connection, into, columns)
        return count

    def _write_problems(self) -> int:
        count = 0
        for batch in self._given.rows("problems", ("file", "offset", "url", "kind", "reason")):
            rows = [(self._files[row["file"]], *list(row.values())[1:]) for row in batch.to_pylist()]
            into = "INSERT INTO problems (source, offset, url, kind, reason)"
            count += statements.insert_rows(self._connection, into, rows)
        return count

    def _write_rest(self) -> None:
        """What few collections have."""
        insert = statements.insert_rows
        if "anchor_texts" in self._given.tables:
            for batch in self._given.rows("anchor_texts", ("target", "source", "text")):
                ends = (
                    self._given.ids(batch.column(name).to_numpy(), "anchor_texts").tolist()
                    for name in ("target", "source")
                )
                rows = list(zip(*ends, batch.column("text").to_pylist(), strict=True))
                insert(self._connection, "INSERT INTO anchor_texts (target, source, text)", rows)
        if "removed" in self._given.tables:
            for batch in self._given.rows("removed", REMOVED.names):
                rows = [tuple(row.values()) for row in batch.to_pylist()]
                insert(self._connection, "INSERT INTO removed (digest, kind, since)", rows)
        if "corrections" in self._given.tables:
            for batch in self._given.rows("corrections", CORRECTIONS.names):
                listed = batch.to_pylist()
                named = sorted({row[name] for row in listed for name in ("label", "former")} - {None})
                known = dict(zip(named, label_ids(self._connection, named), strict=True)) | {None: None}
                rows = [
                    tuple(row.values())
                    for row in (row | {name: known[row[name]] for name in ("label", "former")} for row in listed)
                ]
                insert(self._connection, f"INSERT INTO corrections ({', '.join(CORRECTIONS.names)})", rows)


def _by_source(row: dict[str, Any]) -> int:
    return int(row["source"])
