"""Features of a link from the shape of the graph around it: navigation in one language, or a switch to another?

The features need no language, so links between short pages have them too. A kernel in C counts them
(``native/edge_features.c``) with all cores; the result does not depend on their number.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.native import edge_features as _kernels
from graphlang.native.threads import run_blocks, run_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import SortedLinks

AFFORDABLE = 60  #: neighbours compared per link of the graph, on average ...
LEAST = 100_000_000  #: ... or this many in all, if that is more
LONGEST = (300, 100, 30, 10, 0)  #: longer neighbour lists are ignored: the first affordable limit is used
BLOCK = 1 << 14  #: links that one core handles at a time
NAMES = (
    "reciprocal", "out(source)", "in(target)", "out(target)", "in(source)", "mutual(source)", "mutual(target)",
    "out difference", "in difference", "common targets", "common sources", "detours", "targets shared",
    "sources shared",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Degrees:
    """Degrees in the whole collection, for pages with links that are not here."""

    rows: NDArray[np.int64]  #: rows of the pages, ascending, shape (g,)
    out: NDArray[np.int32]  #: distinct targets, shape (g,)
    into: NDArray[np.int32]  #: distinct sources, shape (g,)
    mutual: NDArray[np.int32]  #: targets that link back, shape (g,)


class EdgeFeatures:
    """The features of links, and the graph packed as the kernels need it.

    ``reciprocal`` is 1 if the target links back. Degrees, their differences, and the numbers of common targets,
    common sources and detours (paths of length two) are log(1 + n). The last two are the Jaccard similarities of the
    targets and of the sources of both ends. A page with more targets (sources) than ``longest`` has none in common
    with others, so that a hub does not cost the square of its links; the default is the first affordable limit of
    ``LONGEST``.

    ``numbers`` are the links whose features will be computed, shape (w,), best grouped by page; ``degrees`` those of
    pages with links in other partitions. Raise a ValueError for a link or page outside its range, or bounds of lists
    that do not fit the links.
    """

    def __init__(
        self,
        links: SortedLinks,
        numbers: NDArray[np.int32],
        longest: int | None = None,
        degrees: Degrees | None = None,
    ) -> None:
        self._links = links
        self._reciprocal, mutual = links.reciprocal()
        counts = [*self._count_listed(), mutual[: links.inside].copy()]
        del mutual
        if longest is None:
            budget = max(LEAST, AFFORDABLE * links.distinct)
            affordable = (
                limit
                for limit in LONGEST
                if self._bound_steps(limit) <= budget or self._steps(numbers, limit) <= budget
            )
            longest = next(affordable, LONGEST[-1])
        self.longest = longest  #: longer neighbour lists are ignored
        if degrees is not None:
            for count, degree in zip(counts, (degrees.out, degrees.into, degrees.mutual), strict=True):
                count[degrees.rows] = degree
        self._log_counts = np.log1p(np.arange(LONGEST[0] + 1)).astype(np.float32)
        self._neighbours = self._pack(*counts)
        self._links = links.drop_sources()  # packed above
        self._marks: list[NDArray[np.uint8]] = []  # scratch of shape (n,), one per thread

    def _pack(self, out: NDArray[np.int32], into: NDArray[np.int32], mutual: NDArray[np.int32]) -> Any:
        """Pack neighbours and degrees, shape (inside,) each, for fast lookup."""
        links = self._links
        packed = _kernels.neighbours_new(links.n, links.inside, links.m)
        ends = slice(links.inside + 1)
        arrays = (self.longest, links.out_start[ends], links.in_start[ends], links.target, links.in_source, out, into)
        logs = [np.empty(links.inside, np.float32) for _ in range(3)]

        def pack(pages: slice) -> None:
            for log, count in zip(logs, (out, into, mutual), strict=True):
                log[pages] = np.log1p(count[pages], dtype=np.float64)
            _kernels.neighbours_pack(packed, pages.start, pages.stop, *arrays, *logs)

        run_parts(links.inside, pack)
        return packed

    def links_back(self, numbers: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return whether the targets of some links link back, shape (w,)."""
        return self._reciprocal[numbers]

    def compute(self, numbers: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the features of some links, a column for each of ``NAMES``; shape (w, 14)."""
        rows = np.empty((len(numbers), len(NAMES)), np.float32)

        def fill(block: slice) -> None:
            block_numbers = np.ascontiguousarray(numbers[block], np.int32)
            with self._kernel_arguments() as shape:
                _kernels.edge_features(*shape, block_numbers, rows[block])

        list(run_blocks(len(numbers), BLOCK, fill))
        return rows

    def log_odds(
        self,
        numbers: NDArray[np.int32],
        mean: NDArray[np.float32],
        deviation: NDArray[np.float32],
        weights: NDArray[np.float64],
    ) -> NDArray[np.float32]:
        """Return the dot product of the standardised features, clipped at 4, and the weights; shape (w,).

        ``mean``, ``deviation`` and ``weights`` have shape (14,).
        """
        parameters = (mean.astype(np.float32), deviation.astype(np.float32), weights.astype(np.float64))
        log_odds = np.empty(len(numbers), np.float32)

        def fill(block: slice) -> None:
            block_numbers = np.ascontiguousarray(numbers[block], np.int32)
            with self._kernel_arguments() as shape:
                _kernels.edge_log_odds(*shape, block_numbers, *parameters, log_odds[block])

        run_parts(len(numbers), fill)
        return log_odds

    def _count_listed(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the number of targets and of sources of each page that are here."""
        return self._links.outdegree().astype(np.int32), self._links.indegree().astype(np.int32)

    def _bound_steps(self, longest: int) -> int:
        """Return an upper bound of ``_steps`` for all links."""
        list_lengths = sum(np.where(degree > longest, 0, degree.astype(np.int64)) for degree in self._count_listed())
        return int((list_lengths * (self._links.indegree() + 2)).sum())

    def _steps(self, numbers: NDArray[np.int32], longest: int) -> int:
        links, contiguous = self._links, np.ascontiguousarray(numbers, np.int32)
        arguments = (longest, links.source, links.target, *self._count_listed(), contiguous)
        counted = run_parts(len(contiguous), lambda block: _kernels.edge_steps(block.start, block.stop, *arguments))
        return sum(counted)

    @contextmanager
    def _kernel_arguments(self) -> Iterator[tuple[Any, Any, Any, Any, Any, Any]]:
        """Yield the first arguments of both kernels; a thread has its own marks, all 0 again after a call."""
        links = self._links
        try:
            marks = self._marks.pop()
        except IndexError:
            marks = np.zeros(links.n, np.uint8)
        yield self._neighbours, links.source, links.target, self._reciprocal, self._log_counts, marks
        self._marks.append(marks)
