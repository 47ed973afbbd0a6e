"""Killed at any moment and started again, the main job makes the database of one clean run.

Two kills of the main job, of a verb that writes, of one that writes a file and of reading, so that the suite stays
quick; ``make kill`` does fifty for each verb and kind of archive.
"""

from __future__ import annotations

import gzip
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
import zipfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fastwarc.stream_io import Lz4Writer, ZstdWriter

from graphlang.collection import Collection
from graphlang.ingest import Limits
from graphlang.ingest.convert import convert_to_store
from graphlang.ingest.formats.detect import open_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

EXAMPLE = Path(__file__).parents[2] / "examples" / "crawl.warc.gz"
KILLS = int(os.environ.get("GRAPHLANG_KILLS", "0"))  # for each archive; 0 does a few of two
TIMELESS = ("started", "finished", "corrected", "undone", "since")
COPIES = 7  # of the example, under other names: more than a worker is given at once


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-P", "-c", "from graphlang.cli import main; main()", *map(str, arguments)]


def content(db: Path) -> dict[str, list[tuple[object, ...]]]:
    connection = sqlite3.connect(db)
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'"
    )
    found = {}
    for (table,) in tables.fetchall():
        names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        columns = ", ".join(name for name in names if name not in TIMELESS)
        found[table] = connection.execute(f"SELECT {columns} FROM {table}").fetchall()
    connection.close()
    return found


def kill_and_go_on(job: Callable[[Path, int], list[str]], folder: Path, workers: Iterable[int], kills: int) -> None:
    """Kill the job that many times; start it again if it ends before."""
    started = time.monotonic()
    clean = subprocess.run(job(folder / "clean.db", 1), capture_output=True, check=False)
    whole = time.monotonic() - started
    assert clean.returncode in (0, 1), clean.stderr
    expected = content(folder / "clean.db")
    assert expected["captures"]
    moments = random.Random(20261121)  # noqa: S311 - moments, not secrets
    turns = [*workers]
    killed = midway = number = 0
    db = folder / "killed-0.db"

    def compare() -> None:
        last = subprocess.run(job(db, turns[-1]), capture_output=True, check=False)
        assert last.returncode == clean.returncode, last.stderr
        found = content(db)
        assert found.keys() == expected.keys()
        for table, rows in expected.items():
            assert found[table] == rows, table

    while killed < kills or not midway:
        assert killed < 10 * kills, "the moments are too early: nothing had been written at any of them"
        began = time.monotonic()
        process = subprocess.Popen(
            job(db, turns[killed % len(turns)]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(timeout=moments.uniform(0.3, 1.0) * whole)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            killed += 1
            midway += db.exists()
            if not db.exists():
                whole *= 1.2  # the machine is busier than it was
        else:
            whole = min(whole, time.monotonic() - began)  # the clean run may have had a busier machine
            compare()
            number += 1
            db = folder / f"killed-{number}.db"
    compare()
    sys.stdout.write(f"{killed} kills, {midway} of them after writing had begun, {number + 1} databases compared\n")


def test_the_main_job_killed_at_random_moments(tmp_path: Path) -> None:
    def job(db: Path, workers: int) -> list[str]:
        return command("run", EXAMPLE, "--db", db, "--workers", str(workers))

    kill_and_go_on(job, tmp_path, (1, 2), KILLS or 2)


SAID = "http://mitzpe.example/archive/1998.html"  #: which the example crawl links to, and `base` has corrected
#: Verbs that write to a database that is there, and what they need besides it; ``table`` is a review, filled in.
VERBS: dict[str, tuple[str, ...]] = {
    "classify": ("--method", "nfc-2004"),
    "classify-url": ("--method", "url"),
    "classify-tld": ("--method", "tld"),
    "vote": ("--min-length", "25"),
    "vote-clueweb09": ("--clueweb09",),
    "propagate": ("--tolerance", "0.0001"),
    "propagate-update": ("--update", "--cctld", "0"),
    "propagate-each-year": ("--each", "year"),
    "runs-choose": ("--choose", "1"),
    "pages-of-urls-linked-to": ("--format", "csv"),  # the answers that nobody has asked for yet
    "correct": ("--host", "mitzpe.example", "--language", "yi", "--by", "Asha", "--note", "read it"),
    "correct-undo": (SAID, "--undo"),
    "review": ("--from", "table", "--by", "Asha"),
    "remove": ("--host", "mitzpe.example", "--url", "http://chaikhane.example/", "--vacuum"),
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with a correction, and an inference whose answers for URLs that were only linked to are open."""
    db = tmp_path_factory.mktemp("base") / "base.db"
    with Collection(db) as crawl:
        crawl.ingest(EXAMPLE)
        crawl.correct(SAID, language="yi", by="Ben")
        crawl.run(EXAMPLE)
    with closing(sqlite3.connect(db)) as connection, connection:  # so few are answered at once
        connection.execute(
            "UPDATE runs SET linked = 0, pages = (SELECT COUNT(*) FROM predictions WHERE run = id) WHERE linked"
        )
        connection.execute("DELETE FROM linked_answers")
    db.with_name("table.csv").write_text(f"url,language,note\n{SAID},heb,\nhttp://bustan.example/,arb,read it\n")
    return db


@pytest.mark.parametrize("name", VERBS if KILLS else ["propagate"])
def test_every_verb_killed_at_random_moments(name: str, base: Path, tmp_path: Path) -> None:
    given = [str(base.with_name("table.csv")) if word == "table" else word for word in VERBS[name]]

    def job(db: Path, workers: int) -> list[str]:
        del workers
        if not db.exists():
            shutil.copy(base, db)
        return command(name.partition("-")[0], db, *given)

    kill_and_go_on(job, tmp_path, (1,), KILLS or 2)


#: Verbs that write a file, and what they need besides it: ``base`` is a database, ``file`` the target.
FILES: dict[str, tuple[str, ...]] = {
    "convert": ("convert", str(EXAMPLE), "file"),
    "export": ("export", "base", "--what", "pages", "-o", "file"),
    "texts": ("texts", "base", "--language", "heb", "-o", "file"),
    "review": ("review", "base", "-o", "file"),
    "report": ("report", "base", "-o", "file"),
    "tune": ("tune", "base", "--gold", str(EXAMPLE.with_name("crawl.gold.tsv")), "-o", "file", "-q"),
}
ENDINGS = {"convert": ".store", "report": ".html", "texts": ".jsonl", "tune": ".json"}


@pytest.mark.parametrize("name", FILES if KILLS else ["export"])
def test_a_file_is_the_old_one_or_the_new_one_whenever_its_verb_is_killed(
    name: str, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1234567890")  # a report says when it was made
    made = Path(shutil.copy(base, tmp_path / "base.db"))
    target = tmp_path / f"target{ENDINGS.get(name, '.csv')}"
    job = command(*({"base": str(made), "file": str(target)}.get(word, word) for word in FILES[name]))
    subprocess.run(job, capture_output=True, check=True)  # which finds answers that later ones need not look for
    began = time.monotonic()
    subprocess.run(job, capture_output=True, check=True)
    whole, new = time.monotonic() - began, target.read_bytes()
    moments = random.Random(20261122)  # noqa: S311 - moments, not secrets
    seen = []
    for _ in range(KILLS or 2):
        target.write_bytes(b"old")
        process = subprocess.Popen(job, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=moments.uniform(0.3, 1.0) * whole)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        found = target.read_bytes()
        assert found in (b"old", new)
        seen.append(found == new)
    subprocess.run(job, capture_output=True, check=True)
    assert target.read_bytes() == new
    sys.stdout.write(f"{len(seen)} tries, {sum(seen)} of them after the file was complete\n")


def records() -> list[bytes]:
    """Return the records of the example several times, each time under other hosts."""
    with open_records(EXAMPLE, Limits()) as reader:
        raws = [raw.head + raw.block + b"\r\n\r\n" for raw in reader]
    return [raw.replace(b".example", b".exa%04d" % copy) for copy in range(COPIES) for raw in raws]


def by_members(path: Path) -> None:
    path.write_bytes(b"".join(gzip.compress(one, 0, mtime=0) for one in records()))


def as_one_member(path: Path) -> None:
    path.write_bytes(gzip.compress(b"".join(records()), mtime=0))


def plain(path: Path) -> None:
    path.write_bytes(b"".join(records()))


def zstd(path: Path) -> None:
    with path.open("wb") as file, ZstdWriter(file) as writer:
        writer.write(b"".join(records()))


def lz4(path: Path) -> None:
    with path.open("wb") as file, Lz4Writer(file) as writer:
        writer.write(b"".join(records()))


def store(path: Path) -> None:
    by_members(path.with_name("a.warc.gz"))
    convert_to_store(path.with_name("a.warc.gz"), path)


def wacz(path: Path) -> None:
    by_members(path.with_name("a.warc.gz"))
    with zipfile.ZipFile(path, "w") as zipped:
        zipped.write(path.with_name("a.warc.gz"), "archive/a.warc.gz")


def arc(path: Path) -> None:
    with open_records(EXAMPLE, Limits()) as reader:
        blocks = [raw.block for raw in reader if raw.block.startswith(b"HTTP/")]
    path.write_bytes(
        b"".join(
            b"http://a.exa%04d/%d 192.0.2.1 20260301080000 text/html %d\n%s\n" % (copy, number, len(block), block)
            for copy in range(COPIES)
            for number, block in enumerate(blocks)
        )
    )


MAKERS: dict[str, Callable[[Path], None]] = {
    "members.warc.gz": by_members,
    "whole.warc.gz": as_one_member,
    "plain.warc": plain,
    "frames.warc.zst": zstd,
    "frames.warc.lz4": lz4,
    "old.arc": arc,
    "web.wacz": wacz,
    "observatory.store": store,
}


@pytest.mark.parametrize("name", MAKERS if KILLS else ["members.warc.gz"])
def test_reading_killed_at_random_moments(name: str, tmp_path: Path) -> None:
    archive = tmp_path / name
    MAKERS[name](archive)

    def job(db: Path, workers: int) -> list[str]:
        return command("ingest", db, archive, "--workers", str(workers))

    kill_and_go_on(job, tmp_path, (2, 1), KILLS or 2)
