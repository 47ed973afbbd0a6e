"""Pages that are gathered once give the answers that they give when each question looks them up."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from graphlang.codes.languages import parse_choice
from graphlang.db import StoreError, collection, create, open_existing
from graphlang.maps.languages import list_languages
from graphlang.maps.selection import Selection, gather
from graphlang.maps.sites import read_site_map

Make = Callable[..., Path]


@pytest.fixture
def db(make_collection: Make, written: Any) -> Path:
    return make_collection(
        [
            written("http://a.example.de/", "deu", 0.9, own="deu", date="2010-01-01T00:00:00Z", links=(1, 2)),
            written("http://a.example.de/x/1", "deu", 0.95, own="und", own_confidence=0.0, text="Anna", links=(0,)),
            written("http://a.example.de/x/2", "fra", 0.5, "deu", 0.4, own="fra", own_confidence=0.5, text="12"),
            written("http://b.example.fr/", "zho_Hant", 0.8, own="zho_Hant", date="2011-01-01T00:00:00Z"),
            written("http://b.example.fr/spacer.gif", "dan", 1.0, mime="image/gif", charset=None, text=""),
            written("http://b.example.fr/gone", "eng", 1.0, status=404),
            written("http://c.other.uk/", "eng", 0.6, fetched=False),
        ]
    )


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"fetched": True},
        {"everything": True},
        {"status": (404,)},
        {"below": 0.85},
        {"min_confidence": 0.7},
        {"min_confidence": 0.7, "choices": (parse_choice("und"),)},
        {"choices": (parse_choice("zh-TW"), parse_choice("fr"))},
    ],
)
@pytest.mark.parametrize("units", [["domain"], ["country"], ["domain", "year"], ["year"]])
def test_gathered_pages_give_the_same_map(db: Path, how: dict[str, Any], units: list[str]) -> None:
    selection = Selection(**how)
    with closing(open_existing(db)) as connection:
        expected = read_site_map(connection, units, selection)
        with gather(connection, selection) as at_hand:
            assert read_site_map(connection, units, at_hand) == expected
            languages = list_languages(connection, at_hand)
        assert list_languages(connection, selection) == languages
        assert not connection.in_transaction


def test_what_others_write_meanwhile_is_not_seen(db: Path) -> None:
    with closing(open_existing(db)) as reader, closing(create(db)) as writer:
        with gather(reader, Selection()) as at_hand:
            before = read_site_map(reader, ["domain"], at_hand)
            writer.execute("UPDATE captures SET status = 200 WHERE status = 404")
            assert reader.execute("SELECT COUNT(*) FROM captures WHERE status = 404").fetchone() == (1,)
            assert read_site_map(reader, ["domain"], at_hand) == before
        assert reader.execute("SELECT COUNT(*) FROM captures WHERE status = 404").fetchone() == (0,)


def test_nothing_is_left_behind_when_a_question_fails(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        with pytest.raises(sqlite3.OperationalError), gather(connection, Selection()):
            connection.execute("SELECT no_such_column FROM pages")
        with gather(connection, Selection()):
            pass
        assert not connection.in_transaction
        assert connection.execute("SELECT name FROM sqlite_temp_schema").fetchall() == []


def test_a_database_that_cannot_be_written_is_mapped(db: Path) -> None:
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    with closing(sqlite3.connect(f"{db.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        assert [row.language for row in list_languages(connection, Selection())] == ["deu", "zho", "fra"]


#: A page with captures of one year; the first is its own, and counts if it is of that year.
@pytest.mark.parametrize(
    ("own", "others", "taken"),
    [
        ("2011-02-01T00:00:00Z", ["2012-01-01T00:00:00Z", "2012-06-30T00:00:00Z", "2012-12-31T00:00:00Z"], 2),
        ("2011-02-01T00:00:00Z", ["2012-07-09T00:00:00Z", "2012"], 2),  # of the year alone: its middle
        ("2011-02-01T00:00:00Z", ["2012-06", "2012-07-29"], 2),
        ("2011-02-01T00:00:00Z", ["2012-06-32", "2012-12-31"], 2),  # a day that there is not is the farthest
        ("2011-02-01T00:00:00Z", ["2012-07-02T00:00:00Z", "2012-07-02T00:00:00Z"], 1),  # equal: the first
        ("2012-12-31T00:00:00Z", ["2012-07-02T00:00:00Z"], 0),
    ],
)
def test_of_a_year_the_own_capture_counts_or_the_one_nearest_to_its_middle(
    make_collection: Make, written: Any, own: str, others: list[str], taken: int
) -> None:
    db = make_collection([written("http://a.example/", "deu", 1.0, own="deu", date=own)])
    with closing(create(db)) as connection:
        (run,) = connection.execute("SELECT run FROM chosen").fetchone()
        for place, date in enumerate(others, start=1):
            connection.execute(
                "INSERT INTO history (page, source, offset, date, status, mime, charset, charset_from, length, size,"
                " digest, parts, reading, whole, title, text, main, run)"
                " VALUES (1, 1, ?, ?, 200, 'text/html', 'utf-8', 'http', ?, 1, ?, 'both', 1, 1, '', 'x', 1, ?)",
                (place, date, 1000 + place, f"D{place}", run),
            )
        with gather(connection, Selection(), yearly=True) as at_hand:
            source, values = at_hand.write_source()
            found = dict(connection.execute(f"SELECT year, length FROM {source}", values).fetchall())
    assert found.keys() == {own[:4], "2012"}
    assert found["2012"] == 1000 + taken or (taken == 0 and found["2012"] < 1000)


def test_of_a_year_a_run_of_this_year_speaks(make_collection: Make, written: Any) -> None:
    """A run of 2008 takes the first capture of a page of 2010, by the links of 2008; that of 2010 takes the newest."""
    db = make_collection([written("http://a.example/", "deu", 1.0, own="deu", date="2015-02-01T00:00:00Z")])
    with closing(create(db)) as connection:
        for run, at in ((11, "2008"), (12, "2010"), (13, "2010-11")):
            connection.execute(
                "INSERT INTO runs (id, kind, method, parameters, seeds, collection, version, started, finished)"
                " VALUES (?, 'propagation', 'propagation', ?, '[]', '', '', '2026', '2026')",
                (run, json.dumps({"at": at})),
            )
        for place, (date, run) in enumerate([("2010-07-02", 11), ("2010-12-30", 12), ("2010-11-05", 13)], start=1):
            connection.execute(
                "INSERT INTO history (page, source, offset, date, status, mime, charset, charset_from, length, size,"
                " digest, parts, reading, whole, title, text, main, run)"
                " VALUES (1, 1, ?, ?, 200, 'text/html', 'utf-8', 'http', ?, 1, ?, 'both', 1, 1, '', 'x', 1, ?)",
                (place, date, 1000 + place, f"D{place}", run),
            )
        taken = []
        for _ in range(3):
            with gather(connection, Selection(), yearly=True) as at_hand:
                source, values = at_hand.write_source()
                found = dict(connection.execute(f"SELECT year, run FROM {source}", values).fetchall())
            taken.append(found["2010"])
            connection.execute("DELETE FROM history WHERE run = ?", (found["2010"],))
    assert taken == [13, 12, 11]


def test_links_come_a_part_at_a_time(db: Path) -> None:
    with closing(open_existing(db)) as connection:
        parts = list(collection.read_link_ends(connection))
    assert [(source.tolist(), target.tolist()) for source, target in parts] == [([0, 0, 1], [1, 2, 0])]


def test_a_link_to_no_page_is_refused(db: Path) -> None:
    with closing(sqlite3.connect(db)) as connection:
        connection.execute("PRAGMA foreign_keys=OFF")
        connection.execute("UPDATE links SET target = 99 WHERE target = 3")
        connection.commit()
    with closing(open_existing(db)) as connection, pytest.raises(StoreError, match=r"links\.target"):
        list(collection.read_link_ends(connection))
