"""The links on more draws of the labelled collections: ``python tests/benchmarks/graph_draws.py [--draws 3]``.

docs-full and httpd2006-legacy are cut anew: of the pages of 100 characters or more so many in a hundred show a few of
their words, fewer than 25 characters or 25 to 49. Their URLs and declarations, which name the language on most of these
sites, say nothing. ``switching`` is five or six small sites of docs-full: whole texts with all their versions, each of
which lists the others before its own links; ``hostile`` the same without four in five of the links that keep the
language; ``hostile, no order`` with lists that have no common order. Rows and cells are those of ``graph_tables.py``.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from graph_tables import CODE, DATA, show

from graphlang.analysis.classify import classify
from graphlang.analysis.ingest import ingest
from graphlang.analysis.propagate import SIGNALS, propagate
from graphlang.content import registry
from graphlang.db import create
from graphlang.evaluation.evaluate import Gold, read_gold
from graphlang.graph.options import Options

if TYPE_CHECKING:
    import sqlite3

KINDS = ("switching", "hostile", "hostile, no order")
SITE = 150  #: pages of a small site, at least, if it has so many
FEWEST = 3  #: versions of a text
KEPT = 0.2  #: share of the links that keep the language, on hostile sites
LISTED = 60  #: places that come before a page's own links
LONG, SHORT, MIDDLE = 100, (3, 24), (25, 49)  #: characters
LETTERS = 3  #: of a piece, at least


def piece(text: str, least: int, most: int, chance: random.Random) -> str:
    """A few words from somewhere in a text, of so many characters if that can be had."""
    words = text.split()
    for _ in range(20):
        at = chance.randrange(len(words))
        found = words[at]
        for word in words[at + 1 :]:
            if len(found) + 1 + len(word) > most:
                break
            found = f"{found} {word}"
        if least <= len(found) <= most and sum(map(str.isalpha, found)) >= LETTERS:
            return found
    return text[:most]


def cut(connection: sqlite3.Connection, gold: Gold, share: float, chance: random.Random) -> None:
    """Cut pages short; the gold groups say which."""
    group = {}
    of_gold = set(gold.pages)
    for page, text in connection.execute("SELECT page, text FROM texts ORDER BY page").fetchall():
        if page in of_gold and len(text) >= LONG and text.strip() and chance.random() < share:
            group[page], bounds = chance.choice((("cut<25", SHORT), ("cut<50", MIDDLE)))
            connection.execute("UPDATE texts SET text = ? WHERE page = ?", (piece(text, *bounds, chance), page))
    gold.group[:] = [group.get(page, before) for page, before in zip(gold.pages, gold.group, strict=True)]


def small_sites(connection: sqlite3.Connection, chance: random.Random) -> list[list[tuple[str, int]]]:
    """Versions of some texts of each host, by code and page."""
    texts: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    for page, url in connection.execute("SELECT id, url FROM pages ORDER BY id"):
        parts = url.split("/")[2:]
        code = next((place for place, part in enumerate(parts[1:], 1) if CODE.fullmatch(part)), None)
        if code is not None:
            texts.setdefault((*parts[:code], "", *parts[code + 1 :]), []).append((parts[code], page))
    sites: dict[str, list[list[tuple[str, int]]]] = {}
    for name, versions in sorted(texts.items()):
        if len(versions) >= FEWEST:
            sites.setdefault(name[0], []).append(sorted(versions))
    found = []
    for _, groups in sorted(sites.items()):
        chance.shuffle(groups)
        count = 0
        for versions in groups:
            if count <= SITE:
                found.append(versions)
            count += len(versions)
    return found


def make_sites(connection: sqlite3.Connection, gold: Gold, kind: str, chance: random.Random) -> None:
    """Leave small sites of texts with all their versions, which list each other."""
    rows = []
    texts = small_sites(connection, chance)
    for versions in texts:
        for _, source in versions:
            others = [page for _, page in versions if page != source]
            if kind == KINDS[2]:
                chance.shuffle(others)
            rows += [(source, target, place) for place, target in enumerate(others)]
    kept = {page for versions in texts for _, page in versions}
    dropped = [(page,) for page in gold.pages if page not in kept]
    for table, column in (("captures", "page"), ("texts", "page"), ("links", "source"), ("links", "target")):
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", dropped)
    if kind != KINDS[0]:
        language = dict(zip(gold.pages, gold.language, strict=True))
        links = connection.execute("SELECT source, target FROM links ORDER BY source, target").fetchall()
        same = [link for link in links if language.get(link[0]) == language.get(link[1]) and chance.random() > KEPT]
        connection.executemany("DELETE FROM links WHERE source = ? AND target = ?", same)
    connection.execute("UPDATE links SET place = place + ?", (LISTED,))
    insert = "INSERT OR IGNORE INTO links (source, target, kind, nofollow, place) VALUES (?, ?, 7, 0, ?)"
    connection.executemany(insert, rows)
    left = [place for place, page in enumerate(gold.pages) if page in kept]
    for column in (gold.pages, gold.language, gold.group):
        column[:] = [column[place] for place in left]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--seeds", nargs="+", default=["nfc"])
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("no data: set GRAPHLANG_DATA to the folder that holds web/")
    tasks = [(name, f"{share}", share) for name in ("httpd2006-legacy", "docs-full") for share in (0.3, 0.6)]
    tasks += [("docs-full", kind, 0.3) for kind in KINDS]
    for name, kind, share in tasks:
        for draw in range(options.draws):
            print(f"{name}, {kind}, draw {draw}")
            chance = random.Random(f"{name} {kind} {draw}")  # noqa: S311 - a sample, not a secret
            with tempfile.TemporaryDirectory() as folder, closing(create(Path(folder) / "a.db")) as connection:
                ingest(connection, [DATA / f"{name}.warc.gz"], workers=1)
                gold = read_gold(connection, DATA / f"{name}.gold.tsv", "bucket")
                connection.execute("DELETE FROM declarations")
                if kind in KINDS:
                    make_sites(connection, gold, kind, chance)
                cut(connection, gold, share, chance)
                for method in options.seeds:
                    show(connection, gold, f"content ({method})", classify(connection, registry.load(method)))
                    show(
                        connection,
                        gold,
                        "default",
                        propagate(connection, options=Options(directory=0), signals=dict.fromkeys(SIGNALS, 0.0)),
                    )


if __name__ == "__main__":
    main()
