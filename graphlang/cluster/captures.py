"""The stage ``captures``: the capture that is each page's own, its links, and the other captures, if they are kept.

A task takes the captures of one file of records. Pages with several captures are sent to the tasks of their buckets,
which choose by the rules of `graphlang.db.write`: all captures of a page are in one batch, so that a list takes the
place of the database's rows. Only a collection with revisit records that borrow content needs a join by Spark in the
end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from graphlang.cluster.page_ids import PageIds
from graphlang.cluster.read_archives import RECORDS_TABLE, SEVERAL_TABLE, page_to_row, row_to_page
from graphlang.cluster.stages import BucketFile, find_bucket, read_batches, read_bucket
from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import CAPTURES, CHOSEN, HISTORY, KEPT_CAPTURES, LINKS, RECORDS, link_kinds, write_ddl
from graphlang.db.records import NOFOLLOW
from graphlang.db.write.choose_capture import CaptureProperties, Choice, Keep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.cluster.stages import Stages, TaskOutput
    from graphlang.cluster.storage import Location
    from graphlang.db.records import Page
    from graphlang.db.write.choose_capture import FurtherCapture

_CHOSEN_ROWS = 256


def choose_rows(batches: Iterable[pa.RecordBatch], keep: Keep, key: bytes = b"") -> Iterator[pa.RecordBatch]:
    """Yield rows of `CHOSEN`: one a page, and with `Keep.ALL` those of its other captures.

    The batches have rows of `RECORDS`, those of a page together and in the order of reading. ``key`` is
    that of page ids.
    """
    ids = PageIds(key=key)
    rows: list[dict[str, Any]] = []
    page: _Own | None = None
    for batch in batches:
        for row in batch.to_pylist():
            if page is None or page.page != row["page"]:
                if page is not None:
                    rows += page.rows(ids)
                page = _Own(row)
            else:
                page.take(row, keep)
            if len(rows) >= _CHOSEN_ROWS:
                yield pa.RecordBatch.from_pylist(rows, schema=CHOSEN)
                rows = []
    if page is not None:
        rows += page.rows(ids)
    yield pa.RecordBatch.from_pylist(rows, schema=CHOSEN)


class _Own:
    """The capture that is a page's own so far."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.page: int = row["page"]
        capture = row_to_page(row)
        self._choice = Choice(CaptureProperties.from_page(capture), 1, capture, 0)
        self._files = {id(capture): (row["source"], row["file"])}
        self._chosen: Page = capture
        self._others = OtherCaptures()

    def take(self, row: dict[str, Any], keep: Keep) -> None:
        """Look at one more capture."""
        capture, before = row_to_page(row), self._chosen
        file, held = (row["source"], row["file"]), self._files[id(before)]
        rest = self._choice.add_capture(capture, 0, keep)
        after = self._choice.page or before
        if after is capture:
            self._files = {id(after): file}
        elif after is not before:  # joined of two parts: it stands where its text does
            self._files = {id(after): file if capture.parts == "text" else held}
        self._chosen = after
        if keep is Keep.ALL:
            other = None if rest is None else rest.page
            self._others.take(rest, other, file if other is capture else held, self._choice.facts)

    def rows(self, ids: PageIds) -> Iterator[dict[str, Any]]:
        """Yield the main capture, then the others."""
        source, file = self._files[id(self._chosen)]
        yield page_to_row(self._chosen, ids) | {"source": source, "file": file, "captures": self._choice.count}
        yield from self._others.rows(ids)


_REDIRECTS: Final = range(300, 400)
#: What only an entry has that is whole.
_CONTENT: Final = ("title", "text", "main")


@dataclass(slots=True)
class _Entry:
    facts: CaptureProperties
    page: Page
    file: tuple[int, str]
    whole: bool

    def holds(self, payload: str) -> bool:
        facts = self.facts
        return self.whole and facts.digest == payload and facts.size > 0 and facts.status not in _REDIRECTS


class OtherCaptures:
    """The captures of one page besides its own: one entry for each date and payload.

    One entry is whole for each content that the main capture does not hold.
    """

    def __init__(self) -> None:
        self._entries: list[_Entry] = []

    def take(
        self, rest: FurtherCapture | None, page: Page | None, file: tuple[int, str], own_facts: CaptureProperties
    ) -> None:
        """Take the capture that the page's own one displaced, or that lost to it.

        ``own_facts`` are those of the main capture from now on.
        """
        if rest is not None and page is not None and (rest.facts.digest or not rest.facts.revisit):
            self._add(_Entry(rest.facts, page, file, whole=True), own_facts)
        if own_facts.payload and (same := self._holder(own_facts.payload)) is not None:
            same.whole = False  # the main capture holds its content from now on

    def _holder(self, payload: str) -> _Entry | None:
        return next((entry for entry in self._entries if entry.holds(payload)), None)

    def _add(self, entry: _Entry, own_facts: CaptureProperties) -> None:
        facts = entry.facts
        if (facts.date, facts.digest) == (own_facts.date, own_facts.digest):
            return
        held = facts.payload and (facts.payload == own_facts.payload or self._holder(facts.payload) is not None)
        entry.whole = not (facts.revisit or held)
        same = next((other for other in self._entries if _is_same_time(other.facts, facts)), None)
        if same is not None:
            if not (entry.whole and facts.payload):
                return
            self._entries.remove(same)  # it waits for its content, or had that of the capture that gives way
        self._entries.append(entry)

    def rows(self, ids: PageIds) -> Iterator[dict[str, Any]]:
        """Yield the entries with the columns of captures, and ``number`` and ``whole``."""
        for number, entry in enumerate(self._entries):
            source, file = entry.file
            row = page_to_row(entry.page, ids) | {
                "source": source,
                "file": file,
                "number": number,
                "whole": int(entry.whole),
            }
            if not entry.whole:
                row |= dict.fromkeys(_CONTENT) | {"declared": [], "link_ids": [], "link_kinds": b"", "hreflangs": []}
            yield row


def _is_same_time(facts: CaptureProperties, other: CaptureProperties) -> bool:
    return (facts.date, facts.digest) == (other.date, other.digest)


def list_history(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows of `HISTORY`: other captures with their links."""
    for batch in batches:
        rows = batch.to_pylist()
        for place, row in enumerate(rows):
            (links,) = list_links([batch.slice(place, 1)])
            row["links"] = links.drop_columns(["source"]).to_pylist()
        yield pa.RecordBatch.from_pylist(rows, schema=HISTORY)


def list_links(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield rows of `LINKS` in the order of the captures, without links of a page to itself."""
    for batch in batches:
        counts = batch.column("link_ids").value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        source = np.repeat(batch.column("page").to_numpy(), counts)
        target = batch.column("link_ids").flatten().to_numpy()
        kinds = np.frombuffer(b"".join(batch.column("link_kinds").to_pylist()), dtype=np.uint8)
        hreflangs = _list_hreflangs(batch, counts)
        elsewhere = source != target
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(source[elsewhere]),
                pa.array(target[elsewhere]),
                link_kinds().take(pa.array((kinds[elsewhere] & ~np.uint8(NOFOLLOW)) - 1)),
                pa.array((kinds[elsewhere] >= NOFOLLOW).astype(np.int32)),
                pa.array(hreflangs[elsewhere], type=pa.string()),
                pa.array(_rank_links(counts, elsewhere)),
            ],
            schema=LINKS,
        )


def _list_hreflangs(batch: pa.RecordBatch, counts: NDArray[np.int64]) -> NDArray[Any]:
    hreflangs = np.full(int(counts.sum()), None, dtype=object)
    first = np.cumsum(counts) - counts
    for start, listed in zip(first.tolist(), batch.column("hreflangs").to_pylist(), strict=True):
        for hreflang in listed or ():
            hreflangs[start + hreflang["place"]] = hreflang["value"]
    return hreflangs


def _rank_links(counts: NDArray[np.int64], elsewhere: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the place of each link among those of its page that are kept."""
    before: NDArray[np.int64] = np.cumsum(elsewhere) - elsewhere
    first = np.append(before, elsewhere.sum())[np.cumsum(counts) - counts]
    places: NDArray[np.int32] = (before - np.repeat(first, counts))[elsewhere].astype(np.int32)
    return places


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
        numbers = [_parse_bucket_number(location) for location in repeated]
        chosen = stages.run(numbers, partial(_write_chosen, sent, bucket_count, borrowing, keep, key))
        files += [file for _, task_files in chosen for file in task_files]
    stages.end("chosen" if borrowing else "captures", tables, files, {})


def _parse_bucket_number(location: Location) -> int:
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
    pages = {_parse_bucket_number(file): _map_pages(file) for file in repeated}
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


def _map_pages(location: Location) -> NDArray[np.int64]:
    """Return the pages of a file of `SEVERAL_TABLE`; processes of a machine share a local one in memory."""
    pages: NDArray[np.int64] = pa.ipc.open_file(location.open_input()).get_batch(0).column("page").to_numpy()
    return pages


def _is_repeated(
    page: NDArray[np.int64], pages: Mapping[int, NDArray[np.int64]], bucket_count: int
) -> NDArray[np.bool_]:
    repeated = np.zeros(len(page), np.bool_)
    bucket = find_bucket(page, bucket_count)
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
    for batch in choose_rows(ordered.to_batches(max_chunksize=_ROWS), keep, key):
        own_captures = batch.filter(pc.is_null(batch.column("whole")))
        tables.write({name: own_captures.column(name) for name in CAPTURES.names})
        if keep is Keep.ALL:
            other_captures = batch.filter(pc.is_valid(batch.column("whole")))
            for history in list_history([other_captures]):
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
        for links in list_links([named]):
            self._links.write(links)

    def close(self) -> None:
        """End the files that are not Parquet."""
        self._facts.close()


def borrow_content(spark: Any, stages: Stages) -> None:
    """Give revisit records what their originals hold, by a join of Spark, and write captures and links."""
    stages.begin("captures", {"captures": KEPT_CAPTURES, "links": LINKS})
    chosen = spark.read.schema(write_ddl(CAPTURES)).parquet((stages.folder / CHOSEN_TABLE).for_spark)
    captures = join_originals(chosen)
    frames = {
        "captures": captures.select(*KEPT_CAPTURES.names),
        "links": captures.mapInArrow(list_links, write_ddl(LINKS)),
    }
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
