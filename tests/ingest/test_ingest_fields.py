"""The kernel of header fields beside a plain definition."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphlang.ingest.payload.http import parse_fields

if TYPE_CHECKING:
    from collections.abc import Callable

PIECES = st.sampled_from(
    [
        *(b"a", b"B", b":", b" ", b"\t", b"\r", b"\n", b"\r\n", b"::", b"\x1c", b"\0", b"\x7f", b"\x80", b"\xe9"),
        *(b"x: 1\n", b"Content-Type: x\r\n", b"\xc2\xa0", b"\xc2\x85", b"\n b", b"\n:status: 200"),
    ]
)


def defined(block: bytes) -> dict[str, str]:
    """What `fields` says, line by line."""
    for fold in (b"\r\n ", b"\r\n\t", b"\n ", b"\n\t"):
        while fold in block:
            block = block.replace(fold, b"\n\1")
    while b"\1 " in block or b"\1\t" in block:
        block = block.replace(b"\1 ", b"\1").replace(b"\1\t", b"\1")
    block = block.replace(b"\n\1", b" ")
    try:
        written = block.decode()
    except UnicodeDecodeError:
        written = block.decode("latin-1")
    found: dict[str, list[str]] = {}
    for line in written.split("\n"):
        colon = line.find(":", 1 if line.startswith(":") else 0)
        name = line[:colon].rstrip(" \t").lower() if colon >= 0 else ""
        if name and " " not in name:
            found.setdefault(name, []).append(line[colon + 1 :].strip())
    return {name: ", ".join(values) for name, values in found.items()}


@given(st.lists(PIECES, max_size=14))
def test_fields_are_those_of_the_definition(pieces: list[bytes]) -> None:
    block = b"".join(pieces)
    assert list(parse_fields(block).items()) == list(defined(block).items())


@given(st.lists(PIECES, max_size=14), st.sampled_from([b"a\0", b"a\0content-type\0", b"b\0\0:status", b"x"]))
def test_what_is_wanted_is_found_as_among_all(pieces: list[bytes], wanted: bytes) -> None:
    block = b"".join(pieces)
    every, some = parse_fields(block), parse_fields(block, wanted)
    for name in wanted.decode().split("\0"):
        assert some.get(name) == every.get(name)
    assert some.items() <= every.items()


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (b"", {"warc-type": "response", "content-type": "text/html", "x-more": ""}),
        (b"content-type\0warc-date\0", {"content-type": "text/html"}),
        (b"content\0", {}),
    ],
)
def test_fields_that_are_wanted(wanted: bytes, found: dict[str, str]) -> None:
    block = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type : text/html \r\nno field\r\na b: c\r\nX-More:\r\n\r\n"
    assert parse_fields(block, wanted) == found


def test_no_sanitiser_complains_of_fields(under_sanitisers: Callable[..., str]) -> None:
    answer = under_sanitisers(Path(__file__).with_name("workout_fields.py"))
    assert answer.startswith("went through")
