"""Active languages of a collection, and candidate languages of each page.

A language is active if some page is likely to be in it; all tables have a column per active language. A large
collection has hundreds, but a page can be in a handful: those of its text, site, signals and neighbours. To bound
memory, each latent page has ``MOST`` candidates, and one number for the sum of all other languages. That number
changes with the messages about those languages. With at most ``MOST`` active languages nothing is approximated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import pad_values
from graphlang.graph.data import NONE
from graphlang.graph.tables import compute_row_maxima
from graphlang.numerics import find_distinct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import SortedLinks
    from graphlang.graph.data import Evidence, Signal

MOST = 32  #: candidates of a page
NEAR = 0.5  #: weight of the neighbours' languages; those of the page's own evidence sum to 1
STEPS = 3  #: length of a chain of pages without text through which neighbours are searched
BLOCK = 1 << 16  #: pages handled at a time
LINKS = 1 << 22  #: links handled at a time, or those of a single page
ROUNDED = 1 << 10  #: scores are rounded to multiples of this many units in the last place
NOTHING = np.float32(-1e30)  #: log-probability of the other languages where there are none


def choose(scores: NDArray[np.float32]) -> NDArray[np.int16]:
    """Return the columns of the ``MOST`` largest scores of each page, ascending.

    Languages that are equally frequent on a site have scores that differ only in their last bits, which depend on the
    order of summation. So scores are rounded to about four digits, and ties go to the lower column.

    ``scores`` has shape (n, L), the result shape (n, min(L, MOST)).

    >>> import numpy as np
    >>> choose(np.float32([[0.1, 0.6, 0.3]])).tolist()
    [[0, 1, 2]]
    """
    n, size = scores.shape
    if size <= MOST:
        return np.broadcast_to(np.arange(size, dtype=np.int16), (n, size))
    negated = -scores
    bits = negated.view(np.int32)
    bits += np.int32(ROUNDED // 2)  # to the nearest of the numbers whose last bits are 0
    bits &= np.int32(-ROUNDED)
    bits |= np.arange(size, dtype=np.int32) % np.int32(ROUNDED)
    return np.sort(np.argpartition(negated, MOST - 1, axis=1)[:, :MOST], axis=1).astype(np.int16)


def find_missed(shares: NDArray[np.float32], candidates: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return the pages with neighbours in a language that is not a candidate, shape (n,).

    ``shares`` (of languages among the neighbours) has shape (n, L), ``candidates`` (columns) shape (n, K).

    >>> import numpy as np
    >>> find_missed(np.float32([[0, 0.5, 0.5], [1, 0, 0]]), np.int16([[0, 1], [0, 1]])).tolist()
    [True, False]
    """
    missing = shares > 0
    missing[np.arange(len(missing))[:, None], candidates] = False
    return np.asarray(missing.any(axis=1))


def gather(logs: NDArray[np.float32], candidates: NDArray[np.int16]) -> NDArray[np.float32]:
    """Return the log-probabilities of the candidates, and of the sum of all other languages; shape (n, K + 1).

    ``logs`` has shape (n, L), ``candidates`` (columns) shape (n, K).

    >>> import numpy as np
    >>> np.exp(gather(np.log(np.float32([[1, 2, 3, 4]])), np.int16([[1, 3]]))).round(3).tolist()
    [[2.0, 4.0, 4.0]]
    """
    gathered = np.empty((len(logs), candidates.shape[1] + 1), np.float32)
    gathered[:, :-1] = np.take_along_axis(logs, candidates.astype(np.int64), 1)
    if candidates.shape[1] == logs.shape[1]:
        gathered[:, -1] = NOTHING
        return gathered
    largest = compute_row_maxima(logs)
    rest = np.exp(logs - largest[:, None])
    np.put_along_axis(rest, candidates.astype(np.int64), 0, 1)
    gathered[:, -1] = np.log(np.maximum(rest.sum(axis=1), np.float32(1e-30))) + largest
    return gathered


class Nearby:
    """Languages of each page's neighbours; neighbours without evidence pass on those of their own neighbours.

    ``best`` has the best column of each page by its own evidence, -1 none, shape (i,). Pages behind these are
    excluded, and are not linked to pages without evidence. ``size`` is the number of active languages.
    """

    def __init__(self, links: SortedLinks, best: NDArray[np.int16], size: int) -> None:
        self.links, self.label, self.size = links, pad_values(best.copy(), links.n, -1), size
        for _ in range(STEPS):
            unknown = np.flatnonzero(self.label[: len(best)] < 0)
            labels = [self._first(unknown[at : at + BLOCK]) for at in range(0, len(unknown), BLOCK)]
            if labels:
                self.label[unknown] = np.concatenate(labels)

    def _first(self, pages: NDArray[np.int64]) -> NDArray[np.int16]:
        shares = self.shares(pages)
        return np.where(shares.any(axis=1), shares.argmax(axis=1), -1).astype(np.int16)

    def shares(self, pages: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the language shares among the neighbours of some pages, shape (p, L); 0 without neighbours."""
        table = np.zeros((len(pages), self.size))
        for bounds, ends in ((self.links.out_start, self.links.target), (self.links.in_start, self.links.in_source)):
            count = bounds[pages + 1] - bounds[pages]
            group = (np.cumsum(count) - count) // LINKS  # bounds memory for hubs
            for number in range(int(group.max(initial=-1)) + 1):
                rows = slice(*np.searchsorted(group, (number, number + 1)))
                table[rows] += self._count(bounds[pages[rows]], count[rows], ends)
        return np.asarray(table / np.maximum(table.sum(axis=1, keepdims=True), 1), np.float32)

    def _count(self, first: NDArray[np.int64], many: NDArray[np.int64], ends: NDArray[np.int32]) -> NDArray[np.float64]:
        """Count the languages at ``many`` link ends from ``first`` on for each page; shape (p, L)."""
        offset = np.repeat(first - (np.cumsum(many) - many), many)
        label = self.label[ends[np.arange(len(offset)) + offset]]
        row = np.repeat(np.arange(len(many)), many)
        has_label = label >= 0
        counts = np.bincount(row[has_label] * self.size + label[has_label], minlength=len(many) * self.size)
        return counts.reshape(len(many), self.size).astype(np.float64)


#: A language is active if it is the best language of a text with this probability, or of any long text. It is also
#: active if a long text has it with this probability in another rank, so that doubtful texts stay doubtful.
LIKELY = 0.3
LONG_TEXTS = 1 << 16  #: pages whose texts are handled at a time
RARE = 1000  #: other languages are active if a signal has them on one page in this many


def find_active_languages(
    evidence: Evidence, signals: Mapping[str, Signal], long: NDArray[np.bool_]
) -> NDArray[np.int16]:
    """Return the indices of the active languages, ascending, shape (L,); empty without evidence.

    A single language is followed by -1, for any other language, so that there are two columns to compare. Signals
    without weight are ignored. The best language of the ``long`` texts, shape (n,), counts with any probability.
    """
    best, probability = evidence.best()
    active = find_distinct(
        np.concatenate([best[(probability >= LIKELY) | long], *_yield_likely(evidence, np.flatnonzero(long))])
    )
    active = active[active >= 0]
    if not len(active):
        active = find_distinct(best[best >= 0])
    pages = evidence.n - evidence.answer_only
    signal_languages = [
        _find_signal_languages(signal, pages) for signal in signals.values() if signal.weight and signal.languages.size
    ]
    return choose_active(active, [np.bincount(named, minlength=len(evidence.codes)) for named in signal_languages])


def _yield_likely(evidence: Evidence, pages: NDArray[np.int64]) -> Iterator[NDArray[np.int16]]:
    """Yield the likely languages of the texts of some pages, without repeats within a block."""
    for at in range(0, len(pages), LONG_TEXTS):
        block = pages[at : at + LONG_TEXTS]
        yield find_distinct(evidence.languages[block][evidence.probabilities[block] >= LIKELY])


def choose_active(from_texts: NDArray[np.signedinteger], signals: Sequence[NDArray[np.int64]]) -> NDArray[np.int16]:
    """Return the languages of the texts, and those that a signal has on one in ``RARE`` of its pages.

    Each active language costs memory on every page, and a few odd URLs can look like any of a hundred languages.

    ``from_texts`` is ascending; each of ``signals`` counts pages by language. A single language is followed by -1.

    >>> choose_active(np.array([1]), [np.array([5000, 0, 2])]).tolist()
    [0, 1]
    """
    from_signals = [np.flatnonzero((pages > 0) & (pages * RARE >= pages.sum())) for pages in signals]
    active = find_distinct(np.concatenate([from_texts, *from_signals]).astype(np.int16))
    return np.append(active, NONE).astype(np.int16) if len(active) == 1 else active


def _find_signal_languages(signal: Signal, pages: int) -> NDArray[np.int16]:
    """Return the language that a signal has for each of the first ``pages`` pages, where it is likely."""
    language, probability = signal.languages[:pages, 0], signal.probabilities[:pages, 0]
    return language[(probability >= LIKELY) & (language >= 0)]
