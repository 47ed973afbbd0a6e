"""URL, ccTLD, declarations and hreflang as evidence, each believed as far as the collection bears it out.

The log-odds of a signal S for language x are log((1 - r) + r S(x) / q(x)), with r its reliability on the page's host
and q the prior of the page. So a signal that repeats what is known of the site adds little: on a Norwegian host whose
pages are half English, each URL names Norwegian because of its host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.language_tables import row_maxima

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links

USUAL = 0.8  #: how often a signal is right, before anything was seen
STANDS_OUT = 0.5  #: probability of its best language, all being alike before, from which a signal answers by itself
BLOCK = 1 << 14  #: pages worked on at once
PSEUDO = 10.0  #: pages' worth of that in the rate of the collection
#: Pages' worth of the collection's rate in that of a host. The URLs of a host are alike: where they are wrong on a few
#: certain pages, they are wrong on the pages without text.
HOST_PSEUDO = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """How often a signal is right. H hosts."""

    overall: float  #: in the whole collection
    of_hosts: NDArray[np.float64]  #: on each host, shape (H,)


def reliability(
    right: NDArray[np.float32], host: NDArray[np.int32], hosts: int, *, overall: float | None = None
) -> Reliability:
    """How often a signal is right, from the pages whose text is long enough to know.

    Args:
        right: what the signal gives to the language of each such page that it has an opinion of, shape (m,).
        host: of each of them, 0..H-1, shape (m,).
        hosts: H.
        overall: of the whole collection, where these pages are a part of it.
    """
    if overall is None:
        overall = float((right.sum(dtype=np.float64) + PSEUDO * USUAL) / (len(right) + PSEUDO))
    count = np.bincount(host, minlength=hosts)
    right_of_host = np.bincount(host, right, minlength=hosts)
    return Reliability(overall, (right_of_host + HOST_PSEUDO * overall) / (count + HOST_PSEUDO))


def log_odds(
    scores: NDArray[np.float32], against: NDArray[np.floating[Any]], right: NDArray[np.float64]
) -> NDArray[np.float32]:
    """What a signal says of each language: log((1 - r) + r S(x) / q(x)), 0 where it has no opinion.

    Args:
        scores: S, shape (n, L).
        against: q of each page, shape (n, L).
        right: r on the host of each page, shape (n,).

    Returns:
        natural logarithms, shape (n, L).
    """
    found = np.zeros(scores.shape, np.float32)
    known = np.flatnonzero(scores.sum(axis=1) > 0)  # of most signals, few pages
    for start in range(0, len(known), BLOCK):  # in blocks: what is worked out in double precision stays small
        rows = known[start : start + BLOCK]
        ratio = (1 - right[rows])[:, None] + right[rows][:, None] * scores[rows] / against[rows]
        found[rows] = np.log(np.maximum(ratio, 1e-6))
    return found


def stands_out(log_odds: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Whether a signal says enough of each page to answer by it alone: its best language stands out; shape (n,)."""
    if log_odds.shape[1] < 2:  # noqa: PLR2004  nothing to stand out from
        return np.zeros(len(log_odds), np.bool_)
    return np.asarray(np.exp(log_odds - row_maxima(log_odds)[:, None]).sum(axis=1) < 1 / STANDS_OUT)


def announced(links: Links, count: int) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """The language that hreflang announces most often for each page, and its share; shape (n, 1) each.

    Ties go to the lowest number of a language.

    Args:
        links: with hreflang.
        count: how many languages there are.
    """
    some = np.flatnonzero((links.hreflang >= 0) & (links.hreflang < count))
    languages, shares = np.full((links.n, 1), -1, np.int16), np.zeros((links.n, 1), np.float32)
    if len(some):
        key, votes = np.unique(links.target[some].astype(np.int64) * count + links.hreflang[some], return_counts=True)
        page, language = np.divmod(key, count)
        order = np.lexsort((-language, votes, page))  # the last of each page is its best
        last = np.append(page[order][1:] != page[order][:-1], True)
        best = order[last]
        total = np.bincount(page, votes, minlength=links.n)
        languages[page[best], 0] = language[best]
        shares[page[best], 0] = votes[best] / total[page[best]]
    return languages, shares
