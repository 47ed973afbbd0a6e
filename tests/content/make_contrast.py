"""Train the vector of Nigerian Pidgin in the default model again, against everyday English (`training.contrast`).

    python tests/content/make_contrast.py FOLDER MODEL

FOLDER is that of `make_corpus.py`. Much of the training text in Pidgin is transcribed speech and tweets, with whole
sentences in English.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from graphlang import modelfile
from graphlang.training import contrast
from graphlang.training.contrast import Group

LABEL: Final = "pcm"
OWN: Final = "pcm"  #: folders of the corpus
GREAT: Final = "en"
EXCERPTS: Final = 12_000  #: of each of the two languages
OF_OTHERS: Final = 24  #: of each other language
WEIGHT_ENGLISH: Final = 50.0  #: English is that much commoner than Pidgin, at least
WEIGHT_OTHERS: Final = 10.0
SEED: Final = 1


def read_files(folder: Path) -> list[list[str]]:
    """Read the lines of each file of a folder that is no word list."""
    paths = sorted(path for path in folder.glob("*.txt") if not path.name.startswith("words"))
    return [path.read_text(encoding="utf-8").splitlines() for path in paths]


def make_groups(folder: Path) -> list[Group]:
    """Make the groups of both languages, and one of each other language."""
    own, great = read_files(folder / OWN), read_files(folder / GREAT)
    groups = [Group(lines, EXCERPTS // len(own), 1.0, in_language=True) for lines in own]
    groups += [Group(lines, EXCERPTS // len(great), WEIGHT_ENGLISH, in_language=False) for lines in great]
    for path in sorted(folder.iterdir()):
        if path.name not in (OWN, GREAT):
            lines = [line for lines in read_files(path) for line in lines]
            groups.append(Group(lines, OF_OTHERS, WEIGHT_OTHERS, in_language=False))
    return groups


def main(folder: Path, path: Path) -> None:
    """Write the model with the new vector over the old file."""
    model, _ = modelfile.read(path)
    contrast.retrain(model, LABEL, make_groups(folder / "corpus"), seed=SEED).save(path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
