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

from graphlang.native.kernels import Kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

FLOOR = 0.003
BORDER = 2.5
INSIDE = 5.0
LANGUAGE = 6.0
LEAST_GAIN = BORDER + LANGUAGE  #: log likelihood that a second language must add
_kernels = Kernels("graphlang.content.native._segments")


def paths(
    chances: NDArray[np.float32], offsets: Ints, border: NDArray[np.bool_], *, least: float = LEAST_GAIN
) -> tuple[Ints, NDArray[np.float64]]:
    """The label of each unit of some texts.

    Args:
        chances: Probabilities of the labels, (units, labels); of a unit with a row of 0 nothing is said.
        offsets: Text t has the units `offsets[t] : offsets[t + 1]`, (texts + 1,).
        border: Whether a natural border is before each, (units,).
        least: A text that would be likelier by no more than this, if every unit had a label of its own, has one label.
            Below `LEAST_GAIN` nothing changes, for no second language would be worth its cost.

    Returns:
        The labels, (units,), and how much likelier each text would be, (texts,).

    Raises:
        KernelError: an offset is outside the units.

    >>> sure = np.array([[0.98, 0.01], [0.01, 0.98]], dtype=np.float32)[[0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1]]
    >>> paths(sure, np.array([0, 5, 11]), np.ones(11, dtype=bool))[0].tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]
    """
    units, width = chances.shape
    path, missed = np.zeros(units, dtype=np.int64), np.zeros(len(offsets) - 1)
    states = _kernels.constant("GRAPHLANG_SEGMENTS_STATES")
    _kernels.segments_paths(
        chances=np.ascontiguousarray(chances),
        offsets=offsets,
        border=border.view(np.uint8),
        least_chance=FLOOR,
        at_border=BORDER,
        inside=INSIDE,
        language=LANGUAGE,
        least=least,
        path=path,
        missed=missed,
        sums=np.empty(width),
        gain=np.empty(width),
        came=np.empty(units * states, dtype=np.uint8),
        way=np.empty(units, dtype=np.uint8),
        kept=np.empty(units, dtype=np.uint8),
    )
    return path, missed
