"""Texts that are identified while others are read: the same database as one process makes, whatever comes between."""

from __future__ import annotations

import gzip
import sqlite3
import subprocess
import sys
import threading
import uuid
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from graphlang.analysis.classify import Described, classify_rest, start_growing
from graphlang.content import registry
from graphlang.db import create, open_existing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from graphlang.content.identifier import Identifier

GERMAN = "Das Museum der Gezeiten liegt am Hafen und zeigt alte Boote, Netze und Karten, Teil %d."
FRENCH = "Le musée des marées se trouve près du port et montre de vieux bateaux et des cartes, partie %d."
Content = dict[str, list[tuple[object, ...]]]
TIMELESS = {"started", "finished"}

#: The command line, with so little in each step that a small crawl takes many of them.
BESIDE = """
import os, signal, sys
from graphlang.ingest import read_batches
from graphlang.ingest.files import byte_ranges
from graphlang.ingest.workers import pool, prestart, worker
prestart._SMALL = read_batches._WHOLE = 0
byte_ranges.LENGTH = read_batches.LENGTH = 1 << 13
worker._RECORDS = 16
from graphlang.analysis import classify_beside, ingest
classify_beside.TOGETHER, classify_beside._MOST, ingest._BATCHES = 8, 16, 1
"""
MAIN = """
from graphlang.cli import main
main()
"""
#: What comes between when pages were written for the so-manieth time.
AT = """
written, count = classify_beside.ClassifiesBeside.written, 0
def between(self, new, changed):
    global count
    written(self, new, changed)
    count += 1
    if count == {count}:
        {what}
classify_beside.ClassifiesBeside.written = between
"""
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
STOPPED = "raise KeyboardInterrupt"
ALONE = "self._process._child.kill()"


def record(url: str, body: str, date: str = "2024-01-01", status: int = 200, revisit: str | None = None) -> bytes:
    http = f"HTTP/1.1 {status} OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n".encode() + body.encode()
    digest = "".join("ABCDEFGHIJKLMNOP"[int(digit, 16)] for digit in uuid.uuid5(uuid.NAMESPACE_URL, revisit or url).hex)
    head = (
        f"WARC/1.0\r\nWARC-Type: {'revisit' if revisit else 'response'}\r\nWARC-Target-URI: {url}\r\n"
        f"WARC-Date: {date}T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
        f"WARC-Payload-Digest: sha1:{digest}\r\n"
    )
    if revisit:
        head += "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
    return gzip.compress(f"{head}Content-Length: {len(http)}\r\n\r\n".encode() + http + b"\r\n\r\n", mtime=0)


def pages(count: int) -> list[bytes]:
    """Pages that link to each other; every fifth comes once more, later or earlier, gone or in another language."""
    found = []
    for number in range(count):
        url = f"http://h{number % 9}.example/{number}"
        links = "".join(f'<a href="http://h{near % 9}.example/{near}">.</a>' for near in range(number, number + 4))
        text = (FRENCH if number % 3 else GERMAN) % number
        found.append(record(url, f"<title>{number}</title><p>{text}</p>{links}", revisit=None))
        if number % 5 == 0 and number >= 30:
            old = number - 30
            again, date = f"http://h{old % 9}.example/{old}", "2023-01-01" if number % 2 else "2025-01-01"
            found.append(
                [
                    record(again, f"<p>{FRENCH % old} Encore une fois.</p>", date),
                    record(again, "<p>Gone</p>", date, 404),
                    record(f"{again}/same", "", date, revisit=again),
                    record(again, "<p>12 34</p>", date),
                ][number // 5 % 4]
            )
    return found


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crawl")
    for name, part in (("a.warc.gz", pages(400)[:300]), ("b.warc.gz", pages(400)[300:])):
        (folder / name).write_bytes(b"".join(part))
    return folder


def run(db: Path, *files: Path, workers: int = 2, between: str = "") -> subprocess.CompletedProcess[str]:
    arguments = ["run", *map(str, files), "--db", str(db), "--workers", str(workers), "--quiet"]
    script = BESIDE + between + MAIN
    return subprocess.run(
        [sys.executable, "-P", "-c", script, *arguments], capture_output=True, text=True, check=False, timeout=120
    )


def content(db: Path) -> Content:
    connection = sqlite3.connect(db)
    found = {}
    for (table,) in connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'"
    ).fetchall():
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        columns = ", ".join(name for name in names if name not in TIMELESS)
        found[table] = connection.execute(f"SELECT {columns} FROM {table}").fetchall()
    connection.close()
    return found


@pytest.fixture(scope="module")
def clean(crawl: Path) -> Content:
    done = run(crawl / "clean.db", crawl / "a.warc.gz", crawl / "b.warc.gz", workers=1)
    assert done.returncode == 0, done.stderr
    found = content(crawl / "clean.db")
    assert len(found["predictions"]) > 1000  # of three runs
    with closing(open_existing(crawl / "clean.db")) as connection:
        assert connection.execute("SELECT 1 FROM captures WHERE original > 0").fetchone()
    return found


def same(found: Content, expected: Content) -> None:
    assert found.keys() == expected.keys()
    for table, rows in expected.items():
        assert found[table] == rows, table


@pytest.mark.parametrize("workers", [2, 3])
def test_the_database_is_that_of_one_process(crawl: Path, clean: Content, tmp_path: Path, workers: int) -> None:
    counted = AT.format(count=20, what="sys.stderr.write('beside')")
    done = run(tmp_path / "a.db", crawl / "a.warc.gz", crawl / "b.warc.gz", workers=workers, between=counted)
    assert (done.returncode, done.stderr) == (0, "beside")
    same(content(tmp_path / "a.db"), clean)


def test_a_new_process_does_as_well_as_a_copy(crawl: Path, clean: Content, tmp_path: Path) -> None:
    new = """
from graphlang.analysis import classifier_process
classifier_process.possible = lambda: False
""" + AT.format(count=20, what="sys.stderr.write(type(self._process._child).__name__)")
    done = run(tmp_path / "a.db", crawl / "a.warc.gz", crawl / "b.warc.gz", between=new)
    assert (done.returncode, done.stderr) == (0, "Popen")
    same(content(tmp_path / "a.db"), clean)


def test_two_questions_are_answered_at_a_time_and_told_in_their_order(
    crawl: Path, clean: Content, tmp_path: Path
) -> None:
    """The first is done only after the second. By their order the writer knows which pages have changed meanwhile."""
    waiting = """
import sys, threading, time
from graphlang.analysis import classifier_process, classify
answer, encode = classify.answer, classifier_process.encode_frame
asked, told, second = [], [], threading.Event()
def answered(identifier, batch, *given, **how):
    asked.append(batch.pages)
    number = len(asked)
    if number == 1:
        assert second.wait(30)
        time.sleep(0.2)
    found = answer(identifier, batch, *given, **how)
    if number == 2:
        second.set()
    return found
def encoded(value):
    if isinstance(value[0], list) and not told:
        told.extend(value[0])
        sys.stderr.write("in order" if told == asked[0] else "in disorder")
    return encode(value)
classify.answer, classifier_process.encode_frame = answered, encoded
"""
    new = f"""
from graphlang.analysis import classifier_process
classifier_process.possible = lambda: False
classifier_process._START = {waiting!r} + classifier_process._START
"""
    done = run(tmp_path / "a.db", crawl / "a.warc.gz", crawl / "b.warc.gz", between=new)
    assert (done.returncode, done.stderr) == (0, "in order")
    same(content(tmp_path / "a.db"), clean)


def test_hardly_anything_is_left_to_be_read_afterwards(crawl: Path, tmp_path: Path) -> None:
    alone = """
from graphlang.content import registry
load, parent = registry.load, os.getpid()
def loaded(name):
    assert os.getpid() != parent
    return load(name)
registry.load = loaded
"""
    done = run(tmp_path / "a.db", crawl / "a.warc.gz", between=alone)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("what", [KILLED, STOPPED])
@pytest.mark.parametrize("then", [(1, 2), (9, 1), (19, 2)])
def test_stopped_and_repeated_it_goes_on(
    crawl: Path, clean: Content, tmp_path: Path, what: str, then: tuple[int, int]
) -> None:
    count, workers = then
    db, files = tmp_path / "a.db", (crawl / "a.warc.gz", crawl / "b.warc.gz")
    first = run(db, *files, between=AT.format(count=count, what=what))
    assert first.returncode == (-9 if what == KILLED else 130)
    with closing(open_existing(db)) as connection:
        (before,) = connection.execute("SELECT COUNT(*) FROM predictions").fetchone()
        assert connection.execute("SELECT id, collection, finished FROM runs").fetchall() == [(1, "growing", None)]
    assert before or count == 1
    assert run(db, *files, workers=workers).returncode == 0
    same(content(db), clean)


def test_it_goes_on_after_being_stopped_twice_and_with_other_verbs_between(
    crawl: Path, clean: Content, tmp_path: Path
) -> None:
    db, files = tmp_path / "a.db", (crawl / "a.warc.gz", crawl / "b.warc.gz")
    for count in (9, 14):
        run(db, *files, between=AT.format(count=count, what=KILLED))
    ingest = [sys.executable, "-P", "-c", MAIN, "ingest", str(db), *map(str, files), "-q"]
    subprocess.run(ingest, check=True)  # pages change that have answers, and nobody takes these back
    assert run(db, *files).returncode == 0
    same(content(db), clean)


@pytest.mark.parametrize("count", [1, 7, 15])
def test_what_a_lost_process_leaves_is_read_here(crawl: Path, clean: Content, tmp_path: Path, count: int) -> None:
    done = run(
        tmp_path / "a.db",
        crawl / "a.warc.gz",
        crawl / "b.warc.gz",
        between=AT.format(count=count, what=ALONE),
    )
    assert (done.returncode, done.stderr) == (0, "")
    same(content(tmp_path / "a.db"), clean)


def test_other_verbs_wait_or_read_meanwhile(crawl: Path, clean: Content, tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    call = "[sys.executable, '-P', '-c', 'from graphlang.cli import main; main()', {}]"
    codes = [
        f"subprocess.call({call.format(repr(verb) + ', ' + repr(str(db)))})" for verb in ("vote", "classify", "info")
    ]
    what = f"import subprocess; sys.stderr.write(str([{', '.join(codes)}]))"
    done = run(db, crawl / "a.warc.gz", crawl / "b.warc.gz", between=AT.format(count=10, what=what))
    assert done.returncode == 0
    assert done.stderr.endswith("[5, 5, 0]")
    same(content(db), clean)


def test_a_collection_that_grows_has_the_earlier_answers(crawl: Path, tmp_path: Path) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        db = tmp_path / f"{name}.db"
        for file in ("a.warc.gz", "b.warc.gz", "b.warc.gz"):
            assert run(db, crawl / file, workers=workers).returncode == 0
    one, two = content(tmp_path / "one.db"), content(tmp_path / "two.db")
    same(two, one)
    with closing(open_existing(tmp_path / "two.db")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM runs WHERE kind = 'content'").fetchone() == (2,)


def test_a_file_that_is_read_again_is_answered_for_afterwards(crawl: Path, tmp_path: Path) -> None:
    for name, workers in (("one", 1), ("two", 2)):
        db = tmp_path / f"{name}.db"
        assert run(db, crawl / "a.warc.gz", workers=workers).returncode == 0
        again = [sys.executable, "-P", "-c", BESIDE + MAIN, "run", str(crawl / "a.warc.gz"), "--db", str(db), "--again"]
        subprocess.run([*again, "--workers", str(workers), "--text-limit", "60", "-q"], check=True)
    same(content(tmp_path / "two.db"), content(tmp_path / "one.db"))


def test_a_method_that_cannot_be_loaded_leaves_no_database(crawl: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.npz").write_bytes(b"no model")
    for method in ("no-such-method", str(tmp_path / "broken.npz"), "url"):
        told = []
        for workers in (1, 2):
            arguments = ["run", str(crawl / "a.warc.gz"), "--db", str(tmp_path / "a.db"), "--method", method]
            done = subprocess.run(
                [sys.executable, "-P", "-c", BESIDE + MAIN, *arguments, "--workers", str(workers)],
                capture_output=True,
                text=True,
                check=False,
            )
            told.append((done.returncode, done.stderr))
        assert told[0] == told[1]
        assert told[0][0] in (2, 3)
        assert not (tmp_path / "a.db").exists()


def test_answers_for_texts_that_have_changed_since_do_not_stay(crawl: Path, tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    run(db, crawl / "a.warc.gz", between=AT.format(count=12, what=KILLED))
    described = Described.of(registry.load("nfc"))
    with closing(create(db)) as connection:
        pages = [page for (page,) in connection.execute("SELECT page FROM predictions ORDER BY page")]
        changed, gone = pages[3], pages[-1]
        connection.execute("UPDATE texts SET text = 'something else' WHERE page = ?", (changed,))
        connection.execute("DELETE FROM texts WHERE page = ?", (gone,))
        run_ = start_growing(connection, described)
        left = [page for (page,) in connection.execute("SELECT page FROM predictions ORDER BY page")]
        assert run_.id == 1
        assert left == [page for page in pages if page not in (changed, gone)]
        assert not connection.execute("SELECT 1 FROM scores WHERE page IN (?, ?)", (changed, gone)).fetchall()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_method_is_loaded_once_however_much_is_left(
    make_collection: Callable[..., Path], written: Any, workers: int
) -> None:
    pages = [written(f"http://a.example/{number}", "deu", text=f"{GERMAN % number}") for number in range(2_100)]
    nfc, loaded = registry.load("nfc"), []

    def load() -> Identifier:
        loaded.append(threading.get_ident())
        return nfc

    with closing(create(make_collection(pages))) as connection:
        done = classify_rest(connection, Described.of(nfc), load, workers=workers)
    assert (done.pages, loaded) == (2_100, [threading.get_ident()])
