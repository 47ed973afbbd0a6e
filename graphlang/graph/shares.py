"""How much each link counts: neighbours that agree for reasons of their own share the weight of a few.

The pages of one site carry one navigation bar, and a link farm is as many pages as somebody cares to make. So the bonds
of all neighbours on one host count as at most ``degree`` together, and so do those of all hosts: a farm, however large,
weighs no more than the handful of pages on the receiver's own site.

A page that only passes its readers on (a redirect, a frame set) is what it passes them on to: that link does not share
its weight with those that merely lead to the page.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph import native

if TYPE_CHECKING:
    from numpy.typing import NDArray

_POINTERS = ("start", "into", "order", "source", "target", "host", "bond")
_KINDS: tuple[type[np.generic], ...] = (np.int64, np.int64, np.int32, np.int32, np.int32, np.int32, np.float32)


class _Neighbours(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("pages", "links", "hosts")),
        *((name, ctypes.c_void_p) for name in _POINTERS),
    )


@cache
def _library() -> ctypes.CDLL:
    library = native.load("_shares")
    outcome = (native.DOUBLE, native.FLOAT, native.FLOAT, native.DOUBLE)
    library.graphlang_shares.argtypes = [
        ctypes.POINTER(_Neighbours),
        ctypes.c_int64,
        ctypes.c_int64,
        ctypes.c_double,
        *outcome,
    ]
    return library


FOLLOWED = 3.0  #: what the links to the pages that stand for a page weigh together


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Factors that the messages are multiplied by; w links, n pages."""

    along: NDArray[np.float32]  #: of the message to each link's target, shape (w,)
    against: NDArray[np.float32]  #: of the message back to each link's source, shape (w,)
    page: NDArray[np.float64]  #: of all that a page hears, shape (n,)
    order: NDArray[np.int32]  #: the links sorted by target, shape (w,)


def shares(
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    bond: NDArray[np.float32],
    host: NDArray[np.int32],
    degree: float,
    *,
    followed: NDArray[np.bool_] | None = None,
) -> Shares:
    """Share out the weight among the neighbours of every page.

    Args:
        source: of each link, ascending, shape (w,).
        target: of each link, shape (w,).
        bond: k of each link (``couplings``); one that does not keep the language costs no share, shape (w,).
        host: number of each page's host, shape (n,).
        degree: bonds that count in full.
        followed: links whose target stands for the source, shape (w,). The message back from there weighs ``FOLLOWED``
            in all, whatever else the source hears.

    Raises:
        ValueError: links that are not sorted, a page or host that is not there.

    >>> import numpy as np
    >>> ends = np.int32([1, 2, 3, 4]), np.int32([0, 0, 0, 0])  # three pages of a farm and one of page 0's own host
    >>> shared = shares(*ends, np.ones(4, np.float32), np.int32([0, 1, 1, 1, 0]), 1.0)
    >>> [round(float(share), 2) for share in shared.along], round(float(shared.page[0]), 2)
    ([0.33, 0.33, 0.33, 1.0], 0.5)
    """
    n, w, hosts = len(host), len(source), int(host.max(initial=-1)) + 1
    start, into = native.bounds(source, n), native.bounds(target, n)
    if (source[1:] < source[:-1]).any():
        raise ValueError("the links are not sorted by source")
    order = native.order(target, into)
    arrays: list[NDArray[Any]] = [start, into, order, source, target, host, bond]
    if len(target) != w or len(bond) != w:
        raise ValueError(f"{w} sources, {len(target)} targets and {len(bond)} bonds")
    given = _Neighbours(n, w, hosts, *native.pointers(arrays, _KINDS))
    along, against, page = np.empty(w, np.float32), np.empty(w, np.float32), np.empty(n)

    def fill(part: slice) -> bool:
        outcome = (np.zeros(hosts), along, against, page)
        return bool(_library().graphlang_shares(given, part.start, part.stop, degree, *outcome))

    if not all(native.side_by_side(n, fill)):
        raise ValueError("a link leads to a page or host that is not there")
    if followed is not None and followed.any():
        ends = source[followed]
        against[followed] = FOLLOWED / np.bincount(ends, minlength=n)[ends] / np.maximum(page[ends], 1e-9)
    return Shares(along, against, page, order)
