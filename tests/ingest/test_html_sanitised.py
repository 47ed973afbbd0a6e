"""The pass over markup built with the sanitisers of addresses and of undefined behaviour, fed with soup and bombs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCE = Path(__file__).parents[2] / "ingest" / "_html.c"
FUZZ = Path(__file__).parents[1] / "fuzz"

WORKOUT = """
import random, sys
from importlib.machinery import ModuleSpec
built, seconds = sys.argv[1], float(sys.argv[3])
sys.path.insert(0, sys.argv[2])
from graphlang.ingest import compiled
compiled.find_spec = lambda name: ModuleSpec(name, None, origin=built)
from graphlang.ingest import Limits
from graphlang.ingest.html import read
from targets import TAGS, WORDS
import time

random.seed(2008)
limits = Limits(anchor_texts=True, max_links=50)
for bomb in (
    b"<div>" * 100_000, b"<a href=x><b><i>" * 50_000, b"<p " + b"x=1 " * 100_000,
    b"<svg>" * 9_000 + b"</svg>" * 9_000, b"<table><tr><td>" * 20_000, b"</p>" * 100_000,
    b"<a href='" + b"y" * 1_000_000, b"<!--" * 50_000, b"<script><!--<script>", b"&" * 300_000,
    b"&#" + b"9" * 300_000, b"<ul>" * 600 + b"<li>" * 50_000, b"<", b"", b"\\xe2", b"&amp", b"<nav>" * 70_000,
    b"<header>x</header>" * 140_000, b"<li><a href=#>English</a>" * 40_000, b"<title>" + b"&lt;" * 99_999,
    b"<plaintext>" * 3,
):
    read(bomb, limits)
bytes_ = [bytes([code]) for code in range(256)]
end = time.monotonic() + seconds
pages = 0
while time.monotonic() < end:
    parts = []
    for _ in range(random.randrange(60)):
        tag = random.choice(TAGS)
        name = tag.split()[0]
        parts.append(random.choice((f"<{tag}>", f"</{name}>", f"<{tag}/>", random.choice(WORDS), f"<{tag}")).encode())
        if random.random() < 0.1:
            parts.append(random.choice(bytes_))
    page = bytearray(b"".join(parts))
    for _ in range(random.randrange(4)):
        if page:
            page[random.randrange(len(page))] = random.choice(b"<>/&;=!-'\\"\\0 \\xc2\\xe2\\xff")
    read(bytes(page), limits)
    pages += 1
print("went through", pages)
"""


def test_no_sanitiser_complains(sanitised: Callable[..., str]) -> None:
    seconds = os.environ.get("GRAPHLANG_FUZZ_SECONDS", "5")
    assert "went through" in sanitised(SOURCE, WORKOUT, str(FUZZ), seconds)


def test_the_table_of_character_references_is_up_to_date() -> None:
    made = subprocess.run(
        [sys.executable, "-c", "import make_entities as m; print(m.HEADER.read_text() == m.written())"],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parent,
    )
    assert made.stdout == "True\n", "run: make docs"
