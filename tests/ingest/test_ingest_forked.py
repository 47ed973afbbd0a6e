"""Workers that are copies of their parent: as good as new processes, and they may begin before they are asked to.

A copy is made only where there is one thread, so all of this runs in a process of its own.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import Archive

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no copies are made on this system")

BEGINNING = """
import os, signal, sys, time
from pathlib import Path
from graphlang.ingest import Limits, PrestartedWorkers, iterate_batches
from graphlang.ingest import read_batches as reading
from graphlang.ingest.files import byte_ranges
from graphlang.ingest.workers import process as workers
from graphlang.ingest.workers.process import ForkedChild, is_fork_safe

workers._SMALL = reading._WHOLE = 0
byte_ranges.LENGTH = reading.LENGTH = 1 << 15
crawl = Path(sys.argv[1])

def items(start=0, **how):
    return [item for batch in iterate_batches([(crawl, start)], **how) for item in batch.items]

assert is_fork_safe()
started = PrestartedWorkers(2, Limits())
assert all(isinstance(one._child, ForkedChild) for one in started._processes)
pids = [one._child._pid for one in started._processes]
"""


@pytest.fixture
def crawl(archive: Archive, tmp_path: Path) -> Path:
    """A thousand pages in six byte ranges or so."""
    path = tmp_path / "crawl.warc.gz"
    path.write_bytes(archive.gz(*(archive.warc(f"http://a.example/{n}", b"<p>page %d" % n) for n in range(1000))))
    return path


def run_script(script: str, crawl: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-P", "-c", BEGINNING + script, str(crawl)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_was_begun_is_taken_over(crawl: Path) -> None:
    script = """
started.begin(crawl)
begun = [(one.begin, one.exact) for one in started.begun]
assert begun == [(number << 15, not number) for number in range(len(begun))] and len(begun) > 4, begun
found = items(workers=2, prestarted=started)
print(len(found), found == items(), started.begun)
"""
    assert run_script(script, crawl) == "1000 True {}\n"


@pytest.mark.parametrize("start", [1, 400, 1000])
def test_what_was_begun_in_vain_is_dropped(crawl: Path, start: int) -> None:
    script = f"""
from graphlang.ingest.workers import process
process._QUEUED = 1  # nothing that is given up keeps a worker from what it is asked for
started.begin(crawl)
found = items({start}, workers=2, prestarted=started)
print(len(found), found == items({start}))
"""
    assert run_script(script, crawl) == f"{1000 - start} True\n"


def test_what_cannot_be_cut_is_not_begun(crawl: Path) -> None:
    crawl.write_bytes(b"no archive " * 10_000)
    script = """
for path in (crawl, crawl.parent, crawl / "missing"):
    started.begin(path)
print(started.begun)
started.end()
"""
    assert run_script(script, crawl) == "{}\n"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_copy_that_is_killed_is_replaced_by_a_new_process(crawl: Path, when: str) -> None:
    script = f"""
if {when == "before"}:
    os.kill(pids[0], signal.SIGKILL)
started.begin(crawl)
os.kill(pids[1], signal.SIGKILL)
print(items(workers=2, prestarted=started) == items())
"""
    assert run_script(script, crawl) == "True\n"


def test_an_error_in_a_copy_ends_it_and_nothing_of_the_parent_runs_on_in_it(crawl: Path) -> None:
    script = """
from graphlang.ingest.workers import worker
started.end()
def broken():
    raise RuntimeError("out of luck")
worker.main = broken
import atexit
atexit.register(print, "the end")
print("said before", flush=False)
child = ForkedChild()
print(child.wait(), child.wait())
child.kill()
"""
    assert run_script(script, crawl) == "said before\n1 1\nthe end\n"


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_copies_end_with_their_parent(crawl: Path, how: signal.Signals) -> None:
    script = """
print(*pids, flush=True)
started.begin(crawl)
time.sleep(60)
"""
    parent = subprocess.Popen(
        [sys.executable, "-P", "-c", BEGINNING + script, str(crawl)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert parent.stdout is not None
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2
    assert all(map(runs, pids))
    os.kill(parent.pid, how)
    parent.communicate(timeout=30)
    deadline = time.monotonic() + 10
    while any(map(runs, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(runs, pids))


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_with_another_thread_there_are_no_copies(crawl: Path) -> None:
    script = """
import threading
print(is_fork_safe())  # they are listened to by threads
started.end()
stop = threading.Event()
other = threading.Thread(target=stop.wait)
other.start()
print(is_fork_safe(), isinstance(PrestartedWorkers(1, Limits())._processes[0]._child, ForkedChild))
stop.set()
other.join()
"""
    assert run_script(script, crawl) == "False\nFalse False\n"
