"""Members taken apart at once give the records that the reader of records gives, or are left to it."""

from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest.files.decompress import ByteSource
from graphlang.ingest.formats.record_reader import RecordReader
from graphlang.ingest.formats.records import PlainMembers, read_raw_records
from graphlang.ingest.formats.warc import Warc
from graphlang.ingest.limits import Limits
from graphlang.ingest.payload.http import AnswerSplitter

if TYPE_CHECKING:
    from pathlib import Path

    from graphlang.ingest.raw import RawRecord

LIMITS = Limits(max_header=120, max_payload=60)
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>xabc"
LINES = st.sampled_from(
    [
        *(b"WARC-Type: response\r\n", b"warc-type: request\n", b"X: 1\r\n", b"caf\xe9: x\r\n", b"\0\n", b" folded\r\n"),
        *(b"Content-Length: 51\r\n", b"content-length:\t51 \r\r\n", b"CONTENT-LENGTH : 51\n", b"Content-Length: 50\n"),
        *(b"Content-Length: 0\r\n", b"Content-Length: 61\r\n", b"Content-Length: x\r\n", b"Content-Length\r\n"),
        *(b"Content-Length: 9999999999999999999\r\n", b"Content-Length: 51x\n", b"Content-Length-X: 51\r\n"),
        *(b"Content-Length:\x0b51\n", b"WARC-Date: 2026\r\n", b"y" * 70 + b"\n", b"\r\r\r\n"),
    ]
)
ENDS = st.sampled_from([b"\r\n\r\n", b"\n\n", b"", b"\r\n", b"\r\r\n\r\r\n", b"\r\n\r\nx", b"\0", b"\r\n" * 9_000])
MEMBERS = st.lists(
    st.tuples(
        st.sampled_from([b"WARC/1.0\r\n", b"WARC/1.1\n", b"warc/1.0\r\n", b"WARC", b"", b"\r\n\r\nWARC/1.0\r\n"]),
        st.lists(LINES, max_size=4),
        st.sampled_from([b"\r\n", b"\n", b"\r\r\n", b""]),
        st.sampled_from([ANSWER, ANSWER.replace(b"200", b"100"), b"", b"WARC/1.0\r\nWARC-Type: x\r\n\r\n"]),
        ENDS,
    ).map(lambda parts: parts[0] + b"".join(parts[1]) + b"".join(parts[2:])),
    min_size=1,
    max_size=4,
)


def _slowly(archive: bytes, path: Path) -> list[RawRecord]:
    path.write_bytes(archive)
    with path.open("rb") as file:
        source = ByteSource(file)
        return list(read_raw_records(source.read_chunks(), Warc(), LIMITS, source))


@given(MEMBERS, st.integers(0, 3))
def test_records_are_those_of_the_reader_of_records(
    tmp_path_factory: pytest.TempPathFactory, members: list[bytes], cut: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "members.warc.gz"
    archive = b"".join(
        gzip.compress(member, 1, mtime=0) for member in [b"WARC/1.0\r\nContent-Length: 0\r\n\r\n", *members]
    )
    archive = archive[: len(archive) - 7 * cut]
    expected = _slowly(archive, path)
    with path.open("rb") as file:
        found = list(RecordReader(file, path.name, LIMITS))
    splitter = AnswerSplitter(LIMITS)
    assert [record._replace(answer=None) for record in found] == expected
    for record in found:
        assert record.answer in (None, splitter.split(record.head, record.block))


HEAD = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: 51\r\n\r\n"


def test_a_plain_member_is_taken_apart() -> None:
    record = PlainMembers(LIMITS).read(5, HEAD + ANSWER + b"\r\n\r\n")
    assert record is not None
    assert record[:3] == (5, HEAD, ANSWER)
    assert record.answer is not None
    parts, status, body = record.answer
    assert parts.startswith(b"http://a.example/\0\0\0text/html\0")
    assert (status, record.block[body:]) == (200, b"<p>xabc")


def test_what_is_no_answer_is_a_record_all_the_same() -> None:
    record = PlainMembers(LIMITS).read(0, HEAD.replace(b"response", b"request") + ANSWER)
    assert record is not None
    assert record.answer is None


@pytest.mark.parametrize(
    "member",
    [
        b"",
        b"WARC/",
        HEAD[:-1],
        HEAD + ANSWER[1:],
        HEAD + ANSWER + b"xx\r\n\r\nx",
        HEAD.replace(b"51", b"061 x") + ANSWER,
        HEAD.replace(b"51", b"61") + ANSWER + b"x" * 10,
        HEAD.replace(b"WARC-Type", b"Y" * 60 + b": y\r\nWARC-Type") + ANSWER,
        HEAD.lower() + ANSWER,
    ],
)
def test_what_is_unusual_is_left(member: bytes) -> None:
    assert PlainMembers(LIMITS).read(0, member) is None


def test_members_are_left_in_a_file_of_another_format() -> None:
    arc = b"filedesc://x.arc 0.0.0.0 20060101000000 text/plain 20\n1 0 InternetArchive\n\n"
    file = io.BytesIO(gzip.compress(arc) + gzip.compress(HEAD + ANSWER))
    assert not any(record.answer for record in RecordReader(file, "x.arc.gz", LIMITS))
