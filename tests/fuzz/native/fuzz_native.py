"""Fuzzes the kernels in C: ``python tests/fuzz/native/fuzz_native.py --seconds 3600 html join``; see ../README.md.

Each target is built with clang, libFuzzer and the sanitisers of addresses and of undefined behaviour, and runs for so
many seconds, one after the other or several side by side. What was found before is where it begins. It prints a line
for each: a finding is an input that breaks a property, trips a sanitiser, takes 5 seconds of CPU or 2 GB.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

import seeds
from programs import ROOT, TARGETS, BuildError, build

#: Bytes of an input, at most.
_LONGEST: Final = {
    "html": 16_384,
    "join": 8_192,
    "places": 1_024,
    "page": 8_192,
    "fields": 4_096,
    "ngrams": 4_096,
    "segments": 2_048,
    "urls": 1_024,
    "db": 4_096,
    "graph": 1_024,
}
_SLOW: Final = 5  # seconds of CPU that no input may take
_WAIT: Final = 120  # seconds by the clock after which one is given up: the machine may be busy with other things
_MEMORY: Final = 2_048  # MB that no run may take
_OPTIONS: Final = "quarantine_size_mb=32"
_PROGRESS: Final = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)/")
_EDGES: Final = re.compile(r"Loaded \d+ modules\s+\((\d+) inline")
_STATISTIC: Final = re.compile(r"stat::(\w+):\s+(\d+)")
_COLUMNS: Final = ("target", "executions", "a second", "edges", "features", "corpus", "peak MB", "slowest s", "CPU s")


class Round(NamedTuple):
    """What a run of one target came to."""

    target: str
    executions: int
    seconds: float
    edges: int  #: of the kernels that were reached
    all_edges: int
    features: int
    corpus: int
    memory: int  #: MB at its peak
    slowest: int  #: whole seconds
    cpu: float  #: seconds
    findings: list[Path]
    failed: bool  #: it ended before its time

    def cells(self) -> tuple[str, ...]:
        """The line of the table."""
        rate = self.executions / max(self.seconds, 1e-9)
        numbers = (f"{self.executions:,}", f"{rate:,.0f}", f"{self.edges:,}/{self.all_edges:,}", f"{self.features:,}")
        rest = (f"{self.corpus:,}", f"{self.memory:,}", str(self.slowest), f"{self.cpu:,.0f}")
        return (self.target, *numbers, *rest, str(len(self.findings)))


def run(target: str, folder: Path, bound: str, seed: int) -> Round:
    """Run a target that was built, within libFuzzer's bound of time or of runs; its log stays beside it."""
    own = folder / target
    for name in ("corpus", "findings"):
        (own / name).mkdir(exist_ok=True)
    before = set((own / "findings").iterdir())
    started = time.monotonic()
    command = [
        *(str(own / target), bound, f"-max_len={_LONGEST[target]}", f"-timeout={_WAIT}"),
        *(f"-rss_limit_mb={_MEMORY}", f"-dict={own / 'words'}", f"-artifact_prefix={own / 'findings'}/"),
        *("-print_final_stats=1", f"-report_slow_units={_SLOW}", f"-seed={seed}"),
        *(str(own / "corpus"), str(own / "seeds")),
    ]
    with (own / "log").open("wb") as log:
        status, cpu = _cpu_of(command, own, log.fileno())
    took = time.monotonic() - started
    text = (own / "log").read_text(encoding="utf-8", errors="replace")
    edges, features, corpus = (int(one) for one in (_PROGRESS.findall(text) or [(0, 0, 0)])[-1])
    statistics = {name: int(value) for name, value in _STATISTIC.findall(text)}
    return Round(
        target,
        statistics.get("number_of_executed_units", 0),
        took,
        edges,
        int(found[1]) if (found := _EDGES.search(text)) else 0,
        features,
        corpus,
        statistics.get("peak_rss_mb", 0),
        statistics.get("slowest_unit_time_sec", 0),
        cpu,
        [path for path in sorted(set((own / "findings").iterdir()) - before) if _is_finding(path, own / target)],
        status != 0,
    )


def _cpu_of(command: list[str], folder: Path, log: int) -> tuple[int, float]:
    """Run a program; its exit status and the seconds of CPU that it took."""
    environment = {**os.environ, "ASAN_OPTIONS": _OPTIONS}
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=folder, env=environment)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime


def _is_finding(path: Path, program: Path) -> bool:
    """Tell whether an input that was kept breaks something: what was slow by the clock may not be so by itself."""
    if not path.name.startswith(("slow-unit-", "timeout-")):
        return True
    status, cpu = _cpu_of([str(program), f"-timeout={_WAIT}", str(path)], program.parent, subprocess.DEVNULL)
    if status or cpu > _SLOW:
        return True
    path.unlink()
    return False


def table(rounds: list[Round]) -> str:
    """Lines of equal cells."""
    rows = [(*_COLUMNS, "findings"), *(one.cells() for one in rounds)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    first, *rest = widths
    lines = ([row[0].ljust(first), *map(str.rjust, row[1:], rest)] for row in rows)
    return "".join("  ".join(line).rstrip() + "\n" for line in lines)


def main() -> int:
    """Build, run and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", default=TARGETS, help=f"of {', '.join(TARGETS)}; all of them")
    parser.add_argument("--seconds", type=int, default=60, help="of each target (60)")
    parser.add_argument("--runs", type=int, help="so many of each target instead, whatever time they take")
    parser.add_argument("--seed", type=int, default=0, help="the same inputs again; 0: others each time (0)")
    parser.add_argument("--jobs", type=int, default=1, help="targets that run side by side (1)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz", help="for programs and what they find")
    options = parser.parse_args()
    if unknown := [target for target in options.targets if target not in TARGETS]:
        parser.error(f"{unknown[0]} is none of the targets: {', '.join(TARGETS)}")
    folder = options.folder.resolve()
    found = seeds.captures()
    try:
        for target in options.targets:
            own = folder / target
            build(target, own)
            number = seeds.write(target, found, own / "seeds")
            seeds.write_dictionary(target, own / "words")
            sys.stdout.write(f"{target}: built, {number} seeds from {len(found)} pages\n")
    except BuildError as error:
        sys.stderr.write(f"{error}\nDebian has what is needed: apt-get install clang\n")
        return 2
    sys.stdout.flush()
    bound = f"-max_total_time={options.seconds}" if options.runs is None else f"-runs={options.runs}"
    with ThreadPoolExecutor(options.jobs) as jobs:
        rounds = list(jobs.map(lambda target: run(target, folder, bound, options.seed), options.targets))
    sys.stdout.write(table(rounds))
    for one in rounds:
        for path in one.findings:
            sys.stdout.write(f"{one.target}: {path}\n")
        if one.failed and not one.findings:
            sys.stdout.write(f"{one.target}: ended early, see {folder / one.target / 'log'}\n")
    return int(any(one.failed or one.findings for one in rounds))


if __name__ == "__main__":
    sys.exit(main())
