"""Writes the text of the languages that are added to the default model when it is trained (``train --extend``).

    python tests/content/make_added.py DATA FOLDER

Of these there is nothing but translations of programs, and so few that training with all the others would count them as
too little (`translations.WORTH`). Each is told from its relatives all the same: of the sentences of FLORES 87 and 99 %,
and hardly a line of another language is taken for it. Other languages with as little text were tried as well, and left
out where they took lines or pages of languages that have more.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Final

from graphlang.codes import languages
from graphlang.training import corpus

ADDED: Final = ("ltg", "tum")  # Latgalian, Tumbuka


def main(data: Path, folder: Path) -> None:
    """Write FOLDER/LABEL/GENRE.txt, the lines that are in the language, each once."""
    shutil.rmtree(folder, ignore_errors=True)
    texts, messages = (corpus.read_files((data / part,), languages.label, {}) for part in ("train", "train-software"))
    cleaned = corpus.clean_messages(messages, texts)
    for label in ADDED:
        (folder / label).mkdir(parents=True)
        for genre in sorted({genre for genre, _ in cleaned[label]}):
            lines = dict.fromkeys(line for own, some in cleaned[label] if own == genre for line in some)
            (folder / label / f"{genre}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
