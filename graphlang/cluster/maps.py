"""Language maps and the report straight from a cluster's tables, by the SQL of `graphlang.maps`.

`Tables` is a folder of tables that takes SQL as the connection of a database does. Spark counts; only counts come to
the driver.
"""

from __future__ import annotations

import json
import warnings
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
    split_label,
    write_ddl,
)
from graphlang.cluster.tables import SOURCES_KEPT as SOURCES
from graphlang.db import InputError
from graphlang.maps import language_graph as language_graphs
from graphlang.maps import site_graph
from graphlang.maps.graph_measures import Shape, compute_shapes
from graphlang.maps.language_graph import read_language_graph as graph_of
from graphlang.maps.languages import YearRow, list_languages, list_languages_by_year
from graphlang.maps.selection import (
    GATHERED_COLUMNS,
    GatheredPages,
    Selection,
    find_content_run,
    find_outdated,
    gather,
    has_answered_history,
    select_inferred_pages,
)
from graphlang.maps.sites import read_language_map
from graphlang.printing import visible
from graphlang.report.page import write_report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from graphlang.maps.language_graph import LanguageGraph
    from graphlang.maps.languages import LanguageRow
    from graphlang.maps.sites import SiteRow

#: Tables that a folder has to have, with their columns.
_NEEDED: Final = {
    "answers": f"{write_ddl(ANSWER)}, page bigint, run int",
    "captures": write_ddl(KEPT_CAPTURES),
    "languages": write_ddl(LANGUAGES),
    "links": write_ddl(LINKS),
    "pages": write_ddl(PAGES),
    "problems": write_ddl(PROBLEMS),
    "runs": write_ddl(RUNS),
    "sources": write_ddl(SOURCES),
}
#: Whether equal digests mean equal content, as in the view ``history_captures`` of the database.
_TELLING: Final = "{0}.digest <> '' AND {0}.size > 0 AND ({0}.status IS NULL OR {0}.status NOT BETWEEN 300 AND 399)"
_HISTORY: Final = write_ddl(HISTORY)
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
        super().__init__(tuple(map(_convert_value, row)) for row in rows)
        self.description = [(name,) for name in names]

    def fetchone(self) -> tuple[Any, ...] | None:
        """Return the first row; None where there is none."""
        return self[0] if self else None

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Return all rows."""
        return self


def _convert_value(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else value


class Tables:
    """The tables of a collection under the names of the database's tables and views."""

    def __init__(self, spark: Any, folder: str) -> None:
        root = Location.of(folder)
        sizes = {name: _measure_folder(spark, root / name) for name in _NEEDED}
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
        if _measure_folder(spark, root / "history") is not None:
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


def _measure_folder(spark: Any, folder: Location) -> int | None:
    """Ask Spark, which reads the tables, for the bytes of all files in a folder; None if there is none."""
    context = spark.sparkContext
    path = context._jvm.org.apache.hadoop.fs.Path(folder.for_spark_to_write)  # noqa: SLF001 - PySpark has no other way
    system = path.getFileSystem(context._jsc.hadoopConfiguration())  # noqa: SLF001 - as above
    return int(system.getContentSummary(path).getLength()) if system.exists(path) else None


def open_tables(spark: Any, folder: str) -> Any:
    """Open the tables of a folder that a job wrote, which `graphlang.maps` queries like a database's connection."""
    return Tables(spark, folder)


def sites(
    spark: Any,
    folder: str,
    by: str | Sequence[str] = "host",
    *,
    selection: Selection | None = None,
    scripts: bool = False,
) -> list[SiteRow]:
    """Pages counted by site and language, the greatest sites first: the verb ``cluster sites``.

    Spark counts; one row for each site and language comes to the driver.

    Args:
        spark: the session.
        folder: with the tables that a job wrote, as Spark names it.
        by: what counts as one site: host, domain, suffix, tld, country, path or year; or several.
        selection: which pages count; by default text with status 200.
        scripts: count each script of a language separately.

    Raises:
        InputError: the folder does not hold what a job writes; or it has answers for other years, and ``by`` asks for
            them.
        ValueError: ``by`` is none of these.
    """
    tables = open_tables(spark, folder)
    if "year" in ((by,) if isinstance(by, str) else by):
        refuse_other_years(tables)
    return read_language_map(tables, by, selection=selection, scripts=scripts)


def languages(
    spark: Any, folder: str, *, by: str | None = None, selection: Selection | None = None
) -> list[LanguageRow] | list[Any]:
    """The languages with their pages, sites, scripts and encodings, the commonest first: ``cluster languages``.

    Args:
        spark: the session.
        folder: with the tables that a job wrote, as Spark names it.
        by: ``year`` for those of each calendar year; rows have the year first.
        selection: which pages count; by default text with status 200.

    Raises:
        InputError: as for `sites`.
        ValueError: ``by`` is something else.
    """
    if by not in {None, "year"}:
        raise ValueError(f"languages are listed by year, or all together, not by {by}")
    tables, which = open_tables(spark, folder), selection or Selection()
    if by is None:
        return list_languages(tables, which)
    return [YearRow(*row) for row in list_languages_by_year(tables, which)]


def language_graph(spark: Any, folder: str, *, by: str = "domain", selection: Selection | None = None) -> LanguageGraph:
    """The languages and the links between them, after Caminero and Mikami 2006: ``cluster language-graph``.

    Spark counts; one row for each pair of languages comes to the driver. The components of a language's pages are
    computed in one task; they are 0 where more than 20,000,000 links lie within a language.

    Args:
        spark: the session.
        folder: with the tables that a job wrote, as Spark names it.
        by: links within one ``domain`` or ``host`` are not counted; ``page``: all are.
        selection: which pages count; by default text with status 200.

    Raises:
        InputError: the folder does not hold what a job writes.
        ValueError: ``by`` is none of these.
    """
    if by not in {"domain", "host", "page"}:
        raise ValueError(f"cannot group links by {by}; there are domain, host, page")
    return graph_of(open_tables(spark, folder), selection or Selection(), unit=by)


def report(spark: Any, folder: str, output: str | Path, *, title: str | None = None) -> None:
    """Write one HTML page for people that needs nothing else: the verb ``cluster report``.

    Args:
        spark: the session.
        folder: with the tables that a job wrote, as Spark names it.
        output: the file, which is replaced when all is written.
        title: the page's heading; the folder's name if not given.

    Raises:
        InputError: the folder does not hold what a job writes.
    """
    write_report(open_tables(spark, folder), Path(output), title or folder.rstrip("/").rpartition("/")[2])


@find_content_run.register(Tables)
def _find_content_run(tables: Tables) -> int | None:
    rows = tables.execute("SELECT id, kind, parameters, seeds, chosen FROM runs WHERE finished IS NOT NULL ORDER BY id")
    content = {run: parameters for run, kind, parameters, *_ in rows if kind == "content"}
    behind = [
        run_id for run, *_, seeds, chosen in rows if chosen for run_id in (run, *json.loads(seeds)) if run_id in content
    ]
    of_today = [run for run, parameters in content.items() if json.loads(parameters).get("at") is None]
    return max(behind or of_today, default=None)


@find_outdated.register(Tables)
def _find_outdated(tables: Tables) -> None:
    """Never warn: tables are written as a whole, so that no run lacks captures."""


@gather.register(Tables)
@contextmanager
def _gather(
    tables: Tables, selection: Selection, *, extra: Sequence[str] = (), yearly: bool = False
) -> Iterator[Selection]:
    """Gather as `graphlang.maps.selection` does; Spark keeps the rows, in memory or on its disks."""
    everyone = replace(selection, choices=(), below=None, min_confidence=0.0, fetched=None, gathered=None)
    source, values = everyone.write_source()
    columns = tuple(dict.fromkeys((*GATHERED_COLUMNS, *extra)))
    chosen = ", ".join(columns)
    query = f"SELECT {chosen} FROM {select_inferred_pages(source)}"
    name = "gathered_captures" if yearly else "gathered_pages"
    if yearly:
        refuse_other_years(tables)
        query, columns = (
            f"SELECT SUBSTR(date, 1, 4) AS year, {chosen} FROM ({query}) WHERE fetched = 1",
            ("year", *columns),
        )
    frame = tables.spark.sql(query, args=values | {"own": find_content_run(tables)}).persist()
    frame.createOrReplaceTempView(name)
    try:
        yield replace(selection, gathered=GatheredPages(name, columns))
    finally:
        tables.spark.catalog.dropTempView(name)
        frame.unpersist()


def refuse_other_years(tables: Tables) -> None:
    """Raise an InputError if captures of other years have answers, so that a count by year would be wrong."""
    if has_answered_history(tables):
        raise InputError(
            "captures of other years have languages of their own here: count them in a database, which"
            " 'graphlang import' makes"
        )


#: Of a language or site with more links within it no components are computed: they would not fit one task's memory.
MOST: Final = 20_000_000
#: Links between pages that count, ``one`` and ``other``; both have a ``name``.
_LINKED: Final = (
    " FROM links JOIN ({pages}) AS one ON one.page = links.source JOIN ({pages}) AS other ON other.page = links.target"
)
#: Pages in the order in which `graphlang.cluster.import_tables` numbers them, and the links between those of one
#: name.
_WITHIN: Final = """
SELECT counted.name, counted.page, captures.source, captures.offset, NULL AS target,
    CASE WHEN captures.page IS NULL THEN pages.url END AS url
FROM ({pages}) AS counted JOIN pages ON pages.page = counted.page LEFT JOIN captures ON captures.page = counted.page
UNION ALL
SELECT one.name, one.page, NULL, NULL, other.page, NULL {linked} WHERE one.name = other.name
"""
_NAMED: Final = 5  # of those that have too many
_SHAPE: Final = "name string, components bigint, largest bigint, diameter bigint"


class TooManyLinksWarning(UserWarning):
    """Components of some languages or sites were not computed."""


@language_graphs.count_language_links.register(Tables)
def _read_languages(
    tables: Tables, selection: Selection, units: Sequence[str], *, components: bool
) -> language_graphs.LanguageLinks:
    source, values = selection.write_source()
    pages = f"SELECT language AS name, * FROM {source} WHERE language NOT IN ('und', 'zxx')"
    linked = _LINKED.format(pages=pages)
    rows = tables.execute(f"SELECT name, COUNT(*) FROM ({pages}) GROUP BY 1 ORDER BY 2 DESC, 1", values)
    numbers = {name: number for number, (name, _) in enumerate(rows)}
    unit, links = units[-1], _read_pairs([], numbers)
    for unit in units:
        query = f"SELECT one.name, other.name, COUNT(*){linked} WHERE one.{unit} IS DISTINCT FROM other.{unit}"
        links = _read_pairs(tables.execute(f"{query} GROUP BY 1, 2", values), numbers)
        if len(links[0]):
            break
    shape = _compute_shapes(tables, numbers, pages, values, language_graphs.EXACT) if components else []
    counts = np.array([count for _, count in rows], dtype=np.int64)
    return language_graphs.LanguageLinks(unit, list(numbers), counts, language_graphs.LinkCounts(*links), shape)


@site_graph.count_site_links.register(Tables)
def _read_sites(
    tables: Tables, selection: Selection, rank: Mapping[str, int], unit: str, *, measures: bool
) -> tuple[site_graph.SiteLinkCounts, list[Shape]]:
    source, values = selection.write_source()
    pages = f"SELECT {unit} AS name, page FROM {source}"
    query = f"SELECT one.name, other.name, COUNT(*){_LINKED.format(pages=pages)} WHERE one.name <> other.name"
    links = _read_pairs(tables.execute(f"{query} GROUP BY 1, 2", values), rank)
    return site_graph.SiteLinkCounts(*links), _compute_shapes(
        tables, rank, pages, values, site_graph.EXACT
    ) if measures else []


def _read_pairs(rows: Iterable[tuple[str, str, int]], numbers: Mapping[str, int]) -> tuple[Any, Any, Any]:
    """Return source, target and number of links as arrays, in the order of the numbers."""
    rows_sorted = sorted((numbers[source], numbers[other], links) for source, other, links in rows)
    table = np.array(rows_sorted, dtype=np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]


def _compute_shapes(
    tables: Tables, names: Iterable[str], pages: str, values: dict[str, Any], exact: int
) -> list[Shape]:
    """Return the components of the pages of each name; zeros and a warning where it has too many links."""
    linked = _LINKED.format(pages=pages)
    counts = tables.execute(f"SELECT one.name, COUNT(*){linked} WHERE one.name = other.name GROUP BY 1", values)
    large = [name for name, links in counts if links > MOST]
    within = tables.spark.sql(_WITHIN.format(pages=pages, linked=linked), args=values)
    if large:
        names_listed = ", ".join(visible(name) for name in sorted(large)[:_NAMED]) + (
            ", ..." if len(large) > _NAMED else ""
        )
        message = f"no components of {names_listed}: more than {MOST:,} links lie within each, too many for one task"
        warnings.warn(TooManyLinksWarning(message), stacklevel=2)
        within = within[~within.name.isin(large)]
    with errors_in_one_line():
        rows = within.groupBy("name").applyInArrow(_make_shape_function(exact), _SHAPE).collect()
    shapes_found = {name: Shape(*sizes) for name, *sizes in rows}
    return [shapes_found.get(name, Shape(0, 0, 0)) for name in names]


def _make_shape_function(exact: int) -> Callable[[pa.Table], pa.Table]:
    """Return a function that computes the components of one name on an executor."""

    def shape_of(rows: pa.Table) -> pa.Table:
        order = [(name, "ascending") for name in ("source", "offset", "url", "page")]
        pages = rows.filter(pc.is_null(rows["target"])).sort_by(order)["page"].to_numpy()
        links = rows.filter(pc.is_valid(rows["target"]))
        ranked = np.argsort(pages)
        source, target = (ranked[np.searchsorted(pages[ranked], links[end].to_numpy())] for end in ("page", "target"))
        (shape,) = compute_shapes(np.zeros(len(pages), dtype=np.int32), 1, source, target, exact=exact)
        columns = {name: [size] for name, size in shape._asdict().items()}
        return pa.table({"name": rows["name"][:1].combine_chunks(), **columns})

    return shape_of
