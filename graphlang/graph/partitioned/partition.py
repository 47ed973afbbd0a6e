"""One partition of a collection: its pages with their evidence, and all links from or to them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.data import NONE, Signal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Hosts and directories whose pages are in several partitions (see ``assign.Cuts``)."""

    hosts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  #: keys, ascending
    directories: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))  #: keys, ascending


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """n pages and m links. Pages have 64-bit ids, hosts and directories 64-bit keys.

    Rows and links may come in any order, and links may repeat: `sorted` makes the result independent of it.
    """

    codes: tuple[str, ...]  #: ISO 639-3 codes, the same in all partitions
    pages: NDArray[np.int64]  #: ids, shape (n,)
    host: NDArray[np.int64]  #: key of the host of each page, shape (n,)
    directory: NDArray[np.int64]  #: key of the directory of each page, which names its host as well, shape (n,)
    languages: NDArray[np.int16]  #: what the text may be (see ``graph.data.Evidence``), shape (n, k)
    probabilities: NDArray[np.float32]  #: how likely, shape (n, k)
    length: NDArray[np.int32]  #: letters of the text, shape (n,)
    source: NDArray[np.int64]  #: id of the page that holds each link, shape (m,)
    target: NDArray[np.int64]  #: id of the page that it leads to, shape (m,)
    kind: NDArray[np.uint8]  #: how it links, shape (m,)
    hreflang: NDArray[np.int16]  #: language that it announces for its target, -1 none, shape (m,)
    ordinal: NDArray[np.int16]  #: its position on its page, -1 unknown, shape (m,)
    signals: Mapping[str, Signal] = field(default_factory=dict)  #: of the pages, by name
    copies: NDArray[np.int32] | None = None  #: pages of the host with the very same short text, itself among them, (n,)
    labelled: NDArray[np.bool_] | None = None  #: pages with a language set by hand, shape (n,)

    def __post_init__(self) -> None:
        n, m = len(self.pages), len(self.source)
        for name in ("host", "directory", "languages", "probabilities", "length", "copies", "labelled"):
            values = getattr(self, name)
            if values is not None and len(values) != n:
                raise ValueError(f"{name} has {len(values)} rows for {n} pages")
        for name in ("target", "kind", "hreflang", "ordinal"):
            if len(getattr(self, name)) != m:
                raise ValueError(f"{name} has {len(getattr(self, name))} rows for {m} links")
        for name, signal in self.signals.items():
            if len(signal.languages) != n:
                raise ValueError(f"the signal {name} has {len(signal.languages)} rows for {n} pages")

    def sorted(self) -> Partition:
        """Return the same with pages by id and links by their ends; what is in order is not copied."""
        ordered = _by_link(self._by_page())
        twice = np.flatnonzero(ordered.pages[1:] == ordered.pages[:-1])
        if len(twice):
            raise ValueError(f"page {ordered.pages[twice[0]]} stands twice")
        return ordered

    def own(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which ids are pages of the sorted partition; shape of the ids."""
        if not len(self.pages):
            return np.zeros(len(ids), np.bool_)
        at = np.minimum(np.searchsorted(self.pages, ids), len(self.pages) - 1)
        return np.asarray(self.pages[at] == ids)

    def ghosts(self) -> NDArray[np.int64]:
        """Return the ids of the pages of other partitions that links join to these, ascending."""
        ends = np.concatenate([self.source, self.target])
        return np.unique(ends[~self.own(ends)])

    def border(self) -> NDArray[np.int64]:
        """Return the rows of pages that links join to other partitions, ascending, where the partition is sorted."""
        source, target = self.own(self.source), self.own(self.target)
        ids = np.concatenate([self.source[source & ~target], self.target[target & ~source]])
        return np.searchsorted(self.pages, np.unique(ids))

    def routes(self, ghosts: NDArray[np.int64], homes: NDArray[np.int32]) -> dict[int, NDArray[np.int64]]:
        """Ids of the pages at the border, ascending, by the partition that has them as ghosts.

        Args:
            ghosts: of `ghosts`.
            homes: the partition of each, shape (g,).
        """
        source, target = self.own(self.source), self.own(self.target)
        out, into = np.flatnonzero(source & ~target), np.flatnonzero(target & ~source)
        own_ends = np.concatenate([self.source[out], self.target[into]])
        ghost_ends = np.concatenate([self.target[out], self.source[into]])
        of_others = homes[np.searchsorted(ghosts, ghost_ends)]
        return {int(home): np.unique(own_ends[of_others == home]) for home in np.unique(of_others)}

    def _by_page(self) -> Partition:
        if (self.pages[1:] > self.pages[:-1]).all():
            return self
        order = np.argsort(self.pages, kind="stable")

        def taken(values: NDArray[Any] | None) -> Any:
            return None if values is None else values[order]

        names = ("pages", "host", "directory", "languages", "probabilities", "length", "copies", "labelled")
        signals = {
            name: replace(signal, languages=signal.languages[order], probabilities=signal.probabilities[order])
            for name, signal in self.signals.items()
        }
        return replace(self, signals=signals, **{name: taken(getattr(self, name)) for name in names})


def _by_link(partition: Partition) -> Partition:
    columns = {name: getattr(partition, name) for name in ("source", "target", "kind", "hreflang", "ordinal")}
    keep = np.flatnonzero(partition.source != partition.target)
    order = keep[np.lexsort([values[keep] for values in reversed(columns.values())])]
    return replace(partition, **{name: values[order] for name, values in columns.items()})


def no_language(rows: int) -> Signal:
    """Return a signal without a language for any page."""
    return Signal(np.full((rows, 1), NONE, np.int16), np.zeros((rows, 1), np.float32))
