"""How sharp the evidence of a URL is, fitted on URLs of domains that training has not seen.

chances = softmax(exp(a + b log(1 + n)) * evidence + offset), n the known features of the URL. Neighbouring n-grams and
the words of one slug say much the same, so the sum over many overstates what it knows, and b below 0 makes up for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.urls.softmax_regression import softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray


def sharpened(sharpness: NDArray[np.floating], known: NDArray[np.int64]) -> NDArray[np.float32]:
    """The factor of the evidence of a URL with ``known`` features: exp(a + b log(1 + known)).

    >>> sharpened(np.array([0.0, -0.5]), np.array([0, 3])).tolist()
    [1.0, 0.5]
    """
    a, b = sharpness
    return np.asarray(np.exp(a + b * np.log1p(known)), dtype=np.float32)


def calibrate(
    evidence: NDArray[np.float32],
    known: NDArray[np.int64],
    offset: NDArray[np.float32],
    label: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> NDArray[np.float32]:
    """The sharpness (a, b) that makes the right labels of held-out URLs most likely.

    Args:
        evidence: [URLs, labels] scores by a model that has not seen the URL's domain.
        known: [URLs] known features.
        offset: [labels] log prior.
        label: [URLs] the right column.
        weight: [URLs] how much each counts.
    """
    from scipy import optimize  # noqa: PLC0415 - a tenth of a second that only training needs

    rows = np.arange(len(label))

    def loss(sharpness: NDArray[np.float64]) -> float:
        chances = softmax(evidence * sharpened(sharpness, known)[:, None] + offset)
        return float(-(weight * np.log(np.maximum(chances[rows, label], 1e-9))).sum() / weight.sum())

    # The first steps are given: by themselves they would be 0.00025 long, and the search would end where it began.
    first = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, -0.2]])
    found = optimize.minimize(
        loss,
        np.zeros(2),
        method="Nelder-Mead",
        options={"maxiter": 100, "xatol": 0.01, "fatol": 1e-5, "initial_simplex": first},
    )
    return np.asarray(found.x, dtype=np.float32)
