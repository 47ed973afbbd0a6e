"""The same pages are counted wherever pages are counted: verbs, exports, views, report, the SQL of the documents."""

from __future__ import annotations

import csv
import json
import os
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import graphlang as gl
from graphlang.maps.selection import Selection
from graphlang.maps.sites import read_language_map

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("GRAPHLANG_DATA", ROOT.parent / "shared" / "data"))
ARCHIVES = {
    "example": ROOT / "examples" / "crawl.warc.gz",
    "aut": DATA / "warc" / "aut" / "example.warc.gz",
    "revisits": DATA / "warc" / "webarchive-discovery",
}


@pytest.fixture(scope="module", params=ARCHIVES)
def crawl(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[gl.Collection]:
    archive = ARCHIVES[request.param]
    if not archive.exists():
        pytest.skip(f"there is no {archive}")
    with gl.open(tmp_path_factory.mktemp("sums") / "crawl.db") as made:
        made.run(archive)
        yield made


def read(pages: dict[str, int]) -> dict[str, int]:
    """Without the languages that only URLs that were not read are in."""
    return {language: count for language, count in pages.items() if count}


@pytest.fixture(scope="module")
def counted(crawl: gl.Collection) -> dict[str, int]:
    return read({row.language: row.pages for row in crawl.languages()})


@pytest.mark.parametrize("by", ["host", "domain", "suffix", "tld", "country", "path", "year"])
def test_sites(crawl: gl.Collection, counted: dict[str, int], by: str) -> None:
    found: Counter[str] = Counter()
    shares: Counter[str] = Counter()
    for row in crawl.sites(by=by):
        assert row.low <= row.expected + 1
        assert row.expected - 1 <= row.high
        found[row.language] += row.pages
        shares[row.site] += row.share
    assert read(found) == counted
    assert all(share == pytest.approx(1, abs=1e-6) or share == 0 for share in shares.values())


def test_pages(crawl: gl.Collection, counted: dict[str, int]) -> None:
    condition = "(status IS NULL OR status = 200) AND charset IS NOT NULL"
    rows = crawl.db.query(f"SELECT url FROM page_languages WHERE fetched AND {condition}")
    of_text = {row["url"] for row in rows}
    assert Counter(row.language for row in crawl.pages() if row.url in of_text) == counted
    assert {row.url for row in crawl.pages()} == of_text


def test_the_view_counts_all_that_was_read(crawl: gl.Collection, counted: dict[str, int]) -> None:
    crawl.answer_unfetched()
    with closing(sqlite3.connect(crawl.path)) as connection:
        rows = list(read_language_map(connection, selection=Selection(everything=True, min_confidence=0.0)))
        view = connection.execute("SELECT host, language, pages, unfetched FROM site_languages").fetchall()
    told = [(row.site, row.language, row.pages, row.unfetched) for row in rows]
    assert sorted(row for row in told if row[2:] != (0, 0)) == sorted(view)  # the others are second languages of pages
    assert sum(row.pages for row in rows) > sum(counted.values())


def test_the_sql_of_the_documents(crawl: gl.Collection, counted: dict[str, int]) -> None:
    page = (ROOT / "docs" / "howto" / "duckdb-pandas.md").read_text(encoding="utf-8")
    (sql,) = re.findall(r'"\s*(SELECT IIF[^"]*status = 200[^"]*) LIMIT 5"', page)
    assert {row["language"]: row["pages"] for row in crawl.db.query(sql)} == counted


def test_info_and_report(crawl: gl.Collection, counted: dict[str, int], tmp_path: Path) -> None:
    facts = [(fact.what, fact.value, fact.count) for fact in crawl.info()]
    assert {value: count for what, value, count in facts if what == "language of pages of text"} == counted
    assert ("pages of text with status 200", None, sum(counted.values())) in facts
    crawl.report(tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    languages = len(set(counted) - {"und", "zxx"})
    cards = dict(re.findall(r"<dt>([a-z ]+)</dt><dd>([\d,]+)</dd>", report))
    pages = cards.get("pages") or cards["page"]
    assert int(pages.replace(",", "")) == sum(counted.values())
    assert int(cards.get("languages") or cards["language"]) == languages


def test_the_report_the_languages_and_sql_have_the_same_numbers(crawl: gl.Collection, tmp_path: Path) -> None:
    """Expected pages, their interval, shares and answers; the summary has the shares of the table."""
    crawl.report(tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    cell = r'<td class="[^"]*" data-value="([^"]*)">([^<]*)</td>'
    table = {
        language: re.findall(cell, row) for language, row in re.findall(r'<tr data-language="(\w+)">(.*?)</tr>', report)
    }
    rows = {row.language: row for row in crawl.languages()}
    assert table.keys() == rows.keys()
    for language, row in rows.items():
        (expected, _), (low, interval), (share, percent), _, _, (pages, _), *_ = table[language]
        assert (float(expected), int(low), float(share), int(pages)) == (row.expected, row.low, row.share, row.pages)
        assert interval == f"{row.low:,}–{row.high:,}"
        name = re.escape(row.name)
        assert re.findall(rf"{name} \(([^)]*%)(?: of the pages)?\)", report.partition("</nav>")[0]) in ([], [percent])
    page = (ROOT / "docs" / "howto" / "duckdb-pandas.md").read_text(encoding="utf-8")
    (sql,) = re.findall(r'"\s*(WITH pages AS [^"]*) LIMIT 5"', page)
    by_sql = {row["language"]: row for row in crawl.db.query(sql)}
    for language, row in rows.items():
        assert (by_sql[language]["pages"] or 0) == row.pages
        assert by_sql[language]["expected"] == pytest.approx(row.expected)


@pytest.mark.parametrize("what", ["hosts", "domains", "sites", "languages"])
def test_exports(crawl: gl.Collection, counted: dict[str, int], tmp_path: Path, what: str) -> None:
    crawl.export(tmp_path / "export.csv", what)
    with (tmp_path / "export.csv").open(encoding="utf-8", newline="") as file:
        assert sum(int(row["pages"]) for row in csv.DictReader(file)) == sum(counted.values())


@pytest.mark.parametrize(
    "filters", [{}, {"everything": True}, {"status": 404}, {"mime": "text/html", "max_length": 500}]
)
def test_texts_exports_and_reviews(crawl: gl.Collection, tmp_path: Path, filters: dict[str, Any]) -> None:
    pages = {row.url for row in crawl.pages(min_length=1, **filters)}
    assert {row.url for row in crawl.texts(min_length=1, **filters)} == pages
    for what in ("texts", "pages"):
        crawl.export(tmp_path / "export.jsonl", what, min_length=1, **filters)
        lines = (tmp_path / "export.jsonl").read_text(encoding="utf-8").splitlines()
        assert {json.loads(line)["url"] for line in lines} == pages
    fetched = {row.url for row in crawl.pages(min_length=1, fetched=True, **filters)}
    assert {row.url for row in crawl.sample(count=10**6, min_length=1, **filters)} == fetched
    assert {row.url for row in crawl.review(count=10**6, min_length=1, **filters)} <= fetched


def test_the_language_graph_of_pages_that_were_read(crawl: gl.Collection, counted: dict[str, int]) -> None:
    crawl.answer_unfetched()
    told = {language: pages for language, pages in counted.items() if language not in {"und", "zxx"}}
    assert dict(crawl.language_graph(fetched=True).nodes(data="pages")) == told
    with_linked = crawl.language_graph()
    assert sum(pages for _, pages in with_linked.nodes(data="pages")) > sum(told.values())
    condition = (
        "fetched AND (status IS NULL OR status = 200) AND charset IS NOT NULL AND language NOT IN ('und', 'zxx')"
    )
    (links,) = crawl.db.query(
        "SELECT COUNT(*) AS number FROM links"
        f" JOIN (SELECT page AS source, domain AS begins FROM page_languages WHERE {condition}) USING (source)"
        f" JOIN (SELECT page AS target, domain AS ends FROM page_languages WHERE {condition}) USING (target)"
        " WHERE begins <> ends"
    )
    assert crawl.language_graph(fetched=True).size("links") == links["number"]
