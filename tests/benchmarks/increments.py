"""What a few new pages cost: ``python tests/benchmarks/increments.py --pages 20000 --new 200 --turns 5``.

A collection of copied pages (see `processes`) is made by `run`, gets the next pages of the same copies, and then the
same ones again, which are not new. With ``--before FOLDER``, a folder that holds the package ``graphlang`` of another
version, both versions do this by turns. Seconds are of the processor and by the clock, memory is at the peak; the least
and the median of all turns.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from development_data import DATA
from processes import PROGRAM, Cost, run_process, write_parts


def run_job(archive: Path, db: Path, version: Path | None) -> Cost:
    """Run the main job with one worker, by the version in a folder, else by the one that is installed."""
    environment = os.environ | ({} if version is None else {"PYTHONPATH": str(version.absolute())})
    cost = run_process([*PROGRAM, "run", str(archive), "--db", str(db), "--workers", "1", "-q"], env=environment)
    if cost.code not in (0, 1):
        raise SystemExit(f"run ended with {cost.code}: {cost.errors}")
    return cost


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--new", type=int, default=200)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--full", type=int, default=1, help="turns in which the whole collection is made, too")
    parser.add_argument("--archive", type=Path, default=DATA / "bench" / "manuals.warc.gz", help="what is copied")
    parser.add_argument("--before", type=Path, help="folder with another version of graphlang")
    options = parser.parse_args()
    versions = {"before": options.before, "now": None} if options.before else {"now": None}
    with TemporaryDirectory(prefix="graphlang-increments-") as name:
        folder = Path(name)
        first, later = folder / "first.warc.gz", folder / "later.warc.gz"
        write_parts(options.archive, (options.pages, options.new), (first, later))
        jobs = full, more, nothing = f"{options.pages:,} pages", f"{options.new:,} more", "nothing new"
        costs: dict[tuple[str, str], list[Cost]] = {(job, version): [] for job in jobs for version in versions}
        for turn in range(options.turns):
            for version, package in versions.items():
                whole, grown = folder / f"{version}.db", folder / "grown.db"
                if turn < options.full:
                    whole.unlink(missing_ok=True)
                    costs[full, version].append(run_job(first, whole, package))
                shutil.copy(whole, grown)
                costs[more, version].append(run_job(later, grown, package))
                costs[nothing, version].append(run_job(later, grown, package))
        sys.stdout.write("| | CPU s, least; median | s, least; median | MB | of a full run |\n|---|---|---|---|---|\n")
        for (job, version), turns in costs.items():
            cpu, seconds = [turn.cpu for turn in turns], [turn.seconds for turn in turns]
            share = min(cpu) / min(cost.cpu for cost in costs[full, version])
            sys.stdout.write(
                f"| {job}, {version} | {min(cpu):.2f}; {median(cpu):.2f} | {min(seconds):.2f};"
                f" {median(seconds):.2f} | {max(turn.megabytes for turn in turns):.0f} | {share:.1%} |\n"
            )


if __name__ == "__main__":
    main()
