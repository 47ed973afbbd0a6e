"""One writer at a time, by a lock that dies with its process and says who holds it."""

import errno
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from graphlang.db import LockedError, StoreError, create, lock, open_existing
from graphlang.db.schema import find_faults

HOLDER = """
import sys, time
from pathlib import Path
from graphlang.db import create
connection = create(Path(sys.argv[1]), verb="propagate")
print("held", flush=True)
sys.stdin.read()
connection.close()
"""


@contextmanager
def held_elsewhere(db: Path) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-P", "-c", HOLDER, str(db)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_a_second_writer_is_told_who_the_first_is(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    with held_elsewhere(db) as process, pytest.raises(LockedError) as told:
        create(db)
    assert str(told.value).startswith(f"{db} is being written by process {process.pid} (propagate, since 20")
    assert "\n" not in str(told.value)


def test_readers_are_not_blocked(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    with held_elsewhere(db), closing(open_existing(db)) as reader:
        assert reader.execute("SELECT COUNT(*) FROM pages").fetchone() == (0,)


def test_the_lock_dies_with_its_process_however_that_ends(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    for way in (signal.SIGKILL, signal.SIGTERM):
        with held_elsewhere(db) as process:
            process.send_signal(way)
            process.wait()
            create(db).close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.db"]


def test_every_name_of_a_file_has_the_same_lock(tmp_path: Path) -> None:
    (tmp_path / "b.db").symlink_to(tmp_path / "a.db")
    with closing(create(tmp_path / "a.db")), pytest.raises(LockedError, match=f"process {os.getpid()}"):
        create(tmp_path / "b.db")


def test_within_a_process_it_holds_others_off_as_well_and_a_refusal_does_not_drop_it(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    with closing(create(db)):
        for _ in range(2):
            with pytest.raises(LockedError):
                create(db)
        other = subprocess.run(
            [sys.executable, "-P", "-c", HOLDER, str(db)], input="", capture_output=True, text=True, check=False
        )
        assert "LockedError" in other.stderr
    create(db).close()


def test_a_child_that_was_forked_neither_keeps_nor_drops_it(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    connection = create(db)
    child = os.fork()
    if not child:
        del connection
        time.sleep(5)
        os._exit(0)
    with pytest.raises(LockedError):
        create(db)
    connection.close()
    create(db).close()
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def test_waiting_gets_it_once_it_is_free_and_says_once_for_whom_it_waits(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    first = lock.acquire(db, "vote")
    timer = threading.Timer(0.2, first.release)
    told: list[lock.Holder | None] = []
    timer.start()
    create(db, verb="ingest", patience=None, on_wait=told.append).close()
    timer.join()
    assert [(holder.pid, holder.verb) for holder in told if holder is not None] == [(os.getpid(), "vote")]


def test_patience_ends(tmp_path: Path) -> None:
    with closing(create(tmp_path / "a.db")), pytest.raises(LockedError):
        create(tmp_path / "a.db", patience=0.1)


def test_many_at_once_take_turns(tmp_path: Path) -> None:
    inside, most = 0, 0
    guard = threading.Lock()

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            held = lock.acquire(tmp_path / "a.db", patience=None)
            with guard:
                inside += 1
                most = max(most, inside)
            with guard:
                inside -= 1
            held.release()

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


@pytest.mark.parametrize("words", [b"", b"\xff" * 5000, b"1 2 3 4 5", b"x propagate now"])
def test_whatever_stands_in_the_file_is_survived(tmp_path: Path, words: bytes) -> None:
    (tmp_path / "a.db-lock").write_bytes(words)
    create(tmp_path / "a.db").close()  # nobody holds it


def test_what_cannot_be_locked_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.db-lock").mkdir()
    with pytest.raises(StoreError, match="cannot lock"):
        create(tmp_path / "a.db")


def test_a_full_disk_is_no_fault_of_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("graphlang.db.lock.os.pwrite", full)
    with pytest.raises(OSError, match="No space left on device") as told:
        lock.acquire(tmp_path / "crawl.db")
    assert (told.value.errno, told.value.filename) == (errno.ENOSPC, f"{(tmp_path / 'crawl.db').resolve()}-lock")
    assert not list(tmp_path.iterdir())


def test_a_token_names_a_process_that_runs_and_no_other() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        host = lock._read_host_name()
        start = lock._read_start(other.pid)
        if not start:
            pytest.skip("this system does not tell when a process was started")
        assert lock.find_running_process(f"{host} {other.pid} {start} ab") == other.pid
        assert lock.find_running_process(f"{host} {other.pid} {start + 1} ab") is None  # its number was given out again
        assert lock.find_running_process(f"elsewhere {other.pid} {start} ab") is None
        other.kill()
        other.wait()
        assert lock.find_running_process(f"{host} {other.pid} {start} ab") is None
    assert lock.find_running_process("") is None
    assert (
        lock.find_running_process(f"{host} {os.getpid()} {lock._read_start(os.getpid())} ab") is None
    )  # it is this one


def test_what_is_added_while_a_database_is_opened_does_not_make_it_unsound(tmp_path: Path) -> None:
    """A writer adds a page with a link between any two questions of the reader's check."""
    db = tmp_path / "a.db"
    create(db).close()
    with closing(sqlite3.connect(db, isolation_level=None)) as writer, closing(open_existing(db)) as reader:
        writer.execute("PRAGMA foreign_keys=OFF")
        writer.execute("INSERT INTO hosts (id, host, domain, suffix, tld) VALUES (1, 'a.example', 'a.example', '', '')")
        reader.execute("PRAGMA cache_size")

        def write(_: str) -> None:
            writer.execute("INSERT INTO pages (url, host) SELECT 'http://a.example/' || COUNT(*), 1 FROM pages")
            writer.execute("INSERT INTO links (source, target, kind, nofollow) SELECT MAX(id), 1, 1, 0 FROM pages")

        reader.set_trace_callback(write)
        assert not list(find_faults(reader))
