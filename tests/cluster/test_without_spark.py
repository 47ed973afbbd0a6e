"""What needs neither Java nor Spark: rows of records, byte ranges, tables and databases, and what is refused."""

from __future__ import annotations

import errno
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import graphlang as gl

pytest.importorskip("pyarrow")

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from graphlang.cluster import archives as of_archives
from graphlang.cluster import arrays as bundle
from graphlang.cluster import load as loading
from graphlang.cluster.arrays import number_labels
from graphlang.cluster.page_ids import CollisionError, compute_page_id
from graphlang.cluster.read_archives import read_pieces
from graphlang.cluster.spark_session import JobError, SparkError, errors_in_one_line, parse_java_version, session, stop
from graphlang.cluster.tables import RANGE
from graphlang.db import InputError
from graphlang.graph.partitioned.partition import Cuts, cut_host, find_partitions
from graphlang.ingest import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from click.testing import Result

MUSEUM = "http://museum.example/"


def read(batches: Iterable[Any]) -> list[dict[str, Any]]:
    return [row for batch in batches for row in batch.to_pylist()]


def test_rows_are_what_one_machine_reads(archives: Path) -> None:
    found = of_archives.find_archives([str(archives)])
    assert [Path(one.name).name for one in found] == ["a.warc.gz", "b.warc.gz", "c.warc.gz", "d.warc.gz"]
    rows = read(read_pieces([piece for task in of_archives.cut_archives(found, 2) for piece in task], Limits()))
    pages = [row for row in rows if row["kind"] is None]
    wanted = [item for item in gl.read(archives) if isinstance(item, gl.Page)]
    assert [(row["url"], row["text"], row["offset"], row["date"]) for row in pages] == [
        (page.url, page.text, page.offset, page.date) for page in wanted
    ]
    assert [row["kind"] for row in rows if row["kind"] not in {None, RANGE}] == ["truncated"]
    own = pages[0]
    assert own["page"] == compute_page_id(MUSEUM.encode())
    assert own["link_ids"] == [compute_page_id(url) for url in own["link_urls"].split(b"\0")[:-1]]


def test_an_archive_that_vanishes_is_a_problem(tmp_path: Path) -> None:
    gone = of_archives.Archive(0, str(tmp_path / "gone.warc.gz"), 99)
    rows = read(read_pieces([of_archives.Piece(gone, 0, None, first=True)], Limits()))
    told = [(row["kind"], row["reason"]) for row in rows]
    assert told == [("unreadable", "No such file or directory"), (RANGE, None)]


def test_a_name_that_is_no_text_is_written_out(archives: Path, tmp_path: Path) -> None:
    path = shutil.copy(archives / "d.warc.gz", tmp_path / "caf\udce9.warc.gz")
    (archive,) = of_archives.find_archives([str(path)])
    rows = read(read_pieces([of_archives.Piece(archive, 0, None, first=True)], Limits()))
    name = of_archives.digest_row(archive)[1]
    assert {row["file"] for row in rows} == {name} == {str(tmp_path / r"caf\xe9.warc.gz")}
    gl.open(tmp_path / "crawl.db").ingest(path)
    with closing(sqlite3.connect(tmp_path / "crawl.db")) as connection:
        assert connection.execute("SELECT name FROM sources").fetchall() == [(name,)]


@pytest.mark.parametrize(
    ("ranges", "again"),
    [
        ([(0, 0, 12, 10), (10, 12, 25, 20), (20, 25, None, 30)], []),
        ([(0, 0, 12, 10), (10, 11, 25, 20), (20, 25, None, 30)], [7]),  # one begins where none ended
        ([(0, 0, 21, 10), (10, -1, None, 20), (20, 21, None, 30)], []),  # a record that is as long as a range
        ([(0, 0, 21, 10), (10, 15, 21, 20), (20, 21, None, 30)], [7]),  # an archive within it was taken for records
        ([(0, 0, None, 10), (10, 15, None, 20)], [7]),  # the same in the last record
        ([(0, 0, 12, 10), (10, -1, None, 20), (20, 25, None, 30)], [7]),  # what begins at 12 was not found
    ],
)
def test_byte_ranges_that_do_not_fit_are_read_again(ranges: list[tuple[int | None, ...]], again: list[int]) -> None:
    names = ("begin", "found", "ended", "stop")
    rows = [{"source": 7, **dict(zip(names, row, strict=True))} for row in reversed(ranges)]
    assert of_archives.find_misread(rows) == set(again)


def test_a_partition_that_is_too_large_names_its_largest_host_and_the_limit() -> None:
    pages = pa.table({"url": ["http://a.example/x", "http://a.example/y", "http://b.example/"]})
    links = pa.table({"source": [1, 2, 3]})
    words = r"partition 4 has 3 links, more than the limit of 2; its largest host is a\.example with 2 of 3 pages"
    with pytest.raises(bundle.TooLargeError, match=words):
        bundle.bundle_partition(4, pages, links, number_labels([], {}), {}, 2, np.zeros(0, np.int64))


def test_tables_without_room_are_named(archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrow says of no write which file it was for."""

    def write(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28] No space left on device")

    gl.open(tmp_path / "crawl.db").run(archives / "b.warc.gz")
    monkeypatch.setattr(pq.ParquetWriter, "write_table", write)
    with pytest.raises(OSError, match=f"No space left on device: '{tmp_path}/tables'$"):
        loading.export_database(tmp_path / "crawl.db", tmp_path / "tables")
    assert [path.name for path in tmp_path.iterdir() if "tables" in path.name] == []
    with pytest.raises(OSError, match=f"No such file or directory: '{tmp_path}/none/tables'$"):
        loading.export_database(tmp_path / "crawl.db", tmp_path / "none" / "tables")


def test_a_host_with_half_of_all_pages_is_shared_out() -> None:
    urls = [f"http://large.example/{number % 40}/{number}".encode() for number in range(4_000)]
    urls += [f"http://host-{number % 400}.example/{number}".encode() for number in range(4_000)]
    directories = {f"http://large.example/{number}".encode(): 100 for number in range(40)}
    cuts = Cuts(400, {b"large.example": cut_host(directories, 400)})
    pages = np.array([compute_page_id(url) for url in urls])
    counts = np.bincount(find_partitions(urls, pages, cuts, 8), minlength=8)
    assert counts.max() <= 2 * len(urls) / 8
    assert np.bincount(find_partitions(urls, pages, Cuts(400), 8), minlength=8).max() >= 4_000


def test_two_urls_with_one_id_are_named(archives: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = gl.open(tmp_path / "crawl.db")
    crawl.run(archives / "b.warc.gz")
    monkeypatch.setattr(
        loading, "compute_page_id", lambda url, _: 5 if b"musee" in url or b"gone" in url else compute_page_id(url)
    )
    with pytest.raises(CollisionError, match=r"same 64-bit id 5: http://museum.example/gone.html and http://musee"):
        loading.export_database(tmp_path / "crawl.db", tmp_path / "tables")
    assert [path.name for path in tmp_path.iterdir() if "tables" in path.name] == []


def dump_views(path: Path) -> dict[str, list[str]]:
    """What every view of a database shows, and the tables that have none, with URLs and names for numbers."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        urls = dict(map(tuple, connection.execute("SELECT id, url FROM pages")))
        labels = dict(map(tuple, connection.execute("SELECT id, label FROM labels")))
        names = dict(map(tuple, connection.execute("SELECT id, name FROM sources")))
        runs = dict(map(tuple, connection.execute("SELECT id, kind || parameters FROM runs")))
        known = {"page": urls, "source": names, "target": urls, "label": labels, "runner_up": labels, "run": runs}
        of_links = known | {"source": urls}
        views = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'")]
        tables = ("anchor_texts", "captures", "declarations", "history", "removed", "sources", "texts", "visible_bytes")
        found = {}
        for name in (*views, *tables):
            spelled = of_links if name in {"anchor_texts", "link_details"} else known
            found[name] = sorted(
                repr(
                    [
                        # A mean is added up in the order of the pages' ids, which an import gives anew.
                        (
                            column,
                            round(value, 12) if isinstance(value, float) else spelled.get(column, {}).get(value, value),
                        )
                        for column, value in zip(row.keys(), row, strict=True)
                        if column not in {"id", "capture", "content", "original"}
                    ]
                )
                for row in connection.execute(f"SELECT * FROM {name}")
            )
        found["corrections"] = [
            repr(tuple(row))
            for row in connection.execute(
                "SELECT url, given.label, corrected_by, note, corrected, before.label, former_confidence, undone"
                " FROM corrections JOIN labels AS given ON given.id = corrections.label"
                " LEFT JOIN labels AS before ON before.id = former ORDER BY corrections.id"
            )
        ]
        found["runs"] = [
            repr(tuple(row))
            for row in connection.execute(
                "SELECT kind, method, model_hash, parameters, version, started, finished, pages, rounds, converged,"
                " linked, runs.id = chosen.run FROM runs, chosen ORDER BY runs.id"
            )
        ]
    return found


def test_there_and_back_again(archives: Path, tmp_path: Path, graphlang: Callable[..., Result]) -> None:
    crawl = gl.open(tmp_path / "crawl.db")
    crawl.ingest(archives, keep="all", limits=Limits(anchor_texts=True, all_bytes=True))
    crawl.classify()
    crawl.propagate_each_year()
    crawl.propagate()
    crawl.vote()
    crawl.correct(f"{MUSEUM}anna.html", language="fra", by="me")
    crawl.remove("http://other.example/x?b=1")
    assert graphlang("cluster", "load", tmp_path / "crawl.db", "-o", tmp_path / "tables").exit_code == 0
    assert graphlang("import", tmp_path / "tables", "--db", tmp_path / "back.db").exit_code == 0
    before, after = dump_views(tmp_path / "crawl.db"), dump_views(tmp_path / "back.db")
    for name, rows in before.items():
        assert after[name] == rows, name
    assert not [name for name, rows in before.items() if not rows]
    assert graphlang("check", tmp_path / "back.db").exit_code == 0
    told = graphlang("cluster", "load", tmp_path / "crawl.db", "-o", tmp_path / "tables")
    assert (told.exit_code, "tables exists; name another folder" in told.stderr) == (2, True)
    assert graphlang("cluster", "load", tmp_path / "crawl.db", "-o", tmp_path / "tables", "--overwrite").exit_code == 0
    told = graphlang("import", tmp_path / "tables", "--db", tmp_path / "back.db")
    assert (told.exit_code, "back.db exists; import makes a new database" in told.stderr) == (2, True)


def test_duckdb_and_pandas_read_the_tables(archives: Path, tmp_path: Path) -> None:
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    gl.open(tmp_path / "crawl.db").run(archives)
    loading.export_database(tmp_path / "crawl.db", tmp_path / "tables")
    assert len(list((tmp_path / "tables").iterdir())) == 10  # other captures among them
    sql = f"SELECT language, COUNT(*) FROM '{tmp_path}/tables/languages/*.parquet' WHERE fetched = 1 GROUP BY ALL"
    found = dict(duckdb.sql(sql).fetchall())
    assert (found["deu"], found["fra"]) == (5, 1)
    for folder in (tmp_path / "tables").iterdir():
        ((count,),) = duckdb.sql(f"SELECT COUNT(*) FROM '{folder}/**/*.parquet'").fetchall()
        frame = pandas.read_parquet(folder)
        assert (len(frame), len(frame.columns) > 1) == (count, True), folder.name
    table = pandas.read_parquet(tmp_path / "tables" / "languages")
    assert (table[table.fetched == 1].groupby("language").size().to_dict()) == found


@pytest.mark.parametrize("spoilt", ["missing", "columns", "page", "bytes"])
def test_a_folder_of_something_else_is_told_in_a_line(spoilt: str, archives: Path, tmp_path: Path) -> None:
    from graphlang.cluster.import_tables import to_database  # noqa: PLC0415 - after the name of the parameter

    gl.open(tmp_path / "crawl.db").run(archives / "b.warc.gz")
    loading.export_database(tmp_path / "crawl.db", tables := tmp_path / "tables")
    links = tables / "links" / "part-0.parquet"
    if spoilt == "missing":
        links.unlink()
        links.parent.rmdir()
    elif spoilt == "columns":
        pq.write_table(pa.table({"source": [1]}), links)
    elif spoilt == "page":
        table = pq.read_table(links)
        pq.write_table(table.set_column(1, "target", pa.array(np.full(len(table), 3))), links)
    else:
        links.write_bytes(b"PAR1")
    with pytest.raises(InputError) as told:
        to_database(tables, tmp_path / "back.db")
    assert "\n" not in str(told.value)
    assert not list(tmp_path.glob("*back.db*"))


def test_java_that_is_missing_or_old_is_told_in_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SparkError, match="Spark needs Java 17 or newer, and there is no java on the PATH"):
        session("local[1]")
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SparkError, match=r"needs Java 17 or newer, and .*/bin/java is Java 11; set JAVA_HOME"):
        session("local[1]")
    assert parse_java_version('openjdk version "21" 2023') == 21
    with pytest.raises(SparkError, match=r"^there is no master mesos://a: Spark takes local\[CORES\], yarn, spark://"):
        session("mesos://a")


class GoneError(Exception):
    """An error of Py4J's, which asks Java for its words."""

    __module__ = "py4j.protocol"

    def __str__(self) -> str:
        raise ConnectionRefusedError


class WordlessError(Exception):
    """An error of Java that ended before it said which."""

    __module__ = "py4j.protocol"


@pytest.mark.parametrize(
    "error",
    [
        GoneError(),
        ConnectionResetError(104, "Connection reset by peer"),
        WordlessError("An error occurred while calling o12.parquet."),
    ],
)
def test_java_that_ends_in_the_middle_is_told_in_a_line(error: Exception) -> None:
    words = r"^Spark gave up: Java ended in the middle .*spark.driver.memory; go on$"
    with pytest.raises(JobError, match=words), errors_in_one_line("; go on"):
        raise error


def test_the_last_cause_that_java_names_is_told() -> None:
    said = (
        "An error occurred while calling o12.parquet.\n: org.apache.spark.SparkException: Job aborted.\n\tat a.b(C:1)\n"
        "Caused by: java.lang.OutOfMemoryError: Java heap space\n\tat d.e(F:2)\n"
    )
    words = r"^Spark gave up: java.lang.OutOfMemoryError: Java heap space; see spark.driver.memory and spark.executor"
    with pytest.raises(JobError, match=words), errors_in_one_line():
        raise WordlessError(said)


def test_a_session_whose_java_is_gone_is_stopped_without_a_word() -> None:
    class Gone:
        def stop(self) -> None:
            raise WordlessError("org.apache.spark.sql.classic.SparkSession does not exist in the JVM")

    class Broken:
        def stop(self) -> None:
            raise ValueError("ours")

    stop(Gone())
    with pytest.raises(ValueError, match="ours"):
        stop(Broken())


def test_a_collision_on_an_executor_keeps_its_words() -> None:
    words = "two URLs have the same 64-bit id 1: http://a.example/ and http://b.example/"
    raised = type("PythonException", (Exception,), {"__module__": "pyspark.errors"})
    trace = f"{CollisionError.__module__}.CollisionError: {words}\n"
    with pytest.raises(CollisionError, match=f"^{words}$"), errors_in_one_line():
        raise raised(f"Job aborted\nTraceback (most recent call last):\n  ...\n{trace}")


def test_paths_that_are_not_there_are_refused() -> None:
    with pytest.raises(InputError, match=r"cannot read /nowhere/x.warc.gz: no such file or folder"):
        of_archives.find_archives(["/nowhere/x.warc.gz"])
