"""The library: a verb is a method, rows are lazy, and what is exported is documented."""

from __future__ import annotations

import inspect
import json
import pickle
import re
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import graphlang as gl
from graphlang.cli import cli
from graphlang.db import connection
from graphlang.db.remove import Removal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DOCUMENT = Path(__file__).parents[2] / "docs" / "library.md"
SITE = "http://museum.example/"
HOME, MAPS, ANNA, MISSING = (SITE + name for name in ("", "karten.html", "anna.html", "nie-geholt.html"))
MUSEE, LUC = (f"http://musee.example/{name}" for name in ("", "luc.html"))


def test_the_main_job_by_methods(crawl: gl.Collection) -> None:
    content = crawl.classify()
    vote = crawl.vote(min_length=25, min_ref_length=25)
    final = crawl.propagate(weights={"cctld": 0})
    assert [run.id for run in crawl.runs()] == [content.id, vote.id, final.id] == [1, 2, 3]
    chosen = crawl.chosen()
    assert chosen is not None
    assert chosen.id == final.id
    assert final.parameters["signals"]["cctld"] == 0
    found = {page.url: page.language for page in crawl.pages(everything=True)}
    assert found == {HOME: "deu", MAPS: "deu", ANNA: "deu", MISSING: "deu", MUSEE: "fra", LUC: "zxx"}
    crawl.choose(content.id)
    assert crawl.explain(MUSEE).language == "fra"
    assert [page.url for page in crawl.pages(language="und", fetched=False)] == [MISSING]


def test_run_does_what_the_four_verbs_do(tmp_path: Path, museum: Path, crawl: gl.Collection) -> None:
    crawl.classify()
    crawl.vote()
    crawl.propagate()
    other = gl.open(tmp_path / "other.db")
    other.run(museum)
    assert list(other.pages()) == list(crawl.pages())


def test_counts_languages_texts_and_their_graph(crawl: gl.Collection) -> None:
    crawl.run()
    counts = {(fact.what, fact.value): fact.count for fact in crawl.info()}
    assert counts["pages", None] == 6
    assert counts["links", "anchor"] == 7
    assert counts["language of pages of text", "deu"] == 3
    assert [(one.language, one.pages) for one in crawl.languages() if one.pages] == [("deu", 3), ("fra", 1), ("zxx", 1)]
    (french,) = crawl.texts(language="French")
    assert (french.url, french.cut) == (MUSEE, 0)
    assert french.main.startswith("Le musée des marées")
    assert crawl.texts(language="oci").first() is None
    with pytest.raises(ValueError, match="unknown language 'qqqq'"):
        crawl.texts(language="qqqq")
    graph = crawl.language_graph(by="page")
    assert dict(graph.nodes(data="pages")) == {"deu": 4, "fra": 1}
    assert list(graph.edges(data="links")) == [("deu", "deu", 6)]
    with pytest.raises(ValueError, match="cannot group links by tld"):
        crawl.language_graph(by="tld")


def test_rows_are_read_at_each_access(crawl: gl.Collection) -> None:
    pages = crawl.pages(fetched=True)
    assert {page.language for page in pages} == {"und"}
    crawl.classify()
    assert [page.language for page in pages.head(2)] == ["deu", "deu"]
    assert pages.columns[0] == "url"
    assert pages.to_dicts()[0]["url"] == HOME
    assert crawl.pages(language="oci").first() is None


@pytest.mark.parametrize("to", ["to_pandas", "to_polars", "to_arrow"])
def test_tables_of_other_libraries(crawl: gl.Collection, to: str) -> None:
    library = {"to_pandas": "pandas", "to_polars": "polars", "to_arrow": "pyarrow"}[to]
    pytest.importorskip(library, reason=f"{library} is not installed")
    crawl.classify()
    rows = crawl.pages()
    table = getattr(rows, to)()
    urls = table.column("url").to_pylist() if to == "to_arrow" else list(table["url"])
    assert urls == [row.url for row in rows]
    empty = getattr(crawl.pages(language="oci"), to)()
    assert len(empty) == 0
    crawl.correct(SITE, language="ar", by="Asha")
    listed = [crawl.info(), crawl.languages(), crawl.languages(by="year"), crawl.sites(), crawl.texts()]
    for one in (*listed, crawl.problems(), crawl.review(), crawl.sample(), crawl.corrections(), crawl.compare(1, 1)):
        assert len(getattr(one, to)()) == len(list(one))


def test_links_are_a_sparse_matrix_of_kinds(crawl: gl.Collection) -> None:
    ids = {row["url"]: row["id"] - 1 for row in crawl.db["pages"].rows}
    links = crawl.links()
    assert links.shape == (6, 6)
    pairs = [(HOME, MAPS), (HOME, ANNA), (HOME, MISSING), (MAPS, ANNA), (MAPS, HOME), (ANNA, HOME), (MUSEE, LUC)]
    rows, columns = links.nonzero()
    assert set(zip(rows.tolist(), columns.tolist(), strict=True)) == {(ids[a], ids[b]) for a, b in pairs}
    kinds = {row["id"] + 1: row["name"] for row in crawl.db["link_kinds"].rows}
    assert {kinds[int(value)] for value in links.data} == {"anchor"}
    crawl.close()


def test_the_frontier_takes_a_language_by_any_name(crawl: gl.Collection) -> None:
    crawl.classify()
    crawl.propagate()
    wanted = list(crawl.frontier(want=["deu"]).tuples())
    assert [row[0] for row in wanted] == [MISSING]
    assert wanted[0][1] > 0.5
    for same in ("deu", "de", ["German"]):
        assert list(crawl.frontier(want=same).tuples()) == wanted
    assert crawl.frontier(saturated="de").first() == crawl.frontier(saturated=["deu"]).first()
    with pytest.raises(ValueError, match="unknown language 'xx'"):
        crawl.frontier(want="xx")


def test_a_changed_classifier_is_asked_again(crawl: gl.Collection) -> None:
    class Says:
        def __init__(self, german: float) -> None:
            self.labels = ("de", "fr")
            self._row = (german, 1 - german)

        def probabilities(self, texts: Sequence[str]) -> list[tuple[float, float]]:
            return [self._row] * len(texts)

    first, second = (crawl.classify(Says(german)) for german in (0.75, 0.25))
    assert first.id < second.id
    assert {page.language for page in crawl.pages(fetched=True)} == {"fra", "zxx"}
    assert crawl.propagate().seeds == (second.id,)


def test_what_cannot_be_done_is_said(tmp_path: Path, crawl: gl.Collection) -> None:
    with pytest.raises(gl.StoreError, match="nothing is classified yet"):
        crawl.vote()
    with pytest.raises(ValueError, match="no weight is called ccltd; there are"):
        crawl.propagate(weights={"ccltd": 0})
    no_number: Any = {"cctld": "0.5"}
    with pytest.raises(ValueError, match=r"^the weight cctld is '0\.5', which is not a number$"):
        crawl.propagate(weights=no_number)
    with pytest.raises(ValueError, match="unknown language 'no language'"):
        crawl.pages(language="no language")
    with pytest.raises(ValueError, match="choose one"):
        crawl.vote(outlinks=True, clueweb09=True)
    with pytest.raises(gl.StoreError, match="no such database"):
        gl.open(tmp_path / "none.db").pages().first()
    with pytest.raises(gl.StoreError, match="does not exist"):
        gl.open(tmp_path / "no" / "folder.db")
    (tmp_path / "text.db").write_text("this is no database")
    with pytest.raises(gl.StoreError):
        gl.open(tmp_path / "text.db")
    with pytest.raises(TypeError, match="takes a list of texts"):
        gl.identify("Nebel im Tal")
    with pytest.raises(AttributeError, match="no attribute 'classify'"):
        gl.classify  # noqa: B018


def test_what_another_program_does_to_the_file_is_said_as_a_store_error(
    crawl: gl.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was an error of sqlite3, which is not documented."""
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.05)
    crawl.classify()
    with closing(sqlite3.connect(crawl.path)) as other:
        other.execute("BEGIN IMMEDIATE")
        for write in (crawl.classify, crawl.vote, lambda: crawl.correct(SITE, language="ar", by="Asha"), crawl.run):
            with pytest.raises(gl.StoreError, match=r"^cannot use .*crawl\.db: database is locked$"):
                write()  # type: ignore[operator]
        assert len(list(crawl.pages(fetched=True))) == 5  # who only reads is not kept waiting


def test_what_leaves_a_collection(tmp_path: Path, crawl: gl.Collection) -> None:
    crawl.classify()
    assert crawl.export(tmp_path / "pages.jsonl", "pages", language="deu") == []
    lines = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text("utf-8").splitlines()]
    assert [line["url"] for line in lines] == [row.url for row in crawl.pages(language="deu")]
    with pytest.raises(ValueError, match=r"^cannot export everything; there are pages, sites"):
        crawl.export(tmp_path / "x", "everything")
    with pytest.raises(ValueError, match=r"^cannot group vertices-edges by page; there are host, domain$"):
        crawl.export(tmp_path / "x", "vertices-edges", by="page")
    with pytest.raises(ValueError, match=r"is a folder$"):
        crawl.export(tmp_path, "pages")
    crawl.report(tmp_path / "crawl.html", title="Tides & maps")
    assert "<title>Languages of Tides &amp; maps" in (tmp_path / "crawl.html").read_text("utf-8")
    for write in (crawl.report, lambda path: crawl.export(path, "pages")):
        with pytest.raises(OSError, match=r"it is the database$"):
            write(crawl.path)


def test_pages_are_removed_and_can_be_let_in_again(crawl: gl.Collection) -> None:
    crawl.classify()
    done = crawl.remove(ANNA, hosts=["nowhere.example"])
    assert isinstance(done, Removal)
    assert (done.pages, done.unknown) == (1, 1)
    assert ANNA not in [row.url for row in crawl.pages()]
    assert crawl.remove(ANNA, forget=True) == 1
    with pytest.raises(ValueError, match=r"^'ftp://a.example/' is no"):
        crawl.remove("ftp://a.example/")


def test_read_gives_pages_and_problems(tmp_path: Path, museum: Path) -> None:
    assert [item.url for item in gl.read(museum)] == [HOME, MAPS, ANNA, MUSEE, LUC]
    cut = tmp_path / "cut.warc.gz"
    cut.write_bytes(museum.read_bytes()[:-30])
    assert {type(item) for item in gl.read(cut)} == {gl.Page, gl.Problem}


#: Verb -> the method that it is; verbs that need no database, or print what is made for people, have none.
COMMANDS = {"language_graph": "language-graph"}
VERBS = (
    *("run", "ingest", "classify", "vote", "propagate", "pages", "sites", "problems", "frontier", "compare"),
    *("runs", "explain", "evaluate", "correct", "corrections", "review"),
    *("info", "languages", "texts", "language_graph", "export", "report", "remove", "tune"),
)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_a_method(verb: str) -> None:
    assert COMMANDS.get(verb, verb) in cli.commands
    assert callable(getattr(gl.Collection, verb))


def test_what_is_exported_is_what_is_documented() -> None:
    documented = re.findall(r"^### `gl\.(\w+)", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted([*documented, "__version__"]) == sorted(gl.__all__)
    for name in gl.__all__:
        assert getattr(gl, name) is not None
    methods = {
        name
        for name, member in inspect.getmembers(gl.Collection)
        if not name.startswith("_") and (callable(member) or isinstance(member, property))
    }
    written = set(re.findall(r"^\| `crawl\.(\w+)", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE))
    assert written == methods, "docs/library.md has a line for each"


def test_importing_the_package_imports_nothing_heavy() -> None:
    script = "import sys, graphlang; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & {"numpy", "scipy", "sqlite3", "click", "graphlang.collection"}


def test_pages_count_by_the_same_arguments_everywhere(crawl: gl.Collection, tmp_path: Path) -> None:
    crawl.classify()
    crawl.propagate()
    long: gl.PageFilter = {"language": ["deu", "fra"], "min_length": 100, "fetched": True, "status": 200}
    assert [(row.site, row.pages) for row in crawl.sites(**long)] == [("museum.example", 2), ("musee.example", 1)]
    assert [(row.language, row.pages) for row in crawl.languages(**long)] == [("deu", 2), ("fra", 1)]
    assert [row.url for row in crawl.texts(main=True, limit=2, **long)] == [HOME, MAPS]
    assert crawl.texts(main=True).columns == tuple(name for name in crawl.texts().columns if name != "text")
    assert crawl.export(tmp_path / "long.jsonl", "pages", **long) == []
    assert len((tmp_path / "long.jsonl").read_text("utf-8").splitlines()) == 3
    assert crawl.sites(mime="image/*").first() is None
    assert crawl.sites(by="domain,year").columns[:3] == ("domain", "year", "language")
    assert [row.year for row in crawl.sites(by="domain,year", **long)] == ["2026", "2026"]
    assert [row.language for row in crawl.sites(by="tld", scripts=True, **long)] == ["deu_Latn", "fra_Latn"]


def test_open_files_are_read_as_others(tmp_path: Path, museum: Path, write_warc: Callable[..., Path]) -> None:
    more = write_warc(tmp_path / "more.warc.gz", [("http://more.example/", b"<p>Ein Haus am See.")])
    read: list[int] = []
    with museum.open("rb") as file, gl.open(tmp_path / "piped.db") as piped:
        piped.run(more, file, on_ingested=lambda ingested: read.append(ingested.pages))
        assert [row["name"] for row in piped.db["sources"].rows] == [str(more), "-"]
        assert read == [6]
    assert not list(tmp_path.glob(".graphlang-*"))


def test_what_the_shown_run_lacks(crawl: gl.Collection, tmp_path: Path, write_warc: Callable[..., Path]) -> None:
    assert crawl.outdated() is None  # there is no run
    crawl.classify()
    crawl.propagate()
    assert (crawl.outdated(), crawl.answer_unfetched(), crawl.unanswered()) == (None, True, 0)
    crawl.ingest(write_warc(tmp_path / "more.warc.gz", [("http://more.example/", b"<p>Ein Haus am See.")]))
    assert crawl.outdated() == "changed"
    crawl.propagate(update=True)
    assert crawl.outdated() is None


def test_each_url_may_have_a_language_of_its_own(crawl: gl.Collection) -> None:
    assert crawl.correct((ANNA, "swa"), HOME, language="deu", by="Asha").pages == 2
    assert {row.url: row.language for row in crawl.corrections()} == {ANNA: "swa", HOME: "deu"}
    with pytest.raises(TypeError, match="needs language"):
        crawl.correct((ANNA, "swa"), HOME, by="Asha")


def test_labels_are_read_once_for_several_runs(crawl: gl.Collection, tmp_path: Path) -> None:
    one, two = crawl.classify(), crawl.propagate()
    gold = tmp_path / "gold.tsv"
    gold.write_text(f"url\tlanguage\n{HOME}\tde\n{ANNA}\tde\n{MUSEE}\tfr\n", "utf-8")
    labels = crawl.read_gold(gold)
    accuracy = [crawl.evaluate(labels, run=run.id).groups[0].accuracy for run in (one, two)]
    assert accuracy[1] == crawl.evaluate(gold).groups[0].accuracy == 1.0
    assert accuracy[0] < 1  # a name is too short for its text alone
    assert sum(row.pages for row in crawl.count_changes(one.id, two.id)) == len(list(crawl.compare(one.id, two.id)))
    assert crawl.tune(labels).pages == 3
    assert crawl.start_weights(even=True)["neighbours"] == 1.0
    gold.write_text("url\tlanguage\nhttp://elsewhere.example/\tde\n", "utf-8")
    with pytest.raises(gl.StoreError, match="is in this database: 1 URL that it does not have"):
        crawl.evaluate(gold)


def test_counts(crawl: gl.Collection) -> None:
    crawl.run()
    assert crawl.totals()[:4] == (5, 2, 0, 1)
    assert crawl.pages_by_language() == {"deu": 3, "fra": 1, "zxx": 1}
    assert [(row.language, row.charset, row.pages) for row in crawl.encodings()][:1] == [("deu", "utf-8", 3)]
    assert (crawl.count_problems(), crawl.has_anchor_texts()) == ({}, False)
    assert [(pair.source, pair.target, pair.links) for pair in crawl.links_of_languages(by="page").pairs] == [
        ("deu", "deu", 6)
    ]
    assert [site.site for site in crawl.links_of_sites(by="host").sites] == ["museum.example", "musee.example"]
    with pytest.raises(ValueError, match="cannot group sites by page; there are domain, host"):
        crawl.links_of_sites(by="page")


def test_threads_share_a_collection_and_processes_get_it_by_pickling(crawl: gl.Collection) -> None:
    crawl.classify()
    told = [(row.url, row.language) for row in crawl.pages(fetched=True)]
    copy = pickle.loads(pickle.dumps(crawl))  # noqa: S301 - our own
    with ThreadPoolExecutor(4) as threads:
        asked = [
            threads.submit(lambda: [(row.url, row.language) for row in copy.pages(fetched=True)]) for _ in range(8)
        ]
        assert [one.result() for one in asked] == [told] * 8
        assert threads.submit(count_pages, crawl.path).result() == 6


def count_pages(path: Path) -> int:
    """In a thread of its own: the connection of `db` belongs to the one that asked for it."""
    with gl.open(path) as own:
        return len(list(own.db["pages"].rows))
