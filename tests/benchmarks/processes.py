"""What a process costs, and archives that are large enough to measure."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from graphlang.ingest import Limits
from graphlang.ingest.formats.detect import open_records
from graphlang.ingest.formats.warc import Warc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

#: The command line that is installed: the folder of the checkout has neither kernels nor ``graphlang.db``.
PROGRAM = [sys.executable, "-P", "-c", "from graphlang.cli import main; main()"]
_HOST = re.compile(rb"(https?://)([\w.-]+)")
_LENGTH = re.compile(rb"(\nContent-Length: )\d+")


class Cost(NamedTuple):
    """What became of a process."""

    code: int
    seconds: float
    cpu: float  #: seconds of the processor
    megabytes: float  #: of memory, at the peak
    errors: str  #: what it wrote to standard error


def run_process(command: list[str], *, limit: float = 0, **options: Any) -> Cost:
    """Run a command, kill it after `limit` seconds if that is not 0, and return what it cost."""
    began = time.perf_counter()
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, **options)
        timer = threading.Timer(limit, process.kill) if limit else None
        if timer:
            timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - began
        if timer:
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        text = errors.read()
    return Cost(process.returncode, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text)


def write_copies(archive: Path, count: int, path: Path) -> None:
    """Write a number of pages: those of an archive repeatedly, each time on other hosts, which their links follow."""
    with path.open("wb") as file:
        for record in _copies(archive, count):
            file.write(record)


def write_parts(archive: Path, counts: Sequence[int], paths: Sequence[Path]) -> None:
    """Write the pages of `write_copies` into several files, one after the other; a number for each."""
    records = _copies(archive, sum(counts))
    for count, path in zip(counts, paths, strict=True):
        with path.open("wb") as file:
            for record in islice(records, count):
                file.write(record)


def _copies(archive: Path, count: int) -> Iterator[bytes]:
    try:
        compress, level = import_module("isal.igzip").compress, 2
    except ImportError:
        compress, level = gzip.compress, 6
    with open_records(archive, Limits()) as reader:
        pages = [(raw.head, raw.block) for raw in reader if Warc.may_be_page(raw.head)]
    for number in range(count):
        copy, place = divmod(number, len(pages))
        head, block = (_HOST.sub(rb"\1c%d.\2" % copy, part) for part in pages[place])
        head = _LENGTH.sub(rb"\g<1>%d" % len(block), head)
        yield compress(head + block + b"\r\n\r\n", level)
