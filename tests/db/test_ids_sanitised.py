"""The table of ids built with the sanitisers of addresses and of undefined behaviour."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

WORKOUT = """
import random, sys
from importlib.machinery import ModuleSpec
from graphlang.db import compiled, url_ids
built = sys.argv[1]
compiled.find_spec = lambda name: ModuleSpec(name, None, origin=built)
from graphlang.db.records import packed

random.seed(2004)
ids = url_ids.UrlIds()
for size in (0, 1, 7, 4_000, 4_095, 9_000, 1, 30_000):
    texts = packed("x" * random.randrange(20) + str(random.randrange(60_000)) for _ in range(size))
    found = ids.assign(texts)
    assert ids.find(texts) == found.ids
    url_ids.authorities(texts)
for texts in (b"a", b"/" * 99, b"a//b", b"\\0" * 9, b"//" + b"c" * 99):
    ids.find(texts + b"\\0")
    url_ids.authorities(texts)
print("went through", len(ids))
"""


def test_no_sanitiser_complains_of_the_table_of_ids(sanitised: Callable[..., str]) -> None:
    assert "went through" in sanitised(Path(__file__).parents[2] / "db" / "_ids.c", WORKOUT)
