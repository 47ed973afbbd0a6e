"""Ids, links and captures come out the same however the records are cut into batches."""

import os
import sqlite3
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphlang.db import Declaration, Link, LinkKind, Page, Problem, StoreError, collection, create
from graphlang.db.write import sources
from graphlang.db.write.writer import HostParts, Writer, finish

sys.path.append(str(Path(__file__).parent))
from sites import site


def page(url: str, *links: str, status: int = 200, date: str = "2026-01-01T00:00:00Z", **more: object) -> Page:
    return Page(
        url=url,
        offset=0,
        status=status,
        date=date,
        text=f"text of {url} at {date}",
        links=tuple(Link(link, LinkKind.ANCHOR) for link in links),
        **more,  # type: ignore[arg-type]
    )


def dump(connection: sqlite3.Connection) -> list[str]:
    return list(connection.iterdump())


def write(path: Path, batches: list[list[Page | Problem]], *, reopen: bool = False) -> list[str]:
    connection = create(path)
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    writer = Writer(connection, site)
    done = 0
    for batch in batches:
        if reopen:
            connection.close()
            connection = create(path)
            writer = Writer(connection, site)
        done += len(batch)
        writer.add(1, batch, position=done, finished=False)
    writer.add(1, [], position=done, finished=True)
    finish(connection)
    lines = dump(connection)
    connection.close()
    return lines


def test_ids_go_by_first_appearance_page_then_its_links(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    counts = Writer(connection, site).add(
        1,
        [page("http://b.example/", "http://a.example/", "http://c.example/"), page("http://a.example/")],
        position=2,
        finished=True,
    )
    assert counts == (2, 2, 0, 0, 0)
    assert connection.execute("SELECT id, url FROM pages ORDER BY id").fetchall() == [
        (1, "http://b.example/"),
        (2, "http://a.example/"),
        (3, "http://c.example/"),
    ]
    assert connection.execute("SELECT page FROM captures ORDER BY page").fetchall() == [(1,), (2,)]
    edges = collection.read_edges(connection)
    assert list(zip(edges.source.tolist(), edges.target.tolist(), strict=True)) == [(0, 1), (0, 2)]
    connection.close()


def test_links_keep_the_order_of_their_page(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    a, b, c, d = (f"http://{letter}.example/" for letter in "abcd")
    # a link of a page to itself takes no place; what came first does not depend on the ids, which b, a, c, d get
    Writer(connection, site).add(1, [page(b, a), page(a, c, b), page(c, d, c, b, a)], position=3, finished=True)
    edges = collection.read_edges(connection, places=True)
    assert edges.place is not None
    found = sorted(zip(edges.source.tolist(), edges.place.tolist(), edges.target.tolist(), strict=True))
    assert found == [(0, 0, 1), (1, 0, 2), (1, 1, 0), (2, 0, 3), (2, 1, 0), (2, 2, 1)]
    assert collection.read_edges(connection).place is None
    connection.execute(
        "UPDATE links SET place = NULL WHERE source = 1"
    )  # as where it was read before there were places
    connection.execute("UPDATE links SET place = 100000 WHERE source = 2 AND target = 3")
    again = collection.read_edges(connection, places=True)
    assert again.place is not None
    assert again.place.tolist() == [-1, 1, 32767, 1, 2, 0]
    assert (again.target.tolist(), again.kind.tolist()) == (edges.target.tolist(), edges.kind.tolist())
    connection.close()


def test_links_are_the_same_however_few_pages_are_read_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = create(tmp_path / "a.db")
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    a, b, c, d = (f"http://{letter}.example/" for letter in "abcd")
    # ids 1 to 4 go to d, a, b and c: what page 2 links to comes in another order than their ids
    linked = {d: {a: None, b: "fr"}, a: {c: "de", d: "en"}, b: {}, c: {a: "fr", b: None, d: "de"}}
    pages = [
        Page(url=url, offset=0, links=tuple(Link(one, LinkKind.ANCHOR, hreflang=tag) for one, tag in found.items()))
        for url, found in linked.items()
    ]
    Writer(connection, site).add(1, pages, position=1, finished=True)
    for batch in (1, 2, 3, 4096):
        monkeypatch.setattr(collection, "_BATCH", batch)
        edges = collection.read_edges(connection, places=True)
        assert edges.place is not None
        tags = [edges.tags[tag] if tag >= 0 else None for tag in edges.hreflang.tolist()]
        found = zip(edges.source.tolist(), edges.target.tolist(), tags, edges.place.tolist(), strict=True)
        assert list(found) == [
            (0, 1, None, 0),
            (0, 2, "fr", 1),
            (1, 0, "en", 1),
            (1, 3, "de", 0),
            (3, 0, "de", 2),
            (3, 1, "fr", 0),
            (3, 2, None, 1),
        ]
    connection.close()


def test_the_newest_capture_with_status_200_is_kept_and_all_are_counted(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    writer = Writer(connection, site)
    url = "http://a.example/"
    first = writer.add(
        1,
        [
            page(url, "http://old.example/", date="2020-01-01T00:00:00Z"),
            page(url, "http://new.example/", date="2024-01-01T00:00:00Z"),
            page(url, "http://gone.example/", date="2025-01-01T00:00:00Z", status=404),
        ],
        position=3,
        finished=False,
    )
    older = [page(url, "http://older.example/", date="2019-01-01T00:00:00Z"), page("http://b.example/")]
    second = writer.add(1, older, position=4, finished=False)
    third = writer.add(1, [page(url, date="2026-01-01T00:00:00Z", revisit_of=url)], position=5, finished=True)
    assert [counts.further_captures for counts in (first, second, third)] == [2, 1, 1]
    kept = connection.execute("SELECT date, captures FROM captures WHERE page = 1").fetchall()
    assert kept == [("2024-01-01T00:00:00Z", 5)]
    linked = "SELECT url FROM links JOIN pages ON pages.id = target"
    assert connection.execute(linked).fetchall() == [("http://new.example/",)]
    # What the other captures linked to is known, without a link.
    assert connection.execute("SELECT COUNT(*) FROM pages").fetchone() == (6,)
    writer.add(1, [page(url, date="2027-01-01T00:00:00Z")], position=6, finished=True)
    connection.close()


def test_self_links_are_dropped_and_kinds_flags_and_languages_kept(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    links = (
        Link("http://a.example/", LinkKind.CANONICAL),
        Link("http://a.example/fr", LinkKind.ALTERNATE, nofollow=False, hreflang="fr"),
        Link("http://a.example/x", LinkKind.ANCHOR, nofollow=True),
    )
    Writer(connection, site).add(
        1,
        [Page(url="http://a.example/", offset=7, links=links, declared=(Declaration("html-lang", "en"),))],
        position=1,
        finished=True,
    )
    edges = collection.read_edges(connection)
    assert edges.kind.tolist() == [LinkKind.ALTERNATE, LinkKind.ANCHOR]
    assert edges.nofollow.tolist() == [False, True]
    assert [edges.tags[i] if i >= 0 else None for i in edges.hreflang.tolist()] == ["fr", None]
    assert connection.execute("SELECT * FROM declarations").fetchall() == [(1, "html-lang", "en")]
    connection.close()


def test_a_batch_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    before = dump(connection)

    def broken(url: str) -> HostParts:
        if "b.example" in url:
            raise KeyboardInterrupt
        return site(url)

    with pytest.raises(KeyboardInterrupt):
        Writer(connection, broken).add(1, [page("http://a.example/", "http://b.example/")], position=1, finished=True)
    assert dump(connection) == before
    connection.close()


URLS = st.sampled_from([f"http://{host}.example/{path}" for host in "ab" for path in "123"])
PAGES = st.builds(
    lambda url, links, status, date: page(url, *dict.fromkeys(links), status=status, date=date),
    URLS,
    st.lists(URLS, max_size=4),
    st.sampled_from([200, 404]),
    st.sampled_from(["2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"]),
)
ITEMS = st.lists(PAGES | st.just(Problem("truncated", "it ends here", 3)), max_size=12)


@settings(max_examples=40)
@given(items=ITEMS, cuts=st.lists(st.integers(0, 12), max_size=4))
def test_cutting_into_other_batches_or_starting_again_between_them_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, items: list[Page | Problem], cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    bounds = [0, *sorted(min(cut, len(items)) for cut in cuts), len(items)]
    batches = [items[a:b] for a, b in pairwise(bounds)]
    once = write(folder / "once.db", [items])
    assert write(folder / "cut.db", batches) == once
    assert write(folder / "again.db", batches, reopen=True) == once


def test_the_same_bytes_are_one_source_whatever_their_name(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    for name in ("one.warc", "two.warc"):
        (tmp_path / name).write_bytes(b"WARC/1.0\r\n")
    one = sources.register(connection, tmp_path / "one.warc")
    two = sources.register(connection, tmp_path / "two.warc")
    assert one == two == (1, 0, False, 10, (), False)
    connection.close()


def test_a_file_whose_name_is_no_utf8_is_entered(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.warc")
    path.write_bytes(b"WARC/1.0\r\n")
    connection = create(tmp_path / "a.db")
    sources.register(connection, path)
    assert connection.execute("SELECT name FROM sources").fetchone()[0].endswith("caf\\xe9.warc")
    connection.close()


def test_a_stream_is_refused_before_it_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.warc")
    connection = create(tmp_path / "a.db")
    with pytest.raises(StoreError, match="a stream"):
        sources.register(connection, tmp_path / "a.warc")  # and does not wait for somebody to write
    connection.close()


def test_a_second_writer_stops_before_it_writes(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    first, second = Writer(connection, site), Writer(connection, site)
    first.add(1, [page("http://a.example/")], position=1, finished=False)
    with pytest.raises(StoreError, match="another process"):
        second.add(1, [page("http://b.example/")], position=1, finished=False)
    assert connection.execute("SELECT url FROM pages").fetchall() == [("http://a.example/",)]
    connection.close()


def test_what_was_stopped_before_the_end_is_made_up_for(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    url = "http://a.example/"
    items = [page(url, size=5), page("http://b.example/", revisit_of=url, revisit_date="2026-01-01T00:00:00Z")]
    items[1] = replace(items[1], text="", size=0)
    Writer(connection, site).add(1, items, position=2, finished=True)  # killed here
    finish(connection)
    first = dump(connection)
    finish(connection)
    assert dump(connection) == first
    assert connection.execute("SELECT COUNT(*) FROM texts").fetchone() == (2,)
    assert connection.execute("SELECT name FROM sqlite_schema WHERE name = 'pages_url'").fetchall()
    connection.close()
