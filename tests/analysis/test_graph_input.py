"""Scripts of one language are merged for the graph, and separated again in its answers."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from graphlang.analysis import graph_input, graph_output
from graphlang.analysis.classify import enter_label_names
from graphlang.analysis.vote import vote
from graphlang.db import Link, LinkKind, Page, create
from graphlang.db.runs.answers import RunAnswers, write_answers
from graphlang.db.runs.lifecycle import finish_run, start_run
from graphlang.db.runs.run import get_chosen_run, get_run, read_runs
from graphlang.db.write.writer import HostParts, Writer
from graphlang.graph.data import make_answer

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    import pytest

    from graphlang.db.runs.run import Run

LABELS = ("srp_Cyrl", "srp_Latn", "hrv", "zxx")


def collection(path: Path) -> sqlite3.Connection:
    """Five pages: two Serbian ones in either script, an unsure one, one of digits, one never fetched."""
    connection = create(path)
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    links = (Link("http://a.example/5", LinkKind.ALTERNATE, hreflang="sr-Latn"),)
    pages = [
        Page(url=f"http://a.example/{n}", offset=0, text="...", links=links if n == 1 else ()) for n in range(1, 5)
    ]
    # Page 5 is only linked to; ids go by first appearance, so page 1's target is number 2.
    Writer(connection, lambda _: HostParts("a.example", "a.example", "example", "example")).add(
        1, pages, position=4, finished=True
    )
    return connection


def test_the_graph_starts_from_the_chosen_content_run(tmp_path: Path) -> None:
    with closing(collection(tmp_path / "a.db")) as connection:
        first = content_run(connection)
        second = content_run(connection, "other", choose=False)
        assert graph_input.find_seed_run(connection, None).id == first.id
        voted = vote(connection)
        assert get_chosen_run(connection) == voted
        assert graph_input.find_seed_run(connection, None).id == first.id
        assert graph_input.find_seed_run(connection, second.id).id == second.id
        third = content_run(connection, "third")
        assert graph_input.find_seed_run(connection, None).id == third.id


def content_run(connection: sqlite3.Connection, method: str = "by-hand", *, choose: bool = True) -> Run:
    cyrl, latn, hrv, zxx = enter_label_names(connection, LABELS)
    run = start_run(connection, kind="content", method=method, parameters={}, version="1")
    write_answers(
        connection,
        run.id,
        RunAnswers(
            np.array([1, 3, 4, 5]),
            np.array([cyrl, latn, hrv, zxx]),
            np.array([0.9, 0.4, 0.5, 1.0]),
            np.array([latn, hrv, latn, -1]),
            np.array([0.1, 0.35, 0.3, 0.0]),
            np.array([200, 20, 20, 0]),
        ),
        (
            np.array([[cyrl, latn, -1], [latn, hrv, cyrl], [hrv, latn, cyrl], [zxx, -1, -1]]),
            np.array([[0.9, 0.1, 0], [0.4, 0.35, 0.25], [0.55, 0.25, 0.2], [1.0, 0, 0]]),
        ),
    )
    finish_run(connection, run.id, pages=4, choose=choose)
    return get_run(connection, run.id)


def test_scripts_of_a_language_are_one_in_the_graph(tmp_path: Path) -> None:
    connection = collection(tmp_path / "a.db")
    given = graph_input.load(connection, content_run(connection))
    hrv, srp = (given.evidence.codes.index(code) for code in ("hrv", "srp"))
    assert given.evidence.languages[:, :2].tolist() == [[srp, -1], [-1, -1], [srp, hrv], [hrv, srp], [-1, -1]]
    expected = [[1.0, 0], [0, 0], [0.65, 0.35], [0.55, 0.45], [0, 0]]
    assert np.allclose(given.evidence.probabilities[:, :2], expected)
    assert given.evidence.length.tolist() == [200, 0, 20, 20, 0]
    assert given.no_letters.tolist() == [False, False, False, False, True]
    assert given.graph.hreflang.tolist() == [srp]
    connection.close()


def test_the_answer_keeps_the_script_of_the_page_or_takes_the_usual_one(tmp_path: Path) -> None:
    connection = collection(tmp_path / "a.db")
    given = graph_input.load(connection, content_run(connection))
    hrv, srp = (given.evidence.codes.index(code) for code in ("hrv", "srp"))
    languages = np.array([[srp, -1], [srp, hrv], [srp, -1], [srp, hrv], [srp, -1]], dtype=np.int16)
    chances = np.array([[0.9, 0], [0.8, 0.2], [0.7, 0], [0.6, 0.4], [0.9, 0]], dtype=np.float32)
    run = start_run(connection, kind="propagation", method="by-hand", parameters={}, version="1", seeds=[given.run.id])
    done = graph_output.write(connection, run, given, make_answer(languages, chances, rounds=3), choose=True)
    assert (done.pages, done.rounds, done.converged) == (5, 3, True)
    assert connection.execute("SELECT language, script FROM page_languages ORDER BY page").fetchall() == [
        ("srp", "Cyrl"),
        ("srp", "Cyrl"),  # never fetched: of the seeds' best labels as many are Cyrillic as Latin, Cyrl comes first
        ("srp", "Latn"),
        ("srp", "Latn"),  # its text said hrv, then srp_Latn
        ("zxx", None),  # its text is of digits
    ]
    connection.close()


def test_writing_again_after_a_stop_leaves_one_answer_a_page(tmp_path: Path) -> None:
    connection = collection(tmp_path / "a.db")
    given = graph_input.load(connection, content_run(connection))
    run = start_run(connection, kind="vote", method="by-hand", parameters={}, version="1", seeds=[given.run.id])
    connection.execute("INSERT INTO predictions VALUES (?, 1, 1, 0.5, NULL, NULL, 0, NULL, NULL)", (run.id,))
    nothing = make_answer(np.full((5, 2), -1, dtype=np.int16), np.zeros((5, 2), dtype=np.float32))
    graph_output.write(connection, run, given, nothing, choose=False)
    # Nothing was answered but for the page of digits.
    assert connection.execute("SELECT page FROM predictions WHERE run = ?", (run.id,)).fetchall() == [(5,)]
    chosen = get_chosen_run(connection)
    assert chosen is not None
    assert chosen.kind == "content"
    connection.close()


def test_a_run_with_the_same_parameters_is_found_again_and_one_that_was_stopped_goes_on(tmp_path: Path) -> None:
    connection = collection(tmp_path / "a.db")
    first = start_run(connection, kind="content", method="m", parameters={"a": 1}, version="1")
    assert start_run(connection, kind="content", method="m", parameters={"a": 1}, version="1") == first
    other = start_run(connection, kind="content", method="m", parameters={"a": 2}, version="1")
    assert [run.id for run in read_runs(connection)] == [other.id]  # the unfinished one is dropped
    finish_run(connection, other.id, pages=0)
    again = start_run(connection, kind="content", method="m", parameters={"a": 2}, version="1")
    assert (again.id, again.finished is not None) == (other.id, True)
    connection.execute("UPDATE sources SET position = position + 1")  # the collection grows
    assert start_run(connection, kind="content", method="m", parameters={"a": 2}, version="1").id != other.id
    connection.close()


def test_copies_are_short_texts_of_one_host_that_are_the_same(tmp_path: Path) -> None:
    connection = create(tmp_path / "a.db")
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    hosts = ["a", "a", "a", "b", "a", "a", "a"]
    pages = [Page(url=f"http://{host}.example/{n}", offset=0, text="...") for n, host in enumerate(hosts)]
    name = lambda url: HostParts(url[7:16], url[7:16], "example", "example")  # noqa: E731
    Writer(connection, name).add(1, pages, position=9, finished=True)
    (deu,) = enter_label_names(connection, ["deu"])
    run = start_run(connection, kind="content", method="by-hand", parameters={}, version="1")
    lengths = [20, 199, 20, 20, 300, 300, 20]
    # pages 1 to 4 have one text, of which page 4 is on another host; 5 and 6 have one, but long; of 7 nothing is known
    every = np.arange(1, 8)
    for part, read in ((every[:6], [5, 5, -9, 5, 6, 6]), (every[6:], None)):
        write_answers(
            connection,
            run.id,
            RunAnswers(
                part,
                np.full(len(part), deu),
                np.ones(len(part)),
                np.full(len(part), -1),
                np.zeros(len(part)),
                np.array(lengths)[part - 1],
                read=read,
            ),
            (np.full((len(part), 1), deu), np.ones((len(part), 1))),
        )
    finish_run(connection, run.id, pages=7)
    given = graph_input.load(connection, get_run(connection, run.id))
    assert given.evidence.copies is not None
    assert given.evidence.copies.tolist() == [2, 2, 1, 1, 1, 1, 1]
    connection.close()


def test_a_page_at_a_time_is_read_as_all_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connection = collection(tmp_path / "a.db")
    run = content_run(connection)
    together = graph_input.load(connection, run)
    monkeypatch.setattr(graph_input, "_PAGES", 1)
    alone = graph_input.load(connection, run)
    assert alone.evidence.languages.tolist() == together.evidence.languages.tolist()
    assert alone.evidence.probabilities.tolist() == together.evidence.probabilities.tolist()
    assert np.asarray(alone.labels).tolist() == np.asarray(together.labels).tolist()
    connection.close()
