"""Ids of URLs: in memory, by an index, or first one and then the other; and what the kernel refuses."""

import sqlite3
import sys
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.db import Link, Page, create, url_ids
from graphlang.db.native import ids as kernels
from graphlang.db.records import pack_texts, unpack_texts
from graphlang.db.url_ids import CapturedPages, StoredIds, UrlIds
from graphlang.db.write.writer import Writer, finish
from graphlang.native.kernels import KernelError

sys.path.append(str(Path(__file__).parent))
from sites import site

URLS = [f"http://{host}.example/{number}" for host in "abc" for number in range(6)]


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
    lines = list(connection.iterdump())
    connection.close()
    return lines


places = st.integers(0, len(URLS) - 1)
files = st.lists(st.lists(st.tuples(places, st.lists(places, max_size=4)), max_size=4), min_size=2, max_size=4)


@pytest.fixture
def names(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / f"{number}.db" for number in range(1_000_000))


@given(files)
def test_every_way_gives_the_same_database(names: Iterator[Path], batches: list[list[tuple[int, list[int]]]]) -> None:
    from_memory = add(next(names), batches)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(url_ids, "_SMALL", 0)
        patch.setattr(url_ids, "_SHARE", 0)  # never enough to read anything back
        assert add(next(names), batches) == from_memory
        patch.setattr(url_ids, "_SHARE", 1)  # one, then the other
        assert add(next(names), batches) == from_memory


@pytest.fixture
def held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[sqlite3.Connection]:
    monkeypatch.setattr(url_ids, "_SMALL", 10)
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
    found, new, fresh = ids.assign(pack_texts(asked))
    assert fresh == pack_texts(asked[1:2])
    assert (found.tolist(), new.tolist(), len(ids)) == ([7, 101, 7, 101], [1], 101)
    held.execute("INSERT INTO pages VALUES (101, 'http://a.example/new', 1)")
    assert ids._memory is None
    assert has_index(held)
    found, new, _ = ids.assign(pack_texts(f"http://a.example/{number}" for number in range(95, 102)))
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
    captured = CapturedPages(held)
    assert captured.select([3, 30, 31]) == {3, 30}
    assert captured._memory is None
    assert captured.select([5, 90, 2_000_000]) == {5}
    assert captured._memory is not None
    captured.enter([90, 5_000])
    assert captured.select([29, 90, 91, 5_000, 6_000]) == {29, 90, 5_000}


@given(st.lists(st.lists(st.text("abc", max_size=3), max_size=30), max_size=6))
def test_url_ids_do_what_a_dict_would(batches: list[list[str]]) -> None:
    ids, expected = UrlIds(), {}
    for batch in batches:
        found, new, fresh = ids.assign(pack_texts(batch))
        first = [i for i, url in enumerate(batch) if url not in expected and url not in batch[:i]]
        for url in batch:
            expected.setdefault(url, len(expected) + 1)
        assert found.tolist() == [expected[url] for url in batch]
        assert new.tolist() == first
        assert unpack_texts(fresh) == [batch[place] for place in first]
    assert len(ids) == len(expected)
    assert ids.find(pack_texts(["never seen"])).tolist() == [0]


def test_url_ids_grow_past_many_doublings() -> None:
    ids = UrlIds()
    urls = [f"http://a.example/{i}" for i in range(100_000)]
    assert ids.assign(pack_texts(urls)).ids.tolist() == list(range(1, 100_001))
    assert ids.find(pack_texts(urls[::-1])).tolist() == list(range(100_000, 0, -1))


def test_url_ids_never_take_more_than_they_say() -> None:
    ids = UrlIds()
    for begin in range(0, 300_000, 10_000):
        ids.assign(pack_texts(f"http://a.example/{number}" for number in range(begin, begin + 10_000)))
        assert ids.nbytes <= 25 * len(ids) or len(ids) <= 20_000


def test_no_sanitiser_complains_of_the_table_of_ids(under_sanitisers: Callable[..., str]) -> None:
    assert under_sanitisers(Path(__file__).with_name("workout_url_ids.py")).startswith("went through ")


@pytest.mark.parametrize(("count", "room"), [(1, 5), (3, 5), (2, 4)])
def test_arrays_that_are_not_as_long_as_the_texts_are_refused(count: int, room: int) -> None:
    table = kernels.ids_new(16, array("Q", (1, 2)))
    ids, places = array("q", (7,)) * count, array("q", (7,)) * count
    with pytest.raises(KernelError, match="ids_assign"):
        kernels.ids_assign(table, b"a\0b\0", ids, places, bytearray(room), kernels.new_ids_added())
    assert set(ids) == set(places) == {7}
    assert kernels.ids_count(table) == 0


def test_a_small_table_grows_as_long_as_there_are_new_texts() -> None:
    table = kernels.ids_new(16, array("Q", (1, 2)))
    for first in range(0, 1000, 50):
        texts = b"".join(b"%d\0" % number for number in range(first, first + 50))
        ids, places = array("q", (0,)) * 50, array("q", (0,)) * 50
        kernels.ids_assign(table, texts, ids, places, bytearray(len(texts) + 1), kernels.new_ids_added())
        assert ids.tolist() == list(range(first + 1, first + 51))
