"""Reading: archives -> captures and problems in files, and the URLs that they name, in buckets."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from graphlang.cluster.files.buckets import Buckets
from graphlang.cluster.reading.archives import pieces
from graphlang.cluster.reading.misread import misread_of
from graphlang.cluster.reading.page_ids import NewUrls
from graphlang.cluster.reading.pieces import read_pieces
from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import PROBLEMS, RANGE, RECORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphlang.cluster.files.parts import Parts
    from graphlang.cluster.files.stage import Stages
    from graphlang.cluster.reading.archives import Archive, Piece
    from graphlang.ingest import Limits

RECORDS_TABLE: Final = f"{WORK}/records"
URLS_TABLE: Final = f"{WORK}/urls"
#: A URL that is named, by a capture or a link; or how many captures a page has, without the URL.
NAMED: Final = pa.schema([("page", pa.int64()), ("url", pa.string()), ("captures", pa.int32())])
_RANGE_COLUMNS: Final = ["source", "begin", "found", "ended", "stop"]
_MANY: Final = 1 << 15  # URLs that wait before they are written


class _Read(NamedTuple):
    """What is known of the pieces of one file of captures."""

    ranges: list[dict[str, Any]]  #: byte ranges
    stem: str  #: of the file
    lends: int  #: revisit records that may be given what another capture holds

    def archives(self) -> set[int]:
        """The archives that they are of."""
        return {one["source"] for one in self.ranges}


def read(stages: Stages, archives: Sequence[Archive], limits: Limits, cores: int, many: int) -> None:
    """Read archives.

    Args:
        stages: of the job.
        archives: local ones.
        limits: bounds of a record.
        cores: that read at the same time.
        many: buckets of pages.
    """
    tables = {RECORDS_TABLE: RECORDS, "problems": PROBLEMS, URLS_TABLE: None}
    stages.begin("read", tables)
    tasks = enumerate(pieces(archives, cores))
    found = stages.each([(f"part-{number:05d}", one) for number, one in tasks], partial(_read, limits, many))
    # Where a byte range begins is first a guess. An archive where one was wrong is read again, as a whole.
    ranges = [one for said, _ in found for read in said for one in read.ranges]
    again = set(misread_of(sorted(ranges, key=lambda one: (one["source"], one["begin"]))))
    wrong = enumerate(pieces([archive for archive in archives if archive.number in again], 0))
    anew = stages.each([(f"whole-{number:05d}", one) for number, one in wrong], partial(_read, limits, many))
    kept = [(one, files) for said, files in found for one in said if not again & one.archives()]
    kept += [(one, files) for said, files in anew for one in said]
    parts = [file for one, files in kept for file in files if file.name.startswith(f"{one.stem}.")]
    lends = sum(one.lends for one, _ in kept)
    stages.end("read", tables, parts, {"buckets": many, "lends": lends})


def _read(limits: Limits, many: int, group: tuple[str, Sequence[Piece]], parts: Parts) -> list[_Read]:
    """Read the pieces of a task; those of an archive that is cut have files of their own: it may be read again."""
    stem, listed = group
    cut = lambda piece: -1 if piece.first and piece.stop is None else piece.archive.number  # noqa: E731
    return [
        _read_some(limits, many, f"{stem}-{number}", list(some), parts)
        for number, (_, some) in enumerate(groupby(listed, cut))
    ]


def _read_some(limits: Limits, many: int, stem: str, listed: Sequence[Piece], parts: Parts) -> _Read:
    records = parts.parquet(RECORDS_TABLE, stem, RECORDS)
    problems = parts.parquet("problems", stem, PROBLEMS)
    urls = Buckets(parts, URLS_TABLE, stem, NAMED, many)
    found, new, captures = _Read([], stem, 0), NewUrls(), Counter[int]()
    lends = 0
    for batch in read_pieces(listed, limits, new):
        kind = batch.column("kind")
        if kind.null_count < batch.num_rows:
            found.ranges.extend(batch.filter(pc.equal(kind, RANGE)).select(_RANGE_COLUMNS).to_pylist())
            problems.write(batch.filter(pc.not_equal(kind, RANGE)).select(PROBLEMS.names))
            batch = batch.filter(pc.is_null(kind))  # noqa: PLW2901
        records.write(batch)
        captures.update(batch.column("page").to_pylist())
        lends += _lends(batch)
        if len(new.ids) > _MANY:
            urls.write(_named(new))
    urls.write(_named(new))
    counted = [pa.array(list(captures), pa.int64()), pa.nulls(len(captures), pa.string())]
    urls.write(pa.RecordBatch.from_arrays([*counted, pa.array(list(captures.values()), pa.int32())], schema=NAMED))
    urls.close()
    return found._replace(lends=lends)


def _named(new: NewUrls) -> pa.RecordBatch:
    written = pa.array(new.urls, pa.binary()).cast(pa.string())
    columns = [pa.array(new.ids, pa.int64()), written, pa.nulls(len(written), pa.int32())]
    new.ids.clear()
    new.urls.clear()
    return pa.RecordBatch.from_arrays(columns, schema=NAMED)


def _lends(batch: pa.RecordBatch) -> int:
    """How many captures say only that their content is that of another."""
    if batch.column("revisit_of").null_count == batch.num_rows:
        return 0
    status = batch.column("status")
    moved = pc.and_(pc.and_(pc.greater_equal(status, 300), pc.less(status, 400)), pc.not_equal(status, 304))
    empty = pc.and_(pc.is_valid(batch.column("revisit_of")), pc.equal(batch.column("size"), 0))
    return int(pc.sum(pc.and_(empty, pc.invert(moved.fill_null(False)))).as_py() or 0)  # noqa: FBT003 - the value
