"""The capture that is each page's own, its links, what content says of it, and the other captures, if kept."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graphlang.cluster.choosing import captures as of_captures
from graphlang.cluster.choosing.choose import choose
from graphlang.cluster.choosing.history import history_of
from graphlang.cluster.choosing.links import links_of
from graphlang.cluster.files.answers import CONTENT, answers_for
from graphlang.cluster.files.buckets import Buckets, bucket_of, in_bucket
from graphlang.cluster.files.facts import FACTS, FACTS_TABLE
from graphlang.cluster.files.pages import SEVERAL_TABLE
from graphlang.cluster.files.read import RECORDS_TABLE
from graphlang.cluster.storage import WORK, literal
from graphlang.cluster.tables import ANSWERS, CAPTURES, HISTORY, KEPT_CAPTURES, LINKS, RECORDS, ddl
from graphlang.db.write.choose_capture import Keep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.cluster.classifying import Method
    from graphlang.cluster.files.parts import Parts
    from graphlang.cluster.files.stage import Stages

REPEATED_TABLE: Final = f"{WORK}/repeated"
_ROWS: Final = 1024
_BEFORE: Final = [("source", "ascending"), ("begin", "ascending"), ("place", "ascending")]
#: Columns that a capture has which is the only one of its page.
_ALONE: Final = [name for name in CAPTURES.names if name not in {"captures", "original", "link_urls", "revisit_page"}]
_OF_LINKS: Final = ("link_ids", "link_kinds", "hreflangs")


def captures(stages: Stages, method: Method, keep: Keep, many: int, several: int) -> None:
    """Make the tables of captures, of links and of what content says, and with `Keep.ALL` that of the other captures.

    Args:
        stages: of the job; the pages are known.
        method: the content method.
        keep: which of several captures of a URL is the page's own.
        many: buckets of pages.
        several: pages with several captures.
    """
    tables = {"captures": KEPT_CAPTURES, "links": LINKS, CONTENT: ANSWERS, FACTS_TABLE: None, REPEATED_TABLE: None}
    if keep is Keep.ALL:
        tables["history"] = HISTORY
    stages.begin("captures", tables)
    known = stages.files(SEVERAL_TABLE, ".arrow") if several else []
    done = stages.each(stages.files(RECORDS_TABLE), partial(_of_file, known, many, method))
    parts = [part for _, some in done for part in some]
    if several:
        # The captures of a page come together in the task that has its bucket, and are compared there.
        stages.take(part for part in parts if part.table == REPEATED_TABLE)
        sent = stages.files(REPEATED_TABLE, ".arrow")
        numbers = [int(Path(one).stem[-5:]) for one in known]
        chosen = stages.each(numbers, partial(_of_bucket, sent, many, method, keep))
        parts = [part for part in parts if part.table != REPEATED_TABLE]
        parts += [part for _, some in chosen for part in some]
    stages.end("captures", tables, parts, {})


def _several(files: Sequence[str]) -> dict[int, NDArray[np.int64]]:
    """The pages of each bucket that have several captures; processes of a machine share them in memory."""
    found = {}
    for path in files:
        source = pa.memory_map(path)
        found[int(Path(path).stem[-5:])] = pa.ipc.open_file(source).get_batch(0).column("page").to_numpy()
    return found


def _has_several(page: NDArray[np.int64], several: dict[int, NDArray[np.int64]], many: int) -> NDArray[np.bool_]:
    found = np.zeros(len(page), np.bool_)
    bucket = bucket_of(page, many)
    for number in np.unique(bucket).tolist():
        if number in several:
            rows = np.flatnonzero(bucket == number)
            at = np.searchsorted(several[number], page[rows])
            at[at == len(several[number])] = 0
            found[rows] = several[number][at] == page[rows]
    return found


def _of_file(known: Sequence[str], many: int, method: Method, path: str, parts: Parts) -> None:
    """The captures of a file of records that are the only ones of their pages; others go where their buckets are."""
    several = _several(known)
    stem = Path(path).stem
    sent = Buckets(parts, REPEATED_TABLE, stem, RECORDS, many)
    tables = _Tables(parts, stem, many, method)
    for batch in _batches(path, RECORDS.names if several else _ALONE):
        if several:
            rows = _has_several(batch.column("page").to_numpy(), several, many)
            if rows.any():
                sent.write(batch.filter(pa.array(rows)))
                batch = batch.filter(pa.array(~rows))  # noqa: PLW2901
        columns = {name: batch.column(name) for name in _ALONE}
        columns["captures"] = pa.array(np.ones(batch.num_rows, np.int64))
        columns["original"] = pa.nulls(batch.num_rows, pa.int64())
        tables.write(columns)
    sent.close()
    tables.close()


def _of_bucket(  # noqa: PLR0917  internal
    sent: Sequence[str], many: int, method: Method, keep: Keep, number: int, parts: Parts
) -> None:
    """The captures of pages with several: one is each page's own."""
    rows = in_bucket(sent, number, many, RECORDS)
    stem = f"several-{number:05d}"
    tables = _Tables(parts, stem, many, method)
    for chosen in choose(rows.sort_by([("page", "ascending"), *_BEFORE]).to_batches(max_chunksize=_ROWS), keep):
        own = chosen.filter(pc.is_null(chosen.column("whole")))
        tables.write({name: own.column(name) for name in CAPTURES.names})
        if keep is Keep.ALL:
            others = chosen.filter(pc.is_valid(chosen.column("whole")))
            for batch in history_of([others]):
                parts.parquet("history", stem, HISTORY).write(batch)
    tables.close()


class _Tables:
    """Writes all that is made of captures, while they are at hand."""

    def __init__(self, parts: Parts, stem: str, many: int, method: Method) -> None:
        self._method = method
        self._captures = parts.parquet("captures", stem, KEPT_CAPTURES)
        self._links = parts.parquet("links", stem, LINKS)
        self._content = parts.parquet(CONTENT, stem, ANSWERS)
        self._facts = Buckets(parts, FACTS_TABLE, stem, FACTS, many)

    def write(self, columns: dict[str, Any]) -> None:
        """Write captures that are their pages' own, by name of the column."""
        kept = pa.RecordBatch.from_arrays([columns[name] for name in KEPT_CAPTURES.names], schema=KEPT_CAPTURES)
        self._captures.write(kept)
        self._facts.write(kept.select(FACTS.names))
        named = ["page", *_OF_LINKS]
        for links in links_of([pa.RecordBatch.from_arrays([columns[name] for name in named], names=named)]):
            self._links.write(links)
        for answers in answers_for([kept], self._method):
            self._content.write(answers)

    def close(self) -> None:
        """Nothing more comes."""
        self._facts.close()


def _batches(path: str, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(path) as file:
        yield from file.iter_batches(_ROWS, columns=list(names), use_threads=False)


def lent(spark: Any, stages: Stages, keep: Keep) -> None:
    """The same by Spark, where revisit records are given what the captures hold that they repeat.

    Args:
        spark: the session.
        stages: of the job; the pages are known.
        keep: which of several captures of a URL is the page's own.
    """
    tables = {"captures": KEPT_CAPTURES, "links": LINKS} | ({"history": HISTORY} if keep is Keep.ALL else {})
    stages.begin("captures", tables)
    out = f"file://{stages.out}"
    records = spark.read.schema(ddl(RECORDS)).parquet(literal(f"{out}/{RECORDS_TABLE}"))
    own, others = of_captures.captures_of(records, keep, f"{out}/{WORK}/chosen")
    own = of_captures.with_originals(own)
    frames = {"captures": own.select(*KEPT_CAPTURES.names), "links": own.mapInArrow(links_of, ddl(LINKS))}
    if others is not None:
        frames["history"] = others
    for table, frame in frames.items():
        frame.write.mode("overwrite").parquet(f"{out}/{table}")
    rows = {table: sum(stages.rows_of(path) for path in stages.files(table)) for table in tables}
    stages.end("captures", {}, (), {"rows": rows})
