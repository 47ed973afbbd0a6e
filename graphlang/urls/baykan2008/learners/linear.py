"""What Naive Bayes, Relative Entropy and Maximum Entropy are once trained: weights times counts, plus a bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy  # .sparse is loaded where it is used, for that takes a tenth of a second

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: weights in a model file are whole numbers of this many log-odds
STEP = 1 / 256


@dataclass(frozen=True, slots=True)
class Linear:
    """A trained classifier: the class with the highest score is the answer."""

    weights: NDArray[np.float64]  #: [features, classes]
    bias: NDArray[np.float64]  #: [classes]
    unit: bool = False  #: whether the counts of a URL are first divided by their sum

    def scores(self, counts: scipy.sparse.csr_matrix) -> NDArray[np.float64]:
        """[URLs, classes] from non-negative counts [URLs, features]."""
        return np.asarray((shares(counts) if self.unit else counts) @ self.weights + self.bias)

    def classes(self, counts: scipy.sparse.csr_matrix) -> NDArray[np.int64]:
        """[URLs] the class with the highest score; of equal scores the first."""
        return np.asarray(self.scores(counts).argmax(axis=1))


def shares(counts: scipy.sparse.csr_matrix) -> scipy.sparse.csr_matrix:
    """Each row divided by its sum (unit L1 norm); rows of zeros stay."""
    total = np.asarray(counts.sum(axis=1)).ravel()
    return scipy.sparse.csr_matrix(scipy.sparse.diags_array(1 / np.where(total > 0, total, 1)) @ counts)


def sums(counts: scipy.sparse.csr_matrix, label: NDArray[np.int64], classes: int) -> NDArray[np.float64]:
    """[classes, features] the rows of each class added up.

    Args:
        counts: [URLs, features].
        label: [URLs] the class of each.
        classes: How many there are.
    """
    members = scipy.sparse.csr_matrix(
        (np.ones(len(label)), (label, np.arange(len(label)))), shape=(classes, len(label)), dtype=np.float64
    )
    return np.asarray((members @ counts).todense())
