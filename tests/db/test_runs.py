"""A run belongs to the process that started it, its number is never reused, and no process drops a run in progress."""

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from graphlang.db import LockedError, StoreError, create, open_existing
from graphlang.db.connection import LockedConnection
from graphlang.db.runs.answers import RunAnswers, write_answers
from graphlang.db.runs.lifecycle import clear_run, drop_unfinished_runs, finish_run, start_run
from graphlang.db.runs.run import Run, get_chosen_run, read_runs


def start(connection: sqlite3.Connection, method: str) -> Run:
    return start_run(connection, kind="vote", method=method, parameters={}, version="1")


def answer(connection: sqlite3.Connection, run: int, page: int) -> None:
    one, none = np.array([1]), np.array([-1])
    write_answers(connection, run, RunAnswers(np.array([page]), one, one * 0.5, none, one * 0.0, one))


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(create(tmp_path / "a.db")) as opened:
        yield opened


def steal(connection: sqlite3.Connection, run: int, owner: str = "elsewhere 1 1 ff") -> None:
    connection.execute("UPDATE runs SET owner = ? WHERE id = ?", (owner, run))


def test_a_number_is_never_given_out_twice(connection: sqlite3.Connection) -> None:
    first = start(connection, "a")
    second = start(connection, "b")  # drops the first, which was never finished
    assert [run.id for run in read_runs(connection)] == [second.id]
    drop_unfinished_runs(connection)
    assert not read_runs(connection)
    assert (first.id, second.id, start(connection, "c").id) == (1, 2, 3)


def test_what_belongs_to_another_is_neither_written_nor_cleared_nor_finished(connection: sqlite3.Connection) -> None:
    run = start(connection, "a").id
    answer(connection, run, 1)
    steal(connection, run)
    for attempt in (
        lambda: answer(connection, run, 2),
        lambda: finish_run(connection, run, pages=1),
        lambda: clear_run(connection, run),
    ):
        with pytest.raises(StoreError, match="belongs to another process"):
            attempt()
    assert connection.execute("SELECT page FROM predictions").fetchall() == [(1,)]
    assert connection.execute("SELECT finished FROM runs").fetchall() == [(None,)]
    assert get_chosen_run(connection) is None


def test_what_is_gone_or_finished_is_not_written(connection: sqlite3.Connection) -> None:
    run = start(connection, "a").id
    finish_run(connection, run, pages=0)
    with pytest.raises(StoreError, match="run 1 is finished"):
        answer(connection, run, 1)
    with pytest.raises(StoreError, match="run 7 is gone"):
        answer(connection, 7, 1)
    assert connection.execute("SELECT COUNT(*) FROM predictions").fetchone() == (0,)


def test_what_was_stopped_is_taken_over_or_dropped(connection: sqlite3.Connection) -> None:
    run = start(connection, "a")
    answer(connection, run.id, 1)
    steal(connection, run.id)
    assert start(connection, "a") == run
    answer(connection, run.id, 2)
    finish_run(connection, run.id, pages=2)
    assert connection.execute("SELECT owner, pages FROM runs").fetchall() == [(None, 2)]


def test_what_a_process_that_is_alive_writes_is_neither_taken_over_nor_dropped(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    """Simulate that the lock file was removed: then only the owner of the run protects it."""
    program = (
        "import sys; from graphlang.db import create; from graphlang.db.runs.lifecycle import start_run\n"
        "from pathlib import Path\n"
        "connection = create(Path(sys.argv[1]), verb='vote')\n"
        "start_run(connection, kind='vote', method='a', parameters={}, version='1')\n"
        "print('started', flush=True); sys.stdin.read()\n"
    )
    if sys.platform != "linux":
        pytest.skip("this system does not tell when a process was started")
    connection.close()
    with subprocess.Popen(
        [sys.executable, "-P", "-c", program, str(tmp_path / "a.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "started\n"
        (tmp_path / "a.db-lock").unlink()
        with closing(create(tmp_path / "a.db")) as second:
            for method in ("a", "b"):
                with pytest.raises(LockedError, match=rf"run 1 \(a\) is being written by process {other.pid}"):
                    start(second, method)
            with pytest.raises(LockedError):
                drop_unfinished_runs(second)
            assert len(read_runs(second)) == 1
            other.kill()
            other.wait()
            assert start(second, "b").id == 2


def test_who_only_reads_starts_nothing(connection: sqlite3.Connection, tmp_path: Path) -> None:
    assert isinstance(connection, LockedConnection)
    with closing(open_existing(tmp_path / "a.db")) as reader, pytest.raises(StoreError, match="not opened for writing"):
        start(reader, "a")
