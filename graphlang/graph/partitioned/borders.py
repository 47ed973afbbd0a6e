"""Pages at the border of a partition as its neighbours know them, ghosts, and the links between ghosts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.data import NONE, FixedBeliefs
from graphlang.graph.partitioned.partition import Cut
from graphlang.graph.partitioned.records import BELIEF, COUNT, Records, pack, ragged, unpack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.propagation.options import Options

MOST = 64  #: a page with neighbours in more partitions is not told which these are
_HEADER = np.dtype([
    ("host", "<i8"), ("directory", "<i8"), ("out", "<i4"), ("into", "<i4"), ("mutual", "<i4"), ("length", "<i4"),
    ("labelled", "u1"), ("scores", "<u2"), ("parts", "u1"), ("of_host", "<u2"), ("of_directory", "<u2"), ("near", "u1"),
])  # fmt: skip
_LISTS = (
    ("scores", BELIEF), ("parts", BELIEF), ("of_host", COUNT), ("of_directory", COUNT), ("near", np.dtype("<i4")),
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class PlaceLabels:
    """How many certain pages each place has in each language; the places are hosts or directories."""

    place: NDArray[np.int64]  #: keys, ascending, shape (p,)
    start: NDArray[np.int64]  #: place i has ``language[start[i]:start[i + 1]]``, shape (p + 1,)
    language: NDArray[np.int16]  #: ascending for each place, shape (c,)
    pages: NDArray[np.int64]  #: shape (c,)

    def of(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.void]]:
        """How many languages each of some places has, and these, as ``COUNT``; a place that is not there has none.

        Args:
            places: keys, in any order, and as often as one likes, shape (q,).
        """
        at = np.minimum(np.searchsorted(self.place, places), max(len(self.place) - 1, 0))
        there = self.place[at] == places if len(self.place) else np.zeros(len(places), np.bool_)
        counts = np.where(there, np.diff(self.start)[at] if len(self.place) else 0, 0)
        rows, offset = ragged(counts)
        from_ = self.start[at[rows]] + offset if len(rows) else np.zeros(0, np.int64)
        found = np.empty(len(rows), COUNT)
        found["language"], found["pages"] = self.language[from_], self.pages[from_]
        return counts, found


def place_labels(places: NDArray[np.int64], language: NDArray[np.int16], pages: NDArray[np.int64]) -> PlaceLabels:
    """Add up counts of places and languages.

    Args:
        places: key of each count, shape (c,).
        language: of each count, shape (c,).
        pages: each count, shape (c,).

    >>> found = place_labels(np.array([9, 4, 9]), np.int16([1, 0, 1]), np.array([2, 1, 3]))
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
    """What a partition knows of the pages that it is the neighbour of; g ghosts."""

    pages: NDArray[np.int64]  #: ids, ascending, shape (g,)
    host: NDArray[np.int64]  #: keys, shape (g,)
    directory: NDArray[np.int64]  #: keys, shape (g,)
    out: NDArray[np.int32]  #: degrees in the whole collection, shape (g,) each
    into: NDArray[np.int32]
    mutual: NDArray[np.int32]
    languages: NDArray[np.int16]  #: what their texts say, if these are long, -1 padding, shape (g, k)
    probabilities: NDArray[np.float32]  #: shape (g, k)
    length: NDArray[np.int32]  #: letters of their texts, shape (g,)
    labelled: NDArray[np.bool_]  #: shape (g,)
    parts: FixedBeliefs  #: of those in several languages: what part of the text each has; rows of ``pages``
    hosts: PlaceLabels  #: of their hosts
    directories: PlaceLabels  #: of their directories
    #: partitions that each is a ghost of, if there are several, but not too many: those of ghost i are
    #: ``near[near_start[i]:near_start[i + 1]]``, shape (p,)
    near: NDArray[np.int32]
    near_start: NDArray[np.int64]  #: shape (g + 1,)


def certain(partition: Partition, options: Options) -> NDArray[np.int16]:
    """The language of each page whose text is long and sure enough to learn from, -1 of the others; shape (n,).

    Args:
        partition: whose pages.
        options: what is long, and what sure.
    """
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
) -> Records:
    """The records of the pages at the border.

    Args:
        partition: sorted.
        options: what counts as a long text.
        cut: hosts and directories of which it may have a part: what is certain of them is counted by ``survey``, so
            that it need not be told with each page.
        routes: ids of the pages at the border that each other partition has as ghosts, ascending; None: not told.
    """
    cut = cut or Cut()
    rows = partition.border()
    pages = partition.pages[rows]
    header = np.zeros(len(rows), _HEADER)
    header["host"], header["directory"] = partition.host[rows], partition.directory[rows]
    header["out"], header["into"], header["mutual"] = (found[rows] for found in _degrees(partition))
    header["length"] = partition.length[rows]
    long = partition.length[rows] >= min(options.clamp_length, options.certain_length)
    if partition.labelled is not None:
        header["labelled"] = partition.labelled[rows]
        long |= partition.labelled[rows]
    given = long[:, None] & (partition.languages[rows] >= 0) & (partition.probabilities[rows] > 0)
    scores = np.empty(int(given.sum()), BELIEF)
    scores["language"], scores["probability"] = partition.languages[rows][given], partition.probabilities[rows][given]
    label = certain(partition, options)
    known = np.flatnonzero(label >= 0)
    one = np.ones(len(known), np.int64)

    def counted(places: NDArray[np.int64], apart: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.void]]:
        some = ~np.isin(places[known], apart)
        return place_labels(places[known][some], label[known][some], one[some]).of(places[rows])

    of_host, of_directory = counted(partition.host, cut.hosts), counted(partition.directory, cut.directories)
    in_parts = _parts(partition, np.where(long, rows, -1))
    lists = [(given.sum(axis=1).astype(np.int64), scores), in_parts, of_host, of_directory, _near(pages, routes or {})]
    for (name, _), (counts, _entries) in zip(_LISTS, lists, strict=True):
        header[name] = counts
    return pack(pages, header, lists)


def ghosts_of(partition: Partition, records: Records) -> Ghosts:
    """Read what others say of a partition's ghosts.

    Args:
        partition: sorted.
        records: of its ghosts at least.

    Raises:
        ValueError: nothing is said of one of them.
    """
    wanted = partition.ghosts()
    found = records.of(wanted)
    if len(found.pages) < len(wanted):
        missing = np.setdiff1d(wanted, found.pages)
        raise ValueError(
            f"nothing was said of page {missing[0]} and {len(missing) - 1} others, the neighbours of a partition of"
            f" {len(partition.pages)} pages"
        )
    head, lists = unpack(found, _HEADER, _LISTS)
    (counts, scores), in_parts, (in_host, hosts), (in_directory, directories), (many, near) = lists
    rows, rank = ragged(counts)
    languages = np.full((len(wanted), max(1, int(counts.max(initial=0)))), -1, np.int16)
    probabilities = np.zeros(languages.shape, np.float32)
    languages[rows, rank], probabilities[rows, rank] = scores["language"], scores["probability"]
    return Ghosts(
        wanted,
        head["host"].copy(),
        head["directory"].copy(),
        head["out"].copy(),
        head["into"].copy(),
        head["mutual"].copy(),
        languages,
        probabilities,
        head["length"].copy(),
        head["labelled"].astype(np.bool_),
        _beliefs(*in_parts),
        _told(head["host"], in_host, hosts),
        _told(head["directory"], in_directory, directories),
        near.astype(np.int32),
        np.concatenate([[0], np.cumsum(many)]),
    )


def _near(pages: NDArray[np.int64], routes: Mapping[int, NDArray[np.int64]]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """In how many partitions each page has neighbours, and in which, if in several."""
    rows = np.concatenate([np.zeros(0, np.int64), *(np.searchsorted(pages, some) for some in routes.values())])
    homes = np.repeat(np.array(list(routes), "<i4"), [len(some) for some in routes.values()])
    counts = np.bincount(rows, minlength=len(pages))
    counts[(counts < 2) | (counts > MOST)] = 0  # noqa: PLR2004 - of one the page is a ghost anyway
    told = counts[rows] > 0
    order = np.lexsort((homes[told], rows[told]))
    return counts, homes[told][order]


def _parts(partition: Partition, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.void]]:
    """How many languages the parts of some pages have, and these with their shares; of a row of -1 none."""
    parts = partition.parts
    if parts is None or not len(parts.rows):
        return np.zeros(len(rows), np.int64), np.zeros(0, BELIEF)
    at = np.minimum(np.searchsorted(parts.rows, rows), len(parts.rows) - 1)
    known = (parts.languages[at] >= 0) & (parts.rows[at] == rows)[:, None]
    found = np.empty(int(known.sum()), BELIEF)
    found["language"], found["probability"] = parts.languages[at][known], parts.probabilities[at][known]
    return known.sum(axis=1).astype(np.int64), found


def _beliefs(counts: NDArray[np.int64], entries: NDArray[np.void]) -> FixedBeliefs:
    """The way back from `_parts`."""
    rows, rank = ragged(counts)
    some = np.flatnonzero(counts)
    languages = np.full((len(some), max(1, int(counts.max(initial=0)))), -1, np.int16)
    shares = np.zeros(languages.shape, np.float32)
    at = np.searchsorted(some, rows)
    languages[at, rank], shares[at, rank] = entries["language"], entries["probability"]
    return FixedBeliefs(some, languages, shares)


def _told(places: NDArray[np.int64], counts: NDArray[np.int64], entries: NDArray[np.void]) -> PlaceLabels:
    """The counts of different places, of which each page repeats those of its own."""
    keys, first = np.unique(places, return_index=True)
    start = np.cumsum(counts) - counts
    rows, offset = ragged(counts[first])
    at = start[first][rows] + offset
    bounds = np.concatenate([[0], np.cumsum(counts[first])])
    return PlaceLabels(keys, bounds, entries["language"][at].copy(), entries["pages"][at].astype(np.int64))


def _degrees(partition: Partition) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Distinct targets, distinct sources and mutual neighbours of each page."""
    n = len(partition.pages)
    ids, ends = np.unique(np.concatenate([partition.source, partition.target]), return_inverse=True)
    keys = np.unique(ends[: len(partition.source)] * np.int64(len(ids)) + ends[len(partition.source) :])
    source, target = np.divmod(keys, max(len(ids), 1))
    back = np.isin(target * len(ids) + source, keys, assume_unique=True)
    row = np.full(len(ids), -1, np.int64)
    own = partition.own(ids)
    row[own] = np.searchsorted(partition.pages, ids[own])
    out, into, mutual = (
        np.bincount(rows[rows >= 0], minlength=n) for rows in (row[source], row[target], row[source[back]])
    )
    return out, into, mutual


UNKNOWN = 0  #: kind of a link between ghosts, which nobody needs to know


def asked(ghosts: Ghosts, homes: NDArray[np.int32]) -> dict[int, NDArray[np.int64]]:
    """What a partition asks others.

    Args:
        ghosts: its neighbours.
        homes: partition of each ghost, shape (g,).

    Returns:
        By partition the ids of pages, ascending: are any of yours among them linked to any other of them?
    """
    rows = np.arange(len(homes))
    some = np.isin(ghosts.near, homes)  # it is one of them itself
    whom = np.concatenate([homes, ghosts.near[some]])
    which = np.concatenate([rows, np.repeat(rows, np.diff(ghosts.near_start))[some]])
    order = np.lexsort((which, whom))
    pages = ghosts.pages[which[order]]
    found, first = np.unique(whom[order], return_index=True)
    bounds = pairwise([*first.tolist(), len(pages)])
    listed = {home: pages[begin:stop] for home, (begin, stop) in zip(found.tolist(), bounds, strict=True)}
    return {home: some for home, some in listed.items() if len(some) > 1}


def links_among(partition: Partition, pages: NDArray[np.int64]) -> NDArray[np.int64]:
    """The links from a partition's own pages among some pages to others of them.

    Args:
        partition: sorted.
        pages: ids, ascending.

    Returns:
        sources and targets, shape (2, m), each link once.
    """
    mine = pages[partition.own(pages)]
    some = np.flatnonzero(_among(partition.source, mine) & _among(partition.target, pages))
    ends = np.stack([partition.source[some], partition.target[some]])
    new = np.ones(len(some), np.bool_)
    new[1:] = (ends[:, 1:] != ends[:, :-1]).any(axis=0)  # links are sorted
    return ends[:, new]


def with_links(partition: Partition, links: Sequence[NDArray[np.int64]]) -> Partition:
    """A partition with links between its ghosts.

    Args:
        partition: sorted.
        links: what `links_among` said of each of the other partitions, in any order.

    Returns:
        sorted.
    """
    source, target = np.concatenate([np.zeros((2, 0), np.int64), *links], axis=1)
    few = np.full(len(source), NONE, np.int16)
    return replace(
        partition,
        source=np.concatenate([partition.source, source]),
        target=np.concatenate([partition.target, target]),
        kind=np.concatenate([partition.kind, np.full(len(source), UNKNOWN, np.uint8)]),
        hreflang=np.concatenate([partition.hreflang, few]),
        ordinal=np.concatenate([partition.ordinal, few]),
    ).sorted()


def _among(ids: NDArray[np.int64], pages: NDArray[np.int64]) -> NDArray[np.bool_]:
    if not len(pages):
        return np.zeros(len(ids), np.bool_)
    return np.asarray(pages[np.minimum(np.searchsorted(pages, ids), len(pages) - 1)] == ids)
