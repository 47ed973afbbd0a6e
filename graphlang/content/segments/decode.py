"""What is said of the units of a text -> the label of each: a hidden Markov model whose states are few languages.

A unit gives each language the log of its probability, no less than that of `FLOOR`: a name, a number or a quoted word
must not rule a language out. From one unit to the next the language stays, or another takes over, which costs `BORDER`
where a sentence or a line begins and `INSIDE` elsewhere. A text that is in one language more costs `LANGUAGE`: units
of one language are now and then taken for a relative of it, and a text in three languages is rare. So the languages of
a text are found one after the other, that which raises the likelihood of the best way through the units (Viterbi 1967)
the most first, until none is worth its cost. The four numbers were learnt on documents made of lines that were kept
from training (`tests/benchmarks/shares_table.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

FLOOR = 0.003
BORDER = 2.5
INSIDE = 5.0
LANGUAGE = 6.0
MOST = 5  #: languages of a text
LEAST_GAIN = BORDER + LANGUAGE  #: log likelihood that a second language must add
_TRIED = 4  # languages that are tried as the next one of a text


def likelihoods(probabilities: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log likelihood of each label for each unit; units of which nothing is said (rows of 0) say nothing.

    >>> likelihoods(np.array([[1, 0], [0, 0]], dtype=np.float32)).round(1).tolist()
    [[0.0, -5.800000190734863], [0.0, 0.0]]
    """
    logs = np.log(np.maximum(probabilities, np.float32(FLOOR)))
    logs[~probabilities.any(axis=1)] = 0
    return logs


def alone(logs: NDArray[np.float32], offsets: Ints) -> tuple[Ints, NDArray[np.float32]]:
    """The likeliest label of each text as a whole, and how much likelier it would be if every unit had its own.

    Where that is less than `LEAST_GAIN`, no second language can be worth its cost.

    Args:
        logs: Of all units (`likelihoods`).
        offsets: Text t has the units `offsets[t] : offsets[t + 1]`, one at least.

    >>> alone(np.array([[0, -5], [-1, 0], [0, -5]], dtype=np.float32), np.array([0, 2, 3]))
    (array([0, 0]), array([1., 0.], dtype=float32))
    """
    totals = np.add.reduceat(logs, offsets[:-1], axis=0)
    best: Ints = totals.argmax(axis=1)
    most = np.add.reduceat(logs.max(axis=1), offsets[:-1])
    return best, most - totals[np.arange(len(best)), best]


def labels(logs: NDArray[np.float32], border: NDArray[np.bool_]) -> Ints:
    """The label of each unit of a text.

    Args:
        logs: Of its units (`likelihoods`).
        border: Whether a natural border is before each.

    >>> sure = np.log(np.array([[0.98, 0.01], [0.01, 0.98]], dtype=np.float32))
    >>> labels(sure[[0, 0, 1, 0, 0]], np.ones(5, dtype=bool)).tolist()
    [0, 0, 0, 0, 0]
    >>> labels(sure[[0, 0, 0, 1, 1, 1]], np.ones(6, dtype=bool)).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    rows = np.arange(len(logs))
    costs = np.where(border, BORDER, INSIDE).tolist()
    states = [int(logs.sum(axis=0).argmax())]
    path = np.full(len(logs), states[0])
    reached = float(logs[:, states[0]].sum())
    while len(states) < MOST:
        gain = np.maximum(logs - logs[rows, path][:, None], 0).sum(axis=0)
        gain[states] = 0
        if gain.max() <= LANGUAGE:
            break
        tried = [one for one in np.argsort(-gain, kind="stable")[:_TRIED].tolist() if gain[one] > LANGUAGE]
        found: tuple[float, list[int], int] | None = None
        for one in tried:
            if found is not None and reached + gain[one] <= found[0]:
                break  # nor can any that comes after be worth more
            total, way = _best_way(logs[:, [*states, one]].tolist(), costs)
            if found is None or total > found[0]:
                found = total, way, one
        if found is None or found[0] - reached < LANGUAGE:
            break
        states.append(found[2])
        path, reached = np.array(states)[found[1]], found[0]
    return path


def _best_way(logs: list[list[float]], costs: list[float]) -> tuple[float, list[int]]:
    """The greatest sum of any way through the units, and its states; few units and states want no arrays."""
    value = logs[0]
    if len(value) == 2:  # noqa: PLR2004 - as nearly always
        return _best_of_two(logs, costs)
    best = value.index(max(value))
    came: list[list[int]] = []
    for own, cost in zip(logs[1:], costs[1:], strict=True):
        jump = value[best] - cost
        came.append([state if stay >= jump else best for state, stay in enumerate(value)])
        value = [max(stay, jump) + log for stay, log in zip(value, own, strict=True)]
        best = value.index(max(value))
    way = [best]
    for before in reversed(came):
        way.append(before[way[-1]])
    return value[best], way[::-1]


def _best_of_two(logs: list[list[float]], costs: list[float]) -> tuple[float, list[int]]:
    """The same for two states, in a third of the time: whichever is ahead stays, the other one stays or is left."""
    (first, second), way = logs[0], [0] * len(logs)
    from_first, from_second = [0], [1]  # where the best way to the first, and to the second, comes from
    for (to_first, to_second), cost in zip(logs[1:], costs[1:], strict=True):
        if first >= second:
            jump = first - cost
            from_first.append(0)
            from_second.append(1 if second >= jump else 0)
            second = max(second, jump)
        else:
            jump = second - cost
            from_first.append(0 if first >= jump else 1)
            from_second.append(1)
            first = max(first, jump)
        first += to_first
        second += to_second
    way[-1] = state = 0 if first >= second else 1
    for unit in range(len(logs) - 1, 0, -1):
        way[unit - 1] = state = from_second[unit] if state else from_first[unit]
    return max(first, second), way
