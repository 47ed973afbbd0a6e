"""What was counted in the whole collection, of pages, hosts and directories of which a partition has only a part."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.propagation.nodes.site_prior import PAGES, Counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.propagation.edges.edge_features import Degrees
    from graphlang.graph.propagation.learned import Learned


@dataclass(frozen=True, slots=True, eq=False)
class PlaceCounts:
    """Certain pages of hosts or directories by language.

    Raises:
        ValueError: bounds that do not fit the lists.
    """

    place: NDArray[np.int64]  #: numbers of the hosts or directories in the evidence, ascending, shape (p,)
    start: NDArray[np.int64]  #: place i has ``language[start[i]:start[i + 1]]``, shape (p + 1,)
    language: NDArray[np.int16]  #: indices of languages, shape (c,)
    pages: NDArray[np.int64]  #: how many certain pages the place has in the language, shape (c,)

    def __post_init__(self) -> None:
        if len(self.start) != len(self.place) + 1 or self.start[-1] != len(self.language):
            raise ValueError(f"{len(self.place)} places and {len(self.language)} counts have {len(self.start)} bounds")

    def table(self, active: NDArray[np.int16], codes: int) -> Counted:
        """The same with a column for each active language.

        Args:
            active: languages of the columns, shape (L,).
            codes: how many languages there are in all.

        >>> counts = PlaceCounts(np.array([4]), np.array([0, 2]), np.int16([2, 0]), np.array([7, 1]))
        >>> counts.table(np.int16([0, 2]), 3).pages.tolist()
        [[1, 7]]
        """
        column = np.full(codes + 1, -1, np.int64)
        column[active[active >= 0]] = np.flatnonzero(active >= 0)
        found = np.zeros((len(self.place), len(active)), np.int64)
        rows = np.repeat(np.arange(len(self.place)), np.diff(self.start))
        at = column[self.language]
        np.add.at(found, (rows[at >= 0], at[at >= 0]), self.pages[at >= 0])
        return Counted(self.place, found)


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """What a partition is told of its ghosts, and of the hosts and directories that it has only a part of."""

    degrees: Degrees  #: of the ghosts
    hosts: PlaceCounts
    directories: PlaceCounts

    def sites_of(self, learned: Learned, hosts: NDArray[np.int32]) -> Learned:
        """What was learned, the languages of these hosts being those that were counted.

        Args:
            learned: of the hosts of the pages.
            hosts: their numbers in the evidence, ascending, shape (H,).
        """
        counted = self.hosts.table(learned.active, len(learned.codes))
        at = np.searchsorted(hosts, counted.place)
        here = np.append(hosts, -1)[at] == counted.place
        pages = counted.pages[here]
        sites = learned.sites.copy()
        sites[at[here]] = (pages + PAGES * learned.collection) / (pages.sum(axis=1, keepdims=True) + PAGES)
        return replace(learned, sites=sites)
