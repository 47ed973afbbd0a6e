"""Links of batches of pages into rows, for the sanitisers."""

from __future__ import annotations

import random
import sqlite3
from array import array

from graphlang.db.records import Links
from graphlang.db.write.links import write_links


def workout(seed: int) -> str:
    chance = random.Random(seed)  # noqa: S311 - the same in every thread
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE links (a, b, c, d, e, f)")
    added = 0
    for pages in (1, 1, 2, 30):
        counts = [chance.randrange(0, 90, 3) for _ in range(pages)]
        ids = array("q", (chance.randrange(1, 50) for _ in range(sum(counts) + pages)))
        links = [Links(b"u\0" * n, chance.randbytes(n), tuple((k, "de") for k in range(0, n, 5))) for n in counts]
        chosen = bytes(chance.choices(b"\0\1", k=pages))
        added += write_links(connection, links, ids, array("q", counts), chosen)
    connection.close()
    return f"went through {added > 500}"
