"""Makes ``graphlang/data/nfc-relatives.json``: by what the shipped `nfc` tells small languages from great relatives.

    python tests/content/make_relatives.py DATA

A pair is a language with much text and a relative that has far less of it, for which texts of the relative say
much (`scoring.relatives`). Texts of the first are made of lines of one kind that training kept out, and the share of
what they say for it that they say for the relative has a mean and a spread: a text is in the relative from eight times
the spread above the mean on, and a twelfth above it at least, of whatever kind it is. English is left out: as code,
names and what nobody translated it stands in texts of all languages, in pieces that are like many.
"""

from __future__ import annotations

import json
import math
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from graphlang.codes.languages import label, split
from graphlang.content import registry
from graphlang.content.scoring.relatives import FILE, FLOOR, support
from graphlang.content.segments import find, units
from graphlang.content.training import corpus

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

ENGLISH: Final = "eng"
MUCH: Final = 60_000  # characters of a language that has much text
HELD_OUT: Final = 8_000  # of them that training kept out
OF_KIND: Final = 3_000  # of these in one kind of text
KINDS: Final = 2  # in which there is so much
TEXTS: Final = 40  # of a language with much text, and each kind
OF_RELATIVES: Final = 10  # of any other
RELATIVES: Final = 5  # languages that texts of one may be taken for
SPREADS: Final = 8.0
LEAST: Final = 0.08
SMALLER: Final = 0.4  # of the text of the greater language, a relative has less
_READ: Final = 400_000  # characters of a language, at most
_RESEMBLES: Final = 0.02  # share of what texts of a language say for it that they say for a relative, at least
_SHORTEST: Final = 20  # letters of a line


def texts(lines: list[str], number: int, seed: str) -> list[str]:
    """Texts of 400 to 1,600 characters, of lines drawn from these."""
    chance = random.Random(seed)  # noqa: S311
    found = []
    for _ in range(number):
        size, text = math.exp(chance.uniform(math.log(400), math.log(1_600))), ""
        while len(text) < size:
            text += chance.choice(lines) + " "
        found.append(text)
    return found


def supports(identifier: Identifier, some: list[str]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the units of texts say for each label on average, (texts, labels): nearly anything, and what counts."""
    read = [identifier.probabilities([text[unit.begin : unit.end] for unit in units.cut(text)]) for text in some]
    any_of_it, counted = (
        np.array([support(chances, floor).mean(axis=0, dtype=np.float64) for chances in read])
        for floor in (find.COSTS.floor, FLOOR)
    )
    return any_of_it, counted


def measured(
    identifier: Identifier, number: int, kinds: dict[str, tuple[str, ...]]
) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Mean and spread of the share that texts in a language say for each label, by kind; none of a language in one."""
    held_out = {
        kind: [line for line in corpus.held_out(lines, 10)[1] if len(line) > _SHORTEST] for kind, lines in kinds.items()
    }
    found = []
    if sum(len(line) for lines in held_out.values() for line in lines) >= HELD_OUT:
        for kind, lines in held_out.items():
            if sum(map(len, lines)) >= OF_KIND:
                said, counted = supports(identifier, texts(lines, TEXTS, f"{number} {kind}"))
                own = counted[said.argmax(axis=1) == number]
                if 2 * len(own) > TEXTS:
                    share = own / own[:, [number]]
                    found.append((share.mean(axis=0), share.std(axis=0)))
    return found if len(found) >= KINDS else []


def shares(identifier: Identifier, data: Path) -> dict[str, dict[str, float]]:
    """The share from which on a text is in a relative, by the greater language and the relative."""
    read = corpus.read(
        data / "train", label=label, minimum=lambda _: 0, maximum=_READ, messages=data / "train-software"
    )
    size = {name: sum(map(len, lines)) for name, lines in read.lines.items()}
    great = {
        number: measured(identifier, number, read.by_genre(name))
        for number, name in enumerate(identifier.labels)
        if size.get(name, 0) >= MUCH and name != ENGLISH
    }
    found: dict[str, dict[str, float]] = {}
    for number, name in enumerate(identifier.labels):
        lines = [line for line in read.lines.get(name, ()) if len(line) > _SHORTEST]
        if not lines:
            continue
        said = supports(identifier, texts(lines, OF_RELATIVES, name))[0].mean(axis=0)
        own, said[number] = said[number], 0
        for other in np.argsort(-said, kind="stable")[:RELATIVES].tolist():
            greater = identifier.labels[other]
            if split(name)[1] != split(greater)[1] or size[name] >= SMALLER * size[greater]:
                continue
            if great.get(other) and said[other] > _RESEMBLES * own:
                bound = max(mean[number] + max(LEAST, SPREADS * spread[number]) for mean, spread in great[other])
                if bound < 1:
                    found.setdefault(greater, {})[name] = round(float(bound), 2)
    return found


def main(data: Path) -> None:
    identifier = registry.load("nfc")
    found = {"model": identifier.hash, "relatives": shares(identifier, data)}
    FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
