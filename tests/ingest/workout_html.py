"""Pages of soup and bombs, for the sanitisers."""

from __future__ import annotations

import hashlib
import random
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from graphlang.ingest import Limits
from graphlang.ingest.html import tokenizer
from graphlang.ingest.html.document import read_document

if TYPE_CHECKING:
    from collections.abc import Iterable

BOMBS = (
    *(b"<div>" * 100_000, b"<a href=x><b><i>" * 50_000, b"<p " + b"x=1 " * 100_000),
    *(b"<svg>" * 9_000 + b"</svg>" * 9_000, b"<table><tr><td>" * 20_000, b"</p>" * 100_000),
    *(b"<a href='" + b"y" * 1_000_000, b"<!--" * 50_000, b"<script><!--<script>", b"&" * 300_000),
    *(b"&#" + b"9" * 300_000, b"<ul>" * 600 + b"<li>" * 50_000, b"<", b"", b"\xe2", b"&amp", b"<nav>" * 70_000),
    *(b"<header>x</header>" * 20_000, b"<li><a href=#>English</a>" * 20_000, b"<title>" + b"&lt;" * 99_999),
    *(b"<ul>" + b"<li><a href=#>x</a>" * 40_000, b"<ul><a href=x>" + b"<table><td><a href=x>y" * 9_000),
    *(b"<ul>" * 90_000, b"<plaintext>" * 3, b"<div class=sidebar>x" * 60_000),
    *(b"<div class=menu><a href=x>y</a>" * 30_000, b"{{" * 100_000, b"{{x}}" * 50_000),
    *(b"<p><a href=x>English</a>" * 30_000, b"<div style=display:none>x" * 60_000),
    b"<div class='" + b"a-" * 200_000 + b"'>",
    *(b"<header>" + b"words of a sentence " * 9 + b"<h1>x<main></main>" * 20_000, b"<p>x<a href=x>y<p>z" * 30_000),
)
NOISE = [*b"<>/&;=!-'\"\0 \xc2\xe2\xff"]


def soup(chance: random.Random, tags: list[str], words: list[str]) -> bytes:
    """A page of tags and words in any order, some bytes of it changed."""
    parts = []
    for _ in range(chance.randrange(60)):
        tag = chance.choice(tags)
        name = tag.split()[0]
        parts.append(chance.choice((f"<{tag}>", f"</{name}>", f"<{tag}/>", chance.choice(words), f"<{tag}")).encode())
        if chance.random() < 0.1:
            parts.append(chance.randbytes(1))
    page = bytearray(b"".join(parts))
    for _ in range(chance.randrange(4)):
        if page:
            page[chance.randrange(len(page))] = chance.choice(NOISE)
    return bytes(page)


def bombs() -> Iterable[bytes]:
    """Large pages: for the sanitiser of addresses, for they take that of threads minutes and share nothing."""
    return BOMBS if threading.active_count() <= 2 else ()


def workout(seed: int, fuzz: str) -> str:
    if fuzz not in sys.path:
        sys.path[:0] = [fuzz, str(Path(__file__).parent)]
    import markup_kernel  # noqa: PLC0415 - beside this file
    from targets import TAGS, WORDS  # noqa: PLC0415 - of a program whose folder is no package

    limits = Limits(anchor_texts=True, max_links=50)
    for bomb in bombs():
        read_document(bomb, limits)
        read_document(bomb, Limits())
    chance = random.Random(seed)  # noqa: S311 - the same in every thread
    seen = hashlib.sha256()
    for _ in range(200):
        page = soup(chance, TAGS, WORDS)
        document = read_document(page, limits)
        seen.update(repr(read_document(page, Limits(max_links=50)).text).encode())
        seen.update(repr((document.text, document.title, document.targets, document.references)).encode())
        text = tokenizer.parse_markup(page, limit=9, depth=20).text
        ends = [chance.randrange(len(text) + 1) for _ in range(2 * chance.randrange(9))]
        pairs = zip(ends[::2], ends[1::2], strict=True)
        spans = sorted((min(pair), max(pair)) for pair in pairs if pair[0] != pair[1])
        seen.update(markup_kernel.move_spans(text, spans)[0])
    return f"went through {seen.hexdigest()[:8]}"
