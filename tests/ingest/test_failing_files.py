"""Files that the system cannot read to their end, and files that change while they are read."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import count
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

import pytest

from graphlang.collection import Collection
from graphlang.ingest import Limits, discover_files, iterate_batches
from graphlang.ingest.files.file_slice import read_signature

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphlang.analysis.ingest import Ingested
    from tests.ingest.conftest import Archive

_RECORDS = 400
_SIZE = 12_000  # bytes of a page, so that several workers share the file

#: A library that makes reads behind the offset FAIL_AT of the file FAIL_IN fail with EIO, as a disk does.
_FAILING_READS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(int fd, off_t at, size_t size) {
  char link[64], path[4096];
  const char *name = getenv("FAIL_IN");
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (!name || length < 0) return 0;
  path[length] = 0;
  return !strcmp(path, name) && at + (off_t)size > atoll(getenv("FAIL_AT"));
}

ssize_t read(int fd, void *to, size_t size) {
  static ssize_t (*real)(int, void *, size_t);
  if (!real) real = (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
  off_t at = lseek(fd, 0, SEEK_CUR);
  if (at >= 0 && fails(fd, at, size)) return errno = EIO, -1;
  return real(fd, to, size);
}

ssize_t pread64(int fd, void *to, size_t size, off_t at) {
  static ssize_t (*real)(int, void *, size_t, off_t);
  if (!real) real = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread64");
  if (fails(fd, at, size)) return errno = EIO, -1;
  return real(fd, to, size, at);
}

ssize_t pread(int fd, void *to, size_t size, off_t at) { return pread64(fd, to, size, at); }
"""


@pytest.fixture(scope="module")
def failing_reads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("a C compiler and Linux are needed")
    folder = tmp_path_factory.mktemp("eio")
    (folder / "eio.c").write_text(_FAILING_READS)
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", "eio.so", "eio.c", "-ldl"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "eio.so"


@pytest.fixture(params=["a.warc", "a.warc.gz"])
def crawl(request: pytest.FixtureRequest, tmp_path: Path, archive: Archive) -> Path:
    path = tmp_path / request.param
    bodies = (b"<p>" + os.urandom(_SIZE // 2).hex().encode() for _ in range(_RECORDS))
    records = [archive.warc(f"http://a.example/{number}", body) for number, body in enumerate(bodies)]
    path.write_bytes(archive.gz(*records) if path.suffix == ".gz" else b"".join(records))
    return path


def run_ingest(library: Path, crawl: Path, database: Path, workers: int, fail_at: int) -> int:
    """Return the exit code of ``ingest`` on a disk that fails behind an offset."""
    environment = os.environ | {"LD_PRELOAD": str(library), "FAIL_IN": str(crawl), "FAIL_AT": str(fail_at)}
    arguments = ["ingest", str(database), str(crawl), "--workers", str(workers)]
    command = [sys.executable, "-P", "-m", "graphlang", *arguments]
    return subprocess.run(command, env=environment, check=False).returncode


@pytest.mark.parametrize("workers", [1, 2])
def test_an_archive_that_cannot_be_read_to_its_end_is_read_again(
    workers: int, failing_reads: Path, crawl: Path, tmp_path: Path
) -> None:
    database, size = tmp_path / "a.db", crawl.stat().st_size
    assert run_ingest(failing_reads, crawl, database, workers, size * 2 // 3) == 1
    with Collection(database) as collection:
        pages = len(list(collection.pages()))
        (problem,) = collection.problems()
        assert 0 < pages < _RECORDS
        assert (problem.kind, problem.reason) == ("unreadable", "Input/output error")
        assert 0 < problem.offset < size
    assert run_ingest(failing_reads, crawl, database, workers, 1 << 60) == 0
    with Collection(database) as collection:
        assert len(list(collection.pages())) == _RECORDS
        assert not list(collection.problems())
    assert run_ingest(failing_reads, crawl, database, workers, 1 << 60) == 0  # already read


def _overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"WARC/1.1")


def _truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("change", [_overwrite, _truncate, _replace, Path.unlink])
def test_a_file_that_changes_while_it_is_read_is_reported_and_read_again(
    change: Callable[[Path], None], workers: int, tmp_path: Path, archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(archive.warc(f"http://a.example/{n}", b"x" * _SIZE) for n in range(_RECORDS)))
    whole = path.read_bytes()
    calls = count()

    def change_once(*args: object, **options: object) -> object:
        for batch in iterate_batches(*args, **options):  # type: ignore[arg-type]
            if not next(calls):
                change(path)
            yield batch

    with Collection(tmp_path / "a.db") as collection:
        with monkeypatch.context() as patch:
            patch.setattr("graphlang.ingest.iterate_batches", change_once)
            first: Ingested = collection.ingest(path, workers=workers)
        assert [str(file) for file in first.unfinished] == [str(path)]
        # Where the file is gone, a worker cannot open it.
        assert {"changed", "unreadable"} & {problem.kind for problem in collection.problems()}
        path.write_bytes(whole)
        second = collection.ingest(path, workers=workers)
        assert (second.files, second.problems, second.unfinished) == (1, 0, [])
        assert len(list(collection.pages())) == _RECORDS
        assert collection.ingest(path).already_read == [path]


def test_a_signature_is_that_of_all_files_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = read_signature(tmp_path)
    (tmp_path / "a").write_text("12")
    assert read_signature(tmp_path) != before
    assert read_signature(tmp_path / "missing") == (2,)


@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="no /proc")
def test_files_of_the_kernel_pipes_and_devices_are_refused(tmp_path: Path, archive: Archive) -> None:
    with pytest.raises(OSError, match="a file of the kernel"):
        discover_files(["/proc/kmsg"])
    os.mkfifo(tmp_path / "pipe.warc")
    for path in (tmp_path / "pipe.warc", Path("/dev/zero")):
        with pytest.raises(OSError, match="a stream"):
            discover_files([path])
    (tmp_path / "a.warc").write_bytes(archive.warc("http://a.example/"))
    found = discover_files([tmp_path])
    assert [file.name for file in found.files] == ["a.warc"]
    assert [(file.path.name, file.reason) for file in found.skipped] == [("pipe.warc", "no regular file")]


def test_a_file_that_cannot_be_opened_is_not_finished(tmp_path: Path) -> None:
    (batch,) = iterate_batches([(tmp_path / "missing.warc", 0)], limits=Limits())
    assert (batch.last, batch.failed, batch.position) == (True, True, 0)
