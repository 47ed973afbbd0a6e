"""Makes ``graphlang/data/nfc-relatives.json``: by what the shipped `nfc` tells small languages from great relatives.

    python tests/content/make_relatives.py DATA FOLDER

FOLDER is that of `make_corpus.py`.

A pair is a language with much text and a relative that has far less of it, for which texts of the relative say much
(`scoring.relatives`). Far less that is no translation of programs will do: Xhosa has two thirds of Zulu's text, but
nearly all of it are such translations, and its news were taken for Zulu. It is overlooked only where texts of the
great one say much for it. Texts of the first are made of lines of one kind that training kept out, and the share of
what they say for it that they say for the relative has a mean and a spread: a text is in the relative from eight times
the spread above the mean on, and a twelfth above it at least, of whatever kind it is. What is known of many relatives
is one kind of text (the Declaration of Human Rights), and texts of that kind say more for them in any language that
resembles them: so the share is above that of nine in ten texts of that kind. English is left out: as code, names and
what nobody translated it stands in texts of all languages, in pieces that are like many.
"""

from __future__ import annotations

import json
import math
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphlang import modelfile
from graphlang.codes.languages import label, split_label
from graphlang.content import registry
from graphlang.content.nfc.further import PARAMETER
from graphlang.content.relatives import FILE, FLOOR, LEAST_BOUND, measure_support
from graphlang.content.segments import units
from graphlang.training import corpus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

ENGLISH: Final = "eng"
MUCH: Final = 60_000  # characters of a language that has much text
HELD_OUT: Final = 8_000  # of them that training kept out
OF_KIND: Final = 3_000  # of these in one kind of text
OF_MAIN_KIND: Final = 600  # and in that which a relative's text is
MOST: Final = 0.9  # of the texts of that kind say less
KINDS: Final = 2  # in which there is so much
TEXTS: Final = 40  # of a language with much text, and each kind
OF_RELATIVES: Final = 10  # of any other
RELATIVES: Final = 5  # languages that texts of one may be taken for
SPREADS: Final = 8.0
LEAST_IN_PROSE: Final = 0.3  # above which the bound of a relative is that has text enough, but of programs
SMALLER: Final = 0.4  # of the text of the greater language, or of what is no message of a program, a relative has less
#: A probability from which on a unit supports a label at all. It is not the floor of `segments.spans`: with 1e-6 seven
#: hundred pairs resemble each other.
ANY: Final = 0.003
_READ: Final = 400_000  # characters of a language, at most
_RESEMBLES: Final = 0.02  # share of what texts of a language say for it that they say for a relative, at least
_SHORTEST: Final = 20  # letters of a line
_NOTHING: Final = 1e-3  # is said for a label


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
        np.array([measure_support(chances, floor).mean(axis=0, dtype=np.float64) for chances in read])
        for floor in (ANY, FLOOR)
    )
    return any_of_it, counted


def measured(
    identifier: Identifier, number: int, kinds: dict[str, tuple[str, ...]]
) -> tuple[list[tuple[NDArray[np.float64], NDArray[np.float64]]], dict[str, NDArray[np.float64]]]:
    """Mean and spread of the share that texts in a language say for each label, and what few say more than, by kind.

    Of a language in one kind alone there is none.
    """
    held_out = {
        kind: [line for line in corpus.hold_out(lines, 10)[1] if len(line) > _SHORTEST] for kind, lines in kinds.items()
    }
    found, most = [], {}
    if sum(len(line) for lines in held_out.values() for line in lines) >= HELD_OUT:
        for kind, lines in held_out.items():
            if sum(map(len, lines)) < OF_MAIN_KIND:
                continue
            said, counted = supports(identifier, texts(lines, TEXTS, f"{number} {kind}"))
            share = counted / np.maximum(counted[:, [number]], _NOTHING)
            most[kind] = np.quantile(share, MOST, axis=0)
            own = share[said.argmax(axis=1) == number]
            if sum(map(len, lines)) >= OF_KIND and 2 * len(own) > TEXTS:
                found.append((own.mean(axis=0), own.std(axis=0)))
    return (found if len(found) >= KINDS else []), most


def main_kind(kinds: dict[str, tuple[str, ...]]) -> str | None:
    """That in which more than half of a language's text is."""
    size = {kind: sum(map(len, lines)) for kind, lines in kinds.items()}
    most = max(size, key=size.__getitem__)
    return most if 2 * size[most] > sum(size.values()) else None


def similar_pairs(
    identifier: Identifier, lines: Mapping[str, Sequence[str]], prose: Mapping[str, int]
) -> Iterator[tuple[str, str, bool]]:
    """Yield each relative with a greater language that its texts support, and whether it has far less text."""
    size = {name: sum(map(len, some)) for name, some in lines.items()}
    for number, name in enumerate(identifier.labels):
        own_lines = [line for line in lines.get(name, ()) if len(line) > _SHORTEST]
        if not own_lines:
            continue
        support_of = supports(identifier, texts(own_lines, OF_RELATIVES, name))[0].mean(axis=0)
        own, support_of[number] = support_of[number], 0
        for other in np.argsort(-support_of, kind="stable")[:RELATIVES].tolist():
            greater = identifier.labels[other]
            if split_label(name)[1] != split_label(greater)[1] or support_of[other] <= _RESEMBLES * own:
                continue
            is_small = size[name] < SMALLER * size.get(greater, 0)
            if is_small or prose.get(name, 0) < SMALLER * prose.get(greater, 0):
                yield name, greater, is_small


def shares(identifier: Identifier, data: Path, folder: Path) -> dict[str, dict[str, float]]:
    """The share from which on a text is in a relative, by the greater language and the relative."""
    read = corpus.read_corpus(
        folder, label=label, minimum=lambda _: 0, maximum=_READ, messages=[data / "train-software"]
    )
    prose = {
        name: min(_READ, sum(len(line) for _, lines in files for line in lines))
        for name, files in corpus.read_files((folder,), label, {}).items()
    }
    second = modelfile.read_header(registry.path("nfc"))[2][PARAMETER]["labels"]  # whose texts the first part doubts
    lines = {name: some for name, some in read.lines.items() if name not in second}
    great: dict[str, Any] = {}
    found: dict[str, dict[str, float]] = {}
    for name, greater, is_small in similar_pairs(identifier, lines, prose):
        if greater == ENGLISH or sum(map(len, read.lines.get(greater, ()))) < MUCH:
            continue
        if greater not in great:
            great[greater] = measured(identifier, identifier.labels.index(greater), read.group_by_genre(greater))
        by_kind, most = great[greater]
        number = identifier.labels.index(name)
        if by_kind:
            bound = max(mean[number] + max(LEAST_BOUND, SPREADS * spread[number]) for mean, spread in by_kind)
            kind = main_kind(read.group_by_genre(name))
            if kind in most:
                bound = max(bound, most[kind][number])
            if (0 if is_small else LEAST_IN_PROSE) < bound < 1:
                found.setdefault(greater, {})[name] = round(float(bound), 2)
    return found


def main(data: Path, folder: Path) -> None:
    identifier = registry.load("nfc")
    found = {"model": identifier.hash, "relatives": shares(identifier, data, folder / "corpus")}
    FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
