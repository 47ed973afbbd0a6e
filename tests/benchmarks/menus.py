"""Pages with a site's menu round them: ``python tests/benchmarks/menus.py [--sets ...] [--kinds ...] [--seeds 1 2]``.

Reads each collection as it is and, those without menus, again in the styles of `site_menus`: ``A`` with class names and
semantic elements, ``B`` without any telling name. Prints per bucket the accuracy of the linked pages in per cent (text
alone, INLINKS, the default), the calibration error of the default in points, and how many pages are wrong, at any
confidence, at .9 and at .99. With ``--own`` the pages' own text is read and nothing else, while menus still link: what
is left wrong then no better main content would help. ``--keep FOLDER`` keeps what was made, with the databases;
``--only-make`` reads nothing.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from graph_tables import DATA
from site_menus import KINDS, read_texts, rebuild

from graphlang import Collection
from graphlang.db import open_existing
from graphlang.db.collection import find_page
from graphlang.db.runs.answers import read_answers, read_labels
from graphlang.evaluation.evaluate import evaluate, read_gold
from graphlang.ingest.links.canonical import canonical_url

if TYPE_CHECKING:
    import sqlite3

    from graphlang.db.runs.run import Run
    from graphlang.evaluation.evaluate import Gold

SETS = ("docs-short30", "docs-full", "httpd2006-short30", "menu-short30", "menu-full")
BUCKETS = ("cut<25", "cut<50", "natural<25", "natural<50", "natural<300", "full")
ROWS = {"content": "text alone", "INLINKS": "INLINKS", "propagation": "default"}
SURE = (0.9, 0.99)


def wrong_confidences(connection: sqlite3.Connection, gold: Gold, run: Run) -> np.ndarray:
    """Confidence of each wrong answer; 0 where there is none."""
    names = {label: language for label, (_, language, _) in read_labels(connection).items()}
    answers = read_answers(connection, run.id)
    of_page = dict(
        zip(answers.pages.tolist(), zip(answers.label.tolist(), answers.confidence.tolist(), strict=True), strict=True)
    )
    confidences = []
    for page, language in zip(gold.pages, gold.language, strict=True):
        label, confidence = of_page.get(page, (None, 0.0))
        if names.get(label) != language:
            confidences.append(confidence)
    return np.array(confidences)


def show(connection: sqlite3.Connection, gold: Gold, runs: list[Run]) -> None:
    for run in runs:
        evaluation = evaluate(connection, gold, run, "bucket")
        groups = {group.group.partition(" ")[2]: group for group in evaluation.groups}
        buckets = [bucket for bucket in BUCKETS if bucket in groups]
        if run.kind == "content":
            print(f"  {'linked pages':<14}" + "".join(f"{bucket:>13}" for bucket in buckets))
            counts = "".join(f"{groups[bucket].linked:>13,}" for bucket in buckets)
            print(f"  {'':<14}{counts}")
        cells = "".join(f"{100 * groups[bucket].linked_accuracy:>13.1f}" for bucket in buckets)
        print(f"  {ROWS.get(run.kind, run.kind):<14}{cells}")
        if run.kind == "propagation":
            errors = "".join(f"{100 * groups[bucket].calibration_error:>13.1f}" for bucket in buckets)
            print(f"  {'calibration':<14}{errors}")
            every = "".join(f"{100 * groups[bucket].accuracy:>13.1f}" for bucket in buckets)
            print(f"  {'all pages':<14}{every}")
            wrong = wrong_confidences(connection, gold, run)
            sure = ", ".join(
                f"{(wrong >= least).sum()} at {least:.2g} ({100 * (wrong >= least).mean() if len(wrong) else 0:.1f} %)"
                for least in SURE
            )
            print(f"  wrong: {len(wrong)} of {len(gold.pages):,}, {sure}", flush=True)


def keep_own_texts(database: Path, source: Path, labels: Path) -> None:
    """Let each page have the text of `source` alone, the archive before menus came, or none."""
    with closing(open_existing(database, write=True)) as connection:
        for url, text in read_texts(source, labels):
            page = find_page(connection, canonical_url(url) or url)
            if text:
                connection.execute("UPDATE texts SET text = ?, main = ? WHERE page = ?", (text, len(text), page))
            else:
                connection.execute("DELETE FROM texts WHERE page = ?", (page,))


def measure(archive: Path, labels: Path, database: Path, source: Path | None = None) -> None:
    collection = Collection(database)
    if source is None:
        collection.run(archive)
    else:
        collection.ingest(archive)
        keep_own_texts(database, source, labels)
        collection.classify()
        collection.vote()
        collection.propagate()
    with closing(open_existing(database)) as connection:
        show(connection, read_gold(connection, labels, "bucket"), collection.runs())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--kinds", nargs="+", choices=["as-is", *KINDS], default=["as-is", *KINDS])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1], help="for styles of the hosts")
    parser.add_argument("--own", action="store_true", help="read the pages' own text alone")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where archives and databases stay")
    parser.add_argument("--only-make", action="store_true", help="write the archives and read none")
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("no data: set GRAPHLANG_DATA to the folder that holds web/")
    tasks = [
        (name, kind, seed)
        for name in options.sets
        for kind in options.kinds
        for seed in (options.seeds if kind in KINDS else [0])
        if kind == "as-is" or not name.startswith("menu-")
    ]
    for name, kind, seed in tasks:
        with tempfile.TemporaryDirectory() as temporary:
            folder = options.keep or Path(temporary)
            folder.mkdir(parents=True, exist_ok=True)
            stem = name if kind == "as-is" else f"{name}-{kind}{seed}"
            print(stem, flush=True)
            source = archive = DATA / f"{name}.warc.gz"
            labels = DATA / f"{name}.gold.tsv"
            if kind != "as-is":
                archive = folder / f"{stem}.warc.gz"
                for host, style in rebuild(DATA, name, kind, seed, archive).items():
                    print(f"  {host}: {', '.join(f'{key} {value}' for key, value in style._asdict().items())}")
                if options.keep:
                    shutil.copyfile(labels, folder / f"{stem}.gold.tsv")
            if not options.only_make:
                database = folder / f"{stem}.db"
                database.unlink(missing_ok=True)
                measure(archive, labels, database, source if options.own else None)


if __name__ == "__main__":
    main()
