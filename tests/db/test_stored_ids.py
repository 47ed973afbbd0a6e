"""A large collection that more is added to: by asking its indexes, from memory, or first one and then the other."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphlang.db import Link, Page, create, url_ids
from graphlang.db.records import packed
from graphlang.db.url_ids import Captured, StoredIds
from graphlang.db.write.writer import Site, Writer, finish

URLS = [f"http://{host}.example/{number}" for host in "abc" for number in range(6)]


def site(url: str) -> Site:
    host = url.split("/")[2]
    return Site(host, host, "example", "example")


def add(path: Path, batches: list[list[tuple[int, list[int]]]]) -> list[str]:
    """Write the batches, each as a file of its own with a new writer; returns the whole database."""
    connection = create(path)
    for number, batch in enumerate(batches):
        connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', ?, 1)", (str(number),))
        writer = Writer(connection, site)
        for place, (own, links) in enumerate(batch):
            page = Page(
                url=URLS[own],
                offset=place,
                date=f"2026-01-{number + 1:02}T00:00:00Z",
                status=200,
                text="t",
                links=tuple(Link(URLS[link], 7) for link in dict.fromkeys(links) if link != own),
            )
            writer.add(number + 1, [page], position=place, finished=False)
        finish(connection)
    lines = [line for line in connection.iterdump() if "_sqlite_migrations" not in line]
    connection.close()
    return lines


places = st.integers(0, len(URLS) - 1)
files = st.lists(st.lists(st.tuples(places, st.lists(places, max_size=4)), max_size=4), min_size=2, max_size=4)


@pytest.fixture
def names(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / f"{number}.db" for number in range(1_000_000))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(files)
def test_every_way_gives_the_same_database(names: Iterator[Path], batches: list[list[tuple[int, list[int]]]]) -> None:
    from_memory = add(next(names), batches)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(url_ids, "_FEW", 0)
        patch.setattr(url_ids, "_SHARE", 0)  # never enough to read anything back
        assert add(next(names), batches) == from_memory
        patch.setattr(url_ids, "_SHARE", 1)  # one, then the other
        assert add(next(names), batches) == from_memory


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    monkeypatch.setattr(url_ids, "_FEW", 10)
    connection = create(tmp_path / "a.db")
    connection.execute("INSERT INTO hosts VALUES (1, 'a.example', '', '', '')")
    pages = [(number, f"http://a.example/{number}", 1) for number in range(1, 101)]
    connection.executemany("INSERT INTO pages VALUES (?, ?, ?)", pages)
    finish(connection)
    yield connection
    connection.close()


def has_index(connection: sqlite3.Connection) -> bool:
    return bool(connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'pages_url'").fetchone())


def test_few_are_asked_for_one_by_one_and_many_are_read_back(held: sqlite3.Connection) -> None:
    ids = StoredIds(held, "pages", "url", index="pages_url")
    asked = ["http://a.example/7", "http://a.example/new", "http://a.example/7", "http://a.example/new"]
    found, new, fresh = ids.assign(packed(asked))
    assert fresh == packed(asked[1:2])
    assert (found.tolist(), new.tolist(), len(ids)) == ([7, 101, 7, 101], [1], 101)
    held.execute("INSERT INTO pages VALUES (101, 'http://a.example/new', 1)")
    assert ids._memory is None
    assert has_index(held)
    found, new, _ = ids.assign(packed(f"http://a.example/{number}" for number in range(95, 102)))
    assert (found.tolist(), new.tolist()) == ([95, 96, 97, 98, 99, 100, 102], [6])
    assert ids._memory is not None  # eleven of a hundred were asked for
    assert not has_index(held)  # it is made anew when all is written


def test_without_the_index_all_is_read_back(held: sqlite3.Connection) -> None:
    held.execute("DROP INDEX pages_url")
    assert StoredIds(held, "pages", "url", index="pages_url")._memory is not None


def test_captures_that_are_stored_and_those_that_are_entered(held: sqlite3.Connection) -> None:
    held.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    columns = "page, source, offset, date, mime, charset_from, length, size, digest"
    rows = [(number, 1, 0, "", "", "", 0, 0, "") for number in range(1, 31)]
    held.executemany(f"INSERT INTO captures ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    captured = Captured(held)
    assert captured.among([3, 30, 31]) == {3, 30}
    assert captured._memory is None
    assert captured.among([5, 90, 2_000_000]) == {5}
    assert captured._memory is not None
    captured.enter([90, 5_000])
    assert captured.among([29, 90, 91, 5_000, 6_000]) == {29, 90, 5_000}
