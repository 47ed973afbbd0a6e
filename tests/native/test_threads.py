"""Several threads give what one gives, in the same order."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from graphlang.analysis import classify
from graphlang.native import threads
from graphlang.native.threads import run_both, run_side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from click.testing import Result


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_answers_come_in_the_order_of_the_items(workers: int) -> None:
    def slow_first(item: int) -> int:
        time.sleep(0.02 * (item % 3 == 0))
        return item * item

    assert list(run_side_by_side(slow_first, range(12), workers)) == [item * item for item in range(12)]
    assert list(run_side_by_side(slow_first, [], workers)) == []


@pytest.mark.parametrize("ahead", [1, 4])
def test_items_are_drawn_by_the_caller_and_not_far_ahead(ahead: int) -> None:
    drawn: list[str] = []

    def items() -> Iterator[int]:
        for item in range(10):
            drawn.append(threading.current_thread().name)
            yield item

    made = run_side_by_side(lambda item: item, items(), 2, ahead)
    assert next(made) == 0
    assert drawn == [threading.current_thread().name] * (2 + ahead)
    made.close()  # type: ignore[attr-defined]
    assert len(drawn) == 2 + ahead


def test_an_error_comes_where_its_answer_would() -> None:
    made = run_side_by_side(lambda item: 6 // item, [3, 2, 0, 1], 3)
    assert [next(made), next(made)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(made)


def test_two_pieces_of_work_are_done_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "cores", lambda: 2)
    met = threading.Barrier(2, timeout=10)  # broken if one of them waits for the other's end

    def name() -> str:
        met.wait()
        return threading.current_thread().name

    first, second = run_both(name, name)
    assert first == threading.current_thread().name != second


@pytest.mark.parametrize("cores", [1, 2])
@pytest.mark.parametrize("wrong", [0, 1])
def test_an_error_in_either_of_two_pieces_of_work_is_the_callers(
    cores: int, wrong: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "cores", lambda: cores)
    work = [lambda: 1 // 1, lambda: 1 // 1]
    assert run_both(*work) == (1, 1)
    work[wrong] = lambda: 1 // 0
    with pytest.raises(ZeroDivisionError):
        run_both(*work)


def test_a_run_is_the_same_with_any_number_of_workers(
    graphlang: Callable[..., Result], museum: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(classify, "_TOGETHER", 1)  # a batch for every page
    found = []
    for workers in (1, 3):
        db = tmp_path / f"{workers}.db"
        assert graphlang("ingest", db, museum, "--workers", 1).exit_code == 0
        assert graphlang("classify", db, "--workers", workers).exit_code == 0
        with closing(sqlite3.connect(db)) as connection:
            found.append(
                [connection.execute(f"SELECT * FROM {table}").fetchall() for table in ("predictions", "scores")]
            )
    assert found[0][0]
    assert found[0] == found[1]
