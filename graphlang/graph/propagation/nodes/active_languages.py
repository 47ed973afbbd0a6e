"""The active languages: those that some page may well be in. They are the columns of everything that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE
from graphlang.numerics import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.data import Evidence, Signal

#: A language is active when it is the best of some page's text and at least so likely, or of a long text however
#: likely, or when it is not the best of a long text but at least so likely: what is in doubt must stay so.
LIKELY = 0.3
BLOCK = 1 << 16  #: pages whose texts are looked at at once
PAGES = 1000  #: a language that no text is in is active if a signal gives it to one in so many pages


def active_languages(evidence: Evidence, signals: Mapping[str, Signal], long: NDArray[np.bool_]) -> NDArray[np.int16]:
    """Indices of the active languages, ascending.

    A single one is followed by -1, any other language, so that there is something to be told from.

    Args:
        evidence: the texts of n pages.
        signals: by name; those without weight bring no language.
        long: pages whose text is long enough for its best language to count however unsure, and for others, shape (n,).

    Returns:
        shape (L,); empty where neither text nor signal names a language.
    """
    best, probability = evidence.best()
    found = distinct(np.concatenate([best[(probability >= LIKELY) | long], *_likely(evidence, np.flatnonzero(long))]))
    found = found[found >= 0]
    if not len(found):
        found = distinct(best[best >= 0])
    pages = evidence.n - evidence.asked
    some = [_of_signal(signal, pages) for signal in signals.values() if signal.weight and signal.languages.size]
    return chosen(found, [np.bincount(one, minlength=len(evidence.codes)) for one in some])


def _likely(evidence: Evidence, pages: NDArray[np.int64]) -> Iterator[NDArray[np.int16]]:
    """Languages, each once for some of the pages, that the text of one of these is likely to be in."""
    for at in range(0, len(pages), BLOCK):
        part = pages[at : at + BLOCK]
        yield distinct(evidence.languages[part][evidence.probabilities[part] >= LIKELY])


def chosen(found: NDArray[np.signedinteger], signals: Sequence[NDArray[np.int64]]) -> NDArray[np.int16]:
    """The languages of the texts, and those that a signal gives to one in ``PAGES`` of the pages that it speaks of.

    Every language costs memory for every page, and a few odd URLs can sound like any of a hundred.

    Args:
        found: languages of the texts, ascending.
        signals: pages by language, of each signal.

    Returns:
        ascending; a single one is followed by -1.

    >>> chosen(np.array([1]), [np.array([5000, 0, 2])]).tolist()
    [0, 1]
    """
    more = [np.flatnonzero((pages > 0) & (pages * PAGES >= pages.sum())) for pages in signals]
    active = distinct(np.concatenate([found, *more]).astype(np.int16))
    return np.append(active, NONE).astype(np.int16) if len(active) == 1 else active


def _of_signal(signal: Signal, heeded: int) -> NDArray[np.int16]:
    """The language that a signal most likely gives each of the first so many pages, where that is likely."""
    first, probability = signal.languages[:heeded, 0], signal.probabilities[:heeded, 0]
    return first[(probability >= LIKELY) & (first >= 0)]
