"""The linear learners of Baykan et al. 2008, section 3.2: Naive Bayes, Relative Entropy, Maximum Entropy.

Trained, each is a `LinearScorer`: weights times counts, plus a bias.

*Naive Bayes* is multinomial: features are independent given the language. The paper applies the maximum likelihood
principle, and is silent on the smoothing of unseen features and on the prior. Here every feature is seen ``smoothing``
times more in every class (Laplace's rule with a fraction), and the prior is left out: the paper trains on as many
positive as negative URLs, so that it cancels.

*Relative Entropy* (after Sibun and Reynar 1996): every URL is a distribution over features (unit L1 norm), and a class
is the average of its URLs' distributions. A URL p goes to the class q with the lowest D(p || q) = sum p log(p / q). The
part sum p log p is the same for every class, so that is the class with the highest sum p log q, which is linear in p.
The paper does not treat a feature that no URL of a class has: D is infinite. Here a share ``floor`` of every class
is spread evenly over all features; the caller leaves out features that no class has seen.

*Maximum Entropy* (after Nigam et al. 1999): the distribution of highest entropy under the constraints that each feature
is expected as often with each class as it was seen is a softmax of weighted features, with the weights of greatest
likelihood. The paper finds them by 40 rounds of improved iterative scaling; here L-BFGS finds the same optimum, with a
Gaussian prior that keeps the weights of rare features finite (Nigam et al. use the same against overfitting).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import scipy  # .sparse is loaded where it is used, for that takes a tenth of a second

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse


#: weights in a model file are whole numbers of this many log-odds
WEIGHT_STEP = 1 / 256


@dataclass(frozen=True, slots=True)
class LinearScorer:
    """A trained classifier: the class with the highest score is the answer."""

    weights: NDArray[np.float64]  #: [features, classes]
    bias: NDArray[np.float64]  #: [classes]
    unit: bool = False  #: whether the counts of a URL are first divided by their sum

    def scores(self, counts: scipy.sparse.csr_matrix) -> NDArray[np.float64]:
        """[URLs, classes] from non-negative counts [URLs, features]."""
        return np.asarray((to_shares(counts) if self.unit else counts) @ self.weights + self.bias)

    def classes(self, counts: scipy.sparse.csr_matrix) -> NDArray[np.int64]:
        """[URLs] the class with the highest score; of equal scores the first."""
        return np.asarray(self.scores(counts).argmax(axis=1))


def to_shares(counts: scipy.sparse.csr_matrix) -> scipy.sparse.csr_matrix:
    """Divide each row by its sum (unit L1 norm); rows of zeros stay."""
    total = np.asarray(counts.sum(axis=1)).ravel()
    return scipy.sparse.csr_matrix(scipy.sparse.diags_array(1 / np.where(total > 0, total, 1)) @ counts)


def sum_classes(counts: scipy.sparse.csr_matrix, label: NDArray[np.int64], classes: int) -> NDArray[np.float64]:
    """Add up the rows of counts [URLs, features] by class, [classes, features].

    Label [URLs] is the class of each row.
    """
    members = scipy.sparse.csr_matrix(
        (np.ones(len(label)), (label, np.arange(len(label)))), shape=(classes, len(label)), dtype=np.float64
    )
    return np.asarray((members @ counts).todense())


def fit_naive_bayes(
    counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, smoothing: float = 0.1, prior: bool = False
) -> LinearScorer:
    """Fit weights log p(feature | class), and with ``prior`` the share of each class in the training URLs as bias.

    Shapes: counts [URLs, features], label [URLs], 0 to classes - 1; every class has at least one URL. `smoothing` is
    above 0.

    >>> from scipy.sparse import csr_matrix
    >>> model = fit_naive_bayes(csr_matrix([[2, 0], [0, 1]]), np.array([0, 1]), 2, smoothing=1)
    >>> np.exp(model.weights).round(3).tolist()
    [[0.75, 0.333], [0.25, 0.667]]
    """
    seen = sum_classes(counts, label, classes) + smoothing
    weights = np.log(seen / seen.sum(axis=1, keepdims=True)).T
    share = np.bincount(label, minlength=classes) / len(label)
    return LinearScorer(weights, np.log(share) if prior else np.zeros(classes))


def fit_relative_entropy(
    counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, floor: float = 0.05
) -> LinearScorer:
    """Fit weights log q(feature) of each class.

    Shapes: counts [URLs, features], not negative; label [URLs]; every class has a URL with a feature. The share `floor`
    of each class, above 0 and below 1, is spread over all features.

    >>> from scipy.sparse import csr_matrix
    >>> model = fit_relative_entropy(csr_matrix([[1, 1], [3, 0], [0, 2]]), np.array([0, 0, 1]), 2, floor=0.2)
    >>> np.exp(model.weights).round(2).tolist()
    [[0.7, 0.1], [0.3, 0.9]]
    """
    average = sum_classes(to_shares(counts), label, classes)
    average /= average.sum(axis=1, keepdims=True)
    spread = (1 - floor) * average + floor / counts.shape[1]
    return LinearScorer(np.log(spread).T, np.zeros(classes), unit=True)


def fit_maximum_entropy(
    counts: scipy.sparse.csr_matrix,
    label: NDArray[np.int64],
    classes: int,
    *,
    penalty: float = 0.3,
    iterations: int = 100,
) -> LinearScorer:
    """Fit the weights that maximise sum log p(class | URL) - penalty / 2 * sum of squared weights.

    Shapes: counts [URLs, features], label [URLs]. `penalty` is the precision of the Gaussian prior; the bias is free.
    L-BFGS runs for at most `iterations` rounds.

    >>> from scipy.sparse import csr_matrix
    >>> model = fit_maximum_entropy(csr_matrix([[1.0, 0.0], [0.0, 1.0]]), np.array([0, 1]), 2)
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
    result = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    table = result.x.reshape(features + 1, classes)
    return LinearScorer(table[:-1], table[-1])


class Learner(Protocol):
    """A function that trains a linear classifier."""

    def __call__(self, counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int) -> LinearScorer:
        """Counts [URLs, features], the class of each URL, how many classes."""


def fit_one_against_rest(
    learner: Learner, counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, seed: int = 0
) -> LinearScorer:
    """Fit a score for each class that is above 0 if its classifier accepts.

    Each is trained on all URLs of its class and as many of the others, drawn at random; a feature that none of these
    has weighs nothing. (To take all others and give them less weight does not do the same: then the rare features of
    the many others outvote those of the few.)

    `learner` trains each of the classifiers. Shapes: counts [URLs, features], label [URLs], 0 to classes - 1, each at
    least once. There are two or more classes.
    """
    random = np.random.default_rng(seed)
    weights = np.zeros((counts.shape[1], classes))
    bias = np.zeros(classes)
    unit = False
    for number in range(classes):
        positive, negative = np.flatnonzero(label == number), np.flatnonzero(label != number)
        drawn = random.choice(negative, size=min(len(positive), len(negative)), replace=False)
        picked = np.concatenate([positive, drawn])
        picked_counts = counts[picked]
        seen = np.flatnonzero(np.asarray(picked_counts.sum(axis=0)).ravel())
        binary = learner(picked_counts[:, seen], (label[picked] == number).astype(np.int64), 2)
        weights[seen, number] = binary.weights[:, 1] - binary.weights[:, 0]
        bias[number] = binary.bias[1] - binary.bias[0]
        unit = binary.unit
    return LinearScorer(weights, bias, unit=unit)
