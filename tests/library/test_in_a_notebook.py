"""What a notebook needs: rows like a list that look like a table, short names of objects, a bar, DataFrames."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

import graphlang as gl
from graphlang.analysis.progress import SILENT, make_progress

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SITE = "http://museum.example/"


class _Letter(NamedTuple):
    letter: str


def rows(count: int = 12) -> tuple[gl.Rows[_Letter], list[int]]:
    """Rows a, b, c ..., and the number of times that they were read."""
    reads: list[int] = []

    def read() -> Iterator[tuple[str]]:
        reads.append(1)
        return ((chr(97 + number),) for number in range(count))

    return gl.Rows(_Letter._make, ("letter",), read), reads


@pytest.fixture
def crawl(tmp_path: Path, museum: Path) -> Iterator[gl.Collection]:
    with gl.open(tmp_path / "crawl.db") as collection:
        collection.run(museum)
        yield collection


@pytest.mark.parametrize(
    "place",
    [slice(3), slice(2, 9, 3), slice(-2, None), slice(None, None, -1), slice(20, 30), slice(2, -2)],
)
def test_slices_are_those_of_a_list(place: slice) -> None:
    assert rows()[0][place] == list(rows()[0])[place]


def test_rows_have_a_length_and_places_and_a_list_reads_them_once() -> None:
    letters, reads = rows()
    assert (len(letters), letters[1].letter, letters[-1].letter, bool(letters)) == (12, "b", "l", True)
    assert not rows(0)[0]
    with pytest.raises(IndexError, match="there is no row 12"):
        letters[12]
    with pytest.raises(ValueError, match="step"):
        letters[::0]
    reads.clear()
    assert len(list(letters)) == 12
    assert len(reads) == 1  # list() asks for the length as well
    assert len(letters) == 12


def test_a_notebook_shows_the_first_rows_and_no_markup_of_the_crawl() -> None:
    table = rows()[0]._repr_html_()
    assert re.findall("<td>(.)</td>", table) == list("abcdefghij")
    assert "more rows" in table
    assert "more rows" not in rows(10)[0]._repr_html_()
    hostile = gl.Rows(_Letter._make, ("letter",), lambda: [("<script>\x1b" + "x" * 200,)])
    assert "<td>&lt;script&gt;\\x1bxxx" in hostile._repr_html_()
    assert len(hostile._repr_html_()) < 250


def test_objects_have_short_names_and_an_explanation_has_words(crawl: gl.Collection) -> None:
    page = crawl.explain(f"{SITE}anna.html")
    assert re.fullmatch(r"<Explanation of http://museum.example/anna.html: deu [01]\.\d\d>", repr(page))
    assert repr(crawl.chosen()) == "<Run 3: propagation, 6 pages>"
    evaluation = crawl.evaluate([{"url": SITE, "language": "de"}])
    assert repr(evaluation).startswith("<Evaluation of run 3: 1 page, accuracy 1.000 (0.")
    lines = str(page).splitlines()
    assert lines[0] == f"{SITE}anna.html"
    assert lines[1].startswith("  answer      deu (German) in Latn, confidence")
    assert sum(f"inlink {SITE}" in line or "inlink" in line for line in page.to_text(0).splitlines()) == 0


def test_true_draws_a_bar_and_false_nothing(crawl: gl.Collection, capsys: pytest.CaptureFixture[str]) -> None:
    crawl.propagate(keep_chosen=True, weights={"site": 0}, progress=True)
    drawn = capsys.readouterr().err
    assert re.search(r"propagate\s+\S+ .*pages.*\n$", drawn)
    crawl.propagate(keep_chosen=True, weights={"site": 0.1}, progress=False)
    assert capsys.readouterr().err == ""
    assert make_progress(SILENT) is SILENT


@pytest.mark.parametrize("kind", ["pandas", "dictionaries", "Rows"])
def test_gold_labels_are_a_table_in_memory(crawl: gl.Collection, kind: str) -> None:
    labels = [{"url": SITE, "language": "de"}, {"url": f"{SITE}anna.html", "language": None}]
    table: Any = labels
    if kind == "pandas":
        table = pytest.importorskip("pandas").DataFrame(labels)
    elif kind == "Rows":
        table = crawl.pages(language="deu")
    assert crawl.evaluate(table).groups[0].accuracy == 1
    assert crawl.read_gold(table).empty == (0 if kind == "Rows" else 1)
    with pytest.raises(gl.StoreError, match="the table has no column language"):
        crawl.evaluate([{"url": SITE}])
    with pytest.raises(gl.StoreError, match="none of the pages of the table is in this database"):
        crawl.evaluate([{"url": "http://elsewhere.example/", "language": "de"}])


def test_several_values_may_have_commas_or_be_a_list(crawl: gl.Collection) -> None:
    assert list(crawl.pages(language="fra, deu")) == list(crawl.pages(language=["deu", "French"]))
    assert crawl.sites(["domain", "year"]).columns[:3] == ("domain", "year", "language")
    assert list(crawl.sites(["domain", "year"])) == list(crawl.sites("domain,year"))


def test_a_database_is_checked_without_being_opened(crawl: gl.Collection) -> None:
    assert not gl.check(crawl.path)
    with crawl._writing("test") as connection, connection:
        connection.execute("DELETE FROM hosts")
    assert {finding.table for finding in gl.check(crawl.path)} >= {"pages"}


def test_models_are_trained_and_extended(tmp_path: Path) -> None:
    texts = {"de": "Der Nebel liegt noch über dem Tal. ", "it": "La nebbia è ancora sopra la valle. "}
    for code, text in texts.items():
        (tmp_path / "corpus" / code).mkdir(parents=True)
        lines = [f"{text}{number} {text[number:]}" for number in range(30)]
        (tmp_path / "corpus" / code / "a.txt").write_text("\n".join(lines), encoding="utf-8")
    model = tmp_path / "own.npz"
    assert gl.train(model, tmp_path / "corpus", method="nfc-2004", minimum=500) == ("deu", "ita")
    assert gl.identify(["La nebbia"], method=model)[0].language == "ita"
    with pytest.raises(ValueError, match="url learns from URLs, and takes no words"):
        gl.train(model, tmp_path / "corpus", method="url", words=tmp_path)


def test_a_domain_is_removed_and_a_suffix_is_not(crawl: gl.Collection) -> None:
    removed = crawl.remove(domains="museum.example")
    assert {page.url for page in crawl.pages()} == {"http://musee.example/", "http://musee.example/luc.html"}
    assert getattr(removed, "hosts", 0) == 1
    assert crawl.remove(domains="museum.example", forget=True) == 1
    with pytest.raises(ValueError, match=r"co\.uk is not a registered domain"):
        crawl.remove(domains=["museum.example", "co.uk"])


def test_a_share_has_languages_and_reasons_and_no_texts_and_no_names(crawl: gl.Collection, tmp_path: Path) -> None:
    crawl.correct(f"{SITE}anna.html", language="ar", by="Asha Example", note="seen by Asha")
    texts = [row.text for row in crawl.texts()]
    assert any("Museum" in text for text in texts)
    path = tmp_path / "share.db"
    crawl.export(path, "share")
    content = path.read_bytes()
    for secret in [*texts, "Asha", str(tmp_path)]:
        assert secret.encode() not in content
    share = gl.open(path)
    assert list(share.pages()) == list(crawl.pages())
    assert list(share.sites()) == list(crawl.sites())
    assert share.explain(SITE).reasons == crawl.explain(SITE).reasons
    assert not gl.check(path)
    with pytest.raises(ValueError, match="a share has all pages"):
        crawl.export(tmp_path / "b.db", "share", language="deu")
    crawl.db.conn.close()
    with crawl._writing("test") as connection:
        connection.execute("CREATE TABLE notes (text)")
    with pytest.raises(ValueError, match="tables of your own may hold texts: drop table notes"):
        crawl.export(tmp_path / "b.db", "share")
    assert not (tmp_path / "b.db").exists()
