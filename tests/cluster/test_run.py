"""What Spark makes of some archives is what one machine makes of them."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import graphlang as gl

pytest.importorskip("pyarrow")

import pyarrow.parquet as pq

from graphlang import cluster
from graphlang.cluster import job, storage
from graphlang.cluster.partitions import Sizes, infer
from graphlang.cluster.spark_session import JobError, errors_in_one_line
from graphlang.content import registry
from graphlang.db.write.choose_capture import Keep
from graphlang.files import OutputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

LONG = "Das Museum am Hafen zeigt alte Boote, Netze und Karten. Morgens öffnet eine Frau die Tür."
#: By name what is to be equal: rows without ids.
QUERIES = {
    "captures": "SELECT url, status, date, mime, charset, charset_from, length, size, digest, revisit_of, captures,"
    " revisit_date, parts, offset, sources.name FROM captures JOIN pages ON pages.id = page JOIN sources ON"
    " sources.id = source",
    "originals": "SELECT pages.url, o.url FROM captures JOIN pages ON pages.id = page LEFT JOIN pages AS o ON o.id ="
    " original",
    "texts": "SELECT url, title, text, main FROM texts JOIN pages ON pages.id = page",
    "declarations": "SELECT url, source, value FROM declarations JOIN pages ON pages.id = page",
    "history": "SELECT url, sources.name, offset, date, status, mime, charset, charset_from, length, size, digest,"
    " parts, whole, title, text, main FROM history JOIN pages ON pages.id = page JOIN sources ON sources.id = source",
    "history links": "SELECT one.url, date, other.url, kind, nofollow, hreflang, place FROM history_links"
    " JOIN history ON history.id = capture JOIN pages AS one ON one.id = page JOIN pages AS other ON other.id = target",
    "pages": "SELECT url, hosts.host, domain, suffix, tld FROM pages JOIN hosts ON hosts.id = pages.host",
    "links": "SELECT source_url, target_url, kind, nofollow, hreflang, place FROM link_details",
    "problems": "SELECT name, offset, url, kind, reason FROM problems JOIN sources ON sources.id = source",
    "sources": "SELECT name, sha256, bytes, keep, options, finished FROM sources",
    "scores": "SELECT url, rank, label, score FROM page_scores JOIN pages ON pages.id = page"
    " JOIN runs ON runs.id = run WHERE runs.kind = 'content'",
    "predictions": "SELECT url, labels.label, confidence, characters, read FROM predictions JOIN pages ON pages.id ="
    " page JOIN labels ON labels.id = predictions.label JOIN runs ON runs.id = run WHERE runs.kind = 'content'",
}

#: What a table of a report is sorted by, as it is, where people see it rounded.
_VALUE = re.compile(r'data-value="\d+\.\d+(?:e-\d+)?"')


def _rounded(value: re.Match[str]) -> str:
    """Spark adds up in the order in which its tasks end, so that the last digits change from time to time."""
    return f'data-value="{float(value[0][12:-1]):.9f}"'


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return sorted(connection.execute(query).fetchall(), key=repr)


@pytest.fixture(scope="module")
def one_machine(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("one") / "crawl.db"
    crawl = gl.open(path)
    crawl.ingest(archives, keep="all")
    crawl.classify()
    crawl.propagate()
    assert list(crawl.pages(everything=True))  # which asks for the URLs that were only linked to
    return path


@pytest.mark.parametrize("name", QUERIES)
def test_the_imported_database_holds_what_one_machine_finds(name: str, imported: Path, one_machine: Path) -> None:
    found = rows(imported, QUERIES[name])
    assert found == rows(one_machine, QUERIES[name])
    assert found


def test_the_inference_finds_what_one_machine_finds(tables: Path, one_machine: Path) -> None:
    query = "SELECT url, language, script, runner_up, confidence FROM page_languages"
    told = pq.read_table(tables / "languages").to_pylist()
    found = {row["url"]: row for row in told}
    wanted = {row[0]: row[1:] for row in rows(one_machine, query)}
    assert found.keys() == wanted.keys()
    for url, (language, script, runner_up, confidence) in wanted.items():
        assert (found[url]["language"], found[url]["script"]) == (language, script), url
        assert found[url]["confidence"] == pytest.approx(confidence, abs=0.05), url
        assert (found[url]["runner_up"] is None) == (runner_up is None)
    assert {row["method"] for row in told} == {"propagation"}
    anna = found["http://museum.example/anna.html"]
    assert (anna["language"], anna["fetched"], anna["characters"]) == ("deu", 1, 4)


def test_sites_are_those_of_the_languages(tables: Path, imported: Path) -> None:
    columns = ("host", "domain", "suffix", "tld", "language", "pages", "unfetched", "length")
    found = pq.read_table(tables / "sites").to_pylist()
    wanted = rows(imported, f"SELECT {', '.join(columns)} FROM site_languages")
    assert sorted((tuple(row[name] for name in columns) for row in found), key=repr) == wanted


def test_verbs_work_on_the_imported_database(imported: Path) -> None:
    crawl = gl.open(imported)
    assert [run.kind for run in crawl.runs()] == ["content", "propagation"]
    assert crawl.explain("http://museum.example/anna.html").language == "deu"
    assert not crawl.explain("http://museum.example/anna.html").stale
    assert {row.site for row in crawl.sites(by="domain")} == {"museum.example", "musee.example", "other.example"}


def test_nothing_is_left_beside_the_tables(tables: Path, imported: Path) -> None:
    left = {path.name for path in tables.parent.iterdir() if not path.name.endswith(("-wal", "-shm"))}
    assert left == {tables.name, imported.name}


def test_the_report_is_the_same_page(
    tables: Path, imported: Path, tmp_path: Path, graphlang: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    for verb, given, name in ((("cluster", "report"), tables, "a.html"), (("report",), imported, "b.html")):
        assert graphlang(*verb, given, "-o", tmp_path / name, "--title", "x").exit_code == 0
    found, wanted = (_VALUE.sub(_rounded, (tmp_path / name).read_text()) for name in ("a.html", "b.html"))
    assert found == wanted
    assert "museum.example" in found
    assert len(_VALUE.findall(found)) > 5


def test_what_a_job_wrote_is_counted_alike(
    spark: Any, tables: Path, imported: Path, rounded: Callable[..., Any]
) -> None:
    crawl = gl.open(imported)
    assert rounded(cluster.sites(spark, str(tables), "domain")) == rounded(crawl.sites(by="domain"))


def test_a_folder_that_exists_is_left_alone(spark: Any, archives: Path, tables: Path) -> None:
    before = sorted(path.name for path in tables.iterdir())
    with pytest.raises(OutputError, match=r"tables exists; name another folder, or replace it with --overwrite"):
        job.run(spark, [str(archives)], str(tables), keep=Keep.BEST)
    assert sorted(path.name for path in tables.iterdir()) == before


def test_of_two_jobs_that_end_at_once_the_second_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, exists = tmp_path / "out", storage.Location.exists
    # The first one gives its folder the name after the second has seen that nobody has it.
    out.mkdir()
    (out / "first").write_text("1")
    seen: list[bool] = []

    def late(location: storage.Location) -> bool:
        if location.address == str(out) and len(seen) < 2:
            seen.append(False)
            return False
        return exists(location)

    monkeypatch.setattr(storage.Location, "exists", late)
    with pytest.raises(OutputError, match="was written by another job meanwhile") as refused:  # noqa: SIM117, PT012
        with storage.replacing(str(out), key="key") as part:
            part.make()
            (part / "second").write(b"2")
    assert [one.name for one in out.iterdir()] == ["first"]
    assert part.address in str(refused.value)
    assert [one.name for one in part.children()] == ["second"]


def test_folders_are_no_patterns(spark: Any, tmp_path: Path) -> None:
    folder = storage.Location.of(str(tmp_path / "out [2] {x}*")) / "table"
    spark.range(3).write.parquet(folder.for_spark_to_write)
    assert sorted(map(tuple, spark.read.parquet(folder.for_spark).collect())) == [(number,) for number in range(3)]
    assert len(folder.files(".parquet")) > 0


def test_a_partition_beyond_the_limit_is_told_in_a_line(spark: Any, tables: Path, tmp_path: Path) -> None:
    pages, links, answers = (spark.read.parquet(str(tables / name)) for name in ("pages", "links", "answers/run=1"))
    words = r"partition \d has \d+ links, more than the limit of 1; its largest host is \w+\.example with \d+ of \d+"
    with pytest.raises(JobError, match=f"^Spark gave up: {words} pages[^\n]*$"), errors_in_one_line():
        infer(pages.join(answers, "page", "left"), links, str(tmp_path / "work"), sizes=Sizes(2, 4, most_links=1))


def test_partitions_can_do_without_what_was_only_linked_to(spark: Any, tables: Path, tmp_path: Path) -> None:
    every, links, answers, captures = (
        spark.read.parquet(str(tables / name)) for name in ("pages", "links", "answers/run=1", "captures")
    )
    pages = every.join(answers, "page", "left").join(captures.select("page", "declared"), "page", "left")
    labels = registry.load("nfc").labels
    done = infer(pages, links, str(tmp_path / "work"), labels=labels, sizes=Sizes(2, 100), linked=False)
    inside = {row.page for row in spark.read.parquet(str(tmp_path / "work" / "inside")).collect()}
    urls = {row["page"]: row["url"].partition("//")[2] for row in pq.read_table(tables / "pages").to_pylist()}
    assert {urls[page] for page in urls.keys() - inside} == {"museum.example/only-old.html"}  # nothing kept links to it
    wanted = {row["page"]: row for row in pq.read_table(tables / "answers/run=2", partitioning=None).to_pylist()}
    found = {row.page: row for row in done.answers.collect()}
    assert found.keys() == {page for page, row in wanted.items() if row["scores"]}
    for page, row in found.items():
        assert row.label == wanted[page]["label"]
        assert row.confidence == pytest.approx(wanted[page]["confidence"], abs=0.05)


def test_columns_of_ones_own_stay_beside(spark: Any) -> None:
    rows = [("a1", LONG), ("b2", None)]
    posts = spark.createDataFrame(rows, "post string, text string")
    found = {row.post: row for row in cluster.classify(posts).collect()}
    assert (found["a1"].label, found["a1"].text, found["b2"].label) == ("deu", LONG, None)
    with pytest.raises(ValueError, match="there is no column text among post; classify reads text, title"):
        cluster.classify(posts.select("post"))


def test_pages_of_ones_own_are_inferred(spark: Any, tmp_path: Path) -> None:
    """Of them there is what `classify` says, and nothing of what they declare."""
    texts = {number: f"{LONG} Saal {number}." for number in range(1, 6)} | {6: "Anna"}
    rows = [(number, f"http://a.example/{number}", "example", text) for number, text in texts.items()]
    pages = cluster.classify(spark.createDataFrame(rows, "page long, url string, tld string, text string"))
    kinds = "source long, target long, kind string, hreflang string, place int"
    links = spark.createDataFrame([(number, 6, "anchor", None, 0) for number in range(1, 6)], kinds)
    found = {row.page: row.label for row in cluster.propagate(pages, links, str(tmp_path / "work")).collect()}
    assert found == dict.fromkeys(texts, "deu")
    with pytest.raises(
        ValueError, match="there is no column label among page, url, tld; propagate reads page, url, tld, "
    ):
        cluster.propagate(pages.select("page", "url", "tld"), links, str(tmp_path / "other"))


@pytest.mark.parametrize("sizes", [Sizes(1), Sizes(3, 2)], ids=["one task", "hosts that are cut"])
def test_the_script_of_a_page_without_text_is_that_of_its_host(sizes: Sizes, spark: Any, tmp_path: Path) -> None:
    """Most texts are in simplified characters, those of one host in traditional ones."""
    rows = [
        (10 * number + page, f"http://{host}.example/{page}/", "example", label, 900, [(label, 0.99)])
        for number, (host, label, count) in enumerate([("a", "zho_Hant", 4), ("b", "zho_Hans", 6)])
        for page in range(count)
    ]
    rows += [
        (7, "http://a.example/x", "example", None, None, None),
        (8, "http://b.example/zh-tw/", *("example", *[None] * 3)),
    ]
    scores = "scores array<struct<label:string,score:float>>"
    columns = f"page long, url string, tld string, label string, characters long, {scores}"
    pages = spark.createDataFrame(rows, columns).selectExpr("*", "IF(label IS NULL, NULL, page) AS read")
    kinds = "source long, target long, kind string, hreflang string, place int"
    links = spark.createDataFrame([(1, 7, "anchor", None, 0), (11, 8, "anchor", None, 0)], kinds)
    done = infer(pages, links, str(tmp_path / "work"), sizes=sizes)
    assert {row.page: row.label for row in done.answers.collect() if row.page in {7, 8}} == {
        7: "zho_Hant",
        8: "zho_Hant",
    }


def test_archives_that_vanish_are_problems_and_the_rest_goes_on(
    spark: Any,
    archives: Path,
    tmp_path: Path,
    graphlang: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    del spark  # which the verb takes
    shutil.copytree(archives, folder := tmp_path / "archives")
    find, distinct = job.find_archives, job._drop_duplicates

    def found(*given: Any) -> Any:
        listed = find(*given)
        (folder / "a.warc.gz").unlink()  # before its bytes are looked at
        return listed

    def read(*given: Any) -> Any:
        known = distinct(*given)
        (folder / "d.warc.gz").unlink()  # when its bytes are known
        return known

    monkeypatch.setattr(job, "find_archives", found)
    monkeypatch.setattr(job, "_drop_duplicates", read)
    told = graphlang("cluster", "run", folder, "-o", tmp_path / "tables", "--no-linked")
    assert told.exit_code == 1, told.stderr
    assert "3 archives: 5 pages read" in told.stderr
    assert "2 problems" in told.stderr
    rows = pq.read_table(tmp_path / "tables" / "problems").to_pylist()
    assert sorted((Path(row["file"]).name, row["kind"], row["reason"]) for row in rows) == [
        ("a.warc.gz", "unreadable", "No such file or directory"),
        ("d.warc.gz", "unreadable", "No such file or directory"),
    ]
    named = pq.read_table(tmp_path / "tables" / "sources").to_pylist()
    assert [(Path(row["name"]).name, row["bytes"] > 0) for row in sorted(named, key=lambda row: row["source"])] == [
        ("a.warc.gz", False),
        ("b.warc.gz", True),
        ("d.warc.gz", True),
    ]
    rows = pq.read_table(tmp_path / "tables" / "languages").to_pylist()
    kinds = {(row["fetched"], row["pending"], row["language"] == "und") for row in rows}
    assert kinds == {(1, 0, False), (1, 0, True), (0, 1, True)}
    # One is in no known language; of the other the text went with its archive, and its URL tells little.
    unknown = [row["url"] for row in rows if row["fetched"] and row["language"] == "und"]
    assert sorted(unknown) == ["http://museum.example/again.html", "http://other.example/2"]
    (propagation,) = (row for row in pq.read_table(tmp_path / "tables" / "runs").to_pylist() if row["chosen"])
    assert (propagation["linked"], propagation["pages"]) == (0, sum(row["fetched"] for row in rows) - len(unknown))
