"""The kernels in C (``_links.c``), called with arrays whose shapes and types are checked here."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_INT32 = np.ctypeslib.ndpointer(np.int32, ndim=1, flags="C_CONTIGUOUS")
_INT64 = np.ctypeslib.ndpointer(np.int64, ndim=1, flags="C_CONTIGUOUS")
_UINT8 = np.ctypeslib.ndpointer(np.uint8, ndim=1, flags="C_CONTIGUOUS")
_COUNT = ctypes.c_int64


@cache
def _library() -> ctypes.CDLL:
    spec = find_spec("graphlang.graph._links")
    if spec is None or spec.origin is None:
        raise ImportError("graphlang was installed without its compiled parts: install it again")
    library = ctypes.CDLL(spec.origin)
    library.graphlang_canonical.argtypes = [_COUNT, _INT32, _INT32]
    library.graphlang_origins.argtypes = [_COUNT, _COUNT, _INT32, _INT32, _INT64, _INT32]
    library.graphlang_reciprocal.argtypes = [_COUNT, _INT64, _INT32, _INT64, _INT32, _UINT8]
    library.graphlang_reciprocal.restype = None
    library.graphlang_common.argtypes = [
        *(_COUNT, _COUNT, _INT32, _INT32, _INT64, _INT32, _INT64, _INT32, _COUNT),
        np.ctypeslib.ndpointer(np.int32, ndim=2, flags="C_CONTIGUOUS"),
    ]
    return library


def canonical(source: NDArray[np.int32], target: NDArray[np.int32]) -> bool:
    """Whether links are sorted by source, then target, without duplicates and self-links."""
    _alike(source, target)
    return bool(_library().graphlang_canonical(len(source), source, target))


def origins(source: NDArray[np.int32], target: NDArray[np.int32], into: NDArray[np.int64]) -> NDArray[np.int32]:
    """The sources of links sorted by target, then source; those of page t are ``into[t]:into[t + 1]``.

    Raises:
        ValueError: ``into`` does not count the links of each target.
    """
    _alike(source, target)
    origin = np.empty(len(source), np.int32)
    if not _library().graphlang_origins(len(into) - 1, len(source), source, target, into.copy(), origin):
        raise ValueError("a link leads to a page that is not there")
    return origin


def reciprocal(
    start: NDArray[np.int64], target: NDArray[np.int32], into: NDArray[np.int64], origin: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Whether the target of each link links back; shape (m,)."""
    _lists(start, target, into, origin)
    back = np.zeros(len(target), np.uint8)
    _library().graphlang_reciprocal(len(start) - 1, start, target, into, origin, back)
    return back.view(np.bool_)


def common(  # noqa: PLR0917  the six arrays that say what the graph is
    s: NDArray[np.int32],
    t: NDArray[np.int32],
    start: NDArray[np.int64],
    target: NDArray[np.int32],
    into: NDArray[np.int64],
    origin: NDArray[np.int32],
    longest: int,
) -> NDArray[np.int32]:
    """For pairs of pages the numbers of common targets, common sources, and pages between s and t; shape (w, 3).

    Args:
        s: first page of each pair, shape (w,).
        t: second page of each pair, shape (w,).
        start: the targets of page p are ``target[start[p]:start[p + 1]]``, ascending, shape (n + 1,).
        target: shape (m,).
        into: its sources are ``origin[into[p]:into[p + 1]]``, ascending, shape (n + 1,).
        origin: shape (m,).
        longest: longer lists are taken to be empty.

    Raises:
        ValueError: a page that is not there.
    """
    _alike(s, t)
    _lists(start, target, into, origin)
    counts = np.empty((len(s), 3), np.int32)
    lists = (start, target, into, origin)
    if not _library().graphlang_common(len(start) - 1, len(s), s, t, *lists, longest, counts):
        raise ValueError("a pair names a page that is not there")
    return counts


def _alike(one: NDArray[np.int32], other: NDArray[np.int32]) -> None:
    if len(one) != len(other):
        raise ValueError(f"arrays of {len(one)} and {len(other)} pages")


def _lists(
    start: NDArray[np.int64], target: NDArray[np.int32], into: NDArray[np.int64], origin: NDArray[np.int32]
) -> None:
    for bounds, values in ((start, target), (into, origin)):
        if not (len(bounds) and bounds[0] == 0 and bounds[-1] == len(values) and (np.diff(bounds) >= 0).all()):
            raise ValueError("the bounds of the lists do not fit the links")
    if len(start) != len(into):
        raise ValueError(f"arrays of {len(start)} and {len(into)} bounds")
