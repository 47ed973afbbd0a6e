"""Relative Entropy (Baykan et al. 2008, section 3.2, after Sibun and Reynar 1996).

Every URL is a distribution over features (unit L1 norm). A class is the average of its URLs' distributions. A URL p
goes to the class q with the lowest D(p || q) = sum p log(p / q); as the part sum p log p is the same for every class,
that is the class with the highest sum p log q, which is linear in p.

The paper does not say what happens to a feature that a class has never seen, where D is infinite. Here a share
``floor`` of every class is spread evenly over all features; a feature that no class has seen is left out by the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.baykan2008.learners.linear import Linear, shares, sums

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


def fit(counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, floor: float = 0.05) -> Linear:
    """Weights log q(feature) of each class.

    Args:
        counts: [URLs, features], not negative.
        label: [URLs] class of each; every class has a URL with a feature.
        classes: How many.
        floor: Share of each class that is spread over all features, above 0 and below 1.

    >>> from scipy.sparse import csr_matrix
    >>> model = fit(csr_matrix([[1, 1], [3, 0], [0, 2]]), np.array([0, 0, 1]), 2, floor=0.2)
    >>> np.exp(model.weights).round(2).tolist()
    [[0.7, 0.1], [0.3, 0.9]]
    """
    average = sums(shares(counts), label, classes)
    average /= average.sum(axis=1, keepdims=True)
    spread = (1 - floor) * average + floor / counts.shape[1]
    return Linear(np.log(spread).T, np.zeros(classes), unit=True)
