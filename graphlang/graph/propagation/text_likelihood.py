"""Likelihood of a page's text under each language, from its score list and the probability of foreign text.

A short text may not be in the language of its page: a menu word, a product name, or code on a Korean page looks
English. So the likelihood of the text of page i under language x is

    (1 - e) c_i(x) + e sum over z of N(z) c_i(z)

with c the content scores, which already depend on the length of the text, and e the outlier rate, which decreases with
it. N is the language distribution of foreign text (most of it is English). A text that several pages of a host repeat
word for word ("Search results", "This page was moved") belongs to the template. It is one witness for all pages, and
weak evidence for each. Without the second term a single foreign word outvotes any number of neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


def log_likelihood(
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
    of the outlier rate) have shape (L,), see `foreign_text`. ``linked`` and ``repeated`` (pages whose text another
    page of the host has) have shape (n,).
    """
    has_text = scores.sum(axis=1) > 0
    # Not `@`: BLAS sums a row in an order that depends on its position, and may warn about memory beside the table.
    mixed = smooth(scores)
    as_foreign = np.einsum("ij,j->i", mixed, foreign.astype(np.float32))
    rate = np.array(OUTLIERS, np.float32)[np.searchsorted(LENGTHS, length, side="right") - 1][:, None]
    rate = np.where(linked[:, None], rate, rate * np.float32(UNLINKED))
    if repeated is not None:
        rate = np.where(repeated[:, None], np.maximum(rate, np.float32(REPEATED)), rate)
    rate = rate * rarer.astype(np.float32)
    mixed += rate * (as_foreign[:, None] - mixed)
    return np.where(has_text[:, None], np.log(mixed, out=mixed), np.float32(0))


def smooth(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give every language of score lists of shape (n, L) some probability; rows sum to 1."""
    remainder = np.maximum(1 - np.einsum("ij->i", scores), np.float32(FLOOR)) / np.float32(max(scores.shape[1], SHARED))
    filled = scores + remainder[:, None]
    filled /= np.einsum("ij->i", filled)[:, None]
    return np.asarray(filled)


def unseen_share(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the probability of languages without a column, relative to the sum of `smooth` columns; shape (n,).

    >>> import numpy as np
    >>> unseen_share(np.float32([[0.5, 0.1], [1, 0]])).round(3).tolist()  # 98 shares of .004 over .608
    [0.6449999809265137, 0.0020000000949949026]
    """
    total = np.einsum("ij->i", scores)
    remainder = np.maximum(1 - total, np.float32(FLOOR))
    columns = np.float32(scores.shape[1] / max(scores.shape[1], SHARED))
    return np.asarray(remainder * (1 - columns) / (total + remainder * columns))


def foreign_text(codes: tuple[str, ...], active: NDArray[np.int16]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the distribution of foreign text (N above), and how much rarer it is per page language; shape (L,) each.

    ``active`` has the indices of the columns in ``codes``, shape (L,).
    """
    english = np.array([i >= 0 and codes[i] == ENGLISH for i in active], bool)
    share = ENGLISH_SHARE * english.any()
    languages = share * english + (1 - share) / max(len(active), 1)
    return np.asarray(languages), np.where(english, ENGLISH_PAGES, 1.0)
