"""URLs of any bytes, and tables of any names, for the sanitisers."""

from __future__ import annotations

import random
from array import array

from graphlang.ingest.links.native import places as kernels

PIECES = (
    *(b"http://", b"https://", b"a", b"b-1", b".", b"..", b"co", b"uk", b"kobe", b"jp", b":", b"80", b"/", b"@", b"A"),
    *(b"\xc3\xa4", b"\xff", b"[", b"x" * 300, b"a." * 400),
)
NAMES = (b"uk\0co.uk\0jp\0kobe.jp\0city.kobe.jp\0", b"", b"\0", b"a\0a\0", b"a." * 40_000 + b"a", b"x" * 300)


def workout(seed: int) -> str:
    chance = random.Random(seed)  # noqa: S311 - the same in every thread
    found = 0
    for names in NAMES:
        count = names.count(0) + (names[-1:] not in {b"", b"\0"})
        table = kernels.places_new(names, bytes(chance.choices(range(8), k=count)))
        for _ in range(300):
            urls = [b"".join(chance.choices(PIECES, k=chance.randrange(9))) for _ in range(chance.randrange(6))]
            columns = [array("i", bytes(4 * len(urls))) for _ in range(5)]
            kernels.places_find(table, b"".join(url + b"\0" for url in urls), *columns)
            found += sum(end > 0 for end in columns[1])
    return f"went through {found}"
