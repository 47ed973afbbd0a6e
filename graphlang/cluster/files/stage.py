"""On the driver: stages whose tasks write tables, of which only what the tasks that were done wrote is taken in.

A task may be tried several times, on executors that die, or at once on two. Each try writes files of its own below
``_temporary``; Spark brings back the names of one try of each task. These files get their names in the end, and all
others go with the folder. What a stage says besides lies in a file that is written last: with it the stage is done.
"""

from __future__ import annotations

import gc
import json
import pickle
import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from graphlang.cluster.files.parts import UNFINISHED, Part, Parts, parquet_writer
from graphlang.cluster.files.without_pandas import without_pandas
from graphlang.cluster.storage import WORK
from graphlang.whole_file import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_DONE: Final = "_SUCCESS"
_RARELY: Final = (20_000, 50, 50)  # as where one machine reads: garbage in cycles comes of errors alone


class Stages:
    """The stages of a job, and the tables that they make.

    Args:
        spark: the session.
        out: the folder of the tables, as every executor sees it.
        tell: told the name of each stage that begins.
    """

    def __init__(self, spark: Any, out: str, tell: Callable[[str], None]) -> None:
        self._spark, self.out, self._tell = spark, Path(out), tell
        self._codec = str(spark.conf.get("spark.sql.parquet.compression.codec"))
        self.passed_on = 0  #: bytes that tasks wrote for other tasks

    def done(self, name: str) -> dict[str, Any] | None:
        """What a stage said, if it is done.

        Args:
            name: of the stage.
        """
        path = self._told(name)
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None

    def has(self, table: str) -> bool:
        """Whether a table is complete.

        Args:
            table: name of the folder.
        """
        return (self.out / table / _DONE).exists()

    def forget(self, name: str) -> None:
        """Let a stage be done again.

        Args:
            name: of the stage.
        """
        self._told(name).unlink(missing_ok=True)

    def begin(self, name: str, tables: Iterable[str]) -> None:
        """A stage begins: what an earlier try left of its tables goes.

        Args:
            name: of the stage.
            tables: that it makes.
        """
        self._tell(name)
        for table in tables:
            shutil.rmtree(self.out / table, ignore_errors=True)
            (self.out / table / UNFINISHED).mkdir(parents=True)

    def each(self, groups: Sequence[Any], work: Callable[[Any, Parts], Any]) -> list[tuple[Any, list[Part]]]:
        """Do some work on each group, each in a task of its own.

        Args:
            groups: what a task is given.
            work: to be done, by name on every executor; it gives back what it has to say.

        Returns:
            what each task said, and the files that it wrote.
        """
        return each(self._spark, groups, partial(_tried, str(self.out), self._codec, work))

    def take(self, parts: Iterable[Part]) -> list[Part]:
        """Give files their names.

        Args:
            parts: that tasks wrote which were done.
        """
        taken = list(parts)
        for part in taken:
            folder = self.out / part.table
            (folder / UNFINISHED / part.unfinished).replace(folder / part.name)
            self.passed_on += part.size if part.name.endswith(".arrow") else 0
        return taken

    def end(self, name: str, tables: Mapping[str, pa.Schema | None], parts: Iterable[Part], said: Any) -> None:
        """Take in files, and write down that the stage is done.

        Args:
            name: of the stage.
            tables: that it makes; those with columns have at least one file.
            parts: the files.
            said: numbers that later stages read.
        """
        rows = dict.fromkeys(tables, 0)
        for part in self.take(parts):
            rows[part.table] += part.rows
        for table, schema in tables.items():
            if schema is not None and not rows[table]:
                parquet_writer(self.out / table / "part-none.parquet", schema, self._codec).close()
            shutil.rmtree(self.out / table / UNFINISHED, ignore_errors=True)
            (self.out / table / _DONE).touch()
        told = self._told(name)
        told.parent.mkdir(parents=True, exist_ok=True)
        with replacing(told) as file:
            file.write(json.dumps({"rows": rows, **said}).encode())

    def files(self, table: str, ending: str = ".parquet") -> list[str]:
        """The files of a table, in their order.

        Args:
            table: name of the folder.
            ending: of their names.
        """
        return sorted(str(path) for path in (self.out / table).glob(f"[!_.]*{ending}"))

    def rows_of(self, path: str) -> int:
        """The number of rows that a file says it has.

        Args:
            path: of a file of Parquet.
        """
        return int(pq.read_metadata(path).num_rows)

    def write(self, table: str, schema: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write a table of few rows here.

        Args:
            table: name of the folder.
            schema: of the rows.
            rows: by name of the column.
        """
        shutil.rmtree(self.out / table, ignore_errors=True)
        (self.out / table).mkdir(parents=True)
        with parquet_writer(self.out / table / "part-00000.parquet", schema, self._codec) as writer:
            writer.write_table(pa.Table.from_pylist(list(rows), schema))
        (self.out / table / _DONE).touch()

    def _told(self, name: str) -> Path:
        return self.out / WORK / "stages" / f"{name}.json"


def each(spark: Any, groups: Sequence[Any], work: Callable[[Any], Any]) -> list[Any]:
    """What some work gives of each group, each in a task of its own.

    Nothing is planned, as rows of tables would be, which costs Java more than a small collection's work.

    Args:
        spark: the session.
        groups: what a task is given.
        work: to be done.
    """
    if not groups:
        return []
    tasks = spark.sparkContext.parallelize(list(groups), len(groups))
    return list(tasks.mapPartitions(partial(_of_tasks, pickle.dumps(work))).collect())


def _of_tasks(work: bytes, groups: Iterable[Any]) -> Iterator[Any]:
    """Do the work, which is unpacked here: its modules are imported in a process that is ready for them."""
    without_pandas()
    # Spark looks for garbage after each task, which takes a process with all our modules and a model 70 ms. What has
    # outlived a task before is none.
    gc.freeze()
    gc.set_threshold(*_RARELY)
    return map(pickle.loads(work), groups)  # noqa: S301 - the driver's


def _tried(out: str, codec: str, work: Callable[[Any, Parts], Any], group: Any) -> tuple[Any, list[Part]]:
    with Parts(out, codec) as parts:
        said = work(group, parts)
    return said, parts.done
