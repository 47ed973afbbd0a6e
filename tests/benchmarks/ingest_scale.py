"""Whether reading slows down with the collection: ``python tests/benchmarks/ingest_scale.py --pages 10000 100000``.

A large archive is made from a small one: its pages over and over, each time on other hosts, which the links within them
follow, so that every page and nearly every link target is a new URL. It is read in a process of its own (with 1 worker
all is in one process). Shown are CPU milliseconds a page, by stage, and those of the first and the last tenth of the
pages; the peak memory, and how much of it comes for each distinct URL (against the run with the fewest pages); the size
of the database beside that of the compressed archive; and the seconds until a writer is ready to add one more file.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphlang.analysis.ingest import site_of
from graphlang.db import create
from graphlang.db.write import sources
from graphlang.db.write.writer import Writer, finish
from graphlang.ingest import Limits, batches
from graphlang.ingest.formats.detect import open_records
from graphlang.ingest.formats.warc import Warc

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
MEGABYTE = 1 << 20
_HOST = re.compile(rb"(https?://)([\w.-]+)")
_LENGTH = re.compile(rb"(\nContent-Length: )\d+")


def records(archive: Path) -> list[tuple[bytes, bytes]]:
    """Return header and block of the pages of an archive."""
    with open_records(archive, Limits()) as reader:
        return [(raw.head, raw.block) for raw in reader if Warc.may_be_page(raw.head)]


def copies(archive: Path, count: int) -> Iterator[bytes]:
    """Yield that many records, compressed one by one; of each copy the hosts are others."""
    try:
        compress = import_module("isal.igzip").compress
        level = 2
    except ImportError:
        compress, level = gzip.compress, 6
    pages = records(archive)
    for number in range(count):
        copy, place = divmod(number, len(pages))
        host = rb"\1c%d.\2" % copy
        head, block = (_HOST.sub(host, part) for part in pages[place])
        head = _LENGTH.sub(rb"\g<1>%d" % len(block), head)
        yield compress(head + block + b"\r\n\r\n", level)


def make(archive: Path, count: int, path: Path) -> None:
    """Write the archive."""
    with path.open("wb") as file:
        for record in copies(archive, count):
            file.write(record)


def cpu() -> float:
    """Return the CPU seconds of this process."""
    return time.process_time()


def read(path: Path, db: Path, workers: int, pages: int, text_limit: int) -> dict[str, Any]:
    """Read the archive as ``graphlang ingest`` does, and measure."""
    spent = {"register": 0.0, "read": 0.0, "write": 0.0, "finish": 0.0}
    started = cpu()
    connection = create(db)
    source = sources.register(connection, path)
    writer = Writer(connection, site_of)
    spent["register"] = cpu() - started
    done = links = 0
    early = late = 0.0
    mark = time.perf_counter()
    begun = at = late_from = cpu()
    late_pages = 0
    for batch in batches([(path, 0)], limits=Limits(text_limit=text_limit), workers=workers):
        now = cpu()
        spent["read"] += now - at
        counts = writer.add(source.id, batch.items, position=batch.position, finished=batch.last)
        at = cpu()
        spent["write"] += at - now
        done += counts.pages
        links += counts.links
        if done <= pages // 10:
            early = (at - begun) / done
        if done < pages * 9 // 10:
            late_from, late_pages = at, done
    late = (at - late_from) / max(1, done - late_pages)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    finish(connection)
    spent["finish"] = cpu() - at
    urls = connection.execute("SELECT MAX(id) FROM pages").fetchone()[0]
    connection.close()
    return {
        "spent": spent,
        "early": early,
        "late": late,
        "wall": time.perf_counter() - mark,
        "pages": done,
        "links": links,
        "urls": urls,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "peak_before_finish": before / 1024,
        "peak_worker": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024,
        "db": db.stat().st_size,
    }


def again(path: Path, db: Path) -> dict[str, Any]:
    """Open the collection again, as one more file would need it."""
    started = cpu()
    connection = create(db)
    Writer(connection, site_of)
    connection.close()
    del path
    return {"again": cpu() - started, "peak_again": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def child(*arguments: str) -> dict[str, Any]:
    """Run one of the two in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-P", __file__, "--child", *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print a row for each number of pages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--text-limit", type=int, default=10_000)
    parser.add_argument("--archive", type=Path, default=DATA / "web" / "docs-full.warc.gz")
    parser.add_argument("--folder", type=Path, default=None, help="for the scratch files: 3 GB for a million pages")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        how, path, db, *rest = options.child
        found = again(Path(path), Path(db)) if how == "again" else read(Path(path), Path(db), *map(int, rest))
        print(json.dumps(found))
        return
    print(
        f"{'pages':>9} {'URLs':>9} {'links':>10} {'ms/page':>8} {'read':>6} {'write':>6} {'finish':>6}"
        f" {'1st 10th':>8} {'last 10th':>9}"
        f" {'pages/s':>8} {'peak MB':>8} {'worker':>7} {'B/URL':>6} {'db MB':>7} {'db/gz':>6} {'again s':>7}"
    )
    first: dict[str, Any] | None = None
    for pages in options.pages:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            path, db = Path(folder) / "large.warc.gz", Path(folder) / "large.db"
            make(options.archive, pages, path)
            found = child("read", str(path), str(db), str(options.workers), str(pages), str(options.text_limit))
            found |= child("again", str(path), str(db))
            size = path.stat().st_size
        first = first or found
        more = found["urls"] - first["urls"]
        each = f"{(found['peak'] - first['peak']) * MEGABYTE / more:.1f}" if more else "-"
        spent = {name: 1000 * value / found["pages"] for name, value in found["spent"].items()}
        print(
            f"{found['pages']:>9,} {found['urls']:>9,} {found['links']:>10,} {sum(spent.values()):>8.3f}"
            f" {spent['read']:>6.3f} {spent['write']:>6.3f} {spent['finish']:>6.3f}"
            f" {1000 * found['early']:>8.3f} {1000 * found['late']:>9.3f}"
            f" {found['pages'] / found['wall']:>8,.0f} {found['peak']:>8.0f} {found['peak_worker']:>7.0f} {each:>6}"
            f" {found['db'] / MEGABYTE:>7.0f} {found['db'] / size:>6.2f} {found['again']:>7.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
