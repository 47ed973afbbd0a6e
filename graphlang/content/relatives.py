"""Recognise texts in a small language whose single sentences look like a great relative of it.

A model has some thousand lines of Egyptian Arabic and far more of the standard language. So it identifies most words of
an Egyptian text, and each unit of the text, as Standard Arabic. But a text in the great language supports the small one
very little. The bound of a pair of similar languages is the mean support of units for the small language, as a share of
their support for the great one, measured on held-out lines of the great one. A text whose units support the small
language by more is in it. `tests/content/make_relatives.py` measures the bounds, which belong to one model.

The support of a unit for a label is the log of its probability over `FLOOR`. A probability below the floor is no
evidence, because names and interface messages resemble many languages a little. Units must agree: a few in the small
language, as on a page of names and headings, do not outweigh many others.
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

    #: Great label -> small relative -> the share of support above which a text is in the relative.
    Bounds = Mapping[int, Mapping[int, float]]

FILE: Final = Path(__file__).parents[1] / "data" / "nfc-relatives.json"
FLOOR = 0.1  #: probability below which a unit supports nothing
LEAST_BOUND: Final = 0.08  #: each bound was measured on little text, so none is lower
LEAST_UNITS = 10  #: of a text; the bounds were measured on texts with as many or more
#: A text is compared if its relative has more than this times the bound times the great label's probability. A third
#: of it helps few more texts, but makes some Zulu texts Xhosa.
NEAR = 0.003
AGREE = 0.7  #: standard errors of the mean by which the support must exceed the bound
#: Slope of the logit that a text is in the relative, per standard error: at one error texts are in the relative as
#: often as not, at two nine in ten.
STEEP: Final = 1.5
_MOST_LOG: Final = 30.0


def measure_support(chances: NDArray[np.float32], floor: float = FLOOR) -> NDArray[np.float32]:
    """Measure the support of each unit for each label: its log probability over the floor, (units, labels).

    Units with a row of 0 are left out.

    >>> measure_support(np.array([[0.1, 0.9], [0, 0]], dtype=np.float32), 0.1).astype(float).round(2).tolist()
    [[0.0, 2.2]]
    """
    rows = chances[chances.any(axis=1)]
    logs: NDArray[np.float32] = np.log(np.maximum(rows, np.float32(floor)) / np.float32(floor))
    return logs


def find_bounds(identifier: Identifier) -> Bounds:
    """Find the bounds of a method; none for a model that they were not measured with."""
    return _number_bounds(identifier.labels) if identifier.hash == _load_measured()["model"] else {}


def lower_bounds(bounds: Bounds, minimum: float) -> Bounds:
    """Replace `LEAST_BOUND` in bounds by a lower one.

    >>> lower_bounds({0: {1: 0.5, 2: LEAST_BOUND}}, 0.02)
    {0: {1: 0.5, 2: 0.02}}
    """
    return {
        label: {other: minimum if bound <= LEAST_BOUND else bound for other, bound in relatives.items()}
        for label, relatives in bounds.items()
    }


def find_doubtful(probabilities: NDArray[np.float32], bounds: Bounds) -> Ints:
    """Find texts that may be in a relative of their best label, from probabilities (texts, labels).

    >>> chances = np.array([[0.98, 0.02], [0.9999, 0.0001], [0.1, 0.9], [0, 0]], dtype=np.float32)
    >>> find_doubtful(chances, {0: {1: 0.5}}).tolist()
    [0]
    """
    best = probabilities.argmax(axis=1)
    doubtful = np.zeros(len(best), dtype=np.bool_)
    for label in set(best.tolist()).intersection(bounds):
        rows = np.flatnonzero(best == label)
        relatives = np.fromiter(bounds[label], dtype=np.int64)
        minimum = NEAR * np.fromiter(bounds[label].values(), dtype=np.float32)
        likely = probabilities[rows[:, None], relatives] > minimum * probabilities[rows, label][:, None]
        doubtful[rows] = likely.any(axis=1)
    return np.flatnonzero(doubtful)


def find_smaller(
    chances: NDArray[np.float32], offsets: Ints, labels: Ints, bounds: Bounds
) -> tuple[Ints, NDArray[np.float32]]:
    """Find the relative that each text may be in, and its probability against the large label, (texts,) each.

    Of several relatives it is the one with the most support beyond its bound. Without one it is the label itself, and
    0. Text t has the units `offsets[t] : offsets[t + 1]` of `chances` (units, labels); `labels` (texts,) are the best
    ones.

    >>> mixed = np.array([[0.6, 0.4], [0.7, 0.3]] * 10, dtype=np.float32)
    >>> relative, part = find_smaller(mixed, np.array([0, 10, 19]), np.array([0, 0]), {0: {1: 0.5}})
    >>> relative.tolist(), part.round(2).tolist()
    ([1, 0], [1.0, 0.0])
    """
    small, share = labels.copy(), np.zeros(len(labels), dtype=np.float32)
    for text, label in enumerate(labels.tolist()):
        begin, end = offsets[text], offsets[text + 1]
        if label in bounds:
            relative, errors = _find_best_supported(chances[begin:end], label, bounds[label], LEAST_UNITS)
            if relative != label:
                small[text] = relative
                share[text] = 1 / (1 + np.exp(np.clip(STEEP * (AGREE - errors), -_MOST_LOG, _MOST_LOG)))
    return small, share


def _find_best_supported(
    chances: NDArray[np.float32], label: int, relative_bounds: Mapping[int, float], minimum: int
) -> tuple[int, float]:
    """Find the relative with the most support beyond its bound, and by how many standard errors of the mean."""
    supports = measure_support(chances[:, [label, *relative_bounds]])
    if len(supports) < minimum:
        return label, -np.inf
    excess = supports[:, 1:] - np.fromiter(relative_bounds.values(), dtype=np.float32) * supports[:, :1]
    mean = excess.mean(axis=0)
    best = int(mean.argmax())
    error = excess[:, best].std() / np.sqrt(len(excess))
    errors = mean[best] / error if error > 0 else np.inf if mean[best] > 0 else -np.inf
    return list(relative_bounds)[best], float(errors)


def relabel_relatives(
    chances: NDArray[np.float32],
    path: Ints,
    texts: Ints,
    bounds: Bounds,
    *,
    minimum: int = LEAST_UNITS,
    agree: float = AGREE,
) -> Ints:
    """Replace labels of units by a small relative if the units of a text and label support it, (units,).

    Shapes: chances (units, labels); path (units,), the labels; texts (units,), ascending. At least `minimum` units of a
    text and label are needed, and their support must exceed the bound by `agree` standard errors of the mean.

    >>> chances = np.array([[0.6, 0.4]] * 10 + [[0.99, 0.01]] * 10, dtype=np.float32)
    >>> relabel_relatives(chances, np.zeros(20, dtype=int), np.repeat([0, 1], 10), {0: {1: 0.5}}).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    """
    settled = path.copy()
    if not bounds:
        return settled
    great = np.array(sorted(bounds), dtype=np.int64)  # `numpy.isin` imports `numpy.ma`, which takes 20 ms
    units = np.flatnonzero(great[np.minimum(np.searchsorted(great, path), len(great) - 1)] == path)
    for text, label in sorted(set(zip(texts[units].tolist(), path[units].tolist(), strict=True))):
        group = units[(texts[units] == text) & (path[units] == label)]
        if len(group) >= minimum:
            relative, errors = _find_best_supported(chances[group], label, bounds[label], minimum)
            settled[group] = relative if errors > agree else label
    return settled


@cache
def _load_measured() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return content


@cache
def _number_bounds(labels: tuple[str, ...]) -> Bounds:
    number = {label: place for place, label in enumerate(labels)}
    return {
        number[label]: {number[relative]: bound for relative, bound in relatives.items()}
        for label, relatives in _load_measured()["relatives"].items()
    }
