"""Several languages in one text: our shares beside CLD2's, on documents made of lines that training did not see.

    python tests/benchmarks/shares_table.py          # the tables
    python tests/benchmarks/shares_table.py --cost DB     # time of a content run with `page_shares` and without

The documents: one to three of some 115 languages, 400 to 3,200 characters; in blocks, mixed sentence by sentence, or
with 15 % as an aside; joined by a space or a line feed. There are three sets of them, by their lines:

* *held out*: the lines of the corpus that the shipped model held out (one in ten, by a hash), of the 115 languages that
  have the most of them. They come from the same sources as those that were learnt;
* *news*: FLORES' sentences in those of these languages that it has;
* *any*: FLORES' sentences in 115 of all languages that it and the model have, close relatives and small ones too: eight
  draws, each with documents of its own, for one draw has .02 of F1 more or less than another.

Of FLORES every other sentence counts: by the others the costs of `content.segments.decode` were chosen.

*short*: two, four and nine sentences of Tatoeba, of 30 to 75 characters, in one language or in two, apart or mixed.

Columns: F1 of the set of languages (mean over documents); documents in one language that are told as such; half the L1
distance of the shares; documents per second. CLD2 (`pip install pycld2`) is measured on those whose languages it has.

With ``--cost``: processor seconds of a content run over the texts of a collection, in one process, by turns; the least
of five. The collection is copied.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from development_data import read_lines

from graphlang.analysis.classify import classify
from graphlang.codes.languages import code, label
from graphlang.content import registry
from graphlang.content.segments import page_shares, spans
from graphlang.db.connection import open_existing
from graphlang.training import corpus

if TYPE_CHECKING:
    from collections.abc import Collection

LANGUAGES = 115
DOCUMENTS = 1_200
DRAWS = 8
TURNS = 5
SHORTEST_LINE = 30
SHORT = 75  # characters of a short line
LEAST_LINES = 20  # of a language
TATOEBA = "laser_tatoeba"


class Document(NamedTuple):
    text: str
    shares: dict[str, float]


def held_out(data: Path) -> dict[str, list[str]]:
    """Lines of the languages that have the most of them."""
    read = corpus.read_corpus(data / "train", label=label, minimum=lambda _: 60_000, maximum=400_000)
    lines = {
        own: [line for line in corpus.hold_out(some, 10)[1] if len(line) > SHORTEST_LINE]
        for own, some in read.lines.items()
    }
    ordered = sorted(lines, key=lambda own: (-sum(map(len, lines[own])), own))
    return {own: lines[own] for own in ordered[:LANGUAGES]}


def sentences(data: Path, languages: Collection[str]) -> dict[str, list[str]]:
    """Every other sentence of FLORES in these languages."""
    found: dict[str, list[str]] = {}
    for line in read_lines("flores200_devtest", data):
        found.setdefault(label(line.tag) or line.tag, []).append(line.text)
    return {own: some[::2] for own, some in found.items() if own in languages}


def documents(lines: dict[str, list[str]], number: int, seed: int) -> list[Document]:
    chance = random.Random(seed)  # noqa: S311
    names = sorted(lines)

    def text(language: str, size: float) -> list[tuple[str, str]]:
        made: list[tuple[str, str]] = []
        while sum(len(line) for _, line in made) < size:
            made.append((language, chance.choice(lines[language])))
        return made

    found = []
    for _ in range(number):
        some = chance.sample(names, chance.choice([1, 1, 2, 2, 3]))
        total = float(np.exp(chance.uniform(np.log(400), np.log(3_200))))
        way = chance.choice(["blocks", "mixed", "aside"])
        weights = [chance.uniform(0.5, 1) for _ in some]
        if way == "aside" and len(some) > 1:
            weights = [0.85, *[0.15 / (len(some) - 1)] * (len(some) - 1)]
        parts = [text(one, total * w / sum(weights)) for one, w in zip(some, weights, strict=True)]
        joined = [part for own in parts for part in own]
        if way == "mixed":
            chance.shuffle(joined)
        elif way == "aside":
            place = chance.randrange(len(parts[0]) + 1)
            joined = parts[0][:place] + [part for own in parts[1:] for part in own] + parts[0][place:]
        found.append(document(joined, chance.choice(["\n", " "])))
    return found


def document(parts: list[tuple[str, str]], separator: str) -> Document:
    """Of lines with their languages."""
    letters: dict[str, int] = {}
    for language, line in parts:
        name = code(language) or language
        letters[name] = letters.get(name, 0) + sum(map(str.isalpha, line))
    whole = sum(letters.values())
    return Document(separator.join(line for _, line in parts), {name: n / whole for name, n in letters.items()})


def short_documents(data: Path, languages: Collection[str], number: int, lines: int) -> list[Document]:
    """Of two thirds one language, of the others two."""
    found: dict[str, list[str]] = {}
    for line in read_lines(TATOEBA, data):
        name = label(line.tag) or line.tag
        if SHORTEST_LINE < len(line.text) <= SHORT and name in languages:
            found.setdefault(name, []).append(line.text)
    names = sorted(name for name, some in found.items() if len(some) >= LEAST_LINES)
    chance = random.Random(lines)  # noqa: S311
    made = []
    for _ in range(number):
        some = chance.sample(names, chance.choice([1, 1, 2]))
        first = chance.randrange(1, lines) if len(some) > 1 else lines
        joined = [(own, chance.choice(found[own])) for own in [some[0]] * first + [some[-1]] * (lines - first)]
        if chance.random() < 1 / 2:
            chance.shuffle(joined)
        made.append(document(joined, chance.choice(["\n", " "])))
    return made


def measure(made: list[Document], told: list[dict[str, float]]) -> str:
    f, single, distance = [], [], []
    for one, own in zip(made, told, strict=True):
        gold = one.shares
        f.append(2 * len(set(gold) & set(own)) / max(1, len(gold) + len(own)))
        if len(gold) == 1:
            single.append(set(own) == set(gold))
        distance.append(sum(abs(gold.get(name, 0) - own.get(name, 0)) for name in set(gold) | set(own)) / 2)
    return f"F1 {np.mean(f):.4f}  in one language {np.mean(single):.4f}  half L1 {np.mean(distance):.4f}"


def timed(name: str, made: list[Document], run: Any) -> None:
    begin = time.perf_counter()
    told = run([one.text for one in made])
    speed = len(made) / (time.perf_counter() - begin)
    print(f"{name:28}{measure(made, told)}  {speed:8.0f}/s", flush=True)


def of_texts(identifier: Any, texts: list[str]) -> list[dict[str, float]]:
    return [dict(spans.list_shares(own)) for own in spans.find_spans(identifier, texts)]


def of_pages(identifier: Any, texts: list[str]) -> list[dict[str, float]]:
    """As a content run does it."""
    answers = identifier.probabilities(texts)
    told = []
    for parts, answer in zip(page_shares.compute_page_shares(identifier, texts, answers), answers, strict=True):
        own: dict[str, float] = {}
        for number, share in parts or [(int(answer.argmax()), 1.0)]:
            name = code(identifier.labels[number]) or identifier.labels[number]
            own[name] = own.get(name, 0) + share
        told.append(own)
    return told


def cld2(texts: list[str]) -> list[dict[str, float]]:
    import pycld2  # noqa: PLC0415

    told = []
    for text in texts:
        printable = "".join(letter if letter.isprintable() else " " for letter in text)  # it refuses others
        _, _, found = pycld2.detect(printable.encode("utf-8", "ignore"), isPlainText=True, bestEffort=True)
        own: dict[str, float] = {}
        for _, tag, percent, _ in found:
            if (name := code(tag)) is not None:
                own[name] = own.get(name, 0) + percent / 100
        told.append(own)
    return told


def cld2_codes() -> set[str]:
    import pycld2  # noqa: PLC0415

    names = (code(tag) for name, tag in pycld2.LANGUAGES if name in pycld2.DETECTED_LANGUAGES)
    return {name for name in names if name}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("GRAPHLANG_DATA", "../shared/data")))
    parser.add_argument("--cost", type=Path, metavar="DB", help="time of a content run over this collection's texts")
    wanted = parser.parse_args()
    identifier = registry.load("nfc")
    if wanted.cost is not None:
        cost(identifier, wanted.cost)
        return
    lines = held_out(wanted.data)
    every = sentences(wanted.data, identifier.labels)
    sets = {"held out": [lines], "news": [{own: every[own] for own in sorted(every) if own in lines}]}
    drawn = [random.Random(5 + draw).sample(sorted(every), LANGUAGES) for draw in range(DRAWS)]  # noqa: S311
    sets["any"] = [{own: every[own] for own in some} for some in drawn]
    for name, draws in sets.items():
        print(f"{name}: {len(draws[0])} languages, draws: {len(draws)}, model {identifier.hash[:12]}")
        made = [documents(own, DOCUMENTS, seed=2 + draw) for draw, own in enumerate(draws)]
        if len(draws) > 1:
            for some in made:
                timed("one draw: identify --shares", some, lambda texts: of_texts(identifier, texts))
        compare(identifier, [one for some in made for one in some])

    for number in (2, 4, 9):
        made = short_documents(wanted.data, identifier.labels, DOCUMENTS, number)
        several = sum(len(one.shares) > 1 for one in made)
        print(f"short: {number} sentences, {several} of {len(made)} documents in two languages")
        timed("identify --shares", made, lambda texts: of_texts(identifier, texts))
        of_two = [one for one in made if len(one.shares) > 1]
        told = of_texts(identifier, [one.text for one in of_two])
        right = sum(set(one.shares) == set(own) for one, own in zip(of_two, told, strict=True))
        print(f"of those in two languages told with these two: {right / len(of_two):.3f}")


def cost(identifier: Any, collection: Path) -> None:
    """Print the seconds of a content run with `page_shares` and without."""
    least = dict.fromkeys((True, False), float("inf"))
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy.db"
        for is_told in [True, False] * TURNS:
            shutil.copy(collection, copy)
            connection = open_existing(copy, write=True)
            with connection:
                connection.execute("DELETE FROM runs")
            begin = time.process_time()
            run = classify(connection, identifier, shares=is_told)
            least[is_told] = min(least[is_told], time.process_time() - begin)
            connection.close()
    more = least[True] - least[False]
    print(f"{run.pages:,} pages: {least[True]:.2f} s with page_shares, {least[False]:.2f} s without,", end=" ")
    print(f"{more / least[True]:.1%} of a run, {more / least[False]:.1%} more than without")


def compare(identifier: Any, made: list[Document]) -> None:
    timed("identify --shares", made, lambda texts: of_texts(identifier, texts))
    timed("page_shares", made, lambda texts: of_pages(identifier, texts))
    try:
        known = cld2_codes()
    except ImportError:
        print("CLD2: not installed (pycld2)")
        return
    both = [one for one in made if known.issuperset(one.shares)]
    print(f"the {len(both)} documents in languages that CLD2 has")
    timed("identify --shares", both, lambda texts: of_texts(identifier, texts))
    timed("CLD2", both, cld2)


if __name__ == "__main__":
    main()
