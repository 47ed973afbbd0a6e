from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graphlang.db.records import Page
from graphlang.ingest import Limits, PrestartedWorkers, WorkerError, iterate_batches

if TYPE_CHECKING:
    from conftest import Archive


def children() -> list[int]:
    """Process ids of our own children, zombies too."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                found.append(int(entry.name))
    return found


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


@pytest.fixture(params=["byte ranges", "groups"])
def crawl(archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Path:
    """A thousand pages, in one case cut into byte ranges that the workers read, in the other in groups of records."""
    path = tmp_path / "crawl.warc"
    records = [archive.warc(f"http://a.example/{n}", b"<p>page %d" % n) for n in range(1000)]
    path.write_bytes(archive.gz(*records) if request.param == "byte ranges" else b"".join(records))
    monkeypatch.setattr("graphlang.ingest.workers.process._SMALL", 0)
    monkeypatch.setattr("graphlang.ingest.read_batches._WHOLE", 0)
    monkeypatch.setattr("graphlang.ingest.files.byte_ranges.LENGTH", 1 << 15)
    return path


@needs_proc
def test_a_worker_that_is_killed_costs_nothing(crawl: Path) -> None:
    before = set(children())
    expected = [item for batch in iterate_batches([(crawl, 0)]) for item in batch.items]
    items = []
    for count, batch in enumerate(iterate_batches([(crawl, 0)], workers=2)):
        items += batch.items
        if count in {0, 5}:
            os.kill(max(set(children()) - before), signal.SIGKILL)
    assert items == expected
    assert set(children()) == before


def test_a_record_that_kills_its_worker_is_a_problem(
    crawl: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # A worker loads sitecustomize like any Python; this one dies of a certain page, as of a fault in a C library.
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "if 'graphlang.ingest.workers.worker' in str(sys.orig_argv):\n"
        "    from graphlang.ingest.page import Parser\n"
        "    parse = Parser.parse\n"
        "    is_bad = lambda raw: raw.block.endswith(b'<p>page 10')\n"
        "    Parser.parse = lambda self, raw: os.abort() if is_bad(raw) else parse(self, raw)\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    items = [item for batch in iterate_batches([(crawl, 0)], workers=2) for item in batch.items]
    assert len(items) == 1000
    assert [item.url for item in items if isinstance(item, Page)] == [
        f"http://a.example/{n}" for n in range(1000) if n != 10
    ]
    problem = items[10]
    assert not isinstance(problem, Page)
    assert (problem.kind, problem.reason) == ("crashed", "the process that parsed this record was killed by signal 6")
    assert problem.url == "http://a.example/10"


def test_a_record_that_keeps_its_worker_busy_is_a_problem(
    crawl: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, time\n"
        "if 'graphlang.ingest.workers.worker' in str(sys.orig_argv):\n"
        "    from graphlang.ingest.page import Parser\n"
        "    parse = Parser.parse\n"
        "    is_bad = lambda raw: raw.block.endswith(b'<p>page 10')\n"
        "    Parser.parse = lambda self, raw: time.sleep(99) if is_bad(raw) else parse(self, raw)\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr("graphlang.ingest.workers.pool._PATIENCE", 3.0)
    items = [item for batch in iterate_batches([(crawl, 0)], workers=2) for item in batch.items]
    assert len(items) == 1000
    assert [getattr(item, "kind", "") for item in items].index("crashed") == 10
    assert items[10].url == "http://a.example/10"
    assert "more than 3 seconds" in getattr(items[10], "reason", "")


def test_workers_that_cannot_start_are_an_error(crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    with pytest.raises(WorkerError, match="cannot be started"):
        next(iterate_batches([(crawl, 0)], workers=2))


@needs_proc
def test_a_reader_that_is_dropped_leaves_no_process(crawl: Path) -> None:
    before = children()
    reading = iterate_batches([(crawl, 0)], workers=2)
    next(reading)
    assert len(children()) == len(before) + 2
    reading.close()  # type: ignore[attr-defined]
    assert children() == before


@needs_proc
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_workers_end_with_their_parent(crawl: Path, how: signal.Signals) -> None:
    script = (
        "import sys, time, pathlib\n"
        "from graphlang.ingest import iterate_batches, read_batches as reading\n"
        "from graphlang.ingest.files import byte_ranges\n"
        "from graphlang.ingest.workers import process as workers\n"
        "workers._SMALL = reading._WHOLE = 0\nbyte_ranges.LENGTH = 1 << 15\n"
        "reading = iterate_batches([(pathlib.Path(sys.argv[1]), 0)], workers=2)\n"
        "next(reading)\n"
        "try:\n"
        "    print(1, flush=True)\n"
        "    time.sleep(60)\n"
        "except KeyboardInterrupt:\n"
        "    sys.exit(130)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-P", "-c", script, str(crawl)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None
    parent.stdout.readline()
    workers = [
        int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _parent_of(entry) == parent.pid
    ]
    assert len(workers) == 2
    parent.send_signal(how)
    _, errors = parent.communicate(timeout=30)
    assert "Traceback" not in errors
    deadline = time.monotonic() + 10
    while any(_is_worker(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(_is_worker(pid) for pid in workers)


def _parent_of(entry: Path) -> int:
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _is_worker(pid: int) -> bool:
    try:
        return b"graphlang.ingest.workers.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@needs_proc
def test_a_team_that_was_started_before_is_taken_or_ended(crawl: Path) -> None:
    before = children()
    whole = [batch.items for batch in iterate_batches([(crawl, 0)])]
    prestarted = PrestartedWorkers(2, Limits())
    assert len(children()) == len(before) + 2
    reading = iterate_batches([(crawl, 0)], workers=2, prestarted=prestarted)
    first = next(reading)
    assert len(children()) == len(before) + 2  # none was started besides
    assert [item for items in [first.items, *(batch.items for batch in reading)] for item in items] == [
        item for items in whole for item in items
    ]
    assert children() == before
    prestarted.end()
    unused = PrestartedWorkers(2, Limits(max_links=1))  # of other limits
    assert [batch.items for batch in iterate_batches([(crawl, 0)], workers=2, prestarted=unused)] != []
    assert len(children()) == len(before) + 2
    unused.end()
    assert children() == before
