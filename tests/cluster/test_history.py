"""Captures besides a page's own are kept as one machine keeps them, whatever the order of the records."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pyarrow")

import pyarrow as pa

from graphlang.cluster.captures import choose_rows, list_history
from graphlang.cluster.page_ids import compute_page_id
from graphlang.cluster.read_archives import RecordRows
from graphlang.cluster.tables import HISTORY
from graphlang.db import Declaration, Link, LinkKind, Page, create
from graphlang.db.write.choose_capture import Keep
from graphlang.db.write.writer import HostParts, Writer, finish

if TYPE_CHECKING:
    from collections.abc import Sequence

URL = "http://a.example/"
#: Columns that are the same in the database's table and in that of a cluster.
COLUMNS = [name for name in HISTORY.names if name not in {"page", "number", "source", "declared", "links", "run"}]
CONTENTS = ("uno", "due", "tre")
CAPTURES = st.tuples(
    st.integers(2001, 2003),
    st.sampled_from(CONTENTS),
    st.sampled_from([(200, "both"), (404, "both"), (301, "both"), (None, "text"), (200, "links"), (304, "revisit")]),
)


def capture(offset: int, year: int, words: str, kind: tuple[int | None, str]) -> Page:
    status, parts = kind
    about: dict[str, Any] = {"url": URL, "offset": offset, "date": f"{year}-03-01T00:00:00Z", "status": status}
    if parts == "revisit":
        return Page(**about, digest=words.upper(), revisit_of=URL)
    if parts != "text":
        about |= {"digest": words.upper(), "size": len(words), "mime": "text/html"}
        about["links"] = (Link(URL, LinkKind.ANCHOR), Link(f"http://{words}.example/", LinkKind.ANCHOR))
    if parts != "links":
        about |= {"title": words, "text": words, "length": len(words), "main_length": 1, "charset": "utf-8"}
        about["declared"] = (Declaration("html-lang", words[:2]),)
    return Page(**about, parts=parts)


def of_one_machine(pages: Sequence[Page], path: Path) -> tuple[Any, Any]:
    connection = create(path)
    connection.execute("INSERT INTO sources (name, sha256, bytes, keep) VALUES ('a.warc', 'x', 1, 'all')")
    writer = Writer(connection, lambda _: HostParts("a.example", "a.example", "example", "example"), keep=Keep.ALL)
    for number, page in enumerate(pages, 1):
        writer.add(1, [page], position=number, finished=False)
    finish(connection)
    connection.close()
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        kept = []
        for row in database.execute("SELECT * FROM history ORDER BY id"):
            said = database.execute("SELECT value FROM history_declarations WHERE capture = ?", (row["id"],))
            links = database.execute(
                "SELECT url, place FROM history_links JOIN pages ON pages.id = target WHERE capture = ?", (row["id"],)
            )
            to = [(compute_page_id(url.encode()), place) for url, place in links]
            kept.append(([row[name] for name in COLUMNS], [value for (value,) in said], to))
        own = database.execute("SELECT offset, date, captures, parts FROM captures").fetchone()
    return kept, tuple(own)


def of_a_cluster(pages: Sequence[Page]) -> tuple[Any, Any]:
    rows = RecordRows(0, "a.warc", 0)
    for page in pages:
        rows.add(page)
    chosen = pa.Table.from_batches(choose_rows([rows.batch()], Keep.ALL))
    (own,) = (row for row in chosen.to_pylist() if row["whole"] is None)
    others = chosen.filter(pa.compute.is_valid(chosen["whole"])).to_batches()
    kept = [
        (
            [row[name] for name in COLUMNS],
            [one["value"] for one in row["declared"]],
            [(link["target"], link["place"]) for link in row["links"]],
        )
        for batch in list_history(others)
        for row in batch.to_pylist()
    ]
    return kept, (own["offset"], own["date"], own["captures"], own["parts"])


@given(st.lists(CAPTURES, min_size=1, max_size=7))
@settings(max_examples=30)
def test_other_captures_are_those_of_one_machine(drawn: list[Any]) -> None:
    pages = [capture(offset, *one) for offset, one in enumerate(drawn)]
    with tempfile.TemporaryDirectory() as folder:
        assert of_a_cluster(pages) == of_one_machine(pages, Path(folder, "crawl.db"))


def test_a_content_that_comes_back_is_kept_once() -> None:
    fine, old = (200, "both"), [(2003, "uno"), (2001, "due"), (2002, "due")]
    kept, own = of_a_cluster([capture(number, year, words, fine) for number, (year, words) in enumerate(old)])
    assert own[:3] == (0, "2003-03-01T00:00:00Z", 3)
    whole, text = COLUMNS.index("whole"), COLUMNS.index("text")
    assert [(row[whole], row[text], said) for row, said, _ in kept] == [(1, "due", ["du"]), (0, None, [])]
