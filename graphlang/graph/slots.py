"""The few languages that each page is asked about, so that the languages in play do not multiply memory.

Of the hundreds of languages of a large collection a page can be in a handful: what its text, its site and its signals
may be, and what its neighbours are. Each page that listens has ``MOST`` slots for those, and one number for all other
languages together: it holds what they would have, and moves with what neighbours say of languages that nobody asked
for. Where no more languages are in play than slots, nothing is left out, and nothing is approximate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.matrix import Links

MOST = 32  #: slots of a page
NEAR = 0.5  #: what the languages of all neighbours weigh together, where the page's own sum to 1
STEPS = 3  #: how many pages without text a language is looked for through
BLOCK = 1 << 16  #: pages worked on at once
LINKS = 1 << 22  #: links looked at at once, but for one page
NOTHING = np.float32(-1e30)  #: logarithm of the share of the others where there are none


def choose(scores: NDArray[np.float32]) -> NDArray[np.int16]:
    """Columns of the ``MOST`` largest scores of each page, ascending; shape (n, min(L, MOST)).

    >>> import numpy as np
    >>> choose(np.float32([[0.1, 0.6, 0.3]])).tolist()
    [[0, 1, 2]]
    """
    n, size = scores.shape
    if size <= MOST:
        return np.broadcast_to(np.arange(size, dtype=np.int16), (n, size))
    return np.sort(np.argpartition(-scores, MOST - 1, axis=1)[:, :MOST], axis=1).astype(np.int16)


def missed(shares: NDArray[np.float32], slots: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Pages with neighbours in a language that has no slot, shape (n,).

    >>> import numpy as np
    >>> missed(np.float32([[0, 0.5, 0.5], [1, 0, 0]]), np.int16([[0, 1], [0, 1]])).tolist()
    [True, False]
    """
    left = shares > 0
    left[np.arange(len(left))[:, None], slots] = False
    return np.asarray(left.any(axis=1))


def pack(odds: NDArray[np.float32], slots: NDArray[np.int16]) -> NDArray[np.float32]:
    """Logarithms of the slots, and of the sum of all the rest; shape (n, K + 1).

    >>> import numpy as np
    >>> np.exp(pack(np.log(np.float32([[1, 2, 3, 4]])), np.int16([[1, 3]]))).round(3).tolist()
    [[2.0, 4.0, 4.0]]
    """
    packed = np.empty((len(odds), slots.shape[1] + 1), np.float32)
    packed[:, :-1] = np.take_along_axis(odds, slots.astype(np.int64), 1)
    if slots.shape[1] == odds.shape[1]:
        packed[:, -1] = NOTHING
        return packed
    largest = odds.max(axis=1, keepdims=True)
    shares = np.exp(odds - largest)
    np.put_along_axis(shares, slots.astype(np.int64), 0, 1)
    packed[:, -1] = np.log(np.maximum(shares.sum(axis=1), np.float32(1e-30))) + largest[:, 0]
    return packed


class Nearby:
    """The languages of each page's neighbours, also through pages without text.

    Args:
        links: all links.
        best: column of each page's likeliest language by its text, -1 none, shape (n,).
        size: languages in play.
    """

    def __init__(self, links: Links, best: NDArray[np.int16], size: int) -> None:
        self.links, self.label, self.size = links, best.copy(), size
        for _ in range(STEPS):
            silent = np.flatnonzero(self.label < 0)
            found = [self._first(silent[at : at + BLOCK]) for at in range(0, len(silent), BLOCK)]
            if found:
                self.label[silent] = np.concatenate(found)

    def _first(self, pages: NDArray[np.int64]) -> NDArray[np.int16]:
        shares = self.shares(pages)
        return np.where(shares.any(axis=1), shares.argmax(axis=1), -1).astype(np.int16)

    def shares(self, pages: NDArray[np.int64]) -> NDArray[np.float32]:
        """Shares of the languages among the neighbours, rows of 0 where none has one; shape (p, L)."""
        table = np.zeros((len(pages), self.size))
        for bounds, ends in ((self.links.start, self.links.target), (self.links.into, self.links.origin)):
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
