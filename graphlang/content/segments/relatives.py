"""A language with little training text is now and then taken for a great relative of it, sentence by sentence.

What a model knows of Egyptian Arabic are some thousand lines, of the standard language far more: so it takes most words
of an Egyptian text for Standard Arabic, and each of its units is likelier that. But a text that is truly in the greater
language says next to nothing for the smaller one. How much that is was measured for pairs of languages that resemble
each other, on lines of the greater one that training did not see: of what the units of a text say for it (`decode`),
the mean share that they say for the other, over texts of some hundred letters. Where they say far more, the text is in
the other one. `tests/content/make_relatives.py` has the numbers, which belong to one model.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.content.identifier import Identifier

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

    #: Label that is taken for a greater one's -> the share above which a text is in it, by that greater label.
    Bounds = Mapping[int, Mapping[int, float]]

FILE: Final = Path(__file__).parents[2] / "data" / "nfc-relatives.json"
LEAST_UNITS = 10  #: of fewer nothing is concluded: the bounds were measured on texts of so many and more


def support(chances: NDArray[np.float32], floor: float) -> Floats:
    """What units say for each label on average: the log of its probability from that of the floor on, (labels,).

    Args:
        chances: Probabilities of the labels, (units, labels); units with a row of 0 do not count.
        floor: The probability below which a unit says nothing.

    >>> support(np.array([[0.1, 0.9], [0, 1], [0, 0]], dtype=np.float32), 0.1).round(2).tolist()
    [0.0, 2.25]
    """
    told = chances[chances.any(axis=1)]
    if not len(told):
        return np.zeros(chances.shape[1])
    logs: Floats = np.log(np.maximum(told, floor) / floor).mean(axis=0, dtype=np.float64)
    return logs


def bounds(identifier: Identifier) -> Bounds:
    """The shares of a method's relatives: none for models that they were not measured with.

    Args:
        identifier: A content method.
    """
    return _bounds(identifier.labels) if identifier.hash == _measured()["model"] else {}


def settle(chances: NDArray[np.float32], path: Ints, texts: Ints, known: Bounds, floor: float) -> Ints:
    """The labels of units, those of a text that are in a smaller relative of their label put right, (units,).

    Args:
        chances: Probabilities of the labels, (units, labels).
        path: The label of each unit, (units,).
        texts: The text that each is of, ascending, (units,).
        known: Of the method.
        floor: The probability below which a unit says nothing.

    >>> chances = np.array([[0.7, 0.3]] * 10 + [[0.99, 0.01]] * 10, dtype=np.float32)
    >>> settle(chances, np.zeros(20, dtype=int), np.repeat([0, 1], 10), {0: {1: 0.5}}, 0.003).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    settled = path.copy()
    some = np.flatnonzero(np.isin(path, list(known)))
    for text, label in sorted(set(zip(texts[some].tolist(), path[some].tolist(), strict=True))):
        mine = some[(texts[some] == text) & (path[some] == label)]
        said = support(chances[mine], floor)
        found = [(said[other], other) for other, bound in known[label].items() if said[other] > bound * said[label]]
        if found and len(mine) >= LEAST_UNITS:
            settled[mine] = max(found)[1]
    return settled


@cache
def _measured() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


@cache
def _bounds(labels: tuple[str, ...]) -> Bounds:
    number = {label: place for place, label in enumerate(labels)}
    return {
        number[label]: {number[relative]: bound for relative, bound in relatives.items()}
        for label, relatives in _measured()["relatives"].items()
    }
