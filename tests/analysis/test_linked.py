"""URLs that were only linked to are answered on request, as if the run had answered them."""

from __future__ import annotations

import random
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest

from graphlang.analysis import graph_input, linked
from graphlang.analysis.classify import enter_label_names
from graphlang.analysis.explain import explain
from graphlang.analysis.propagate import propagate
from graphlang.analysis.vote import vote
from graphlang.collection import Collection
from graphlang.db import Link, LinkKind, Page, StoreError, create, open_existing
from graphlang.db.runs.answers import RunAnswers, write_answers
from graphlang.db.runs.lifecycle import finish_run, start_run
from graphlang.db.runs.linked_answers import count_answered_pages
from graphlang.db.runs.run import get_run
from graphlang.db.write.writer import HostParts, Writer, finish

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable
    from pathlib import Path

    from graphlang.db.runs.run import Run

CODES = ("eng", "deu", "swa")
LENGTHS = (10, 60, 400, 900)


def site(url: str) -> HostParts:
    host = url.split("/")[2]
    return HostParts(host, host, "example", "example")


def crawl(path: Path) -> sqlite3.Connection:
    """30 pages of three hosts, each in a language; each links to some others, and to URLs that were never fetched."""
    chance = random.Random(20261122)  # noqa: S311 - a sample, not a secret
    connection = create(path)
    connection.execute("INSERT INTO sources (name, sha256, bytes) VALUES ('a.warc', 'x', 1)")
    known = [f"http://{'abc'[n % 3]}.example/{n}" for n in range(30)]
    pages = []
    for n, url in enumerate(known):
        near = [f"http://{'abc'[n % 3]}.example/only/{n}/{k}" for k in range(4)]
        near += [f"http://{'abc'[chance.randrange(3)]}.example/joint/{chance.randrange(12)}" for _ in range(3)]
        links = tuple(Link(to, LinkKind.ANCHOR) for to in dict.fromkeys([*chance.sample(known, 3), *near]))
        pages.append(Page(url=url, offset=n, text="...", links=links))
    Writer(connection, site).add(1, pages, position=30, finished=True)
    finish(connection)
    return connection


def classified(connection: sqlite3.Connection) -> None:
    """A content run: long texts are sure, short ones are not."""
    ids = np.array(enter_label_names(connection, CODES))
    rows = connection.execute("SELECT id, url FROM pages JOIN captures ON page = id ORDER BY id").fetchall()
    number = np.array([int(url.rpartition("/")[2]) for _, url in rows])
    pages, length = np.array([page for page, _ in rows]), np.array(LENGTHS)[number % 4]
    best, other, sure = ids[number % 3], ids[(number + 1) % 3], np.where(length > 100, 0.95, 0.5)
    run = start_run(connection, kind="content", method="by-hand", parameters={}, version="1").id
    answers = RunAnswers(pages, best, sure, other, 0.9 * (1 - sure), length)
    scores = np.stack([best, other], axis=1), np.stack([sure, 0.9 * (1 - sure)], axis=1)
    write_answers(connection, run, answers, scores)
    finish_run(connection, run, pages=len(rows))


SHOWN = (
    "SELECT url, language, ROUND(confidence, 3), runner_up, pending FROM page_languages WHERE {} ORDER BY fetched, url"
)


def read_rows(connection: sqlite3.Connection, where: str = "1") -> list[tuple[object, ...]]:
    return connection.execute(SHOWN.format(where)).fetchall()


@pytest.fixture(autouse=True)
def _none_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The collections here are small: the main job would answer for all of their URLs."""
    monkeypatch.setattr(linked, "FIRST", 0)


@pytest.mark.parametrize("step", [propagate, vote])
def test_asked_later_is_asked_at_once(tmp_path: Path, step: object) -> None:
    with closing(crawl(tmp_path / "a.db")) as connection:
        classified(connection)
        at_once = step(connection)  # type: ignore[operator]
        expected = read_rows(connection)
        assert at_once.linked is True
        assert not any(pending for *_, pending in expected)
        if step is propagate:
            assert sum(language != "und" for _, language, *_ in expected) == len(expected)
    with closing(crawl(tmp_path / "b.db")) as connection:
        classified(connection)
        later = step(connection, linked=False)  # type: ignore[operator]
        assert later.linked is False
        assert read_rows(connection, "fetched") == [row for row in expected if row[0].count("/") == 3]  # type: ignore[attr-defined]
        assert set(connection.execute("SELECT language, pending FROM page_languages WHERE NOT fetched")) == {("und", 1)}
    assert linked.ensure_answers(tmp_path / "b.db")
    with closing(open_existing(tmp_path / "b.db")) as connection:
        assert read_rows(connection) == expected
        assert get_run(connection, later.id).pages == at_once.pages


def test_how_many_are_asked_about_at_a_time_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = []
    for name, together in (("a", 1 << 18), ("b", 64)):
        monkeypatch.setattr(linked, "TOGETHER", together)
        with closing(crawl(tmp_path / f"{name}.db")) as connection:
            classified(connection)
            propagate(connection)
            answers.append(read_rows(connection))
    assert len(answers[0]) > 128  # three parts and more
    assert answers[0] == answers[1]


def test_nothing_is_left_out_that_a_page_in_doubt_links_to(tmp_path: Path) -> None:
    with closing(crawl(tmp_path / "a.db")) as connection:
        classified(connection)
        loaded = graph_input.LoadedRun(connection, get_run(connection, 1))
        whole, few = loaded.make_input(), loaded.make_input(limits=graph_input.ClampLimits(200, 0.0, 150))
        assert whole.graph.outside is None
        assert few.graph.outside is not None
        assert few.graph.n < few.graph.pages == whole.graph.pages == whole.graph.n
        long = whole.evidence.length >= 200
        left_out = np.setdiff1d(whole.pages, few.pages) - 1
        assert len(left_out) > 40
        assert long[whole.graph.source[np.isin(whole.graph.target, left_out)]].all()
        again = loaded.make_input(limits=graph_input.ClampLimits(200, 0.0, 150), requested=left_out[:5] + 1)
        assert again.pages[-5:].tolist() == (left_out[:5] + 1).tolist()
        assert again.evidence.answer_only == 5


def test_the_reasons_of_a_url_that_was_left_out_are_those_of_its_answer(tmp_path: Path) -> None:
    with closing(crawl(tmp_path / "a.db")) as connection:
        classified(connection)
        propagate(connection)
        for url, confidence in connection.execute(
            "SELECT url, confidence FROM page_languages WHERE NOT fetched AND page % 7 = 0"
        ).fetchall():
            told = explain(connection, url)
            assert told.confidence == confidence
            assert told.language == told.rounds[-1].language
            assert told.rounds[-1].probability == pytest.approx(confidence, abs=1e-4)


def test_a_run_that_saw_less_than_there_is_now_has_no_more_answers(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(crawl(path)) as connection:
        classified(connection)
        propagate(connection, linked=False)
        connection.execute("UPDATE sources SET position = position + 1")  # the collection grows
    assert not linked.ensure_answers(path)
    pages = Collection(path).pages(fetched=False)
    assert {row.language for row in pages} == {"und"}


def test_what_lists_them_asks(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(crawl(path)) as connection:
        classified(connection)
        run = propagate(connection, linked=False)
    made = Collection(path)
    assert len(list(made.pages(fetched=True, everything=True))) == 30
    with closing(open_existing(path)) as connection:
        assert get_run(connection, run.id).linked is False
    assert "und" not in {row.language for row in made.pages(everything=True)}
    with closing(open_existing(path)) as connection:
        assert get_run(connection, run.id).linked is True


@pytest.mark.parametrize("step", [propagate, vote])
def test_the_main_job_answers_for_the_first_urls_as_if_they_were_asked_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: Callable[..., Run]
) -> None:
    monkeypatch.setattr(linked, "TOGETHER", 64)
    found = []
    for first in (0, 64, 1 << 11):
        monkeypatch.setattr(linked, "FIRST", first)
        with closing(crawl(tmp_path / f"{first}.db")) as connection:
            classified(connection)
            run = step(connection, linked=False)
            assert run.linked is (first > 64)
            if first == 64:
                pending = connection.execute("SELECT page, language FROM page_languages WHERE pending").fetchall()
                assert {language for page, language in pending if page > 64} == {"und"}
                assert count_answered_pages(connection, run.id) == 64
            step(connection)
            found.append([connection.execute(f"SELECT * FROM {table}").fetchall() for table in ANSWERS])
    assert found[0] == found[1] == found[2]


ANSWERS = ("linked_answers", "predictions", "scores")


def test_a_list_answers_as_far_as_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linked, "TOGETHER", 64)
    whole, path = tmp_path / "a.db", tmp_path / "b.db"
    for file, at_once in ((whole, True), (path, False)):
        with closing(crawl(file)) as connection:
            classified(connection)
            propagate(connection, linked=at_once)
    expected = list(Collection(whole).pages(everything=True))
    assert len(expected) > 150
    assert Collection(path).pages(everything=True).head(70) == expected[:70]
    with closing(open_existing(path)) as connection:
        assert get_run(connection, 2).linked is False
        assert count_answered_pages(connection, 2) == 128
    unfetched = [row for row in expected if not row.fetched]
    assert list(Collection(path).pages(fetched=False)) == unfetched  # and goes on from there
    with closing(open_existing(path)) as connection, closing(open_existing(whole)) as other:
        assert get_run(connection, 2).linked is True
        for table in ANSWERS:
            assert connection.execute(f"SELECT * FROM {table}").fetchall() == (
                other.execute(f"SELECT * FROM {table}").fetchall()
            )
    assert list(Collection(path).pages(language="swa", everything=True)) == [
        row for row in expected if row.language == "swa"
    ]


def test_a_list_ends_where_others_change_what_it_is_read_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linked, "TOGETHER", 64)
    path = tmp_path / "a.db"
    with closing(crawl(path)) as connection:
        classified(connection)
        propagate(connection, linked=False)
    rows = iter(Collection(path).pages(everything=True))
    assert next(rows).url == "http://a.example/0"
    with closing(create(path)) as connection:
        connection.execute("UPDATE sources SET position = position + 1")
    with pytest.raises(StoreError, match=r"another process has changed .*a\.db since this list was started"):
        list(rows)


def test_pages_that_were_fetched_wait_for_no_answers(tmp_path: Path) -> None:
    with closing(crawl(tmp_path / "a.db")) as connection:
        classified(connection)
        run = propagate(connection, linked=False)
        assert count_answered_pages(connection, run.id) == 0
        connection.execute(
            "INSERT INTO predictions SELECT ?, id, 1, 1, NULL, NULL, 0, NULL, NULL FROM pages"
            " WHERE id <= 70 AND id NOT IN (SELECT page FROM captures)",
            (run.id,),
        )
        assert count_answered_pages(connection, run.id) == 64
        assert count_answered_pages(connection, run.id, 128) == 128
