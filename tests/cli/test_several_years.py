"""Crawls of one site in several years: Danish in 2010, English in 2011, German in 2012."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import shutil
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graphlang.collection import Collection
from graphlang.db import create

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

    Call = Callable[..., Result]

DANISH = (
    "Museet ligger ved havnen og viser gamle både, net og søkort. Hver morgen åbner en kvinde den tunge dør, og de"
    " første gæster venter allerede i regnen. Om eftermiddagen er der kage og varm te til alle, som har lyst."
)
ENGLISH = (
    "The museum lies at the harbour and shows old boats, nets and charts. Every morning a woman opens the heavy door,"
    " and the first visitors are already waiting in the rain. In the afternoon there is cake and hot tea for everyone."
)
GERMAN = (
    "Das Museum liegt am Hafen und zeigt alte Boote, Netze und Karten. Jeden Morgen öffnet eine Frau die schwere Tür,"
    " und die ersten Gäste warten schon im Regen. Am Nachmittag gibt es Kuchen und heißen Tee für alle, die mögen."
)
SITE = "http://museum.example/"


def html(text: str, *links: str) -> str:
    anchors = "".join(f'<a href="{link}">.</a>' for link in links)
    return f"<!doctype html><html><body><p>{text}</p>{anchors}</body></html>"


def archive(path: Path, captures: list[tuple[str, str, str]]) -> Path:
    """An archive of (URL, date, HTML)."""
    with path.open("wb") as file:
        for url, date, body in captures:
            http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body.encode()
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
                f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url + date)}>\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
            )
            file.write(gzip.compress(head.encode() + http + b"\r\n\r\n", mtime=0))
    return path


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """One archive a year: two long pages and a short one, ``anna.html``, and one that stays English."""
    folder = tmp_path_factory.mktemp("crawls")
    found = []
    for year, text in ((2010, DANISH), (2011, ENGLISH), (2012, GERMAN)):
        date = f"{year}-03-01T12:00:00Z"
        links = ("/", "/boats.html", "/anna.html", "/en.html")
        pages = [
            (SITE, date, html(text, *links)),
            (f"{SITE}boats.html", date, html(f"{text[60:]} {text[:60]}", *links)),
            (f"{SITE}anna.html", date, html("Anna", "/", "/boats.html")),
            (f"{SITE}en.html", date, html(ENGLISH.replace("museum", "gallery"), "/")),
        ]
        found.append(archive(folder / f"{year}.warc.gz", pages))
    return found


@pytest.mark.parametrize(
    ("keep", "words"),
    [
        ("all", "8 repeat captures: 8 kept (--keep all)"),
        ("first", "8 repeat captures: one capture of each URL is kept (--keep first)"),
    ],
)
def test_it_is_said_what_became_of_further_captures(
    graphlang: Call, crawls: list[Path], tmp_path: Path, keep: str, words: str
) -> None:
    result = graphlang("ingest", tmp_path / "a.db", *crawls, "--workers", 1, "--keep", keep)
    assert result.exit_code == 0, result.stderr
    assert words in result.stderr
    facts = {row["what"]: row["count"] for row in _rows(graphlang("info", tmp_path / "a.db", "--format", "jsonl"))}
    assert facts["pages read"] == 4
    assert facts["other captures kept"] == (8 if keep == "all" else 0)
    # anna.html and en.html stay as they are
    assert facts["other captures with different content"] == (4 if keep == "all" else 0)


def revisit(url: str, date: str, body: str) -> bytes:
    """A record that says that a page was as before; with an empty body it names no digest."""
    digest = base64.b32encode(hashlib.sha1(body.encode()).digest()).decode()  # noqa: S324  as WARC has it
    named = f"WARC-Payload-Digest: sha1:{digest}\r\n" if body else ""
    head = (
        f"WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n{named}"
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url + date)}>\r\nContent-Length: 0\r\n\r\n"
    )
    return gzip.compress(head.encode() + b"\r\n\r\n", mtime=0)


def test_revisits_are_counted_wherever_they_are(graphlang: Call, tmp_path: Path) -> None:
    """Only those that are a page's own capture were: none, in a crawl that found every page as it was before."""
    english = html(ENGLISH)
    path = archive(tmp_path / "a.warc.gz", [(SITE, "2010-03-01T12:00:00Z", english), (ANNA, "2010-03-01", html(""))])
    with path.open("ab") as file:
        file.write(revisit(SITE, "2011-03-01T12:00:00Z", english))
        file.write(revisit(SITE, "2012-03-01T12:00:00Z", english))
        file.write(revisit(SITE, "2013-03-01T12:00:00Z", ""))  # which is counted, and not kept
        file.write(revisit(f"{SITE}copy.html", "2011-03-01T12:00:00Z", english))  # of the page above
        file.write(revisit(f"{SITE}lost.html", "2011-03-01T12:00:00Z", GERMAN))  # of one that is not here
    graphlang("ingest", tmp_path / "a.db", path, "--workers", 1)
    facts = {row["what"]: row["count"] for row in _rows(graphlang("info", tmp_path / "a.db", "--format", "jsonl"))}
    assert (facts["pages read"], facts["captures read"], facts["other captures kept"]) == (4, 7, 2)
    assert facts["other captures that are revisits"] == 2
    assert facts["pages with revisits only, content known"] == 1
    assert facts["pages with revisits only, content unknown"] == 1


def test_what_says_nothing_new_is_told_apart(graphlang: Call, crawls: list[Path], tmp_path: Path) -> None:
    again = tmp_path / "again.warc.gz"
    again.write_bytes(crawls[0].read_bytes() + gzip.compress(b"", mtime=0))  # other bytes, the same records
    graphlang("ingest", tmp_path / "a.db", crawls[0], crawls[1], "--workers", 1)
    result = graphlang("ingest", tmp_path / "a.db", again, "--workers", 1)
    words = "4 repeat captures: 4 duplicates skipped (--keep all)"
    assert words in result.stderr


ANNA = f"{SITE}anna.html"
OF_CAPTURES = (
    "SELECT SUBSTR(date, 1, 4), SUBSTR(url, 23), labels.label FROM history JOIN pages ON pages.id = history.page"
    " LEFT JOIN predictions AS said ON said.run = history.run AND said.page = history.page"
    " LEFT JOIN labels ON labels.id = said.label ORDER BY 1, 2"
)
IN_EACH_YEAR = [
    ("2010", "", "dan"),
    ("2010", "anna.html", "dan"),  # a name, which says nothing: its neighbours do
    ("2010", "boats.html", "dan"),
    ("2010", "en.html", "eng"),  # it stays as it is, and counts in every year
    ("2011", "", "eng"),
    ("2011", "anna.html", "eng"),
    ("2011", "boats.html", "eng"),
    ("2011", "en.html", "eng"),
]


def ask(db: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def _years_template(crawls: list[Path]) -> Path:
    path = crawls[0].with_name("years.db")
    with Collection(path) as crawl:
        crawl.run(*crawls, workers=1)
        crawl.propagate_each_year()
    return path


@pytest.fixture
def years(_years_template: Path, tmp_path: Path) -> Path:
    """A collection of the three years, with a run for each."""
    return Path(shutil.copy(_years_template, tmp_path / "a.db"))


def test_each_capture_has_the_language_of_its_own_text_or_of_the_links_of_its_time(years: Path) -> None:
    assert ask(years, OF_CAPTURES) == IN_EACH_YEAR
    chosen = "SELECT method, language, SUBSTR(url, 23) FROM page_languages ORDER BY url"
    assert ask(years, chosen) == [  # what the views show stays as it was
        ("propagation", "deu", ""),
        ("propagation", "deu", "anna.html"),
        ("propagation", "deu", "boats.html"),
        ("propagation", "eng", "en.html"),
    ]


def test_a_year_that_was_done_is_not_done_again_and_texts_are_read_once(graphlang: Call, years: Path) -> None:
    runs = "SELECT id, kind, JSON_EXTRACT(parameters, '$.at'), finished FROM runs ORDER BY id"
    before = ask(years, runs)
    assert [row[1:3] for row in before[-6:]] == [
        (kind, year) for year in ("2010", "2011", "2012") for kind in ("content", "propagation")
    ]
    result = graphlang("propagate", years, "--each", "year")
    assert result.stderr == "3 years, 2010 to 2012: runs 5 to 9, all converged\n"
    events = graphlang("propagate", years, "--each", "year", "--log-format", "json").stderr.splitlines()
    assert [json.loads(event)["at"] for event in events] == ["2010", "2011", "2012"]
    assert ask(years, runs) == before
    assert graphlang("runs", years, "--choose", before[-1][0]).exit_code == 3


@pytest.mark.parametrize(
    ("moment", "words"),
    [
        (("propagate", "1999"), "no capture is from 1999: the nearest, of 2010-03-01, are used"),
        (("vote", "2010-04"), "no capture is from 2010-04: the nearest, of 2010-03-01, are used"),
        (("classify", "2012-03-02T09:30:00Z"), "no capture is from 2012-03-02: the nearest, of 2012-03-01, are used"),
        (("propagate", "2011-03-01T23:00:00Z"), ""),
    ],
)
def test_captures_of_another_time_are_named(
    graphlang: Call, years: Path, moment: tuple[str, str], words: str, recwarn: pytest.WarningsRecorder
) -> None:
    del recwarn  # it would be an error
    result = graphlang(moment[0], years, "--at", moment[1])
    assert result.exit_code == 0
    assert [line for line in result.stderr.splitlines() if "nearest" in line] == [f"Warning: {words}"] * bool(words)


def test_explain_shows_the_page_of_its_time(graphlang: Call, years: Path) -> None:
    found = json.loads(graphlang("explain", years, ANNA, "--at", "2010", "--format", "json").stdout)
    assert (found["language"], found["facts"]["date"]) == ("dan", "2010-03-01T12:00:00Z")
    said = {(one["source"], one["url"]): one["language"] for one in found["reasons"]}
    assert said["inlink", SITE] == said["outlink", SITE] == "dan"
    assert not found["stale"]
    home = json.loads(graphlang("explain", years, SITE, "--at", "2011", "--format", "json").stdout)
    assert home["excerpt"].startswith("The museum lies")
    assert "at 2010" in graphlang("explain", years, ANNA, "--at", "2010").stdout
    missing = graphlang("explain", years, ANNA, "--at", "2009-05")
    assert missing.exit_code == 3
    assert "no run is of 2009-05: 'graphlang propagate DB --at 2009-05' makes one" in missing.stderr


def test_a_run_of_a_time_is_evaluated_and_answers_for_urls_on_what_it_saw(
    graphlang: Call, years: Path, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text(f"url\tlanguage\n{SITE}\tda\n{ANNA}\tda\n")
    (run,) = ask(years, "SELECT MIN(id) FROM runs WHERE kind = 'propagation' AND parameters LIKE '%2010%'")[0]
    found = json.loads(graphlang("evaluate", years, "--gold", gold, "--run", run, "--format", "json").stdout)
    groups = {one["group"]: (one["pages"], one["accuracy"]) for one in found["runs"][0]["groups"] if one["pages"]}
    assert groups == {"all": (2, 1), "length 0..24": (1, 1), "length 150..299": (1, 1)}  # of the texts of 2010
    assert graphlang("frontier", years, "--run", run).exit_code == 0


def test_runs_of_two_times_are_compared_by_the_captures_that_they_saw(graphlang: Call, years: Path) -> None:
    runs = "SELECT id FROM runs WHERE kind = 'propagation' AND parameters LIKE '%\"at\": \"{}\"%'"
    ((one,), (two,)) = (ask(years, runs.format(year))[0] for year in (2010, 2011))
    (chosen,) = ask(years, "SELECT run FROM chosen")[0]
    columns = ("before", "after", "length_before", "length", "date_before", "date")

    def compared(before: object, after: object) -> dict[str, tuple[object, ...]]:
        found = _rows(graphlang("compare", years, before, after, "--format", "jsonl"))
        return {str(row["url"]): tuple(row[name] for name in columns) for row in found}

    of_2010, of_2011 = "2010-03-01T12:00:00Z", "2011-03-01T12:00:00Z"
    assert compared(one, two) == {
        SITE: ("dan", "eng", len(DANISH) + 5, len(ENGLISH) + 5, of_2010, of_2011),  # a line feed and four points
        f"{SITE}boats.html": ("dan", "eng", len(DANISH) + 5, len(ENGLISH) + 5, of_2010, of_2011),
        ANNA: ("dan", "eng", 7, 7, of_2010, of_2011),
    }
    assert compared(chosen, one)[SITE] == (
        *("deu", "dan", len(GERMAN) + 5, len(DANISH) + 5, "2012-03-01T12:00:00Z", of_2010),
    )
    counted = _rows(graphlang("compare", years, one, two, "--count", "--format", "jsonl"))
    assert sorted((str(row["bucket"]), row["pages"]) for row in counted) == [("0..24", 1), ("150..299", 2)]
    assert len(graphlang("compare", years, one, two, "--limit", 1, "--format", "tsv").stdout.splitlines()) == 2
    with Collection(years) as crawl:
        assert [row.length_before for row in crawl.compare(int(str(one)), int(str(two)))].count(7) == 1


def test_votes_and_texts_of_a_moment(graphlang: Call, crawls: list[Path], tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    graphlang("ingest", db, *crawls, "--workers", 1)
    nothing = graphlang("vote", db, "--at", "2010")
    assert (nothing.exit_code, "nothing is classified yet" in nothing.stderr) == (3, True)
    assert graphlang("classify", db, "--at", "2010").exit_code == 0
    texts = [row for row in IN_EACH_YEAR if row[0] == "2010" and "anna" not in str(row[1])]
    assert [row for row in ask(db, OF_CAPTURES) if row[2] and "anna" not in str(row[1])] == texts
    assert graphlang("vote", db, "--at", "2010").exit_code == 0
    assert [row for row in ask(db, OF_CAPTURES) if row[0] == "2010"] == IN_EACH_YEAR[:4]
    assert ask(db, "SELECT * FROM chosen") == []
    assert graphlang("classify", db, "--at", "2010").exit_code == 0  # and texts alone take nothing back
    assert [row for row in ask(db, OF_CAPTURES) if row[0] == "2010"] == IN_EACH_YEAR[:4]


@pytest.mark.parametrize(
    "words",
    [
        ["propagate", "--at", "2010", "--each", "year"],
        ["propagate", "--at", "soon"],
        ["propagate", "--each", "year", "--update"],
        ["classify", "--at", "2010", "--method", "url"],
        ["classify", "--at", "2010", "--anchors"],
        ["explain", SITE, "--at", "2010", "--run", "1"],
    ],
)
def test_what_cannot_go_together_is_wrong_usage(graphlang: Call, tmp_path: Path, words: list[str]) -> None:
    create(tmp_path / "a.db").close()
    assert graphlang(words[0], tmp_path / "a.db", *words[1:]).exit_code == 2


def test_a_collection_without_dates_has_no_years(graphlang: Call, tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    graphlang("run", archive(tmp_path / "a.warc.gz", [(SITE, "", html(DANISH))]), "--db", db, "--workers", 1, "-q")
    result = graphlang("propagate", db, "--each", "year")
    assert (result.exit_code, "no capture in this database has a date" in result.stderr) == (3, True)


def test_a_correction_is_of_what_somebody_saw(graphlang: Call, years: Path) -> None:
    graphlang("correct", years, ANNA, SITE, "--language", "fi", "--by", "Asha")
    assert graphlang("propagate", years, "--each", "year", "-q").exit_code == 0
    found = {row[:2]: row[2] for row in ask(years, OF_CAPTURES)}
    assert found["2010", ""] == "dan"  # that text nobody corrected
    assert found["2010", "anna.html"] == "fin"  # the same page as now


def test_a_sound_collection_of_years_is_sound_and_a_lost_run_is_found(graphlang: Call, years: Path) -> None:
    assert graphlang("check", years).exit_code == 0
    with closing(sqlite3.connect(years)) as connection, connection:
        connection.execute("UPDATE history SET run = 99 WHERE date LIKE '2010%'")
    assert "run is 99, not in runs (4 rows)" in graphlang("check", years, "--format", "tsv").stdout
    with closing(sqlite3.connect(years)) as connection, connection:
        connection.execute("UPDATE history SET run = NULL WHERE run NOT IN (SELECT id FROM runs)")
    assert graphlang("check", years).exit_code == 0
    assert [row[2] for row in ask(years, OF_CAPTURES) if row[0] == "2010"] == [None] * 4
    assert graphlang("propagate", years, "--each", "year", "-q").exit_code == 0
    assert ask(years, OF_CAPTURES) == IN_EACH_YEAR


def test_the_library_has_the_same(crawls: list[Path], tmp_path: Path) -> None:
    crawl = Collection(tmp_path / "a.db")
    crawl.run(*crawls)
    assert [(run.kind, run.at) for run in crawl.propagate_each_year()] == [
        ("propagation", year) for year in ("2010", "2011", "2012")
    ]
    assert crawl.explain(ANNA, at="2010").language == "dan"
    assert crawl.explain(ANNA).language == "deu"
    assert crawl.propagate(at="2010").id == crawl.explain(ANNA, at="2010").run.id  # type: ignore[union-attr]
    assert (crawl.vote(at="2011").at, crawl.classify(at="2011").kind) == ("2011", "content")
    found = {(row.site, row.language): row.pages for row in crawl.sites("year")}
    assert found == {(year, language): pages for year, language, pages, _ in BY_YEAR}
    for wrong in ({"at": "soon"}, {"at": "2010", "update": True}):
        with pytest.raises(ValueError, match=r"not a date or time|without at"):
            crawl.propagate(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="read texts"):
        crawl.classify("url", at="2010")


BY_YEAR = [
    ("2010", "dan", 3, 0.7075),
    ("2010", "eng", 1, 0.2925),
    ("2011", "eng", 4, 1.0),
    ("2012", "deu", 3, 0.7077),
    ("2012", "eng", 1, 0.2923),
]


def of_years(result: Result) -> list[tuple[object, ...]]:
    rows = _rows(result)
    found = [(one.get("site") or one.get("year"), one["language"], one["pages"], one["share"]) for one in rows]
    return sorted(found, key=lambda row: (row[0], -int(str(row[2]))))


def test_the_language_map_by_year(graphlang: Call, years: Path) -> None:
    result = graphlang("sites", years, "--by", "year", "--format", "jsonl")
    assert of_years(result) == BY_YEAR
    assert "no language yet" not in result.stderr
    short = {one["site"]: (one["short"], one["resolved"]) for one in _rows(result) if one["language"] != "eng"}
    assert short == {"2010": (1, 1), "2012": (1, 1)}  # anna.html, by her text and links of the year
    both = _rows(graphlang("sites", years, "--by", "domain,year", "--language", "da,de", "--format", "jsonl"))
    assert {(one["domain"], one["year"], one["pages"]) for one in both} == {
        ("museum.example", "2010", 3),
        ("museum.example", "2012", 3),
    }
    listed = graphlang("languages", years, "--by", "year", "--format", "jsonl")
    assert of_years(listed) == BY_YEAR
    with Collection(years) as crawl:
        assert [row.year for row in crawl.languages(by="year")] == [one["year"] for one in _rows(listed)]
        assert crawl.languages(by="year").to_dicts()[0]["name"] == "Danish"
        with pytest.raises(ValueError, match="not by week"):
            crawl.languages(by="week")
    hosts = _rows(graphlang("sites", years, "--format", "jsonl"))
    assert [(one["language"], one["pages"]) for one in hosts] == [("deu", 3), ("eng", 1)]  # each page once


def test_captures_without_an_answer_are_said(graphlang: Call, crawls: list[Path], tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    graphlang("run", *crawls, "--db", db, "--workers", 1, "-q", "--report", tmp_path / "report.html")
    words = "8 pages of other years have no language yet: graphlang propagate DB --each year"
    for verb in ("sites", "languages"):
        result = graphlang(verb, db, "--by", "year", "--format", "jsonl")
        assert words in result.stderr
        assert of_years(result) == BY_YEAR[3:]
    assert "8 pages of other years have no answer yet" in (tmp_path / "report.html").read_text()
    graphlang("propagate", db, "--at", "2010")
    assert "4 pages of other years have no language yet" in graphlang("sites", db, "--by", "year").stderr


def test_of_several_captures_in_a_year_one_counts(graphlang: Call, tmp_path: Path) -> None:
    texts = (("2010-01-05", DANISH), ("2010-06-30", ENGLISH), ("2010-12-01", GERMAN), ("2011-01-01", GERMAN))
    captures = [(SITE, f"{date}T00:00:00Z", html(text)) for date, text in texts]
    db = tmp_path / "a.db"
    graphlang("run", archive(tmp_path / "a.warc.gz", captures), "--db", db, "--workers", 1, "-q")
    for moment in ("2010-01", "2010-06", "2010"):
        graphlang("propagate", db, "--at", moment)
    found = of_years(graphlang("sites", db, "--by", "year", "--format", "jsonl"))
    assert found == [("2010", "eng", 1, 1.0), ("2011", "deu", 1, 1.0)]  # nearest to the middle of the year


def test_the_view_of_captures(years: Path) -> None:
    query = "SELECT SUBSTR(date, 1, 4), SUBSTR(url, 23), language, capture IS NULL FROM capture_languages ORDER BY 1, 2"
    own = [("2012", "", "deu"), ("2012", "anna.html", "deu"), ("2012", "boats.html", "deu"), ("2012", "en.html", "eng")]
    assert ask(years, query) == [*((*row, 0) for row in IN_EACH_YEAR), *((*row, 1) for row in own)]


def _rows(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_revisit_with_a_digest_of_sha_256_is_a_date_of_its_original(tmp_path: Path, graphlang: Call) -> None:
    """Crawlers that run browsers write so; the two records may even spell the algorithm in two ways."""
    body = html(DANISH).encode()
    digest = hashlib.sha256(body).hexdigest()
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    records = [
        record("response", "2010-05-01T00:00:00Z", f"sha256:{digest}", http + body),
        record("revisit", "2011-05-01T00:00:00Z", f"sha-256:{digest}", http),
    ]
    (tmp_path / "a.warc").write_bytes(b"".join(records))
    db = tmp_path / "a.db"
    assert graphlang("run", tmp_path / "a.warc", "--db", db, "--quiet").exit_code == 0
    assert graphlang("propagate", db, "--each", "year", "--quiet").exit_code == 0
    found = _rows(graphlang("texts", db, "--captures", "all", "--format", "jsonl"))
    assert [(row["date"][:4], row["language"], row["digest"]) for row in found] == [
        ("2010", "dan", f"sha256:{digest}"),
        ("2011", "dan", f"sha256:{digest}"),
    ]
    assert graphlang("export", db, "--what", "warc-metadata", "-o", tmp_path / "m.warc").exit_code == 0
    assert f"sha256:{digest}\r\n".encode() in (tmp_path / "m.warc").read_bytes()


def record(kind: str, date: str, digest: str, http: bytes) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {SITE}\r\nWARC-Date: {date}\r\n"
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, date)}>\r\nWARC-Payload-Digest: {digest}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


SWITCHED = ["", "anna.html", "boats.html"]


def test_years_are_compared(graphlang: Call, years: Path) -> None:
    result = graphlang("compare", years, "--years", 2010, 2012, "--format", "jsonl")
    assert result.exit_code == 0, result.stderr
    rows = [(row["change"], row["url"], row["before"], row["after"]) for row in _rows(result)]
    assert rows == [("switched", SITE + name, "dan", "deu") for name in SWITCHED]
    result = graphlang("compare", years, "--years", 2010, 2012, "--count", "--format", "jsonl")
    counts = {row["name"]: row for row in _rows(result)}
    assert [counts["deu"][name] for name in ("before", "after", "switched_in", "switched_out")] == [0, 3, 3, 0]
    assert [counts["dan"][name] for name in ("before", "after", "switched_in", "switched_out")] == [3, 0, 0, 3]
    assert sum(row["gained"] + row["lost"] for row in counts.values()) == 0


def test_a_year_without_captures_is_an_error_that_lists_the_others(graphlang: Call, years: Path) -> None:
    result = graphlang("compare", years, "--years", 2010, 1999)
    assert (result.exit_code, result.stdout) == (3, "")
    assert "no capture is from 1999; years with captures: 2010, 2011, 2012" in result.stderr


def test_databases_are_compared(graphlang: Call, crawls: list[Path], tmp_path: Path) -> None:
    later = archive(
        tmp_path / "later.warc.gz",
        [(SITE, "2013-03-01", html(GERMAN)), (f"{SITE}new.html", "2013-03-01", html(ENGLISH))],
    )
    Collection(tmp_path / "old.db").run(crawls[0])
    Collection(tmp_path / "new.db").run(later)
    result = graphlang("compare", tmp_path / "old.db", tmp_path / "new.db", "--format", "jsonl")
    assert result.exit_code == 0, result.stderr
    rows = [(row["change"], row["url"], row["before"], row["after"]) for row in _rows(result)]
    assert rows == [
        ("switched", SITE, "dan", "deu"),
        ("lost", ANNA, "dan", None),
        ("lost", f"{SITE}boats.html", "dan", None),
        ("lost", f"{SITE}en.html", "eng", None),
        ("gained", f"{SITE}new.html", None, "eng"),
    ]
    (host,) = _rows(
        graphlang("compare", tmp_path / "old.db", tmp_path / "new.db", "--count", "--by", "host", "--format", "jsonl")
    )
    assert [host[name] for name in ("before", "after", "gained", "lost", "switched_in")] == [4, 2, 1, 3, 1]
