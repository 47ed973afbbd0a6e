"""On an executor: the files that one try of a task writes, under names that no other try has."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from graphlang.cluster.storage import WORK

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

#: Below the folder of a table: what tries have written, until the stage takes in what counts.
UNFINISHED: Final = "_temporary"
_GROUP: Final = 32 << 20  # bytes of a group of rows in a file
_MOST: Final = 1 << 18  # rows of it
_QUICK: Final = "snappy"  # for what is read once, and goes when the job ends
#: Columns whose values come again and again; others have no dictionary, which would be thrown away in the end.
_REPEATED: Final = frozenset(
    {
        *(
            "source",
            "file",
            "status",
            "mime",
            "charset",
            "charset_from",
            "kind",
            "nofollow",
            "hreflang",
            "place",
            "host",
        ),
        *("domain", "suffix", "tld", "language", "script", "runner_up", "method", "run", "fetched", "encoding"),
        *("pending", "label", "runner_up_label", "parts", "main", "captures", "reason", "whole", "number"),
    }
)


class Part(NamedTuple):
    """A file that a try of a task has written."""

    table: str  #: name of the folder
    unfinished: str  #: name of the file below `UNFINISHED`
    name: str  #: that it gets
    rows: int
    size: int  #: bytes


class Parts:
    """The files of one try of a task.

    Args:
        out: the folder of all tables.
        codec: of Parquet, as Spark spells it.
    """

    def __init__(self, out: str, codec: str) -> None:
        self._out, self._codec, self._mark = Path(out), codec, uuid.uuid4().hex
        self._open: dict[tuple[str, str], ParquetPart] = {}
        self.done: list[Part] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for part in self._open.values() if kind is None else ():
            if rows := part.close():
                self._add(part.table, part.path, part.name, rows)

    def parquet(self, table: str, stem: str, schema: pa.Schema) -> ParquetPart:
        """A file of rows, to be written little by little; one without rows is not kept.

        Args:
            table: name of the folder.
            stem: name of the file, which depends on what the task is given alone.
            schema: of the rows.
        """
        key = table, stem
        if key not in self._open:
            name = f"{stem}.parquet"
            codec = _QUICK if table.startswith(f"{WORK}/") else self._codec
            self._open[key] = ParquetPart(table, self._path(table, name), name, schema, codec)
        return self._open[key]

    def path(self, table: str, name: str) -> Path:
        """Where another file is to be written, which `add` is told of.

        Args:
            table: name of the folder.
            name: of the file.
        """
        return self._path(table, name)

    def add(self, table: str, path: Path, name: str, rows: int) -> None:
        """Hand in a file of `path`.

        Args:
            table: name of the folder.
            path: of the file.
            name: that it gets.
            rows: in it.
        """
        self._add(table, path, name, rows)

    def _path(self, table: str, name: str) -> Path:
        return self._out / table / UNFINISHED / f"{self._mark}-{name}"

    def _add(self, table: str, path: Path, name: str, rows: int) -> None:
        self.done.append(Part(table, path.name, name, rows, path.stat().st_size))


class ParquetPart:
    """A file of rows that is written little by little.

    Args:
        table: name of the folder.
        path: of the file.
        name: that it gets in the end.
        schema: of the rows.
        codec: that compresses them.
    """

    def __init__(self, table: str, path: Path, name: str, schema: pa.Schema, codec: str) -> None:
        self.table, self.path, self.name, self._schema, self._codec = table, path, name, schema, codec
        self._writer: Any = None
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._size = self._written = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows.

        Args:
            batch: with the columns of the schema.
        """
        if not batch.num_rows:
            return
        self._waiting.append(batch)
        self._rows += batch.num_rows
        self._size += batch.nbytes
        if self._size >= _GROUP or self._rows >= _MOST:
            self._flush()

    def close(self) -> int:
        """End the file; the number of its rows."""
        self._flush()
        if self._writer is not None:
            self._writer.close()
        return self._written

    def _flush(self) -> None:
        if not self._waiting:
            return
        if self._writer is None:
            self._writer = parquet_writer(self.path, self._schema, self._codec)
        self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema), row_group_size=self._rows)
        self._written += self._rows
        self._waiting.clear()
        self._rows = self._size = 0


def parquet_writer(path: Path, schema: pa.Schema, codec: str) -> Any:
    """What writes a file of Parquet.

    Args:
        path: of the file.
        schema: of its rows.
        codec: as Spark spells it.
    """
    repeated = [field.name for field in schema if field.name in _REPEATED and not pa.types.is_nested(field.type)]
    spelled = {"uncompressed": "none", "lz4raw": "lz4", "lz4_raw": "lz4"}.get(codec.lower(), codec.lower())
    return pq.ParquetWriter(path, schema, compression=spelled, use_dictionary=repeated)
