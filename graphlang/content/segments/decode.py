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
    cost = np.where(border, BORDER, INSIDE)
    states = [int(logs.sum(axis=0).argmax())]
    path = np.full(len(logs), states[0])
    reached = float(logs[:, states[0]].sum())
    while len(states) < MOST:
        gain = np.maximum(logs - logs[rows, path][:, None], 0).sum(axis=0)
        gain[states] = 0
        tried = [one for one in np.argsort(-gain, kind="stable")[:_TRIED].tolist() if gain[one] > LANGUAGE]
        found = [(*_best_way(logs[:, [*states, one]], cost), one) for one in tried]
        if not found:
            break
        total, way, one = max(found, key=lambda item: (item[0], -item[2]))
        if total - reached < LANGUAGE:
            break
        states.append(one)
        path, reached = np.array(states)[way], total
    return path


def _best_way(logs: NDArray[np.float32], cost: NDArray[np.float64]) -> tuple[float, Ints]:
    """The greatest sum of any way through the units, and its states."""
    number = np.arange(logs.shape[1])
    value = logs[0].astype(np.float64)
    came = np.empty(logs.shape, dtype=np.int64)
    for unit in range(1, len(logs)):
        best = int(value.argmax())
        jump = value[best] - cost[unit]
        came[unit] = np.where(value >= jump, number, best)
        value = np.maximum(value, jump) + logs[unit]
    way = np.empty(len(logs), dtype=np.int64)
    way[-1] = value.argmax()
    for unit in range(len(logs) - 1, 0, -1):
        way[unit - 1] = came[unit, way[unit]]
    return float(value.max()), way
