"""Accuracy on web pages is pinned: the content method alone, by bucket of length.

Two linked collections whose texts are partly cut: `httpd2006-short30` (the Apache manual of 2006 in old charsets) and a
fixed sample of `docs-short30` (documentation of today in forty languages, full of code and English names).
`web_baseline.json` holds what was measured, with the digest of the files; after a better model,
`python tests/content/test_web_baseline.py` writes it anew.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import zlib
from pathlib import Path

import numpy as np
import pytest

from graphlang.codes.languages import code
from graphlang.content import registry
from graphlang.db.records import Page
from graphlang.evaluation.metrics import calibration_error
from graphlang.ingest import iterate_batches

BASELINE = Path(__file__).with_name("web_baseline.json")
ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("GRAPHLANG_DATA", ROOT / ".." / "shared" / "data")) / "web"
SETS = {"httpd2006-short30": 1, "docs-short30": 4}  # one page in so many, by a checksum of its URL
SLACK = 0.0005

Texts = list[tuple[str, str, str]]


def digest(name: str) -> str:
    """Of the collection and its gold file."""
    files = [DATA / f"{name}{end}" for end in (".warc.gz", ".gold.tsv")]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def sample(name: str, every: int) -> Texts:
    """Gold code, bucket and text of the pages that have any text."""
    with (DATA / f"{name}.gold.tsv").open(encoding="utf-8", newline="") as file:
        gold = {row["url"]: row for row in csv.DictReader(file, delimiter="\t")}
    read = (item for batch in iterate_batches([(DATA / f"{name}.warc.gz", 0)]) for item in batch.items)
    pages = [item for item in read if isinstance(item, Page)]
    return [
        (gold[page.url]["language"], gold[page.url]["bucket"], page.text)
        for page in pages
        if page.text and page.url in gold and zlib.crc32(page.url.encode()) % every == 0
    ]


def measure(pages: Texts) -> dict[str, dict[str, float]]:
    """Per bucket the number of pages, the accuracy, and the expected calibration error."""
    identifier = registry.load("nfc")
    codes = np.array([code(label) or "" for label in identifier.labels])
    chances = identifier.page_probabilities([text for _, _, text in pages])
    right = codes[chances.argmax(axis=1)] == np.array([language for language, _, _ in pages])
    buckets = np.array([bucket for _, bucket, _ in pages])
    return {
        bucket: {
            "pages": int((buckets == bucket).sum()),
            "accuracy": round(float(right[buckets == bucket].mean()), 4),
            "error": round(calibration_error(chances.max(axis=1)[buckets == bucket], right[buckets == bucket]), 4),
        }
        for bucket in np.unique(buckets).tolist()
    }


@pytest.mark.skipif(not DATA.is_dir(), reason="the development collections are not here (GRAPHLANG_DATA)")
@pytest.mark.parametrize("name", SETS)
def test_accuracy_on_pages_is_not_below_the_baseline(name: str) -> None:
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))[name]
    if digest(name) != baseline["digest"]:
        pytest.skip("the collection is another than that of the baseline")
    measured = measure(sample(name, SETS[name]))
    assert measured.keys() == baseline["buckets"].keys()
    worse = [
        f"{bucket}: {measured[bucket]['accuracy']} < {before['accuracy']}"
        for bucket, before in baseline["buckets"].items()
        if measured[bucket]["accuracy"] < before["accuracy"] - SLACK
    ]
    told = "with a reason for a lower score 'python tests/content/test_web_baseline.py' writes the baseline again"
    assert not worse, "\n".join([*worse, told])


if __name__ == "__main__":
    pinned = {name: {"digest": digest(name), "buckets": measure(sample(name, part))} for name, part in SETS.items()}
    assert all(found["buckets"] for found in pinned.values()), "no page could be read"
    BASELINE.write_text(json.dumps(pinned, indent=1) + "\n", encoding="utf-8")
