"""Long texts: lines of one language joined, and whether the language of all of it is told, and how surely.

    python tests/benchmarks/long_texts.py                 # with small languages told from great relatives, and without
    python tests/benchmarks/long_texts.py --fit           # on the lines by which its constants were chosen

FLORES' sentences (every other one; the others are for the fit, as in ``shares_table.py``), Tatoeba's and lingua's,
joined to 400 and to 1,400 characters, 20 texts of each language that the model has. Columns: accuracy over all, over
the languages that CLD2 has too, and expected calibration error (15 bins). What changed is listed: gold, before, now.
"""

from __future__ import annotations

import argparse
import os
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import shares_table

from graphlang.codes.languages import code
from graphlang.content import registry
from graphlang.evaluation.metrics import calibration_error

SIZES = (400, 1_400)
TEXTS = 20
FEWEST = 3_000  # characters of a language in a file


def lines(data: Path, known: set[str], *, fit: bool) -> dict[str, dict[str, list[str]]]:
    """Those of each language, by file."""
    found: dict[str, dict[str, list[str]]] = {}
    for name in ("flores200_devtest", "laser_tatoeba", "lingua_sentences"):
        own: dict[str, list[str]] = defaultdict(list)
        with (data / "lid" / f"{name}.tsv").open(encoding="utf-8") as rows:
            for tag, _, text in (row.rstrip("\n").split("\t", 2) for row in rows):
                if (gold := code(tag)) in known:
                    own[gold].append(text)
        found[name] = {
            gold: some[fit::2] if name.startswith("flores") else some
            for gold, some in own.items()
            if sum(map(len, some)) > FEWEST
        }
    return found


def joined(some: list[str], size: int, name: str) -> list[str]:
    chance = random.Random(name)  # noqa: S311
    texts = []
    for _ in range(TEXTS):
        text = ""
        while len(text) < size:
            text += chance.choice(some) + " "
        texts.append(text)
    return texts


def told(identifier: Any, texts: list[str]) -> tuple[list[str | None], np.ndarray]:
    found, sure = [], []
    for begin in range(0, len(texts), 2_000):
        chances = identifier.probabilities(texts[begin : begin + 2_000])
        found += [code(identifier.labels[best]) for best in chances.argmax(axis=1).tolist()]
        sure.append(chances.max(axis=1))
    return found, np.concatenate(sure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("GRAPHLANG_DATA", "../shared/data")))
    parser.add_argument("--fit", action="store_true", help="the lines by which the constants were chosen")
    wanted = parser.parse_args()
    identifier: Any = registry.load("nfc")
    relatives = identifier._long._bounds
    try:
        common = shares_table.cld2_codes()
    except ImportError:
        common = set()
    known = {name for name in map(code, identifier.labels) if name}
    for name, own in lines(wanted.data, known, fit=wanted.fit).items():
        for size in SIZES:
            gold = [language for language in sorted(own) for _ in range(TEXTS)]
            texts = [text for language in sorted(own) for text in joined(own[language], size, f"{language} {size}")]
            answers = []
            for what, bounds in (("without", {}), ("with", relatives)):
                identifier._long._bounds = bounds
                found, sure = told(identifier, texts)
                right = np.array([one == other for one, other in zip(found, gold, strict=True)])
                shared = np.array([one in common for one in gold])
                print(
                    f"{name} {size}, {len(own)} languages, {what:8} {right.mean():.4f}  "
                    f"{right[shared].mean() if shared.any() else 0:.4f}  {calibration_error(sure, right):.4f}"
                )
                answers.append(found)
            changed = Counter((g, b, a) for g, b, a in zip(gold, *answers, strict=True) if a != b)
            print("  ", "; ".join(f"{g}: {b} -> {a} {n}" for (g, b, a), n in changed.most_common()), flush=True)


if __name__ == "__main__":
    main()
