"""List the best labels of each page, the probabilities that a run stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.content.native import scores as _kernels
from graphlang.content.text.normalise import count_normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: Labels of a page that are stored: the inference reads the whole list, which is long only for short texts.
KEPT = 20
LEAST = 0.001  #: lower probabilities are not stored
COUNTED = 2000  #: characters of a text whose letters are counted; a longer text counts as long


class ScoreLists(NamedTuple):
    """The best labels of n pages by L labels of a method; number L is ``und``, L + 1 ``zxx``."""

    label: NDArray[np.int64]  #: best first, -1 padding, shape (n, k)
    score: NDArray[np.float32]  #: their probabilities, shape (n, k)


def make_score_lists(
    probabilities: NDArray[np.float32], characters: NDArray[np.int64], *, framed: NDArray[np.bool_] | None = None
) -> ScoreLists:
    """List the best labels of each page: always the best one, others if they have `LEAST` or more.

    Shapes: probabilities (n, L), a row of zeros for a page without linguistic content or in a script without labels;
    characters (n,) from `count_letters`: 0 of them and a row of zeros mean ``zxx``. `framed` (n,) are pages with
    letters that were not read: they are ``und``, not ``zxx``.

    >>> lists = make_score_lists(np.array([[0.9, 0.1], [0, 0], [0, 0]], np.float32), np.array([7, 7, 0]))
    >>> lists.label[:, :2].tolist(), lists.score[1:, 0].tolist()
    ([[0, 1], [2, -1], [3, -1]], [0.0, 1.0])
    """
    count = probabilities.shape[1]
    best, score = choose_top(probabilities, KEPT)
    label = np.where(score >= LEAST, best, -1).astype(np.int64)
    label[:, 0] = best[:, 0]
    nothing = score[:, 0] <= 0
    has_letters = characters > 0 if framed is None else (characters > 0) | framed
    label[nothing] = -1
    label[nothing, 0] = np.where(has_letters, count, count + 1)[nothing]
    score[nothing] = 0
    score[nothing, 0] = np.where(has_letters, 0.0, 1.0)[nothing]
    return ScoreLists(label, score)


def count_letters(texts: Sequence[str]) -> NDArray[np.int64]:
    """Count letters, and single spaces between words, in the first `COUNTED` characters of each text."""
    return count_normalised(texts, limit=COUNTED)


def choose_top(probabilities: NDArray[np.float32], k: int) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Find the k most probable labels of every row, best first; of equal ones the first.

    Return indices and probabilities, both (rows, k): -1 and 0 if a row has fewer than k labels above 0.

    >>> indices, best = choose_top(np.array([[0.2, 0.7, 0.1], [0.0, 0.0, 0.0]], dtype=np.float32), 2)
    >>> indices.tolist(), best.round(1).tolist()[0][0] > 0.6
    ([[1, 0], [-1, -1]], True)
    """
    indices = np.empty((len(probabilities), k), dtype=np.int16)
    values = np.empty((len(probabilities), k), dtype=np.float32)
    rows = np.ascontiguousarray(probabilities, dtype=np.float32)
    _kernels.scores_top(probabilities=rows, indices=indices, values=values)
    return indices, values
