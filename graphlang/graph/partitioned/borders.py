"""Pages at the border of a partition as its neighbours know them, ghosts, and the links between ghosts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from graphlang.graph.adjacency import sort_links
from graphlang.graph.data import NONE, Evidence, Graph, Signal
from graphlang.graph.partitioned.partition import Cut
from graphlang.graph.partitioned.records import BELIEF, COUNT, PageRecords, index_lists, pack, unpack
from graphlang.graph.propagation.edge_features import Degrees
from graphlang.graph.propagation.inference import read
from graphlang.graph.propagation.learned import Elsewhere, PlaceCounts
from graphlang.graph.propagation.roles import find_firm_length

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.options import Options
    from graphlang.graph.partitioned.partition import Partition

MOST = 64  #: a page with neighbours in more partitions does not send which these are
_HEADER = np.dtype([
    ("host", "<i8"), ("directory", "<i8"), ("out", "<i4"), ("into", "<i4"), ("mutual", "<i4"), ("length", "<i4"),
    ("labelled", "u1"), ("scores", "<u2"), ("of_host", "<u2"), ("of_directory", "<u2"), ("near", "u1"),
])  # fmt: skip
_LISTS = (
    ("scores", BELIEF), ("of_host", COUNT), ("of_directory", COUNT), ("near", np.dtype("<i4")),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class PlaceLabels:
    """Number of certain pages of each place by language; places are hosts or directories."""

    place: NDArray[np.int64]  #: keys, ascending, shape (p,)
    start: NDArray[np.int64]  #: place i has ``language[start[i]:start[i + 1]]``, shape (p + 1,)
    language: NDArray[np.int16]  #: ascending for each place, shape (c,)
    pages: NDArray[np.int64]  #: shape (c,)

    def of(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.void]]:
        """Return how many languages each place has, and these as ``COUNT``; an unknown place has none."""
        at = np.minimum(np.searchsorted(self.place, places), max(len(self.place) - 1, 0))
        present = self.place[at] == places if len(self.place) else np.zeros(len(places), np.bool_)
        counts = np.where(present, np.diff(self.start)[at] if len(self.place) else 0, 0)
        rows, offset = index_lists(counts)
        from_ = self.start[at[rows]] + offset if len(rows) else np.zeros(0, np.int64)
        entries = np.empty(len(rows), COUNT)
        entries["language"], entries["pages"] = self.language[from_], self.pages[from_]
        return counts, entries


def sum_place_labels(places: NDArray[np.int64], language: NDArray[np.int16], pages: NDArray[np.int64]) -> PlaceLabels:
    """Add up counts of places and languages.

    >>> found = sum_place_labels(np.array([9, 4, 9]), np.int16([1, 0, 1]), np.array([2, 1, 3]))
    >>> found.place.tolist(), found.start.tolist(), found.language.tolist(), found.pages.tolist()
    ([4, 9], [0, 1, 2], [0, 1], [1, 5])
    """
    order = np.lexsort((language, places))
    places, language, pages = places[order], language[order], pages[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (places[1:] != places[:-1]) | (language[1:] != language[:-1])
    first = np.flatnonzero(new)
    total = np.add.reduceat(pages, first) if len(first) else pages
    keys, start = np.unique(places[first], return_index=True)
    return PlaceLabels(keys, np.append(start, len(first)), language[first], total)


@dataclass(frozen=True, slots=True, eq=False)
class Ghosts:
    """The g ghosts of a partition: its neighbours in other partitions."""

    pages: NDArray[np.int64]  #: ids, ascending, shape (g,)
    host: NDArray[np.int64]  #: keys, shape (g,)
    directory: NDArray[np.int64]  #: keys, shape (g,)
    out: NDArray[np.int32]  #: degrees in the whole collection, shape (g,) each
    into: NDArray[np.int32]
    mutual: NDArray[np.int32]
    languages: NDArray[np.int16]  #: candidates of long texts, -1 padding, shape (g, k)
    probabilities: NDArray[np.float32]  #: shape (g, k)
    length: NDArray[np.int32]  #: letters of their texts, shape (g,)
    labelled: NDArray[np.bool_]  #: shape (g,)
    hosts: PlaceLabels  #: of their hosts
    directories: PlaceLabels  #: of their directories
    #: partitions that each is a ghost of, if there are several, but not too many: those of ghost i are
    #: ``near[near_start[i]:near_start[i + 1]]``, shape (p,)
    near: NDArray[np.int32]
    near_start: NDArray[np.int64]  #: shape (g + 1,)


def find_certain(partition: Partition, options: Options) -> NDArray[np.int16]:
    """Return the language of each page whose text is long and sure enough to learn from, else -1; shape (n,)."""
    if not partition.languages.shape[1]:
        return np.full(len(partition.pages), -1, np.int16)
    best, probability = partition.languages[:, 0], partition.probabilities[:, 0]
    long = partition.length >= options.certain_length
    if partition.labelled is not None:
        long |= partition.labelled
    sure = long & (best >= 0) & (probability >= options.certain) & (probability > 0)
    return np.where(sure, best, -1).astype(np.int16)


def introduce(
    partition: Partition,
    options: Options,
    cut: Cut | None = None,
    routes: Mapping[int, NDArray[np.int64]] | None = None,
) -> PageRecords:
    """Return a record for each page at the border."""
    cut = cut or Cut()
    rows = partition.border()
    pages = partition.pages[rows]
    header = np.zeros(len(rows), _HEADER)
    header["host"], header["directory"] = partition.host[rows], partition.directory[rows]
    header["out"], header["into"], header["mutual"] = (degree[rows] for degree in _count_degrees(partition))
    header["length"] = partition.length[rows]
    long = partition.length[rows] >= min(find_firm_length(options), options.certain_length)
    if partition.labelled is not None:
        header["labelled"] = partition.labelled[rows]
        long |= partition.labelled[rows]
    beliefs_given = long[:, None] & (partition.languages[rows] >= 0) & (partition.probabilities[rows] > 0)
    scores = np.empty(int(beliefs_given.sum()), BELIEF)
    scores["language"], scores["probability"] = (
        partition.languages[rows][beliefs_given],
        partition.probabilities[rows][beliefs_given],
    )
    label = find_certain(partition, options)
    sure = np.flatnonzero(label >= 0)
    ones = np.ones(len(sure), np.int64)

    def counted(places: NDArray[np.int64], separate: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.void]]:
        whole = ~np.isin(places[sure], separate)
        return sum_place_labels(places[sure][whole], label[sure][whole], ones[whole]).of(places[rows])

    of_host, of_directory = counted(partition.host, cut.hosts), counted(partition.directory, cut.directories)
    lists = [
        (beliefs_given.sum(axis=1).astype(np.int64), scores),
        of_host,
        of_directory,
        _count_near_partitions(pages, routes or {}),
    ]
    for (name, _), (counts, _entries) in zip(_LISTS, lists, strict=True):
        header[name] = counts
    return pack(pages, header, lists)


def decode_ghosts(partition: Partition, records: PageRecords) -> Ghosts:
    """Decode the records of a partition's ghosts."""
    ghost_ids = partition.ghosts()
    records_read = records.of(ghost_ids)
    if len(records_read.pages) < len(ghost_ids):
        missing = np.setdiff1d(ghost_ids, records_read.pages)
        raise ValueError(
            f"no record of page {missing[0]} and {len(missing) - 1} others, the neighbours of a partition of"
            f" {len(partition.pages)} pages"
        )
    head, lists = unpack(records_read, _HEADER, _LISTS)
    (counts, scores), (in_host, hosts), (in_directory, directories), (many, near) = lists
    rows, rank = index_lists(counts)
    languages = np.full((len(ghost_ids), max(1, int(counts.max(initial=0)))), -1, np.int16)
    probabilities = np.zeros(languages.shape, np.float32)
    languages[rows, rank], probabilities[rows, rank] = scores["language"], scores["probability"]
    return Ghosts(
        ghost_ids,
        head["host"].copy(),
        head["directory"].copy(),
        head["out"].copy(),
        head["into"].copy(),
        head["mutual"].copy(),
        languages,
        probabilities,
        head["length"].copy(),
        head["labelled"].astype(np.bool_),
        _decode_counts(head["host"], in_host, hosts),
        _decode_counts(head["directory"], in_directory, directories),
        near.astype(np.int32),
        np.concatenate([[0], np.cumsum(many)]),
    )


def _count_near_partitions(
    pages: NDArray[np.int64], routes: Mapping[int, NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return in how many partitions each page has neighbours, and in which, if in several."""
    rows = np.concatenate([np.zeros(0, np.int64), *(np.searchsorted(pages, page_ids) for page_ids in routes.values())])
    homes = np.repeat(np.array(list(routes), "<i4"), [len(page_ids) for page_ids in routes.values()])
    counts = np.bincount(rows, minlength=len(pages))
    counts[(counts < 2) | (counts > MOST)] = 0  # noqa: PLR2004 - of one the page is a ghost anyway
    several = counts[rows] > 0
    order = np.lexsort((homes[several], rows[several]))
    return counts, homes[several][order]


def _decode_counts(places: NDArray[np.int64], counts: NDArray[np.int64], entries: NDArray[np.void]) -> PlaceLabels:
    """Return the counts of distinct places, which each of their pages repeats."""
    keys, first = np.unique(places, return_index=True)
    start = np.cumsum(counts) - counts
    rows, offset = index_lists(counts[first])
    at = start[first][rows] + offset
    bounds = np.concatenate([[0], np.cumsum(counts[first])])
    return PlaceLabels(keys, bounds, entries["language"][at].copy(), entries["pages"][at].astype(np.int64))


def _count_degrees(partition: Partition) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count distinct targets, distinct sources and mutual neighbours of each page."""
    n = len(partition.pages)
    ids, ends = np.unique(np.concatenate([partition.source, partition.target]), return_inverse=True)
    keys = np.unique(ends[: len(partition.source)] * np.int64(len(ids)) + ends[len(partition.source) :])
    source, target = np.divmod(keys, max(len(ids), 1))
    back = np.isin(target * len(ids) + source, keys, assume_unique=True)
    row = np.full(len(ids), -1, np.int64)
    inside = partition.is_inside(ids)
    row[inside] = np.searchsorted(partition.pages, ids[inside])
    out, into, mutual = (
        np.bincount(rows[rows >= 0], minlength=n) for rows in (row[source], row[target], row[source[back]])
    )
    return out, into, mutual


UNKNOWN = 0  #: kind of a link between ghosts


def group_ghost_pairs(ghosts: Ghosts, homes: NDArray[np.int32]) -> dict[int, NDArray[np.int64]]:
    """Return the pages that a partition asks others about, by partition: are any linked to each other?

    ``homes`` is the partition of each ghost, shape (g,). Ids are ascending.
    """
    rows = np.arange(len(homes))
    near_homes = np.isin(ghosts.near, homes)  # the partition itself has them
    whom = np.concatenate([homes, ghosts.near[near_homes]])
    which = np.concatenate([rows, np.repeat(rows, np.diff(ghosts.near_start))[near_homes]])
    order = np.lexsort((which, whom))
    pages = ghosts.pages[which[order]]
    partitions_asked, first = np.unique(whom[order], return_index=True)
    bounds = pairwise([*first.tolist(), len(pages)])
    listed = {home: pages[begin:stop] for home, (begin, stop) in zip(partitions_asked.tolist(), bounds, strict=True)}
    return {home: near_homes for home, near_homes in listed.items() if len(near_homes) > 1}


def find_links_among(partition: Partition, pages: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the links from the partition's own pages in ``pages`` (ascending) to others of them, shape (2, m)."""
    own_pages = pages[partition.is_inside(pages)]
    rows = np.flatnonzero(_is_among(partition.source, own_pages) & _is_among(partition.target, pages))
    ends = np.stack([partition.source[rows], partition.target[rows]])
    new = np.ones(len(rows), np.bool_)
    new[1:] = (ends[:, 1:] != ends[:, :-1]).any(axis=0)  # links are sorted
    return ends[:, new]


def add_ghost_links(partition: Partition, links: Sequence[NDArray[np.int64]]) -> Partition:
    """Add links between ghosts to a partition, which stays sorted."""
    source, target = np.concatenate([np.zeros((2, 0), np.int64), *links], axis=1)
    none = np.full(len(source), NONE, np.int16)
    return replace(
        partition,
        source=np.concatenate([partition.source, source]),
        target=np.concatenate([partition.target, target]),
        kind=np.concatenate([partition.kind, np.full(len(source), UNKNOWN, np.uint8)]),
        hreflang=np.concatenate([partition.hreflang, none]),
        ordinal=np.concatenate([partition.ordinal, none]),
    ).sort()


def _is_among(ids: NDArray[np.int64], pages: NDArray[np.int64]) -> NDArray[np.bool_]:
    if not len(pages):
        return np.zeros(len(ids), np.bool_)
    return np.asarray(pages[np.minimum(np.searchsorted(pages, ids), len(pages) - 1)] == ids)


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


def make_local(partition: Partition, ghosts: Ghosts, hosts: PlaceLabels, directories: PlaceLabels) -> Local:
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
    links = sort_links(Graph(n, source, target, partition.kind, partition.hreflang, None, partition.ordinal))
    graph = Graph(n, links.source, links.target, links.kind, links.hreflang, None, links.ordinal)
    elsewhere = Elsewhere(
        Degrees(beyond, ghosts.out, ghosts.into, ghosts.mutual),
        _select_counts(host_keys, ghosts.hosts, hosts, partition.host),
        _select_counts(directory_keys, ghosts.directories, directories, partition.directory),
    )
    return Local(ids, own_rows, beyond, host_keys, directory_keys, graph, evidence, elsewhere)


def list_signals(partition: Partition, options: Options) -> dict[str, Signal]:
    """Return the signals of a partition's pages, with hreflang announcements, without the order of links."""
    local_rows = make_local(
        partition, make_unknown_ghosts(partition.ghosts()), make_empty_counts(), make_empty_counts()
    )
    _, signals_read = read(local_rows.graph, local_rows.evidence, replace(options, link_order=0))
    return {
        name: replace(
            signal, languages=signal.languages[local_rows.own], probabilities=signal.probabilities[local_rows.own]
        )
        for name, signal in signals_read.items()
    }


def make_empty_counts() -> PlaceLabels:
    """Return counts of no place."""
    none = np.zeros(0, np.int64)
    return PlaceLabels(none, np.zeros(1, np.int64), none.astype(np.int16), none)


def make_unknown_ghosts(pages: NDArray[np.int64]) -> Ghosts:
    """Return ghosts without any evidence."""
    g = len(pages)
    zeros, zeros32 = np.zeros(g, np.int64), np.zeros(g, np.int32)
    lists = np.full((g, 1), NONE, np.int16), np.zeros((g, 1), np.float32)
    near = zeros32[:0], np.zeros(g + 1, np.int64)
    return Ghosts(
        pages,
        zeros,
        zeros,
        zeros32,
        zeros32,
        zeros32,
        *lists,
        zeros32,
        zeros32 > 0,
        make_empty_counts(),
        make_empty_counts(),
        *near,
    )


def _spread_signal(signal: Signal, own_rows: NDArray[np.int64], n: int) -> Signal:
    width = signal.languages.shape[1]
    languages, probabilities = np.full((n, width), NONE, np.int16), np.zeros((n, width), np.float32)
    languages[own_rows], probabilities[own_rows] = signal.languages, signal.probabilities
    return replace(signal, languages=languages, probabilities=probabilities)


def _select_counts(
    keys: NDArray[np.int64], of_ghosts: PlaceLabels, of_all: PlaceLabels, own_places: NDArray[np.int64]
) -> PlaceCounts:
    """Return the counts of places that are not whole here: those that are cut, and those of ghosts only."""
    cut = np.intersect1d(keys, of_all.place, assume_unique=True)
    ghost_places = np.setdiff1d(np.setdiff1d(of_ghosts.place, cut, assume_unique=True), own_places)
    counts = [(cut, *of_all.of(cut)), (ghost_places, *of_ghosts.of(ghost_places))]
    return _number_places(keys, counts)


def _number_places(
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
