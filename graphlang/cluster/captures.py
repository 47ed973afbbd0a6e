"""The stage ``captures``: the capture that is each page's own, its links, and the other captures, if they are kept.

A task takes the captures of one file of records. Pages with several captures are sent to the tasks of their buckets,
which choose. Only a collection with revisit records that borrow content needs a join by Spark in the end.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphlang.cluster.choosing import choose, history_of, links_of
from graphlang.cluster.read_archives import RECORDS_TABLE, SEVERAL_TABLE
from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import CAPTURES, HISTORY, KEPT_CAPTURES, LINKS, RECORDS, ddl
from graphlang.cluster.task_files import BucketFile, bucket_of, read_batches, read_bucket
from graphlang.db.write.choose_capture import Keep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.cluster.stages import Stages
    from graphlang.cluster.storage import Location
    from graphlang.cluster.task_files import TaskOutput

REPEATED_TABLE: Final = f"{WORK}/repeated"
CHOSEN_TABLE: Final = f"{WORK}/chosen"  #: captures with their links, where some borrow content
FACTS_TABLE: Final = f"{WORK}/facts"
#: What the table of languages has of a page's capture; sent to the task of its bucket as the capture is written.
FACTS: Final = pa.schema(
    [CAPTURES.field(name) for name in ("page", "status", "mime", "charset", "charset_from", "date", "length")]
)
_ROWS: Final = 1024
_READING_ORDER: Final = [("source", "ascending"), ("begin", "ascending"), ("place", "ascending")]
#: Columns of a capture that is the only one of its page.
_SINGLE: Final = [name for name in CAPTURES.names if name not in {"captures", "original", "link_urls", "revisit_page"}]
_LINK_COLUMNS: Final = ("page", "link_ids", "link_kinds", "hreflangs")
#: Columns that a revisit borrows from its original (`graphlang.db.write.captures`).
_BORROWED: Final = (
    *("charset", "charset_from", "length", "title", "text", "main", "declared", "visible"),
    *("link_urls", "link_ids", "link_kinds", "hreflangs"),
)
_EMPTY: Final = (
    "revisit_of IS NOT NULL AND size = 0 AND (status IS NULL OR status NOT BETWEEN 300 AND 399 OR status = 304)"
)
_FULL: Final = "(revisit_of IS NULL OR size > 0)"
_SAME_CAPTURE: Final = (
    "(w_digest <> '' AND digest = w_digest) OR (w_date <> '' AND date = w_date) OR (w_date = '' AND w_digest = '')"
)


def choose_captures(
    stages: Stages, keep: Keep, bucket_count: int, several: int, key: bytes, *, borrowing: bool
) -> None:
    """Write captures, links and facts, and with `Keep.ALL` the other captures.

    The stages ``read`` and ``pages`` are done. `keep` chooses the main capture of a URL; `several` is the number of
    pages with several captures, `bucket_count` that of buckets of pages, and `key` that of page ids. With `borrowing`
    captures with their links are written to `CHOSEN_TABLE` instead, for `borrow_content`.
    """
    tables = {CHOSEN_TABLE: CAPTURES} if borrowing else {"captures": KEPT_CAPTURES, "links": LINKS, FACTS_TABLE: None}
    tables |= {REPEATED_TABLE: None} | ({"history": HISTORY} if keep is Keep.ALL else {})
    stages.begin("captures", tables)
    repeated = stages.files(SEVERAL_TABLE, ".arrow") if several else []
    done = stages.run(stages.files(RECORDS_TABLE), partial(_write_single, repeated, bucket_count, borrowing))
    files = [file for _, task_files in done for file in task_files]
    if several:
        stages.take(file for file in files if file.table == REPEATED_TABLE)
        files = [file for file in files if file.table != REPEATED_TABLE]
        sent = stages.files(REPEATED_TABLE, ".arrow")
        numbers = [_bucket_number(location) for location in repeated]
        chosen = stages.run(numbers, partial(_write_chosen, sent, bucket_count, borrowing, keep, key))
        files += [file for _, task_files in chosen for file in task_files]
    stages.end("chosen" if borrowing else "captures", tables, files, {})


def _bucket_number(location: Location) -> int:
    return int(location.name.removesuffix(".arrow")[-5:])


def _write_single(
    repeated: Sequence[Location],
    bucket_count: int,
    borrowing: bool,
    location: Location,
    output: TaskOutput,
) -> None:
    """Write the captures of a file of records that are the only ones of their pages; send others to their buckets."""
    stem = location.name.removesuffix(".parquet")
    pages = {_bucket_number(file): _mapped_pages(file) for file in repeated}
    sent = BucketFile(output, REPEATED_TABLE, stem, RECORDS, bucket_count)
    tables = _CaptureTables(output, stem, bucket_count, borrowing=borrowing)
    for batch in read_batches(location, RECORDS.names if repeated or borrowing else _SINGLE, _ROWS):
        if repeated:
            rows = _is_repeated(batch.column("page").to_numpy(), pages, bucket_count)
            if rows.any():
                sent.write(batch.filter(pa.array(rows)))
                batch = batch.filter(pa.array(~rows))  # noqa: PLW2901
        columns = {name: batch.column(name) for name in batch.schema.names}
        columns["captures"] = pa.array(np.ones(batch.num_rows, np.int64))
        columns["original"] = pa.nulls(batch.num_rows, pa.int64())
        tables.write(columns)
    sent.close()
    tables.close()


def _mapped_pages(location: Location) -> NDArray[np.int64]:
    """Return the pages of a file of `SEVERAL_TABLE`; processes of a machine share a local one in memory."""
    pages: NDArray[np.int64] = pa.ipc.open_file(location.open_input()).get_batch(0).column("page").to_numpy()
    return pages


def _is_repeated(
    page: NDArray[np.int64], pages: Mapping[int, NDArray[np.int64]], bucket_count: int
) -> NDArray[np.bool_]:
    repeated = np.zeros(len(page), np.bool_)
    bucket = bucket_of(page, bucket_count)
    for number in np.unique(bucket).tolist():
        if number in pages:
            rows = np.flatnonzero(bucket == number)
            at = np.searchsorted(pages[number], page[rows])
            at[at == len(pages[number])] = 0
            repeated[rows] = pages[number][at] == page[rows]
    return repeated


def _write_chosen(  # noqa: PLR0917  internal
    sent: Sequence[Location],
    bucket_count: int,
    borrowing: bool,
    keep: Keep,
    key: bytes,
    number: int,
    output: TaskOutput,
) -> None:
    """Choose among the captures of the pages of a bucket that have several."""
    rows = read_bucket(sent, number, bucket_count, RECORDS)
    stem = f"several-{number:05d}"
    tables = _CaptureTables(output, stem, bucket_count, borrowing=borrowing)
    ordered = rows.sort_by([("page", "ascending"), *_READING_ORDER])
    for batch in choose(ordered.to_batches(max_chunksize=_ROWS), keep, key):
        own_captures = batch.filter(pc.is_null(batch.column("whole")))
        tables.write({name: own_captures.column(name) for name in CAPTURES.names})
        if keep is Keep.ALL:
            other_captures = batch.filter(pc.is_valid(batch.column("whole")))
            for history in history_of([other_captures]):
                output.rows("history", stem, HISTORY).write(history)
    tables.close()


class _CaptureTables:
    """Writes the tables that are made of pages' own captures."""

    def __init__(self, output: TaskOutput, stem: str, bucket_count: int, *, borrowing: bool) -> None:
        self._chosen = output.rows(CHOSEN_TABLE, stem, CAPTURES) if borrowing else None
        self._captures = output.rows("captures", stem, KEPT_CAPTURES)
        self._links = output.rows("links", stem, LINKS)
        self._facts = BucketFile(output, FACTS_TABLE, stem, FACTS, bucket_count)

    def write(self, columns: Mapping[str, Any]) -> None:
        """Write captures, by name of the column."""
        if self._chosen is not None:
            self._chosen.write(pa.RecordBatch.from_arrays([columns[name] for name in CAPTURES.names], schema=CAPTURES))
            return
        captures = pa.RecordBatch.from_arrays([columns[name] for name in KEPT_CAPTURES.names], schema=KEPT_CAPTURES)
        self._captures.write(captures)
        self._facts.write(captures.select(FACTS.names))
        named = pa.RecordBatch.from_arrays([columns[name] for name in _LINK_COLUMNS], names=list(_LINK_COLUMNS))
        for links in links_of([named]):
            self._links.write(links)

    def close(self) -> None:
        """End the files that are not Parquet."""
        self._facts.close()


def borrow_content(spark: Any, stages: Stages) -> None:
    """Give revisit records what their originals hold, by a join of Spark, and write captures and links."""
    stages.begin("captures", {"captures": KEPT_CAPTURES, "links": LINKS})
    chosen = spark.read.schema(ddl(CAPTURES)).parquet((stages.folder / CHOSEN_TABLE).for_spark)
    captures = join_originals(chosen)
    frames = {"captures": captures.select(*KEPT_CAPTURES.names), "links": captures.mapInArrow(links_of, ddl(LINKS))}
    for table, frame in frames.items():
        frame.write.mode("overwrite").parquet((stages.folder / table).for_spark_to_write)
    stages.end("captures", {}, (), {"rows": {table: stages.count_rows(table) for table in frames}})


def join_originals(captures: Any) -> Any:
    """Return a DataFrame of `CAPTURES` whose empty revisits hold what their originals do, named in ``original``.

    The original is the capture that the record names, else the first one with its digest.
    """
    empty = captures.where(_EMPTY).selectExpr(
        "page AS revisit", "revisit_page", "revisit_date AS w_date", "digest AS w_digest"
    )
    full = captures.where(_FULL).select("page", "source", "offset", "date", "digest", "size")
    by_name = empty.join(full, empty.revisit_page == full.page).where(f"page <> revisit AND ({_SAME_CAPTURE})")
    by_digest = empty.join(full.where("size > 0 AND digest <> ''"), empty.w_digest == full.digest)
    candidates = by_name.selectExpr("revisit", "page AS original", "0 AS rank", "source", "offset").unionByName(
        by_digest.selectExpr("revisit", "page AS original", "1 AS rank", "source", "offset")
    )
    first = candidates.selectExpr("revisit", "struct(rank, source, offset, original) AS one").groupBy("revisit")
    pairs = first.agg({"one": "min"}).selectExpr("revisit", "`min(one)`.original AS lender").persist()
    lenders = captures.join(pairs.selectExpr("lender AS page").distinct(), "page", "left_semi")
    lent = lenders.selectExpr("page AS lender", *(f"{name} AS lent_{name}" for name in _BORROWED))
    joined = captures.drop("original").join(
        pairs.join(lent, "lender").withColumnRenamed("revisit", "page"), "page", "left"
    )
    columns = [
        f"IF(lender IS NULL, {name}, lent_{name}) AS {name}" if name in _BORROWED else name
        for name in captures.columns
        if name != "original"
    ]
    return joined.selectExpr(*columns, "lender AS original").select(captures.columns)
