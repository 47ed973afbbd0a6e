"""Multinomial logistic regression over sparse features by Adagrad, pulled towards given starting weights.

This is the maximum entropy model of section 3.2 for many labels and many features: each step touches only the features
of a small batch, and each weight has its own step size, so that a rare feature learns as fast as a common one. For
small problems `maximum_entropy` finds the optimum itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphlang.numerics import softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

_START = 1e-2  # of the sum of squared gradients, so that the first step is bounded
_UNIT = 1e2  # gradients of a batch are of the order 1 / 100


def fit(
    features: sparse.csr_matrix,
    label: NDArray[np.int64],
    weight: NDArray[np.float64],
    start: NDArray[np.float32],
    offset: NDArray[np.float32],
    *,
    epochs: int = 6,
    rate: float = 0.2,
    pull: float = 1e-6,
    batch: int = 512,
    seed: int = 0,
) -> NDArray[np.float32]:
    """Weights W, features x labels, such that softmax(features @ W + offset) predicts the labels.

    Args:
        features: [examples, features] float32.
        label: [examples] column of each example's label.
        weight: [examples] how much each counts; only ratios matter.
        start: [features, labels] where the weights begin and whereto they are pulled back.
        offset: [labels] fixed log prior, so that an example without features is given the prior; or [examples, labels],
            with fixed evidence of each example.
        epochs: Passes over the examples; the step shrinks linearly to a tenth.
        rate: First step size.
        pull: Strength of the pull, in each batch that has the feature.
        batch: Examples in a step.
        seed: Of the order of examples.
    """
    count = features.shape[0]
    random = np.random.default_rng(seed)
    weight = (weight / weight.mean()).astype(np.float32)
    weights = start.astype(np.float32, copy=True)
    squares = np.full(weights.shape, _START, dtype=np.float32)
    steps = epochs * -(-count // batch)
    step = 0
    for _ in range(epochs):
        order = random.permutation(count)
        for begin in range(0, count, batch):
            rows = order[begin : begin + batch]
            part = features[rows]
            columns, place = np.unique(part.indices, return_inverse=True)
            small = sparse.csr_matrix((part.data, place, part.indptr), shape=(len(rows), len(columns)))
            current = weights[columns]
            error = softmax(small @ current + (offset if offset.ndim == 1 else offset[rows]))
            error[np.arange(len(rows)), label[rows]] -= 1
            error *= (weight[rows] / len(rows))[:, None]
            gradient = (small.T.tocsr() @ error + pull * (current - start[columns])) * _UNIT
            total = squares[columns] + gradient * gradient
            squares[columns] = total
            weights[columns] = current - rate * (1 - 0.9 * step / steps) * gradient / np.sqrt(total)
            step += 1
    return weights
