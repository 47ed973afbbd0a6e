"""A language with little training text is now and then taken for a great relative of it, sentence by sentence.

What a model knows of Egyptian Arabic are some thousand lines, of the standard language far more: so it takes most words
of an Egyptian text for Standard Arabic, and each of its units is likelier that. But a text that is truly in the greater
language says next to nothing for the smaller one. How much that is was measured for pairs of languages that resemble
each other, on lines of the greater one that training did not see: of what the units of a text say for it, the mean
share that they say for the other, over texts of some hundred letters. Where they say far more, the text is in the other
one. `tests/content/make_relatives.py` has the numbers, which belong to one model.

A unit speaks for a label by the log of its probability from `FLOOR` on: what is likelier still in a tenth of all such
units is no evidence, since names and interface messages are a little like many languages. Units of a text must agree:
few that are in the smaller language, as a page of names and headings has them, do not outweigh many that are not.
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

FILE: Final = Path(__file__).parents[1] / "data" / "nfc-relatives.json"
FLOOR = 0.1  #: probability below which a unit says nothing
#: The share that a bound is at least: little text of each language was there to measure it on.
LEAST_BOUND: Final = 0.08
LEAST_UNITS = 10  #: of fewer nothing is concluded: the bounds were measured on texts of so many and more
#: Of the greater label's probability times the bound: with more for the relative a text is read again. A third of it
#: helps a few more, but took one of sixty Zulu texts for Xhosa.
NEAR = 0.003
AGREE = 0.7  #: standard errors of the mean by which units must say more than the bound
#: Of the logit that a text is in the relative, for each of these errors: of 350 texts that were read again those at one
#: error were in the relative as often as not, and of those at two or more nine in ten.
STEEP: Final = 1.5
_MOST_LOG: Final = 30.0


def support(chances: NDArray[np.float32], floor: float = FLOOR) -> NDArray[np.float32]:
    """What each unit says for each label: the log of its probability from that of the floor on, (units, labels).

    Args:
        chances: Probabilities of the labels, (units, labels); units with a row of 0 are left out.
        floor: The probability below which a unit says nothing.

    >>> support(np.array([[0.1, 0.9], [0, 0]], dtype=np.float32), 0.1).astype(float).round(2).tolist()
    [[0.0, 2.2]]
    """
    told = chances[chances.any(axis=1)]
    logs: NDArray[np.float32] = np.log(np.maximum(told, np.float32(floor)) / np.float32(floor))
    return logs


def bounds(identifier: Identifier) -> Bounds:
    """The shares of a method's relatives: none for models that they were not measured with.

    Args:
        identifier: A content method.
    """
    return _bounds(identifier.labels) if identifier.hash == _measured()["model"] else {}


def lowered(known: Bounds, least: float) -> Bounds:
    """Bounds of which those that are no more than `LEAST_BOUND` are lower: of these texts less was measured.

    Args:
        known: Of a method.
        least: Instead of `LEAST_BOUND`.

    >>> lowered({0: {1: 0.5, 2: LEAST_BOUND}}, 0.02)
    {0: {1: 0.5, 2: 0.02}}
    """
    return {
        label: {other: least if bound <= LEAST_BOUND else bound for other, bound in others.items()}
        for label, others in known.items()
    }


def in_doubt(probabilities: NDArray[np.float32], known: Bounds) -> Ints:
    """Which texts may be in a relative of their best label, (texts in doubt,).

    Args:
        probabilities: Of the labels, (texts, labels).
        known: Of the method.

    >>> of_texts = np.array([[0.98, 0.02], [0.9999, 0.0001], [0.1, 0.9], [0, 0]], dtype=np.float32)
    >>> in_doubt(of_texts, {0: {1: 0.5}}).tolist()
    [0]
    """
    best = probabilities.argmax(axis=1)
    found = np.zeros(len(best), dtype=np.bool_)
    for label in set(best.tolist()).intersection(known):
        mine = np.flatnonzero(best == label)
        others = np.fromiter(known[label], dtype=np.int64)
        least = NEAR * np.fromiter(known[label].values(), dtype=np.float32)
        found[mine] = (probabilities[mine[:, None], others] > least * probabilities[mine, label][:, None]).any(axis=1)
    return np.flatnonzero(found)


def smaller(
    chances: NDArray[np.float32], offsets: Ints, labels: Ints, known: Bounds
) -> tuple[Ints, NDArray[np.float32]]:
    """The relative that each text may be in, and how probable that is rather than its greater label, (texts,) each.

    Of several relatives it is the one that the units say most for beyond its bound. Where there is none it is the label
    itself, and 0.

    Args:
        chances: Probabilities of the labels, (units, labels).
        offsets: Text t has the units `offsets[t] : offsets[t + 1]`, (texts + 1,).
        labels: What each text was taken for, (texts,).
        known: Of the method.

    >>> mixed = np.array([[0.6, 0.4], [0.7, 0.3]] * 10, dtype=np.float32)
    >>> relative, part = smaller(mixed, np.array([0, 10, 19]), np.array([0, 0]), {0: {1: 0.5}})
    >>> relative.tolist(), part.round(2).tolist()
    ([1, 0], [1.0, 0.0])
    """
    found, part = labels.copy(), np.zeros(len(labels), dtype=np.float32)
    for text, label in enumerate(labels.tolist()):
        begin, end = offsets[text], offsets[text + 1]
        if label in known:
            relative, errors = _beyond(chances[begin:end], label, known[label], LEAST_UNITS)
            if relative != label:
                found[text] = relative
                part[text] = 1 / (1 + np.exp(np.clip(STEEP * (AGREE - errors), -_MOST_LOG, _MOST_LOG)))
    return found, part


def _beyond(chances: NDArray[np.float32], label: int, others: Mapping[int, float], least: int) -> tuple[int, float]:
    """The relative that units say most for beyond its bound, and by how many standard errors of the mean."""
    told = support(chances[:, [label, *others]])
    if len(told) < least:
        return label, -np.inf
    more = told[:, 1:] - np.fromiter(others.values(), dtype=np.float32) * told[:, :1]
    mean = more.mean(axis=0)
    best = int(mean.argmax())
    error = more[:, best].std() / np.sqrt(len(more))
    errors = mean[best] / error if error > 0 else np.inf if mean[best] > 0 else -np.inf
    return list(others)[best], float(errors)


def settle(
    chances: NDArray[np.float32],
    path: Ints,
    texts: Ints,
    known: Bounds,
    *,
    least: int = LEAST_UNITS,
    agree: float = AGREE,
) -> Ints:
    """The labels of units, those of a text that are in a smaller relative of their label put right, (units,).

    Args:
        chances: Probabilities of the labels, (units, labels).
        path: The label of each unit, (units,).
        texts: The text that each is of, ascending, (units,).
        known: Of the method.
        least: Units of a label of which something is concluded.
        agree: Standard errors of the mean by which they must say more than the bound.

    >>> chances = np.array([[0.6, 0.4]] * 10 + [[0.99, 0.01]] * 10, dtype=np.float32)
    >>> settle(chances, np.zeros(20, dtype=int), np.repeat([0, 1], 10), {0: {1: 0.5}}).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    settled = path.copy()
    some = np.flatnonzero(np.isin(path, list(known)))
    for text, label in sorted(set(zip(texts[some].tolist(), path[some].tolist(), strict=True))):
        mine = some[(texts[some] == text) & (path[some] == label)]
        if len(mine) >= least:
            relative, errors = _beyond(chances[mine], label, known[label], least)
            settled[mine] = relative if errors > agree else label
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
