"""Parcels: what partitions store and send each other, as rows of bytes that name a partition."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from graphlang.graph.partitioned.stored import decode, to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: ``sender`` is a partition, or a number for what a partition keeps for itself.
PARCELS: Final = pa.schema(
    [("partition", pa.int32()), ("sender", pa.int32()), ("number", pa.int32()), ("data", pa.binary())]
)
PARTITION, BESIDE, GHOSTS, ORDERED, SURVEY, OBSERVED, COUNTS = -1, -2, -3, -4, -5, -6, -7
READY, PREPARED, ROUTES, FACTS, STATE, MOVED, MOTION = -8, -9, -10, -11, -12, -13, -14
LINKS: Final = 1 << 24  #: added to the sender of links between a partition's ghosts
ASKED: Final = 1 << 25  #: added to the sender of a question for them
#: How Parquet writes them: it looks at how much it holds after each row, where it usually waits for a hundred.
WRITTEN: Final = {
    "parquet.page.row.count.limit": "1",
    "parquet.block.size": str(32 << 20),
    "parquet.page.size.row.check.min": "1",
    "parquet.page.size.row.check.max": "1",
}
_AT_ONCE: Final = "spark.sql.parquet.enableVectorizedReader"
_LARGEST: Final = 8 << 20  # bytes of a row: Java holds several of them at once


def parcel(partition: int, sender: int, content: Any) -> list[dict[str, Any]]:
    """Return the rows of an object that a partition sends or stores (`graphlang.graph.partitioned.stored`).

    >>> open_parcels(table([*parcel(3, 4, {"pages": 2}), *parcel(3, 5, "x")]))
    {4: {'pages': 2}, 5: 'x'}
    """
    data = to_bytes(content)
    return [
        {"partition": partition, "sender": sender, "number": number, "data": data[at : at + _LARGEST]}
        for number, at in enumerate(range(0, len(data), _LARGEST))
    ]


@contextmanager
def small_batches(spark: Any) -> Iterator[None]:
    """Let Spark read parcels from Parquet one by one.

    Else it reads 4,096 rows at once, and lays their bytes side by side in the memory of Java.
    """
    before = spark.conf.get(_AT_ONCE)
    spark.conf.set(_AT_ONCE, "false")
    try:
        yield
    finally:
        spark.conf.set(_AT_ONCE, before)


def table(rows: list[dict[str, Any]]) -> pa.Table:
    """Return rows as Spark takes them."""
    return pa.Table.from_pylist(rows, schema=PARCELS)


def open_parcels(*tables: Any) -> dict[int, Any]:
    """Return the objects for one partition by sender, ascending; rows may come in any order."""
    pieces: dict[int, list[tuple[int, bytes]]] = {}
    for rows in tables:
        for sender, number, data in _columns(rows):
            pieces.setdefault(sender, []).append((number, data))
    return {sender: decode(b"".join(data for _, data in sorted(pieces[sender])), object) for sender in sorted(pieces)}


def _columns(rows: pa.Table) -> Iterable[tuple[int, int, bytes]]:
    return zip(*(rows.column(name).to_pylist() for name in ("sender", "number", "data")), strict=True)
