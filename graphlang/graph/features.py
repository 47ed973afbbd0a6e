"""What the shape of the graph around a link says: is it navigation within one language, or a switch to another?

None of these needs a language, so that they are known for links between short pages too. The counting is done in C
(``_shape.c``), in as many threads as there are cores; what comes out does not depend on their number.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph import native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.matrix import Links

AFFORDABLE = 60  #: neighbours that are looked at for each link of the graph, on average ...
LEAST = 100_000_000  #: ... and so many in all, whatever the number of links
LONGEST = (300, 100, 30, 10, 0)  #: lists of neighbours longer than this are left out: the first that is affordable
NAMES = (
    "reciprocal", "out(source)", "in(target)", "out(target)", "in(source)", "mutual(source)", "mutual(target)",
    "out difference", "in difference", "common targets", "common sources", "detours", "targets shared",
    "sources shared",
)  # fmt: skip

_POINTERS = ("source", "target", "back", "start", "into", "origin", "outdegree", "indegree", "mutual", "logs")
_KINDS: tuple[type[np.generic], ...] = (np.int32, np.int32, np.uint8, np.int64, np.int64, np.int32, *[np.float32] * 4)


class _Graph(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("pages", "links", "longest")),
        *((name, ctypes.c_void_p) for name in _POINTERS),
    )


@cache
def _library() -> ctypes.CDLL:
    library = native.load("_shape")
    graph = ctypes.POINTER(_Graph)
    library.graphlang_features.argtypes = [graph, native.UINT8, ctypes.c_int64, native.INT32, native.FLOAT]
    library.graphlang_odds.argtypes = [
        graph,
        native.UINT8,
        ctypes.c_int64,
        native.INT32,
        native.FLOAT,
        native.FLOAT,
        native.DOUBLE,
        native.FLOAT,
    ]
    library.graphlang_steps.argtypes = [graph, ctypes.c_int64, native.INT32]
    library.graphlang_steps.restype = ctypes.c_int64
    return library


class Shape:
    """The graph as the features need it, worked out once.

    ``reciprocal`` is 1 where the target links back; the degrees, their differences, and the numbers of common targets,
    common sources and detours (paths of length two) are logarithms of 1 + n; the last two are the shares (Jaccard) of
    the targets and sources that both ends have in common. A page with more targets (sources) than the whole graph can
    afford to compare (``LONGEST``) is taken to have none in common with any other: one hub must not cost the square
    of its links.

    Args:
        links: all links.
        wanted: numbers of those whose features will be asked for, shape (w,). Here and below, those of a page had
            better follow each other.

    Raises:
        ValueError: a link or page that is not there; lists whose bounds do not fit the links.
    """

    def __init__(self, links: Links, wanted: NDArray[np.int32]) -> None:
        native.lists(links.start, links.target, links.into, links.origin)
        for pages in (links.source, links.target, links.origin):
            if len(pages) and not (pages.min() >= 0 and pages.max() < links.n):
                raise ValueError("a link leads to a page that is not there")
        back = links.reciprocal()
        mutual = np.bincount(links.source[back], minlength=links.n)
        out, into = (np.log1p(degree).astype(np.float32) for degree in (links.outdegree(), links.indegree()))
        self._arrays: tuple[NDArray[Any], ...] = (
            *(links.source, links.target, back.view(np.uint8), links.start, links.into, links.origin, out, into),
            *(np.log1p(counts).astype(np.float32) for counts in (mutual, np.arange(LONGEST[0] + 1))),
        )
        lengths = (*[links.m] * 3, *[links.n + 1] * 2, links.m, *[links.n] * 3, LONGEST[0] + 1)
        if [len(array) for array in self._arrays] != list(lengths):
            raise ValueError("the arrays of the links do not fit each other")
        pointers = dict(zip(_POINTERS, native.pointers(self._arrays, _KINDS), strict=True))
        self._graph = _Graph(links.n, links.m, LONGEST[0], **pointers)
        most = max(LEAST, AFFORDABLE * links.m)
        for self._graph.longest in LONGEST:
            if self._steps(wanted) <= most:
                break

    @property
    def longest(self) -> int:
        """Longer lists of neighbours are left out."""
        return int(self._graph.longest)

    def features(self, wanted: NDArray[np.int32]) -> NDArray[np.float32]:
        """Features of some links, one column for each of ``NAMES``, shape (w, 14)."""
        rows = np.empty((len(wanted), len(NAMES)), np.float32)

        def fill(part: slice) -> bool:
            given = np.ascontiguousarray(wanted[part], np.int32)
            return bool(_library().graphlang_features(self._graph, self._marks(), len(given), given, rows[part]))

        return self._checked(rows, native.side_by_side(len(wanted), fill))

    def odds(
        self,
        wanted: NDArray[np.int32],
        middle: NDArray[np.float32],
        width: NDArray[np.float32],
        weights: NDArray[np.float64],
    ) -> NDArray[np.float32]:
        """The features of some links, less the middle, over the width, cut at 4, times the weights; shape (w,).

        Args:
            wanted: numbers of the links, shape (w,).
            middle: shape (14,).
            width: shape (14,).
            weights: shape (14,).
        """
        given = (middle.astype(np.float32), width.astype(np.float32), weights.astype(np.float64))
        if any(array.shape != (len(NAMES),) for array in given):
            raise ValueError(f"middle, width and weights are of {len(NAMES)} features")
        found = np.empty(len(wanted), np.float32)

        def fill(part: slice) -> bool:
            numbers = np.ascontiguousarray(wanted[part], np.int32)
            return bool(
                _library().graphlang_odds(self._graph, self._marks(), len(numbers), numbers, *given, found[part])
            )

        return self._checked(found, native.side_by_side(len(wanted), fill))

    def _steps(self, wanted: NDArray[np.int32]) -> int:
        steps = int(_library().graphlang_steps(self._graph, len(wanted), np.ascontiguousarray(wanted, np.int32)))
        if steps < 0:
            raise ValueError("a link that is not there")
        return steps

    def _marks(self) -> NDArray[np.uint8]:
        return np.zeros(self._graph.pages, np.uint8)

    @staticmethod
    def _checked(found: NDArray[np.float32], done: list[bool]) -> NDArray[np.float32]:
        if not all(done):
            raise ValueError("a link that is not there")
        return found
