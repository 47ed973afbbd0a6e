"""Two verbs that write at the same time: what comes out is what one after the other would have made, or one alone.

A few of them, so that the suite stays quick; ``make pairs`` takes every pair at twenty offsets.
"""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from click.testing import Result

EXAMPLE = Path(__file__).parents[2] / "examples" / "crawl.warc.gz"
OFFSETS = int(os.environ.get("GRAPHLANG_PAIRS", "0"))  # for each pair; 0 does a few of two pairs
TIMELESS = ("started", "finished", "corrected", "undone", "since")
LOCKED = 5
SAID = "http://mitzpe.example/archive/1998.html"  #: which the example crawl links to
#: Verbs that write; ``db``, ``more``, another archive, and ``table``, a review that was filled in, are put in.
VERBS: dict[str, tuple[str, ...]] = {
    "run": ("run", "more", "--db", "db", "--workers", "1", "-q"),
    "ingest": ("ingest", "db", "more", "--workers", "1", "-q"),
    "classify": ("classify", "db", "--method", "nfc-2004", "--workers", "1", "-q"),
    "vote": ("vote", "db", "-q"),
    "propagate": ("propagate", "db", "-q"),
    "choose": ("runs", "db", "--choose", "1"),
    "correct": ("correct", "db", SAID, "--language", "yi", "--by", "Asha", "-q"),
    "undo": ("correct", "db", SAID, "--undo", "-q"),
    "review": ("review", "db", "--from", "table", "--by", "Asha", "-q"),
    "remove": ("remove", "db", "--host", "chaikhane.example", "-q"),
}
PAIRS = (
    [*itertools.combinations_with_replacement(VERBS, 2)] if OFFSETS else [("propagate", "vote"), ("ingest", "correct")]
)


def content(db: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(db)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        found = {}
        for (table,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            if not table.startswith("_"):
                names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
                columns = ", ".join(name for name in names if name not in TIMELESS)
                found[table] = sorted(connection.execute(f"SELECT {columns} FROM {table}").fetchall(), key=repr)
    return found


def arguments(verb: str, db: Path, more: Path) -> list[str]:
    given = {"db": str(db), "more": str(more), "table": str(db.with_name("table.csv"))}
    return [given.get(word, word) for word in VERBS[verb]]


def start(verb: str, db: Path, more: Path, *, wait: bool) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", "from graphlang.cli import main; main()"]
        + arguments(verb, db, more)
        + ["--wait"] * wait,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def both_at_once(
    verbs: tuple[str, str], db: Path, more: Path, seconds: float, *, wait: bool
) -> list[tuple[str, int, list[str]]]:
    """Exit code and error lines of two verbs, the second started a number of seconds after the first."""
    processes = []
    for number, verb in enumerate(verbs):
        time.sleep(seconds * number)
        processes.append(start(verb, db, more, wait=wait))
    lines = [process.communicate()[1].splitlines() for process in processes]
    return [(verb, process.returncode, said) for verb, process, said in zip(verbs, processes, lines, strict=True)]


@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_two_at_once_are_one_after_the_other(
    one: str, two: str, graphlang: Callable[..., Result], museum: Path, tmp_path: Path
) -> None:
    base = tmp_path / "base.db"
    for step in (
        ["ingest", base, EXAMPLE, "--workers", 1, "-q"],
        ["classify", base, "-q"],
        ["correct", base, SAID, "--language", "ar", "--by", "Ben", "-q"],
    ):
        assert graphlang(*step).exit_code == 0
    (tmp_path / "table.csv").write_text(f"url,language\n{SAID},heb\nhttp://bustan.example/,arb\n")

    def after(*verbs: str) -> dict[str, list[tuple[object, ...]]]:
        db = tmp_path / f"{'-'.join(verbs)}.db"
        shutil.copy(base, db)
        for verb in verbs:
            result = graphlang(*arguments(verb, db, museum))
            assert result.exit_code == 0, result.output
        return content(db)

    expected = {(one,): after(one), (two,): after(two), (one, two): after(one, two), (two, one): after(two, one)}
    db = tmp_path / "pair.db"
    whole = 0.0
    told: list[tuple[str, ...]] = []
    for number in range(OFFSETS or 2):
        shutil.copy(base, db)
        wait = bool(number % 2)
        began = time.monotonic()
        order = (one, two) if number % 4 < 2 else (two, one)
        ends = both_at_once(order, db, museum, whole * (number // 4) * 4 / (OFFSETS or 2), wait=wait)
        whole = whole or time.monotonic() - began
        done = check(ends, wait=wait)
        told.append(done)
        assert content(db) in [expected[verbs] for verbs in itertools.permutations(done)]
        for path in tmp_path.glob("pair.db*"):
            path.unlink()
    sys.stdout.write(f"{one} and {two}: {OFFSETS or 2} offsets; done: {dict(Counter(told))}\n")


def check(ends: list[tuple[str, int, list[str]]], *, wait: bool) -> tuple[str, ...]:
    """The verbs that were done; those that were not say in one line who holds the lock."""
    for _, code, lines in ends:
        assert code in ({0} if wait else {0, LOCKED}), lines
        if code == LOCKED:
            assert len(lines) == 1
            assert "is being written by process" in lines[0]
    done = tuple(verb for verb, code, _ in ends if code == 0)
    assert done
    return done
