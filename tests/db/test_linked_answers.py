"""Answers for URLs that were only linked to: eight bytes each, that SQL and Python read alike."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang.db import Link, LinkKind, Page, create
from graphlang.db.remove import remove
from graphlang.db.runs.answers import RunAnswers, enter_labels, read_answers, write_answers
from graphlang.db.runs.lifecycle import finish_run, start_run
from graphlang.db.runs.linked_answers import LinkedAnswers, write_linked_answers
from graphlang.db.runs.run import get_run
from graphlang.db.write.writer import HostParts, Writer, finish

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

LINKS = 100  #: of the one page, so that its URLs fill one block of 64 and part of the next


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(create(tmp_path / "a.db")) as made:
        made.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
        links = tuple(Link(f"http://a.example/{n}", LinkKind.ANCHOR) for n in range(2, LINKS + 2))
        site = HostParts("a.example", "a.example", "example", "example")
        page = Page(url="http://a.example/1", offset=0, text="...", links=links)
        Writer(made, lambda _: site).add(1, [page], position=1, finished=True)
        finish(made)
        yield made


def make_linked_run(connection: sqlite3.Connection) -> int:
    """A run that says deu of every third URL, then swa with the rest of its belief; and of the page itself eng."""
    eng, deu, swa = enter_labels(connection, [(code, code, None) for code in ("eng", "deu", "swa")])
    run = start_run(connection, kind="propagation", method="by-hand", parameters={}, version="1").id
    one, none = np.ones(1, dtype=np.int64), np.full(1, -1)
    write_answers(connection, run, RunAnswers(one, np.array([eng]), np.ones(1), none, np.zeros(1), one * 300))
    finish_run(connection, run, pages=1, linked=False)
    pages = np.arange(LINKS + 1)
    said = pages % 3 == 1
    confidence = np.where(said, 0.5 + pages / 250, 0)
    label, runner_up = np.where(said, deu, -1), np.where(said, swa, -1)
    columns = (label, confidence, runner_up, 1 - confidence)
    parts = (LinkedAnswers(*(column[part] for column in columns)) for part in (slice(0, 64), slice(64, None)))
    assert write_linked_answers(connection, run, parts) == 34
    return run


def test_bytes_are_digits_of_base_127(connection: sqlite3.Connection) -> None:
    run = make_linked_run(connection)
    blocks = dict(connection.execute("SELECT block, cells FROM linked_answers WHERE run = ?", (run,)))
    assert {block: len(cells) for block, cells in blocks.items()} == {0: 512, 1: 512}
    # page 5 is row 4: labels 2 and 3; 0.516 and 0.484 are 5160 = 40 * 127 + 80 and 4840 = 38 * 127 + 14
    assert blocks[0][4 * 8 : 5 * 8] == bytes([1, 3, 41, 81, 1, 4, 39, 15])
    assert blocks[0][:8] == bytes(8)


def test_views_and_python_read_the_same(connection: sqlite3.Connection) -> None:
    run = make_linked_run(connection)
    expected = [
        (page, "deu", round(0.5 + (page - 1) / 250, 4), "swa", round(0.5 - (page - 1) / 250, 4))
        for page in range(2, LINKS + 2)
        if page % 3 == 2
    ]
    shown = connection.execute(
        "SELECT page, language, ROUND(confidence, 4), runner_up, ROUND(runner_up_confidence, 4) FROM page_languages"
        " WHERE language <> 'und' AND NOT fetched ORDER BY page"
    ).fetchall()
    assert shown == expected
    of_run = connection.execute(
        "SELECT page, labels.label, ROUND(confidence, 4) FROM linked_predictions JOIN labels ON labels.id ="
        " linked_predictions.label WHERE run = ? ORDER BY page",
        (run,),
    ).fetchall()
    assert of_run == [row[:3] for row in expected]
    read = read_answers(connection, run)
    assert read.pages.tolist() == [1, *(row[0] for row in expected)]
    assert read.confidence.round(4).tolist() == [1.0, *(row[2] for row in expected)]
    assert read.characters.tolist() == [300, *[0] * 34]
    assert get_run(connection, run).pages == 35
    assert connection.execute("SELECT SUM(pending), COUNT(*) FROM page_languages").fetchone() == (0, 101)


def test_until_a_run_is_asked_the_view_says_so(connection: sqlite3.Connection) -> None:
    run = make_linked_run(connection)
    connection.execute("UPDATE runs SET linked = 0 WHERE id = ?", (run,))
    connection.execute("DELETE FROM linked_answers")
    rows = connection.execute("SELECT pending, language, COUNT(*) FROM page_languages GROUP BY 1, 2").fetchall()
    assert rows == [(0, "eng", 1), (1, "und", 100)]


def test_what_is_removed_leaves_no_byte(connection: sqlite3.Connection) -> None:
    run = make_linked_run(connection)
    removal = remove(connection, ["http://a.example/5"], [], host_of=lambda _: "", canonical=lambda url: url)
    assert removal.answers == 1
    (cells,) = connection.execute("SELECT cells FROM linked_answers WHERE (run, block) = (?, 0)", (run,)).fetchone()
    assert cells[4 * 8 : 5 * 8] == bytes(8)
    assert cells[7 * 8 : 8 * 8] != bytes(8)
    assert get_run(connection, run).pages == 34


def test_a_label_that_has_no_place_in_a_cell_is_refused(connection: sqlite3.Connection) -> None:
    run = make_linked_run(connection)
    beyond = LinkedAnswers(np.array([127 * 127]), np.ones(1), np.array([-1]), np.zeros(1))
    before = connection.execute("SELECT * FROM linked_answers").fetchall()
    with pytest.raises(ValueError, match=r"^label 16129 is outside 0\.\.16128$"):
        write_linked_answers(connection, run, [beyond])
    assert connection.execute("SELECT * FROM linked_answers").fetchall() == before
