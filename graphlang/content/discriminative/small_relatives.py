"""Long texts that are in a small relative of their best language, however much likelier each part is in the great one.

`scoring.relatives` says by what they are told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from graphlang.content.discriminative.trained import BATCH
from graphlang.content.scoring import relatives
from graphlang.content.text import windows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.content.discriminative.short_texts import ShortTexts

_PARTS = 16  # of a text that may be in a relative of its language
_SIZE = 40
LONG_ENOUGH: Final = (relatives.LEAST_UNITS - 1) * _SIZE  #: characters; of texts that are no longer nothing is told


def settle(
    texts: Sequence[str],
    rows: NDArray[np.int64],
    answer: NDArray[np.float32],
    known: relatives.Bounds,
    short: ShortTexts,
) -> None:
    """Divide the probability of the best language and a small relative of it between the two, in place.

    Near the bound a few letters more or less would turn the answer: it is as likely the one as the other there.

    Args:
        texts: Any strings.
        rows: Those that are meant, longer than `LONG_ENOUGH`.
        answer: Probabilities, (texts, labels).
        known: Of the model.
        short: What answers parts of texts.
    """
    doubtful = relatives.in_doubt(answer if len(rows) == len(answer) else answer[rows], known)
    mine = rows[doubtful].tolist()
    some = max(1, BATCH // (_PARTS * _SIZE))
    for begin in range(0, len(mine), some):
        group = mine[begin : begin + some]
        parts, offsets = windows.cut([texts[i] for i in group], _PARTS, _SIZE)
        chances = np.empty((len(parts), answer.shape[1]), dtype=np.float32)
        short.answer(parts, np.arange(len(parts)), chances)
        best = answer[group].argmax(axis=1)
        relative, part = relatives.smaller(chances, offsets, best, known)
        near = np.flatnonzero(relative != best)
        row, great, small = np.array(group)[near], best[near], relative[near]
        both = answer[row, great] + answer[row, small]
        answer[row, great], answer[row, small] = both * (1 - part[near]), both * part[near]
