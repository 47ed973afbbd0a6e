"""Files cut into byte ranges that workers read: the same items as reading the file from its start."""

from __future__ import annotations

import gzip
import io
import random
import zipfile
import zlib
from typing import TYPE_CHECKING, BinaryIO

import pytest
from fastwarc.stream_io import Lz4Writer, ZstdWriter
from hypothesis import given
from hypothesis import strategies as st

from graphlang.db.records import Page
from graphlang.ingest import Limits, iterate_batches
from graphlang.ingest.files import byte_ranges
from graphlang.ingest.files.byte_ranges import ByteRange, cut_ranges, find_record, is_splittable
from graphlang.ingest.files.file_slice import peek
from graphlang.ingest.formats.record_reader import RecordReader
from graphlang.ingest.read_batches import _make_tasks

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Archive

    from graphlang.ingest.raw import RawRecord

LENGTH = 1 << 11


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphlang.ingest.workers.process._SMALL", 0)
    monkeypatch.setattr("graphlang.ingest.read_batches._WHOLE", 0)
    monkeypatch.setattr("graphlang.ingest.files.byte_ranges.LENGTH", LENGTH)
    monkeypatch.setattr("graphlang.ingest.read_batches.LENGTH", LENGTH)


def items(path: Path, start: int = 0, workers: int = 1) -> list[object]:
    return [item for batch in iterate_batches([(path, start)], workers=workers) for item in batch.items]


def bodies(count: int) -> list[bytes]:
    """Pages that compress little, so that a byte range holds a few."""
    numbers = random.Random(1)  # noqa: S311 - the same pages every time
    return [b"<p>page %d %s" % (n, numbers.randbytes(300).hex().encode()) for n in range(count)]


def raws_of_stretches(path: Path) -> list[RawRecord]:
    """Read as workers and their parent do, in one process."""
    limits = Limits()
    found: list[RawRecord] = []
    reached: int | None = 0
    with path.open("rb", buffering=0) as file:
        for one in cut_ranges(ByteRange(path, 0, 0, exact=True), 0, path.stat().st_size, 0):
            if reached is None or reached >= one.stop:
                continue
            if not one.exact:
                begin = find_record(file, one.begin, one.stop)
                # A wrong guess is thrown away; a right one is what is asked for here.
                one = ByteRange(path, reached if begin != reached else begin, one.stop, exact=True)  # noqa: PLW2901
            file.seek(0)
            reader = RecordReader(file, path.name, limits, begin=one.begin, stop=one.stop)
            found += reader
            reached = reader.ended
    return found


def framed(writer: type[ZstdWriter | Lz4Writer]) -> Callable[[bytes], bytes]:
    def pack(record: bytes) -> bytes:
        file = io.BytesIO()
        with writer(file) as packer:
            packer.write(record)
        return file.getvalue()

    return pack


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda record: gzip.compress(record, mtime=0),
    "zst": framed(ZstdWriter),
    "lz4": framed(Lz4Writer),
    "plain": lambda record: record,
}


def wacz(*entries: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as zipped:
        for name, data in entries:
            zipped.writestr(name, data)
    return file.getvalue()


@pytest.fixture(params=[*PACKERS, "arc", "wacz", "wacz of plain", "wacz of several"])
def large(archive: Archive, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A hundred pages in a file that can be cut."""
    records = [archive.warc(f"http://a.example/{n}", one) for n, one in enumerate(bodies(100))]
    path = tmp_path / f"a.{request.param}"
    if request.param == "arc":
        heads = [
            b"http://a.example/%d 192.0.2.1 20200101000000 text/html %d\n" % (n, len(one))
            for n, one in enumerate(bodies(100))
        ]
        data = b"".join(head + one + b"\n" for head, one in zip(heads, bodies(100), strict=True))
    elif request.param == "wacz":
        lines = b'{"format": "json-pages-1.0"}\n{"url": "http://a.example/0", "text": "more words"}\n'
        data = wacz(("pages/pages.jsonl", lines), ("archive/a.warc.gz", b"".join(map(PACKERS["gz"], records))))
    elif request.param == "wacz of plain":
        data = wacz(("archive/a.warc", b"".join(records)))
    elif request.param == "wacz of several":
        one = gzip.compress(b"".join(records[:40]), mtime=0)  # which cannot be cut
        two = b"".join(map(PACKERS["zst"], records[40:90]))
        data = wacz(
            ("archive/a.gz", one), ("archive/b", two), ("archive/c", b"".join(records[90:])), ("archive/d", b"?")
        )
    else:
        data = b"".join(map(PACKERS[request.param], records))
    path.write_bytes(data)
    return path


def test_many_stretches_are_the_file(large: Path) -> None:
    expected = items(large)
    assert len([item for item in expected if isinstance(item, Page)]) >= 100
    parts = list(iterate_batches([(large, 0)], workers=2))
    assert [item for part in parts for item in part.items] == expected
    assert [part.last for part in parts] == [False] * (len(parts) - 1) + [True]
    assert len(parts) > 10 or "several" in large.name
    whole = list(iterate_batches([(large, 0)]))
    assert parts[-1].position == whole[-1].position >= 100
    assert sorted(part.bytes_read for part in parts) == [part.bytes_read for part in parts]
    # Each batch can be continued from, with any number of workers.
    for number in range(0, len(parts), 7):
        after = expected[sum(len(part.items) for part in parts[: number + 1]) :]
        assert items(large, parts[number].position) == after
        if number == 7:  # workers take a while to start
            assert items(large, parts[number].position, 2) == after


@pytest.mark.parametrize("kind", [*PACKERS])
def test_workers_are_given_stretches(archive: Archive, tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    records = [archive.warc(f"http://a.example/{n}", one) for n, one in enumerate(bodies(100))]
    path.write_bytes(b"".join(map(PACKERS[kind], records)))
    with path.open("rb") as file:
        assert is_splittable(file)
    tasks = [task for task, _ in _make_tasks(0, path, 0, Limits())]
    assert all(isinstance(task, ByteRange) for task in tasks)
    assert len(tasks) > 10
    (tmp_path / "b").write_bytes(wacz(("archive/a", path.read_bytes())))
    inside = [task for task, _ in _make_tasks(0, tmp_path / "b", 0, Limits())]
    assert [task.begin for task in inside if isinstance(task, ByteRange)] == [
        task.begin for task in tasks if isinstance(task, ByteRange)
    ]


def test_an_archive_in_a_page_deceives_nobody(archive: Archive, tmp_path: Path) -> None:
    # Stored, not deflated, the archive that was downloaded stands in the file byte by byte.
    inner = archive.gz(*(archive.warc(f"http://inner.example/{n}", one) for n, one in enumerate(bodies(40))))

    def stored(record: bytes) -> bytes:
        deflate = zlib.compressobj(0, zlib.DEFLATED, 31)
        return deflate.compress(record) + deflate.flush()

    outer = [stored(archive.warc(f"http://a.example/{n}", inner, kind="resource", http=None)) for n in range(4)]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(outer))
    with path.open("rb") as file:
        found = find_record(file, LENGTH, 2 * LENGTH)
    assert found is not None
    assert found < len(outer[0])  # a guess within the first record
    expected = items(path)
    assert [item.url for item in expected if isinstance(item, Page)] == [f"http://a.example/{n}" for n in range(4)]
    assert items(path, workers=2) == expected


def test_one_member_over_all_is_not_cut(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(
        gzip.compress(b"".join(archive.warc(f"http://a.example/{n}", b) for n, b in enumerate(bodies(50))), mtime=0)
    )
    with path.open("rb") as file:
        assert not is_splittable(file)
    assert items(path, workers=2) == items(path)


def test_several_files_of_every_kind_come_in_order(archive: Archive, tmp_path: Path) -> None:
    records = [archive.warc(f"http://a.example/{n}", one) for n, one in enumerate(bodies(30))]
    datas = [archive.gz(*records), b"".join(records), b"nothing", archive.gz(*records[:3]), b""]
    paths = [tmp_path / f"{n}.warc" for n in range(len(datas) + 1)]
    for path, data in zip(paths, datas, strict=False):
        path.write_bytes(data)
    one = list(iterate_batches([(path, 0) for path in paths]))
    two = list(iterate_batches([(path, 0) for path in paths], workers=2))
    for number in range(len(paths)):
        mine, other = ([part for part in parts if part.source == number] for parts in (one, two))
        assert [item for part in mine for item in part.items] == [item for part in other for item in part.items]
        assert mine[-1].position == other[-1].position
    assert [part.source for part in two if part.last] == list(range(len(paths)))


mutation = st.tuples(
    st.sampled_from(["flip", "insert", "delete", "repeat", "plain", "stored", "padding"]),
    st.integers(0, 1 << 20),
    st.integers(1, 4000),
    st.sampled_from([b"\x1f\x8b\x08\x00", b"\0", b"\r\n", b"WARC/1.0\r\nWARC-Type: response\r\n", b"x" * 50, b""]),
)


@given(st.sampled_from([*PACKERS]), st.lists(mutation, min_size=1, max_size=6))
def test_damage_is_read_the_same(
    tmp_path: Path, archive: Archive, kind: str, changes: list[tuple[str, int, int, bytes]]
) -> None:
    pack = PACKERS[kind]
    members = [pack(archive.warc(f"http://a.example/{n}", one)) for n, one in enumerate(bodies(40))]
    for how, place, size, other in changes:
        at = place % len(members)
        member = members[at]
        inside = size % len(member)
        members[at] = {
            "flip": member[:inside] + other + member[inside + len(other) :],
            "insert": member[:inside] + other + member[inside:],
            "delete": member[:inside] + member[inside + 1 + len(other) :],
            "repeat": member[:inside] + member,
            "plain": archive.warc("http://b.example/", b"plain") + member,
            "stored": member + pack(archive.warc("http://b.example/", b"x")[: size % 200]) + other,
            "padding": member + b"\r\n" * (size * 9),
        }[how]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(members))
    with path.open("rb", buffering=0) as file:
        expected = list(RecordReader(file, path.name, Limits()))
    assert raws_of_stretches(path) == expected


def test_false_signs_of_records_cost_little(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00" * (1 << 18))
    with path.open("rb") as file:
        assert find_record(file, 0, 1 << 20) is None
    assert byte_ranges._TRIALS == 1_000


def test_frames_of_empty_blocks_without_end_cost_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.warc.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd\x00\x58" * 1_000 + bytes(1 << 20))  # each header leads to the same zeros
    looks = 0

    def counted(file: BinaryIO, offset: int, count: int) -> bytes:
        nonlocal looks
        looks += 1
        return peek(file, offset, count)

    monkeypatch.setattr(byte_ranges, "peek", counted)
    with path.open("rb") as file:
        assert find_record(file, 0, 1 << 20) is None
    assert looks < 200_000
