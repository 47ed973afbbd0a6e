"""Captures of a page besides its own: each with its date, each content once, however the records come."""

import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.db import Declaration, Link, LinkKind, Page, create
from graphlang.db.remove import remove, scrub
from graphlang.db.write import sources
from graphlang.db.write.choose_capture import Keep
from graphlang.db.write.writer import BatchCounts, Writer, finish

sys.path.append(str(Path(__file__).parent))
from sites import site

URL = "http://a.example/"
OTHER = "http://b.example/"


def capture(year: int, words: str, *links: str, url: str = URL, **more: object) -> Page:
    """A capture whose payload is its words."""
    given: dict[str, object] = {"status": 200, "digest": words.upper(), "size": len(words), "mime": "text/html"} | more
    return Page(
        url=url,
        offset=year,
        date=f"{year}-03-01T00:00:00Z",
        title=f"title {words}",
        text=words,
        length=len(words),
        main_length=len(words),
        charset="utf-8",
        links=tuple(Link(link, LinkKind.ANCHOR) for link in links),
        declared=(Declaration("html-lang", words[:2]),),
        **given,  # type: ignore[arg-type]
    )


def revisit(year: int, words: str, **more: object) -> Page:
    given: dict[str, object] = {"status": 304, "digest": words.upper(), "revisit_of": URL} | more
    return Page(url=URL, offset=year, date=f"{year}-03-01T00:00:00Z", **given)  # type: ignore[arg-type]


def write(path: Path, batches: list[list[Page]], *, reopen: bool = False, keep: Keep = Keep.ALL) -> BatchCounts:
    connection = create(path)
    connection.execute("INSERT INTO sources (name, sha256, bytes, keep) VALUES ('a.warc', 'x', 1, 'all')")
    writer = Writer(connection, site, keep=keep)
    done = [0, 0, 0]
    for batch in batches:
        if reopen:
            connection.close()
            connection = create(path)
            writer = Writer(connection, site, keep=keep)
        done[0] += len(batch)
        counts = writer.add(1, batch, position=done[0], finished=False)
        done[1] += counts.further_captures
        done[2] += counts.stored_captures
    writer.add(1, [], position=done[0], finished=True)
    finish(connection)
    connection.close()
    return BatchCounts(done[0], 0, 0, done[1], done[2])


def ask(path: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def dump(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        return list(connection.iterdump())
    finally:
        connection.close()


HISTORY = "SELECT SUBSTR(date, 1, 4), digest, whole, text FROM history ORDER BY date"


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("apart", [False, True])
def test_the_newest_is_the_pages_own_and_the_others_are_kept_with_what_they_said(
    tmp_path: Path, order: tuple[int, ...], *, apart: bool
) -> None:
    db = tmp_path / "a.db"
    years = [capture(2010, "dansk", OTHER), capture(2011, "english", URL, OTHER), capture(2012, "deutsch", OTHER)]
    given = [years[place] for place in order]
    counts = write(db, [[one] for one in given] if apart else [given])
    assert (counts.further_captures, counts.stored_captures) == (2, 2)
    assert ask(db, "SELECT date, text, captures FROM captures JOIN texts USING (page)") == [
        ("2012-03-01T00:00:00Z", "deutsch", 3)
    ]
    assert ask(db, HISTORY) == [("2010", "DANSK", 1, "dansk"), ("2011", "ENGLISH", 1, "english")]
    linked = (
        "SELECT SUBSTR(date, 1, 4), url, kind, nofollow, place FROM history_links"
        " JOIN history ON history.id = capture JOIN pages ON pages.id = target ORDER BY date"
    )
    assert ask(db, linked) == [("2010", OTHER, 7, 0, 0), ("2011", OTHER, 7, 0, 0)]  # and none to itself
    declared = "SELECT value FROM history_declarations JOIN history ON id = capture ORDER BY date"
    assert ask(db, declared) == [("da",), ("en",)]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_page_that_stays_as_it_is_costs_a_light_row_a_year(tmp_path: Path, order: tuple[int, ...]) -> None:
    db = tmp_path / "a.db"
    years = [capture(year, "same", OTHER) for year in (2010, 2011, 2012)]
    write(db, [[years[place]] for place in order])
    assert ask(db, HISTORY) == [("2010", "SAME", 0, None), ("2011", "SAME", 0, None)]
    assert ask(db, "SELECT COUNT(*) FROM history_links") == [(0,)]
    seen = "SELECT SUBSTR(date, 1, 4), charset, length, content FROM history_captures ORDER BY date"
    assert ask(db, seen) == [("2010", "utf-8", 4, None), ("2011", "utf-8", 4, None)]


def test_a_content_that_comes_back_is_held_once(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    write(db, [[capture(2010, "old"), capture(2011, "new"), capture(2012, "old")], [capture(2013, "new")]])
    assert ask(db, HISTORY) == [("2010", "OLD", 0, None), ("2011", "NEW", 0, None), ("2012", "OLD", 1, "old")]
    seen = "SELECT SUBSTR(date, 1, 4), length, content FROM history_captures ORDER BY date"
    (whole,) = ask(db, "SELECT id FROM history WHERE whole")
    assert ask(db, seen) == [("2010", 3, whole[0]), ("2011", 3, None), ("2012", 3, whole[0])]


def test_the_same_capture_in_two_files_is_one(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    years = [capture(2010, "old"), capture(2011, "new")]
    counts = write(db, [[*years, *years]])
    assert (counts.further_captures, counts.stored_captures) == (3, 1)
    assert ask(db, HISTORY) == [("2010", "OLD", 1, "old")]


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_revisits_are_dates_of_what_they_name(tmp_path: Path, order: tuple[int, ...]) -> None:
    db = tmp_path / "a.db"
    records = [capture(2010, "old"), revisit(2011, "old"), revisit(2012, "old", digest=""), capture(2013, "new")]
    write(db, [[records[place] for place in order]])
    assert [row[:3] for row in ask(db, HISTORY)] == [("2010", "OLD", 1), ("2011", "OLD", 0)]
    seen = "SELECT SUBSTR(date, 1, 4), status, mime, charset, length FROM history_captures ORDER BY date"
    assert ask(db, seen) == [("2010", 200, "text/html", "utf-8", 3), ("2011", 200, "text/html", "utf-8", 3)]


def test_a_revisit_of_what_nobody_read_is_a_date_without_content(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    write(db, [[revisit(2011, "lost"), capture(2013, "new")]])
    assert ask(db, HISTORY) == [("2011", "LOST", 0, None)]
    assert ask(db, "SELECT * FROM history_captures") == []


def test_redirects_keep_their_targets_though_their_payloads_are_the_same(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    moves = [capture(2010 + n, "moved", f"http://{n}.example/", status=301) for n in range(3)]
    write(db, [moves])
    assert [row[:3] for row in ask(db, HISTORY)] == [("2010", "MOVED", 1), ("2011", "MOVED", 1)]
    linked = "SELECT url FROM history_links JOIN pages ON id = target ORDER BY capture"
    assert ask(db, linked) == [("http://0.example/",), ("http://1.example/",)]


@pytest.mark.parametrize("cuts", [[3], [1, 1, 1], [2, 1], [1, 2]])
def test_what_was_joined_from_two_parts_gives_way_as_a_whole(tmp_path: Path, cuts: list[int]) -> None:
    words = replace(capture(2010, "worte"), status=None, digest="W", parts="text", declared=(), title="")
    leads = replace(capture(2010, "", OTHER, digest="D", size=9), parts="links", charset=None, title="T")
    records = [words, leads, capture(2012, "newer")]
    batches = [records[sum(cuts[:n]) : sum(cuts[: n + 1])] for n in range(len(cuts))]
    db = tmp_path / "a.db"
    write(db, batches)
    row = "SELECT digest, parts, status, charset, title, text, whole FROM history"
    assert ask(db, row) == [("D", "joined", 200, "utf-8", "T", "worte", 1)]
    assert ask(db, "SELECT url FROM history_links JOIN pages ON id = target") == [(OTHER,)]


@pytest.mark.parametrize("keep", [keep for keep in Keep if keep is not Keep.ALL])
def test_the_other_choices_keep_no_history(tmp_path: Path, keep: Keep) -> None:
    db = tmp_path / "a.db"
    counts = write(db, [[capture(2010, "old"), capture(2011, "new")], [capture(2012, "newest")]], keep=keep)
    assert (counts.further_captures, counts.stored_captures) == (2, 0)
    assert ask(db, "SELECT COUNT(*) FROM history") == [(0,)]


def test_nothing_of_a_removed_page_is_left_in_its_history(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    secret = "http://geheim.example/"  # noqa: S105 - no password
    others = [capture(2010 + n, f"open {n}", secret) for n in range(3)]
    secrets = [capture(2010 + n, f"geheim {n}", OTHER, url=secret) for n in range(3)]
    write(db, [[*others, *secrets]])
    connection = create(db)
    done = remove(connection, [secret], [], host_of=lambda url: url.split("/")[2], canonical=str)
    scrub(connection, vacuum=False)
    assert (done.pages, done.captures) == (1, 3)
    assert connection.execute("SELECT COUNT(*) FROM history_links").fetchone() == (0,)
    assert connection.execute("SELECT text FROM history ORDER BY id").fetchall() == [("open 0",), ("open 1",)]
    connection.close()
    assert b"geheim" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())


def read_again(db: Path, records: list[Page]) -> None:
    connection = create(db)
    sources.restart(connection, 1, options="{}", keep="all")
    Writer(connection, site, keep=Keep.ALL).add(1, records, position=len(records), finished=True)
    finish(connection)
    connection.close()


def test_a_file_that_is_read_again_has_its_history_anew(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    years = [capture(2010, "old"), capture(2011, "old"), capture(2012, "new", OTHER), capture(2013, "newest")]
    write(db, [years])
    before = dump(db)
    read_again(db, years)
    same = [line for line in dump(db) if 'INTO "history' in line]
    assert [line.replace(",2,1,'title", ",1,1,'title").replace(",2,0,NULL", ",1,0,NULL") for line in same] == [
        line for line in before if 'INTO "history' in line
    ]
    longer = [replace(one, text=f"{one.text} and more") for one in years]
    read_again(db, longer)
    assert [row[3] for row in ask(db, HISTORY)] == [None, "old and more", "new and more"]
    read_again(db, [years[0], *years[2:]])  # as where another limit leaves one out
    assert ask(db, HISTORY) == [("2010", "OLD", 1, "old and more"), ("2012", "NEW", 1, "new")]
    assert ask(db, "SELECT COUNT(*) FROM history_links") == [(1,)]


def test_content_stays_with_another_file_that_has_it(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    write(db, [[capture(2010, "old", OTHER), capture(2012, "new")]])
    connection = create(db)
    connection.execute("INSERT INTO sources (name, sha256, bytes, keep) VALUES ('b.warc', 'y', 1, 'all')")
    Writer(connection, site, keep=Keep.ALL).add(2, [capture(2011, "old", OTHER)], position=1, finished=True)
    connection.close()
    assert ask(db, HISTORY) == [("2010", "OLD", 1, "old"), ("2011", "OLD", 0, None)]
    read_again(db, [capture(2012, "new")])
    assert ask(db, HISTORY) == [("2011", "OLD", 1, "old")]
    assert ask(db, "SELECT capture - (SELECT id FROM history) FROM history_links") == [(0,)]


def test_a_record_is_known_again_where_another_version_read_another_date(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    years = [capture(2010, "old"), capture(2011, "older"), capture(2012, "new")]
    write(db, [years])
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE history SET date = '2010' WHERE digest = 'OLD'")
    ids = ask(db, "SELECT id, digest FROM history ORDER BY id")
    read_again(db, years)
    assert ask(db, "SELECT id, digest FROM history ORDER BY id") == ids
    assert ask(db, HISTORY) == [("2010", "OLD", 1, "old"), ("2011", "OLDER", 1, "older")]
    assert ask(db, "SELECT date FROM history WHERE digest = 'OLD'") == [("2010-03-01T00:00:00Z",)]


def test_a_collection_that_had_one_capture_of_each_url_gets_the_others_when_it_is_read_again(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    years = [capture(2010, "old"), capture(2012, "new")]
    write(db, [years], keep=Keep.BEST)
    read_again(db, years)
    assert ask(db, HISTORY) == [("2010", "OLD", 1, "old")]
    assert ask(db, "SELECT captures FROM captures") == [(2,)]


WORDS = st.sampled_from(["eins", "zwei", "drei"])
RECORDS = st.lists(
    st.one_of(
        st.builds(
            capture,
            st.integers(2010, 2013),
            WORDS,
            st.sampled_from([URL, OTHER]),
            url=st.sampled_from([URL, OTHER]),
            status=st.sampled_from([200, 200, 200, 404, 301]),
            parts=st.sampled_from(["both", "both", "both", "text", "links"]),
        ),
        st.builds(revisit, st.integers(2010, 2013), WORDS),
        st.builds(lambda year: revisit(year, "", digest=""), st.integers(2010, 2013)),
    ),
    max_size=14,
)


@given(records=RECORDS, cuts=st.lists(st.integers(0, 14), max_size=5))
def test_cutting_into_other_batches_or_starting_again_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, records: list[Page], cuts: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    bounds = [0, *sorted(min(cut, len(records)) for cut in cuts), len(records)]
    write(folder / "once.db", [records])
    write(folder / "one by one.db", [[record] for record in records])
    write(folder / "cut.db", [records[a:b] for a, b in pairwise(bounds)], reopen=True)
    once = dump(folder / "once.db")
    assert dump(folder / "one by one.db") == once
    assert dump(folder / "cut.db") == once


@given(records=RECORDS)
def test_each_content_is_held_once_and_none_is_lost(
    tmp_path_factory: pytest.TempPathFactory, records: list[Page]
) -> None:
    db = tmp_path_factory.mktemp("held") / "a.db"
    write(db, [records])
    telling = "size > 0 AND status IS NOT 301"
    held = (
        f"SELECT url, digest FROM history JOIN pages ON pages.id = page WHERE whole AND {telling} UNION ALL"
        f" SELECT url, digest FROM captures JOIN pages ON pages.id = page WHERE revisit_of IS NULL AND {telling}"
    )
    found = ask(db, held)
    assert len(found) == len(set(found))
    whole = [one for one in records if one.revisit_of is None and one.status != 301 and one.parts == "both"]
    assert {(one.url, one.digest) for one in whole} <= set(found)
    assert ask(db, "SELECT COUNT(*) FROM history_links WHERE capture NOT IN (SELECT id FROM history WHERE whole)") == [
        (0,)
    ]


DATED = st.lists(
    st.tuples(st.integers(1990, 2020), st.sampled_from(["eins", "zwei", "drei"]), st.sampled_from([URL, OTHER])),
    max_size=8,
    unique_by=lambda one: (one[0], one[2]),
)


@given(dated=DATED, seed=st.randoms(use_true_random=False))
def test_the_order_of_the_files_changes_neither_own_captures_nor_the_set_of_all(
    tmp_path_factory: pytest.TempPathFactory, dated: list[tuple[int, str, str]], seed: object
) -> None:
    folder = tmp_path_factory.mktemp("order")
    records = [capture(year, words, url=url) for year, words, url in dated]
    write(folder / "a.db", [[one] for one in records])
    seed.shuffle(records)  # type: ignore[attr-defined]
    write(folder / "b.db", [records, records])  # and what is read twice is as what is read once
    for query in (
        "SELECT url, date, digest, text FROM captures JOIN texts USING (page) JOIN pages ON pages.id = page ORDER BY 1",
        "SELECT url, date, digest, length FROM history_captures JOIN pages ON pages.id = page ORDER BY 1, 2",
    ):
        assert ask(folder / "a.db", query) == ask(folder / "b.db", query)


def test_the_content_of_a_capture_is_looked_up_and_not_searched_for_among_all_of_its_page(tmp_path: Path) -> None:
    """A page that was read every hour has thousands of captures: of each, all the others were looked through."""

    def work(captures: int) -> int:
        db = tmp_path / f"{captures}.db"
        write(db, [[capture(year, ("the", "same")[year % 50 == 0]) for year in range(1000, 1000 + captures)]])
        connection = sqlite3.connect(db)
        steps = 0

        def count() -> int:
            nonlocal steps
            steps += 1
            return 0

        connection.set_progress_handler(count, 100)
        told = connection.execute("SELECT COUNT(*), COUNT(content) FROM history_captures").fetchone()
        connection.close()
        assert told == (captures - 1, captures // 50)  # the newest is the page's own; of "same" one row holds the text
        return steps

    assert work(1600) < 5 * work(400)  # four times the captures; eleven times the work without the index


@pytest.mark.parametrize("other", [False, True])
def test_a_capture_is_looked_up_when_it_is_read_and_not_searched_for_among_all_of_its_page(
    tmp_path: Path, *, other: bool
) -> None:
    """Of undated captures, and of those that an earlier reading had not, all were looked through for each."""

    def work(captures: int) -> int:
        connection = create(tmp_path / f"{captures}.db")
        connection.execute("INSERT INTO sources (name, sha256, bytes, keep) VALUES ('a.warc', 'x', 1, 'all')")
        steps = 0

        def count() -> int:
            nonlocal steps
            steps += 1
            return 0

        connection.set_progress_handler(count, 100)
        for reading in range(2):
            if reading:
                sources.restart(connection, 1, options="{}", keep="all")
            first = 1 + captures * other * reading
            read = [replace(capture(year, f"text {year}"), date="") for year in range(first, first + captures)]
            Writer(connection, site, keep=Keep.ALL).add(1, read, position=captures, finished=True)
        kept = connection.execute("SELECT COUNT(*), COUNT(DISTINCT digest), MAX(offset) FROM history").fetchone()
        connection.close()
        # One is the page's own: in the second case one that only the first reading had.
        assert kept == (captures - 1 + other, captures - 1 + other, captures << other)
        return steps

    assert work(1600) < 5 * work(400)  # four times the captures
