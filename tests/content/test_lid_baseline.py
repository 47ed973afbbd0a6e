"""Accuracy is pinned: a fixed sample of development lines must be identified as well as the last time.

`lid_baseline.json` holds, per method, cut and bucket of length, the accuracy that was measured, with the digest of the
lines. A better model fails nothing; after one, `python tests/content/test_lid_baseline.py` writes the file anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from graphlang.codes.languages import code
from graphlang.content import registry
from graphlang.evaluation.metrics import measure_by_length

BASELINE = Path(__file__).with_name("lid_baseline.json")
ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("GRAPHLANG_DATA", ROOT / ".." / "shared" / "data")) / "lid"
METHODS = ("nfc", "nfc-2004")
CUTS = {"whole": None, "49": 49, "24": 24}
EVERY = 12  # lines of each language in each file that are passed over for one that is taken
SLACK = 0.0005  # another library's rounding may turn a line in two thousand


def sample() -> tuple[list[tuple[str, str]], str]:
    chosen = []
    for path in sorted(DATA.glob("*.tsv")):
        seen: dict[str, int] = defaultdict(int)
        for line in path.read_text(encoding="utf-8").splitlines()[1:]:
            tag, _script, text = line.split("\t", 2)
            gold = code(tag)
            if gold is not None:
                seen[gold] += 1
                if seen[gold] % EVERY == 1:
                    chosen.append((gold, text))
    digest = hashlib.sha256("\n".join("\t".join(pair) for pair in chosen).encode("utf-8", "surrogatepass"))
    return chosen, digest.hexdigest()


def measure(lines: list[tuple[str, str]]) -> dict[str, dict[str, dict[str, float]]]:
    gold = np.array([g for g, _ in lines])
    table: dict[str, dict[str, dict[str, float]]] = {}
    for method in METHODS:
        identifier = registry.load(method)
        codes = np.array([code(label) or "" for label in identifier.labels])
        table[method] = {}
        for cut, size in CUTS.items():
            texts = [text[:size] for _, text in lines]
            best = np.concatenate(
                [identifier.probabilities(texts[i : i + 2000]).argmax(axis=1) for i in range(0, len(texts), 2000)]
            )
            right = codes[best] == gold
            buckets = measure_by_length(right.astype(np.float64), right, np.array([len(text) for text in texts]))
            table[method][cut] = {name: round(share, 4) for name, (number, share, _) in buckets.items() if number}
    return table


@pytest.mark.skipif(not DATA.is_dir(), reason="the development lines are not here (GRAPHLANG_DATA)")
def test_accuracy_is_not_below_the_baseline() -> None:
    lines, digest = sample()
    baseline = json.loads(BASELINE.read_text(encoding="utf-8"))
    if digest != baseline["digest"]:
        pytest.skip("the development lines are others than those of the baseline")
    measured = measure(lines)
    worse = [
        f"{method}, {cut}, {bucket}: {measured[method][cut][bucket]} < {before}"
        for method, cuts in baseline["accuracy"].items()
        for cut, buckets in cuts.items()
        for bucket, before in buckets.items()
        if measured[method][cut][bucket] < before - SLACK
    ]
    told = "with a reason for a lower score 'python tests/content/test_lid_baseline.py' writes the baseline again"
    assert not worse, "\n".join([*worse, told])


if __name__ == "__main__":
    found, data_digest = sample()
    pinned = {"digest": data_digest, "lines": len(found), "accuracy": measure(found)}
    BASELINE.write_text(json.dumps(pinned, indent=1) + "\n", encoding="utf-8")
