"""What each part of the inference is worth: ``python tests/benchmarks/ablation.py [--sets ...] [--parts ...]``.

Reads each labelled collection, and collections made on the spot: sites with empty pages in a ring, on hosts of real
URLs, and sites in one language whose menu links all pages, one in twenty of them in another language. Then switches
off one part after another and prints the errors: of linked pages for each labelled collection, of all empty pages, and
of the short pages of the minority (and the majority). The second number of a cell counts errors at .9.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from graph_tables import DATA
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import graphlang
from graphlang.analysis import graph_input
from graphlang.analysis.propagate import SIGNALS
from graphlang.db import open_existing
from graphlang.graph.options import Options
from graphlang.graph.propagation import group_tables, inference, likelihoods, message_weights, potentials, rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from graphlang.graph.data import Evidence, Graph

SETS = ("httpd2006-short30", "menu-short30", "docs-short30", "docs-full", "menu-full")
MAJOR, MINOR = "majority", "minority"  # buckets of short pages under a menu
LANGUAGES = {"en": "eng", "de": "deu", "fr": "fra", "pl": "pol", "es": "spa", "nl": "nld", "it": "ita", "sv": "swe"}


def without_lean(*given: Any) -> NDArray[np.float32]:
    return np.zeros((given[4], given[5]), np.float32)


def without_exclusion(_pair: Any, _fits: Any, _usual: Any, groups: int, languages: int) -> NDArray[np.float32]:
    return np.zeros((groups, languages), np.float32)


def unchanged(*_given: Any) -> None:
    """Leave the weights of messages as they are."""


def best_only(evidence: Evidence) -> Evidence:
    """The best label of each text instead of its list of scores."""
    languages, probabilities = (np.array(table) for table in (evidence.languages, evidence.probabilities))
    languages[:, 1:], probabilities[:, 1:] = -1, 0
    return replace(evidence, languages=languages, probabilities=probabilities)


def same(evidence: Evidence) -> Evidence:
    return evidence


@dataclass(frozen=True)
class Part:
    """A part of the inference, and how to switch it off."""

    name: str
    patches: tuple[tuple[Any, str, Any], ...] = ()
    options: Options | None = None
    change: Callable[[Evidence], Evidence] = same


PARTS = (
    Part("everything on"),
    Part("links", options=Options(neighbours=0)),
    Part("what is learned of links: switching", patches=((group_tables, "PASSES", 0),)),
    Part("exclusion", patches=((group_tables, "exclusions", without_exclusion),)),
    Part("lean of a language", patches=((group_tables, "leans", without_lean),)),
    Part("smoothing of the tables of messages", patches=((group_tables, "SMOOTH", 0.0),)),
    Part("link order", options=Options(link_order=0)),
    Part("hreflang", options=Options(hreflang=0)),
    Part("prior of the site", options=Options(site=0)),
    Part("prior of the directory", options=Options(directory=0)),
    Part("list of scores", change=best_only),
    Part("outlier rate", patches=((likelihoods, "OUTLIERS", (1e-4,) * 7),)),
    Part("English as foreign text", patches=((likelihoods, "ENGLISH", "-"),)),
    Part("remainder of long texts", patches=((potentials, "LEFT", 0.0),)),
    Part("relay (0)", patches=((rounds, "RELAY", 0.0),)),
    Part("relay (1)", patches=((rounds, "RELAY", 1.0),)),
    Part("bound on neighbours", patches=((rounds, "MOST", 1e9),)),
    Part("damping", patches=((rounds, "SLOWER", 0.0),)),
    Part("doubtful pages hear sure ones only", patches=((inference, "mute_doubtful", unchanged),)),
    Part("degree cap", options=Options(degree=1e9)),
    Part("half weight of mutual links", patches=((message_weights, "MUTUAL", 1.0),)),
    Part("reliability by host", patches=((likelihoods, "HOST_PSEUDO", 1e9),)),
    Part("ccTLD silent beside the URL", patches=((potentials, "CCTLD", "-"),)),
    Part("counted evidence ignored in doubt", patches=((potentials, "COUNTED", ()),)),
    Part("one round", options=Options(rounds=1)),
)


@dataclass(frozen=True)
class Case:
    """A collection as arrays, with the pages whose language is known."""

    graph: Graph
    evidence: Evidence
    unknown: NDArray[np.bool_]
    rows: NDArray[np.int64]
    language: NDArray[np.int64]
    bucket: NDArray[np.str_]
    linked: NDArray[np.bool_]

    def errors(self, part: Part, bucket: str = "") -> str:
        """Count errors, and those at .9, of linked pages or of those in a bucket."""
        with ExitStack() as stack:
            for module, name, value in part.patches:
                stack.enter_context(patch.object(module, name, value))
            answer = inference.propagate(self.graph, part.change(self.evidence), options=part.options)
        language, confidence = answer.language[self.rows].astype(np.int64), answer.confidence[self.rows]
        undetermined = (language < 0) | self.unknown[self.rows]
        wrong = (language != self.language) | undetermined
        if bucket == "empty":
            wrong &= ~undetermined
        some = self.bucket == bucket if bucket else self.linked
        return f"{(wrong & some).sum()}/{(wrong & some & ~undetermined & (confidence >= 0.9)).sum()}"


def load(database: Path, gold: Path) -> Case:
    with gold.open(encoding="utf-8") as lines:
        labels = list(csv.DictReader(lines, delimiter="\t"))
    with closing(open_existing(database)) as connection:
        crawl = graph_input.load(connection, graph_input.find_seed_run(connection, None), SIGNALS)
        ids = dict(connection.execute("SELECT url, id FROM pages").fetchall())
    number = {code: index for index, code in enumerate(crawl.evidence.codes)}
    labels = [row for row in labels if row["url"] in ids]
    rows = np.array([ids[row["url"]] - 1 for row in labels], np.int64)
    language = np.array([number.get(row["language"], -2) for row in labels])
    linked = np.bincount(crawl.graph.target, minlength=crawl.graph.n)[rows] > 0
    bucket = np.array([row["bucket"] for row in labels])
    return Case(crawl.graph, crawl.evidence, crawl.unknown, rows, language, bucket, linked)


def sentences(code: str) -> list[str]:
    found: list[str] = []
    for path in sorted((DATA.parent / "train" / code).glob("*.txt")):
        with path.open(encoding="utf-8") as lines:
            found += [line.strip() for line in lines if 60 < len(line) < 300]
    return found[:4000]


def links(urls: Iterable[str]) -> str:
    return "".join(f'<li><a href="{url}">{number}</a></li>' for number, url in enumerate(urls))


def empty_pages(chance: random.Random) -> Iterator[tuple[str, str, str, str]]:
    """Sites with five English pages and a ring of fifteen empty ones: URL, markup, language and bucket of each page."""
    with (DATA.parent / "urls" / "visible.tsv").open(encoding="utf-8") as lines:
        hosts = sorted({row["url"].split("/")[2] for row in csv.DictReader(lines, delimiter="\t")})
    texts = sentences("en")
    for host in chance.sample(hosts, 120):
        for _ in range(5):
            yield f"http://{host}/{chance.randrange(10**9)}.html", " ".join(chance.sample(texts, 6)), "eng", "full"
        ring = [f"http://{host}/{chance.getrandbits(48):x}" for _ in range(15)]
        for url, target in zip(ring, [*ring[1:], ring[0]], strict=True):
            yield url, f'<a href="{target}"></a>', "eng", "empty"


def minorities(chance: random.Random) -> Iterator[tuple[str, str, str, str]]:
    """Sites in one language, one page in twenty in another, half of all short, with a menu of all on each."""
    texts = {code: sentences(code) for code in LANGUAGES}
    for number in range(40):
        main, others = list(LANGUAGES)[number % 5], list(LANGUAGES)
        others.remove(main)
        urls = [f"http://site{number}.example.com/{1000 + page}.html" for page in range(100)]
        for url in urls:
            code = main if chance.random() < 0.95 else chance.choice(others)
            short = chance.random() < 0.5
            words = chance.choice(texts[code]).split()
            text = " ".join(words[: chance.randint(1, 6)] if short else chance.sample(texts[code], 5))
            bucket = (MAJOR if code == main else MINOR) if short else "full"
            yield url, f"<nav><ul>{links(urls)}</ul></nav><p>{text}</p>", LANGUAGES[code], bucket


def write(folder: Path, name: str, pages: Iterable[tuple[str, str, str, str]]) -> Path:
    archive = folder / f"{name}.warc.gz"
    with archive.open("wb") as stream, (folder / f"{name}.gold.tsv").open("w", encoding="utf-8") as gold:
        writer = WARCWriter(stream, gzip=True)
        gold.write("url\tlanguage\tbucket\n")
        for url, markup, language, bucket in pages:
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html; charset=utf-8")], protocol="HTTP/1.1")
            body = folder / "page.html"
            body.write_text(f"<html><body>{markup}</body></html>", encoding="utf-8")
            with body.open("rb") as payload:
                writer.write_record(writer.create_warc_record(url, "response", payload=payload, http_headers=headers))
            gold.write(f"{url}\t{language}\t{bucket}\n")
    return archive


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--parts", nargs="*", help="names of parts, from their start (default: all)")
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("no data: set GRAPHLANG_DATA to the folder that holds web/")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        chance = random.Random(38)  # noqa: S311 - a sample, not a secret
        archives = {name: DATA / f"{name}.warc.gz" for name in options.sets}
        archives["empty"] = write(folder, "empty", empty_pages(chance))
        archives["menus"] = write(folder, "menus", minorities(chance))
        cases = {}
        for name, archive in archives.items():
            crawl = graphlang.Collection(folder / f"{name}.db")
            crawl.ingest(archive)
            crawl.classify()
            cases[name] = load(folder / f"{name}.db", archive.with_name(f"{name}.gold.tsv"))
    columns = [(name, "") for name in options.sets] + [("empty", "empty"), ("menus", MINOR), ("menus", MAJOR)]
    sizes = [
        Counter(cases[name].bucket.tolist()).get(bucket, int(cases[name].linked.sum())) for name, bucket in columns
    ]
    print(f"{'without':<38}" + "".join(f"{bucket or name[:11]:>12}" for name, bucket in columns))
    print(f"{'pages':<38}" + "".join(f"{size:>12,}" for size in sizes), flush=True)
    for part in PARTS:
        if not options.parts or any(part.name.startswith(name) for name in options.parts):
            cells = (cases[name].errors(part, bucket) for name, bucket in columns)
            print(f"{part.name:<38}" + "".join(f"{cell:>12}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
