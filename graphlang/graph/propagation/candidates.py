"""Active languages of a collection, and the candidates of each page.

The active languages are those that some page may well be in; they are the columns of all tables. Of the hundreds of
languages of a large collection a page can be in a handful: those of its text, its site, its signals and its neighbours.
So that memory does not grow with all languages, each latent page has ``MOST`` candidates, and one number for all other
languages together. It holds their sum, and moves with the messages about languages that are no candidates. Where no
more than ``MOST`` languages are active, nothing is left out, and nothing is approximate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import padded
from graphlang.graph.data import NONE
from graphlang.graph.language_tables import row_maxima
from graphlang.numerics import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links
    from graphlang.graph.data import Evidence, Signal

MOST = 32  #: candidates of a page
NEAR = 0.5  #: weight of the languages of all neighbours together, where the page's own sum to 1
STEPS = 3  #: how many pages without text a language is looked for through
BLOCK = 1 << 16  #: pages worked on at once
LINKS = 1 << 22  #: links looked at at once, but for one page
ROUNDED = 1 << 10  #: values that those last bits of a score have which do not count
NOTHING = np.float32(-1e30)  #: logarithm of the share of the others where there are none


def choose(scores: NDArray[np.float32]) -> NDArray[np.int16]:
    """Columns of the ``MOST`` largest scores of each page, ascending.

    Many languages of which a site has as few pages have the same score, but for its last bits, which depend on the way
    that it was summed up. So scores count to four digits, and of languages with the same one the column decides.

    Args:
        scores: shape (n, L).

    Returns:
        shape (n, min(L, MOST)).

    >>> import numpy as np
    >>> choose(np.float32([[0.1, 0.6, 0.3]])).tolist()
    [[0, 1, 2]]
    """
    n, size = scores.shape
    if size <= MOST:
        return np.broadcast_to(np.arange(size, dtype=np.int16), (n, size))
    wanted = -scores
    bits = wanted.view(np.int32)
    bits += np.int32(ROUNDED // 2)  # to the nearest of the numbers whose last bits are 0
    bits &= np.int32(-ROUNDED)
    bits |= np.arange(size, dtype=np.int32) % np.int32(ROUNDED)
    return np.sort(np.argpartition(wanted, MOST - 1, axis=1)[:, :MOST], axis=1).astype(np.int16)


def missed(shares: NDArray[np.float32], candidates: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Pages with neighbours in a language that is no candidate.

    Args:
        shares: of the languages among the neighbours of each page, shape (n, L).
        candidates: columns, shape (n, K).

    Returns:
        shape (n,).

    >>> import numpy as np
    >>> missed(np.float32([[0, 0.5, 0.5], [1, 0, 0]]), np.int16([[0, 1], [0, 1]])).tolist()
    [True, False]
    """
    left = shares > 0
    left[np.arange(len(left))[:, None], candidates] = False
    return np.asarray(left.any(axis=1))


def gather(logs: NDArray[np.float32], candidates: NDArray[np.int16]) -> NDArray[np.float32]:
    """Logarithms of the candidates, and of the sum of all other languages.

    Args:
        logs: of all languages, shape (n, L).
        candidates: columns, shape (n, K).

    Returns:
        shape (n, K + 1).

    >>> import numpy as np
    >>> np.exp(gather(np.log(np.float32([[1, 2, 3, 4]])), np.int16([[1, 3]]))).round(3).tolist()
    [[2.0, 4.0, 4.0]]
    """
    gathered = np.empty((len(logs), candidates.shape[1] + 1), np.float32)
    gathered[:, :-1] = np.take_along_axis(logs, candidates.astype(np.int64), 1)
    if candidates.shape[1] == logs.shape[1]:
        gathered[:, -1] = NOTHING
        return gathered
    largest = row_maxima(logs)
    rest = np.exp(logs - largest[:, None])
    np.put_along_axis(rest, candidates.astype(np.int64), 0, 1)
    gathered[:, -1] = np.log(np.maximum(rest.sum(axis=1), np.float32(1e-30))) + largest
    return gathered


class Nearby:
    """The languages of each page's neighbours, also through pages without text.

    Args:
        links: all links.
        best: column of each page's most likely language by its own evidence, -1 none, shape (i,); the pages behind
            these are left out, and none of them is the neighbour of a page without one.
        size: active languages.
    """

    def __init__(self, links: Links, best: NDArray[np.int16], size: int) -> None:
        self.links, self.label, self.size = links, padded(best.copy(), links.n, -1), size
        for _ in range(STEPS):
            unknown = np.flatnonzero(self.label[: len(best)] < 0)
            found = [self._first(unknown[at : at + BLOCK]) for at in range(0, len(unknown), BLOCK)]
            if found:
                self.label[unknown] = np.concatenate(found)

    def _first(self, pages: NDArray[np.int64]) -> NDArray[np.int16]:
        shares = self.shares(pages)
        return np.where(shares.any(axis=1), shares.argmax(axis=1), -1).astype(np.int16)

    def shares(self, pages: NDArray[np.int64]) -> NDArray[np.float32]:
        """Shares of the languages among the neighbours of some pages, rows of 0 where none has one; shape (p, L)."""
        table = np.zeros((len(pages), self.size))
        for bounds, ends in ((self.links.out_start, self.links.target), (self.links.in_start, self.links.in_source)):
            many = bounds[pages + 1] - bounds[pages]
            part = (np.cumsum(many) - many) // LINKS  # a hub has many links to look at
            for edge in range(int(part.max(initial=-1)) + 1):
                some = slice(*np.searchsorted(part, (edge, edge + 1)))
                table[some] += self._count(bounds[pages[some]], many[some], ends)
        return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1), np.float32)

    def _count(self, first: NDArray[np.int64], many: NDArray[np.int64], ends: NDArray[np.int32]) -> NDArray[np.float64]:
        """How many of some ends of links, ``many`` from ``first`` on for each page, have each language."""
        skipped = np.repeat(first - (np.cumsum(many) - many), many)
        label = self.label[ends[np.arange(len(skipped)) + skipped]]
        whose = np.repeat(np.arange(len(many)), many)
        known = label >= 0
        counts = np.bincount(whose[known] * self.size + label[known], minlength=len(many) * self.size)
        return counts.reshape(len(many), self.size).astype(np.float64)


#: A language is active when it is the best of some page's text and at least so likely, or of a long text however
#: likely, or when it is not the best of a long text but at least so likely: what is in doubt must stay so.
LIKELY = 0.3
LONG_TEXTS = 1 << 16  #: pages whose texts are looked at at once
RARE = 1000  #: a language that no text is in is active if a signal gives it to one page in this many


def active_languages(evidence: Evidence, signals: Mapping[str, Signal], long: NDArray[np.bool_]) -> NDArray[np.int16]:
    """Indices of the active languages, ascending.

    A single one is followed by -1, any other language, so that there is a second column to compare with.

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
    pages = evidence.n - evidence.answer_only
    some = [_of_signal(signal, pages) for signal in signals.values() if signal.weight and signal.languages.size]
    return choose_active(found, [np.bincount(one, minlength=len(evidence.codes)) for one in some])


def _likely(evidence: Evidence, pages: NDArray[np.int64]) -> Iterator[NDArray[np.int16]]:
    """Languages, each once for some of the pages, that the text of one of these is likely to be in."""
    for at in range(0, len(pages), LONG_TEXTS):
        part = pages[at : at + LONG_TEXTS]
        yield distinct(evidence.languages[part][evidence.probabilities[part] >= LIKELY])


def choose_active(found: NDArray[np.signedinteger], signals: Sequence[NDArray[np.int64]]) -> NDArray[np.int16]:
    """The languages of the texts, and those that a signal gives to one in ``RARE`` of the pages that it speaks of.

    Every language costs memory for every page, and a few odd URLs can sound like any of a hundred.

    Args:
        found: languages of the texts, ascending.
        signals: pages by language, of each signal.

    Returns:
        ascending; a single one is followed by -1.

    >>> choose_active(np.array([1]), [np.array([5000, 0, 2])]).tolist()
    [0, 1]
    """
    more = [np.flatnonzero((pages > 0) & (pages * RARE >= pages.sum())) for pages in signals]
    active = distinct(np.concatenate([found, *more]).astype(np.int16))
    return np.append(active, NONE).astype(np.int16) if len(active) == 1 else active


def _of_signal(signal: Signal, heeded: int) -> NDArray[np.int16]:
    """Return the language that a signal gives each of the first pages, where it is likely."""
    first, probability = signal.languages[:heeded, 0], signal.probabilities[:heeded, 0]
    return first[(probability >= LIKELY) & (first >= 0)]
