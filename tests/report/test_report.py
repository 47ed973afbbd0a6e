"""The report: what it says of a collection written by hand, and that nothing of a crawl can do anything in it."""

import html
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graphlang.collection import Collection
from graphlang.db import InputError, create, open_existing
from graphlang.report.facts import count_facts
from graphlang.report.page import render

Call = Callable[..., Any]
EVIL = (
    "</title></style></script><script>document.title='pwned'</script><img src=http://evil.example/x onerror=alert(1)>"
)


@pytest.fixture
def db(make_collection: Call, written: Any) -> Path:
    path: Path = make_collection(
        [
            written("http://a.example.de/", "deu", 0.99, own="deu", date="2010-01-01T00:00:00Z", links=(1, 2)),
            written("http://a.example.de/2", "deu", 0.9, own="und", own_confidence=0.0, text="Anna", title=EVIL),
            written("http://b.site.sg/", "zho_Hans", 0.8, own="zho_Hans", links=(0,)),
            written(f"http://c.other.uk/{EVIL}\u202e\x1b[2J", "eng", 0.9, own="fra", own_confidence=0.4, text="ok"),
            written("http://d.other.uk/x", "eng", 0.6, fetched=False),
            written("http://b.site.sg/404", "eng", status=404),
        ]
    )
    with closing(create(path)) as connection:
        connection.execute(
            "INSERT INTO problems (source, offset, url, kind, reason) VALUES (1, 5, ?, 'bad-url', ?)", (EVIL, EVIL)
        )
    return path


def page(db: Path, title: str = "crawl") -> str:
    with closing(open_existing(db)) as connection:
        return render(connection, title=title, now=datetime(2026, 1, 2, tzinfo=UTC))


def test_a_report_is_the_same_bytes_with_the_time_of_reproducible_builds(
    db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_existing(db)) as connection:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1234567890")
        assert "on 2009-02-13 23:31 UTC" in render(connection, title="crawl")
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday\x1b[2J")
        with pytest.raises(InputError, match=r"SOURCE_DATE_EPOCH is 'yesterday\\x1b\[2J', which is not a time"):
            render(connection, title="crawl")
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "9" * 30)
        with pytest.raises(InputError, match=r"9{30}"):
            render(connection, title="crawl")
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
        assert re.search(r"on 20[2-9]\d-\d\d-\d\d \d\d:\d\d UTC\.", render(connection, title="crawl"))


def test_the_facts(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        found = count_facts(connection)
    assert (found.pages, found.unfetched, found.captures, found.changed) == (4, 1, 5, 2)
    assert [(place.name, place.pages) for place in found.countries] == [("de", 2), ("gb", 1), ("sg", 1)]
    assert [(place.name, place.pages) for place in found.years] == [("2010", 1), ("2012", 3)]
    assert (found.short, found.resolved) == (2, 2)
    assert [(one.before, one.after) for one in found.changes] == [("fra", "eng"), ("und", "deu")]
    assert found.off_site
    assert [(one.letters, one.pages) for one in found.lengths] == [("1 to 24", 2), ("50 to 99", 2)]
    assert found.other_status == [("status 404", 1)]


def test_the_summary_in_words(db: Path) -> None:
    text = re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]*>", "", page(db))))
    cards = re.findall(r"<dt>([a-z ]+)</dt><dd>([\d,]+)</dd>", page(db))
    assert dict(cards) == {"pages": "4", "languages": "3", "settled by links": "2", "uncertain": "0", "problem": "1"}
    assert "The commonest language is German (53 % of the pages), then English (25 %) and Chinese (22 %)." in text
    assert "1 more URL was only linked to, and does not count here." in text
    assert "2 pages have fewer than 50 letters of text; 2 of them are in doubt by the text alone" in text
    assert "Main captures from 2010-01-01 to 2012-06-01." in text


def test_a_short_page_that_stays_in_doubt_is_not_among_those_that_links_resolve(
    make_collection: Call, written: Any
) -> None:
    doubtful = written("http://a.example.de/", "deu", 0.6, own="por", own_confidence=0.2, text="Foto 12")
    text = re.sub(r"\s+", " ", page(make_collection([doubtful])))
    assert "1 page has fewer than 50 letters of text; 0 of it are in doubt by the text alone" in text


def test_languages_that_may_not_be_there_are_named(make_collection: Call, written: Any) -> None:
    db = make_collection([written("http://a.example/", "deu", 1.0), written("http://a.example/2", "bos", 0.4)])
    text = re.sub(r"\s+", " ", html.unescape(re.sub("<[^>]*>", "", page(db))))
    assert "Possible, but maybe not there at all: Bosnian." in text
    with Collection(db) as crawl:  # they count, as in the summary of 'run'
        assert crawl.totals().languages == len(crawl.languages()) == 2
    assert "<dt>languages</dt><dd>2</dd>" in page(db)
    assert 'data-language="bos"' in page(db)


@pytest.mark.parametrize(("pages", "words"), [(1, "1 page is under"), (2, "2 pages are under")])
def test_pages_beside_the_map_are_counted(make_collection: Call, written: Any, pages: int, words: str) -> None:
    urls = ["http://a.de/", *(f"http://b.example/{number}" for number in range(pages))]
    assert f"{words} domains of no country" in page(make_collection([written(url, "deu", 1.0) for url in urls]))


def test_a_chart_has_a_gap_for_years_without_captures(make_collection: Call, written: Any) -> None:
    years = {2010: "deu", 2011: "eng", 2014: "deu"}
    pages = [
        written(f"http://a.example/{year}", language, 1.0, date=f"{year}-01-01") for year, language in years.items()
    ]
    chart = re.findall(r'aria-label="German: ([^"]*)">(.*?)</svg>', page(make_collection(pages)))[0]
    assert chart[0] == "2010 100 %, 2011 0 %, 2014 100 %"
    assert re.findall(r'class="none" x="([\d.]+)"', chart[1]) == ["0.0", "20.0", "80.0"]  # of five years


def test_bars_have_their_languages_in_one_order(make_collection: Call, written: Any) -> None:
    """German is the commonest of all, and stands first also where English is commoner."""
    languages = {"a.de": ["deu"] * 5, "b.de": ["eng", "eng", "deu"]}
    urls = [(f"http://{site}/{n}", one) for site, its in languages.items() for n, one in enumerate(its)]
    found = page(make_collection([written(url, language, 1.0, own=language) for url, language in urls]))
    (of_b,) = re.findall(r"<bdi>b.de</bdi>.*?</td>.*?</td>.*?</td>", found, re.DOTALL)
    assert re.findall(r"<title>(.*?)</title>", of_b) == ["German: 33 %", "English: 67 %"]
    assert "English 67 %, German 33 %" in found
    fills = re.findall(r'<title>(\w+): [^<]*</title><rect class="part" width="100%" height="100%" fill="(#\w+)"', found)
    assert len(set(fills)) == len(dict(fills)) == 2  # a language has one colour everywhere
    assert len(set(dict(fills).values())) == 2


def test_the_commonest_language_has_its_part_of_the_pages_and_bars_fit(make_collection: Call, written: Any) -> None:
    """Three pages in German, half English, two in English, one in French: by shares 3.48 of 6 are English, 1.5 German.

    Polish, Czech and Welsh, of which there are a few words, have no row.
    """
    mixed = (("deu", 0.5), ("eng", 0.5))
    shares = [mixed, mixed, mixed, (), (("eng", 0.98), ("pol", 0.01), ("ces", 0.005), ("cym", 0.005)), ()]
    languages = ["deu"] * 3 + ["eng"] * 2 + ["fra"]
    path = make_collection(
        [
            written(f"http://a.example/{n}", language, 1.0, own=language, shares=its)
            for n, (language, its) in enumerate(zip(languages, shares, strict=True))
        ]
    )
    found = page(path)
    assert "The commonest language is English (58 % of the pages), then German (25 %) and French (17 %)." in found
    assert max(float(width) for width in re.findall(r'<rect width="([\d.]+)" height="20"', found)) == 1000
    assert "English 58 %, German 25 %, French 17 %" in re.sub("</?span[^>]*>", "", found)


def test_the_words_of_counts(make_collection: Call, written: Any) -> None:
    path = make_collection([written("http://a.example/", "deu", 0.99), written("http://a.example/2", "und")])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE captures SET charset = NULL, mime = '' WHERE page = 2")
        connection.execute("UPDATE runs SET rounds = 1")
    told = page(path)
    assert "no text: no media type (1)" in told
    assert ", 1 round; version" in told


def test_lists_that_are_cut_say_so_and_captures_add_up(make_collection: Call, written: Any) -> None:
    """Of 63 captures one is a page: 60 are of media types of their own, one is an error, one of a type like HTML's."""
    types = [*(f"image/{number:02}" for number in range(60)), "text/x-html"]
    pages = [written("http://a.example/", "deu", 1.0), written("http://a.example/e", "und", 0.0, status=404)]
    pages += [written(f"http://a.example/{n}", "und", 0.0, mime=mime, charset=None) for n, mime in enumerate(types)]
    path = make_collection(pages)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO sources (name, sha256, bytes, finished) VALUES (?, ?, 1, 1)",
            [(f"{number}.warc", str(number)) for number in range(201)],
        )
    told = html.unescape(page(path))
    (others,) = re.findall(r"Captures that do not count as pages: (.*)\.</p>", told)
    assert others.startswith("no text: image/00 (1), no text: image/01 (1), ")
    assert others.endswith("no text: image/11 (1), others (50)")
    assert sum(map(int, re.findall(r"\((\d+)\)", others))) == 63 - 1
    assert "<li>and 2 more files</li>" in told


def test_what_was_not_worked_out_has_no_column(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Its diameter</th>" in page(db)
    monkeypatch.setattr("graphlang.report.facts._COMPONENTS", 2)  # the collection has three links
    assert "diameter" not in page(db)


def test_texts_are_described_in_one_line(make_collection: Call, written: Any) -> None:
    db = make_collection([written("http://a.example/", "deu", 1.0, own="und", own_confidence=0.0, text="Anna\n\n1850")])
    assert "<bdi>Anna 1850</bdi>" in page(db)


def test_small_territories_are_on_the_map(db: Path) -> None:
    assert re.search(r"<circle [^>]*><title>Singapore: 1 page; Chinese 100 %</title></circle>", page(db))


def test_nothing_of_the_crawl_is_markup(db: Path) -> None:
    found = page(db, title=EVIL)
    assert "<img" not in found
    assert found.count("<script") == 1
    assert found.count("</script") == 1
    assert "\x1b" not in found
    assert "\u202e" not in found
    assert "onerror=alert(1)&gt;" in found  # as text
    assert not re.search(r"(?:src|href|action)=[\"'](?!#)", found)
    assert "style=" not in found
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', found)
    assert policy is not None
    assert html.unescape(policy[1]).startswith("default-src 'none'; style-src 'sha256-")


def test_the_same_collection_gives_the_same_page(db: Path) -> None:
    assert page(db) == page(db)


def test_no_page_at_all(make_collection: Call) -> None:
    assert "There is no page of text" in page(make_collection([]))


def test_ten_thousand_languages_make_no_large_page(make_collection: Call, written: Any) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [a + b + c for a in letters for b in letters for c in letters][:10_000]
    pages = [written(f"http://h{number}.example.org/", name, links=(0,)) for number, name in enumerate(names)]
    assert len(page(make_collection(pages))) < 1_500_000


def test_the_verb(graphlang: Call, db: Path, museum: Path) -> None:
    target = db.parent / "report.html"
    assert graphlang("report", db, "-o", target).exit_code == 0
    linked = db.parent / "linked.html"
    prefix = "http://localhost:8080/crawl/"
    assert graphlang("report", db, "-o", linked, "--replay-prefix", prefix).exit_code == 0
    hrefs = re.findall(r'<a href="([^#"][^"]*)"', linked.read_text(encoding="utf-8"))
    assert f"{prefix}http://a.example.de/2" in hrefs
    assert all(href.startswith(prefix) for href in hrefs)
    assert graphlang("report", db, "-o", linked, "--replay-prefix", "javascript:alert(1)").exit_code == 2
    assert target.read_text(encoding="utf-8").lstrip().startswith("<!doctype html>")
    assert graphlang("report", db, "-o", db).exit_code == 2
    assert graphlang("report", db, "-o", db.parent).exit_code == 2
    other = db.parent / "run.html"
    made = graphlang("run", museum, "--db", db.parent / "m.db", "--workers", 1, "--report", other)
    assert made.exit_code == 0
    assert "Languages of m" in other.read_text(encoding="utf-8")
    assert graphlang("run", museum, "--db", db.parent / "m.db", "--report", museum).exit_code == 2


def test_minus_is_standard_output_and_no_file(graphlang: Call, db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(db.parent)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1234567890")
    assert graphlang("report", db, "-o", "page.html").stdout == "report: page.html\n"
    assert graphlang("report", db, "-o", "-").stdout_bytes == Path("page.html").read_bytes()
    told = graphlang("run", "--db", db, "--report", "-")
    assert (told.exit_code, told.stderr.splitlines()[-1]) == (
        2,
        "Error: cannot write to standard output (-): name a file",
    )
    assert not Path("-").exists()


@pytest.fixture
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium: apt-get install chromium")
    return found


_QUIET = (
    "--headless",
    "--disable-gpu",
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
)


def test_a_browser_logs_nothing_and_requests_nothing(chromium: str, db: Path, tmp_path: Path) -> None:
    target, log = tmp_path / "report.html", tmp_path / "net.json"
    target.write_text(page(db, title=EVIL), encoding="utf-8")
    done = subprocess.run(
        [
            *(chromium, *_QUIET, "--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}"),
            *(f"--log-net-log={log}", "--virtual-time-budget=2000", "--dump-dom", target.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "<h1>" in done.stdout, done.stderr[-2000:]
    assert "CONSOLE" not in done.stderr, done.stderr
    assert "<title>pwned" not in done.stdout
    assert "<button" in done.stdout  # our own script ran: tables can be sorted
    asked = re.findall(r'"url":"([^"]+)"', log.read_text(encoding="utf-8"))
    assert not [url for url in asked if "example" in url or "other.uk" in url or "site.sg" in url]


def test_the_policy_is_what_stops_a_script(chromium: str, db: Path, tmp_path: Path) -> None:
    """The same page with an inserted script writes to the console: the test above can fail."""
    target = tmp_path / "broken.html"
    target.write_text(page(db).replace("<h1>", "<script>document.title='pwned'</script><h1>"), encoding="utf-8")
    done = subprocess.run(
        [
            *(chromium, *_QUIET, "--enable-logging=stderr", f"--user-data-dir={tmp_path / 'profile'}"),
            *("--virtual-time-budget=2000", "--dump-dom", target.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "Content Security Policy" in done.stderr
    assert "<title>pwned" not in done.stdout


def test_on_paper_it_is_light_and_no_column_is_cut(db: Path) -> None:
    # The order of the rules decides: those for paper stand behind all others.
    screen, _, paper = page(db).partition("@media print {")
    assert "@media screen and (prefers-color-scheme: dark)" in screen
    assert "prefers-color-scheme" not in paper
    assert ".wide { overflow-x: auto; background:" in screen
    assert ".wide { overflow: visible; background: none; }" in paper


def test_neighbours_of_a_page_that_the_links_changed_are_named(make_collection: Call, written: Any) -> None:
    pages = [written(f"http://a.example/{n}", "deu", 1.0, own="deu", links=(4,)) for n in range(3)]
    pages.append(written("http://a.example/3", "fra", 1.0, own="fra", links=(4,)))
    pages.append(written("http://a.example/4", "deu", 0.9, own="eng", own_confidence=0.3, text="Foto"))
    path = make_collection(pages)
    with closing(open_existing(path)) as connection:
        (change,) = count_facts(connection).changes
    assert change.neighbours == [("deu", 3), ("fra", 1)]
    assert "3 German, 1 French" in page(path)


def test_a_section_without_content_is_left_out(make_collection: Call, written: Any) -> None:
    text = page(make_collection([written("http://a.example/", "deu", 1.0, own="deu")]))
    for name in ("countries", "years", "links", "graph", "problems"):
        assert f'id="{name}"' not in text
        assert f'href="#{name}"' not in text


def test_before_anything_is_classified_there_is_no_map(graphlang: Call, museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "new.db"
    assert graphlang("ingest", db, museum).exit_code == 0
    for verb in (("sites", db), ("languages", db), ("report", db, "-o", tmp_path / "report.html")):
        result = graphlang(*verb)
        assert (result.exit_code, result.stdout) == (3, "")
        assert "nothing is classified yet: run 'graphlang classify' first" in result.stderr
    assert not (tmp_path / "report.html").exists()
