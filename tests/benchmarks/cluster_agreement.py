"""Spark against one machine: ``python tests/benchmarks/cluster_agreement.py [--sets NAME ...] [--parts 2 8]``.

Each archive goes through ``graphlang cluster run`` and ``graphlang import``, and through ``graphlang run`` beside it;
hosts and directories are cut that have more than pages / partitions pages. docs-full has a fifth of its pages hidden
(see ``graph_tables.py``): that is a database, so that its tables are loaded, and ``infer`` works on these. Shown are
the shares of fetched pages and of all URLs with the same language on both sides, accuracy by bucket and what Spark
changes of it, and supersteps.
"""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import graph_tables

from graphlang.analysis.classify import classify
from graphlang.analysis.ingest import ingest
from graphlang.analysis.propagate import propagate
from graphlang.cluster import job, session
from graphlang.cluster.import_tables import to_database
from graphlang.cluster.load import export_database
from graphlang.cluster.partitions import Sizes, infer
from graphlang.content import registry
from graphlang.db import create
from graphlang.db.write.choose_capture import Keep
from graphlang.evaluation.evaluate import read_gold

SETS = graph_tables.SETS[:4]
_LANGUAGES = "SELECT url, language, fetched FROM page_languages"


def read_languages(path: Path) -> dict[str, tuple[str, int]]:
    """The language of each URL of a collection, and whether it was fetched."""
    with closing(sqlite3.connect(path)) as connection:
        return {url: (language, fetched) for url, language, fetched in connection.execute(_LANGUAGES)}


def run_on_one_machine(name: str, path: Path) -> dict[str, tuple[str, str]]:
    """Make a collection as ``graphlang run`` does, a fifth of docs-full hidden.

    Returns:
        Language and bucket of each URL of the gold file.
    """
    with closing(create(path)) as connection:
        ingest(connection, [graph_tables.DATA / f"{name}.warc.gz"], workers=1, keep=Keep.BEST)
        gold = read_gold(connection, graph_tables.DATA / f"{name}.gold.tsv", "bucket")
        if name == "docs-full":
            graph_tables.hide(connection, gold)
        classify(connection, registry.load("nfc"))
        propagate(connection)
        urls = dict(connection.execute("SELECT id, url FROM pages"))
        rows = zip(gold.pages, gold.language, gold.group, strict=True)
        return {urls[page]: (language, group) for page, language, group in rows}


def of_tables(spark: Any, tables: Path, sizes: Sizes) -> Any:
    """Infer from the tables of a collection that was loaded, and put the answers in place of one machine's."""
    read = {name: spark.read.parquet(f"{tables}/{name}") for name in ("pages", "links", "captures", "answers/run=1")}
    pages = read["pages"].join(read["answers/run=1"], "page", "left")
    pages = pages.join(read["captures"].select("page", "declared"), "page", "left")
    labels = registry.load("nfc").labels
    done = infer(pages, read["links"], f"{tables}.work", labels=labels, sizes=sizes, answers=f"{tables}.answers")
    (tables / "answers" / "run=2").rename(f"{tables}.alone")
    Path(f"{tables}.answers").rename(tables / "answers" / "run=2")
    return done


def accuracy(found: dict[str, tuple[str, int]], gold: dict[str, tuple[str, str]]) -> dict[str, float]:
    """Pages of each bucket whose language is right, in per cent."""
    pages, right = Counter[str](), Counter[str]()
    for url, (language, bucket) in gold.items():
        pages[bucket] += 1
        right[bucket] += found.get(url, ("", 0))[0] == language
    return {bucket: 100 * right[bucket] / pages[bucket] for bucket in graph_tables.BUCKETS if pages[bucket]}


def compared(spark: Any, name: str, parts: list[int], folder: Path) -> None:
    """One collection, cut in several ways."""
    gold = run_on_one_machine(name, folder / "one.db")
    one = read_languages(folder / "one.db")
    expected = accuracy(one, gold)
    print(
        f"{name}: {len(one)} URLs; " + ", ".join(f"{bucket} {value:.2f}" for bucket, value in expected.items()),
        flush=True,
    )
    for many in parts:
        sizes = Sizes(many, host_pages=-(-len(one) // many))
        tables, started = folder / f"tables-{many}", time.perf_counter()
        if name == "docs-full":
            export_database(folder / "one.db", tables)
            done = of_tables(spark, tables, sizes)
        else:
            done = job.run(spark, [str(graph_tables.DATA / f"{name}.warc.gz")], str(tables), sizes=sizes)
        seconds = time.perf_counter() - started
        to_database(tables, folder / f"{many}.db")
        found = read_languages(folder / f"{many}.db")
        fetched = [url for url, (_, there) in one.items() if there]
        agree, every = (100 * sum(found[url] == one[url] for url in urls) / len(urls) for urls in (fetched, list(one)))
        changes = accuracy(found, gold)
        print(
            f"  {many} partitions: agree {agree:.3f} (all URLs {every:.3f}); "
            + ", ".join(f"{bucket} {changes[bucket] - value:+.2f}" for bucket, value in expected.items())
            + f"; {done.supersteps} supersteps{'' if done.converged else ' (cap)'}, {seconds:.0f} s",
            flush=True,
        )


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    parser.add_argument("--parts", nargs="+", type=int, default=[2, 8])
    parser.add_argument("--master", default="local[2]")
    options = parser.parse_args()
    spark = session(options.master, {"spark.sql.shuffle.partitions": "4"})
    for name in options.sets:
        with tempfile.TemporaryDirectory() as folder:
            compared(spark, name, options.parts, Path(folder))
    spark.stop()


if __name__ == "__main__":
    main()
