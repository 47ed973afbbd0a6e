"""Links of a batch of pages into rows: the kernel against the same in a few lines of Python."""

from __future__ import annotations

import sqlite3
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.db.native import link_rows as kernels
from graphlang.db.records import Link, LinkKind, Links
from graphlang.db.write import links as linkage
from graphlang.native.kernels import KernelError

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES = """
CREATE TABLE links (source, target, kind, nofollow, hreflang, place, PRIMARY KEY (source, target)) WITHOUT ROWID;
CREATE TABLE anchor_texts (target, source, text, PRIMARY KEY (target, source)) WITHOUT ROWID;
"""


class Referring(NamedTuple):
    """A page of a batch."""

    id: int
    chosen: bool
    links: list[tuple[int, Link]]  # the target's id


link = st.builds(
    Link,
    st.just("http://a.example/"),
    st.sampled_from([*map(int, LinkKind), 7, 7, 7]),
    st.booleans(),
    st.sampled_from([None, None, "de"]),
    st.sampled_from(["", "", "words"]),
)
pages = st.lists(
    st.builds(
        Referring,
        st.integers(1, 9),
        st.booleans(),
        st.lists(st.tuples(st.integers(1, 30), link), max_size=12, unique_by=lambda one: one[0]),
    ),
    max_size=6,
    unique_by=lambda page: page.id,
)


def write_batch(batch: list[Referring]) -> tuple[list[object], list[object], int]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    ids = array("q", [number for page in batch for number in (page.id, *(target for target, _ in page.links))])
    added = linkage.write_links(
        connection,
        [Links.from_links(link for _, link in page.links) for page in batch],
        ids,
        array("q", [len(page.links) for page in batch]),
        bytes(page.chosen for page in batch),
    )
    rows = connection.execute("SELECT * FROM links").fetchall()
    texts = connection.execute("SELECT * FROM anchor_texts").fetchall()
    connection.close()
    return rows, texts, added


@given(pages)
def test_rows_are_those_of_the_chosen_pages_by_key(batch: list[Referring]) -> None:
    rows, texts = [], []
    for page in batch:
        kept = [(target, link) for target, link in page.links if page.chosen and target != page.id]
        for place, (target, one) in enumerate(kept):
            rows.append((page.id, target, one.kind, int(one.nofollow), one.hreflang, place))
            if one.text:
                texts.append((target, page.id, one.text))
    assert write_batch(batch) == (sorted(rows), sorted(texts), len(rows))


def test_no_sanitiser_complains_of_the_rows_of_links(under_sanitisers: Callable[..., str]) -> None:
    assert under_sanitisers(Path(__file__).with_name("workout_write_links.py")) == "went through True\n"


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([-1, 3], "counts[0] = -1 is outside 0..2"),
        ([1 << 40, 0], "counts[0] = 1099511627776 is outside 0..2"),
        ([1, 0], "counts[1] = 0 is outside 1..1"),
        ([1, 2], "counts[1] = 2 is outside 1..1"),
        ([-(1 << 63), (1 << 63) - 1], "counts[0] = -9223372036854775808 is outside 0..2"),
    ],
)
def test_counts_that_are_not_those_of_the_links_are_refused(counts: list[int], words: str) -> None:
    zeros = {name: array("q", (0,)) * size for name, size in (("plain", 6), ("rows", 12), ("row_of", 2), ("made", 2))}
    with pytest.raises(KernelError) as refused:
        kernels.link_rows(
            array("q", [1, 2, 3, -4]), array("q", counts), b"\1\1", kinds=b"aa", marked=b"\0\0", usual=0, **zeros
        )
    assert str(refused.value) == words
    assert not any(map(any, zeros.values()))


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=9))
def test_ids_of_any_size_are_only_sorted(targets: list[int]) -> None:
    count = len(targets)
    plain, rows, row_of, made = (array("q", (0,)) * size for size in (3 * count, 6 * count, count, 2))
    kernels.link_rows(
        ids=array("q", [0, *targets]),
        counts=array("q", [count]),
        chosen=b"\1",
        kinds=b"\1" * count,
        marked=bytes(count),
        usual=1,
        plain=plain,
        rows=rows,
        row_of=row_of,
        made=made,
    )
    kept = [target for target in targets if target]
    assert made.tolist() == [len(kept), 0]
    expected = [(0, target, place) for place, target in enumerate(kept)]
    found = plain[: 3 * len(kept)].tolist()
    assert list(zip(found[::3], found[1::3], found[2::3], strict=True)) == sorted(expected)
