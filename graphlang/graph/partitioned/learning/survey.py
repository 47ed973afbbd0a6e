"""What is counted in each partition by itself, before anybody is told of ghosts: sums, which add up in any order.

Probabilities are summed as whole numbers of ``UNIT``, so that not a bit depends on the partitions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.partitioned.borders.introduce import PlaceLabels, certain, place_labels
from graphlang.graph.partitioned.cut import Cut
from graphlang.graph.propagation.edges.edge_features import AFFORDABLE, LEAST, LONGEST
from graphlang.graph.propagation.nodes.active_languages import LIKELY, chosen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from graphlang.graph.data import Signal
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.propagation.options import Options

__all__ = ["UNIT", "Cut", "Survey", "merged", "survey", "together"]

UNIT = 2.0**-30  #: the sum of 2 ** 33 probabilities has room


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """Counts of some partitions over C languages, or of all."""

    codes: tuple[str, ...]
    pages: int
    links: int  #: that pages of these partitions hold
    label: NDArray[np.int64]  #: certain pages by language, shape (C,)
    scores: NDArray[np.int64]  #: sum of what all texts may be, in ``UNIT``, shape (C,)
    likely: NDArray[np.int64]  #: pages whose text is likely or long enough to bring its language into play, shape (C,)
    best: NDArray[np.int64]  #: pages by the best language of their text, shape (C,)
    signals: Mapping[str, NDArray[np.int64]]  #: pages by the language that a signal with a weight gives them, (C,)
    kinds: NDArray[np.bool_]  #: which kinds of links there are, shape (256,)
    steps: NDArray[np.int64]  #: what comparing lists of each of ``LONGEST`` would cost, shape (5,)
    hosts_cut: PlaceLabels  #: certain pages of the cut hosts
    directories_cut: PlaceLabels  #: and of the cut directories

    def active(self) -> NDArray[np.int16]:
        """Indices of the active languages of the collection, ascending (see ``nodes.active_languages``)."""
        named = self.likely if self.likely.any() else self.best
        return chosen(np.flatnonzero(named), list(self.signals.values()))

    def longest(self) -> int:
        """The lists of neighbours that are compared: the longest that the collection can afford."""
        most = max(LEAST, AFFORDABLE * self.links)
        return next((long for long, steps in zip(LONGEST, self.steps.tolist(), strict=True) if steps <= most), 0)


def survey(partition: Partition, signals: Mapping[str, Signal], cut: Cut, options: Options) -> Survey:
    """Count in one partition.

    Args:
        partition: sorted.
        signals: all of its pages, those of its links among them (see ``local.signals_of``).
        cut: hosts and directories of which it may have a part.
        options: what is long and what is sure.
    """
    size = len(partition.codes)
    label = certain(partition, options)
    known = np.flatnonzero(label >= 0)
    one = np.ones(len(known), np.int64)
    languages, probabilities = partition.languages, partition.probabilities
    given = (languages >= 0) & (probabilities > 0)
    scores = np.zeros(size, np.int64)
    np.add.at(scores, languages[given], np.rint(probabilities[given] / UNIT).astype(np.int64))
    best = np.where(given[:, :1].any(axis=1), languages[:, :1].max(axis=1, initial=-1), -1)
    likely = (probabilities[:, :1].max(axis=1, initial=0) >= LIKELY) | (partition.length >= options.certain_length)
    if partition.labelled is not None:
        likely |= partition.labelled
    long = partition.length >= options.certain_length
    others = languages[:, 1:][given[:, 1:] & long[:, None] & (probabilities[:, 1:] >= LIKELY)]
    own = partition.own(partition.source)
    kinds = np.zeros(256, np.bool_)
    kinds[partition.kind[own]] = True

    def of_places(places: NDArray[np.int64], of: NDArray[np.int64]) -> PlaceLabels:
        some = np.isin(places[known], of)
        return place_labels(places[known][some], label[known][some], one[some])

    return Survey(
        partition.codes,
        len(partition.pages),
        int(own.sum()),
        _by_language(label, size),
        scores,
        _by_language(np.concatenate([best[likely], others]), size),
        _by_language(best, size),
        {name: _by_language(_first(one), size) for name, one in signals.items() if one.weight},
        kinds,
        _steps(partition),
        of_places(partition.host, cut.hosts),
        of_places(partition.directory, cut.directories),
    )


def merged(parts: Iterable[Survey]) -> Survey:
    """The survey of several partitions.

    Args:
        parts: one at least.

    Raises:
        ValueError: there is none, or their languages differ.
    """
    all_of = list(parts)
    if not all_of:
        raise ValueError("there is no survey to merge")
    codes = all_of[0].codes
    if any(part.codes != codes for part in all_of):
        raise ValueError("the partitions have different languages; codes must be equal and in one order")

    def total(name: str) -> NDArray[np.int64]:
        return np.asarray(sum((getattr(part, name) for part in all_of[1:]), getattr(all_of[0], name)))

    names = sorted({name for part in all_of for name in part.signals})
    zeros = np.zeros(len(codes), np.int64)
    return Survey(
        codes,
        sum(part.pages for part in all_of),
        sum(part.links for part in all_of),
        total("label"),
        total("scores"),
        total("likely"),
        total("best"),
        {name: np.asarray(sum((part.signals.get(name, zeros) for part in all_of), zeros)) for name in names},
        np.logical_or.reduce([part.kinds for part in all_of]),
        total("steps"),
        together([part.hosts_cut for part in all_of]),
        together([part.directories_cut for part in all_of]),
    )


def together(parts: Iterable[PlaceLabels]) -> PlaceLabels:
    """Counts of several partitions added up.

    Args:
        parts: of each.
    """
    all_of = list(parts)
    places = [np.repeat(part.place, np.diff(part.start)) for part in all_of]
    none = np.zeros(0, np.int64)
    return place_labels(
        np.concatenate([none, *places]),
        np.concatenate([none.astype(np.int16), *(part.language for part in all_of)]),
        np.concatenate([none, *(part.pages for part in all_of)]),
    )


def _by_language(languages: NDArray[np.int16], size: int) -> NDArray[np.int64]:
    return np.bincount(languages[languages >= 0], minlength=size).astype(np.int64)


def _first(signal: Signal) -> NDArray[np.int16]:
    """What a signal most likely says of each page, -1 where that is not likely."""
    if not signal.languages.shape[1]:
        return np.full(len(signal.languages), -1, np.int16)
    return np.where(signal.probabilities[:, 0] >= LIKELY, signal.languages[:, 0], -1).astype(np.int16)


def _steps(partition: Partition) -> NDArray[np.int64]:
    """About what the features of the links of these pages cost, for each of ``LONGEST``; shape (5,)."""
    found = np.zeros(len(LONGEST), np.int64)
    for ends in (partition.source, partition.target):
        mine = partition.own(ends)
        degree = np.bincount(np.searchsorted(partition.pages, ends[mine]), minlength=len(partition.pages))
        for at, longest in enumerate(LONGEST):
            some = degree[degree <= longest].astype(np.int64)
            found[at] += int((some * some).sum()) + 2 * int(some.sum())
    return found
