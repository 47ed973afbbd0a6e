"""The shipped URL models on all languages: accuracy with and without a hint, calibration, speed, in Markdown.

    python tests/benchmarks/url_languages.py          the tables
    python tests/benchmarks/url_languages.py pin      write the figures that tests/urls/test_url_baseline.py holds

``urls/visible.tsv`` tests; languages with fewer than 20 URLs in ``urls/train.tsv`` are left out. A URL has a hint if a
language code, a ccTLD or a name of its language stands in it where such signs stand (``training.knowledge``).
"""

from __future__ import annotations

import hashlib
import json
import runpy
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from url_data import FIVE, has_path, rows, table

from graphlang.evaluation.metrics import calibration_error, macro_f
from graphlang.training.url_examples import list_signs
from graphlang.urls.labelled_urls import compute_balanced_f
from graphlang.urls.url_features import extract_features
from graphlang.urls.url_methods import list_methods, load

LEAST = 20


def hints(urls: list[str], language: np.ndarray) -> np.ndarray:
    """[URLs] whether a known sign of the right language stands in the URL."""
    codes = sorted(set(language.tolist()))
    pairs = {(bucket, column) for bucket, column, _ in list_signs(codes)}
    column = {code: n for n, code in enumerate(codes)}
    found = extract_features(urls)
    answer = np.zeros(len(urls), dtype=bool)
    for kind in ("word", "place"):
        bucket, first = found[kind]
        row = np.repeat(np.arange(len(urls)), np.diff(first))
        for at, one in zip(row.tolist(), bucket.tolist(), strict=True):
            answer[at] |= (one, column[language[at]]) in pairs
    return answer


def all_languages() -> None:
    counts = Counter(row.language for row in rows("train"))
    test = [row for row in rows("visible") if counts[row.language] >= LEAST]
    urls, language = [row.url for row in test], np.array([row.language for row in test])
    path = np.array([has_path(url) for url in urls])
    hinted = hints(urls, language)
    parts = {"all": path | ~path, "hint": hinted, "no hint": ~hinted, "path": path, "no path": ~path}
    known = np.isin(language, FIVE)
    accuracy, quality = [], []
    for name in list_methods():
        method = load(name)
        chances = method.probabilities(urls)
        begin = time.process_time()
        method.probabilities(urls)
        rate = len(urls) / (time.process_time() - begin)
        answer = np.array(method.labels)[chances.argmax(axis=1)]
        right = answer == language
        cells = [f"{right[some].mean():.3f} / {macro_f(language[some], answer[some]):.3f}" for some in parts.values()]
        accuracy.append((name, len(method.labels), *cells))
        five = compute_balanced_f(answer[known, None] == np.array(FIVE), language[known], FIVE)
        quality.append((name, float(five), calibration_error(chances.max(axis=1), right), f"{rate:,.0f}"))
    shares = [f"{title} ({some.mean():.0%})" for title, some in parts.items()]
    print(f"Accuracy / macro-F on {len(test):,} URLs in {len(set(language.tolist()))} languages\n")
    table(("method", "labels", *shares), accuracy)
    print("Balanced F of the five languages, most probable of all labels; expected calibration error; speed\n")
    table(("method", "F", "calibration error", "URLs/s of CPU time"), quality)


def pin() -> None:
    """Look at the difference before it is committed: a figure that falls has to have a reason."""
    counts = Counter(row.language for row in rows("train"))
    tests = runpy.run_path(str(Path(__file__).parents[1] / "urls" / "test_url_baseline.py"))
    file = tests["BASELINE"]
    baseline = {
        "sha256_of_visible": hashlib.sha256(tests["VISIBLE"].read_bytes()).hexdigest(),
        "languages": sorted(code for code, count in counts.items() if count >= LEAST),
        "methods": {},
    }
    file.write_text(json.dumps(baseline))
    baseline["methods"] = {name: tests["figures"](name) for name in sorted(list_methods())}
    file.write_text(json.dumps(baseline, indent=1) + "\n")
    print(json.dumps(baseline["methods"], indent=1))


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            all_languages()
        case ["pin"]:
            pin()
        case _:
            print(__doc__)
            sys.exit(2)
