"""Header blocks of any bytes, for the sanitisers."""

from __future__ import annotations

import random
from itertools import pairwise

from graphlang.ingest.formats.records import PlainMembers
from graphlang.ingest.limits import Limits
from graphlang.ingest.payload.http import AnswerSplitter, parse_fields

PIECES = (
    *(b"a", b"B", b":", b" ", b"\t", b"\r", b"\n", b"\r\n", b"::", b"\x1c", b"\0", b"\x80", b"\xe9", b"x: 1\r\n"),
    *(b"Content-Type: text/html\r\n", b"a" * 300, b"\n:status: 200\n"),
)
BOMBS = (b"", b":", b":" * 9_000, b"\n" * 9_000, b"a:" * 9_000, b" :" * 9_000, b"a" * 9_000 + b":")


def workout(seed: int) -> str:
    chance = random.Random(seed)  # noqa: S311 - the same in every thread
    given = [*BOMBS, *(b"".join(chance.choices(PIECES, k=chance.randrange(14))) for _ in range(4_000))]
    found = sum(len(parse_fields(block, wanted)) for block in given for wanted in (b"", b"a\0b\0", b"x", b"\0\0"))
    splitter = AnswerSplitter(Limits(max_header=500))
    record, answer = b"WARC/1.0\nWARC-Type: response\n", b"HTTP/1.1 200\n"
    found += sum(splitter.split(record + one, answer + other) is not None for one, other in pairwise(given))
    members = PlainMembers(Limits(max_header=500, max_payload=5_000))
    stated = record + b"Content-Length: %d\n\n"
    for one, other in pairwise(given):
        found += members.read(0, stated % len(one) + one) is not None
        found += members.read(0, one + other) is not None
    return f"went through {found}"
