"""Tables as Parquet, in row groups, so that memory does not grow with the table; needs pyarrow, an extra."""

from __future__ import annotations

from importlib import import_module
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, Final

from graphlang.export.tables import kinds

if TYPE_CHECKING:
    from graphlang.export.tables import Table

_GROUP: Final = 50_000  # rows


class MissingExtraError(RuntimeError):
    """A library is not installed that only some users need; the words say how to install it."""


def _pyarrow() -> Any:
    try:
        import_module("pyarrow.parquet")
    except ImportError as error:
        raise MissingExtraError("Parquet needs pyarrow: pip install 'graphlang[parquet]'") from error
    return import_module("pyarrow")


def write_parquet(table: Table, file: IO[bytes]) -> int:
    """Write a table; returns the number of rows.

    Columns are int64, double or string, as `graphlang.export.tables` says by their names; missing values are null.

    Args:
        table: is read to its end.
        file: is left open.

    Raises:
        MissingExtraError: pyarrow is not installed.
    """
    arrow = _pyarrow()
    types = {"int": arrow.int64(), "double": arrow.float64(), "string": arrow.string()}
    schema = arrow.schema([(name, types[kind]) for name, kind in kinds(table.columns).items()])
    rows = iter(table.rows)
    written = 0
    group = _GROUP if "text" not in table.columns and "main" not in table.columns else _GROUP // 20
    with arrow.parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := list(islice(rows, group)):
            columns = [
                arrow.array(values, type=field.type)
                for values, field in zip(zip(*batch, strict=True), schema, strict=True)
            ]
            writer.write_table(arrow.Table.from_arrays(columns, schema=schema))
            written += len(batch)
    return written
