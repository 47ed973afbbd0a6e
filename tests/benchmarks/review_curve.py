"""What checking some pages by hand is worth: ``python tests/benchmarks/review_curve.py [--sets ...] [--methods ...]``.

Pages of a labelled collection are corrected by their gold labels, those that ``graphlang review`` names and as many at
random, and the inference is done again. A line says how many pages were checked, how many of them had been wrong, how
many of the *other* pages were wrong before and are right now, less those that it made wrong, and what share of the
others is right: of all, and of those with an inlink. Random choices are the mean over several.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING

from graphlang.analysis.classify import classify
from graphlang.analysis.correct import Said, correct
from graphlang.analysis.ingest import ingest
from graphlang.analysis.propagate import propagate
from graphlang.content import registry
from graphlang.db import create
from graphlang.evaluation.evaluate import read_gold
from graphlang.maps.review import review_rows

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

DATA = Path(os.environ.get("GRAPHLANG_DATA", Path(__file__).parents[2].parent / "shared" / "data")) / "web"
Right = dict[str, bool]


class World:
    """A labelled collection, classified and inferred, that any number of checks start from.

    Args:
        folder: for its databases.
        name: of the labelled set.
        method: content method.
    """

    def __init__(self, folder: Path, name: str, method: str) -> None:
        self.path, self.copy = folder / "base.db", folder / "checked.db"
        with closing(create(self.path)) as connection:
            ingest(connection, [DATA / f"{name}.warc.gz"])
            classify(connection, registry.load(method))
            propagate(connection)
            gold = read_gold(connection, DATA / f"{name}.gold.tsv", None)
            urls = dict(connection.execute("SELECT id, url FROM pages"))
            self.gold = {urls[page]: language for page, language in zip(gold.pages, gold.language, strict=True)}
            self.linked = {url for (url,) in connection.execute("SELECT DISTINCT target_url FROM link_details")}
            words = "SELECT url FROM texts JOIN pages ON id = page WHERE title <> '' OR text <> '' ORDER BY page"
            self.open = [url for (url,) in connection.execute(words) if url in self.gold]
            self.before = self.right(connection)

    def right(self, connection: sqlite3.Connection) -> Right:
        """By URL whether what the views show is right."""
        shown = connection.execute("SELECT url, language FROM page_languages")
        return {url: language == self.gold[url] for url, language in shown if url in self.gold}

    def named(self, count: int) -> list[str]:
        """The pages that ``review`` names."""
        with closing(create(self.path)) as connection:
            return [row[0] for row in review_rows(connection, count=count) if row[0] in self.gold]

    def check(self, urls: Sequence[str]) -> tuple[float, ...]:
        """Correct some pages and infer again; returns the numbers of a line."""
        shutil.copy(self.path, self.copy)
        with closing(create(self.copy)) as connection:
            correct(connection, [Said(url, self.gold[url]) for url in urls], by="gold")
            propagate(connection)
            after = self.right(connection)
        others = self.before.keys() - set(urls)
        return (
            len(urls),
            sum(not self.before[url] for url in urls),
            sum(after[url] - self.before[url] for url in others),
            100 * mean(after[url] for url in others),
            100 * mean(after[url] for url in others & self.linked),
        )


def line(name: str, rows: Sequence[Sequence[float]]) -> None:
    checked, wrong, repaired, right, linked = (mean(column) for column in zip(*rows, strict=True))
    print(f"{name:<10} {checked:7.0f} {wrong:11.1f} {repaired:+17.1f} {right:13.2f} {linked:19.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=["docs-short30"])
    parser.add_argument("--methods", nargs="+", default=["nfc", "nfc-2004"])
    parser.add_argument("--counts", nargs="+", type=int, default=[20, 50, 100])
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    for name in given.sets:
        for method in given.methods:
            with tempfile.TemporaryDirectory() as folder:
                world = World(Path(folder), name, method)
                print(f"\n{name}, {method}: {len(world.before):,} pages, {sum(world.before.values()):,} right")
                print("choice     checked  were wrong  repaired elsewhere  others right  with an inlink right")
                for count in given.counts:
                    line("review", [world.check(world.named(count))])
                    draws = (random.Random(seed).sample(world.open, count) for seed in range(given.seeds))  # noqa: S311
                    line("random", [world.check(draw) for draw in draws])


if __name__ == "__main__":
    main()
