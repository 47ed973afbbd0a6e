"""Maximum Entropy (Baykan et al. 2008, section 3.2, after Nigam et al. 1999).

The distribution of highest entropy under the constraints that each feature is expected as often with each class as it
was seen is a softmax of weighted features, and its weights are those of greatest likelihood. The paper finds them by 40
rounds of improved iterative scaling; here L-BFGS finds the same optimum, with a Gaussian prior that keeps the weights
of rare features finite (Nigam et al. use the same against overfitting).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy  # .sparse is loaded where it is used, for that takes a tenth of a second

from graphlang.urls.baykan2008.learners.linear import Linear

if TYPE_CHECKING:
    from numpy.typing import NDArray


def fit(
    counts: scipy.sparse.csr_matrix,
    label: NDArray[np.int64],
    classes: int,
    *,
    penalty: float = 0.3,
    iterations: int = 100,
) -> Linear:
    """The weights that maximise sum log p(class | URL) - penalty / 2 * sum of squared weights.

    Args:
        counts: [URLs, features].
        label: [URLs] class of each.
        classes: How many.
        penalty: Precision of the Gaussian prior; the bias is free.
        iterations: Most rounds of L-BFGS.

    >>> from scipy.sparse import csr_matrix
    >>> model = fit(csr_matrix([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), 2)
    >>> model.classes(csr_matrix([[5.0, 0.0], [0.0, 5.0]])).tolist()
    [0, 1]
    """
    from scipy import optimize  # noqa: PLC0415 - a tenth of a second that only training needs

    size, features = counts.shape
    counts = scipy.sparse.csr_matrix(counts, dtype=np.float64)
    turned = scipy.sparse.csr_matrix(counts.T)
    rows = np.arange(size)

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        table = flat.reshape(features + 1, classes)
        scores = np.asarray(counts @ table[:-1] + table[-1])
        scores -= scores.max(axis=1, keepdims=True)
        log_sum = np.log(np.exp(scores).sum(axis=1))
        error = np.exp(scores - log_sum[:, None])
        error[rows, label] -= 1
        gradient = np.vstack([turned @ error + penalty * table[:-1], error.sum(axis=0)])
        likelihood = (log_sum - scores[rows, label]).sum()
        return float(likelihood + penalty / 2 * (table[:-1] ** 2).sum()), gradient.ravel()

    start = np.zeros((features + 1) * classes)
    found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    table = found.x.reshape(features + 1, classes)
    return Linear(table[:-1], table[-1])
