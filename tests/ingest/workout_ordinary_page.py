"""Ordinary pages, soup and bombs with good and bad URLs and bases, for the sanitisers."""

from __future__ import annotations

import random
import runpy
import sys
from pathlib import Path
from typing import Any

from graphlang.ingest.limits import Limits
from graphlang.ingest.native import ordinary_page as kernels
from graphlang.ingest.page import Parser

URL = b"http://a.example/b/c?d"
HEADER = b"text/html; charset=utf-8\0\0\0\0\0\0\0\0"


def workout(seed: int, fuzz: str) -> str:
    if fuzz not in sys.path:
        sys.path.insert(0, fuzz)
    from targets import TAGS, WORDS  # noqa: PLC0415 - of a program whose folder is no package

    of_markup: dict[str, Any] = runpy.run_path(str(Path(__file__).with_name("workout_html.py")))
    chance = random.Random(seed)  # noqa: S311 - the same in every thread
    pages = [*of_markup["bombs"](), *(of_markup["soup"](chance, TAGS, WORDS) for _ in range(100))]
    found = []
    for limits in (Limits(), Limits(max_links=3, max_url=40, max_depth=5, text_limit=9)):
        parser = Parser(limits)
        for page in pages:
            block = b"x" * chance.randrange(9) + b"<" + page
            body = block.index(b"<")
            parts = [(uri + b"\0\0\0" + HEADER, 200, body) for uri in (URL, b"https://b.example/")]
            found += [parser._parse_ordinary(0, block, answer) for answer in parts]
    reader, said = kernels.ordinary_page_new(seed), kernels.new_ordinary_page_result()
    links = kernels.new_ordinary_page_links()
    for page in pages[:40]:
        kernels.ordinary_page_read(
            reader, b" " + page, chance.choice((0, 1 + len(page))), 9, chance.randrange(600), chance.randrange(2), said
        )
        for base in (b"", b"\xff", b"/d/", b"http://", b"//" + b"a." * 300):
            kernels.ordinary_page_gather(
                reader, base, chance.choice((URL, b"", b"x")), chance.randrange(2), 99, 9, links
            )
    return f"went through {sum(page is not None for page in found)} of {len(found)}"
