"""Likelihoods of a page's own evidence under each language: of its text, and of its signals.

*Text*, from its score list and the probability of foreign text. A short text may not be in the language of its page: a
menu word, a product name, or code on a Korean page looks English. So the likelihood of the text of page i under
language x is

    (1 - e) c_i(x) + e sum over z of N(z) c_i(z)

with c the content scores, which already depend on the length of the text, and e the outlier rate, which decreases with
it. N is the language distribution of foreign text (most of it is English). A text that several pages of a host repeat
word for word ("Search results", "This page was moved") belongs to the template. It is one witness for all pages, and
weak evidence for each. Without the second term a single foreign word outvotes any number of neighbours.

*Signals* (URL, ccTLD, declaration, hreflang), each weighted by its reliability in the collection. The log-odds of a
signal S for language x are log((1 - r) + r S(x) / q(x)), with r its reliability on the page's host and q the prior of
the page. So a signal that repeats what is known of the site adds little: on a Norwegian host with half of its pages in
English, each URL names Norwegian because of its host.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.tables import compute_row_maxima

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.adjacency import SortedLinks

FLOOR = 0.002  #: least probability of all languages that a score list does not name
SHARED = 100  #: least number of languages among which it is divided
LENGTHS = (0, 6, 12, 25, 50, 100, 200)  #: characters from which each rate of ``OUTLIERS`` applies
OUTLIERS = (0.15, 0.13, 0.1, 0.06, 0.06, 0.04, 1e-4)  #: probability that the text is not in the language of its page
#: Factor of the outlier rate on pages without links. The full rate lets neighbours outvote a foreign word; without
#: neighbours it only made confidence 5 points too low.
UNLINKED = 0.5
REPEATED = 0.9  #: least outlier rate where another page of the host has the same text
ENGLISH = "eng"
ENGLISH_SHARE = 0.9  #: of foreign text
ENGLISH_PAGES = 0.1  #: how much rarer foreign text is on an English page than on any other


def compute_text_likelihood(
    scores: NDArray[np.float32],
    length: NDArray[np.int32],
    foreign: NDArray[np.float64],
    rarer: NDArray[np.float64],
    *,
    linked: NDArray[np.bool_],
    repeated: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]:
    """Return the log-likelihood of each page's text under each active language, shape (n, L); 0 without evidence.

    ``scores`` has shape (n, L) and ``length`` (characters) shape (n,). ``foreign`` (N above) and ``rarer`` (a factor
    of the outlier rate) have shape (L,), see `estimate_foreign_text`. ``linked`` and ``repeated`` (pages whose text
    another page of the host has) have shape (n,).
    """
    has_text = scores.sum(axis=1) > 0
    # Not `@`: BLAS sums a row in an order that depends on its position, and may warn about memory beside the table.
    mixed = smooth_scores(scores)
    as_foreign = np.einsum("ij,j->i", mixed, foreign.astype(np.float32))
    rate = np.array(OUTLIERS, np.float32)[np.searchsorted(LENGTHS, length, side="right") - 1][:, None]
    rate = np.where(linked[:, None], rate, rate * np.float32(UNLINKED))
    if repeated is not None:
        rate = np.where(repeated[:, None], np.maximum(rate, np.float32(REPEATED)), rate)
    rate = rate * rarer.astype(np.float32)
    mixed += rate * (as_foreign[:, None] - mixed)
    return np.where(has_text[:, None], np.log(mixed, out=mixed), np.float32(0))


def smooth_scores(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give every language of score lists of shape (n, L) some probability; rows sum to 1."""
    remainder = np.maximum(1 - np.einsum("ij->i", scores), np.float32(FLOOR)) / np.float32(max(scores.shape[1], SHARED))
    filled = scores + remainder[:, None]
    filled /= np.einsum("ij->i", filled)[:, None]
    return np.asarray(filled)


def compute_unseen_share(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the probability of languages without a column, relative to the sum of `smooth_scores` columns; shape (n,).

    >>> import numpy as np
    >>> compute_unseen_share(np.float32([[0.5, 0.1], [1, 0]])).round(3).tolist()  # 98 shares of .004 over .608
    [0.6449999809265137, 0.0020000000949949026]
    """
    total = np.einsum("ij->i", scores)
    remainder = np.maximum(1 - total, np.float32(FLOOR))
    columns = np.float32(scores.shape[1] / max(scores.shape[1], SHARED))
    return np.asarray(remainder * (1 - columns) / (total + remainder * columns))


def estimate_foreign_text(
    codes: tuple[str, ...], active: NDArray[np.int16]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distribution of foreign text (N above), and how much rarer it is per page language; shape (L,) each.

    ``active`` has the indices of the columns in ``codes``, shape (L,).
    """
    english = np.array([i >= 0 and codes[i] == ENGLISH for i in active], bool)
    share = ENGLISH_SHARE * english.any()
    languages = share * english + (1 - share) / max(len(active), 1)
    return np.asarray(languages), np.where(english, ENGLISH_PAGES, 1.0)


USUAL = 0.8  #: prior mean of a signal's reliability
STANDS_OUT = 0.5  #: a signal answers alone if its best language has this probability under a uniform prior
ROWS = 1 << 14  #: pages handled at a time
SIGNAL_PSEUDO = 10.0  #: pseudo-counts of `USUAL` in the collection's reliability
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
        overall = float((right.sum(dtype=np.float64) + SIGNAL_PSEUDO * USUAL) / (len(right) + SIGNAL_PSEUDO))
    count = np.bincount(host, minlength=hosts)
    right_of_host = np.bincount(host, right, minlength=hosts)
    return Reliability(overall, (right_of_host + HOST_PSEUDO * overall) / (count + HOST_PSEUDO))


def compute_signal_odds(
    scores: NDArray[np.float32], against: NDArray[np.floating[Any]], right: NDArray[np.float64]
) -> NDArray[np.float32]:
    """Return the log-odds log((1 - r) + r S(x) / q(x)) of each language, shape (n, L); 0 without an answer.

    ``scores`` is S and ``against`` q, shape (n, L); ``right`` is r on the host of each page, shape (n,).
    """
    result = np.zeros(scores.shape, np.float32)
    answered = np.flatnonzero(scores.sum(axis=1) > 0)  # most signals answer for few pages
    for start in range(0, len(answered), ROWS):  # bounds the memory of double precision
        rows = answered[start : start + ROWS]
        ratio = (1 - right[rows])[:, None] + right[rows][:, None] * scores[rows] / against[rows]
        result[rows] = np.log(np.maximum(ratio, 1e-6))
    return result


def is_sole_evidence(log_odds: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return the pages where the signal is sure enough to be the only evidence; shape (n,)."""
    if log_odds.shape[1] < 2:  # noqa: PLR2004  no second language
        return np.zeros(len(log_odds), np.bool_)
    return np.asarray(np.exp(log_odds - compute_row_maxima(log_odds)[:, None]).sum(axis=1) < 1 / STANDS_OUT)


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
