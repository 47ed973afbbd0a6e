"""URL, ccTLD, declarations and hreflang as evidence, each believed as far as the collection bears it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.matrix import Links

USUAL = 0.8  #: how often a signal is right, before anything was seen
SPEAKS = 0.5  #: probability that its best language must have, all being alike before, where a page has nothing else
BLOCK = 1 << 14  #: pages worked on at once
PSEUDO = 10.0  #: pages' worth of that, and of the whole collection's rate for each host


def reliability(right: NDArray[np.float32], host: NDArray[np.int32], hosts: int) -> NDArray[np.float64]:
    """How often a signal is right on each host, from the pages whose text is long enough to know; shape (hosts,).

    Args:
        right: what the signal gives to the language of each such page that it has an opinion of, shape (m,).
        host: of each of them, shape (m,).
        hosts: number of hosts.
    """
    overall = (right.sum(dtype=np.float64) + PSEUDO * USUAL) / (len(right) + PSEUDO)
    return np.asarray(
        (np.bincount(host, right, minlength=hosts) + PSEUDO * overall) / (np.bincount(host, minlength=hosts) + PSEUDO)
    )


def log_odds(
    scores: NDArray[np.float32], prior: NDArray[np.floating[Any]], right: NDArray[np.float64]
) -> NDArray[np.float32]:
    """What the signal says of each language: log((1 - r) + r S(x) / q(x)), 0 where it has no opinion; shape (n, L)."""
    odds = np.zeros(scores.shape, np.float32)
    known = np.flatnonzero(scores.sum(axis=1) > 0)  # of most signals, few pages
    for start in range(0, len(known), BLOCK):  # in blocks: what is worked out in double precision stays small
        rows = known[start : start + BLOCK]
        against = prior if len(prior) == 1 else prior[rows]
        ratio = (1 - right[rows])[:, None] + right[rows][:, None] * scores[rows] / against
        odds[rows] = np.log(np.maximum(ratio, 1e-6))
    return odds


def speaks(odds: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether a signal says enough of a page to answer by it alone: its best language stands out; shape (n,)."""
    if odds.shape[1] < 2:  # noqa: PLR2004  nothing to stand out from
        return np.zeros(len(odds), np.bool_)
    best = odds.max(axis=1, keepdims=True)
    return np.asarray(np.exp(odds - best).sum(axis=1) < 1 / SPEAKS)


def background(said: NDArray[np.float32], playing: NDArray[np.int16]) -> NDArray[np.float32]:
    """What a signal says where it knows nothing, in the columns of the languages in play; shape (1, L).

    A language that the signal does not know has what the least likely of the others has, so that its silence on it
    weighs little.
    """
    known = np.where(playing >= 0, said[playing], 0.0)
    least = known[known > 0].min(initial=1.0)
    return np.asarray(np.maximum(known, least)[None], dtype=np.float32)


def announced(links: Links, count: int) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """The language that hreflang announces most often for each page, and its share; shape (n, 1) each.

    Ties go to the lowest number of a language.
    """
    said = np.flatnonzero((links.hreflang >= 0) & (links.hreflang < count))
    languages, shares = np.full((links.n, 1), -1, np.int16), np.zeros((links.n, 1), np.float32)
    if len(said):
        key, votes = np.unique(links.target[said].astype(np.int64) * count + links.hreflang[said], return_counts=True)
        page, language = np.divmod(key, count)
        order = np.lexsort((-language, votes, page))  # the last of each page is its best
        last = np.append(page[order][1:] != page[order][:-1], True)
        best = order[last]
        total = np.bincount(page, votes, minlength=links.n)
        languages[page[best], 0] = language[best]
        shares[page[best], 0] = votes[best] / total[page[best]]
    return languages, shares
