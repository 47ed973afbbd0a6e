"""What is said of the units of a text -> the label of each: a hidden Markov model whose states are few languages.

A unit gives each language the log of its probability, no less than that of a floor: a name, a number or a quoted word
must not rule a language out. From one unit to the next the language stays, or another takes over, which costs less
where a sentence or a line begins than elsewhere. A text that is in one language more has its price too: units of one
language are now and then taken for a relative of it, and a text in three languages is rare. That price is the higher,
the more units speak against the way: for the new language where the way is in another one, or the reverse. Where a text
changes its language they seldom do; where it is in one that has a close relative they often do. So two close languages
need more evidence, and how close they are, the text itself tells. The languages of a text are found one after the
other, that which raises the likelihood of the best way through the units (Viterbi 1967) the most first, until none is
worth its cost. The numbers were learnt on documents made of lines that were kept from training
(`tests/benchmarks/shares_table.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.content.native import segments as _kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


class Costs(NamedTuple):
    """What the model is made of, in logs of likelihood but for the floor.

    Attributes:
        floor: Probability that a unit gives a language at least.
        border: Of changing the language where a sentence or a line begins.
        inside: Of changing it elsewhere.
        language: Of one language more.
        resemblance: Factor on what the units say against the way with that one.
    """

    floor: float
    border: float
    inside: float
    language: float
    resemblance: float


class Said(NamedTuple):
    """What units say for labels: log likelihoods from that of the floor on, of which few are more than 0.

    Attributes:
        unit: Numbers of units, ascending, (entries,).
        label: What each says it for, (entries,).
        more: How much it says, (entries,).
    """

    unit: Ints
    label: Ints
    more: NDArray[np.float64]


def said(chances: NDArray[np.float32], costs: Costs, likely: NDArray[np.bool_] | None = None) -> Said:
    """What units say for labels.

    Args:
        chances: Probabilities of the labels, (units, labels); of a unit with a row of 0 nothing is said.
        costs: Of the model.
        likely: Labels that count, of each unit, (units, labels); all if not given.
    """
    flat = np.ascontiguousarray(chances).reshape(-1)
    counts = flat > costs.floor
    some = np.flatnonzero(counts if likely is None else counts & likely.reshape(-1))
    unit, label = np.divmod(some, max(chances.shape[1], 1))
    return Said(unit, label, np.log(flat[some].astype(np.float64)) - np.log(costs.floor))


def paths(told: Said, offsets: Ints, border: NDArray[np.bool_], costs: Costs, *, labels: int) -> Ints:
    """The label of each unit of some texts, (units,).

    Args:
        told: What the units say.
        offsets: Text t has the units `offsets[t] : offsets[t + 1]`, (texts + 1,).
        border: Whether a natural border is before each, (units,).
        costs: Of the model.
        labels: How many there are.

    Raises:
        KernelError: an offset is outside the units, or a label is none.

    >>> sure = np.array([[0.98, 0.01], [0.01, 0.98]], dtype=np.float32)[[0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1]]
    >>> costs = Costs(floor=0.003, border=2.5, inside=5, language=6, resemblance=0)
    >>> paths(said(sure, costs), np.array([0, 5, 11]), np.ones(11, dtype=bool), costs, labels=2).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]
    """
    units = len(border)
    path = np.zeros(units, dtype=np.int64)
    states = _kernels.SEGMENTS_STATES
    _kernels.segments_paths(
        starts=np.searchsorted(told.unit, np.arange(units + 1)),
        label=told.label,
        said=told.more,
        offsets=offsets,
        border=border.view(np.uint8),
        at_border=costs.border,
        inside=costs.inside,
        language=costs.language,
        resemblance=costs.resemblance,
        path=path,
        sums=np.empty(labels),
        gain=np.empty(labels),
        seen=np.empty(labels, dtype=np.uint8),
        likely=np.empty(labels, dtype=np.int64),
        came=np.empty(units * states, dtype=np.uint8),
        way=np.empty(units, dtype=np.uint8),
        kept=np.empty(units, dtype=np.uint8),
    )
    return path
