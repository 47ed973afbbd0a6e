"""Signals as evidence (URL, ccTLD, declaration, hreflang), each weighted by its reliability in the collection.

The log-odds of a signal S for language x are log((1 - r) + r S(x) / q(x)), with r its reliability on the page's host
and q the prior of the page. So a signal that repeats what is known of the site adds little: on a Norwegian host with
half of its pages in English, each URL names Norwegian because of its host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.tables import row_maxima

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.adjacency import SortedLinks

USUAL = 0.8  #: prior mean of a signal's reliability
STANDS_OUT = 0.5  #: a signal answers alone if its best language has this probability under a uniform prior
BLOCK = 1 << 14  #: pages handled at a time
PSEUDO = 10.0  #: pseudo-counts of `USUAL` in the collection's reliability
#: Pseudo-counts of the collection's reliability in that of a host. One is enough, since the URLs of a host are alike:
#: if they are wrong on a few certain pages, they are wrong on the pages without text.
HOST_PSEUDO = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class Reliability:
    """Reliability of a signal on H hosts: the probability of the right language."""

    overall: float  #: in the whole collection
    by_host: NDArray[np.float64]  #: on each host, shape (H,)


def estimate_reliability(
    right: NDArray[np.float32], host: NDArray[np.int32], hosts: int, *, overall: float | None = None
) -> Reliability:
    """Estimate the reliability of a signal from pages with certain text.

    ``right`` is the probability that the signal gives to the language of each page, ``host`` the page's host, shape
    (m,) each. ``overall`` is the reliability in the whole collection, if these pages are a part of it.
    """
    if overall is None:
        overall = float((right.sum(dtype=np.float64) + PSEUDO * USUAL) / (len(right) + PSEUDO))
    count = np.bincount(host, minlength=hosts)
    right_of_host = np.bincount(host, right, minlength=hosts)
    return Reliability(overall, (right_of_host + HOST_PSEUDO * overall) / (count + HOST_PSEUDO))


def log_odds(
    scores: NDArray[np.float32], against: NDArray[np.floating[Any]], right: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return the log-odds log((1 - r) + r S(x) / q(x)) of each language, shape (n, L); 0 without an answer.

    ``scores`` is S and ``against`` q, shape (n, L); ``right`` is r on the host of each page, shape (n,).
    """
    result = np.zeros(scores.shape, np.float32)
    answered = np.flatnonzero(scores.sum(axis=1) > 0)  # most signals answer for few pages
    for start in range(0, len(answered), BLOCK):  # bounds the memory of double precision
        rows = answered[start : start + BLOCK]
        ratio = (1 - right[rows])[:, None] + right[rows][:, None] * scores[rows] / against[rows]
        result[rows] = np.log(np.maximum(ratio, 1e-6))
    return result


def stands_out(log_odds: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return the pages where the signal is sure enough to be the only evidence; shape (n,)."""
    if log_odds.shape[1] < 2:  # noqa: PLR2004  no second language
        return np.zeros(len(log_odds), np.bool_)
    return np.asarray(np.exp(log_odds - row_maxima(log_odds)[:, None]).sum(axis=1) < 1 / STANDS_OUT)


def find_most_announced(links: SortedLinks, count: int) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Return the language that hreflang announces most often for each page, and its share; shape (n, 1) each.

    Ties go to the lowest number; ``count`` is the number of languages.
    """
    tagged = np.flatnonzero((links.hreflang >= 0) & (links.hreflang < count))
    languages, shares = np.full((links.n, 1), -1, np.int16), np.zeros((links.n, 1), np.float32)
    if len(tagged):
        key, votes = np.unique(
            links.target[tagged].astype(np.int64) * count + links.hreflang[tagged], return_counts=True
        )
        page, language = np.divmod(key, count)
        order = np.lexsort((-language, votes, page))  # the last of each page is its best
        last = np.append(page[order][1:] != page[order][:-1], True)
        best = order[last]
        total = np.bincount(page, votes, minlength=links.n)
        languages[page[best], 0] = language[best]
        shares[page[best], 0] = votes[best] / total[page[best]]
    return languages, shares
