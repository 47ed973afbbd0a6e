"""Sites whose pages link to their versions in close languages and to nothing else: links that are hardly evidence.

    python tests/benchmarks/close_versions.py [--seeds nfc lid176]

Pages are made of one, two or three sentences of FLORES, in two of the sets cut short as in the collections of `web/`;
their URLs say nothing, and every page lists the others of its text in an order of its own. A site has the languages of
one of ``GROUPS``, which are close to each other. Each line: pages of 200 letters and more, how many of them are wrong
by their text and after the graph, the same of those told at .99 and more, how many that were right are wrong now, and
of the shorter pages the per cent right by text and after.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from development_data import DATA, flores_by_tag
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from graphlang.analysis import graph_input
from graphlang.analysis.classify import classify
from graphlang.analysis.ingest import ingest
from graphlang.analysis.propagate import SIGNALS
from graphlang.codes.languages import code
from graphlang.content import registry
from graphlang.db import create
from graphlang.evaluation.evaluate import read_gold
from graphlang.graph.propagation.inference import Options, propagate

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

GROUPS = (
    ("bs", "hr", "sl"),
    ("nb", "da", "nn", "sv"),
    ("ms", "id", "min", "jv"),
    ("cs", "sk", "pl"),
    ("pt", "gl", "es", "ca", "ast", "oc"),
    ("ru", "uk", "be", "bg", "mk"),
    ("fa", "prs"),
    ("hi", "mai", "bho", "awa", "mag"),
    ("az", "tr", "crh-Latn", "tk"),
    ("zu", "xh", "ss", "nso", "st", "tn"),
)
SETS = ((1, False), (2, False), (2, True), (3, True))  #: sentences on a page, whether some are cut
LONG = Options().clamp_length
CUTS = ((0.15, "cut<25", 22), (0.3, "cut<50", 48))


def pages(
    data: Path, groups: tuple[tuple[str, ...], ...], joined: int, *, cut: bool
) -> Iterator[tuple[str, str, str, str, list[str]]]:
    """URL, tag, bucket, text, links."""
    lines = flores_by_tag(data)
    draw = random.Random(20261123)  # noqa: S311 - a sample, not a secret
    for site, group in enumerate(groups):
        for first in range(0, 150, joined):
            name = {tag: f"https://site{site}.example/{draw.randrange(10**9):09d}" for tag in group}
            for tag in group:
                text = " ".join(lines[tag][first : first + joined])
                chance = draw.random() if cut else 1.0
                bucket, length = next(((word, size) for share, word, size in CUTS if chance < share), ("full", None))
                others = [name[other] for other in group if other != tag]
                draw.shuffle(others)
                yield name[tag], tag, bucket, text[:length], others


def write(
    folder: Path, data: Path, groups: tuple[tuple[str, ...], ...], joined: int, *, cut: bool
) -> tuple[Path, Path]:
    archive, gold = folder / "a.warc.gz", folder / "a.gold.tsv"
    with archive.open("wb") as out, gold.open("w", encoding="utf-8") as answers:
        writer = WARCWriter(out, gzip=True)
        answers.write("url\tlanguage\tbucket\n")
        for url, tag, bucket, text, links in pages(data, groups, joined, cut=cut):
            answers.write(f"{url}\t{code(tag)}\t{bucket}\n")
            menu = "".join(f'<a href="{link}"></a>' for link in links)
            body = f'<html><head><meta charset="utf-8"></head><body><p>{text}</p>{menu}</body></html>'.encode()
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            writer.write_record(
                writer.create_warc_record(
                    url,
                    "response",
                    payload=BytesIO(body),
                    http_headers=headers,
                    warc_headers_dict={"WARC-Date": "2026-11-23T00:00:00Z"},
                )
            )
    return archive, gold


def show(connection: sqlite3.Connection, path: Path, method: str) -> str:
    gold = read_gold(connection, path, "bucket")
    given = graph_input.load(connection, classify(connection, registry.load(method)), SIGNALS)
    answer = propagate(given.graph, given.evidence)
    rows = np.array(gold.pages) - 1
    codes = np.array([*given.evidence.codes, "und"])
    truth = np.array(gold.language)
    best, sure = (values[rows] for values in given.evidence.best())
    answered = answer.confidence[rows]
    before, now = codes[best] == truth, codes[answer.language[rows]] == truth
    long = given.evidence.length[rows] >= LONG
    surely = [int((long & ~right & (said >= 0.99)).sum()) for right, said in ((before, sure), (now, answered))]
    short = "".join(f", {100 * right[~long].mean():.1f}" for right in (before, now)) if (~long).any() else ""
    wrong = [int((long & ~right).sum()) for right in (before, now)]
    return (
        f"{long.sum()} long, wrong {wrong[0]} -> {wrong[1]}, at .99 {surely[0]} -> {surely[1]},"
        f" made wrong {(long & before & ~now).sum()}; short{short}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", nargs="+", default=["nfc"])
    wanted = parser.parse_args()
    for joined, cut in SETS:
        with tempfile.TemporaryDirectory() as name, closing(create(Path(name) / "a.db")) as connection:
            archive, gold = write(Path(name), DATA, GROUPS, joined, cut=cut)
            ingest(connection, [archive], workers=1)
            for method in wanted.seeds:
                print(f"{joined} sentences{', cut' * cut}, {method}: {show(connection, gold, method)}", flush=True)


if __name__ == "__main__":
    main()
