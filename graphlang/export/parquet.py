"""Tables as Parquet, in row groups, so that memory does not grow with the table; needs pyarrow, an extra."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Final

import numpy as np

from graphlang.export.tables import kinds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphlang.export.tables import Table

#: Rows or bytes of a row group: readers prefer large ones, and one is in memory.
_GROUP_ROWS: Final = 50_000
_GROUP_BYTES: Final = 4 << 20
#: Rows that are Python objects at a time, which take many times the memory of their columns.
_ROWS: Final = 1_000
#: Columns with commas between values of this type.
_LISTS: Final = {"languages": "string", "shares": "double"}
#: Columns of long, mostly distinct values.
_ONCE: Final = ("main", "text")
_BLOCK_BYTES: Final = 1 << 18  #: and fewer where they have more bytes than these


class MissingExtraError(RuntimeError):
    """A package that only some users need is not installed; the message has the command that installs it."""


def _pyarrow() -> Any:
    try:
        import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtraError("Parquet needs pyarrow: pip install 'graphlang[parquet]'") from error
    return import_module("pyarrow")


def write_parquet(table: Table, file: IO[bytes]) -> int:
    """Write a table; return the number of rows.

    Columns are int64, double or string, as `graphlang.export.tables` defines by their names, or lists of these
    (`_LISTS`); missing values are null.
    """
    arrow = _pyarrow()
    types = {"int": arrow.int64(), "double": arrow.float64(), "string": arrow.string()}
    named = [(name, types[_LISTS.get(name, kind)]) for name, kind in kinds(table.columns).items()]
    schema = arrow.schema([(name, arrow.list_(kind) if name in _LISTS else kind) for name, kind in named])
    written = 0
    repeated = [name for name in table.columns if name not in _ONCE]
    with arrow.parquet.ParquetWriter(
        file, schema, compression="zstd", use_dictionary=repeated, write_statistics=repeated
    ) as writer:
        for group in _groups(arrow, table, schema):
            writer.write_table(group)
            written += group.num_rows
    return written


def _groups(arrow: Any, table: Table, schema: Any) -> Iterator[Any]:
    """Split the table into row groups, each a table of Arrow."""
    rows, count = iter(table.rows), 1
    batches: list[Any] = []
    held = size = 0
    while block := list(islice(rows, count)):
        pairs = zip(zip(*block, strict=True), schema, strict=True)
        batches.append(arrow.record_batch([_column(arrow, values, field.type) for values, field in pairs], schema))
        held, size = held + len(block), size + batches[-1].nbytes
        count = min(_ROWS, 2 * count, max(1, _BLOCK_BYTES * len(block) // batches[-1].nbytes))
        del block, pairs
        if held + count > _GROUP_ROWS or size >= _GROUP_BYTES:
            yield arrow.Table.from_batches(batches, schema)
            batches.clear()
            held = size = 0
    if batches:
        yield arrow.Table.from_batches(batches, schema)


def _column(arrow: Any, values: Sequence[Any], kind: Any) -> Any:
    """Make a column of Arrow from its buffers: ``pyarrow.array`` would load pandas, with 50 MB."""
    if arrow.types.is_list(kind):
        parts = [value.split(",") if value else [] for value in values]
        ends = np.concatenate(([0], np.cumsum(list(map(len, parts))))).astype(np.int32)
        flat = [part if kind.value_type == arrow.string() else float(part) for row in parts for part in row]
        return arrow.ListArray.from_arrays(
            arrow.Array.from_buffers(arrow.int32(), len(ends), [None, arrow.py_buffer(ends)]),
            _column(arrow, flat, kind.value_type),
        )
    valid = None
    if None in values:
        valid = arrow.py_buffer(np.packbits([value is not None for value in values], bitorder="little"))
    if kind != arrow.string():
        numbers = np.array([value or 0 for value in values], dtype=np.int64 if kind == arrow.int64() else np.float64)
        return arrow.Array.from_buffers(kind, len(values), [valid, arrow.py_buffer(numbers)])
    text = "".join(filter(None, values))
    if text.isascii():
        data, lengths = text.encode(), [len(value or "") for value in values]
    else:
        parts = [(value or "").encode("utf-8", "replace") for value in values]
        data, lengths = b"".join(parts), list(map(len, parts))
    ends = np.zeros(len(values) + 1, dtype=np.int32)
    np.cumsum(lengths, out=ends[1:])
    return arrow.Array.from_buffers(kind, len(values), [valid, arrow.py_buffer(ends), arrow.py_buffer(data)])
