"""Links of a batch of pages into rows: the kernel against the same in a few lines of Python."""

from __future__ import annotations

import sqlite3
from array import array
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from graphlang.db import linkage
from graphlang.db.records import Link, LinkKind, Links
from hypothesis import given
from hypothesis import strategies as st

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


def written(batch: list[Referring]) -> tuple[list[object], list[object], int]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(TABLES)
    ids = array("q", [number for page in batch for number in (page.id, *(target for target, _ in page.links))])
    added = linkage.write(
        connection,
        [Links.of(link for _, link in page.links) for page in batch],
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
    assert written(batch) == (sorted(rows), sorted(texts), len(rows))


WORKOUT = """
import random, sqlite3, sys
from array import array
from importlib.machinery import ModuleSpec
from graphlang.db import compiled
built = sys.argv[1]
compiled.find_spec = lambda name: ModuleSpec(name, None, origin=built)
from graphlang.db import linkage
from graphlang.db.records import Links

random.seed(2004)
connection = sqlite3.connect(":memory:")
connection.execute("CREATE TABLE links (a, b, c, d, e, f)")
added = 0
for pages in (1, 1, 2, 30):
    counts = [random.randrange(0, 90, 3) for _ in range(pages)]
    ids = array("q", (random.randrange(1, 50) for _ in range(sum(counts) + pages)))
    links = [Links(b"u\\0" * n, random.randbytes(n), tuple((k, "de") for k in range(0, n, 5))) for n in counts]
    added += linkage.write(connection, links, ids, array("q", counts), random.choices(b"\\0\\1", k=pages))
print("went through", added > 500)
"""


def test_no_sanitiser_complains_of_the_rows_of_links(sanitised: Callable[..., str]) -> None:
    assert sanitised(Path(__file__).parents[2] / "db" / "_links.c", WORKOUT) == "went through True\n"
