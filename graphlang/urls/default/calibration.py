"""The inverse temperature of the evidence of a URL, fitted on URLs of domains that training has not seen.

    probabilities = softmax(exp(a + b log(1 + n)) * evidence + offset), n the known features of the URL

Neighbouring n-grams and the words of one slug are not independent, so the sum over many overstates what it knows, and b
below 0 makes up for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.numerics import softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Of a model's two numbers: with greater ones, no float32 holds what a long URL would come to.
SHARPEST = 4.0


def inverse_temperature(coefficients: NDArray[np.floating], known: NDArray[np.int64]) -> NDArray[np.float32]:
    """The factor on the evidence of each URL: exp(a + b log(1 + known)), [URLs].

    Args:
        coefficients: a and b, [2].
        known: [URLs] known features.

    >>> inverse_temperature(np.array([0.0, -0.5]), np.array([0, 3])).tolist()
    [1.0, 0.5]
    """
    a, b = coefficients
    return np.asarray(np.exp(a + b * np.log1p(known)), dtype=np.float32)


def calibrate(
    evidence: NDArray[np.float32],
    known: NDArray[np.int64],
    offset: NDArray[np.float32],
    label: NDArray[np.int64],
    weight: NDArray[np.float64],
) -> NDArray[np.float32]:
    """The coefficients a and b that maximise the likelihood of the right labels of held-out URLs, [2].

    Args:
        evidence: [URLs, labels] scores by a model that has not seen the URL's domain.
        known: [URLs] known features.
        offset: [labels] log prior.
        label: [URLs] the right column.
        weight: [URLs] how much each counts.
    """
    from scipy import optimize  # noqa: PLC0415 - a tenth of a second that only training needs

    rows = np.arange(len(label))

    def loss(coefficients: NDArray[np.float64]) -> float:
        probabilities = softmax(evidence * inverse_temperature(coefficients, known)[:, None] + offset)
        return float(-(weight * np.log(np.maximum(probabilities[rows, label], 1e-9))).sum() / weight.sum())

    # The first steps are given: by themselves they would be 0.00025 long, and the search would end where it began.
    first = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, -0.2]])
    found = optimize.minimize(
        loss,
        np.zeros(2),
        method="Nelder-Mead",
        options={"maxiter": 100, "xatol": 0.01, "fatol": 1e-5, "initial_simplex": first},
    )
    return np.asarray(found.x, dtype=np.float32)
