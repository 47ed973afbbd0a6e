"""References of any bytes, joined to good and bad bases and merged, for the sanitisers."""

from __future__ import annotations

import random

from graphlang.db.records import pack_texts
from graphlang.ingest.links.resolve import Joiner

BASE = "http://a.example:8080/b/c?q"
PIECES = (
    *(b"a", b".", b"..", b"/", b"//", b"?", b"#", b"%2e", b"%", b":", b"http:", b"HTTPS://", b"b.example", b" "),
    *(b"\0", b"\xc3\xa4", b"\xe2\x80", b"\xf0\x9f", b"\xed\xa0\x80", b"\xff", b"^", b"'", b"-", b"\t", b"x" * 300),
    b"65535",
)
BOMBS = (
    *(b"", b"\0", b"/.." * 20_000, b"\xe2", b"http://", b"//:", b"?" * 40_000, b"http://" + b"a." * 300, b" " * 99),
)


def workout(seed: int) -> str:
    chance = random.Random(seed)  # noqa: S311 - the same in every thread
    joiner = Joiner()
    given = [*BOMBS, *(b"".join(chance.choices(PIECES, k=chance.randrange(14))) for _ in range(4_000))]
    for references in given:
        for base in (BASE, "http://a.example/", "http://", ""):
            joiner.merge(references, base, seeds=pack_texts([BASE]), max_url=200, max_links=3)
            joiner.gather(references, b"x", base.encode(), BASE, nofollow=False, max_url=200, max_links=3)
            joiner.gather(b"a\0" + references, references, b"", base, nofollow=True, max_url=200, max_links=3)
    merged = joiner.merge(b"\0".join(given), BASE, seeds=b"", max_url=2_000, max_links=10_000)
    return f"went through {merged.distinct}, {merged.too_long}"
