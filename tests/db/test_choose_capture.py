"""One snapshot out of several captures: which is kept, how parts are joined, and what revisits borrow."""

import sqlite3
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from graphlang.db import Declaration, Link, LinkKind, Page, StoreError, create
from graphlang.db.write import sources
from graphlang.db.write.choose_capture import Keep
from graphlang.db.write.writer import Writer, finish

sys.path.append(str(Path(__file__).parent))
from sites import site

URL = "http://a.example/"


def page(url: str = URL, **more: object) -> Page:
    given: dict[str, object] = {"offset": 0, "status": 200, "date": "2024-01-01T00:00:00Z", "size": 9, **more}
    text = str(given.get("text", ""))
    return Page(url=url, length=len(text), main_length=len(text), **given)  # type: ignore[arg-type]


def wet(date: str = "2024-01-01T00:00:00Z", text: str = "Guten Tag") -> Page:
    return page(
        status=None, date=date, mime="text/plain", charset="utf-8", charset_from="utf-8", text=text, parts="text"
    )


def wat(date: str = "2024-01-01T00:00:00Z") -> Page:
    links = (Link("http://b.example/", LinkKind.ANCHOR),)
    declared = (Declaration("html-lang", "de"),)
    return page(date=date, mime="text/html", digest="D" * 32, links=links, declared=declared, title="T", parts="links")


def collection(tmp_path: Path, batches: list[list[Page]], keep: Keep = Keep.BEST) -> sqlite3.Connection:
    path = tmp_path / "a.db"
    path.unlink(missing_ok=True)
    connection = create(path)
    for number, batch in enumerate(batches, 1):
        connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a', ?, 1)", (str(number),))
        writer = Writer(connection, site, keep=keep)
        writer.add(number, batch, position=len(batch), finished=True)
        finish(connection)
    return connection


def texts(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    query = "SELECT url, title, text FROM texts JOIN pages ON id = page ORDER BY page"
    return [(url, title, text) for url, title, text in connection.execute(query)]


@pytest.mark.parametrize(
    ("keep", "text"), [(Keep.BEST, "newer"), (Keep.FIRST, "old"), (Keep.LAST, "gone"), (Keep.LONGEST, "longest of all")]
)
def test_each_way_to_choose_a_capture_whatever_the_order(tmp_path: Path, keep: Keep, text: str) -> None:
    captures = [
        page(date="2020-01-01T00:00:00Z", text="old"),
        page(date="2021-01-01T00:00:00Z", text="longest of all"),
        page(date="2022-01-01T00:00:00Z", text="newer"),
        page(date="2023-01-01T00:00:00Z", text="gone", status=404),
        page(date="2024-01-01T00:00:00Z", revisit_of=URL, size=0),
    ]
    orders = enumerate(permutations(captures))  # each for a page of its own
    records = [replace(capture, url=f"{URL}{number}") for number, order in orders for capture in order]
    together = collection(tmp_path, [records], keep)
    assert [row[2] for row in texts(together)] == [text] * 120
    assert together.execute("SELECT DISTINCT captures FROM captures").fetchall() == [(5,)]
    together.close()
    apart = collection(tmp_path, [[one] for one in captures], keep)
    assert texts(apart) == [(URL, "", text)]
    apart.close()


@pytest.mark.parametrize("keep", [Keep.ALL, Keep.BEST, Keep.FIRST, Keep.LAST])
@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("apart", [False, True])
def test_a_record_that_was_cut_off_gives_way_to_the_whole_one(
    tmp_path: Path, keep: Keep, order: int, apart: bool
) -> None:
    links = (Link("http://b.example/", LinkKind.ANCHOR),)
    whole = page(text="Nebel im Tal", size=12, digest="W" * 32, links=links)
    captures = [page(text="Nebel", size=5, digest="C" * 32), whole][::order]
    connection = collection(tmp_path, [[one] for one in captures] if apart else [captures], keep)
    assert texts(connection) == [(URL, "", "Nebel im Tal")]
    assert connection.execute("SELECT target_url FROM link_details").fetchall() == [("http://b.example/",)]
    connection.close()


def test_captures_without_a_date_are_not_taken_for_one_that_was_cut_off(tmp_path: Path) -> None:
    captures = [page(text="first", size=5, date=""), page(text="and another", size=11, date="")]
    connection = collection(tmp_path, [captures])
    assert texts(connection) == [(URL, "", "first")]
    connection.close()


@pytest.mark.parametrize("batches", [[[wet(), wat()]], [[wat(), wet()]], [[wet()], [wat()]], [[wat()], [wet()]]])
def test_text_of_a_wet_and_links_of_a_wat_are_one_capture(tmp_path: Path, batches: list[list[Page]]) -> None:
    connection = collection(tmp_path, batches)
    assert texts(connection) == [(URL, "T", "Guten Tag")]
    assert connection.execute("SELECT target FROM links").fetchall() == [(2,)]
    assert connection.execute("SELECT value FROM declarations").fetchall() == [("de",)]
    row = connection.execute("SELECT status, mime, charset, length, digest, parts, captures FROM captures").fetchall()
    assert row == [(200, "text/html", "utf-8", 9, "D" * 32, "joined", 1)]
    connection.close()


def test_a_part_of_another_date_is_another_capture(tmp_path: Path) -> None:
    connection = collection(tmp_path, [[wet(), wat("2025-01-01T00:00:00Z")]])
    assert connection.execute("SELECT parts, date, captures FROM captures").fetchall() == [
        ("text", "2024-01-01T00:00:00Z", 2)  # a page without text says less than an older one with it
    ]
    connection.close()


@pytest.mark.parametrize("first", [True, False])
def test_the_whole_capture_takes_the_place_of_its_parts(tmp_path: Path, first: bool) -> None:
    whole = page(text="Guten Tag allerseits", links=(Link("http://c.example/", LinkKind.ANCHOR),))
    connection = collection(tmp_path, [[whole], [wet(), wat()]] if first else [[wat()], [wet()], [whole]])
    assert texts(connection) == [(URL, "", "Guten Tag allerseits")]
    linked = connection.execute("SELECT url FROM links JOIN pages ON id = target").fetchall()
    assert linked == [("http://c.example/",)]
    assert connection.execute("SELECT parts, captures FROM captures").fetchall() == [("both", 1)]
    connection.close()


@pytest.mark.parametrize("order", [[0, 1], [1, 0], [0, 0, 1, 0]])
@pytest.mark.parametrize("apart", [True, False])
def test_a_page_without_text_gets_what_its_browser_showed(tmp_path: Path, order: list[int], apart: bool) -> None:
    whole = page(mime="text/html", links=(Link("http://b.example/", LinkKind.ANCHOR),), declared=wat().declared)
    captures = [[whole, wet("", "Shown by a script")][number] for number in order]
    connection = collection(tmp_path, [[one] for one in captures] if apart else [captures])
    assert texts(connection) == [(URL, "", "Shown by a script")]
    row = connection.execute("SELECT status, mime, date, length, parts FROM captures").fetchall()
    assert row == [(200, "text/html", whole.date, 17, "joined")]
    assert connection.execute("SELECT COUNT(*) FROM links").fetchall() == [(1,)]
    assert connection.execute("SELECT value FROM declarations").fetchall() == [("de",)]
    connection.close()


@pytest.mark.parametrize("whole", [page(status=404), page(text="Guten Morgen")])
def test_an_error_and_a_page_with_text_get_none(tmp_path: Path, whole: Page) -> None:
    connection = collection(tmp_path, [[whole, wet("", "Shown by a script")]])
    assert connection.execute("SELECT length, parts FROM captures").fetchall() == [(whole.length, "both")]
    connection.close()


def test_a_resource_record_does_not_give_way_to_an_error(tmp_path: Path) -> None:
    resource, gone = page(status=None, text="here"), page(status=404, date="2025-01-01T00:00:00Z", text="gone")
    for order in ([resource, gone], [gone, resource]):
        connection = collection(tmp_path, [order])
        assert texts(connection) == [(URL, "", "here")]
        connection.close()


def test_the_newest_is_the_newest_in_any_precision(tmp_path: Path) -> None:
    dates = ["2014", "2014-02", "2014-02-10T00:00Z", "2014-02-10T00:00:01Z", "2014-02-10T00:00:01.01Z"]
    captures = [page(date=date, text=date) for date in dates]
    for order in (captures, captures[::-1]):
        connection = collection(tmp_path, [order])
        assert texts(connection) == [(URL, "", dates[-1])]
        connection.close()


OLD = "http://old.example/"
ORIGINAL = page(
    OLD,
    text="Guten Tag",
    charset="utf-8",
    charset_from="http",
    digest="A" * 32,
    links=(Link("http://b.example/", LinkKind.ANCHOR), Link(URL, LinkKind.ANCHOR)),
    declared=(Declaration("html-lang", "de"),),
    visible=b"Guten Tag",
)


def revisit(**more: object) -> Page:
    given = {"revisit_of": OLD, "revisit_date": ORIGINAL.date, "date": "2025-01-01T00:00:00Z", "size": 0, **more}
    return page(**given)


@pytest.mark.parametrize(
    "second",
    [
        revisit(),
        revisit(revisit_date="", digest="A" * 32),
        revisit(revisit_of="http://nowhere.example/", revisit_date="", digest="A" * 32),
        revisit(status=304),
    ],
    ids=["by URL and date", "by URL and digest", "by digest alone", "not modified"],
)
@pytest.mark.parametrize("before", [True, False])
def test_a_revisit_borrows_what_its_original_holds(tmp_path: Path, second: Page, before: bool) -> None:
    connection = collection(tmp_path, [[second], [ORIGINAL]] if before else [[ORIGINAL, second]])
    assert sorted(texts(connection)) == [(URL, "", "Guten Tag"), (OLD, "", "Guten Tag")]
    ids = dict(connection.execute("SELECT url, id FROM pages"))
    targets = connection.execute("SELECT target FROM links WHERE source = ?", (ids[URL],)).fetchall()
    assert targets == [(ids["http://b.example/"],)]  # and not itself
    row = connection.execute("SELECT original, charset, length, date FROM captures WHERE page = ?", (ids[URL],))
    assert row.fetchall() == [(ids[OLD], "utf-8", 9, "2025-01-01T00:00:00Z")]
    assert connection.execute("SELECT COUNT(*) FROM visible_bytes").fetchone() == (2,)
    connection.close()


@pytest.mark.parametrize(
    "second",
    [revisit(revisit_date="2019-01-01T00:00:00Z"), revisit(status=301), revisit(revisit_date="", digest="B" * 32)],
    ids=["another capture", "a redirect", "other content"],
)
def test_a_revisit_of_something_else_stays_empty(tmp_path: Path, second: Page) -> None:
    connection = collection(tmp_path, [[ORIGINAL, second]])
    assert texts(connection) == [(OLD, "", "Guten Tag")]
    connection.close()


def test_what_was_borrowed_is_given_back_when_the_original_makes_way(tmp_path: Path) -> None:
    newer = page(OLD, date="2026-01-01T00:00:00Z", text="Bonjour")
    step_by_step = collection(tmp_path, [[ORIGINAL, revisit()], [newer]])
    assert texts(step_by_step) == [(OLD, "", "Bonjour")]
    rows = "SELECT * FROM captures ORDER BY page"
    parted = step_by_step.execute(rows).fetchall()
    step_by_step.close()
    at_once = collection(tmp_path, [[ORIGINAL, revisit(), newer]])
    assert texts(at_once) == [(OLD, "", "Bonjour")]
    assert [row[2:] for row in parted] == [row[2:] for row in at_once.execute(rows)]
    at_once.close()


def test_a_revisit_that_names_a_page_alone_borrows_from_its_newest_capture(tmp_path: Path) -> None:
    unsure = revisit(revisit_date="", digest="")
    newer = page(OLD, date="2026-01-01T00:00:00Z", text="Bonjour", links=(Link("http://c.example/", LinkKind.ANCHOR),))
    for batches in ([[ORIGINAL, unsure], [newer]], [[ORIGINAL, unsure, newer]]):
        connection = collection(tmp_path, batches)
        assert sorted(texts(connection)) == [(URL, "", "Bonjour"), (OLD, "", "Bonjour")]
        linked = connection.execute("SELECT source_url, target_url FROM link_details ORDER BY 1").fetchall()
        assert linked == [(URL, "http://c.example/"), (OLD, "http://c.example/")]
        connection.close()


@pytest.mark.parametrize("batches", [[[wat(), wet(text="")]], [[wat()], [wet(text="")]]])
def test_an_empty_text_is_none_however_it_came(tmp_path: Path, batches: list[list[Page]]) -> None:
    connection = collection(tmp_path, [[replace(one, title="") for one in batch] for batch in batches])
    assert texts(connection) == []
    connection.close()


def words(connection: sqlite3.Connection) -> list[tuple[str, str, str]]:
    rows = connection.execute(
        "SELECT a.url, b.url, text FROM anchor_texts JOIN pages AS a ON a.id = source JOIN pages AS b ON b.id = target"
        " ORDER BY a.url, b.url"
    )
    return [(source, target, text) for source, target, text in rows]


def test_words_of_links_come_and_go_with_their_page(tmp_path: Path) -> None:
    old = page(links=(Link("http://b.example/", LinkKind.ANCHOR, text="Öffnungszeiten"), Link(URL, 7, text="self")))
    new = page(date="2025-01-01T00:00:00Z", links=(Link("http://c.example/", LinkKind.ANCHOR, text="Karten"),))
    connection = collection(tmp_path, [[old]])
    assert words(connection) == [(URL, "http://b.example/", "Öffnungszeiten")]
    connection.close()
    for batches in ([[old, new]], [[old], [new]]):
        connection = collection(tmp_path, batches)
        assert words(connection) == [(URL, "http://c.example/", "Karten")]
        connection.close()
    lent = page(OLD, links=new.links, date=ORIGINAL.date)
    connection = collection(tmp_path, [[lent, revisit()]])
    assert words(connection) == [(URL, "http://c.example/", "Karten"), (OLD, "http://c.example/", "Karten")]
    connection.close()


def test_a_folder_is_known_by_the_paths_and_bytes_of_its_files(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        (folder / "a.example").mkdir(parents=True)
        (folder / "a.example" / "index.html").write_bytes(b"<p>Hallo")
    (one / "elsewhere").symlink_to(tmp_path / "a.db")
    first = sources.register(connection, one)
    assert (first.size, sources.register(connection, two)) == (8, first)
    (two / "a.example" / "index.html").rename(two / "a.example" / "b.html")
    assert sources.register(connection, two).id != first.id
    connection.close()


def test_a_file_is_read_to_its_end_with_one_choice_of_captures(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    (tmp_path / "a.warc").write_bytes(b"WARC/1.0\r\n")
    source = sources.register(connection, tmp_path / "a.warc", keep=Keep.FIRST)
    connection.execute("UPDATE sources SET position = 1 WHERE id = ?", (source.id,))
    with pytest.raises(StoreError, match=r"read in part with --keep first"):
        sources.register(connection, tmp_path / "a.warc")
    connection.close()
