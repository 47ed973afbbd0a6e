"""Run stages on the driver, whose tasks write files on executors; take only the files of tasks that ended.

A task may be tried several times, after an executor died, or on two at once. Each try writes its own files below
``_temporary``, under names that no other try has; Spark returns the names of one try of each task. These files get
their names in the end, and all others are deleted with the folder. The result of a stage is a file that is written
last: with it the stage is done.

Tables are Parquet. Rows for other tasks go to a file of Arrow with a batch for each bucket of pages: a task that works
on a bucket reads its batches from the files of all tasks. The bucket of a page is a function of its id.
"""

from __future__ import annotations

import gc
import json
import pickle
import sys
import uuid
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from graphlang.cluster.storage import WORK, Location

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType, TracebackType
    from typing import Self

    from numpy.typing import NDArray

UNFINISHED: Final = "_temporary"  #: below the folder of a table: files of tries, until the stage takes in what counts
_GROUP_BYTES: Final = 32 << 20  # of a group of rows in a file of Parquet
_GROUP_ROWS: Final = 1 << 18
_BUCKET_BYTES: Final = 64 << 20  # that a task holds before it writes them
_QUICK: Final = "snappy"  # for what is read once, and goes when the job ends
_IPC: Final = pa.ipc.IpcWriteOptions(compression="lz4")
#: Columns whose values repeat; others have no dictionary, which Parquet would drop in the end.
_REPEATED: Final = frozenset(
    {
        *("source", "file", "status", "mime", "charset", "charset_from", "kind", "nofollow", "hreflang", "place"),
        *("host", "domain", "suffix", "tld", "language", "script", "runner_up", "method", "run", "fetched"),
        *("encoding", "pending", "label", "runner_up_label", "parts", "main", "captures", "reason", "whole"),
        "number",
    }
)


class TaskFile(NamedTuple):
    """A file that a try of a task has written."""

    table: str  #: name of the folder
    unfinished: str  #: name of the file below `UNFINISHED`
    name: str  #: that it gets
    rows: int
    size: int  #: bytes


class TaskOutput:
    """The files of one try of a task."""

    def __init__(self, folder: Location, codec: str) -> None:
        self._folder, self._codec, self._mark = folder, codec, uuid.uuid4().hex
        self._open: dict[tuple[str, str], RowFile] = {}
        self.files: list[TaskFile] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for file in self._open.values() if kind is None else ():
            if rows := file.close():
                self.add(file.table, file.location, file.name, rows)

    def rows(self, table: str, stem: str, schema: pa.Schema) -> RowFile:
        """Return a file of Parquet to write rows to; one without rows is not kept.

        The stem depends on the task's input alone, so that each try writes files of the same names.
        """
        key = table, stem
        if key not in self._open:
            name = f"{stem}.parquet"
            codec = _QUICK if table.startswith(f"{WORK}/") else self._codec
            self._open[key] = RowFile(table, self.location(table, name), name, schema, codec)
        return self._open[key]

    def location(self, table: str, name: str) -> Location:
        """Return where to write another file, which `add` hands in."""
        return self._folder / table / UNFINISHED / f"{self._mark}-{name}"

    def add(self, table: str, location: Location, name: str, rows: int) -> None:
        """Hand in a file of `location`."""
        self.files.append(TaskFile(table, location.name, name, rows, location.size()))


class RowFile:
    """A file of Parquet that is written in groups of rows."""

    def __init__(self, table: str, location: Location, name: str, schema: pa.Schema, codec: str) -> None:
        self.table, self.location, self.name, self._schema, self._codec = table, location, name, schema, codec
        self._writer: Any = None
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_rows = self._waiting_bytes = self._written = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows with the columns of the schema."""
        if not batch.num_rows:
            return
        self._waiting.append(batch)
        self._waiting_rows += batch.num_rows
        self._waiting_bytes += batch.nbytes
        if self._waiting_bytes >= _GROUP_BYTES or self._waiting_rows >= _GROUP_ROWS:
            self._flush()

    def close(self) -> int:
        """End the file, and return the number of its rows."""
        self._flush()
        if self._writer is not None:
            self._writer.close()
        return self._written

    def _flush(self) -> None:
        if not self._waiting:
            return
        if self._writer is None:
            self._writer = ParquetWriter(self.location, self._schema, self._codec)
        self._writer.write(pa.Table.from_batches(self._waiting, self._schema))
        self._written += self._waiting_rows
        self._waiting.clear()
        self._waiting_rows = self._waiting_bytes = 0


class ParquetWriter:
    """Writes one file of Parquet; the codec is spelled as Spark spells it."""

    def __init__(self, location: Location, schema: pa.Schema, codec: str) -> None:
        repeated = [field.name for field in schema if field.name in _REPEATED and not pa.types.is_nested(field.type)]
        spelled = {"uncompressed": "none", "lz4raw": "lz4", "lz4_raw": "lz4"}.get(codec.lower(), codec.lower())
        self._file = location.open_output()
        self._writer = pq.ParquetWriter(self._file, schema, compression=spelled, use_dictionary=repeated)

    def write(self, table: pa.Table) -> None:
        """Write a group of rows."""
        self._writer.write_table(table, row_group_size=max(table.num_rows, 1))

    def close(self) -> None:
        """End the file."""
        self._writer.close()
        self._file.close()


class BucketFile:
    """A file of Arrow that is written in rounds of batches, one for each bucket."""

    def __init__(self, output: TaskOutput, table: str, stem: str, schema: pa.Schema, bucket_count: int) -> None:
        self._output, self._table, self._name = output, table, f"{stem}.arrow"
        self._schema, self._bucket_count = schema, bucket_count
        self._location = output.location(table, self._name)
        self._file: Any = None
        self._writer: Any = None
        self._waiting: list[pa.RecordBatch] = []
        self._waiting_bytes = self._rows = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Add rows with the columns of the schema, ``page`` among them."""
        self._waiting.append(batch)
        self._waiting_bytes += batch.nbytes
        if self._waiting_bytes >= _BUCKET_BYTES:
            self._flush()

    def close(self) -> None:
        """End the file, and hand it in."""
        self._flush()
        if self._writer is not None:
            self._writer.close()
            self._file.close()
            self._output.add(self._table, self._location, self._name, self._rows)

    def _flush(self) -> None:
        rows = sum(batch.num_rows for batch in self._waiting)
        if rows:
            if self._writer is None:
                self._file = self._location.open_output()
                self._writer = pa.ipc.new_file(self._file, self._schema, options=_IPC)
            waiting = pa.Table.from_batches(self._waiting, self._schema)
            for bucket in _split_by_bucket(
                waiting, find_bucket(waiting["page"].to_numpy(), self._bucket_count), self._bucket_count
            ):
                self._writer.write_batch(_combine_batches(bucket, self._schema))
            self._rows += rows
        self._waiting.clear()
        self._waiting_bytes = 0


def find_bucket(pages: NDArray[np.int64], bucket_count: int) -> NDArray[np.int64]:
    """Return the bucket of each page; ids are digests, so buckets have about equal numbers of pages.

    >>> find_bucket(np.array([7, -1]), 4).tolist()
    [3, 3]
    """
    return (pages.view(np.uint64) % np.uint64(bucket_count)).astype(np.int64)


def _split_by_bucket(rows: pa.Table, bucket: NDArray[np.int64], bucket_count: int) -> Iterator[pa.Table]:
    order = np.argsort(bucket, kind="stable")
    bounds = np.searchsorted(bucket[order], np.arange(bucket_count + 1))
    ordered = rows.take(pa.array(order)) if bucket_count > 1 else rows
    for number in range(bucket_count):
        yield ordered.slice(bounds[number], bounds[number + 1] - bounds[number])


def _combine_batches(rows: pa.Table, schema: pa.Schema) -> pa.RecordBatch:
    (batch,) = rows.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=schema)]
    return batch


def read_bucket(files: Sequence[Location], number: int, bucket_count: int, schema: pa.Schema) -> pa.Table:
    """Return the rows that all tasks have for a bucket, in the order of the files of `BucketFile`."""
    batches = []
    for location in files:
        with location.open_input() as source:
            reader = pa.ipc.open_file(source)
            batches += [reader.get_batch(at) for at in range(number, reader.num_record_batches, bucket_count)]
    return pa.Table.from_batches([batch for batch in batches if batch.num_rows], schema)


def read_batches(location: Location, columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
    """Yield some columns of a Parquet file in batches of at most `rows` rows."""
    with location.open_input() as source, pq.ParquetFile(source) as file:
        yield from file.iter_batches(rows, columns=list(columns), use_threads=False)


_DONE: Final = "_SUCCESS"  # as Spark calls it
_RARE_COLLECTION: Final = (20_000, 50, 50)  # as where one machine reads: only errors leave garbage in cycles


class Stages:
    """The stages of a job, and the tables that they make in a folder that every executor sees.

    ``progress`` is called with the name of each stage that begins.
    """

    def __init__(self, spark: Any, folder: Location, progress: Callable[[str], None]) -> None:
        self._spark, self.folder, self._progress = spark, folder, progress
        self._codec = str(spark.conf.get("spark.sql.parquet.compression.codec"))
        self.bytes_passed_on = 0  #: that tasks wrote for other tasks

    def result(self, name: str) -> dict[str, Any] | None:
        """Return the result of a stage; None if it is not done."""
        location = self._result_file(name)
        return json.loads(location.read()) if location.exists() else None

    def has(self, table: str) -> bool:
        """True if a table is complete."""
        return (self.folder / table / _DONE).exists()

    def forget(self, name: str) -> None:
        """Do a stage again when the job comes to it."""
        self._result_file(name).delete()

    def begin(self, name: str, tables: Iterable[str]) -> None:
        """Begin a stage: delete the tables that an earlier try left unfinished."""
        self._progress(name)
        for table in tables:
            (self.folder / table).delete()
            (self.folder / table / UNFINISHED).make()

    def run(self, groups: Sequence[Any], work: Callable[[Any, TaskOutput], Any]) -> list[tuple[Any, list[TaskFile]]]:
        """Run a task for each group; return what ``work`` returned, and the files that it wrote."""
        return run_tasks(self._spark, groups, partial(_run_attempt, self.folder, self._codec, work))

    def take(self, files: Iterable[TaskFile]) -> list[TaskFile]:
        """Give the files of tasks that ended their names."""
        task_files = list(files)
        for file in task_files:
            table = self.folder / file.table
            (table / UNFINISHED / file.unfinished).move(table / file.name)
            self.bytes_passed_on += file.size if file.name.endswith(".arrow") else 0
        return task_files

    def end(self, name: str, tables: Mapping[str, pa.Schema | None], files: Iterable[TaskFile], result: Any) -> None:
        """Take in files, and write the result of the stage; a table with a schema gets at least one file."""
        rows = dict.fromkeys(tables, 0)
        for file in self.take(files):
            rows[file.table] += file.rows
        for table, schema in tables.items():
            if schema is not None and not rows[table]:
                ParquetWriter(self.folder / table / "part-none.parquet", schema, self._codec).close()
            (self.folder / table / UNFINISHED).delete()
            (self.folder / table / _DONE).write(b"")
        self._result_file(name).parent.make()
        self._result_file(name).write(json.dumps({"rows": rows, **result}).encode())

    def files(self, table: str, ending: str = ".parquet") -> list[Location]:
        """Return the files of a table by name."""
        return (self.folder / table).files(ending)

    def count_rows(self, table: str) -> int:
        """Return the number of rows of a table of Parquet."""
        total = 0
        for location in self.files(table):
            with location.open_input() as file:
                total += int(pq.read_metadata(file).num_rows)
        return total

    def write(self, table: str, schema: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write a table of few rows on the driver."""
        (self.folder / table).delete()
        (self.folder / table).make()
        writer = ParquetWriter(self.folder / table / "part-00000.parquet", schema, self._codec)
        writer.write(pa.Table.from_pylist(list(rows), schema))
        writer.close()
        (self.folder / table / _DONE).write(b"")

    def _result_file(self, name: str) -> Location:
        return self.folder / WORK / "stages" / f"{name}.json"


def run_tasks(spark: Any, groups: Sequence[Any], work: Callable[[Any], Any]) -> list[Any]:
    """Run ``work`` on each group in its own task; return the results.

    Spark plans nothing, as it would for rows of tables: that costs Java more than the work on a small collection.
    """
    if not groups:
        return []
    tasks = spark.sparkContext.parallelize(list(groups), len(groups))
    return list(tasks.mapPartitions(partial(_run_groups, pickle.dumps(work))).collect())


def _run_groups(work: bytes, groups: Iterable[Any]) -> Iterator[Any]:
    """Unpickle the work here: its modules are imported in a process that is ready for them."""
    hide_pandas()
    # Spark collects garbage after each task, which takes a process with all our modules and a model 70 ms. What has
    # outlived a task before is none.
    gc.freeze()
    gc.set_threshold(*_RARE_COLLECTION)
    return map(pickle.loads(work), groups)  # noqa: S301 - the driver's


def _run_attempt(
    folder: Location, codec: str, work: Callable[[Any, TaskOutput], Any], group: Any
) -> tuple[Any, list[TaskFile]]:
    with TaskOutput(folder, codec) as output:
        result = work(group, output)
    return result, output.files


class _WithoutPandas:
    """Finds nothing where pandas is looked for."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Refuse pandas, and leave other modules to other finders."""
        del path, target
        if name == "pandas":
            raise ModuleNotFoundError(name)
        return None


def hide_pandas() -> None:
    """Let Arrow look for pandas now, and find none; `to_pandas` works later all the same.

    Arrow imports pandas when it is first handed a list, to learn that this is no series of pandas. That takes each
    process half a second.
    """
    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _WithoutPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_WithoutPandas)
