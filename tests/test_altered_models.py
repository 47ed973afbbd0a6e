"""Model files that no training wrote: refused in one line, or their answers are numbers."""

from __future__ import annotations

from functools import cache
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


@cache
def _model(name: str) -> Model:
    return read(DATA / f"{name}.npz")[0]


def _extremes(array: np.ndarray[Any, Any]) -> list[float | int]:
    if array.dtype.kind == "f":
        greatest = min(1e30, float(np.finfo(array.dtype).max))
        return [float("nan"), float("inf"), greatest, -greatest]
    return [int(np.iinfo(array.dtype).min), int(np.iinfo(array.dtype).max)] if array.dtype.kind in "iu" else []


CASES = [
    pytest.param(name, array, value, id=f"{name}-{array}-{value}")
    for name in MODELS
    for array in _model(name).arrays
    for value in _extremes(_model(name).arrays[array])
]


@pytest.mark.parametrize(("name", "array", "value"), CASES)
def test_an_array_of_other_numbers(name: str, array: str, value: float, tmp_path: Path) -> None:
    sound = _model(name)
    path = tmp_path / "model.npz"
    other = np.full_like(sound.arrays[array], value)
    path.write_bytes(Model(sound.method, sound.labels, sound.parameters, {**sound.arrays, array: other}).to_bytes())
    try:
        said = _probabilities(load(str(path)))
    except ModelError as error:
        words = str(error)
        said = np.ones(1)
    else:
        words = ""
    assert "\n" not in words
    assert np.isfinite(said).all()
    assert 0 <= said.min() <= said.max() <= 1.01


def _probabilities(method: Any) -> np.ndarray[Any, Any]:
    if url_methods.is_url_method(method.name):
        return np.asarray(method.probabilities(["http://www.beispiel.de/wort/seite.html", ""]))
    texts = [TEXT, "xx"]
    given = Material(["", ""], texts, list(map(len, texts)), [text.encode() for text in texts], ["", ""])
    return np.asarray(ask(method, given, title=True).probabilities)
