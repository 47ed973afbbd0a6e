"""What the shape of the graph around a link says: is it navigation within one language, or a switch to another?

None of these needs a language, so that they are known for links between short pages too. The counting is done in C
(``native/edge_features.c``), in as many threads as there are cores; what comes out does not depend on their number.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.native import edge_features as _kernels
from graphlang.native.threads import in_blocks, over_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links

AFFORDABLE = 60  #: neighbours that are looked at for each link of the graph, on average ...
LEAST = 100_000_000  #: ... and so many in all, whatever the number of links
LONGEST = (300, 100, 30, 10, 0)  #: lists of neighbours longer than this are left out: the first that is affordable
BLOCK = 1 << 14  #: links whose features one core works out at once
NAMES = (
    "reciprocal", "out(source)", "in(target)", "out(target)", "in(source)", "mutual(source)", "mutual(target)",
    "out difference", "in difference", "common targets", "common sources", "detours", "targets shared",
    "sources shared",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Degrees:
    """How many links pages have in the whole collection, where not all of these are here."""

    rows: NDArray[np.int64]  #: of the pages, ascending, shape (g,)
    out: NDArray[np.int32]  #: distinct pages that each links to, shape (g,)
    into: NDArray[np.int32]  #: distinct pages that link to it, shape (g,)
    mutual: NDArray[np.int32]  #: pages that it links to and that link back, shape (g,)


class EdgeFeatures:
    """The graph as the features need it, computed once.

    ``reciprocal`` is 1 where the target links back; the degrees, their differences, and the numbers of common targets,
    common sources and detours (paths of length two) are logarithms of 1 + n; the last two are the shares (Jaccard) of
    the targets and sources that both ends have in common. A page with more targets (sources) than the whole graph can
    afford to compare (``LONGEST``) is taken to have none in common with any other: one hub must not cost the square
    of its links.

    Args:
        links: all links; features are asked for of those between pages that are not left out.
        wanted: numbers of those whose features will be asked for, shape (w,). Here and below, those of a page had
            better follow each other.
        longest: longer lists of neighbours are left out; if not given, the first of ``LONGEST`` that is affordable.
        degrees: of pages of which not all links are here.

    Raises:
        ValueError: a link or page outside its range; lists whose bounds do not fit the links.
    """

    def __init__(
        self,
        links: Links,
        wanted: NDArray[np.int32],
        longest: int | None = None,
        degrees: Degrees | None = None,
    ) -> None:
        self._links = links
        self._reciprocal, mutual = links.reciprocal()
        counts = [*self._listed(), mutual[: links.inside].copy()]
        del mutual
        if longest is None:
            most = max(LEAST, AFFORDABLE * links.distinct)
            affordable = (
                long for long in LONGEST if self._most_steps(long) <= most or self._steps(wanted, long) <= most
            )
            longest = next(affordable, LONGEST[-1])
        self.longest = longest  #: longer lists of neighbours are left out
        if degrees is not None:
            for count, given in zip(counts, (degrees.out, degrees.into, degrees.mutual), strict=True):
                count[degrees.rows] = given
        self._log_counts = np.log1p(np.arange(LONGEST[0] + 1)).astype(np.float32)
        self._neighbours = self._packed(*counts)
        self._links = links.drop_sources()  # they are packed
        self._marks: list[NDArray[np.uint8]] = []  # of all pages, one for each thread that marks some

    def _packed(self, out: NDArray[np.int32], into: NDArray[np.int32], mutual: NDArray[np.int32]) -> Any:
        """What the kernels look up of each page, which has so many links; shape (inside,) each."""
        links = self._links
        made = _kernels.neighbours_new(links.n, links.inside, links.m)
        ends = slice(links.inside + 1)
        given = (self.longest, links.out_start[ends], links.in_start[ends], links.target, links.in_source, out, into)
        logs = [np.empty(links.inside, np.float32) for _ in range(3)]

        def pack(part: slice) -> None:
            for log, count in zip(logs, (out, into, mutual), strict=True):
                log[part] = np.log1p(count[part], dtype=np.float64)
            _kernels.neighbours_pack(made, part.start, part.stop, *given, *logs)

        over_parts(links.inside, pack)
        return made

    def links_back(self, wanted: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return whether the target of each of some links links back, shape (w,)."""
        return self._reciprocal[wanted]

    def of(self, wanted: NDArray[np.int32]) -> NDArray[np.float32]:
        """Features of some links, one column for each of ``NAMES``, shape (w, 14)."""
        rows = np.empty((len(wanted), len(NAMES)), np.float32)

        def fill(part: slice) -> None:
            numbers = np.ascontiguousarray(wanted[part], np.int32)
            with self._given() as shape:
                _kernels.edge_features(*shape, numbers, rows[part])

        list(in_blocks(len(wanted), BLOCK, fill))
        return rows

    def log_odds(
        self,
        wanted: NDArray[np.int32],
        mean: NDArray[np.float32],
        deviation: NDArray[np.float32],
        weights: NDArray[np.float64],
    ) -> NDArray[np.float32]:
        """The features of some links, less the mean, over the deviation, cut at 4, times the weights; shape (w,).

        Args:
            wanted: numbers of the links, shape (w,).
            mean: shape (14,).
            deviation: shape (14,).
            weights: shape (14,).
        """
        given = (mean.astype(np.float32), deviation.astype(np.float32), weights.astype(np.float64))
        found = np.empty(len(wanted), np.float32)

        def fill(part: slice) -> None:
            numbers = np.ascontiguousarray(wanted[part], np.int32)
            with self._given() as shape:
                _kernels.edge_log_odds(*shape, numbers, *given, found[part])

        over_parts(len(wanted), fill)
        return found

    def _listed(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """How many targets, and how many sources, of each page are here."""
        return self._links.outdegree().astype(np.int32), self._links.indegree().astype(np.int32)

    def _most_steps(self, longest: int) -> int:
        """What ``_steps`` are at most, were all links wanted."""
        of_lists = sum(np.where(many > longest, 0, many.astype(np.int64)) for many in self._listed())
        return int((of_lists * (self._links.indegree() + 2)).sum())

    def _steps(self, wanted: NDArray[np.int32], longest: int) -> int:
        links, numbers = self._links, np.ascontiguousarray(wanted, np.int32)
        given = (longest, links.source, links.target, *self._listed(), numbers)
        counted = over_parts(len(numbers), lambda part: _kernels.edge_steps(part.start, part.stop, *given))
        return sum(counted)

    @contextmanager
    def _given(self) -> Iterator[tuple[Any, Any, Any, Any, Any, Any]]:
        """What both kernels take first; the marks are the caller's own, and all zeros again if nothing was refused."""
        links = self._links
        try:
            marks = self._marks.pop()
        except IndexError:
            marks = np.zeros(links.n, np.uint8)
        yield self._neighbours, links.source, links.target, self._reciprocal, self._log_counts, marks
        self._marks.append(marks)
