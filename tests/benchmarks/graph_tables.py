"""What the links add, by bucket: ``python tests/benchmarks/graph_tables.py [--seeds nfc lid176 cld2] [--sets ...]``.

For each labelled collection and content method: content alone, INLINKS, OUTLINKS, ClueWeb09's rule (for pages never
fetched), TOP-LEVEL DOMAIN, harmonic, the default, and the default without each signal in turn. Each cell is the
accuracy over all pages of the bucket, over those with an inlink, and the expected calibration error, in per cent. With
``--hidden`` a fifth of the pages of docs-full is not read at all and 30 % are cut short, so that the URL (which names
the language on many of these sites) and the links are all there is.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from graphlang.db import create

from graphlang.analysis.classify import classify
from graphlang.analysis.ingest import ingest
from graphlang.analysis.propagate import SIGNALS, propagate
from graphlang.analysis.tld import classify_tld
from graphlang.analysis.vote import guess, vote
from graphlang.content import methods
from graphlang.evaluate import Gold, evaluate, read_gold
from graphlang.graph.propagate import Options

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.runs import Run

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[2].parent / "shared" / "data")) / "web"
SETS = ("docs-short30", "docs-short60", "httpd2006-short30", "docs-full", "httpd2006-legacy")
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
    show(connection, gold, f"content ({method})", classify(connection, methods.load(method)))
    show(connection, gold, "INLINKS", vote(connection))
    show(connection, gold, "OUTLINKS", vote(connection, outlinks=True))
    show(connection, gold, "ClueWeb09's rule", guess(connection))
    show(connection, gold, "TOP-LEVEL DOMAIN", classify_tld(connection))
    show(connection, gold, "harmonic", propagate(connection, algorithm="harmonic"))
    show(connection, gold, "default", propagate(connection))
    for name in SIGNALS:
        show(connection, gold, f"  without {name}", propagate(connection, signals={**SIGNALS, name: 0.0}))
    for name in ("neighbours", "site", "directory", "hreflang"):
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", nargs="+", default=["nfc"])
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--hidden", action="store_true")
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("no data: set GRAPHLANG_DATA to the folder that holds web/")
    for name in ["docs-full"] if options.hidden else options.sets:
        print(name + (", a fifth hidden" if options.hidden else ""))
        for method in options.seeds:
            with tempfile.TemporaryDirectory() as folder, closing(create(Path(folder) / "a.db")) as connection:
                ingest(connection, [DATA / f"{name}.warc.gz"], workers=1)
                gold = read_gold(connection, DATA / f"{name}.gold.tsv", "bucket")
                if options.hidden:
                    hide(connection, gold)
                table(connection, gold, method)


if __name__ == "__main__":
    main()
