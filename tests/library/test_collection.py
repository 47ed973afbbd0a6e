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
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import graphlang as gl
from graphlang.cli import cli
from graphlang.db import connection
from graphlang.db.remove import Removal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

DOCUMENT = Path(__file__).parents[2] / "docs" / "library.md"
SITE = "http://museum.example/"
HOME, MAPS, ANNA, MISSING = (SITE + name for name in ("", "karten.html", "anna.html", "nie-geholt.html"))
MUSEE, LUC = (f"http://musee.example/{name}" for name in ("", "luc.html"))


@pytest.fixture
def crawl(tmp_path: Path, museum: Path) -> Iterator[gl.Collection]:
    """The museum, read and not yet classified."""
    with gl.open(tmp_path / "crawl.db") as collection:
        assert collection.ingest(museum).pages == 5
        yield collection


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


def test_rows_are_read_when_they_are_looked_at_and_anew_each_time(crawl: gl.Collection) -> None:
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


@pytest.mark.parametrize(
    ("workers", "error", "words"),
    [(0, ValueError, "workers is 0"), (-1, ValueError, "is -1"), (1.5, TypeError, "float"), ("2", TypeError, "str")],
)
def test_there_is_at_least_one_worker(crawl: gl.Collection, workers: Any, error: type[Exception], words: str) -> None:
    crawl.classify()
    before = len(crawl.runs())
    asked: list[Callable[[], object]] = [
        lambda: gl.identify(["Der Nebel liegt im Tal."], workers=workers),
        lambda: list(gl.read(workers=workers)),
        lambda: crawl.ingest(workers=workers),
        lambda: crawl.run(workers=workers),
        lambda: crawl.classify(workers=workers),
        lambda: crawl.propagate(update=True, workers=workers),
        lambda: crawl.propagate_each_year(workers=workers),
    ]
    for ask in asked:
        with pytest.raises(error, match=words):
            ask()
    assert len(crawl.runs()) == before


def test_a_classifier_that_changed_is_asked_anew(crawl: gl.Collection) -> None:
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


def test_what_is_of_another_type_is_named(crawl: gl.Collection) -> None:
    wrong: Any = ["host", "year"]
    for name, ask in {
        "host": lambda: crawl.pages(host=wrong),
        "kind": lambda: crawl.problems(kind=wrong),
    }.items():
        with pytest.raises(TypeError, match=f"{name} is of type list, expected str"):
            ask()
    crawl.classify()
    with pytest.raises(TypeError, match="weights is of type list"):
        crawl.propagate(weights=wrong)
    with pytest.raises(TypeError, match="weights is of type list"):
        crawl.propagate_each_year(weights=wrong)


@pytest.mark.parametrize("value", [2, -0.1, float("nan"), "0.5", None])
def test_a_confidence_is_a_probability(crawl: gl.Collection, value: Any) -> None:
    asked = [crawl.pages, crawl.sites, crawl.languages, crawl.texts]
    for rows in asked:
        with pytest.raises(ValueError, match=r"^min_confidence is .*; it must be a number from 0 to 1$"):
            rows(min_confidence=value)
    if value is not None:
        with pytest.raises(ValueError, match=r"^below is "):
            crawl.pages(below=value)


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
    with pytest.raises(TypeError, match="put the one into a list"):
        gl.identify("Nebel im Tal")
    with pytest.raises(AttributeError, match="no attribute 'classify'"):
        gl.classify  # noqa: B018


@pytest.mark.parametrize("name", ["min_length", "min_ref_length", "max_links"])
def test_a_limit_of_a_vote_is_not_negative(crawl: gl.Collection, name: str) -> None:
    crawl.classify()
    with pytest.raises(ValueError, match=f"{name} is -1"):
        crawl.vote(**{name: -1})
    assert [run.kind for run in crawl.runs()] == ["content"]


@pytest.mark.parametrize("weight", [-1, float("nan"), float("inf")])
@pytest.mark.parametrize("name", ["cctld", "site"])
def test_a_weight_that_is_none_begins_no_run(crawl: gl.Collection, name: str, weight: float) -> None:
    crawl.classify()
    with pytest.raises(ValueError, match=f"{name} is {weight}; it must be a number that is not negative"):
        crawl.propagate(weights={name: weight})
    assert [run.kind for run in crawl.runs()] == ["content"]


def test_one_text_is_one_and_what_is_none_is_named(crawl: gl.Collection, tmp_path: Path) -> None:
    """A host given by itself was taken for its letters: a takedown of localhost would have been one of l, o, c, ..."""
    url = "http://museum.example/"
    assert crawl.correct(hosts="museum.example", language="ar", by="Asha").pages > 1
    assert crawl.undo_corrections(hosts="museum.example") > 1
    assert crawl.remove(hosts="museum.example").hosts == 1  # type: ignore[union-attr]
    assert crawl.remove(hosts=["museum.example"], forget=True) == 1
    wrong: list[tuple[str, Any]] = [
        ("hosts is of type int, expected str, or several of them", lambda: crawl.remove(hosts=3)),  # type: ignore[arg-type]
        (r"urls\[0\] is of type list, expected str", lambda: crawl.remove([url])),  # type: ignore[arg-type]
        (r"urls\[0\] is of type list", lambda: crawl.correct([url], language="ar", by="Asha")),  # type: ignore[arg-type]
        ("language is of type bytes", lambda: crawl.texts(language=b"deu")),  # type: ignore[arg-type]
        (r"language\[1\] is of type NoneType", lambda: crawl.pages(language=["deu", None])),  # type: ignore[list-item]
        ("language is of type int", lambda: crawl.export(tmp_path / "x", "pages", language=7)),  # type: ignore[arg-type]
        ("want is of type int", lambda: crawl.frontier(want=7)),  # type: ignore[arg-type]
    ]
    for words, ask in wrong:
        with pytest.raises(TypeError, match=words):
            ask()
    with pytest.raises(ValueError, match="count is 0; it must be 1 or more"):
        crawl.review(count=0)
    with pytest.raises(ValueError, match="min_confidence is 7; it must be a number from 0 to 1"):
        crawl.export(tmp_path / "x", "pages", min_confidence=7)


def test_numbers_of_a_table_are_numbers_and_others_are_named(crawl: gl.Collection) -> None:
    """A number of numpy was no run ("there is no run 1"); a vote with 2.5 links left a run that nobody could read."""
    one, two = np.int64(1), np.int64(2)
    crawl.classify(workers=one)  # type: ignore[arg-type]
    crawl.vote(seed=one, max_links=two)  # type: ignore[arg-type]
    assert crawl.runs()[1].parameters == {"max_links": 2, "min_length": 50, "min_ref_length": 150}
    assert crawl.propagate(seed=one, weights={"cctld": np.float32(0.5)}).seeds == (1,)  # type: ignore[arg-type,dict-item]
    crawl.choose(two)  # type: ignore[arg-type]
    assert crawl.chosen().id == 2  # type: ignore[union-attr]
    assert crawl.compare(one, one).first() is None  # type: ignore[arg-type]
    assert crawl.explain("http://museum.example/", run=one).run.id == 1  # type: ignore[arg-type]
    assert len(crawl.sample(count=one, draw=two).to_dicts()) == 1  # type: ignore[arg-type]
    assert len(crawl.pages().head(one)) == 1  # type: ignore[arg-type]
    wrong: list[tuple[str, Any]] = [
        ("before is of type str, expected int", lambda: crawl.compare("1", 2)),  # type: ignore[arg-type]
        ("run is of type str, expected int", lambda: crawl.explain("http://museum.example/", run="1")),  # type: ignore[arg-type]
        ("url is of type int, expected str", lambda: crawl.explain(3)),  # type: ignore[arg-type]
        ("run is of type float, expected int", lambda: crawl.frontier(run=2.0)),  # type: ignore[arg-type]
        ("seed is of type str, expected int", lambda: crawl.propagate(seed="1")),  # type: ignore[arg-type]
        ("max_links is of type float, expected int", lambda: crawl.vote(max_links=2.5)),  # type: ignore[arg-type]
        ("count is of type float, expected int", lambda: crawl.review(count=2.5)),  # type: ignore[arg-type]
        ("count is of type str, expected int", lambda: crawl.pages().head("3")),  # type: ignore[arg-type]
    ]
    for words, ask in wrong:
        with pytest.raises(TypeError, match=words):
            ask()
    with pytest.raises(ValueError, match="min_length is -2; it must be 0 or more"):
        crawl.vote(min_length=-2)
    assert len(crawl.runs()) == 3


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("language is of type list, expected str", ("correct", (SITE,), {"language": ["ar"], "by": "Asha"})),
        ("by is of type bytes, expected str", ("correct", (SITE,), {"language": "ar", "by": b"Asha"})),
        (
            "note is of type NoneType, expected str",
            ("correct", (SITE,), {"language": "ar", "by": "Asha", "note": None}),
        ),
        ("by is of type NoneType, expected str", ("undo_corrections", (SITE,), {"by": None})),
        ("by is of type bytes, expected str", ("read_review", ("x",), {"by": b"Asha"})),
        ("title is of type list, expected str", ("report", ("x",), {"title": ["a"]})),
        ("algorithm is of type list, expected str", ("propagate", (), {"algorithm": []})),
        ("weights is of type str, expected a mapping", ("propagate", (), {"weights": ""})),
        ("limits is of type str, expected Limits", ("ingest", ("x",), {"limits": ""})),
        ("title is of type float, expected bool", ("classify", (), {"title": float("nan")})),
        ("anchors is of type str, expected bool", ("classify", (), {"anchors": "no"})),
        ("shares is of type str, expected bool", ("classify", (), {"shares": "no"})),
        ("keep_chosen is of type str, expected bool", ("classify", (), {"keep_chosen": "no"})),
        ("keep_chosen is of type str, expected bool", ("propagate", (), {"keep_chosen": "no"})),
        ("outlinks is of type str, expected bool", ("vote", (), {"outlinks": "no"})),
        ("clueweb09 is of type str, expected bool", ("vote", (), {"clueweb09": "no"})),
        ("update is of type str, expected bool", ("propagate", (), {"update": "no"})),
        ("again is of type str, expected bool", ("ingest", ("x",), {"again": "no"})),
        ("follow_links is of type str, expected bool", ("ingest", ("x",), {"follow_links": "no"})),
        ("fetched is of type str, expected bool", ("pages", (), {"fetched": "no"})),
        ("declared_unlike is of type str, expected bool", ("pages", (), {"declared_unlike": "no"})),
        ("fetched is of type str, expected bool", ("compare", (1, 1), {"fetched": "no"})),
        ("fetched is of type str, expected bool", ("language_graph", (), {"fetched": "no"})),
        ("everything is of type str, expected bool", ("corrections", (), {"everything": "no"})),
        ("vacuum is of type str, expected bool", ("remove", (SITE,), {"vacuum": "no"})),
        ("forget is of type str, expected bool", ("remove", (SITE,), {"forget": "no"})),
        ("by is of type list, expected str", ("evaluate", ("x",), {"by": []})),
        ("csv_safe is of type str, expected bool", ("export", ("x", "pages"), {"csv_safe": "no"})),
    ],
)
def test_texts_and_truth_values_are_such(
    crawl: gl.Collection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    asked: tuple[str, tuple[Any, ...], dict[str, Any]],
) -> None:
    """The word "no" is true in Python: `forget="no"` let pages be read again that were to be removed."""
    monkeypatch.chdir(tmp_path)
    crawl.classify()
    verb, given, named = asked
    with pytest.raises(TypeError, match=f"^{words}"):
        getattr(crawl, verb)(*given, **named)
    assert (len(crawl.runs()), crawl.corrections().first()) == (1, None)
    assert crawl.pages(fetched=np.True_).first() is not None  # type: ignore[arg-type]


def test_what_another_program_does_to_the_file_is_said_as_a_store_error(
    crawl: gl.Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was an error of sqlite3, of which the documents say nothing."""
    monkeypatch.setattr(connection, "BUSY_SECONDS", 0.05)
    crawl.classify()
    with closing(sqlite3.connect(crawl.path)) as other:
        other.execute("BEGIN IMMEDIATE")
        for write in (crawl.classify, crawl.vote, lambda: crawl.correct(SITE, language="ar", by="Asha"), crawl.run):
            with pytest.raises(gl.StoreError, match=r"^cannot use .*crawl\.db: database is locked$"):
                write()  # type: ignore[operator]
        assert len(list(crawl.pages(fetched=True))) == 5  # who only reads is not kept waiting


HUGE = 10**400  # 1,329 bits, for 400 / log10(2) = 1328.8; no float holds it


@pytest.mark.parametrize(
    ("error", "words", "ask"),
    [
        (
            ValueError,
            "the weight cctld is a whole number of 1,329 bits",
            lambda c: c.propagate(weights={"cctld": HUGE}),
        ),
        (ValueError, "the weight site is a negative number of 1,329", lambda c: c.propagate(weights={"site": -HUGE})),
        (ValueError, "the weight rounds is a whole number of 1,329", lambda c: c.propagate(weights={"rounds": HUGE})),
        (ValueError, "rounds is 9223372036854775808; no", lambda c: c.propagate(weights={"rounds": 1 << 63})),
        (ValueError, "the weight url is 101; no weight can be above 100", lambda c: c.propagate(weights={"url": 101})),
        (ValueError, "the weight url is True, which is not a number", lambda c: c.propagate(weights={"url": True})),
        (ValueError, "seed is a whole number of 1,329 bits; it must be from", lambda c: c.vote(seed=HUGE)),
        (ValueError, "below is a whole number of 1,329 bits; it must be", lambda c: c.pages(below=HUGE)),
        (ValueError, "below is True; it must be a number from 0 to 1", lambda c: c.pages(below=True)),
        (ValueError, r"below is Decimal\('0.5'\); it must be", lambda c: c.pages(below=Decimal("0.5"))),
        (ValueError, r"below is array\(1\); it must be", lambda c: c.pages(below=np.array(1))),
        (ValueError, "draw is 18446744073709551616; it must be from 0 to", lambda c: c.sample(draw=1 << 64)),
        (TypeError, "count is of type ndarray, expected int", lambda c: c.review(count=np.array([1]))),
        (TypeError, "workers is of type bool, expected int", lambda c: c.classify(workers=True)),
    ],
)
def test_a_number_that_is_none_is_named(
    crawl: gl.Collection, error: type[Exception], words: str, ask: Callable[[gl.Collection], object]
) -> None:
    """Huge ones ended in numpy's "ufunc 'isfinite' not supported", or in "int too large to convert to float"."""
    crawl.classify()
    with pytest.raises(error, match=f"^{words}"):
        ask(crawl)
    assert len(crawl.runs()) == 1


def test_a_confidence_out_of_a_table_is_a_number(crawl: gl.Collection) -> None:
    """SQLite took a float32 for a blob, which is above every number: all pages were below .5, or none above."""
    crawl.classify()
    sure = [page.confidence for page in crawl.pages(fetched=True)]
    assert min(sure) < 0.75 < max(sure)
    for bound in (np.float32(0.75), np.float64(0.75), Fraction(3, 4), 0.75):
        assert len(crawl.pages(fetched=True, below=bound).to_dicts()) == sum(one < 0.75 for one in sure)  # type: ignore[arg-type]
        unsure = [page.language == "und" for page in crawl.pages(fetched=True, min_confidence=bound)]  # type: ignore[arg-type]
        assert sum(unsure) == sum(one < 0.75 for one in sure)
    assert len(crawl.pages().head(HUGE)) == len(crawl.pages().to_dicts())


def test_a_moment_is_text(crawl: gl.Collection) -> None:
    crawl.classify()
    with pytest.raises(TypeError, match="a moment is of type int, expected str"):
        crawl.propagate(at=2012)  # type: ignore[arg-type]


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


def test_read_names_what_is_of_another_type(museum: Path) -> None:
    for name, wanted in (("limits", "Limits"), ("follow_links", "bool")):
        given: Any = {name: "no"}
        with pytest.raises(TypeError, match=f"^{name} is of type str, expected {wanted}$"):
            list(gl.read(museum, **given))


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


@pytest.mark.parametrize(
    ("pages", "error", "words"),
    [
        ({"status": 1000}, ValueError, "1000 is no HTTP status"),
        ({"status": "200"}, TypeError, "status is of type str, expected int"),
        ({"mime": ["html"]}, ValueError, "'html' is no media type"),
        ({"min_length": 9, "max_length": 3}, ValueError, "no page has 9 characters or more and 3 or fewer"),
        ({"max_length": -1}, ValueError, "max_length is -1; it must be 0 or more"),
        ({"below": 2}, ValueError, "below is 2; it must be a number from 0 to 1"),
        ({"everything": "no"}, TypeError, "everything is of type str, expected bool"),
        ({"languages": "deu"}, TypeError, "no argument is called languages; there are language, min_confidence"),
    ],
)
def test_arguments_about_pages_are_checked_before_anything_is_read(
    crawl: gl.Collection, pages: dict[str, Any], error: type[Exception], words: str
) -> None:
    for ask in (crawl.sites, crawl.languages, crawl.texts, crawl.links_of_sites):
        with pytest.raises(error, match=f"^{words}"):
            ask(**pages)


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
