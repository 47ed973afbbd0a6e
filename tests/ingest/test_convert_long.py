"""Records that are longer than what is kept in memory, on their way from archive to store file and back."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from typing import TYPE_CHECKING

import pytest

from graphlang.ingest import Limits
from graphlang.ingest.convert import convert_to_store, convert_to_warc

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Archive

SHORT = Limits(max_payload=1_000)


def records(archive: Archive) -> list[bytes]:
    """Blocks shorter and longer than what is kept, one of them of line ends."""
    bodies = (b"<p>short", b"<p>long " * 700, b"\r\n" * 60_000, b"x" * 3_000_000, b"<p>last")
    return [archive.warc(f"http://a.example/{number}", body) for number, body in enumerate(bodies)]


@pytest.mark.parametrize("packed", [True, False])
def test_long_records_go_there_and_back(archive: Archive, tmp_path: Path, *, packed: bool) -> None:
    written = records(archive)
    source = tmp_path / ("a.warc.gz" if packed else "a.warc")
    source.write_bytes(b"".join(map(gzip.compress, written) if packed else written))
    there = convert_to_store(source, tmp_path / "b.store", SHORT)
    back = convert_to_warc(tmp_path / "b.store", tmp_path / "c.warc", SHORT)
    direct = convert_to_warc(source, tmp_path / "d.warc.gz", SHORT)
    assert there == back == direct == (5, [])
    assert (tmp_path / "c.warc").read_bytes() == b"".join(written)
    assert gzip.decompress((tmp_path / "d.warc.gz").read_bytes()) == b"".join(written)
    convert_to_store(source, tmp_path / "whole.store")
    assert (tmp_path / "whole.store").stat().st_size == (tmp_path / "b.store").stat().st_size
    assert len(list(tmp_path.iterdir())) == 5  # nothing that was written meanwhile is left


def test_memory_does_not_grow_with_a_record(archive: Archive, tmp_path: Path) -> None:
    head, tail = archive.warc("http://a.example/", b"?").split(b"?")
    size = int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0])
    long = 64 << 20
    head = head.replace(b"Content-Length: %d" % size, b"Content-Length: %d" % (size - 1 + long))
    deflate = zlib.compressobj(1, wbits=31)
    parts = [deflate.compress(head), *(deflate.compress(bytes(1 << 20)) for _ in range(64)), deflate.compress(tail)]
    (tmp_path / "a.warc.gz").write_bytes(b"".join([*parts, deflate.flush()]))
    limits = Limits(max_payload=1 << 20, max_ratio=0)
    for write, source, target in (
        (convert_to_store, "a.warc.gz", "b.store"),
        (convert_to_warc, "b.store", "c.warc.gz"),
        (convert_to_warc, "a.warc.gz", "d.warc"),
    ):
        tracemalloc.start()
        assert write(tmp_path / source, tmp_path / target, limits) == (1, [])
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 16 << 20, target
    assert (tmp_path / "d.warc").stat().st_size == len(head) + long + len(tail)
    with gzip.open(tmp_path / "c.warc.gz") as one, (tmp_path / "d.warc").open("rb") as other:
        while piece := other.read(1 << 20):
            assert one.read(1 << 20) == piece
        assert not one.read(1)


def test_a_long_record_that_is_cut_off_says_how_long_it_is(archive: Archive, tmp_path: Path) -> None:
    record = archive.warc("http://a.example/", b"y" * 50_000)
    (tmp_path / "a.warc").write_bytes(record[:-20_000])
    for write, source, target in ((convert_to_warc, "a.warc", "b.warc"), (convert_to_store, "a.warc", "b.store")):
        done = write(tmp_path / source, tmp_path / target, SHORT)
        assert (done.records, [fault[:2] for fault in done.faults]) == (1, [(0, "bad-length")])
    again = convert_to_warc(tmp_path / "b.store", tmp_path / "c.warc", SHORT)
    assert again == (1, [])
    assert (tmp_path / "b.warc").read_bytes() == (tmp_path / "c.warc").read_bytes()
    head, _, block = (tmp_path / "b.warc").read_bytes().partition(b"\r\n\r\n")
    assert b"Content-Length: %d\r\n" % len(block.removesuffix(b"\r\n\r\n")) in head + b"\r\n"


def test_a_long_record_of_a_damaged_member_is_told_once(archive: Archive, tmp_path: Path) -> None:
    numbers = " ".join(map(str, range(20_000))).encode()
    member = gzip.compress(archive.warc("http://a.example/", numbers), mtime=0)
    other = gzip.compress(archive.warc("http://a.example/2", b"<p>other"), mtime=0)
    (tmp_path / "a.warc.gz").write_bytes(member[: len(member) // 2] + b"\xff" * 20 + other)
    done = convert_to_warc(tmp_path / "a.warc.gz", tmp_path / "b.warc", SHORT)
    assert done.records == 2
    assert [fault[:2] for fault in done.faults] == [(0, "truncated")]


def test_a_long_store_record_that_lost_bytes_is_told(archive: Archive, tmp_path: Path) -> None:
    (tmp_path / "a.warc").write_bytes(archive.warc("http://a.example/", bytes(range(256)) * 400))
    convert_to_store(tmp_path / "a.warc", tmp_path / "b.store")
    data = (tmp_path / "b.store").read_bytes()
    (tmp_path / "b.store").write_bytes(data[:-300])
    done = convert_to_warc(tmp_path / "b.store", tmp_path / "c.warc", SHORT)
    assert (done.records, [fault[1] for fault in done.faults]) == (1, ["truncated"])


def test_a_line_end_in_the_url_of_an_arc_begins_no_field(tmp_path: Path) -> None:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x"
    line = b"http://a.example/\rX-Injected:\x00 y 192.0.2.1 20060102030405 text/\rhtml %d\n" % len(block)
    (tmp_path / "a.arc").write_bytes(line + block + b"\n")
    done = convert_to_warc(tmp_path / "a.arc", tmp_path / "b.warc")
    reason = "a URL with control characters, which no WARC header may hold, is written as"
    assert done == (1, [(0, "bad-header", f"{reason} http://a.example/%0DX-Injected:%00 y")])
    head = (tmp_path / "b.warc").read_bytes().partition(b"\r\n\r\n")[0]
    assert b"\r\nWARC-Target-URI: http://a.example/%0DX-Injected:%00 y\r\n" in head
    assert b"\r" not in head.replace(b"\r\n", b"")
