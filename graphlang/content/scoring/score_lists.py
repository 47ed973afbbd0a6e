"""What is kept of a method's probabilities: the best few labels of each page, and what stands where there are none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphlang.content.scoring.top_k import top
from graphlang.content.text.normalise import normalised_lengths

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: Labels kept for each page: the graph lives on the whole list, which is long only where the text is short.
KEPT = 20
#: Scores below this are not kept.
LEAST = 0.001
#: Letters are counted in so many characters of a text; beyond, one text is as long as another.
COUNTED = 2000


class ScoreLists(NamedTuple):
    """The best labels of n pages by L labels of a method; number L stands for ``und``, L + 1 for ``zxx``."""

    label: NDArray[np.int64]  #: best first, -1 padding, shape (n, k)
    score: NDArray[np.float32]  #: their probabilities, shape (n, k)


def score_lists(
    probabilities: NDArray[np.float32], characters: NDArray[np.int64], *, framed: NDArray[np.bool_] | None = None
) -> ScoreLists:
    """The best labels of each page; the best one is kept however low it is, others from `LEAST` on.

    Args:
        probabilities: of a method, shape (n, L). A row of zeros: no linguistic content, or a script that none of the
            method's languages is written in.
        characters: letters of each page, shape (n,), see `letters`; without any a row of zeros means ``zxx``.
        framed: which pages have letters in what was not read, shape (n,): they are ``und``, not ``zxx``.

    >>> found = score_lists(np.array([[0.9, 0.1], [0, 0], [0, 0]], np.float32), np.array([7, 7, 0]))
    >>> found.label[:, :2].tolist(), found.score[1:, 0].tolist()
    ([[0, 1], [2, -1], [3, -1]], [0.0, 1.0])
    """
    count = probabilities.shape[1]
    best, score = top(probabilities, KEPT)
    label = np.where(score >= LEAST, best, -1).astype(np.int64)
    label[:, 0] = best[:, 0]
    nothing = score[:, 0] <= 0
    has_letters = characters > 0 if framed is None else (characters > 0) | framed
    label[nothing] = -1
    label[nothing, 0] = np.where(has_letters, count, count + 1)[nothing]
    score[nothing] = 0
    score[nothing, 0] = np.where(has_letters, 0.0, 1.0)[nothing]
    return ScoreLists(label, score)


def letters(texts: Sequence[str]) -> NDArray[np.int64]:
    """Characters of the normalised texts: letters, and single spaces between words.

    Args:
        texts: of which the first `COUNTED` characters are looked at.
    """
    return normalised_lengths(texts, limit=COUNTED)
