"""On an executor: rows that one task has for others, in a file with a batch for each of these.

A row goes to the task that has its page, by the page's id; whoever has a bucket reads its batches of all files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from graphlang.cluster.files.parts import Parts

_MOST: Final = 64 << 20  # bytes that a task holds before it writes them
_OPTIONS: Final = pa.ipc.IpcWriteOptions(compression="lz4")


class Buckets:
    """A file of a task, which is written little by little: a round of batches, one a bucket, and another round.

    Args:
        parts: of the task.
        table: name of the folder.
        stem: name of the file.
        schema: of the rows.
        many: buckets there are.
    """

    def __init__(self, parts: Parts, table: str, stem: str, schema: pa.Schema, many: int) -> None:
        self._parts, self._table, self._name = parts, table, f"{stem}.arrow"
        self._schema, self._many = schema, many
        self._path: Path = parts.path(table, self._name)
        self._writer: Any = None
        self._waiting: list[pa.RecordBatch] = []
        self._size = self._rows = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows.

        Args:
            batch: with the columns of the schema, ``page`` among them.
        """
        self._waiting.append(batch)
        self._size += batch.nbytes
        if self._size >= _MOST:
            self._flush()

    def close(self) -> None:
        """End the file, and hand it in."""
        self._flush()
        if self._writer is not None:
            self._writer.close()
            self._parts.add(self._table, self._path, self._name, self._rows)

    def _flush(self) -> None:
        rows = sum(batch.num_rows for batch in self._waiting)
        if rows:
            if self._writer is None:
                self._writer = pa.ipc.new_file(self._path, self._schema, options=_OPTIONS)
            waiting = pa.Table.from_batches(self._waiting, self._schema)
            for some in apart(waiting, bucket_of(waiting["page"].to_numpy(), self._many), self._many):
                self._writer.write_batch(_one_batch(some, self._schema))
            self._rows += rows
        self._waiting.clear()
        self._size = 0


def bucket_of(pages: NDArray[np.int64], many: int) -> NDArray[np.int64]:
    """The bucket of each page: ids are digests, so that buckets have about as many each.

    Args:
        pages: ids.
        many: buckets there are.

    >>> bucket_of(np.array([7, -1]), 4).tolist()
    [3, 3]
    """
    return (pages.view(np.uint64) % np.uint64(many)).astype(np.int64)


def apart(rows: pa.Table, bucket: NDArray[np.int64], many: int) -> Iterator[pa.Table]:
    """The rows of each bucket, in their order.

    Args:
        rows: of all.
        bucket: of each row.
        many: buckets there are.
    """
    order = np.argsort(bucket, kind="stable")
    bounds = np.searchsorted(bucket[order], np.arange(many + 1))
    ordered = rows.take(pa.array(order)) if many > 1 else rows
    for number in range(many):
        yield ordered.slice(bounds[number], bounds[number + 1] - bounds[number])


def _one_batch(rows: pa.Table, schema: pa.Schema) -> pa.RecordBatch:
    (batch,) = rows.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=schema)]
    return batch


def in_bucket(files: Sequence[str], number: int, many: int, schema: pa.Schema) -> pa.Table:
    """What all tasks have for a bucket, in the order of the files.

    Args:
        files: of `Buckets`.
        number: of the bucket.
        many: buckets there are.
        schema: of the rows.
    """
    found = []
    for path in files:
        with pa.memory_map(path) as source:
            reader = pa.ipc.open_file(source)
            found += [reader.get_batch(at) for at in range(number, reader.num_record_batches, many)]
    return pa.Table.from_batches([batch for batch in found if batch.num_rows], schema)
