"""The capture that is each page's own, its links, and the other captures where they are kept."""

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
from graphlang.cluster.files.buckets import Buckets, bucket_of, in_bucket
from graphlang.cluster.files.pages import SEVERAL_TABLE
from graphlang.cluster.files.read import RECORDS_TABLE
from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import CAPTURES, HISTORY, KEPT_CAPTURES, LINKS, RECORDS, ddl
from graphlang.db.write.choose_capture import Keep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from graphlang.cluster.files.parts import Parts
    from graphlang.cluster.files.stage import Stages

REPEATED_TABLE: Final = f"{WORK}/repeated"
_ROWS: Final = 1024
_BEFORE: Final = [("source", "ascending"), ("begin", "ascending"), ("place", "ascending")]
_OF_LINKS: Final = ("link_ids", "link_kinds", "hreflangs")


def captures(stages: Stages, keep: Keep, many: int, several: int) -> None:
    """Make the tables of captures and of links, and with `Keep.ALL` that of the other captures.

    Args:
        stages: of the job; the pages are known.
        keep: which of several captures of a URL is the page's own.
        many: buckets of pages.
        several: pages with several captures.
    """
    tables = {"captures": KEPT_CAPTURES, "links": LINKS, REPEATED_TABLE: None}
    if keep is Keep.ALL:
        tables["history"] = HISTORY
    stages.begin("links", tables)
    files = stages.files(RECORDS_TABLE)
    repeated: list[Any] = []
    if several:
        # The captures of a page come together in the task that has its bucket, and are compared there.
        known = stages.files(SEVERAL_TABLE, ".arrow")
        repeated = stages.each(files, partial(_repeated, known, many))
        stages.take(part for _, parts in repeated for part in parts)
    else:
        known = []
    done = stages.each(files, partial(_of_file, known, many))
    if several:
        sent = stages.files(REPEATED_TABLE, ".arrow")
        done += stages.each([int(Path(one).stem[-5:]) for one in known], partial(_of_bucket, sent, many, keep))
    stages.end("captures", tables, (part for _, parts in done for part in parts), {})


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


def _repeated(known: Sequence[str], many: int, path: str, parts: Parts) -> None:
    """Hand the captures of pages with several to the tasks that have their buckets."""
    several = _several(known)
    sent = Buckets(parts, REPEATED_TABLE, Path(path).stem, RECORDS, many)
    for batch in _batches(path, RECORDS.names):
        rows = _has_several(batch.column("page").to_numpy(), several, many)
        if rows.any():
            sent.write(batch.filter(pa.array(rows)))
    sent.close()


def _of_file(known: Sequence[str], many: int, path: str, parts: Parts) -> None:
    """The captures of a file of records that are the only ones of their pages."""
    several = _several(known)
    names = [name for name in CAPTURES.names if name not in {"captures", "original", "link_urls", "revisit_page"}]
    for batch in _batches(path, names):
        if several:
            rows = ~_has_several(batch.column("page").to_numpy(), several, many)
            batch = batch.filter(pa.array(rows))  # noqa: PLW2901
        columns = {name: batch.column(name) for name in names}
        columns["captures"] = pa.array(np.ones(batch.num_rows, np.int64))
        columns["original"] = pa.nulls(batch.num_rows, pa.int64())
        _write(columns, Path(path).stem, parts)


def _of_bucket(sent: Sequence[str], many: int, keep: Keep, number: int, parts: Parts) -> None:
    """The captures of pages with several: one is each page's own."""
    rows = in_bucket(sent, number, many, RECORDS)
    stem = f"several-{number:05d}"
    for chosen in choose(rows.sort_by([("page", "ascending"), *_BEFORE]).to_batches(max_chunksize=_ROWS), keep):
        own = chosen.filter(pc.is_null(chosen.column("whole")))
        _write({name: own.column(name) for name in CAPTURES.names}, stem, parts)
        if keep is Keep.ALL:
            others = chosen.filter(pc.is_valid(chosen.column("whole")))
            for batch in history_of([others]):
                parts.parquet("history", stem, HISTORY).write(batch)


def _write(columns: dict[str, Any], stem: str, parts: Parts) -> None:
    kept = pa.RecordBatch.from_arrays([columns[name] for name in KEPT_CAPTURES.names], schema=KEPT_CAPTURES)
    parts.parquet("captures", stem, KEPT_CAPTURES).write(kept)
    named = ["page", *_OF_LINKS]
    for links in links_of([pa.RecordBatch.from_arrays([columns[name] for name in named], names=named)]):
        parts.parquet("links", stem, LINKS).write(links)


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
    stages.begin("links", tables)
    out = f"file://{stages.out}"
    records = spark.read.schema(ddl(RECORDS)).parquet(f"{out}/{RECORDS_TABLE}")
    own, others = of_captures.captures_of(records, keep, f"{out}/{WORK}/chosen")
    own = of_captures.with_originals(own)
    frames = {"captures": own.select(*KEPT_CAPTURES.names), "links": own.mapInArrow(links_of, ddl(LINKS))}
    if others is not None:
        frames["history"] = others
    for table, frame in frames.items():
        frame.write.mode("overwrite").parquet(f"{out}/{table}")
    rows = {table: sum(stages.rows_of(path) for path in stages.files(table)) for table in tables}
    stages.end("captures", {}, (), {"rows": rows})
