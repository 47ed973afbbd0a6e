"""Who says the same thing: links whose messages are equal are worked out once.

A message depends on the sender's belief, the link's bond and the host's tables, not on the receiver. Bonds are rounded
to ``LEVELS``, and settled pages of one place and language all say the same; so the messages of a round are as many as
there are different *voices*, far fewer than links, and a sparse matrix from voices to receivers sums them up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: What a bond may be: none, or evenly spaced log-odds from 0.005 to 0.98.
LEVELS = np.concatenate([[0.0], 1 / (1 + np.exp(-np.linspace(-5.3, 3.9, 32)))]).astype(np.float32)


def level(bond: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Number of the nearest of ``LEVELS``."""
    middle = (LEVELS[1:] + LEVELS[:-1]) / 2
    return np.searchsorted(middle, bond).astype(np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Voices:
    """Different messages of one direction; v voices, n pages."""

    sender: NDArray[np.int32]  #: a page that says it, shape (v,)
    host: NDArray[np.int32]  #: whose tables hold for it, shape (v,)
    bond: NDArray[np.float32]  #: shape (v,)
    heard: sparse.csc_matrix  #: how much each page hears of each voice, shape (n, v)
    pairs: NDArray[np.int64]  #: voices of senders that may still move, sorted by sender, shape (p,)
    start: NDArray[np.int64]  #: those of page i are ``pairs[start[i]:start[i + 1]]``, shape (n + 1,)

    def of(self, pages: NDArray[np.int64]) -> NDArray[np.int64]:
        """Voices of some pages, in ascending order of the pages."""
        first, count = self.start[pages], self.start[pages + 1] - self.start[pages]
        skipped = np.repeat(first - (np.cumsum(count) - count), count)
        return np.asarray(self.pairs[np.arange(len(skipped)) + skipped])


def voices(  # noqa: PLR0917  internal, called twice
    receiver: NDArray[np.int32],
    sender: NDArray[np.int32],
    share: NDArray[np.float32],
    host: NDArray[np.int32],
    levels: NDArray[np.uint8],
    kin: NDArray[np.int64],
    home: NDArray[np.int32],
    moving: NDArray[np.bool_],
) -> Voices:
    """Group links by what they carry.

    Args:
        receiver: of each link, shape (w,).
        sender: of each link, shape (w,).
        share: what each link's message is multiplied by, shape (w,).
        host: whose tables hold for each link, shape (w,).
        levels: bond of each link as a number of ``LEVELS``, shape (w,).
        kin: number of the group of pages that all say the same, for each page, from 0, shape (n,).
        home: host of each page, shape (n,).
        moving: pages whose belief may still change, shape (n,).
    """
    n, groups, steps = len(kin), int(kin.max(initial=-1)) + 1, len(LEVELS)
    inside = host == home[sender]
    key = kin[sender] * steps + levels
    # within a host the keys are dense and need no sorting; links from other hosts are few
    present = np.zeros(groups * steps, bool)
    present[key[inside]] = True
    number = np.cumsum(present) - 1
    voice = np.empty(len(key), np.int64)
    voice[inside] = number[key[inside]]
    count = int(present.sum())
    abroad = np.flatnonzero(~inside)
    if len(abroad):
        full = key[abroad] * (int(host.max()) + 1) + host[abroad]
        different, inverse = np.unique(full, return_inverse=True)
        voice[abroad] = count + inverse
        count += len(different)
    example = np.zeros(count, np.int64)
    example[voice[::-1]] = np.arange(len(voice))[::-1]
    heard = sparse.csr_matrix((share, (receiver, voice)), shape=(n, count)).tocsc()
    who = sender[example] if len(voice) else np.zeros(0, np.int32)
    pairs = np.flatnonzero(moving[who])
    pairs = pairs[np.argsort(who[pairs], kind="stable")]
    start = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(who[pairs], minlength=n), out=start[1:])
    return Voices(who, host[example], LEVELS[levels[example]], heard, pairs, start)


def places(values: NDArray[np.integer], below: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The different values, and the place of each value among them, as np.unique gives them: many need no sorting."""
    if 4 * len(values) < below:
        rows, place = np.unique(values, return_inverse=True)
        return rows.astype(np.int64), place
    present = np.zeros(below, bool)
    present[values] = True
    return np.flatnonzero(present), (np.cumsum(present) - 1)[values]
