"""The likelihood of a page's text under each language: whole lists of scores, and the chance that the text is foreign.

Two facts shape it. A long text holds many independent hints, so that its scores are raised to a power. A short text may
not be in the language of its page: a menu word, a product's name, a line of code on a Korean page looks English. So the
likelihood of the text of page i under language x is

    (1 - e) c_i(x)^w + e sum over z of N(z) c_i(z)

with c the content scores. The inverse temperature w grows with the length of the text; e, the outlier rate, falls with
it. N is the distribution of foreign text (most of it is English). A text that stands on several pages of a site word
for word ("Search results", "This page was moved") is the template's, and untranslated more often than not. Without the
second term one foreign word outvotes any number of neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.language_tables import softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOOR = 0.002  #: probability left to all languages that a list of scores does not name, at least
SHARED = 100  #: they share it as if they were so many, at least
GROWTH = 100.0  #: characters at which a text counts twice
HIGHEST = 20.0  #: no inverse temperature is higher
LENGTHS = (0, 6, 12, 25, 50, 100, 200)  #: characters from which ``OUTLIERS`` holds
OUTLIERS = (0.15, 0.13, 0.1, 0.06, 0.06, 0.04, 1e-4)  #: probability that the text is not in the language of its page
REPEATED = 0.7  #: the same, at least, where another page of the host has the very same text
ENGLISH = "eng"
ENGLISH_SHARE = 0.9  #: of foreign text
ENGLISH_PAGES = 0.1  #: how much rarer foreign text is on an English page than on any other


def inverse_temperature(length: NDArray[np.int32]) -> NDArray[np.float64]:
    """The power w of texts by length: 1 when short, 2 at ``GROWTH`` characters, at most ``HIGHEST``.

    Args:
        length: characters, shape (n,).
    """
    return np.asarray(np.minimum(1 + (length / GROWTH) ** 2, HIGHEST))


def log_likelihood(
    scores: NDArray[np.float32],
    length: NDArray[np.int32],
    foreign: NDArray[np.float64],
    rarer: NDArray[np.float64],
    repeated: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]:
    """Log-likelihood of each page's text under each active language; a row of 0 where there is no evidence.

    Args:
        scores: content scores in the columns of the active languages, shape (n, L).
        length: characters, shape (n,).
        foreign: N above, shape (L,).
        rarer: what the outlier rate is multiplied by on pages of each language, shape (L,).
        repeated: pages whose text another page of the host has, too; shape (n,).

    Returns:
        natural logarithms, shape (n, L).
    """
    known = scores.sum(axis=1) > 0
    # Not `@`: BLAS adds up a row in an order that depends on its place, and may warn of numbers beside the table.
    as_foreign = np.einsum("ij,j->i", tempered(scores), foreign.astype(np.float32))
    rate = np.array(OUTLIERS, np.float32)[np.searchsorted(LENGTHS, length, side="right") - 1][:, None]
    if repeated is not None:
        rate = np.where(repeated[:, None], np.maximum(rate, np.float32(REPEATED)), rate)
    rate = rate * rarer.astype(np.float32)
    mixed = tempered(scores, inverse_temperature(length))
    mixed += rate * (as_foreign[:, None] - mixed)
    return np.where(known[:, None], np.log(mixed, out=mixed), np.float32(0))


def tempered(scores: NDArray[np.float32], power: NDArray[np.float64] | None = None) -> NDArray[np.float32]:
    """Scores with something left for every language, to a power, each row summing to 1.

    Args:
        scores: shape (n, L).
        power: of each row, shape (n,); 1 if not given.
    """
    rest = np.maximum(1 - np.einsum("ij->i", scores), np.float32(FLOOR)) / np.float32(max(scores.shape[1], SHARED))
    logs = scores + rest[:, None]
    np.log(logs, out=logs)
    if power is not None:
        logs *= power[:, None].astype(np.float32)
    return softmax(logs)


def left_over(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """What scores leave to languages without a column, relative to all that ``tempered`` gives the columns; shape (n,).

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
