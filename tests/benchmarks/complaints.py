"""Lines made after public bug reports of language identifiers: how many are answered acceptably, and how surely if not.

    python tests/benchmarks/complaints.py                  # the counts
    python tests/benchmarks/complaints.py --by-kind        # of each kind of line, too
    python tests/benchmarks/complaints.py --wrong          # the lines that are neither right nor rightly in doubt

The lines (``complaints/lines.tsv`` of the data) have a kind, a text, acceptable codes, the most confidence that a wrong
answer may have, and where the complaint is from. A line is *accepted* if its answer is one of the codes (``und`` may be
one), or rightly in doubt: no answer, or a wrong one with a confidence not above the limit. It is *over-confident* if a
wrong answer has more. *wrong at .9* counts wrong answers of .9 and more, whatever the limit.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

from graphlang.codes.languages import UND, code
from graphlang.content import registry

SURE = 0.9


class Line(NamedTuple):
    """A line of the file."""

    kind: str
    text: str
    acceptable: frozenset[str]
    limit: float


class Answer(NamedTuple):
    """What the method answers of a line, and how surely; ``und`` and 0 where it answers nothing."""

    language: str
    confidence: float


def lines(path: Path) -> list[Line]:
    """The lines of the file; ``\\n`` in a text is a line feed."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            Line(
                row["kind"],
                row["text"].replace("\\n", "\n"),
                frozenset(code(tag) or tag for tag in row["acceptable"].split("|")),
                float(row["max_confidence_if_wrong"]),
            )
            for row in rows
        ]


def answers(method: str, texts: list[str]) -> list[Answer]:
    """What a method answers of each text."""
    identifier = registry.load(method)
    chances = identifier.probabilities(texts)
    best = chances.argmax(axis=1).tolist()
    sure = chances.max(axis=1).tolist()
    names = [code(label) or label for label in identifier.labels]
    return [Answer(names[i], chance) if chance > 0 else Answer(UND, 0.0) for i, chance in zip(best, sure, strict=True)]


def right(line: Line, answer: Answer) -> bool:
    """Whether an answer is acceptable."""
    return answer.language in line.acceptable


def accepted(line: Line, answer: Answer) -> bool:
    """Whether an answer is acceptable, or rightly in doubt."""
    return right(line, answer) or answer.language == UND or answer.confidence <= line.limit


def count(own: list[tuple[Line, Answer]]) -> str:
    """A row of the table."""
    fine = sum(accepted(*pair) for pair in own)
    sure = sum(not right(*pair) and pair[1].confidence >= SURE for pair in own)
    return f"{len(own):6}{fine:10}{sum(right(*pair) for pair in own):8}{len(own) - fine:16}{sure:13}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--method", default="nfc")
    parser.add_argument("--by-kind", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    data = Path(os.environ.get("GRAPHLANG_DATA", "../shared/data"))
    some = lines(data / "complaints" / "lines.tsv")
    told = list(zip(some, answers(options.method, [line.text for line in some]), strict=True))
    print(f"{'':42}{'lines':>6}{'accepted':>10}{'right':>8}{'over-confident':>16}{'wrong at .9':>13}")
    print(f"{'all':42}{count(told)}")
    if options.by_kind:
        kinds = defaultdict(list)
        for line, answer in told:
            kinds[line.kind].append((line, answer))
        for kind, own in sorted(kinds.items()):
            print(f"{kind:42}{count(own)}")
    if options.wrong:
        for line, answer in told:
            if not accepted(line, answer):
                expected = "|".join(sorted(line.acceptable))
                print(f"{line.kind}\t{expected}\t{answer.language} {answer.confidence:.2f}\t{line.text[:100]!r}")


if __name__ == "__main__":
    main()
