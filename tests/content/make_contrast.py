"""Train the vectors of languages again that are full of words of a great one, against that (`training.contrast`).

    python tests/content/make_contrast.py FOLDER MODEL

FOLDER is that of `make_corpus.py`. Much of the training text in Nigerian Pidgin is transcribed speech and tweets, with
whole sentences in English; that in Hindi in Latin letters is tweets, half of them English; and news in Aymara have
names and words of Spanish.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from graphlang import modelfile
from graphlang.training import contrast
from graphlang.training.contrast import LineGroup

#: Labels, and the folders of the corpus with their text and that of the great language.
PAIRS: Final = {"pcm": ("pcm", "en"), "hin_Latn": ("hi-Latn", "en"), "aym": ("ay", "es")}
EXCERPTS: Final = 12_000  #: of each of the two languages
OF_OTHERS: Final = 24  #: of each other language
WEIGHT_GREAT: Final = 50.0  #: the great language is that much commoner, at least
WEIGHT_OTHERS: Final = 10.0
SEED: Final = 1


def read_files(folder: Path) -> list[list[str]]:
    """Read the lines of each file of a folder that is no word list."""
    paths = sorted(path for path in folder.glob("*.txt") if not path.name.startswith("words"))
    return [path.read_text(encoding="utf-8").splitlines() for path in paths]


def make_groups(folder: Path, own_name: str, great_name: str) -> list[LineGroup]:
    """Make the groups of both languages, and one of each other language."""
    own, great = read_files(folder / own_name), read_files(folder / great_name)
    groups = [LineGroup(lines, EXCERPTS // len(own), 1.0, in_language=True) for lines in own]
    groups += [LineGroup(lines, EXCERPTS // len(great), WEIGHT_GREAT, in_language=False) for lines in great]
    for path in sorted(folder.iterdir()):
        if path.name not in (own_name, great_name):
            lines = [line for lines in read_files(path) for line in lines]
            groups.append(LineGroup(lines, OF_OTHERS, WEIGHT_OTHERS, in_language=False))
    return groups


def main(folder: Path, path: Path) -> None:
    """Write the model with the new vectors over the old file."""
    model, _ = modelfile.read(path)
    for label, (own_name, great_name) in PAIRS.items():
        model = contrast.retrain(model, label, make_groups(folder / "corpus", own_name, great_name), seed=SEED)
    model.save(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
