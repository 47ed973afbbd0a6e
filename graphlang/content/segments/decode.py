"""Label the units of a text by a hidden Markov model whose states are few languages.

A unit supports a language by the log of its probability, but no less than that of a floor: a name, a number or a quoted
word must not exclude a language. To change the language from one unit to the next costs less where a sentence or a line
begins than elsewhere. Each further language of a text costs as well, because units of one language are sometimes
mistaken for a relative of it, and a text in three languages is rare. This cost rises with the units that contradict the
path: units that support the new language where the path has another one, or the reverse. They are rare where a text
changes its language, and common where its language has a close relative. So two close languages need more evidence, and
the text itself shows how close they are. Languages are added one after the other, first the one that raises the
likelihood of the best path (Viterbi 1967) most, until none is worth its cost. The numbers were fitted on documents made
of lines kept out of training (`tests/benchmarks/shares_table.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.content.native import segments as _kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


class Costs(NamedTuple):
    """The parameters of the model; costs are logs of likelihood."""

    floor: float  #: least probability of a language in a unit
    border: float  #: cost to change the language where a sentence or a line begins
    inside: float  #: cost to change it elsewhere
    language: float  #: cost of each further language
    resemblance: float  #: factor on the support of units that contradict the path with that language


class Support(NamedTuple):
    """The support of units for labels that is more than 0: log likelihood over the floor."""

    unit: Ints  #: ascending, (entries,)
    label: Ints  #: (entries,)
    log: NDArray[np.float64]  #: (entries,)


def compute_support(chances: NDArray[np.float32], costs: Costs, likely: NDArray[np.bool_] | None = None) -> Support:
    """Compute the support of units for labels from probabilities (units, labels).

    Only `likely` labels (units, labels) count in a unit; all if None.
    """
    flat = np.ascontiguousarray(chances).reshape(-1)
    counts = flat > costs.floor
    places = np.flatnonzero(counts if likely is None else counts & likely.reshape(-1))
    unit, label = np.divmod(places, max(chances.shape[1], 1))
    return Support(unit, label, np.log(flat[places].astype(np.float64)) - np.log(costs.floor))


def find_paths(support: Support, offsets: Ints, border: NDArray[np.bool_], costs: Costs, *, labels: int) -> Ints:
    """Find the likeliest label of each unit, (units,).

    Text t has the units `offsets[t] : offsets[t + 1]`; `border` (units,) is true if a sentence or line begins with the
    unit. `labels` is their number. Raise a KernelError if an offset or a label is out of range.

    >>> sure = np.array([[0.98, 0.01], [0.01, 0.98]], dtype=np.float32)[[0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1]]
    >>> costs = Costs(floor=0.003, border=2.5, inside=5, language=6, resemblance=0)
    >>> support = compute_support(sure, costs)
    >>> find_paths(support, np.array([0, 5, 11]), np.ones(11, dtype=bool), costs, labels=2).tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]
    """
    units = len(border)
    path = np.zeros(units, dtype=np.int64)
    states = _kernels.SEGMENTS_STATES
    _kernels.segments_paths(
        starts=np.searchsorted(support.unit, np.arange(units + 1)),
        label=support.label,
        support=support.log,
        offsets=offsets,
        border=border.view(np.uint8),
        at_border=costs.border,
        inside=costs.inside,
        language=costs.language,
        resemblance=costs.resemblance,
        path=path,
        sums=np.empty(labels),
        gain=np.empty(labels),
        is_listed=np.empty(labels, dtype=np.uint8),
        likely=np.empty(labels, dtype=np.int64),
        previous=np.empty(units * states, dtype=np.uint8),
        sequence=np.empty(units, dtype=np.uint8),
        best_sequence=np.empty(units, dtype=np.uint8),
    )
    return path
