"""One capture for each page, as the database chooses it; revisit records get what their originals hold."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from graphlang.cluster.choosing.choose import choose
from graphlang.cluster.choosing.history import history_of
from graphlang.cluster.storage import written
from graphlang.cluster.tables import CAPTURES, CHOSEN, HISTORY, RECORDS, ddl
from graphlang.db.write.choose_capture import Keep

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

#: So many pages with several captures are sent to all executors, so that the others need not be sorted.
_FEW: Final = 2_000_000
#: Columns that a revisit takes from its original (`graphlang.db.write.captures`).
_LENT: Final = (
    *("charset", "charset_from", "length", "title", "text", "main", "declared", "visible"),
    *("link_urls", "link_ids", "link_kinds", "hreflangs"),
)
_EMPTY: Final = (
    "revisit_of IS NOT NULL AND size = 0 AND (status IS NULL OR status NOT BETWEEN 300 AND 399 OR status = 304)"
)
_FULL: Final = "(revisit_of IS NULL OR size > 0)"
_NAMED: Final = (
    "(w_digest <> '' AND digest = w_digest) OR (w_date <> '' AND date = w_date) OR (w_date = '' AND w_digest = '')"
)


def captures_of(records: Any, keep: Keep, work: str) -> tuple[Any, Any]:
    """The capture that is each page's own, and with ``all`` the others.

    Args:
        records: of `graphlang.cluster.frames.records_of`, written down.
        keep: which of several captures is the page's own.
        work: a folder for the captures of pages with several.

    Returns:
        A DataFrame of `graphlang.cluster.tables.CAPTURES`; and one of `graphlang.cluster.tables.HISTORY`, or None where
        others are not kept.
    """
    read = records.where("kind IS NULL")
    columns = [field.name for field in CAPTURES if field.name not in {"captures", "original"}]
    alone = (*columns, "1L AS captures", "CAST(NULL AS bigint) AS original")
    several = read.groupBy("page").count().where("count > 1").select("page").persist()
    count = several.count()
    few = several.hint("broadcast") if count <= _FEW else several
    repeated = read.join(few, "page", "left_semi").select(RECORDS.names).repartition("page")
    ordered = repeated.sortWithinPartitions("page", "source", "begin", "place")
    chosen = ordered.mapInArrow(partial(_chosen, keep), ddl(CHOSEN))
    others = None
    if keep is Keep.ALL:
        chosen = written(records.sparkSession, work, chosen)
        others = chosen.where("whole IS NOT NULL").mapInArrow(history_of, ddl(HISTORY))
    if not count:
        return read.selectExpr(*alone), others
    single = read.join(few, "page", "left_anti").selectExpr(*alone)
    return single.unionByName(chosen.where("whole IS NULL").select(CAPTURES.names)), others


def _chosen(keep: Keep, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return choose(batches, keep)


def with_originals(captures: Any) -> Any:
    """Give captures of revisit records what their originals hold.

    The original is the capture that the record names, else one with its digest.

    Args:
        captures: of `captures_of`.

    Returns:
        The same rows; those that were given something name the page that it comes from in ``original``.
    """
    wanted = captures.where(_EMPTY).selectExpr(
        "page AS revisit", "revisit_page", "revisit_date AS w_date", "digest AS w_digest"
    )
    if wanted.isEmpty():
        return captures
    full = captures.where(_FULL).select("page", "source", "offset", "date", "digest", "size")
    by_name = wanted.join(full, wanted.revisit_page == full.page).where(f"page <> revisit AND ({_NAMED})")
    by_digest = wanted.join(full.where("size > 0 AND digest <> ''"), wanted.w_digest == full.digest)
    candidates = by_name.selectExpr("revisit", "page AS original", "0 AS rank", "source", "offset").unionByName(
        by_digest.selectExpr("revisit", "page AS original", "1 AS rank", "source", "offset")
    )
    first = candidates.selectExpr("revisit", "struct(rank, source, offset, original) AS one").groupBy("revisit")
    pairs = first.agg({"one": "min"}).selectExpr("revisit", "`min(one)`.original AS lender").persist()
    lenders = captures.join(pairs.selectExpr("lender AS page").distinct(), "page", "left_semi")
    lent = lenders.selectExpr("page AS lender", *(f"{name} AS lent_{name}" for name in _LENT))
    joined = captures.drop("original").join(
        pairs.join(lent, "lender").withColumnRenamed("revisit", "page"), "page", "left"
    )
    columns = [
        f"IF(lender IS NULL, {name}, lent_{name}) AS {name}" if name in _LENT else name
        for name in captures.columns
        if name != "original"
    ]
    return joined.selectExpr(*columns, "lender AS original").select(captures.columns)
