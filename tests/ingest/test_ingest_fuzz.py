from __future__ import annotations

import gzip
import io
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from graphlang.db.records import Page
from graphlang.ingest import Limits
from graphlang.ingest.formats.record_reader import RecordReader
from graphlang.ingest.page import Parser
from graphlang.ingest.raw import RawRecord

if TYPE_CHECKING:
    from pathlib import Path


def record(number: int) -> bytes:
    body = f"<html lang=de><title>t</title><p>seite {number}<a href=x>y</a>".encode()
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/{number}\r\n"
    return head.encode() + f"Content-Length: {len(block)}\r\n\r\n".encode() + block + b"\r\n\r\n"


def arc_record(number: int) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>seite"
    return f"http://a.example/{number} 192.0.2.1 20061121001700 text/html {len(block)}\n".encode() + block + b"\n"


RECORDS = [record(number) for number in range(4)]
FILES = {
    "plain": RECORDS,
    "gzip": [gzip.compress(one, mtime=0) for one in RECORDS],
    "arc": [arc_record(number) for number in range(4)],
}


def pages(data: bytes, folder: Path, name: str = "a.warc") -> tuple[list[str], int]:
    path = folder / name
    path.write_bytes(data)
    parser = Parser(Limits(max_payload=10_000, max_header=10_000))
    with path.open("rb", buffering=0) as file:
        items = [
            item
            for raw in RecordReader(file, name, Limits(max_payload=10_000, max_header=10_000))
            for item in parser.parse(raw)
        ]
    return [one.url for one in items if isinstance(one, Page)], len(items)


mutation = st.tuples(
    st.sampled_from(["flip", "cut", "insert", "delete", "repeat"]),
    st.integers(0, 10_000),
    st.integers(1, 60),
    st.binary(min_size=1, max_size=60),
)


def mutate(data: bytes, change: tuple[str, int, int, bytes]) -> tuple[bytes, int]:
    """Return the changed data, and the place before which nothing was changed."""
    how, place, size, other = change
    at = place % len(data)
    if how == "flip":
        return data[:at] + other + data[at + len(other) :], at
    if how == "cut":
        return data[:at], at
    if how == "insert":
        return data[:at] + other + data[at:], at
    if how == "delete":
        return data[:at] + data[at + size :], at
    return data[:at] + data[max(0, at - size) : at] + data[at:], at


@given(st.sampled_from(sorted(FILES)), mutation)
def test_damage_costs_no_sound_record_before_it(tmp_path: Path, name: str, change: tuple[str, int, int, bytes]) -> None:
    records = FILES[name]
    data, place = mutate(b"".join(records), change)
    found, _ = pages(data, tmp_path)
    sound = 0
    while sound < len(records) and sum(map(len, records[: sound + 1])) <= place:
        sound += 1
    assert found[:sound] == [f"http://a.example/{number}" for number in range(sound)]


@given(st.sampled_from(sorted(FILES)), st.lists(mutation, min_size=1, max_size=8))
def test_any_damage_is_read_to_the_end(tmp_path: Path, name: str, changes: list[tuple[str, int, int, bytes]]) -> None:
    data = b"".join(FILES[name])
    for change in changes:
        data = mutate(data or b"x", change)[0]
    found, items = pages(data, tmp_path)
    assert len(found) <= 30
    assert items <= 200


@given(st.binary(max_size=500))
def test_any_file_is_read_to_the_end(tmp_path: Path, data: bytes) -> None:
    for name in ("a.warc", "a.arc.gz", "a"):
        pages(data, tmp_path, name)
    pages(b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 30\r\n" + data, tmp_path)


@given(st.binary(max_size=400))
def test_any_payload_is_some_page(payload: bytes) -> None:
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\n\r\n"
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLink: " + payload[:40] + b"\r\n\r\n"
    items = Parser(Limits()).parse(
        RawRecord(0, head, http + b"<html><a href='" + payload + b"'><meta http-equiv=refresh content='" + payload)
    )
    assert any(isinstance(one, Page) for one in items)
    assert not any(getattr(one, "kind", "") == "failed" for one in items)


def test_the_sound_files_are_sound(tmp_path: Path) -> None:
    for records in FILES.values():
        assert pages(b"".join(records), tmp_path) == ([f"http://a.example/{n}" for n in range(4)], 4)
    assert io.BytesIO(RECORDS[0]).readline() == b"WARC/1.0\r\n"
