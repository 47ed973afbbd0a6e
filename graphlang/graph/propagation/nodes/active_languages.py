"""The active languages: those that some page may well be in. They are the columns of everything that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.data import Evidence, Signal

LIKELY = 0.3  #: a language is active when some page's text is at least so likely in it, or a long text most likely is
PAGES = 1000  #: a language that no text is in is active if a signal gives it to one in so many pages


def active_languages(evidence: Evidence, signals: Mapping[str, Signal], long: NDArray[np.bool_]) -> NDArray[np.int16]:
    """Indices of the active languages, ascending.

    A single one is followed by -1, any other language, so that there is something to be told from.

    Args:
        evidence: the texts of n pages.
        signals: by name; those without weight bring no language.
        long: pages whose text is long enough for its best language to count however unsure, shape (n,).

    Returns:
        shape (L,); empty where neither text nor signal names a language.
    """
    best, probability = evidence.best()
    found = np.unique(best[(best >= 0) & ((probability >= LIKELY) | long)])
    if not len(found):
        found = np.unique(best[best >= 0])
    pages = evidence.n - evidence.asked
    more = [_of_signal(signal, pages) for signal in signals.values() if signal.weight and signal.languages.size]
    found = np.unique(np.concatenate([found, *more]).astype(np.int16))
    return np.append(found, NONE).astype(np.int16) if len(found) == 1 else found


def _of_signal(signal: Signal, heeded: int) -> NDArray[np.int16]:
    """Languages of one in ``PAGES`` of the first so many pages that a signal speaks of.

    Every language costs memory for every page, and a few odd URLs can sound like any of a hundred.
    """
    first, probability = signal.languages[:heeded, 0], signal.probabilities[:heeded, 0]
    best = first[(probability >= LIKELY) & (first >= 0)]
    found, pages = np.unique(best, return_counts=True)
    return found[pages * PAGES >= len(best)].astype(np.int16)
