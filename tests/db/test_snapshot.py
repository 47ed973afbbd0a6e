"""The collection at a moment: of each page the nearest capture, with its text, links and declarations."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graphlang.db import Declaration, Link, LinkKind, Page, StoreError, collection, create, open_existing, snapshot
from graphlang.db.write.choose_capture import Keep
from graphlang.db.write.writer import Writer, finish

sys.path.append(str(Path(__file__).parent))
from sites import site

if TYPE_CHECKING:
    import sqlite3

URL = "http://a.example/"


def capture(date: str, words: str, *links: str, url: str = URL, status: int = 200) -> Page:
    return Page(
        url=url,
        offset=0,
        status=status,
        date=date,
        mime="text/html",
        charset="utf-8",
        title=f"title {words}",
        text=words,
        length=len(words),
        main_length=len(words),
        size=len(words),
        digest=words.upper(),
        visible=words.encode(),
        links=tuple(Link(link, LinkKind.ANCHOR, text=words) for link in links),
        declared=(Declaration("html-lang", words[:2]),),
    )


def write(path: Path, *captures: Page) -> Path:
    with closing(create(path)) as connection:
        connection.execute("INSERT INTO sources (name, sha256, bytes, keep) VALUES ('a.warc', 'x', 1, 'all')")
        Writer(connection, site, keep=Keep.ALL).add(1, captures, position=1, finished=True)
        finish(connection)
    return path


def read_texts(connection: sqlite3.Connection) -> list[str]:
    return [text for (text,) in connection.execute("SELECT text FROM texts ORDER BY page")]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2012", ("2012", "2012-01-01T00:00:00", "2012-12-31T23:59:59")),
        ("2012-12", ("2012-12", "2012-12-01T00:00:00", "2012-12-31T23:59:59")),
        ("2012-02", ("2012-02", "2012-02-01T00:00:00", "2012-02-29T23:59:59")),
        ("9999-12", ("9999-12", "9999-12-01T00:00:00", "9999-12-31T23:59:59")),
        ("9999-12-31", ("9999-12-31", "9999-12-31T00:00:00", "9999-12-31T23:59:59")),
        ("2012-05-03", ("2012-05-03", "2012-05-03T00:00:00", "2012-05-03T23:59:59")),
        ("2012-05-03T12:30Z", ("2012-05-03T12:30:00Z", "2012-05-03T12:30:00", "2012-05-03T12:30:00")),
        ("20120503123001", ("2012-05-03T12:30:01Z", "2012-05-03T12:30:01", "2012-05-03T12:30:01")),
        ("0001", ("0001", "0001-01-01T00:00:00", "0001-12-31T23:59:59")),  # what Go writes where it has no date
        ("00010101000000", ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00", "0001-01-01T00:00:00")),
        ("9999", ("9999", "9999-01-01T00:00:00", "9999-12-31T23:59:59")),
    ],
)
def test_moments(written: str, expected: tuple[str, str, str]) -> None:
    assert snapshot.parse_moment(written) == expected


@pytest.mark.parametrize(
    "written", ["", "12", "2012-13", "2012-02-30", "yesterday", "0000", "2012-05-03T25:00", "2012 ", "٢٠١٢"]
)
def test_what_is_no_moment(written: str) -> None:
    if written == "2012 ":
        assert snapshot.parse_moment(written).text == "2012"
        return
    with pytest.raises(ValueError, match="is no"):
        snapshot.parse_moment(written)


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        ("2009", "old"),  # the nearest, though it is a year away
        ("2010", "middle"),  # of two in the year the newest
        ("2010-02", "old"),
        ("2010-08", "middle"),
        ("2010-06-16", "middle"),
        ("2011", "middle"),  # 214 days before the year; the next one is 215 after it
        ("2012", "new"),  # the page's own
        ("20120801000000", "new"),
        ("2030", "new"),
    ],
)
def test_the_nearest_capture_is_shown(tmp_path: Path, moment: str, text: str) -> None:
    old, middle = capture("2010-02-03T00:00:00Z", "old"), capture("2010-06-01", "middle")
    db = write(tmp_path / "a.db", old, middle, capture("2012-08-03T00:00:00Z", "new"), capture("", "undated"))
    with closing(open_existing(db)) as connection, snapshot.show_moment(connection, moment):
        assert read_texts(connection) == [text]


def test_where_it_is_equally_near_the_own_one_then_status_200_then_the_newest(tmp_path: Path) -> None:
    gone = capture("2010-09-01T00:00:00Z", "gone", status=404)
    fine = [capture("2010-02-01T00:00:00Z", "first"), capture("2010-03-01T00:00:00Z", "second")]
    for own, expected in ((capture("2012", "own"), "second"), (capture("2010-04-01T00:00:00Z", "own"), "own")):
        db = write(tmp_path / f"{own.date}.db", *fine, gone, own)
        with closing(open_existing(db)) as connection, snapshot.show_moment(connection, "2010"):
            assert read_texts(connection) == [expected]


def test_of_two_records_of_one_moment_the_one_that_was_cut_off_is_not_shown(tmp_path: Path) -> None:
    cut, whole = capture("2010-02-01T00:00:00Z", "Nebel"), capture("2010-02-01T00:00:00Z", "Nebel im Tal")
    for number, old in enumerate(((cut, whole), (whole, cut))):
        db = write(tmp_path / f"{number}.db", *old, capture("2012", "own"))
        with closing(open_existing(db)) as connection, snapshot.show_moment(connection, "2010"):
            assert read_texts(connection) == ["Nebel im Tal"]


def test_all_that_was_read_is_that_of_the_moment_and_the_file_stays_as_it_is(tmp_path: Path) -> None:
    b, c = "http://b.example/", "http://c.example/"
    db = write(
        tmp_path / "a.db",
        capture("2010", "dansk", b),
        capture("2012", "deutsch", c),
        capture("2012", "other", url=b),
        capture("2010", "same", url=c),
        capture("2012", "same", url=c),
    )
    before = db.read_bytes()
    with closing(open_existing(db)) as connection:
        ids = dict(connection.execute("SELECT url, id FROM pages"))
        with snapshot.show_moment(connection, "2010"):
            assert snapshot.get_moment(connection) == "2010"
            (texts,) = collection.read_texts(connection)
            assert (texts.pages, texts.texts) == ([1, 2, 3], ["dansk", "other", "same"])
            assert texts.visible == [b"", b"other", b"same"]  # undecoded bytes are those of the own captures
            edges = collection.read_edges(connection, places=True)
            assert (edges.source + 1).tolist() == [ids[URL]]
            assert (edges.target + 1).tolist() == [ids[b]]
            declared = connection.execute("SELECT page, value FROM declarations ORDER BY page").fetchall()
            assert declared == [(1, "da"), (2, "ot"), (3, "sa")]
            dates = connection.execute("SELECT date, charset, length FROM captures ORDER BY page").fetchall()
            assert dates == [("2010", "utf-8", 5), ("2012", "utf-8", 5), ("2010", "utf-8", 4)]
            assert snapshot.find_changed_pages(connection) == [1]
            assert connection.execute("SELECT COUNT(*) FROM anchor_texts").fetchone() == (0,)
            with snapshot.show_moment(connection, "2010"):  # the same again
                assert read_texts(connection)[0] == "dansk"
            with pytest.raises(StoreError, match="shows 2010"), snapshot.show_moment(connection, "2011"):
                pass
        assert read_texts(connection) == ["deutsch", "other", "same"]
        assert (snapshot.get_moment(connection), snapshot.find_changed_pages(connection)) == (None, [])
        assert snapshot.list_years(connection) == ["2010", "2012"]
    assert db.read_bytes() == before


def test_a_page_is_looked_up_by_its_number_and_texts_come_in_order(tmp_path: Path) -> None:
    captures = [capture(str(2010 + n % 2), f"text {n}", url=f"{URL}{n // 2}") for n in range(60)]
    db = write(tmp_path / "a.db", *captures)
    with closing(open_existing(db)) as connection, snapshot.show_moment(connection, "2010"):
        batches = list(collection.read_texts(connection, batch=7))
        assert [text for one in batches for text in one.texts] == [f"text {2 * n}" for n in range(30)]
        plan = "EXPLAIN QUERY PLAN SELECT page, title, text FROM texts WHERE page > 5 ORDER BY page LIMIT 7"
        steps = [row[3] for row in connection.execute(plan)]
        assert not any("TEMP B-TREE" in step for step in steps), steps  # nothing is sorted anew for each batch
        assert not any(step.startswith(("SCAN texts", "SCAN chosen", "SCAN held")) for step in steps), steps
