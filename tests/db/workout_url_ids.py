"""The table of ids of texts, for the sanitisers."""

from __future__ import annotations

import random

from graphlang.db import url_ids
from graphlang.db.records import pack_texts


def workout(seed: int) -> str:
    chance = random.Random(seed)  # noqa: S311 - the same in every thread
    ids = url_ids.UrlIds()
    for size in (0, 1, 7, 4_000, 4_095, 9_000, 1, 30_000):
        texts = pack_texts("x" * chance.randrange(20) + str(chance.randrange(60_000)) for _ in range(size))
        found = ids.assign(texts)
        assert ids.find(texts) == found.ids
        url_ids.extract_authorities(texts)
    for texts in (b"a", b"/" * 99, b"a//b", b"\0" * 9, b"//" + b"c" * 99):
        ids.find(texts + b"\0")
        url_ids.extract_authorities(texts)
    return f"went through {len(ids)}"
