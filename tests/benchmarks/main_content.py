"""Main content beside trafilatura's and resiliparse's: ``python tests/benchmarks/main_content.py [ARCHIVE ...]``.

A random sample (`--pages`, `--seed`) of the HTML pages of each archive under ``bench/``. Rows: archive, peer, pages,
and in per cent: the peer's lines that our main content has (recall), the characters of our main content in lines that
the peer's text has (precision); then the median characters of ours and of the peer's, and the pages on which ours is
more than three times as long. Lines are compared without white space, case and punctuation; one of ours that is part
of a line of the peer's counts, and the other way round. Pages of which the peer finds no text are left out.

The peers are optional: ``pip install trafilatura resiliparse``.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import random
import re
import statistics
import sys
from typing import TYPE_CHECKING

import development_data

from graphlang.ingest import Limits
from graphlang.ingest import page as parse
from graphlang.ingest.formats.detect import open_records
from graphlang.ingest.html.document import read_document
from graphlang.ingest.payload import http
from graphlang.ingest.payload.charset import decode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

DATA = development_data.DATA / "bench"
ARCHIVES = ("news-pages", "manuals")
MUCH_LONGER = 3
NO_LETTERS = re.compile(r"[\W_]+")


def sample(path: Path, count: int, seed: int) -> list[str]:
    """Return the markup of some HTML pages of an archive."""
    limits, pages = Limits(), []
    with open_records(path, limits) as records:
        for raw in records:
            if not parse.is_candidate(raw) or not raw.block.startswith(b"HTTP/"):
                continue
            answer = http.parse_response(raw.block, limits.max_header, limits.max_payload)
            mime, charset = http.parse_media_type(answer.fields.get("content-type", ""))
            if http.detect_form(mime, answer.payload) == "html":
                text = decode(answer.payload, charset, markup=True).text
                pages.append(text if isinstance(text, str) else text.decode("utf-8", "replace"))
    return random.Random(seed).sample(pages, min(count, len(pages)))  # noqa: S311 - a sample, not a secret


def main_content(markup: str) -> str:
    """Return our main content of a page."""
    page = read_document(markup, Limits())
    return page.text[: page.main_length]


def peers() -> dict[str, Callable[[str], str]]:
    """Return what other programs do, by name: those that are installed."""
    extractors: dict[str, Callable[[str], str]] = {}
    if importlib.util.find_spec("trafilatura"):
        trafilatura = importlib.import_module("trafilatura")
        extractors["trafilatura"] = lambda markup: trafilatura.extract(markup, include_comments=False) or ""
    if importlib.util.find_spec("resiliparse"):
        html2text = importlib.import_module("resiliparse.extract.html2text")
        extractors["resiliparse"] = lambda markup: html2text.extract_plain_text(markup, main_content=True) or ""
    return extractors


def lines_of(text: str) -> list[str]:
    """Return the lines of a text without white space, case and punctuation; empty ones are left out."""
    return [line for line in (NO_LETTERS.sub("", line).casefold() for line in text.splitlines()) if line]


def covered(lines: list[str], others: list[str]) -> list[bool]:
    """Whether each line is among others, or part of one, or holds only whole ones of them.

    >>> covered(["ab", "b", "abcd", "x"], ["ab", "cd"])
    [True, True, True, False]
    """
    known, whole = set(others), "\n".join(others)
    long = sorted({other for other in others if len(other) > 1}, key=len, reverse=True)
    result = []
    for line in lines:
        is_covered = line in known or line in whole
        if not is_covered:
            rest = line
            for other in long:
                if other in rest:
                    rest = rest.replace(other, "")
            is_covered = not rest
        result.append(is_covered)
    return result


def main() -> None:
    """Print a row for each archive and peer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="*", default=list(ARCHIVES), help="names of archives under bench/")
    parser.add_argument("--pages", type=int, default=250)
    parser.add_argument("--seed", type=int, default=36)
    parser.add_argument("--worst", type=int, default=0, help="also print so many lines that only one of the two has")
    options = parser.parse_args()
    extractors = peers()
    if not DATA.is_dir():
        sys.exit("no data: set GRAPHLANG_DATA to the folder that holds bench/")
    if not extractors:
        sys.exit("no peer is installed: pip install trafilatura resiliparse")
    print(
        f"{'archive':12} {'peer':12} {'pages':>5} {'recall':>7} {'precision':>9} {'ours':>6} {'peer':>6} {'3 times':>7}"
    )
    for archive in options.archives:
        pages = sample(DATA / f"{archive}.warc.gz", options.pages, options.seed)
        ours = [main_content(page) for page in pages]
        for name, extract in extractors.items():
            theirs = [extract(page) for page in pages]
            kept = [(own, other) for own, other in zip(ours, theirs, strict=True) if lines_of(other)]
            lines = shared_lines = characters = shared_characters = longer = 0
            only: list[tuple[str, str]] = []
            for own, other in kept:
                own_lines, other_lines = lines_of(own), lines_of(other)
                there = covered(other_lines, own_lines)
                lines, shared_lines = lines + len(there), shared_lines + sum(there)
                only += [("peer", line) for line, is_there in zip(other_lines, there, strict=True) if not is_there]
                for line, is_there in zip(own_lines, covered(own_lines, other_lines), strict=True):
                    characters += len(line)
                    shared_characters += len(line) * is_there
                    if not is_there:
                        only.append(("ours", line))
                longer += len(own) > MUCH_LONGER * len(other)
            print(
                f"{archive:12} {name:12} {len(kept):5} {100 * shared_lines / max(1, lines):7.1f}"
                f" {100 * shared_characters / max(1, characters):9.1f}"
                f" {statistics.median(len(own) for own, _ in kept):6.0f}"
                f" {statistics.median(len(other) for _, other in kept):6.0f} {longer:7}"
            )
            chance = random.Random(options.seed)  # noqa: S311 - a sample, not a secret
            for who, line in chance.sample(only, min(options.worst, len(only))):
                print(f"  only {who}: {line[:100]}")


if __name__ == "__main__":
    main()
