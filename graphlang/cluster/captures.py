"""One capture for each page, as the database chooses it; revisit records get what their originals hold."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from graphlang.cluster.choose import choose
from graphlang.cluster.tables import CAPTURES, RECORDS, ddl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from graphlang.db.write.choose_capture import Keep

#: So many pages with several captures are sent to all executors, so that the others need not be sorted.
_FEW: Final = 2_000_000
#: Columns that a revisit takes from its original (`graphlang.db.write.revisits`).
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


def captures_of(records: Any, keep: Keep) -> Any:
    """The capture that is each page's own: a DataFrame of `graphlang.cluster.tables.CAPTURES`.

    Args:
        records: of `graphlang.cluster.frames.records_of`, written down.
        keep: which of several captures is the page's own; ``all`` is as ``best``, others are not kept here.
    """
    read = records.where("kind IS NULL")
    columns = [field.name for field in CAPTURES if field.name not in {"captures", "original"}]
    several = read.groupBy("page").count().where("count > 1").select("page").persist()
    count = several.count()
    if not count:
        return read.selectExpr(*columns, "1L AS captures", "CAST(NULL AS bigint) AS original")
    few = several.hint("broadcast") if count <= _FEW else several
    single = read.join(few, "page", "left_anti")
    single = single.selectExpr(*columns, "1L AS captures", "CAST(NULL AS bigint) AS original")
    repeated = read.join(few, "page", "left_semi").select(RECORDS.names).repartition("page")
    ordered = repeated.sortWithinPartitions("page", "source", "begin", "place")
    return single.unionByName(ordered.mapInArrow(partial(_chosen, keep), ddl(CAPTURES)))


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
