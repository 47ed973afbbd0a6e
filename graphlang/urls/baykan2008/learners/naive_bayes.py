"""Naive Bayes (Baykan et al. 2008, section 3.2): multinomial, features independent of each other given the language.

The paper applies the maximum likelihood principle and says neither how unseen features are smoothed nor whether the
prior enters. Here every feature is seen ``smoothing`` times more in every class (Laplace's rule with a fraction), and
the prior is an option: the paper trains on as many positive as negative URLs, so that it cancels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.baykan2008.learners.linear import Linear, sums

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


def fit(
    counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, smoothing: float = 0.1, prior: bool = False
) -> Linear:
    """Weights log p(feature | class), and log p(class) as bias where ``prior`` is set.

    Args:
        counts: [URLs, features].
        label: [URLs] class of each, 0 to classes - 1; every class has at least one URL.
        classes: How many.
        smoothing: Above 0.
        prior: Whether the share of each class in the training URLs counts.

    >>> from scipy.sparse import csr_matrix
    >>> model = fit(csr_matrix([[2, 0], [0, 1]]), np.array([0, 1]), 2, smoothing=1)
    >>> np.exp(model.weights).round(3).tolist()
    [[0.75, 0.333], [0.25, 0.667]]
    """
    seen = sums(counts, label, classes) + smoothing
    weights = np.log(seen / seen.sum(axis=1, keepdims=True)).T
    share = np.bincount(label, minlength=classes) / len(label)
    return Linear(weights, np.log(share) if prior else np.zeros(classes))
