"""The measures of Baykan et al. 2008, section 4.2."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class Measures(NamedTuple):
    """One binary classifier on one test set."""

    precision: float  #: in the balanced setting, as many positive as negative URLs
    recall: float  #: p(+|+)
    negative: float  #: p(-|-), negative success ratio
    f: float  #: harmonic mean of the first two


def measures(decided: NDArray[np.bool_], truth: NDArray[np.bool_]) -> Measures:
    """P, R, p(-|-) and F of yes-decisions against the truth.

    P = n+ p(+|+) / (n+ p(+|+) + n- (1 - p(-|-))) with n+ = n-, so P = R / (R + 1 - p(-|-)); F = 2 / (1/R + 1/P).
    A classifier that never says yes has P = F = 0.

    Args:
        decided: [URLs] the classifier's yes or no.
        truth: [URLs] the right one.

    Raises:
        ValueError: there is no positive or no negative URL, and a ratio has no meaning.

    >>> measures(np.array([True, True, False, False]), np.array([True, False, True, False]))
    Measures(precision=0.5, recall=0.5, negative=0.5, f=0.5)
    """
    if truth.all() or not truth.any():
        raise ValueError("a test set needs positive and negative URLs")
    recall = float(decided[truth].mean())
    negative = float(1 - decided[~truth].mean())
    if recall == 0:
        return Measures(0.0, 0.0, negative, 0.0)
    precision = recall / (recall + 1 - negative)
    return Measures(precision, recall, negative, 2 / (1 / recall + 1 / precision))


def confusion(decided: NDArray[np.bool_], language: NDArray[np.str_], languages: Sequence[str]) -> NDArray[np.float64]:
    """Share of the URLs of each language (row) for which each classifier (column) says yes; the diagonal is recall.

    Neither rows nor columns have to sum to 1, as every classifier decides alone.

    Args:
        decided: [URLs, languages].
        language: [URLs] the true code.
        languages: Codes of the columns, and of the rows.
    """
    return np.array([decided[language == code].mean(axis=0) for code in languages])


def balanced_f(decided: NDArray[np.bool_], language: NDArray[np.str_], languages: Sequence[str]) -> float:
    """F in the balanced setting, averaged over the languages.

    Args:
        decided: [URLs, languages].
        language: [URLs] the true code.
        languages: Codes of the columns.
    """
    return float(np.mean([measures(decided[:, n], language == code).f for n, code in enumerate(languages)]))
