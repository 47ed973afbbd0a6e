"""The store file: written, read, resynchronised; and the way from WARC to it and back."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from graphlang.db.records import Page
from graphlang.ingest import iterate_batches
from graphlang.ingest.convert import convert_to_store, convert_to_warc
from graphlang.ingest.formats.observatory_store import COOKIE, write_record

if TYPE_CHECKING:
    from conftest import Archive, Read

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[3] / "shared" / "data"))


def stored(archive: Archive, count: int) -> list[bytes]:
    """Store records of one page each."""
    records = []
    for number in range(count):
        head, _, block = archive.warc(f"http://a.example/{number}", b"<p>page").partition(b"\r\n\r\n")
        file = io.BytesIO()
        write_record(file, head + b"\r\n\r\n", block.removesuffix(b"\r\n\r\n"))
        records.append(file.getvalue())
    return records


def test_the_bytes_are_as_specified() -> None:
    file = io.BytesIO()
    write_record(file, b"HEAD", b"HTTP/1.0 200 OK\r\n\r\nbody")
    data = file.getvalue()
    deflated = zlib.compress(b"body", 6)
    numbers = b"\0\0\0\4" + b"\0\0\0\x13" + len(deflated).to_bytes(8, "big") + b"\0\0\0\0\0\0\0\4"
    check = zlib.crc32(numbers + b"HEAD" + b"HTTP/1.0 200 OK\r\n\r\n").to_bytes(4, "big")
    assert data == b"\xf5LOSTORE" + numbers + check + b"HEADHTTP/1.0 200 OK\r\n\r\n" + deflated


def test_pages_of_a_store_file_are_those_of_the_archive(read: Read, archive: Archive) -> None:
    pages, problems = read(b"".join(stored(archive, 3)), "a.store")
    assert [(page.url, page.text, page.status) for page in pages] == [
        (f"http://a.example/{n}", "page", 200) for n in range(3)
    ]
    assert not problems


def test_damage_costs_the_records_that_it_hits(read: Read, archive: Archive) -> None:
    one, two, three = stored(archive, 3)
    broken = two[:40] + b"?" + two[41:]  # the header: its checksum is wrong
    pages, problems = read(one + broken + three)
    assert [page.url[-1] for page in pages] == ["0", "2"]
    assert [(p.kind, p.offset, p.reason) for p in problems] == [
        ("garbage", len(one), f"{len(two)} bytes that are not a record")
    ]
    cut = two[:-8]  # the content: it is cut, and the next record begins too early
    pages, problems = read(one + cut + three)
    assert [page.url[-1] for page in pages] == ["0", "1", "2"]
    assert {problem.kind for problem in problems} <= {"truncated", "damaged"}
    assert {problem.offset for problem in problems} == {len(one)}
    pages, problems = read(b"junk" + one + three[:30])
    assert [page.url[-1] for page in pages] == ["0"]
    assert [problem.kind for problem in problems] == ["garbage", "garbage"]


def test_a_lie_about_the_length_costs_no_memory(read: Read, archive: Archive) -> None:
    file = io.BytesIO()
    write_record(file, b"WARC/1.0\r\n\r\n", b"0" * 5_000_000)
    pages, problems = read(file.getvalue() + stored(archive, 1)[0], max_payload=100_000)
    assert [page.url for page in pages] == ["http://a.example/0"]
    assert "too-large" in {problem.kind for problem in problems}


@pytest.mark.parametrize("sign", [b"PK\x03\x04", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18", b"{", b"WARC/"])
def test_a_store_file_that_begins_like_another_format_is_read_all_the_same(
    archive: Archive, read: Read, sign: bytes
) -> None:
    pages, problems = read(sign + b"".join(stored(archive, 3)))
    assert [page.url for page in pages] == [f"http://a.example/{n}" for n in range(3)]
    assert problems


@given(st.integers(0, 4000), st.integers(0, 30), st.binary(max_size=20) | st.sampled_from([COOKIE, b"filedesc:", b"{"]))
def test_any_damage_leaves_the_others(archive: Archive, read: Read, place: int, size: int, other: bytes) -> None:
    records = stored(archive, 8)
    data = b"".join(records)
    at = place % len(data)
    pages, _ = read(data[:at] + other + data[at + size :])
    found = [page.url for page in pages]
    starts = [sum(map(len, records[:n])) for n in range(9)]
    for number in range(8):
        if starts[number + 1] <= at or starts[number] >= at + size:
            assert f"http://a.example/{number}" in found
    assert len(found) <= 8


def test_there_and_back_is_the_same_bytes(archive: Archive, tmp_path: Path) -> None:
    records = [archive.warc(f"http://a.example/{n}", b"<p>" * n) for n in range(5)]
    records.insert(0, archive.warc("http://a.example/", b"software: x", kind="warcinfo", http=None))
    (tmp_path / "a.warc").write_bytes(b"".join(records))
    there = convert_to_store(tmp_path / "a.warc", tmp_path / "a.store")
    back = convert_to_warc(tmp_path / "a.store", tmp_path / "b.warc")
    assert (there.records, back.records, there.faults, back.faults) == (6, 6, [], [])
    assert (tmp_path / "b.warc").read_bytes() == b"".join(records)
    again = convert_to_store(tmp_path / "b.warc", tmp_path / "b.store")
    assert again.records == 6
    assert (tmp_path / "a.store").read_bytes() == (tmp_path / "b.store").read_bytes()
    convert_to_warc(tmp_path / "a.store", tmp_path / "b.warc.gz")
    assert gzip.decompress((tmp_path / "b.warc.gz").read_bytes()) == b"".join(records)
    assert not list(tmp_path.glob("*.part"))


def test_records_of_an_arc_get_all_that_a_warc_record_must_have(archive: Archive, tmp_path: Path) -> None:
    (tmp_path / "a.arc").write_bytes(archive.arc("http://a.example/1") + archive.arc("http://a.example/2"))
    assert convert_to_warc(tmp_path / "a.arc", tmp_path / "b.warc").records == 2
    with (tmp_path / "b.warc").open("rb") as file:
        heads = [dict(record.rec_headers.headers) for record in ArchiveIterator(file)]
    assert [head["WARC-Target-URI"] for head in heads] == ["http://a.example/1", "http://a.example/2"]
    must = ("WARC-Record-ID", "WARC-Date", "WARC-Type", "Content-Length")
    assert all(head.get(name) for head in heads for name in must)
    assert len({head["WARC-Record-ID"] for head in heads}) == 2


def test_a_failed_conversion_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "b.store").write_bytes(b"precious")
    with pytest.raises(FileNotFoundError):
        convert_to_store(tmp_path / "none.warc", tmp_path / "b.store")
    assert (tmp_path / "b.store").read_bytes() == b"precious"
    assert len(list(tmp_path.iterdir())) == 1


ARCHIVES = [
    path
    for path in sorted(DATA.glob("warc/*/*"))
    if path.name.endswith((".warc", ".warc.gz", ".arc.gz", ".arc")) and path.stat().st_size < 1_000_000
]


@pytest.mark.skipif(not ARCHIVES, reason="the shared data are not on this machine (GRAPHLANG_DATA)")
@pytest.mark.parametrize("folder", sorted({path.parent.name for path in ARCHIVES}))
def test_other_peoples_archives_survive_both_ways(folder: str, tmp_path: Path) -> None:
    for path in ARCHIVES:
        if path.parent.name != folder:
            continue
        store, warc, again = tmp_path / "a.store", tmp_path / "b.warc.gz", tmp_path / "c.store"
        for made in (store, warc, again):
            made.unlink(missing_ok=True)
        there = convert_to_store(path, store)
        back = convert_to_warc(store, warc)
        assert back.records == there.records, path
        assert not back.faults or not there.records, path
        onward = convert_to_store(warc, again)
        assert onward.records == there.records, path
        if there.faults or not there.records:
            continue
        told = [
            [
                (item.url, item.date, item.status, item.text, item.links, item.digest)
                for batch in iterate_batches([(one, 0)])
                for item in batch.items
                if isinstance(item, Page)
            ]
            for one in (path, store, warc, again)
        ]
        if ".arc" not in path.name:
            assert store.read_bytes() == again.read_bytes(), path
            assert told[0] == told[1] == told[2] == told[3], path
        else:
            assert [page[0] for page in told[0]] == [page[0] for page in told[1]] == [page[0] for page in told[2]]
