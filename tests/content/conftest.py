"""A corpus of two languages that we made up, small enough to train on in a second."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graphlang.training.train import train

if TYPE_CHECKING:
    from graphlang.modelfile import Model

sys.path.append(str(Path(__file__).parent))  # of scripts that are made of several modules

ENGLISH = ("the cat sat on the mat", "this is the house", "where is the dog", "they think that the weather is good")
GERMAN = ("die katze sitzt auf der matte", "das ist das haus", "wo ist der hund", "sie denken dass das wetter gut ist")
GREEK = ("η γάτα κάθεται στο χαλί", "αυτό είναι το σπίτι", "πού είναι ο σκύλος", "νομίζουν ότι ο καιρός είναι καλός")
TINY = {"minimum": 10, "document": 20, "features": 400, "rounds": 4, "draws": 60, "power": 0.0}


def write_corpus(folder: Path, languages: dict[str, tuple[str, ...]]) -> Path:
    for code, lines in languages.items():
        (folder / code).mkdir(parents=True)
        varied = [f"{line} {other}" for line in lines for other in lines]
        (folder / code / "text.txt").write_text("\n".join(varied) + "\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def corpus_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus"), {"en": ENGLISH, "de": GERMAN, "el": GREEK})


@pytest.fixture(scope="session")
def tiny_model(corpus_folder: Path) -> Model:
    return train(corpus_folder, method="nfc", **TINY)


@pytest.fixture(scope="session")
def tiny_model_path(tiny_model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "tiny.npz"
    tiny_model.save(path)
    return path
