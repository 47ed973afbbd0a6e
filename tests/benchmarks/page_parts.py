"""Parts of pages, by their text alone: ``python tests/benchmarks/page_parts.py [--examples N]``.

Of each page of 100 characters or more of docs-full and the Apache manual of 2006 a few words: fewer than 25
characters, 25 to 49, 50 to 170. Rows: set, characters, parts, accuracy and expected calibration error in per cent, and
what the wrong ones are told as most often (gold, told, how many).
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

import numpy as np
from graph_draws import LONG, MIDDLE, SHORT, piece
from graph_tables import DATA

from graphlang.analysis.ingest import ingest
from graphlang.codes.languages import code
from graphlang.content import registry
from graphlang.db import create
from graphlang.evaluation.evaluate import read_gold
from graphlang.evaluation.metrics import calibration_error

SETS = ("docs-full", "httpd2006-legacy")
SIZES = (SHORT, MIDDLE, (50, 170))
TOGETHER = 2_000


def parts(name: str) -> dict[tuple[int, int], list[tuple[str, str]]]:
    """Language and text of the parts, by their sizes."""
    chance = random.Random(name)  # noqa: S311 - a sample, not a secret
    found: dict[tuple[int, int], list[tuple[str, str]]] = {size: [] for size in SIZES}
    with tempfile.TemporaryDirectory() as folder, closing(create(Path(folder) / "a.db")) as connection:
        ingest(connection, [DATA / f"{name}.warc.gz"], workers=1)
        gold = read_gold(connection, DATA / f"{name}.gold.tsv", None)
        language = dict(zip(gold.pages, gold.language, strict=True))
        for page, text in connection.execute("SELECT page, text FROM texts ORDER BY page"):
            if page in language and len(text) >= LONG and text.strip():
                for size, some in found.items():
                    some.append((language[page], piece(text, *size, chance)))
    return found


def main() -> None:
    """Print a row for each set and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=6, help="languages that are taken for others")
    options = parser.parse_args()
    if not DATA.is_dir():
        sys.exit("no data: set GRAPHLANG_DATA to the folder that holds web/")
    identifier = registry.load("nfc")
    names = np.array([code(label) or label for label in identifier.labels])
    for name in SETS:
        for (least, most), some in parts(name).items():
            texts, gold = [text for _, text in some], np.array([code(language) for language, _ in some])
            answers = [identifier.probabilities(texts[at : at + TOGETHER]) for at in range(0, len(texts), TOGETHER)]
            sure = np.concatenate([answer.max(axis=1) for answer in answers])
            told = names[np.concatenate([answer.argmax(axis=1) for answer in answers])]
            right = told == gold
            wrong = Counter(zip(gold[~right].tolist(), told[~right].tolist(), strict=True))
            most_often = ", ".join(f"{one} {other} {n}" for (one, other), n in wrong.most_common(options.examples))
            error = 100 * calibration_error(sure, right)
            print(f"{name:18}{least:4} to {most:<4}{len(texts):7,}{100 * right.mean():8.2f} e{error:.1f}  {most_often}")


if __name__ == "__main__":
    main()
