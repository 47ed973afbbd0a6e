"""What hostile input costs: ``python tests/benchmarks/bombs.py [--only NAME] [--folder SCRATCH]``.

Each bomb is made in a scratch folder and read by ``graphlang ingest`` in a process of its own, on one core. Shown are
its size as stored and as it would be unpacked, what was kept of it, the CPU seconds and the peak memory of the process.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import resource
import sqlite3
import struct
import tempfile
import zipfile
import zlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import brotli
from fastwarc.stream_io import ZstdWriter
from processes import PROGRAM, Cost, run_process

from graphlang.ingest.formats.observatory_store import COOKIE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

GIGABYTE = 1 << 30
MEGABYTE = 1 << 20
ZEROS = bytes(MEGABYTE)


@cache
def gzip_of_zeros() -> bytes:
    """Ten gigabytes of zeros, made once."""
    return gzip_of(zeros(10 * GIGABYTE))


def gzip_of(pieces: Iterator[bytes]) -> bytes:
    """Compress without ever holding the whole."""
    deflate = zlib.compressobj(9, wbits=31)
    return b"".join([*(deflate.compress(piece) for piece in pieces), deflate.flush()])


def zeros(size: int) -> Iterator[bytes]:
    """Yield that many zeros, in pieces."""
    for _ in range(size // MEGABYTE):
        yield ZEROS


def warc(block: bytes, *, url: str = "http://a.example/", extra: bytes = b"", length: int | None = None) -> bytes:
    """One response record."""
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nContent-Type: application/http\r\n"
    size = len(block) if length is None else length
    return head.encode() + extra + f"Content-Length: {size}\r\n\r\n".encode() + block + b"\r\n\r\n"


def http(body: bytes, fields: bytes = b"") -> bytes:
    """One answer."""
    return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + fields + b"\r\n" + body


def page(body: bytes, fields: bytes = b"") -> bytes:
    """An archive of a page between two harmless ones."""
    harmless = [warc(http(b"<p>harmless"), url=f"http://b.example/{number}") for number in range(2)]
    return harmless[0] + warc(http(body, fields)) + harmless[1]


def zstd(pieces: Iterator[bytes]) -> bytes:
    """Compress with zstd."""
    file = io.BytesIO()
    writer = ZstdWriter(file)
    for piece in pieces:
        writer.write(piece)
    writer.close()
    return file.getvalue()


def brotlied(pieces: Iterator[bytes]) -> bytes:
    """Compress with brotli."""
    compressor = brotli.Compressor(quality=5)
    parts = [compressor.process(piece) for piece in pieces]
    return b"".join([*parts, compressor.finish()])


def deep(pieces: bytes) -> bytes:
    """Compress twice: the outer layer makes little of the inner one's repetition."""
    return gzip.compress(pieces, 9)


def zip_of(entries: int, *, size: int = 0) -> bytes:
    """A WACZ of many entries, or of one that unpacks to a lot."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if size else zipfile.ZIP_STORED) as zipped:
        for number in range(entries):
            if size:
                with zipped.open(f"archive/{number}.warc", "w", force_zip64=True) as entry:
                    for piece in zeros(size):
                        entry.write(piece)
            else:
                zipped.writestr(f"archive/{number}.warc", warc(http(b"<p>x"), url=f"http://a.example/{number}"))
    return file.getvalue()


def overlapping(entries: int) -> bytes:
    """A WACZ whose entries are all the same bytes (Fifield 2019)."""
    name, data = b"archive/a.warc", warc(http(b"<p>x" * 250_000))
    crc = zlib.crc32(data)
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, crc, len(data), len(data), len(name), 0) + name + data
    directory = b"".join(
        struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 33, crc, len(data), len(data), 17, 0, 0, 0, 0, 0, 0)
        + b"archive/%04d.warc" % number
        for number in range(entries)
    )
    return local + directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, entries, entries, len(directory), len(local), 0)


def within_each_other() -> bytes:
    """A gzip within a gzip, a thousand times: what a file that unpacks to itself (Cox 2010) looks like from without."""
    data = warc(http(b"<p>end"))
    for _ in range(1000):
        data = gzip.compress(data, 0, mtime=0)
    return data


def tiny_records() -> bytes:
    """A million records."""
    return b"".join(warc(b"HTTP/1.1 200 OK\r\n\r\n", url=f"http://a.example/{n}") for n in range(1_000_000))


def json_line() -> Iterator[bytes]:
    """A gigabyte of one line."""
    yield b'{"url": "http://a.example/", "text": "'
    for _ in range(1024):
        yield b"x" * MEGABYTE
    yield b'"}\n' + json.dumps({"url": "http://b.example/", "text": "harmless"}).encode() + b"\n"


HEADER = b"WARC/1.0\r\nWARC-Type: response\r\n"
ZERO_RECORD = warc(b"", length=10 * GIGABYTE)[:-4]
#: Name of a file -> what makes it, and how many bytes it would be if it were unpacked.
BOMBS: dict[str, tuple[Callable[[], bytes | Iterator[bytes]], int]] = {
    "zeros.warc.gz": (gzip_of_zeros, 10 * GIGABYTE),
    "zeros-in-record.warc.gz": (lambda: gzip_of(iter([ZERO_RECORD, *zeros(10 * GIGABYTE)])), 10 * GIGABYTE),
    "million-empty-frames.warc.zst": (
        lambda: zstd([warc(http(b"<p>x"))]) + zstd([b""]) * 1_000_000 + zstd([warc(http(b"<p>y"), url="http://b.example/")]),
        0,
    ),
    "encoded-gzip-members.warc": (lambda: page(gzip.compress(b"") * 1_000_000, b"Content-Encoding: gzip\r\n"), 0),
    "zeros.warc.zst": (lambda: zstd(zeros(10 * GIGABYTE)), 10 * GIGABYTE),
    "encoded-gzip.warc": (
        lambda: page(gzip_of_zeros(), b"Content-Encoding: gzip\r\n"), 10 * GIGABYTE),
    "encoded-gzip-twice.warc": (
        lambda: page(deep(gzip_of_zeros()), b"Content-Encoding: gzip, gzip\r\n"), 10 * GIGABYTE),
    "encoded-br.warc": (lambda: page(brotlied(zeros(10 * GIGABYTE)), b"Content-Encoding: br\r\n"), 10 * GIGABYTE),
    "encoded-zstd.warc": (lambda: page(zstd(zeros(10 * GIGABYTE)), b"Content-Encoding: zstd\r\n"), 10 * GIGABYTE),
    "chunks-of-a-byte.warc": (lambda: page(b"1\r\nx\r\n" * 5_000_000, b"Transfer-Encoding: chunked\r\n"), 0),
    "nested-tags.warc": (lambda: page(b"<div>" * 1_000_000), 0),
    "unclosed-formats.warc": (lambda: page(b"<b><p>" * 1_000_000), 0),
    "million-links.warc": (lambda: page(b"".join(b"<a href=/%d>x</a>" % n for n in range(1_000_000))), 0),
    "million-metas.warc": (lambda: page(b"<meta name=language content=de>" * 1_000_000), 0),
    "million-entities.warc": (lambda: page(b"&CounterClockwiseContourIntegral;" * 1_000_000), 0),
    "long-title.warc": (lambda: page(b"<title>" + b"x " * 15_000_000), 0),
    "endless-http-header.warc": (lambda: warc(http(b"", b"X-A: y\r\n" * 4_000_000)[:-2]), 0),
    "endless-record-header.warc": (lambda: HEADER + b"X-A: y\r\n" * 12_000_000, 0),
    "million-header-fields.warc": (
        lambda: warc(http(b"<p>x"), extra=b"".join(b"X-%d: y\r\n" % n for n in range(1_000_000))), 0),
    "headers-without-end.warc": (lambda: HEADER * 3_000_000, 0),
    "lengths-that-lie.warc": (lambda: warc(http(b"<p>x"), length=29_999_999) * 400_000, 0),
    "million-records.warc": (tiny_records, 0),
    "million-empty-members.warc.gz": (
        lambda: gzip.compress(page(b"<p>x")) + gzip.compress(b"") * 1_000_000 + gzip.compress(page(b"<p>y")), 0),
    "million-magics.warc.gz": (lambda: gzip.compress(page(b"<p>x")) + b"\x1f\x8b\x08\x00" * 5_000_000, 0),
    "broken-members.warc.gz": (lambda: (gzip.compress(page(b"<p>x")) + b"\x1f\x8b\x08\x00\xff\xff") * 50_000, 0),
    "a-gigabyte-of-a-line.jsonl": (json_line, GIGABYTE),
    "nested.jsonl": (lambda: b'{"a":' * 1_000_000 + b"\n" + b'{"a":' + b"[" * 8_000_000 + b"\n", 0),
    "many-entries.wacz": (lambda: zip_of(100_000), 0),
    "entry-of-zeros.wacz": (lambda: zip_of(3, size=4 * GIGABYTE), 12 * GIGABYTE),
    "overlapping.wacz": (lambda: overlapping(5_000), 5 * GIGABYTE),
    "gzip-in-gzip.warc.gz": (within_each_other, 0),
    "url-of-a-megabyte.warc": (
        lambda: b"".join(warc(http(b"<p>x"), url="http://a.example/" + "u" * 1_000_000) for _ in range(100)), 0),
    "cookies.store": (lambda: COOKIE * 5_000_000, 0),
}  # fmt: skip


def bound_memory() -> None:
    """Let this process have six gigabytes."""
    resource.setrlimit(resource.RLIMIT_AS, (6 * GIGABYTE, 6 * GIGABYTE))


def read_bomb(path: Path, db: Path, limit: float) -> tuple[Cost, str]:
    """Read a bomb; return what that cost, and how it ended if it did not end well."""
    command = [*PROGRAM, "ingest", str(db), str(path), "--workers", "1"]
    cost = run_process(command, limit=limit, preexec_fn=bound_memory)
    end = {0: "", 1: "", -9: f"killed after {limit:.0f} s "}.get(cost.code, f"exit {cost.code} ")
    if "Traceback" in cost.errors:
        end += cost.errors.strip().splitlines()[-1]
    return cost, end


def main() -> None:
    """Print a row for each bomb."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append")
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one bomb")
    options = parser.parse_args()
    print(
        f"{'bomb':<34} {'stored MB':>9} {'whole MB':>9} {'pages':>8} {'cpu s':>7} {'peak MB':>8} {'db MB':>7}  problems"
    )
    for name, (make, whole) in BOMBS.items():
        if options.only and name not in options.only:
            continue
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            path, db = Path(folder) / name, Path(folder) / "a.db"
            data = make()
            with path.open("wb") as file:
                for piece in [data] if isinstance(data, bytes) else data:
                    file.write(piece)
            del data
            cost, end = read_bomb(path, db, options.limit)
            stored = path.stat().st_size
            connection = sqlite3.connect(db)
            pages = connection.execute("SELECT COUNT(*) FROM captures").fetchone()[0]
            told = connection.execute("SELECT kind, COUNT(*) FROM problems GROUP BY kind ORDER BY kind").fetchall()
            connection.close()
            size = db.stat().st_size / MEGABYTE
        problems = end + ", ".join(f"{kind} {count}" for kind, count in told)
        sizes = f"{stored / MEGABYTE:>9.2f} {max(whole, stored) / MEGABYTE:>9.0f}"
        print(
            f"{name:<34} {sizes} {pages:>8} {cost.cpu:>7.1f} {cost.megabytes:>8.0f} {size:>7.1f}  {problems}",
            flush=True,
        )


if __name__ == "__main__":
    main()
