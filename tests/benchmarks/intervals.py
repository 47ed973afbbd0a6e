"""How often the 95 % intervals of ``languages`` hold: ``python tests/benchmarks/intervals.py [--sets ...]``.

Runs each labelled collection, and prints how many of its languages have their number of pages in the interval, and the
median width of the intervals in per cent of the number.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path

from graph_tables import DATA

import graphlang
from graphlang.db import open_existing
from graphlang.evaluation.evaluate import read_gold

SETS = (
    "docs-short30",
    "docs-short60",
    "docs-full",
    "httpd2006-short30",
    "httpd2006-legacy",
    "menu-short30",
    "menu-full",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("no data: set GRAPHLANG_DATA to the folder that holds web/")
    for name in options.sets:
        with tempfile.TemporaryDirectory() as folder, graphlang.open(Path(folder) / "crawl.db") as crawl:
            crawl.run(DATA / f"{name}.warc.gz")
            gold = Counter(read_gold(open_existing(crawl.path), DATA / f"{name}.gold.tsv", "bucket").language)
            rows = {row.language: row for row in crawl.languages()}
        inside, widths = 0, []
        for language, pages in gold.items():
            low, high = (rows[language].low, rows[language].high) if language in rows else (0, 0)
            inside += low <= pages <= high
            widths.append(100 * (high - low) / pages)
        print(
            f"{name:20} {inside} of {len(gold)} languages, median width {statistics.median(widths):.0f} %", flush=True
        )


if __name__ == "__main__":
    main()
