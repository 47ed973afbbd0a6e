"""Arithmetic that every room may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Float = TypeVar("Float", np.float32, np.float64)
Number = TypeVar("Number", bound=np.generic)


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """The different values of an array, ascending, as `numpy.unique` has them.

    That one imports `numpy.ma` at its first call, for as long as it takes to read thirty pages.

    Args:
        values: Of any shape; no NaN among them.

    >>> distinct(np.array([3, 1, 3])).tolist(), distinct(np.zeros(0)).tolist()
    ([1, 3], [])
    """
    ordered = np.sort(values, axis=None)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def softmax(logs: NDArray[Float]) -> NDArray[Float]:
    """Probabilities in proportion to the exponentials of numbers, row by row.

    Args:
        logs: Any finite numbers, (rows, columns), one column at least; left as they are.

    Returns:
        Numbers from 0 to 1, (rows, columns), of the same type; each row sums to 1.

    Raises:
        ValueError: there are rows and no columns.

    >>> softmax(np.log([[1.0, 3.0], [2.0, 2.0]])).round(2).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    made = logs - logs.max(axis=1, keepdims=True)
    np.exp(made, out=made)
    made /= np.einsum("ij->i", made)[:, None]  # several times as fast as sum on short rows
    return cast("NDArray[Float]", made)
