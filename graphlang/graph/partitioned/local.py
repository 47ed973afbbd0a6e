"""A partition and its ghosts as the arrays that the kernels take: rows from 0, in the order of the pages' ids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from graphlang.graph.adjacency import canonical
from graphlang.graph.data import NONE, Evidence, Graph, Signal
from graphlang.graph.partitioned.borders import PlaceLabels
from graphlang.graph.propagation.edge_features import Degrees
from graphlang.graph.propagation.inference import read
from graphlang.graph.propagation.learned import Elsewhere, PlaceCounts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.partitioned.borders import Ghosts
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.propagation.options import Options

Number = TypeVar("Number", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """n rows: the pages of a partition and its ghosts, by ascending id."""

    ids: NDArray[np.int64]  #: shape (n,)
    own: NDArray[np.int64]  #: rows of the partition's pages, ascending
    ghosts: NDArray[np.int64]  #: rows of the ghosts, ascending
    hosts: NDArray[np.int64]  #: key of each host, by its number in the evidence, ascending
    directories: NDArray[np.int64]  #: key of each directory, by its number in the evidence, ascending
    graph: Graph
    evidence: Evidence
    elsewhere: Elsewhere


def local(partition: Partition, ghosts: Ghosts, hosts: PlaceLabels, directories: PlaceLabels) -> Local:
    """Make the arrays of a partition and its ghosts, with the counts of cut hosts and directories."""
    ids = np.sort(np.concatenate([partition.pages, ghosts.pages]))
    own_rows, beyond = np.searchsorted(ids, partition.pages), np.searchsorted(ids, ghosts.pages)
    n = len(ids)

    def spread(values: NDArray[Number], ghost_values: NDArray[Number] | None, fill: float) -> NDArray[Number]:
        values_of_all = np.full(n, fill, values.dtype)
        values_of_all[own_rows] = values
        if ghost_values is not None:
            values_of_all[beyond] = ghost_values
        return values_of_all

    host_keys, host = np.unique(spread(partition.host, ghosts.host, 0), return_inverse=True)
    directory_keys, directory = np.unique(spread(partition.directory, ghosts.directory, 0), return_inverse=True)
    width = max(partition.languages.shape[1], ghosts.languages.shape[1] if len(ghosts.pages) else 0)
    languages, probabilities = np.full((n, width), NONE, np.int16), np.zeros((n, width), np.float32)
    for rows, beliefs, sure in (
        (own_rows, partition.languages, partition.probabilities),
        (beyond, ghosts.languages, ghosts.probabilities),
    ):
        if len(rows):
            languages[rows, : beliefs.shape[1]], probabilities[rows, : beliefs.shape[1]] = beliefs, sure
    labelled = None
    if partition.labelled is not None or ghosts.labelled.any():
        own_labelled = np.zeros(len(own_rows), np.bool_) if partition.labelled is None else partition.labelled
        labelled = spread(own_labelled, ghosts.labelled, 0)
    evidence = Evidence(
        partition.codes,
        languages,
        probabilities,
        spread(partition.length, ghosts.length, 0),
        host.astype(np.int32),
        directory.astype(np.int32),
        {name: _spread_signal(signal, own_rows, n) for name, signal in partition.signals.items()},
        None if partition.copies is None else spread(partition.copies, None, 1),
        labelled=labelled,
    )
    source, target = (np.searchsorted(ids, end).astype(np.int32) for end in (partition.source, partition.target))
    links = canonical(Graph(n, source, target, partition.kind, partition.hreflang, None, partition.ordinal))
    graph = Graph(n, links.source, links.target, links.kind, links.hreflang, None, links.ordinal)
    elsewhere = Elsewhere(
        Degrees(beyond, ghosts.out, ghosts.into, ghosts.mutual),
        _counts(host_keys, ghosts.hosts, hosts, partition.host),
        _counts(directory_keys, ghosts.directories, directories, partition.directory),
    )
    return Local(ids, own_rows, beyond, host_keys, directory_keys, graph, evidence, elsewhere)


def signals_of(partition: Partition, options: Options) -> dict[str, Signal]:
    """Return the signals of a partition's pages, with hreflang announcements, without the order of links."""
    local_rows = local(partition, unknown(partition.ghosts()), nothing(), nothing())
    _, signals_read = read(local_rows.graph, local_rows.evidence, replace(options, link_order=0))
    return {
        name: replace(
            signal, languages=signal.languages[local_rows.own], probabilities=signal.probabilities[local_rows.own]
        )
        for name, signal in signals_read.items()
    }


def nothing() -> PlaceLabels:
    """Return counts of no place."""
    none = np.zeros(0, np.int64)
    return PlaceLabels(none, np.zeros(1, np.int64), none.astype(np.int16), none)


def unknown(pages: NDArray[np.int64]) -> Ghosts:
    """Return ghosts of which nothing is known yet."""
    from graphlang.graph.partitioned.borders import Ghosts  # noqa: PLC0415

    g = len(pages)
    zeros, zeros32 = np.zeros(g, np.int64), np.zeros(g, np.int32)
    lists = np.full((g, 1), NONE, np.int16), np.zeros((g, 1), np.float32)
    near = zeros32[:0], np.zeros(g + 1, np.int64)
    return Ghosts(
        pages, zeros, zeros, zeros32, zeros32, zeros32, *lists, zeros32, zeros32 > 0, nothing(), nothing(), *near
    )


def _spread_signal(signal: Signal, own_rows: NDArray[np.int64], n: int) -> Signal:
    width = signal.languages.shape[1]
    languages, probabilities = np.full((n, width), NONE, np.int16), np.zeros((n, width), np.float32)
    languages[own_rows], probabilities[own_rows] = signal.languages, signal.probabilities
    return replace(signal, languages=languages, probabilities=probabilities)


def _counts(
    keys: NDArray[np.int64], of_ghosts: PlaceLabels, of_all: PlaceLabels, own_places: NDArray[np.int64]
) -> PlaceCounts:
    """Return the counts of places that are not whole here: those that are cut, and those of ghosts only."""
    cut = np.intersect1d(keys, of_all.place, assume_unique=True)
    ghost_places = np.setdiff1d(np.setdiff1d(of_ghosts.place, cut, assume_unique=True), own_places)
    counts = [(cut, *of_all.of(cut)), (ghost_places, *of_ghosts.of(ghost_places))]
    return _numbered(keys, counts)


def _numbered(
    keys: NDArray[np.int64], counts: Sequence[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.void]]]
) -> PlaceCounts:
    places = np.concatenate([place for place, _, _ in counts])
    sizes = np.concatenate([size for _, size, _ in counts])
    entries = np.concatenate([entry for _, _, entry in counts])
    order = np.argsort(places, kind="stable")
    first = np.cumsum(sizes) - sizes
    start = np.concatenate([[0], np.cumsum(sizes[order])])
    at = np.arange(len(entries)) + np.repeat(first[order] - start[:-1], sizes[order])
    number = np.searchsorted(keys, places[order])
    return PlaceCounts(number, start, entries["language"][at], entries["pages"][at].astype(np.int64))
