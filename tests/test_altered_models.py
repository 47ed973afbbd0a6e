"""Model files that no training wrote: refused in one line, or their answers are numbers."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from graphlang import modelfile
from graphlang.content.page_input import Material, ask
from graphlang.identification import load
from graphlang.modelfile import Model, ModelError, read
from graphlang.urls import url_methods

DATA = Path(modelfile.__file__).parent / "data"
#: One model of each kind; the default content model, which is large, has tests of its own.
MODELS = ("nfc-2004", "byte-trigrams", "url", "url-words-nb", "url-words-re", "url-trigrams-me", "url-custom-dt")
TEXT = "Das Museum der Gezeiten liegt am Hafen und zeigt alte Boote."


def _extremes(array: np.ndarray[Any, Any]) -> list[float | int]:
    if array.dtype.kind == "f":
        greatest = min(1e30, float(np.finfo(array.dtype).max))
        return [float("nan"), float("inf"), greatest, -greatest]
    return [int(np.iinfo(array.dtype).min), int(np.iinfo(array.dtype).max)] if array.dtype.kind in "iu" else []


@pytest.mark.parametrize("name", MODELS)
def test_an_array_of_other_numbers(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = read(DATA / f"{name}.npz")[0]
    path = tmp_path / "model.npz"
    for array in sound.arrays:
        for value in _extremes(sound.arrays[array]):
            arrays = {**sound.arrays, array: np.full_like(sound.arrays[array], value)}
            with monkeypatch.context() as uncompressed:  # compression takes seconds
                uncompressed.setattr(zipfile, "ZIP_DEFLATED", zipfile.ZIP_STORED)
                path.write_bytes(Model(sound.method, sound.labels, sound.parameters, arrays).to_bytes())
            answers, message = np.zeros(1), ""
            try:
                answers = _probabilities(load(str(path)))
            except ModelError as error:
                message = str(error)
            assert "\n" not in message, (array, value)
            assert np.isfinite(answers).all(), (array, value)
            assert 0 <= answers.min() <= answers.max() <= 1.01, (array, value)


def _probabilities(method: Any) -> np.ndarray[Any, Any]:
    if url_methods.is_url_method(method.name):
        return np.asarray(method.probabilities(["http://www.beispiel.de/wort/seite.html", ""]))
    texts = [TEXT, "xx"]
    given = Material(["", ""], texts, list(map(len, texts)), [text.encode() for text in texts], ["", ""])
    return np.asarray(ask(method, given, title=True).probabilities)
