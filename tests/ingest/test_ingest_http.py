from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest.payload.http import parse_fields, parse_response

LIMIT = 1 << 20


def split(message: bytes) -> tuple[int | None, dict[str, str], bytes, list[str]]:
    answer = parse_response(message, LIMIT, LIMIT)
    return answer.status, answer.fields, answer.payload, [kind for kind, _ in answer.faults]


@pytest.mark.parametrize(
    ("message", "status", "payload", "faults"),
    [
        (b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nbody", 200, b"body", []),
        (b"HTTP/1.0 404\nA: b\n\nbody", 404, b"body", []),
        (b"HTTP/2 301 \r\r\nA: b\r\r\n\r\r\nbody", 301, b"body", []),
        (b"ICY 200 OK\r\nA: b\r\n\r\nbody", 200, b"body", []),
        (b"HTTP/1.1 200 OK\r\n\r\nbody", 200, b"body", []),
        (b"HTTP/1.1 200 OK\r\nA: b", 200, b"", []),
        (b"HTTP/1.1 200 OK\r\nA: b\r\n<html>\r\n\r\nx", 200, b"<html>\r\n\r\nx", []),
        (
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103\r\nLink: </x>\r\n\r\nHTTP/1.1 200\r\nA: b\r\n\r\nx",
            200,
            b"x",
            [],
        ),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\nx", 101, b"x", []),
        (b":status: 200\r\ncontent-type: text/html\r\n\r\nbody", 200, b"body", []),
        (b"Content-Type: text/html\r\n\r\nbody", None, b"body", ["bad-http"]),
        (b"<html>body", None, b"<html>body", ["bad-http"]),
        (b"", None, b"", ["bad-http"]),
    ],
)
def test_status_and_payload(message: bytes, status: int | None, payload: bytes, faults: list[str]) -> None:
    found = split(message)
    assert (found[0], found[2], found[3]) == (status, payload, faults)


def test_fields_of_every_kind() -> None:
    block = b"A: 1\r\nB : 2\r\nC:3\r\n  folded\r\n\xc3\xa9: x\r\nD: caf\xe9\r\nnonsense\r\na: 4\r\n"
    block += b"Content-Type: x\r\nContent-Type: y\r\n"
    found = parse_fields(block)
    assert found["a"] == "1, 4"
    assert (found["b"], found["c"], found["content-type"]) == ("2", "3 folded", "x, y")
    assert found["d"] == "café"


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("body", "payload"),
    [
        (b"4\r\nWiki\r\n5;x=y\r\npedia\r\n0\r\nTrailer: z\r\n\r\n", b"Wikipedia"),
        (b"4\nWiki\n0\n\n", b"Wiki"),
        (b"4\r\nWiki\r\nFF\r\nto", b"Wikito"),
        (b"<html>stored joined already", b"<html>stored joined already"),
        (b"4\r\nWiki\r\nnot a length", b"Wikinot a length"),
    ],
)
def test_chunks(body: bytes, payload: bytes) -> None:
    assert split(CHUNKED + body)[2] == payload


@pytest.mark.parametrize(
    ("encoding", "body", "payload", "faults"),
    [
        (b"gzip", gzip.compress(b"<p>x", mtime=0), b"<p>x", []),
        (b"x-gzip", gzip.compress(b"<p>x", mtime=0)[:-6], b"<p>x", []),
        # one member behind the other, as RFC 1952 allows
        (
            b"gzip",
            gzip.compress(b"<p>x", mtime=0) + gzip.compress(b"", mtime=0) + gzip.compress(b"y" * 99_999, mtime=0),
            b"<p>x" + b"y" * 99_999,
            [],
        ),
        (b"gzip", gzip.compress(b"<p>x", mtime=0) + b"\0\0and garbage", b"<p>x", []),
        (b"gzip", gzip.compress(b"<p>x", mtime=0) + gzip.compress(b"y" * 300, mtime=0)[:-8], b"<p>x" + b"y" * 300, []),
        (b"gzip", gzip.compress(b"<p>x", mtime=0) + b"\x1f\x8b\x08\x00" + b"\xff" * 20, b"<p>x", ["bad-encoding"]),
        (b"gzip", gzip.compress(b"x", mtime=0) * 1_001, b"x" * 1_000, ["bad-encoding"]),
        (b"br", brotli.compress(b"<p>x"), b"<p>x", []),
        (b"gzip, br", brotli.compress(gzip.compress(b"<p>x", mtime=0)), b"<p>x", []),
        (b"identity", b"<p>x", b"<p>x", []),
        (b"gzip", b"<p>decoded already", b"<p>decoded already", []),
        (
            b"gzip",
            b"\x1f\x8b\x08\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\x1f\x8b\x08\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            ["bad-encoding"],
        ),
        # damage costs what lies behind it, as in browsers
        (b"gzip", gzip.compress(b"<p>x" * 9_000, mtime=0)[:-8] + bytes(8), b"<p>x" * 9_000, ["bad-encoding"]),
        (b"deflate", zlib.compress(b"<p>x" * 9_000)[:-4] + bytes(4), b"<p>x" * 9_000, ["bad-encoding"]),
        # what ends too early is read, and reported; a checksum that is missing costs nothing
        (b"gzip", gzip.compress(b"<p>xy", 0, mtime=0)[:-9], b"<p>x", ["bad-encoding"]),
        (b"deflate", zlib.compress(b"<p>xy", 0)[:-4], b"<p>xy", []),
        (b"deflate", zlib.compress(b"<p>xy", 0)[:-5], b"<p>x", ["bad-encoding"]),
        (b"deflate", zlib.compress(b"<p>xy", 0)[2:-5], b"<p>x", ["bad-encoding"]),
        (b"deflate", zlib.compress(b"<p>xy", 0)[2:-4], b"<p>xy", []),
        (b"br", brotli.compress(b"<p>xyz", quality=0)[:-1], b"<p>xyz", ["bad-encoding"]),
        (b"br", b"", b"", []),
        (b"br", b"\xff\xff\xff", b"\xff\xff\xff", ["bad-encoding"]),
        (b"martian", b"<p>x", b"<p>x", []),
        (b"martian", b"\x01\x02", b"\x01\x02", ["bad-encoding"]),
    ],
)
def test_content_encodings(encoding: bytes, body: bytes, payload: bytes, faults: list[str]) -> None:
    found = split(b"HTTP/1.1 200 OK\r\nContent-Encoding: " + encoding + b"\r\n\r\n" + body)
    assert found[2:] == (payload, faults)


def test_encodings_of_the_transfer_alone() -> None:
    squeezed = gzip.compress(b"<p>x", mtime=0)
    message = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n"
    assert split(message % (len(squeezed), squeezed))[2:] == (b"<p>x", [])


@pytest.mark.parametrize("encoding", [b"gzip", b"br", b"deflate"])
def test_payload_is_bounded(encoding: bytes) -> None:
    pack = {b"gzip": gzip.compress, b"br": brotli.compress, b"deflate": zlib.compress}[encoding]
    message = b"HTTP/1.1 200 OK\r\nContent-Encoding: " + encoding + b"\r\n\r\n" + pack(b"\0" * 20_000_000)
    answer = parse_response(message, LIMIT, 5000)
    assert len(answer.payload) == 5000
    assert [kind for kind, _ in answer.faults] == ["too-large"]
    if encoding == b"gzip":
        several = parse_response(message[: -len(pack(b"\0" * 20_000_000))] + pack(b"x" * 3000) * 3, LIMIT, 5000)
        assert (len(several.payload), [kind for kind, _ in several.faults]) == (5000, ["too-large"])
    exact = parse_response(
        b"HTTP/1.1 200 OK\r\nContent-Encoding: " + encoding + b"\r\n\r\n" + pack(b"x" * 5000), LIMIT, 5000
    )
    assert (len(exact.payload), exact.faults) == (5000, ())


@given(
    st.binary(max_size=400),
    st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", CHUNKED, b"HTTP/1.1 200\r\nContent-Encoding: gzip\r\n\r\n"]),
)
def test_any_bytes_are_some_response(body: bytes, head: bytes) -> None:
    answer = parse_response(head + body, 100, 1000)
    assert len(answer.payload) <= max(1000, len(head + body))
