from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.db import statements
from graphlang.db.records import Link, Links, pack_texts, unpack_texts

LINK = st.builds(
    Link,
    st.text(st.characters(exclude_characters="\0"), max_size=9),
    st.integers(1, 8),
    st.booleans(),
    st.none() | st.just("de"),
    st.text("ab", max_size=2),
)


@given(st.lists(LINK, max_size=9))
def test_links_by_columns_are_the_same_links(links: list[Link]) -> None:
    columns = Links.from_links(links)
    assert list(columns) == links
    assert columns == tuple(links)
    assert len(columns) == len(links)
    assert columns[:2] == tuple(links[:2])
    assert hash(columns) == hash(tuple(links))
    assert Links.from_links(columns) is columns
    if links:
        assert columns[-1] == links[-1]
        assert columns != tuple(links[1:])


@given(st.lists(st.text(max_size=5)))
def test_packed_texts_come_back_but_for_their_zeros(texts: list[str]) -> None:
    assert unpack_texts(pack_texts(texts)) == [text.replace("\0", "%00") for text in texts]


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1000])
def test_rows_in_bulk_are_those_of_one_after_the_other(count: int) -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
    connection.execute("INSERT INTO t VALUES (7, 'was there')")
    added = statements.insert_columns(
        connection, "INSERT OR IGNORE INTO t", (range(1, count + 1), [f"{n}" for n in range(count)])
    )
    rows = connection.execute("SELECT * FROM t WHERE a <> 7 ORDER BY a").fetchall()
    assert rows == [(n + 1, f"{n}") for n in range(count) if n != 6]
    assert added == len(rows)
    assert connection.execute("SELECT b FROM t WHERE a = 7").fetchone() == ("was there",)
    connection.close()
