"""One yes-or-no classifier for each language (Baykan et al. 2008, section 4.1), any learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.urls.baykan2008.learners.linear import Linear


class Learner(Protocol):
    """A function that trains a linear classifier."""

    def __call__(self, counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int) -> Linear:
        """Counts [URLs, features], the class of each URL, how many classes."""


def fit(
    learner: Learner, counts: sparse.csr_matrix, label: NDArray[np.int64], classes: int, *, seed: int = 0
) -> Linear:
    """A score for each class that is above 0 where its classifier says yes.

    Each is trained on all URLs of its class and as many of the others, drawn at random; a feature that none of these
    has weighs nothing. (To take all others and give them less weight does not do the same: then the rare features of
    the many others outvote those of the few.)

    Args:
        learner: Trains each of the classifiers.
        counts: [URLs, features].
        label: [URLs] 0 to classes - 1, each at least once.
        classes: How many, two or more.
        seed: Of the draw.
    """
    from graphlang.urls.baykan2008.learners.linear import Linear  # noqa: PLC0415 - scipy, which only training needs

    random = np.random.default_rng(seed)
    weights = np.zeros((counts.shape[1], classes))
    bias = np.zeros(classes)
    unit = False
    for number in range(classes):
        own, others = np.flatnonzero(label == number), np.flatnonzero(label != number)
        drawn = random.choice(others, size=min(len(own), len(others)), replace=False)
        picked = np.concatenate([own, drawn])
        some = counts[picked]
        seen = np.flatnonzero(np.asarray(some.sum(axis=0)).ravel())
        one = learner(some[:, seen], (label[picked] == number).astype(np.int64), 2)
        weights[seen, number] = one.weights[:, 1] - one.weights[:, 0]
        bias[number] = one.bias[1] - one.bias[0]
        unit = one.unit
    return Linear(weights, bias, unit=unit)


def best_only(probabilities: NDArray[np.floating]) -> NDArray[np.bool_]:
    """The decisions of a classifier that names one language: yes for the best, no for all others (section 3.2).

    >>> best_only(np.array([[0.2, 0.8], [0.6, 0.4]])).tolist()
    [[False, True], [True, False]]
    """
    return np.asarray(np.arange(probabilities.shape[1]) == probabilities.argmax(axis=1)[:, None])
