"""Small archives made after bug reports of other tools: ``python tests/benchmarks/archives.py [-v] [CASE...]``.

Each case of ``complaints/archives.tsv`` is read alone, and its pages are compared with what is expected of them. A
case is *right*, *reported* (not right, but a problem says so), *wrong* (not right, without a problem) or *lost* (text
or a page is missing, without a problem). The README beside the data explains the columns.
"""

from __future__ import annotations

import csv
import os
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from graphlang import identify
from graphlang.db.records import LinkKind, Links, Page, Problem
from graphlang.ingest import discover_files, iterate_batches

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
FOLDER = DATA / "complaints"
_EXPECTATION = re.compile(r"; (?=(?:pages|text|lang|link|main|page|nopage) |noproblem)")


def read_items(path: Path) -> list[Page | Problem]:
    """Return all pages and problems of a file or folder."""
    try:
        files = discover_files([path])
    except OSError as error:
        return [Problem("unreadable", str(error), 0)]
    skipped: list[Page | Problem] = [Problem("not-an-archive", file.reason, 0) for file in files.skipped]
    return skipped + [item for batch in iterate_batches([(file, 0) for file in files.files]) for item in batch.items]


def failures(expected: str, pages: list[Page], problems: list[Problem]) -> Iterator[tuple[str, str]]:
    """Yield the expectations that are not met, and whether each is ``wrong`` or ``lost``."""
    captures = {page.url: page for page in pages}
    for expectation in _EXPECTATION.split(expected):
        word, *arguments = expectation.split(" ", 2)
        page = captures.get(arguments[0]) if arguments else None
        if word == "pages":
            texts = sum(bool(page.text) for page in pages)
            if texts != int(arguments[0]):
                yield "lost" if texts < int(arguments[0]) else "wrong", expectation
        elif word in {"nopage", "noproblem"}:
            if page is not None or (word == "noproblem" and problems):
                yield "wrong", expectation
        elif page is None or (word != "page" and not _meets(page, word, arguments[1])):
            yield "lost" if page is None or not page.text else "wrong", expectation


def _meets(page: Page, word: str, value: str) -> bool:
    if word == "lang":
        return identify([page.text])[0].language == value
    if word == "link":
        target, _, kind = value.partition(" ")
        kinds = {link.url: link.kind for link in Links.from_links(page.links)}
        return target in kinds and (not kind or kinds[target] == LinkKind[kind.upper()])
    text = page.text[: page.main_length] if word == "main" else f"{page.title} {page.text}"
    return _fold(value) in _fold(text)


def _fold(text: str) -> str:
    return " ".join(text.split())


def main() -> None:
    """Print each case that is not right, and the totals."""
    verbose, names = "-v" in sys.argv, {name for name in sys.argv[1:] if name != "-v"}
    totals: Counter[str] = Counter()
    with (FOLDER / "archives.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if names and row["case"] not in names:
                continue
            items = read_items(FOLDER / "archives" / row["files"])
            pages = [item for item in items if isinstance(item, Page)]
            problems = [item for item in items if isinstance(item, Problem)]
            failed = list(failures(row["expected"], pages, problems))
            outcome = "right"
            if failed:
                silent = "lost" if any(kind == "lost" for kind, _ in failed) else "wrong"
                outcome = "reported" if problems else silent
                print(f"{row['case']:<6} {outcome:<9} {row['condition'][:90]}")
            totals[outcome] += 1
            if verbose:
                for _, expectation in failed:
                    print(f"         not met: {expectation[:110]}")
                for problem in problems:
                    print(f"         {problem.kind}: {problem.reason[:110]}")
                for page in pages:
                    print(f"         {page.url} {page.mime} {page.charset} ({page.charset_from}) {page.text[:60]!r}")
    print("; ".join(f"{outcome} {totals[outcome]}" for outcome in ("right", "reported", "wrong", "lost")))


if __name__ == "__main__":
    main()
