"""Where the latent pages of a partition stand, as what moved since a snapshot: most pages soon rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.propagation.motion import Motion

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The latent pages that do not stand as they did; m of f."""

    numbers: NDArray[np.int64]  #: of these pages among the latent ones, ascending, shape (m,)
    motion: Motion  #: where they stand, row by row


def since(snapshot: Motion, motion: Motion) -> Moves:
    """What moved.

    Args:
        snapshot: where all pages stood.
        motion: where all pages stand.

    >>> then = Motion(np.float32([[1, 0], [1, 0]]), np.zeros((2, 2), np.float32), np.zeros((2, 1), np.float32))
    >>> now = Motion(np.float32([[1, 0], [0, 1]]), then.step, then.damping)
    >>> found = since(then, now)
    >>> found.numbers.tolist(), after(then, found).belief.tolist()
    ([1], [[1.0, 0.0], [0.0, 1.0]])
    """
    pairs = zip(_arrays(snapshot), _arrays(motion), strict=True)
    moved = np.flatnonzero(np.logical_or.reduce([(was != now).any(axis=1) for was, now in pairs]))
    return Moves(moved, Motion(*(values[moved] for values in _arrays(motion))))


def after(snapshot: Motion, moves: Moves) -> Motion:
    """Where all pages stand.

    Args:
        snapshot: where they stood.
        moves: of `since`.
    """
    found = [values.copy() for values in _arrays(snapshot)]
    for every, some in zip(found, _arrays(moves.motion), strict=True):
        every[moves.numbers] = some
    return Motion(*found)


def _arrays(motion: Motion) -> tuple[NDArray[np.float32], ...]:
    return motion.belief, motion.step, motion.damping
