"""A folder of tables that takes SQL as the connection of a database does."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from graphlang.cluster.spark_session import errors_in_one_line, fit_shuffles
from graphlang.cluster.storage import Location
from graphlang.cluster.tables import (
    ANSWER,
    HISTORY,
    KEPT_CAPTURES,
    LANGUAGES,
    LINKS,
    PAGES,
    PROBLEMS,
    RUNS,
    ddl,
    split_label,
)
from graphlang.cluster.tables import SOURCES_KEPT as SOURCES
from graphlang.db import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: Tables that a folder has to have, with their columns.
_NEEDED: Final = {
    "answers": f"{ddl(ANSWER)}, page bigint, run int",
    "captures": ddl(KEPT_CAPTURES),
    "languages": ddl(LANGUAGES),
    "links": ddl(LINKS),
    "pages": ddl(PAGES),
    "problems": ddl(PROBLEMS),
    "runs": ddl(RUNS),
    "sources": ddl(SOURCES),
}
#: Whether equal digests mean equal content, as in the view ``history_captures`` of the database.
_TELLING: Final = "{0}.digest <> '' AND {0}.size > 0 AND ({0}.status IS NULL OR {0}.status NOT BETWEEN 300 AND 399)"
_HISTORY: Final = ddl(HISTORY)
#: Names of tables that have a column more as views.
_KEPT: Final = {"pages": "pages_kept", "sources": "sources_kept"}
#: What the database has besides, of these.
_VIEWS: Final = {
    "page_languages": "SELECT * FROM languages",
    "chosen": "SELECT id AS run FROM runs WHERE chosen = 1",
    "predictions": "SELECT page, run, label, confidence, characters, encoding FROM answers",
    "page_shares": (
        "SELECT page, run, one.label, ROUND(one.share, 6) AS share FROM answers LATERAL VIEW EXPLODE(shares) AS one"
    ),
    "sources": "SELECT *, source AS id FROM sources_kept",
    "pages": "SELECT *, page AS id FROM pages_kept",
    "history_captures": (
        "SELECT history.page, history.date, history.run FROM history"
        " LEFT JOIN history AS other ON history.whole = 0 AND other.page = history.page AND other.whole = 1"
        f" AND other.digest = history.digest AND {_TELLING.format('other')}"
        " LEFT JOIN captures AS own ON history.whole = 0 AND own.page = history.page AND own.digest = history.digest"
        f" AND ({_TELLING.format('own')} OR own.revisit_of IS NOT NULL AND own.original IS NOT NULL)"
        " WHERE history.whole = 1 OR other.page IS NOT NULL OR own.page IS NOT NULL"
    ),
    "texts": "SELECT page, title, text FROM captures WHERE title <> '' OR text <> ''",
}


class QueryRows(list[tuple[Any, ...]]):
    """The rows of a query, read like a cursor of SQLite."""

    def __init__(self, rows: Sequence[Sequence[Any]], names: Sequence[str]) -> None:
        super().__init__(tuple(map(_to_plain, row)) for row in rows)
        self.description = [(name,) for name in names]

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the first row; None where there is none."""
        return self[0] if self else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows."""
        return self


def _to_plain(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


class Tables:
    """The tables of a collection under the names of the database's tables and views."""

    def __init__(self, spark: Any, folder: str) -> None:
        root = Location.of(folder)
        sizes = {name: _folder_size(spark, root / name) for name in _NEEDED}
        if missing := [name for name, size in sizes.items() if size is None]:
            raise InputError(
                f"{folder} does not hold what 'graphlang cluster run' writes: there is no table {missing[0]}"
            )
        fit_shuffles(spark, sum(size or 0 for size in sizes.values()))
        #: A session of its own, where views have their names and no others.
        self.spark = spark.newSession()
        for name, columns in _NEEDED.items():
            table = self.spark.read.schema(columns).parquet((root / name).for_spark)
            table.createOrReplaceTempView(_KEPT.get(name, name))
        history = self.spark.createDataFrame([], _HISTORY)
        if _folder_size(spark, root / "history") is not None:
            history = self.spark.read.schema(_HISTORY).parquet((root / "history").for_spark)
        history.createOrReplaceTempView("history")
        for name, query in _VIEWS.items():
            self.spark.sql(query).createOrReplaceTempView(name)
        self._name_labels()

    def execute(self, query: str, values: Mapping[str, Any] | Sequence[Any] = ()) -> QueryRows:
        """Return all rows of a query that SQLite and Spark both understand."""
        with errors_in_one_line():
            bound = dict(values) if hasattr(values, "keys") else list(values)
            frame = self.spark.sql(query, args=bound)
            return QueryRows(frame.collect(), frame.columns)

    def create_function(
        self, name: str, count: int, function: Callable[..., str | None], *, deterministic: bool = True
    ) -> None:
        """Let queries call a function that returns text."""
        del count
        from pyspark.sql.functions import udf  # noqa: PLC0415 - an extra

        wrapped = udf(lambda *arguments: function(*arguments), "string")  # noqa: PLW0108 - Spark would read its annotations
        self.spark.udf.register(name, wrapped if deterministic else wrapped.asNondeterministic())

    def _name_labels(self) -> None:
        """Create the view ``labels``; a label is its own id."""
        label_rows = self.execute("SELECT label FROM answers UNION SELECT label FROM page_shares")
        rows = [(label, label, *split_label(label)) for (label,) in label_rows if label is not None]
        columns = "id string, label string, language string, script string"
        self.spark.createDataFrame(rows, columns).hint("broadcast").createOrReplaceTempView("labels")


def _folder_size(spark: Any, folder: Location) -> int | None:
    """Ask Spark, which reads the tables, for the bytes of all files in a folder; None if there is none."""
    context = spark.sparkContext
    path = context._jvm.org.apache.hadoop.fs.Path(folder.for_spark_to_write)  # noqa: SLF001 - PySpark has no other way
    system = path.getFileSystem(context._jsc.hadoopConfiguration())  # noqa: SLF001 - as above
    return int(system.getContentSummary(path).getLength()) if system.exists(path) else None
