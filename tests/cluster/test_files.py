"""Tables that tasks write themselves: what one machine finds, whatever is tried again, and without Spark's rows."""

from __future__ import annotations

import gc
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import graphlang as gl

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from graphlang.cluster import archives, job, read_archives, storage
from graphlang.cluster import load as loading
from graphlang.cluster.captures import FACTS_TABLE
from graphlang.cluster.classify_captures import load_method
from graphlang.cluster.language_tables import View, write_languages
from graphlang.cluster.load import export_database
from graphlang.cluster.one_task import SENT_ANSWERS_TABLE
from graphlang.cluster.page_ids import CollisionError, compute_page_id
from graphlang.cluster.read_archives import distinct_urls
from graphlang.cluster.stages import Stages, run_tasks
from graphlang.cluster.storage import Location
from graphlang.db import InputError
from graphlang.db.write.choose_capture import Keep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

LONG = (
    "Das Museum der Gezeiten liegt am Hafen und zeigt alte Boote, Netze und Karten. Morgens öffnet eine Frau die Tür."
)
#: Columns that a database counts from one, or gives anew, or has no null in.
NUMBERED = ("source", "run", "number", "shares")


@dataclass
class Cluster:
    """A substitute for Spark's session and context: every task runs twice, and one of its answers is used."""

    taken: int = 0  #: which
    settings: dict[str, str] = field(
        default_factory=lambda: {
            "spark.sql.parquet.compression.codec": "zstd",
            "spark.sql.shuffle.partitions": "3",
        }
    )
    defaultParallelism: int = 2  # noqa: N815 - Spark's name

    @property
    def sparkContext(self) -> Cluster:  # noqa: N802 - Spark's name
        return self

    @property
    def conf(self) -> Cluster:
        return self

    def get(self, name: str) -> str:
        return self.settings[name]

    def getConf(self) -> Cluster:  # noqa: N802 - Spark's name
        return self

    def contains(self, name: str) -> bool:
        return name in self.settings

    def parallelize(self, groups: list[Any], many: int) -> Tasks:
        assert len(groups) == many
        return Tasks(groups, self.taken)


@dataclass
class Tasks:
    groups: list[Any]
    taken: int
    found: list[Any] = field(default_factory=list)

    def mapPartitions(self, work: Callable[[Any], Iterator[Any]]) -> Tasks:  # noqa: N802 - Spark's name
        self.found = [[list(work(iter([group]))) for _ in range(2)][self.taken] for group in self.groups]
        return self

    def collect(self) -> list[Any]:
        return [one for part in self.found for one in part]


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory, record: Callable[..., bytes]) -> Path:
    """Captures that compete, URLs that were only linked to, a title without text, an archive that ends too early."""
    folder = tmp_path_factory.mktemp("crawl")
    site = "http://museum.example/"
    links = '<a href="/anna.html">.</a><a href="/">.</a><a rel=nofollow href="http://other.example/x?b=1">.</a>'
    first = [
        record(site, f"<html lang=de><title>Museum</title><p>{LONG}{links}"),
        record(f"{site}anna.html", "<p>Anna<a href='/'>.</a><link rel=alternate hreflang=fr href='/fr.html'>"),
        record(f"{site}twice.html", f"<p>Alt. {LONG}<a href='/only-old.html'>.</a>", date="2024-01-01"),
        record(f"{site}gone.html", f"<p>Noch da. {LONG}", date="2024-01-01"),
        record(f"{site}title.html", "<title>Der Hafen und die Boote</title>"),
    ]
    second = [
        record(f"{site}twice.html", f"<p>Neu. {LONG}<a href='/only-new.html'>.</a>", date="2025-01-01"),
        record(f"{site}gone.html", "<p>Nicht gefunden", date="2025-01-01", status=404),
        record("http://musee.example/", "<p>Le musée des marées se trouve près du port et montre de vieux bateaux."),
    ]
    (folder / "a.warc.gz").write_bytes(b"".join(first))
    (folder / "b.warc.gz").write_bytes(b"".join(second))
    (folder / "c.warc.gz").write_bytes(b"".join(first[:2])[:-40])
    return folder


def run_job(
    crawl: Path | str, out: Path | str, keep: Keep, cluster: Cluster, *, linked: bool = True, resume: bool = False
) -> tuple[Path, list[str]]:
    """The tables of a job, what it needed on its way among them, and its stages."""
    stages: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "WORK", "nothing")  # what a job needs on its way stays
        job.run(cluster, [str(crawl)], str(out), keep=keep, linked=linked, resume=resume, progress=stages.append)
    assert stages.pop(0) == "digest"
    return Path(out), stages


def rows(table: Path, *without: str) -> list[str]:
    found = pq.read_table(table, partitioning=None)
    return sorted(map(repr, found.drop_columns([name for name in without if name in found.column_names]).to_pylist()))


@pytest.fixture(scope="module", params=[Keep.BEST, Keep.ALL])
def both(request: pytest.FixtureRequest, crawl: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The tables of tasks, and those of one machine."""
    folder = tmp_path_factory.mktemp("both")
    one = gl.open(folder / "crawl.db")
    one.ingest(crawl, keep=str(request.param))
    one.classify()
    one.propagate()
    assert list(one.pages(everything=True))  # which asks for the URLs that were only linked to
    loading.export_database(folder / "crawl.db", folder / "one")
    return run_job(crawl, folder / "tables", request.param, Cluster())[0], folder / "one"


@pytest.mark.parametrize(
    "table", ["pages", "captures", "links", "problems", "answers/run=1", "answers/run=2", "languages", "history"]
)
def test_they_hold_what_one_machine_finds(table: str, both: tuple[Path, Path]) -> None:
    found, wanted = (rows(folder / table, *NUMBERED) if (folder / table).exists() else [] for folder in both)
    assert found == wanted
    assert found or table == "history"


def test_sites_are_counted_over_all_tasks(both: tuple[Path, Path]) -> None:
    found, wanted = (
        {row["host"] + row["language"]: row for row in pq.read_table(one / "sites").to_pylist()} for one in both
    )
    assert found.keys() == wanted.keys()
    for key, row in found.items():
        assert row == wanted[key] | {"confidence": pytest.approx(wanted[key]["confidence"])}


def test_whichever_try_counts_the_files_are_the_same(crawl: Path, tmp_path: Path) -> None:
    one, _ = run_job(crawl, tmp_path / "one", Keep.ALL, Cluster(taken=0))
    other, _ = run_job(crawl, tmp_path / "other", Keep.ALL, Cluster(taken=1))
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(other) for path in other.rglob("*") if path.is_file())
    assert not [path for path in files if "_temporary" in path.parts]
    for path in files:
        if path.parts[0] not in {"runs", "work"}:
            assert (one / path).read_bytes() == (other / path).read_bytes(), path


class DiedError(Exception):
    """The job ends."""


def test_what_is_done_is_not_done_again(crawl: Path, tmp_path: Path) -> None:
    stages = ["read", "pages", "captures", "templates", "classify", "infer", "languages"]
    assert run_job(crawl, tmp_path / "undisturbed", Keep.BEST, Cluster())[1] == stages

    def die(stage: str) -> None:
        if stage == "infer":
            raise DiedError

    with pytest.raises(DiedError):
        job.run(Cluster(), [str(crawl)], str(tmp_path / "tables"), progress=die)
    out, again = run_job(crawl, tmp_path / "tables", Keep.BEST, Cluster(), resume=True)
    assert again == ["infer", "languages"]
    for table in ("captures", "answers/run=2", "languages", "sites"):
        assert rows(out / table) == rows(tmp_path / "undisturbed" / table), table


def test_urls_that_were_only_linked_to_can_wait(crawl: Path, tmp_path: Path) -> None:
    out, _ = run_job(crawl, tmp_path / "tables", Keep.BEST, Cluster(), linked=False)
    found = pq.read_table(out / "languages").to_pylist()
    assert {(row["fetched"], row["pending"], row["language"] == "und") for row in found} == {
        (1, 0, False),
        (0, 1, True),
    }


def test_an_archive_whose_byte_ranges_deceived_is_read_again(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "LENGTH", 64)
    monkeypatch.setattr(archives, "_LARGEST", 64)
    wanted, _ = run_job(crawl, tmp_path / "right", Keep.BEST, Cluster())
    monkeypatch.setattr(read_archives, "find_misread", lambda ranges: {min(row["source"] for row in ranges)})
    found, _ = run_job(crawl, tmp_path / "again", Keep.BEST, Cluster())
    assert any(path.name.startswith("whole-") for path in (found / "work" / "records").iterdir())
    for table in ("pages", "captures", "links", "problems", "languages"):
        assert rows(found / table) == rows(wanted / table), table


def test_tables_that_spark_wrote_are_sent_to_buckets_later(crawl: Path, tmp_path: Path) -> None:
    done, _ = run_job(crawl, tmp_path / "tables", Keep.BEST, Cluster())
    before = {name: rows(done / name) for name in ("languages", "sites")}
    for folder in (FACTS_TABLE, SENT_ANSWERS_TABLE):  # as where no task wrote them
        shutil.rmtree(done / folder)
    stages = Stages(Cluster(), Location.of(str(done)), lambda _: None)
    write_languages(stages, View(load_method("nfc")[1].labels, "propagation", 2, linked=True), 3)
    assert {name: rows(done / name) for name in before} == before


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An address of a file system that moves no folders, as object stores do not."""
    (tmp_path / "store").mkdir()
    local = storage._open_file_system
    store = fs.SubTreeFileSystem(str(tmp_path / "store"), fs.LocalFileSystem())
    monkeypatch.setattr(storage, "_open_file_system", lambda scheme, host: (store, host) if scheme else local("", ""))
    return "test://bucket"


def test_archives_and_tables_behind_addresses(crawl: Path, address: str, tmp_path: Path) -> None:
    shutil.copytree(crawl, tmp_path / "store" / "bucket" / "crawl")
    expected, _ = run_job(crawl, tmp_path / "tables", Keep.ALL, Cluster())
    run_job(f"{address}/crawl/*.warc.gz", f"{address}/tables", Keep.ALL, Cluster())
    found = tmp_path / "store" / "bucket" / "tables"
    for table in ("pages", "captures", "links", "answers/run=1", "answers/run=2", "languages", "sites", "history"):
        assert rows(found / table, "file") == rows(expected / table, "file"), table
    names = [row["name"] for row in pq.read_table(found / "sources").to_pylist()]
    assert names == [f"{address}/crawl/{name}.warc.gz" for name in "abc"]
    assert sorted(path.name for path in found.parent.iterdir()) == ["crawl", "tables"]


def test_archives_behind_addresses_that_vanish_are_problems(crawl: Path, address: str, tmp_path: Path) -> None:
    shutil.copytree(crawl, folder := tmp_path / "store" / "bucket" / "crawl")
    with pytest.MonkeyPatch.context() as patch:
        pieces = read_archives.cut_archives
        patch.setattr(
            read_archives,
            "cut_archives",
            lambda *given: ((folder / "b.warc.gz").unlink(missing_ok=True), pieces(*given))[1],
        )
        run_job(f"{address}/crawl", f"{address}/tables", Keep.BEST, Cluster())
    problems = pq.read_table(folder.parent / "tables" / "problems").to_pylist()
    assert [(row["kind"], row["reason"]) for row in problems if row["file"].endswith("b.warc.gz")] == [
        ("unreadable", "No such file or directory")
    ]
    with pytest.raises(InputError, match=r"cannot read test://bucket/crawl/b\.warc\.gz: No such file or directory"):
        archives.find_archives([f"{address}/crawl/b.warc.gz"])
    (folder.parent / "empty").mkdir()
    with pytest.raises(InputError, match=r"cannot read .*: there is nothing"):
        archives.find_archives([f"{address}/empty"])
    with pytest.raises(InputError, match="name either local files or addresses, not both"):
        archives.find_archives([f"{address}/crawl", str(crawl)])


def test_what_outlives_a_task_is_not_looked_at_for_garbage() -> None:
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    gc.unfreeze()
    try:
        assert run_tasks(Cluster(), ["a", "b"], str.upper) == ["A", "B"]
        assert gc.get_freeze_count() > 0
        assert gc.get_threshold()[0] > 700
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


@pytest.mark.parametrize("hidden", [False, True])
def test_lists_need_no_pandas_and_who_wants_it_gets_it(*, hidden: bool) -> None:
    pytest.importorskip("pandas")
    said = "hide_pandas()\n" if hidden else ""
    program = (
        "import sys, pyarrow as pa\n"
        "from graphlang.cluster.stages import hide_pandas\n"
        f"{said}pa.array(['a'])\n"
        "print('pandas' in sys.modules, list(pa.table({'a': [1, 2]}).to_pandas()['a']))\n"
        "import pandas\n"
        "print(pa.array(pandas.Series([1.0, None]), from_pandas=True).null_count)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == f"{not hidden} [1, 2]\n1\n"


def test_two_urls_with_one_id_end_the_work() -> None:
    named = pa.table({"page": [5, 7, 5], "url": ["http://b/", "http://c/", "http://a/"]})
    with pytest.raises(CollisionError, match="two URLs have the same 64-bit id 5: http://a/ and http://b/"):
        distinct_urls(named)


#: With one id where the hash has no key: found in minutes.
PREPARED = ["http://c.example/diflmeoobpifijbb", "http://c.example/ndhninblbiopbklb"]


@pytest.fixture
def prepared(tmp_path: Path, write_warc: Callable[[Path, Iterable[tuple[str, bytes]]], Path]) -> Path:
    assert compute_page_id(PREPARED[0].encode()) == compute_page_id(PREPARED[1].encode())
    links = "".join(f'<a href="{url}">x</a>' for url in PREPARED)
    return write_warc(tmp_path / "a.warc.gz", [("http://b.example/", f"<p>A page of words.</p>{links}".encode())])


def urls_by_id(tables: Path) -> dict[int, str]:
    rows = pq.read_table(tables / "pages").to_pylist()
    assert len(rows) == 3
    return {row["page"]: row["url"] for row in rows}


def test_urls_prepared_to_have_one_id_have_two(prepared: Path, tmp_path: Path) -> None:
    out, stages = run_job(prepared, tmp_path / "tables", Keep.BEST, Cluster())
    assert sorted(urls_by_id(out).values()) == ["http://b.example/", *PREPARED]
    assert stages[:2] == ["read", "pages"]
    with gl.open(tmp_path / "crawl.db") as crawl:
        crawl.run(prepared)
    export_database(tmp_path / "crawl.db", tmp_path / "loaded")
    assert urls_by_id(tmp_path / "loaded") == urls_by_id(out)  # the key comes from the archives alone


def test_two_urls_with_one_id_get_other_ids(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job, "derive_key", lambda _, attempt: bytes(attempt))
    out, stages = run_job(prepared, tmp_path / "tables", Keep.BEST, Cluster())
    assert len(urls_by_id(out)) == 3
    assert [stage.partition(":")[0] for stage in stages[:4]] == ["read", "pages", stages[2].partition(":")[0], "read"]
    assert f"{PREPARED[0]} and {PREPARED[1]}: reading again with other ids" in stages[2]


def test_two_urls_with_one_id_under_each_key_end_the_job(
    prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "derive_key", lambda *_: b"")
    with pytest.raises(CollisionError, match=f"same 64-bit id .*: {PREPARED[0]} and {PREPARED[1]}$"):
        run_job(prepared, tmp_path / "tables", Keep.BEST, Cluster())
    assert [path.name for path in tmp_path.iterdir() if "tables" in path.name] == []


def test_no_archive_gives_tables_without_rows(tmp_path: Path) -> None:
    (tmp_path / "empty.warc").write_bytes(b"")
    out, _ = run_job(tmp_path / "empty.warc", tmp_path / "tables", Keep.BEST, Cluster())
    for table in ("pages", "captures", "links", "languages", "sites", "answers/run=1", "answers/run=2"):
        assert pq.read_table(out / table, partitioning=None).num_rows == 0
