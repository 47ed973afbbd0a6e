"""Arithmetic that every room may use."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Float = TypeVar("Float", np.float32, np.float64)
Number = TypeVar("Number", bound=np.generic)
Whole = TypeVar("Whole", np.int32, np.int64)
SPARSE = 16  #: times as many numbers as values are a table that is worth its memory


def find_distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the distinct values of an array of any shape without NaN, ascending, as `numpy.unique` does.

    `numpy.unique` imports `numpy.ma` at its first call, which takes as long as reading thirty pages.

    >>> find_distinct(np.array([3, 1, 3])).tolist(), find_distinct(np.zeros(0)).tolist()
    ([1, 3], [])
    """
    ordered = np.sort(values, axis=None)
    first = np.ones(len(ordered), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return ordered[first]


def number_distinct(values: NDArray[Whole]) -> tuple[NDArray[Whole], NDArray[np.int32]]:
    """Return the distinct values (d,) of numbers (n,), ascending, and for each number its index among these, (n,).

    The numbers must not be negative. They are sorted only if they are far apart.

    >>> [array.tolist() for array in number_distinct(np.array([7, 3, 7]))]
    [[3, 7], [1, 0, 1]]
    """
    below = int(values.max(initial=-1)) + 1
    if below > SPARSE * len(values):
        distinct, numbers = np.unique(values, return_inverse=True)
        return distinct, numbers.astype(np.int32)
    number = np.zeros(below, np.int32)
    number[values] = 1
    distinct = np.flatnonzero(number).astype(values.dtype)
    number[distinct] = np.arange(len(distinct), dtype=np.int32)
    return distinct, number.take(values)


def softmax(logs: NDArray[Float], largest: NDArray[Float] | None = None) -> NDArray[Float]:
    """Return the softmax of each row of finite numbers (rows, columns), in their type.

    `largest` is the maximum of each row, if it is known already. Raise a ValueError for rows without columns.

    >>> softmax(np.log([[1.0, 3.0], [2.0, 2.0]])).round(2).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    shares = logs - (logs.max(axis=1) if largest is None else largest)[:, None]
    np.exp(shares, out=shares)
    shares /= np.einsum("ij->i", shares)[:, None]  # several times as fast as sum on short rows
    return cast("NDArray[Float]", shares)
