"""Languages of the second part of `nfc`: how many of their lines are right, and what it takes from other languages.

    python tests/benchmarks/further_languages.py FOLDER

FOLDER is that of `make_corpus.py` and `make_further.py`, after `make model`. The lines are the first ones of documents
that were held out of both parts and of the fit of the stages between them, whole and cut to 49 and 24 characters:
languages of the second part, and new text of languages of the first. The third row has the development lines in
languages of the first part, with the number of those that get a further language, in brackets at .5 or more.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from development_data import read_lines

from graphlang.codes.languages import code, label
from graphlang.content import registry
from graphlang.content.nfc.model import Discriminative

SHORTEST = 20  # characters of a line
OF_EACH = 12  # lines of a label
CUTS = (None, 49, 24)
BATCH = 2_000


class Line(NamedTuple):
    """A line and its language."""

    language: str
    text: str


def read_held_out(folder: Path) -> dict[str, list[str]]:
    """Read the first held-out lines of each label."""
    lines: dict[str, list[str]] = {}
    for path in sorted((folder / "held_out").glob("*/*.txt")):
        read = [line for line in path.read_text(encoding="utf-8").splitlines() if len(line) >= SHORTEST]
        if (name := label(path.parent.name)) is not None:
            lines.setdefault(name, []).extend(read)
    return {name: read[:OF_EACH] for name, read in lines.items() if read}


def measure(identifier: Discriminative, lines: list[Line], cut: int | None) -> str:
    """Identify lines, and describe the answers in a cell of the table."""
    codes = np.array([code(name) or name for name in identifier.labels])
    texts = [line.text[:cut] for line in lines]
    answers = [identifier.probabilities(texts[begin : begin + BATCH]) for begin in range(0, len(texts), BATCH)]
    best = np.concatenate([answer.argmax(axis=1) for answer in answers])
    confidence = np.concatenate([answer.max(axis=1) for answer in answers])
    right = (codes[best] == np.array([line.language for line in lines])) & (confidence > 0)
    further = (best >= len(identifier.parts.labels)) & (confidence > 0)
    wrong = int((further & ~right).sum())
    sure = int((further & ~right & (confidence >= 0.5)).sum())
    return f"{100 * right.mean():.2f}, {int(((confidence >= 0.9) & ~right).sum())}, {wrong} ({sure})"


def main(folder: Path) -> None:
    """Print the table."""
    identifier = registry.load("nfc")
    assert isinstance(identifier, Discriminative)
    held_out = read_held_out(folder)
    first = set(identifier.parts.labels)
    second = set(identifier.labels) - first
    known = {code(name) for name in first}
    groups = {
        f"languages of the second part, {len(second & held_out.keys())}": [
            Line(code(name) or name, text) for name in sorted(second & held_out.keys()) for text in held_out[name]
        ],
        f"new text of the first part, {len(first & held_out.keys())}": [
            Line(code(name) or name, text) for name in sorted(first & held_out.keys()) for text in held_out[name]
        ],
        "development lines": [
            Line(tag, line.text) for line in read_lines() if (tag := code(line.tag)) is not None and tag in known
        ],
    }
    print("| lines | whole: per cent right, wrong at .9, wrongly in a further language (at .5) | 49 | 24 |")
    print("|---|---|---|---|")
    for name, lines in groups.items():
        print(f"| {name}: {len(lines):,} | {' | '.join(measure(identifier, lines, cut) for cut in CUTS)} |")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
