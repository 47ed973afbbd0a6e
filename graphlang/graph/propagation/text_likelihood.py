"""The likelihood of a page's text under each language: whole lists of scores, and the chance that the text is foreign.

A short text may not be in the language of its page: a menu word, a product's name, a line of code on a Korean page
looks English. So the likelihood of the text of page i under language x is

    (1 - e) c_i(x) + e sum over z of N(z) c_i(z)

with c the content scores, which know of the length of the text already, and e the outlier rate, which falls with it. N
is the distribution of foreign text (most of it is English). A text that several pages of a site have word for word
("Search results", "This page was moved") is the template's, and one witness however many pages repeat it: it says next
to nothing of each. Without the second term one foreign word outvotes any number of neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOOR = 0.002  #: probability left to all languages that a list of scores does not name, at least
SHARED = 100  #: they share it as if they were so many, at least
LENGTHS = (0, 6, 12, 25, 50, 100, 200)  #: characters from which ``OUTLIERS`` holds
OUTLIERS = (0.15, 0.13, 0.1, 0.06, 0.06, 0.04, 1e-4)  #: probability that the text is not in the language of its page
#: The rate is multiplied by it on a page without links. The full rate lets neighbours outvote a foreign word; where
#: there are none, it only made confidence too low, by 5 points.
UNLINKED = 0.5
REPEATED = 0.9  #: the same, at least, where another page of the host has the very same text
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
    """Log-likelihood of each page's text under each active language; a row of 0 where there is no evidence.

    Args:
        scores: content scores in the columns of the active languages, shape (n, L).
        length: characters, shape (n,).
        foreign: N above, shape (L,).
        rarer: what the outlier rate is multiplied by on pages of each language, shape (L,).
        linked: pages with a link to or from another, shape (n,).
        repeated: pages whose text another page of the host has, too; shape (n,).

    Returns:
        natural logarithms, shape (n, L).
    """
    known = scores.sum(axis=1) > 0
    # Not `@`: BLAS adds up a row in an order that depends on its place, and may warn of numbers beside the table.
    mixed = smoothed(scores)
    as_foreign = np.einsum("ij,j->i", mixed, foreign.astype(np.float32))
    rate = np.array(OUTLIERS, np.float32)[np.searchsorted(LENGTHS, length, side="right") - 1][:, None]
    rate = np.where(linked[:, None], rate, rate * np.float32(UNLINKED))
    if repeated is not None:
        rate = np.where(repeated[:, None], np.maximum(rate, np.float32(REPEATED)), rate)
    rate = rate * rarer.astype(np.float32)
    mixed += rate * (as_foreign[:, None] - mixed)
    return np.where(known[:, None], np.log(mixed, out=mixed), np.float32(0))


def smoothed(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scores with something left for every language, each row summing to 1.

    Args:
        scores: shape (n, L).
    """
    rest = np.maximum(1 - np.einsum("ij->i", scores), np.float32(FLOOR)) / np.float32(max(scores.shape[1], SHARED))
    filled = scores + rest[:, None]
    filled /= np.einsum("ij->i", filled)[:, None]
    return np.asarray(filled)


def left_over(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """What scores leave to languages without a column, relative to all that ``smoothed`` gives the columns; shape (n,).

    Args:
        scores: shape (n, L).

    >>> import numpy as np
    >>> left_over(np.float32([[0.5, 0.1], [1, 0]])).round(3).tolist()  # 98 of 100 shares of .4, to .6 and two shares
    [0.6449999809265137, 0.0020000000949949026]
    """
    given = np.einsum("ij->i", scores)
    rest = np.maximum(1 - given, np.float32(FLOOR))
    columns = np.float32(scores.shape[1] / max(scores.shape[1], SHARED))
    return np.asarray(rest * (1 - columns) / (given + rest * columns))


def foreign_text(codes: tuple[str, ...], active: NDArray[np.int16]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The languages of foreign text (N above), and how much rarer it is on pages of each language; shape (L,) each.

    Args:
        codes: ISO 639-3 codes of all languages.
        active: indices of those of the columns, shape (L,).
    """
    english = np.array([i >= 0 and codes[i] == ENGLISH for i in active], bool)
    share = ENGLISH_SHARE * english.any()
    languages = share * english + (1 - share) / max(len(active), 1)
    return np.asarray(languages), np.where(english, ENGLISH_PAGES, 1.0)
