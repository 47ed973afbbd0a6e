"""The main job over and over, with several workers: every database must be that of one worker (``make soak``).

    python tests/benchmarks/soak.py --pages 60000 --runs 15 --workers 2 4

An archive of that many pages is made from a small one (see `processes`); ``graphlang run`` reads, classifies, votes
and propagates it with one worker, and then with each number of workers as often as asked. Every table of every database
is compared with that of one worker, row by row in their order, scores included; only times of day may differ. A line is
printed for each run; the exit code is 1 if any database differed or any run failed.

    python tests/benchmarks/soak.py --pages 200000 --increments 20

With ``--increments N`` the pages come in N archives, and the job is run after each, on one database: seconds and
memory of each run, and the exit code of ``graphlang check`` in the end.
"""

from __future__ import annotations

import argparse
import hashlib
import sqlite3
import sys
import tempfile
from pathlib import Path

from development_data import DATA
from processes import PROGRAM, Cost, run_process, write_copies, write_parts

EXAMPLE = Path(__file__).parents[2] / "examples" / "crawl.warc.gz"
TIMELESS = ("started", "finished")


def digests(db: Path) -> dict[str, str]:
    """A digest of each table: all rows in order of their key, all columns but times of day.

    Args:
        db: a database.
    """
    connection = sqlite3.connect(f"{db.absolute().as_uri()}?mode=ro", uri=True)
    found = {}
    tables = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY name"
    ).fetchall()
    for (table,) in tables:
        info = connection.execute(f"PRAGMA table_info({table})").fetchall()
        names = [row[1] for row in info if row[1] not in TIMELESS]
        keys = [row[1] for row in sorted((row for row in info if row[5]), key=lambda row: row[5])]
        order = f" ORDER BY {', '.join(keys)}" if keys else ""
        total = hashlib.sha256(",".join(names).encode())
        for row in connection.execute(f"SELECT {', '.join(names)} FROM {table}{order}"):
            total.update(repr(row).encode("utf-8", "surrogatepass"))
        found[table] = total.hexdigest()
    connection.close()
    return found


def job(archive: Path, db: Path, workers: int) -> Cost:
    """Run the main job on an archive and a database, with a number of processes that parse; return what it cost."""
    command = [*PROGRAM, "run", str(archive), "--db", str(db), "--workers", str(workers), "--quiet"]
    cost = run_process(command)
    if cost.code not in (0, 1):
        print(cost.errors[-2000:])
    return cost


def run_increments(source: Path, pages: int, increments: int, folder: Path) -> int:
    """Run the job after each of several archives; return the exit code of the check."""
    archives = [folder / f"{number}.warc.gz" for number in range(increments)]
    write_parts(source, [pages // increments] * increments, archives)
    db = folder / "grown.db"
    print(f"{'pages':>9} {'seconds':>8} {'CPU s':>6} {'MB':>6}", flush=True)
    for number, archive in enumerate(archives, 1):
        cost = job(archive, db, 2)
        costs = f"{cost.seconds:>8.1f} {cost.cpu:>6.1f} {cost.megabytes:>6.0f}"
        print(f"{pages // increments * number:>9,} {costs}", flush=True)
        if cost.code not in (0, 1):
            return 1
    checked = run_process([*PROGRAM, "check", str(db)])
    print(f"check: exit code {checked.code} {checked.errors.strip()}", flush=True)
    return checked.code


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=60_000)
    parser.add_argument("--runs", type=int, default=15, help="for each number of workers")
    parser.add_argument("--workers", type=int, nargs="+", default=[2, 4])
    parser.add_argument("--archive", type=Path, help="what copies are made of; manuals of the data, else the example")
    parser.add_argument("--increments", type=int, help="archives that come one after the other into one database")
    given = parser.parse_args()
    manuals = DATA / "bench" / "manuals.warc.gz"
    source = given.archive or (manuals if manuals.exists() else EXAMPLE)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="graphlang-soak-") as folder:
        if given.increments:
            return run_increments(source, given.pages, given.increments, Path(folder))
        archive = Path(folder) / "pages.warc.gz"
        write_copies(source, given.pages, archive)
        clean = Path(folder) / "one.db"
        first = job(archive, clean, 1)
        if first.code not in (0, 1):
            return 1
        expected = digests(clean)
        counted = sqlite3.connect(clean)
        pages, urls = counted.execute("SELECT (SELECT COUNT(*) FROM captures), (SELECT COUNT(*) FROM pages)").fetchone()
        counted.close()
        print(f"{source.name}: {pages:,} pages read, {urls:,} URLs, {len(expected)} tables", flush=True)
        print(f"{'workers':>7} {'run':>3} {'seconds':>8} {'MB':>6}  database", flush=True)
        print(f"{1:>7} {0:>3} {first.seconds:>8.1f} {first.megabytes:>6.0f}  the measure of all others", flush=True)
        for number in range(given.runs):
            for workers in given.workers:
                db = Path(folder) / "several.db"
                for left in Path(folder).glob("several.db*"):
                    left.unlink()
                again = job(archive, db, workers)
                found = digests(db) if again.code == first.code else {}
                other = sorted(table for table in expected if found.get(table) != expected[table])
                failed += bool(other)
                words = "equal" if not other else f"exit code {again.code}, differs in {', '.join(other)}"
                costs = f"{again.seconds:>8.1f} {again.megabytes:>6.0f}"
                print(f"{workers:>7} {number + 1:>3} {costs}  {words}", flush=True)
    print(f"{given.runs * len(given.workers)} runs, {failed} of them differ", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
