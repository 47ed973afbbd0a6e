"""Killed at any moment and started again, the main job makes the database of one clean run."""

import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "crawl.warc.gz"
KILLS = 10
TIMELESS = ("started", "finished")


def command(db: Path, workers: int) -> list[str]:
    code = "from graphlang.cli import main; main()"
    return [sys.executable, "-P", "-c", code, "run", str(EXAMPLE), "--db", str(db), "--workers", str(workers)]


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


def test_kill_9_at_random_moments_and_go_on(tmp_path: Path) -> None:
    started = time.monotonic()
    clean = subprocess.run(command(tmp_path / "clean.db", 1), capture_output=True, check=False)
    whole = time.monotonic() - started
    assert clean.returncode in (0, 1), clean.stderr
    expected = content(tmp_path / "clean.db")
    assert expected["captures"]
    moments = random.Random(20261121)  # noqa: S311 - moments, not secrets
    killed = 0
    db = tmp_path / "killed.db"
    for attempt in range(KILLS):
        process = subprocess.Popen(command(db, 1 + attempt % 2), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=moments.uniform(0.3, 1.0) * whole)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            killed += 1
    assert killed  # else nothing was tested: the moments are too late
    last = subprocess.run(command(db, 2), capture_output=True, check=False)
    assert last.returncode == clean.returncode, last.stderr
    found = content(db)
    for table, rows in expected.items():
        assert found[table] == rows, table
