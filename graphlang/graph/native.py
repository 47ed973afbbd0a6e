"""The kernels in C (``_links.c``), called with arrays whose shapes and types are checked here."""

from __future__ import annotations

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

INT16 = np.ctypeslib.ndpointer(np.int16, flags="C_CONTIGUOUS")
INT32 = np.ctypeslib.ndpointer(np.int32, ndim=1, flags="C_CONTIGUOUS")
INT64 = np.ctypeslib.ndpointer(np.int64, ndim=1, flags="C_CONTIGUOUS")
UINT8 = np.ctypeslib.ndpointer(np.uint8, ndim=1, flags="C_CONTIGUOUS")
UINT64 = np.ctypeslib.ndpointer(np.uint64, ndim=1, flags="C_CONTIGUOUS")
FLOAT = np.ctypeslib.ndpointer(np.float32, flags="C_CONTIGUOUS")
DOUBLES = np.ctypeslib.ndpointer(np.float64, ndim=2, flags="C_CONTIGUOUS")
DOUBLE = np.ctypeslib.ndpointer(np.float64, ndim=1, flags="C_CONTIGUOUS")
_COUNT = ctypes.c_int64
Result = TypeVar("Result")
LEAST = 100_000  #: links that a thread is worth


def load(name: str) -> ctypes.CDLL:
    """A compiled part of this package.

    Raises:
        ImportError: it was not built.
    """
    spec = find_spec(f"graphlang.graph.{name}")
    if spec is None or spec.origin is None:
        raise ImportError("graphlang was installed without its compiled parts: install it again")
    return ctypes.CDLL(spec.origin)


def side_by_side(count: int, work: Callable[[slice], Result]) -> list[Result]:
    """What some work gives for each of the ``shares`` of a range, in their order, in as many threads."""
    parts = shares(count)
    if len(parts) == 1:
        return [work(parts[0])]
    with ThreadPoolExecutor(len(parts)) as threads:
        return list(threads.map(work, parts))


def pointers(arrays: Iterable[NDArray[Any]], kinds: Iterable[type[np.generic]]) -> list[int]:
    """Where arrays lie in memory, for a struct of pointers; the caller keeps the arrays for as long.

    Raises:
        ValueError: an array of another kind than expected, or one that is not contiguous.
    """
    found = []
    for array, kind in zip(arrays, kinds, strict=True):
        if not (array.dtype == kind and array.flags.c_contiguous):
            raise ValueError(f"an array of {array.dtype} where a plain one of {np.dtype(kind)} is needed")
        found.append(array.ctypes.data)
    return found


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shares(count: int) -> list[slice]:
    """Even parts of a range, one for each core, for kernels that don't need each other's results."""
    parts = max(1, min(cores(), count // LEAST))
    edges = [count * part // parts for part in range(parts + 1)]
    return [slice(*ends) for ends in pairwise(edges)]


@cache
def _library() -> ctypes.CDLL:
    library = load("_links")
    library.graphlang_canonical.argtypes = [_COUNT, INT32, INT32]
    library.graphlang_count.argtypes = [_COUNT, _COUNT, INT32, INT64]
    library.graphlang_origins.argtypes = [_COUNT, _COUNT, INT32, INT32, INT64, INT32]
    library.graphlang_order.argtypes = [_COUNT, _COUNT, INT32, INT64, INT32]
    library.graphlang_reached.argtypes = [_COUNT, _COUNT, INT32, INT32, UINT8, INT32, UINT8]
    library.graphlang_reciprocal.argtypes = [_COUNT, INT64, INT32, INT64, INT32, UINT8]
    library.graphlang_reciprocal.restype = None
    return library


def canonical(source: NDArray[np.int32], target: NDArray[np.int32]) -> bool:
    """Whether links are sorted by source, then target, without duplicates and self-links."""
    _alike(source, target)
    return bool(_library().graphlang_canonical(len(source), source, target))


def bounds(ends: NDArray[np.int32], pages: int) -> NDArray[np.int64]:
    """Where the links of each page begin once they are sorted by that end, and where the last one's stop; (n + 1,).

    Raises:
        ValueError: an end that is not a page.
    """
    found = np.zeros(pages + 1, np.int64)
    if not _library().graphlang_count(len(ends), pages, ends, found[1:]):
        raise ValueError("a link leads to a page that is not there")
    return np.cumsum(found, out=found)


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


def order(target: NDArray[np.int32], into: NDArray[np.int64]) -> NDArray[np.int32]:
    """The numbers of the links sorted by target; those that lead to page t are ``into[t]:into[t + 1]``.

    Raises:
        ValueError: ``into`` does not count the links of each target.
    """
    numbers = np.empty(len(target), np.int32)
    if not _library().graphlang_order(len(into) - 1, len(target), target, into.copy(), numbers):
        raise ValueError("a link leads to a page that is not there")
    return numbers


def reciprocal(
    start: NDArray[np.int64], target: NDArray[np.int32], into: NDArray[np.int64], origin: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Whether the target of each link links back; shape (m,)."""
    lists(start, target, into, origin)
    back = np.zeros(len(target), np.uint8)
    _library().graphlang_reciprocal(len(start) - 1, start, target, into, origin, back)
    return back.view(np.bool_)


def _alike(one: NDArray[np.int32], other: NDArray[np.int32]) -> None:
    if len(one) != len(other):
        raise ValueError(f"arrays of {len(one)} and {len(other)} pages")


def reached(source: NDArray[np.int32], target: NDArray[np.int32], silent: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which silent pages some chain of links, whatever their direction, joins to one that is not silent; shape (n,).

    Raises:
        ValueError: a page that is not there.

    >>> ends = np.int32([0, 2, 3]), np.int32([1, 1, 4])
    >>> reached(*ends, np.array([False, True, True, True, True])).tolist()
    [False, True, True, False, False]
    """
    _alike(source, target)
    heard = np.zeros(len(silent), np.uint8)
    given = (np.ascontiguousarray(silent).view(np.uint8), np.empty(len(silent) + 1, np.int32), heard)
    if not _library().graphlang_reached(len(silent), len(source), source, target, *given):
        raise ValueError("a link leads to a page that is not there")
    return heard.view(np.bool_)


def lists(
    start: NDArray[np.int64], target: NDArray[np.int32], into: NDArray[np.int64], origin: NDArray[np.int32]
) -> None:
    """Raise ValueError unless the bounds of both kinds of lists fit the links."""
    for bounds, values in ((start, target), (into, origin)):
        if not (len(bounds) and bounds[0] == 0 and bounds[-1] == len(values) and (np.diff(bounds) >= 0).all()):
            raise ValueError("the bounds of the lists do not fit the links")
    if len(start) != len(into):
        raise ValueError(f"arrays of {len(start)} and {len(into)} bounds")
