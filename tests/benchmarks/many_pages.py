"""What a collection of many pages costs to show: ``python tests/benchmarks/many_pages.py CRAWL.db --copies 1 10 86``.

A database that `run` made is multiplied in SQL: each copy has its own hosts, pages, captures, captures of other times,
links, answers and shares, but not the texts, which no verb below reads. Seconds are by the clock and of the processor,
memory is at the peak.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from processes import run_process

#: Tables that are copied, with the columns that name a page.
TABLES = {
    "captures": ("page",),
    "links": ("source", "target"),
    "predictions": ("page",),
    "page_shares": ("page",),
    "history": ("page",),
}
VERBS = {
    "report": ("report", "crawl", "-o", "report.html"),
    "languages": ("languages", "crawl", "--format", "csv"),
    "sites": ("sites", "crawl", "--format", "csv"),
    "sites --by domain": ("sites", "crawl", "--by", "domain", "--format", "csv"),
    "pages": ("pages", "crawl", "--format", "csv"),
    "export pages": ("export", "crawl", "--what", "pages", "-o", "pages.csv"),
    "export pages, JSONL": ("export", "crawl", "--what", "pages", "-o", "pages.jsonl"),
    "export pages, Parquet": ("export", "crawl", "--what", "pages", "-o", "pages.parquet"),
    "export cdxj": ("export", "crawl", "--what", "cdxj", "-o", "index.cdxj"),
    "export warc-metadata": ("export", "crawl", "--what", "warc-metadata", "-o", "languages.warc.gz"),
    "export links": ("export", "crawl", "--what", "links", "-o", "links.csv"),
    "export hosts": ("export", "crawl", "--what", "hosts", "-o", "hosts.graphml"),
}


def multiply(path: Path, copies: int) -> tuple[int, int]:
    """Make a collection that many times as large; how many pages and links it has then."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        execute = connection.execute
        execute("PRAGMA synchronous = OFF")
        execute("BEGIN")
        tables = ("pages", "hosts", "history")
        pages, hosts, captures = (execute(f"SELECT COALESCE(MAX(id), 0) FROM {name}").fetchone()[0] for name in tables)
        for copy in range(1, copies):
            execute(
                f"INSERT INTO hosts SELECT id + {copy * hosts}, 'c{copy}.' || host, 'c{copy}-' || domain, suffix, tld"
                f" FROM hosts WHERE id <= {hosts}"
            )
            execute(
                f"INSERT INTO pages SELECT id + {copy * pages}, REPLACE(url, '://', '://c{copy}.'),"
                f" host + {copy * hosts} FROM pages WHERE id <= {pages}"
            )
            for table, own in TABLES.items():
                names = [row[1] for row in execute(f"PRAGMA table_info({table})")]
                added = dict.fromkeys(own, copy * pages) | {"id": copy * captures}
                values = ", ".join(f"{name} + {added[name]}" if name in added else name for name in names)
                execute(f"INSERT INTO {table} SELECT {values} FROM {table} WHERE {own[0]} <= {pages}")
        execute("COMMIT")
        return tuple(execute("SELECT (SELECT COUNT(*) FROM pages), (SELECT COUNT(*) FROM links)").fetchone())


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("database", type=Path)
    parser.add_argument("--copies", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--only", default="", help="verbs whose names begin so")
    options = parser.parse_args()
    program = str(Path(sys.executable).with_name("graphlang"))
    sys.stdout.write("| pages | links | verb | s | CPU s | MB |\n|---|---|---|---|---|---|\n")
    for copies in options.copies:
        with TemporaryDirectory() as name:
            folder = Path(name)
            with closing(sqlite3.connect(options.database)) as one, closing(sqlite3.connect(folder / "crawl")) as other:
                one.backup(other)
            pages, links = multiply(folder / "crawl", copies)
            for verb, words in VERBS.items():
                if not verb.startswith(options.only):
                    continue
                cost = run_process([program, *words], cwd=folder)
                if cost.code:
                    raise SystemExit(f"{verb} ended with {cost.code}: {cost.errors}")
                costs = f"{cost.seconds:.1f} | {cost.cpu:.1f} | {cost.megabytes:.0f}"
                line = f"| {pages:,} | {links:,} | {verb} | {costs} |"
                sys.stdout.write(line + "\n")
                sys.stdout.flush()
            if not (folder / "report.html").exists():
                continue
            size = (folder / "report.html").stat().st_size / 1024
            sys.stdout.write(f"| {pages:,} | {links:,} | size of the report | | | {size / 1024:.2f} |\n")


if __name__ == "__main__":
    main()
