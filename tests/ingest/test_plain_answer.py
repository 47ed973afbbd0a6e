"""Records parsed in one call have the same fields as when header and message are parsed, or no result."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest.formats.warc import Warc
from graphlang.ingest.limits import Limits
from graphlang.ingest.payload.http import AnswerSplitter, PlainAnswer, parse_answer, parse_fields, parse_response

HEAD = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nWARC-Date: 2026-11-20T23:23:15Z\r\n\r\n"
)
BLOCK = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLocation: /x\r\n\r\n<p>x"
LIMITS = Limits(max_header=90, max_payload=50)


def read(head: bytes, block: bytes, limits: Limits = LIMITS) -> PlainAnswer | None:
    parts = AnswerSplitter(limits).split(head, block)
    return None if parts is None else parse_answer(parts, block, limits.max_payload)


LINES = st.sampled_from(
    [
        *(b"WARC-Type: response\r\n", b"warc-type:\tresponse \n", b"WARC-Type:\x0bresponse\n"),
        *(b"WARC-Type: request\r\n", b"WARC-Type: response-x\n", b"WARC-Target-URI: <http://a.example/>\r\n"),
        *(b"WARC-Date : 2026\r\n", b"X: 1\r\n", b"WARC-Payload-Digest: sha1:AB\r\n", b"WARC-Segment-Number: 1\n"),
        *(b"X-Graphlang-Mirrored:\n", b"x y: z\n", b":\n", b"Content-Type: text/html\r\n", b"content-type:\n"),
        *(b"Content-Encoding: gzip\r\n", b"Refresh: 1\n", b" folded\n", b"Transfer-Encoding: chunked\r\n"),
        *(b"Link: <x>\r\n", b"no field\r\n", b"caf\xe9: x\r\n", b"\0: x\n", b":status: 9\n", b"\r\n", b"\n"),
        *(b"\r\r\n", b"\r\r\r\n", b"<p>\n", b"1\r\nx\r\n0\r\n\r\n", b"Location: \x1cy\x1c\r\n", b"x" * 60 + b"\n"),
    ]
)
FIRST = st.sampled_from(
    [
        *(b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0\t 404\n", b"HTTP/1.1 2000\r\n", b"HTTP/1.1 100 Continue\r\n"),
        *(b"HTTP/1.1  20\r\n", b"HTTP/1.1 204", b"HTTP/2 200\r\n", b"HTTP/1.12 200\r\n", b"http/1.1 200 OK\r\n"),
        *(b"ICY 200 OK\r\n", b""),
    ]
)


@given(
    st.sampled_from([b"WARC/1.0\r\n", b"WARC/1.1\n", b"warc/1.0\n", b""]),
    st.lists(LINES, max_size=6),
    FIRST,
    st.lists(LINES, max_size=7),
)
def test_a_record_taken_apart_at_once_is_that_of_the_two_readers(
    magic: bytes, head_lines: list[bytes], first: bytes, lines: list[bytes]
) -> None:
    head, block = magic + b"".join(head_lines), first + b"".join(lines)
    found = read(head, block)
    if found is None:
        return
    said, answer = parse_fields(head), parse_response(block, LIMITS.max_header, LIMITS.max_payload)
    assert Warc.read_type(head) == b"response"
    assert not {"warc-segment-number", "x-graphlang-mirrored"} & said.keys()
    names = ("warc-target-uri", "warc-date", "warc-payload-digest")
    assert found[:3] == tuple(said.get(name, "") for name in names)
    looked_at = {"content-type", "location", "refresh", "link", "content-encoding", "transfer-encoding"}
    assert found.response.fields == {
        name: value for name, value in answer.fields.items() if value and name in looked_at
    }
    assert found.response._replace(fields={}) == answer._replace(fields={})


def test_a_plain_record_is_taken_apart() -> None:
    found = read(HEAD, BLOCK)
    assert found is not None
    assert found[:3] == ("http://a.example/", "2026-11-20T23:23:15Z", "")
    assert found.response == (200, {"content-type": "text/html", "location": "/x"}, b"<p>x", ())


@pytest.mark.parametrize(
    ("head", "block"),
    [
        (HEAD.replace(b"response", b"revisit"), BLOCK),
        (HEAD.replace(b"\r\n\r\n", b"\r\nWARC-Segment-Number: 1\r\n\r\n"), BLOCK),
        (HEAD.replace(b"WARC-Date", b"WARC-Type"), BLOCK),
        (HEAD.replace(b"a.example", b"\xe4.example"), BLOCK),
        (HEAD, BLOCK.replace(b"200", b"103")),
        (HEAD, BLOCK.replace(b"Location", b"content-type")),
        (HEAD, BLOCK.replace(b"\r\n\r\n", b"\r\n")),
        (HEAD, BLOCK.replace(b"/x", b"/x" * 40)),
        (HEAD, b"<p>x"),
    ],
)
def test_what_is_unusual_is_left(head: bytes, block: bytes) -> None:
    assert read(head, block) is None


def test_parts_beyond_the_room_are_left() -> None:
    for size in (65_400, 65_536, 200_000):
        found = read(HEAD, BLOCK.replace(b"/x", b"/" * size), Limits())
        assert (found is None) == (size > 65_400)


def test_encodings_are_undone() -> None:
    block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n<p>x\r\n0\r\n\r\n"
    found = read(HEAD, block)
    assert found is not None
    assert found.response.payload == b"<p>x"
