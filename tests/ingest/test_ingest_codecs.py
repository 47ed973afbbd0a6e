"""Archives in bzip2 and xz, and in zstd with a dictionary; and how much a file may unpack to."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import sys
import zipfile
from typing import TYPE_CHECKING

import lz4.frame
import pytest
import zstandard

from graphlang.ingest.files import codecs, decompress
from graphlang.ingest.files.codecs import find_frame
from graphlang.ingest.formats import packed_archives

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from click.testing import Result
    from conftest import Archive, Read

PACK = {"bz2": bz2.compress, "xz": lzma.compress}
WORDS = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nWARC/1.0\r\nWARC-Type: response\r\nContent-Length: " * 4


def urls(pages: list) -> list[str]:
    return [page.url.removeprefix("http://a.example/") for page in pages]


@pytest.mark.parametrize("kind", PACK)
def test_bzip2_and_xz_are_read_as_a_whole_and_record_by_record(archive: Archive, read: Read, kind: str) -> None:
    records = [archive.warc(f"http://a.example/{number}") for number in range(3)]
    pack = PACK[kind]
    for data in (pack(b"".join(records)), b"".join(map(pack, records)), pack(b"") + pack(b"".join(records)) + bytes(8)):
        pages, problems = read(data, f"a.warc.{kind}")
        assert (urls(pages), problems) == (["0", "1", "2"], [])
    pages, _ = read(b"".join(map(pack, records)), f"a.warc.{kind}")
    assert [page.offset for page in pages] == [0, len(pack(records[0])), len(pack(records[0]) + pack(records[1]))]


@pytest.mark.parametrize("kind", PACK)
def test_a_damaged_stream_costs_its_record(archive: Archive, read: Read, kind: str) -> None:
    first, second, third = (bytearray(PACK[kind](archive.warc(f"http://a.example/{n}"))) for n in range(3))
    second[40] ^= 0xFF
    pages, problems = read(bytes(first + second + third), f"a.warc.{kind}")
    assert urls(pages) == ["0", "2"]
    assert {(one.kind, one.offset) for one in problems} == {("damaged", len(first))}
    pages, problems = read(bytes(first + third[:60]), f"a.warc.{kind}")
    assert (urls(pages), problems[0].reason) == (["0"], "the file ends within a compressed record")


@pytest.mark.parametrize("kind", PACK)
def test_a_stream_that_unpacks_to_much_is_passed_over_in_pieces(archive: Archive, read: Read, kind: str) -> None:
    bomb = archive.warc("http://a.example/1", b"<p>a" + bytes(30_000_000))
    pages, problems = read(PACK[kind](bomb + archive.warc("http://a.example/2")), max_payload=1_000)
    assert (urls(pages), [one.kind for one in problems]) == (["1", "2"], ["too-large"])


def with_dictionary(stored: bytes, dictionary: bytes, records: list[bytes]) -> list[bytes]:
    """The first find_frame holds the dictionary, the others depend on it."""
    pack = zstandard.ZstdCompressor(dict_data=zstandard.ZstdCompressionDict(dictionary)).compress
    return [struct.pack("<II", 0x184D2A5D, len(stored)) + stored, *map(pack, records)]


@pytest.mark.parametrize("store", [bytes, zstandard.ZstdCompressor().compress])
def test_a_dictionary_at_the_start_of_a_zstd_file_is_used(
    archive: Archive, read: Read, store: Callable[[bytes], bytes]
) -> None:
    parts = with_dictionary(store(WORDS), WORDS, [archive.warc(f"http://a.example/{number}") for number in range(3)])
    pages, problems = read(b"".join(parts), "a.warc.zst")
    assert (urls(pages), problems) == (["0", "1", "2"], [])
    assert [page.offset for page in pages] == [sum(map(len, parts[: n + 1])) for n in range(3)]
    damaged = bytearray(parts[2])
    damaged[8] ^= 0xFF
    pages, problems = read(b"".join([parts[0], parts[1], bytes(damaged), parts[3]]), "a.warc.zst")
    assert (urls(pages), {one.kind for one in problems}) == (["0", "2"], {"damaged"})
    joined = parts + with_dictionary(store(WORDS[9:]), WORDS[9:], [archive.warc("http://a.example/3")])
    assert (urls(read(b"".join(joined), "a.warc.zst")[0])) == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("stored", "reason"),
    [
        (
            zstandard.ZstdCompressor().compress(bytes(codecs.DICTIONARY + 1)),
            "a zstd dictionary of more than 67108864 bytes",
        ),
        (b"\x28\xb5\x2f\xfd" + b"\xff" * 40, "the zstd dictionary is damaged"),
        (b"\x37\xa4\x30\xec" + b"\xff" * 40, "the zstd dictionary is damaged"),
    ],
)
def test_a_dictionary_that_is_too_large_or_damaged_is_told(
    archive: Archive, read: Read, stored: bytes, reason: str
) -> None:
    parts = with_dictionary(stored, WORDS, [archive.warc("http://a.example/")])
    pages, (problem,) = read(b"".join(parts), "a.warc.zst")
    assert (pages, problem.kind) == ([], "damaged")
    assert problem.reason.startswith(reason)


def test_a_size_of_a_dictionary_that_lies_is_told_before_it_is_read(read: Read) -> None:
    _, (problem,) = read(struct.pack("<II", 0x184D2A5D, 0xFFFFFFF0) + b"x" * 100, "a.warc.zst")
    assert problem.reason.startswith("a zstd dictionary of 4294967280 bytes, more than 67108864")


def test_a_frame_of_very_many_blocks_is_measured_in_few_looks() -> None:
    data = b"\x28\xb5\x2f\xfd\x00\x00" + b"\0\0\0" * 300_000 + b"\1\0\0"
    looks = []

    def peek(offset: int, count: int) -> bytes:
        looks.append(count)
        return data[offset : offset + count]

    found = find_frame(peek, 0)
    assert found is not None
    assert found.size == len(data)
    assert len(looks) < 300


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.compress, lz4.frame.compress])
def test_a_file_that_unpacks_to_too_much_is_not_read_on(
    archive: Archive, read: Read, pack: Callable[[bytes], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decompress, "UNPACKED_FREELY", 2_000_000)
    first, bomb, last = (archive.warc(f"http://a.example/{n}", b"<p>a" + bytes(n * 10_000_000)) for n in (0, 1, 0))
    data = pack(first) + pack(bomb) + pack(last)
    pages, problems = read(data, "a.warc", max_payload=1_000_000)
    assert urls(pages) == ["0", "1"]
    assert problems[-1].reason == "the file unpacks to more than 100 times its size; the rest was not read"
    pages, problems = read(data, "a.warc", max_payload=1_000_000, max_ratio=0)
    assert (urls(pages), [one.kind for one in problems]) == (["0", "1", "0"], ["too-large"])
    pages, problems = read(data, "a.warc", max_payload=1_000_000, max_ratio=1_000_000)
    assert urls(pages) == ["0", "1", "0"]


def test_what_may_be_unpacked_is_counted_anew_from_each_megabyte(
    archive: Archive, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decompress, "UNPACKED_FREELY", 2_000_000)
    monkeypatch.setattr(decompress, "COUNTED", 1_000)
    records = [archive.gz(archive.warc(f"http://a.example/{n}", b"<p>" + bytes(900_000))) for n in range(30)]
    assert len(records[0]) > 1_000
    pages, problems = read(b"".join(records), "a.warc.gz", max_ratio=1)
    assert (len(pages), problems) == (30, [])


def test_deflated_entries_of_a_wacz_unpack_to_what_its_size_allows(
    archive: Archive, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_archives, "UNPACKED_FREELY", 0)
    bomb = archive.warc("http://a.example/bomb", b"<p>a" + bytes(1_000_000))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("archive/1.warc", archive.warc("http://a.example/1"))
        packed.writestr("archive/2.warc", bomb)
        packed.writestr("archive/3.warc.gz", gzip.compress(bomb, mtime=0))
        packed.writestr("archive/4.warc", archive.warc("http://a.example/4"))
    pages, problems = read(file.getvalue(), "a.wacz", max_ratio=20)
    assert urls(pages) == ["1", "bomb"]
    assert [(one.kind, one.reason) for one in problems] == [
        ("too-large", "the zip file unpacks to more than 20 times its size; archive/2.warc was not read"),
        ("too-large", "the archive unpacks to more than is allowed for its size; the rest was not read"),
        ("too-large", "the zip file unpacks to more than 20 times its size; archive/4.warc was not read"),
    ]


def test_entries_of_a_wacz_that_lie_about_their_size_are_refused(archive: Archive, read: Read) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        packed.writestr("archive/1.warc", archive.warc("http://a.example/1"))
        packed.writestr("archive/2.warc", archive.warc("http://a.example/2"))
    data = bytearray(file.getvalue())
    at = data.index(b"PK\1\2")
    size = struct.unpack_from("<L", data, at + 24)[0]
    struct.pack_into("<L", data, at + 24, size * 2)  # what the directory says that it unpacks to
    pages, problems = read(bytes(data), "a.wacz")
    assert urls(pages) == ["2"]
    assert [one.reason for one in problems] == [
        f"an entry of the zip file that lies about its size: {2 * size} bytes, {size} stored"
    ]


def test_without_its_package_a_file_in_lz4_is_told_and_read_later(
    archive: Archive, tmp_path: Path, graphlang: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, db = tmp_path / "a.warc.lz4", tmp_path / "a.db"
    path.write_bytes(lz4.frame.compress(archive.warc("http://a.example/")))
    with monkeypatch.context() as patched:
        patched.setattr("importlib.util.find_spec", lambda _: None)
        told = graphlang("ingest", db, path, "-q")
        assert (told.exit_code, told.stderr) == (
            2,
            f"Error: {path}: LZ4 needs one more package: pip install 'graphlang[lz4]'\n",
        )
    assert graphlang("ingest", db, path, "-q").exit_code == 0
    assert graphlang("pages", db, "--format", "tsv").stdout.splitlines()[1].startswith("http://a.example/")


def test_without_its_package_an_archive_in_lz4_within_another_file_is_no_damage(
    archive: Archive, read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("archive/a.warc.lz4", lz4.frame.compress(archive.warc("http://a.example/")))
    assert urls(read(packed.getvalue(), "a.wacz")[0]) == [""]
    monkeypatch.setitem(sys.modules, "lz4.frame", None)
    (problem,) = read(packed.getvalue(), "a.wacz")[1]
    assert (problem.kind, problem.reason) == (
        "unreadable",
        "LZ4 needs one more package: pip install 'graphlang[lz4]'",
    )
