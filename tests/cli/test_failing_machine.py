"""A machine that fails under ingest: a disk that cannot sync, a clock that jumps, few open files, a stopped job."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from graphlang.cli import failures

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MAIN = "from graphlang.cli import main; main()"
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="preloads a library, as Linux does")

FAILING_SYNC = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
static int calls;
static int sync_or_fail(const char *name, int file) {
  const char *most = getenv("SYNCS");
  if (most && calls++ >= atoi(most)) { errno = EIO; return -1; }
  return ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
}
int fsync(int file) { return sync_or_fail("fsync", file); }
int fdatasync(int file) { return sync_or_fail("fdatasync", file); }
"""
JUMPING_CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long jump(void) { return (rand() % 2 ? 1 : -1) * (rand() % 100000L) * 100; }
int clock_gettime(clockid_t clock, struct timespec *at) {
  int status = ((int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime"))(clock, at);
  if (clock == CLOCK_REALTIME) at->tv_sec += jump();
  return status;
}
time_t time(time_t *at) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (at) *at = now.tv_sec;
  return now.tv_sec;
}
"""


@pytest.fixture
def preloaded(tmp_path: Path) -> Callable[[str], dict[str, str]]:
    """The environment in which a library of some C code comes before the C library."""

    def compile_code(code: str) -> dict[str, str]:
        compiler = shutil.which(os.environ.get("CC", "cc"))
        assert compiler is not None
        source, library = tmp_path / "preload.c", tmp_path / "preload.so"
        source.write_text(code)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        return {**os.environ, "LD_PRELOAD": str(library)}

    return compile_code


def ingest(
    archive: Path, db: Path, *options: str, env: dict[str, str] | None = None, first: str = ""
) -> tuple[int, str]:
    call = [sys.executable, "-P", "-c", first + MAIN, "ingest", db, archive, "--quiet", *options]
    done = subprocess.run(call, capture_output=True, text=True, check=False, env=env)
    return done.returncode, done.stderr


def captures(db: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(
            "SELECT url, text FROM pages LEFT JOIN texts ON texts.page = pages.id ORDER BY url"
        ).fetchall()


def test_a_disk_that_cannot_sync_ends_the_work_and_loses_nothing(
    museum: Path, tmp_path: Path, preloaded: Callable[[str], dict[str, str]]
) -> None:
    env = preloaded(FAILING_SYNC)
    db = tmp_path / "crawl.db"
    for syncs in (0, 2, 4):
        status, message = ingest(museum, db, env={**env, "SYNCS": str(syncs)})
        assert (status, message) == (failures.EXHAUSTED, "Error: the disk fails, or is full: disk I/O error\n"), syncs
    assert ingest(museum, db) == (0, "")
    assert ingest(museum, tmp_path / "other.db") == (0, "")
    assert captures(db) == captures(tmp_path / "other.db") != []


def test_a_clock_that_jumps_changes_no_answer(
    museum: Path, tmp_path: Path, preloaded: Callable[[str], dict[str, str]]
) -> None:
    env = preloaded(JUMPING_CLOCK)
    assert ingest(museum, tmp_path / "crawl.db", env=env) == (0, "")
    assert ingest(museum, tmp_path / "other.db") == (0, "")
    assert captures(tmp_path / "crawl.db") == captures(tmp_path / "other.db") != []


def test_twenty_open_files_are_enough(museum: Path, tmp_path: Path) -> None:
    limit = "import resource as of; of.setrlimit(of.RLIMIT_NOFILE, (20, 20)); "
    assert ingest(museum, tmp_path / "crawl.db", "--workers", "2", first=limit) == (0, "")


def test_a_job_that_is_stopped_and_continued_goes_on(museum: Path, tmp_path: Path) -> None:
    db = tmp_path / "crawl.db"
    call = [sys.executable, "-P", "-c", MAIN, "ingest", db, museum, "--quiet", "--workers", "2"]
    with subprocess.Popen(call, start_new_session=True) as job:
        while job.poll() is None and not db.exists():
            time.sleep(0.01)
        for _ in range(3):
            if job.poll() is None:
                os.killpg(job.pid, signal.SIGSTOP)
                time.sleep(0.05)
                os.killpg(job.pid, signal.SIGCONT)
                time.sleep(0.05)
    assert job.returncode == 0
    assert ingest(museum, tmp_path / "other.db") == (0, "")
    assert captures(db) == captures(tmp_path / "other.db") != []
