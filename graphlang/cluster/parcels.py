"""Parcels: what partitions store and send each other, as rows of bytes that name a partition.

The same object gives the same bytes on every machine: a JSON document that names the classes and fields, followed by
the arrays. Nothing is executed when they are read: only the classes of `KINDS` are made.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import pyarrow as pa

from graphlang.graph.data import Evidence, FixedBeliefs, Graph, Signal
from graphlang.graph.partitioned.borders import Ghosts, Local, PlaceLabels
from graphlang.graph.partitioned.learning import Observed, PartitionParameters, Rate, Survey
from graphlang.graph.partitioned.list_counts import Counts, Places
from graphlang.graph.partitioned.partition import Cut, Partition
from graphlang.graph.partitioned.records import PageRecords
from graphlang.graph.partitioned.supersteps import Moves, Prepared, Ready
from graphlang.graph.propagation.compatibility import CompatibilityModel, EdgeCompatibility
from graphlang.graph.propagation.edge_features import Degrees
from graphlang.graph.propagation.learned import Elsewhere, PlaceCounts
from graphlang.graph.propagation.learned import Learned as Model
from graphlang.graph.propagation.likelihoods import Reliability
from graphlang.graph.propagation.link_regressions import Regression
from graphlang.graph.propagation.message_weights import MessageWeights
from graphlang.graph.propagation.potentials import ClampedBeliefs, NodePotentials, UrlEvidence
from graphlang.graph.propagation.rounds import Motion
from graphlang.graph.propagation.site_prior import Prior

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: What can be stored, by the name that it has in the bytes.
KINDS: Final[dict[str, type[Any]]] = {
    "partition": Partition, "signal": Signal, "ghosts": Ghosts, "labels": PlaceLabels, "records": PageRecords,
    "cut": Cut, "survey": Survey, "observed": Observed, "rate": Rate, "places": Places, "counts": Counts,
    "learned": PartitionParameters, "model": Model, "reliability": Reliability, "compatibility": CompatibilityModel,
    "regression": Regression, "graph": Graph, "evidence": Evidence, "degrees": Degrees, "place counts": PlaceCounts,
    "elsewhere": Elsewhere, "beliefs": FixedBeliefs, "local": Local, "ready": Ready,
    "prepared": Prepared, "potentials": NodePotentials, "clamped": ClampedBeliefs, "urls": UrlEvidence,
    "prior": Prior, "edges": EdgeCompatibility, "weights": MessageWeights, "motion": Motion, "moves": Moves,
}  # fmt: skip
_NAMES: Final = {kind: name for name, kind in KINDS.items()}
_SIZE: Final = 8  # bytes that say how long the document is
Stored = TypeVar("Stored")


def to_bytes(value: Any) -> bytes:
    """Encode an object of one of `KINDS`."""
    arrays: list[bytes] = []
    document = json.dumps(_to_json(value, arrays), separators=(",", ":")).encode()
    return b"".join([len(document).to_bytes(_SIZE, "little"), document, *arrays])


def decode(data: bytes, kind: type[Stored]) -> Stored:
    """Decode an object of the expected kind."""
    size = int.from_bytes(data[:_SIZE], "little")
    try:
        document = json.loads(data[_SIZE : _SIZE + size])
        value, end = _read(document, data, _SIZE + size)
    except (KeyError, TypeError, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"{len(data)} bytes hold no {_NAMES[kind]}: {error!r}") from error
    if not isinstance(value, kind):
        raise ValueError(f"the bytes hold a {type(value).__name__}, expected a {kind.__name__}")  # noqa: TRY004
    if end != len(data):
        raise ValueError(f"{len(data) - end} bytes more than the {kind.__name__} has")
    return value


def _to_json(value: Any, arrays: list[bytes]) -> Any:
    if isinstance(value, np.ndarray):
        arrays.append(np.ascontiguousarray(value).tobytes())
        return {"array": value.dtype.descr if value.dtype.names else value.dtype.str, "shape": value.shape}
    if is_dataclass(value) and type(value) in _NAMES:
        named = {field.name: _to_json(getattr(value, field.name), arrays) for field in fields(value)}
        return {"kind": _NAMES[type(value)], "fields": named}
    if isinstance(value, dict):
        pairs = [[name, _to_json(item, arrays)] for name, item in value.items()]  # their order is that of sums
        return {"pairs": pairs}
    if isinstance(value, tuple):
        return {"tuple": [_to_json(item, arrays) for item in value]}
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be stored")


def _read(document: Any, data: bytes, at: int) -> tuple[Any, int]:
    """Return a value, and where its arrays end."""
    if not isinstance(document, dict):
        return document, at
    if "array" in document:
        described = document["array"]
        kind = np.dtype(described if isinstance(described, str) else [_restore_field(item) for item in described])
        if kind.hasobject:
            raise ValueError(f"an array of {kind} is no array of numbers")
        shape = tuple(int(length) for length in document["shape"])
        count = int(np.prod(shape, dtype=np.int64))
        value = np.frombuffer(data, kind, count, at) if count else np.zeros(0, kind)
        # An array that begins at an odd address is copied: kernels take none.
        return np.require(value, requirements="A").reshape(shape), at + count * kind.itemsize
    if "pairs" in document:
        pairs = {}
        for name, item in document["pairs"]:
            pairs[name], at = _read(item, data, at)
        return pairs, at
    if "tuple" in document:
        values = []
        for item in document["tuple"]:
            value, at = _read(item, data, at)
            values.append(value)
        return tuple(values), at
    named = {}
    for name, item in document["fields"].items():
        named[name], at = _read(item, data, at)
    return KINDS[document["kind"]](**named), at


def _restore_field(field_type: list[Any]) -> tuple[Any, ...]:
    """Return a field as numpy takes it: JSON has no tuples."""
    return tuple(tuple(item) if isinstance(item, list) else item for item in field_type)


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


def make_parcel(partition: int, sender: int, content: Any) -> list[dict[str, Any]]:
    """Return the rows of an object that a partition sends or stores (`graphlang.cluster.parcels`).

    >>> open_parcels(make_table([*make_parcel(3, 4, {"pages": 2}), *make_parcel(3, 5, "x")]))
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


def make_table(rows: list[dict[str, Any]]) -> pa.Table:
    """Return rows as Spark takes them."""
    return pa.Table.from_pylist(rows, schema=PARCELS)


def open_parcels(*tables: Any) -> dict[int, Any]:
    """Return the objects for one partition by sender, ascending; rows may come in any order."""
    pieces: dict[int, list[tuple[int, bytes]]] = {}
    for rows in tables:
        for sender, number, data in _read_columns(rows):
            pieces.setdefault(sender, []).append((number, data))
    return {sender: decode(b"".join(data for _, data in sorted(pieces[sender])), object) for sender in sorted(pieces)}


def _read_columns(rows: pa.Table) -> Iterable[tuple[int, int, bytes]]:
    return zip(*(rows.column(name).to_pylist() for name in ("sender", "number", "data")), strict=True)
