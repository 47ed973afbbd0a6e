"""What the links add, by bucket: ``python tests/benchmarks/graph_tables.py [--seeds nfc lid176 cld2] [--sets ...]``.

For each labelled collection and content method: content alone, INLINKS once and in ten rounds, OUTLINKS, ClueWeb09's
rule (for pages never fetched), TOP-LEVEL DOMAIN, label spreading, the default, and the default without each signal in
turn. Each cell is the accuracy over all pages of the bucket, over those with an inlink, and the expected calibration
error, in per cent. With
``--hidden`` a fifth of the pages of docs-full is not read at all and 30 % are cut short, so that the URL (which names
the language on many of these sites) and the links are all there is. With ``--translations`` the links of docs-short30
and docs-short60 are others: each page lists the versions of its text in other languages, and nothing else; in the order
of their codes, or each page in an order of its own.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import development_data

from graphlang.analysis.classify import classify
from graphlang.analysis.collection_methods import classify_tld
from graphlang.analysis.ingest import ingest
from graphlang.analysis.propagate import SIGNALS, propagate
from graphlang.analysis.vote import guess, vote
from graphlang.content import registry
from graphlang.db import create
from graphlang.evaluation.evaluate import Gold, evaluate, read_gold
from graphlang.graph.propagation.inference import Options

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.runs.run import Run

DATA = development_data.DATA / "web"
SETS = ("docs-short30", "docs-short60", "httpd2006-short30", "docs-full", "httpd2006-legacy")
CODE = re.compile(r"[a-z]{2,3}([-_][A-Za-z]{2,4})?")
BUCKETS = ("cut<25", "cut<50", "natural<25", "natural<50", "natural<300", "full", "hidden")


def show(connection: sqlite3.Connection, gold: Gold, name: str, run: Run) -> None:
    cells = []
    groups = {group.group.partition(" ")[2]: group for group in evaluate(connection, gold, run, "bucket").groups}
    for bucket in BUCKETS:
        if bucket in groups:
            group = groups[bucket]
            linked = f"{100 * group.linked_accuracy:.1f}" if group.linked else "-"
            cells.append(f"{bucket} {100 * group.accuracy:.2f}/{linked} e{100 * group.calibration_error:.1f}")
    print(f"  {name:<26} " + "  ".join(cells), flush=True)


def table(connection: sqlite3.Connection, gold: Gold, method: str) -> None:
    show(connection, gold, f"content ({method})", classify(connection, registry.load(method)))
    show(connection, gold, "INLINKS", vote(connection))
    show(connection, gold, "INLINKS, ten rounds", vote(connection, rounds=10))
    show(connection, gold, "OUTLINKS", vote(connection, outlinks=True))
    show(connection, gold, "ClueWeb09's rule", guess(connection))
    show(connection, gold, "TOP-LEVEL DOMAIN", classify_tld(connection))
    show(connection, gold, "label spreading", propagate(connection, algorithm="label-spreading"))
    show(connection, gold, "default", propagate(connection))
    for name in SIGNALS:
        show(connection, gold, f"  without {name}", propagate(connection, signals={**SIGNALS, name: 0.0}))
    for name in ("neighbours", "site", "directory", "hreflang", "link_order"):
        show(connection, gold, f"  without {name}", propagate(connection, options=Options(**{name: 0})))


def hide(connection: sqlite3.Connection, gold: Gold) -> None:
    """Forget a fifth of the pages, cut 15 % to 22 characters and 15 % to 48; the gold groups say which."""
    chance = random.Random(20261121)  # noqa: S311 - a sample, not a secret
    part = {}
    for (page,) in connection.execute("SELECT page FROM captures ORDER BY page").fetchall():
        draw = chance.random()
        part[page] = "hidden" if draw < 0.2 else "cut<25" if draw < 0.35 else "cut<50" if draw < 0.5 else "full"
        if part[page] == "hidden":
            for name, column in (
                ("captures", "page"),
                ("texts", "page"),
                ("declarations", "page"),
                ("links", "source"),
            ):
                connection.execute(f"DELETE FROM {name} WHERE {column} = ?", (page,))
        elif part[page] != "full":
            length = 22 if part[page] == "cut<25" else 48
            connection.execute("UPDATE texts SET text = SUBSTR(text, 1, ?) WHERE page = ?", (length, page))
    gold.group[:] = [part.get(page, "full") for page in gold.pages]


def translate(connection: sqlite3.Connection, name: str, *, shuffled: bool) -> None:
    """Let each page link to the versions of its text alone; docs-full has the same pages with telling URLs."""
    versions: dict[tuple[str, ...], list[tuple[str, int]]] = {}
    ids = dict(connection.execute("SELECT url, id FROM pages"))
    for opaque, telling in zip(urls(name), urls("docs-full"), strict=True):
        parts = telling.split("/")[2:]
        code = next((place for place, part in enumerate(parts[1:], 1) if CODE.fullmatch(part)), None)
        if code is not None and opaque in ids:
            text = (*parts[:code], "", *parts[code + 1 :])
            versions.setdefault(text, []).append((parts[code], ids[opaque]))
    connection.execute("DELETE FROM links")
    chance = random.Random(20261121)  # noqa: S311 - a sample, not a secret
    rows = []
    for group in versions.values():
        for _, source in sorted(group):
            others = [target for _, target in sorted(group) if target != source]
            if shuffled:
                chance.shuffle(others)
            rows += [(source, target, place) for place, target in enumerate(others)]
    connection.executemany("INSERT INTO links (source, target, kind, nofollow, place) VALUES (?, ?, 7, 0, ?)", rows)


def urls(name: str) -> list[str]:
    with (DATA / f"{name}.gold.tsv").open(encoding="utf-8") as lines:
        return [row["url"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", nargs="+", default=["nfc"])
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--hidden", action="store_true")
    parser.add_argument("--translations", action="store_true")
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("no data: set GRAPHLANG_DATA to the folder that holds web/")
    if options.translations:
        tasks = [(name, f", versions {order}") for name in SETS[:2] for order in ("in order", "in no order")]
    else:
        tasks = [("docs-full", ", a fifth hidden")] if options.hidden else [(name, "") for name in options.sets]
    for name, words in tasks:
        print(name + words)
        for method in options.seeds:
            with tempfile.TemporaryDirectory() as folder, closing(create(Path(folder) / "a.db")) as connection:
                ingest(connection, [DATA / f"{name}.warc.gz"], workers=1)
                gold = read_gold(connection, DATA / f"{name}.gold.tsv", "bucket")
                if options.hidden:
                    hide(connection, gold)
                if options.translations:
                    translate(connection, name, shuffled="no order" in words)
                table(connection, gold, method)


if __name__ == "__main__":
    main()
