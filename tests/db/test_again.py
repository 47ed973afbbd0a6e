"""A file that is read again: the same with the same options, as for the first time with others, wherever it stops."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from graphlang.db import Link, LinkKind, Page, create
from graphlang.db.write import sources
from graphlang.db.write.choose_capture import Keep
from graphlang.db.write.writer import Writer, finish

sys.path.append(str(Path(__file__).parent))
from sites import site

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

TABLES = {
    "hosts": "*",
    "pages": "*",
    "captures": "page, source, offset, date, status, length, size, digest, revisit_of, captures, original, parts",
    "texts": "*",
    "declarations": "*",
    "links": "*",
    "visible_bytes": "*",
    "anchor_texts": "*",
    "problems": "source, offset, url, kind, reason",
    # Which of several captures of the same content holds it may differ.
    "history": "page, source, offset, date, status, digest, parts",
}


def held(connection: sqlite3.Connection) -> dict[str, list[Any]]:
    """All that was read, but for which reading it was."""
    return {
        name: sorted(connection.execute(f"SELECT {columns} FROM {name}").fetchall(), key=repr)
        for name, columns in TABLES.items()
    }


def add(
    connection: sqlite3.Connection, source: int, pages: Sequence[Page], *, cut: int = 2, keep: Keep = Keep.BEST
) -> None:
    """Read a file in batches, as if the process was killed after each."""
    for begin in range(0, len(pages), cut):
        Writer(connection, site, keep=keep).add(
            source, pages[begin : begin + cut], position=begin + cut, finished=False
        )
    Writer(connection, site, keep=keep).add(source, [], position=len(pages), finished=True)
    finish(connection)


def opened(folder: Path, name: str, files: int = 2) -> sqlite3.Connection:
    connection = create(folder / name)
    connection.execute("PRAGMA synchronous=OFF")
    for number in range(files):
        connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a', ?, 1)", (str(number),))
    return connection


def capture(url: int, date: int, parts: str, links: list[int], text: str) -> Page:
    """Return a capture, in one part or two; error pages have no text."""
    status = 404 if (url + date) % 3 == 0 else 200
    parts = "both" if parts == "text" and status != 200 else parts
    return Page(
        url=f"http://a.example/{url}",
        offset=0,
        status=None if parts == "text" else status,
        date=str(date),
        text="" if parts == "links" else text,
        length=0 if parts == "links" else len(text),
        parts=parts,
        links=() if parts == "text" else tuple(Link(f"http://a.example/{to}", LinkKind.ANCHOR) for to in links),
    )


captures = st.lists(
    st.builds(
        capture,
        st.integers(0, 4),
        st.integers(2020, 2022),
        st.sampled_from(["both", "both", "text", "links"]),
        st.lists(st.integers(0, 9), max_size=3),
        st.text("ab", min_size=1, max_size=3),
    ),
    max_size=6,
)


def in_a_file(pages: list[Page]) -> list[Page]:
    offsets = count(10, 10)
    return [replace(page, offset=next(offsets)) for page in pages]


def whole_or_in_parts(pages: list[Page]) -> bool:
    """Whether each URL has whole captures, or the parts of one capture, none of them twice.

    Among several captures the parts of one may stay apart in a first reading, where the one that comes first gives way
    before the other is read; a second reading, which finds the other stored, joins them.
    """
    whole = {page.url for page in pages if page.parts == "both"}
    parts = [(page.url, page.date, page.parts) for page in pages if page.parts != "both"]
    of_one = len({(url, date) for url, date, _ in parts}) == len({url for url, *_ in parts})
    return of_one and not whole.intersection(url for url, *_ in parts) and len(set(parts)) == len(parts)


@settings(max_examples=40)
@given(captures.filter(whole_or_in_parts), captures.filter(whole_or_in_parts), st.integers(1, 3), st.sampled_from(Keep))
def test_with_the_same_options_nothing_changes(one: list[Page], two: list[Page], cut: int, keep: Keep) -> None:
    assume(whole_or_in_parts(one + two))
    first, second = in_a_file(one), in_a_file(two)
    with TemporaryDirectory() as folder, closing(opened(Path(folder), "a.db")) as connection:
        add(connection, 1, first, keep=keep)
        add(connection, 2, second, keep=keep)
        before = held(connection)
        for source, pages in ((1, first), (2, second), (1, first)):
            sources.restart(connection, source, options="{}", keep=keep)
            add(connection, source, pages, cut=cut, keep=keep)
            assert held(connection) == before


@settings(max_examples=40)
@given(captures.filter(whole_or_in_parts), st.integers(1, 3), st.integers(0, 2))
def test_with_others_it_is_as_if_nothing_had_been_read_before(pages: list[Page], cut: int, limit: int) -> None:
    whole = in_a_file(pages)
    short = [replace(page, text=page.text[:limit], links=page.links[:limit]) for page in whole]
    with TemporaryDirectory() as folder:
        with closing(opened(Path(folder), "a.db")) as connection:
            add(connection, 1, whole)
            sources.restart(connection, 1, options="{}", keep="best")
            add(connection, 1, short, cut=cut)
            found = held(connection)
        with closing(opened(Path(folder), "b.db")) as connection:
            add(connection, 1, whole)  # the same URLs get the same ids
            for name in ("captures", "texts", "links", "declarations", "anchor_texts", "visible_bytes"):
                connection.execute(f"DELETE FROM {name}")
            add(connection, 1, short)
            assert found == held(connection)


def page(url: str, offset: int, text: str, **more: Any) -> Page:
    return Page(url=url, offset=offset, status=200, date="2026", text=text, length=len(text), **more)


def test_what_the_file_has_no_more_goes_and_what_other_files_have_stays(tmp_path: Path) -> None:
    with closing(opened(tmp_path, "a.db")) as connection:
        add(connection, 1, [page("http://a.example/?utm=1", 1, "x"), page("http://a.example/b", 2, "y")])
        add(connection, 2, [page("http://c.example/", 1, "z")])
        sources.restart(connection, 1, options="{}", keep="best")
        assert held(connection)["texts"] == [(1, "", "x", 0, None), (2, "", "y", 0, None), (3, "", "z", 0, None)]
        add(connection, 1, [page("http://a.example/", 1, "x"), page("http://a.example/b", 2, "y")])
        assert held(connection)["texts"] == [(2, "", "y", 0, None), (3, "", "z", 0, None), (4, "", "x", 0, None)]
        assert connection.execute("SELECT page, captures FROM captures").fetchall() == [(2, 1), (3, 1), (4, 1)]


def test_revisits_have_what_their_original_has_now(tmp_path: Path) -> None:
    original = page("http://a.example/", 1, "before", digest="D", size=9)
    visit = Page(url="http://b.example/", offset=2, date="2026", digest="D", revisit_of="", status=200)
    with closing(opened(tmp_path, "a.db")) as connection:
        add(connection, 1, [original])
        add(connection, 2, [visit])
        sources.restart(connection, 1, options="{}", keep="best")
        add(connection, 1, [replace(original, text="after")])
        assert [text for _, _, text, *_ in held(connection)["texts"]] == ["after", "after"]


def test_register_says_what_has_changed_and_begins_again_where_that_is_wanted(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"x")
    with closing(create(tmp_path / "a.db")) as connection:

        def register(limit: int, **how: Any) -> sources.Source:
            return sources.register(connection, path, options={"text_limit": limit}, **how)

        assert register(100) == (1, 0, False, 1, (), False)
        connection.execute("UPDATE sources SET position = 7, finished = 1")
        state = sources.digest_state(connection)
        assert register(100) == (1, 7, True, 1, (), False)
        assert register(200) == (1, 7, True, 1, (("text_limit", 100, 200),), False)
        assert register(100, keep=Keep.LAST).changed == (("keep", "best", "last"),)
        assert register(200, repeat=True) == (1, 0, False, 1, (), False)
        assert register(200, repeat=True) == (1, 0, False, 1, (), False)  # and not twice
        connection.execute("UPDATE sources SET position = 3")
        assert register(200, repeat=True) == (1, 3, False, 1, (), False)  # stopped: it goes on
        assert register(300, repeat=True) == (1, 0, False, 1, (), False)
        connection.execute("UPDATE sources SET position = 7, finished = 1")
        assert sources.digest_state(connection) != state
        assert connection.execute("SELECT readings, options FROM sources").fetchall() == [(3, '{"text_limit": 300}')]
