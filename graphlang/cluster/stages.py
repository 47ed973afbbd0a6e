"""On the driver: run stages whose tasks write tables, and take only the files of tasks that ended.

A task may be tried several times, after an executor died, or on two at once. Each try writes its own files below
``_temporary``; Spark returns the names of one try of each task. These files get their names in the end, and all others
are deleted with the folder. The result of a stage is a file that is written last: with it the stage is done.
"""

from __future__ import annotations

import gc
import json
import pickle
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from graphlang.cluster.storage import WORK, Location
from graphlang.cluster.task_files import UNFINISHED, ParquetWriter, TaskFile, TaskOutput

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

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
