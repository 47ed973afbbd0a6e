"""What each partition shows of how links and signals behave, as a sample that no partitioning changes.

Links are drawn by a hash of their ends: so many of each host, and hosts by a hash of their names until there are enough
links. Whole hosts are drawn, and not links from everywhere, for the habits of a host show in several of its links only.
What is drawn from all partitions together is what would have been drawn from one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.partitioned.borders.introduce import PlaceLabels, place_labels
from graphlang.graph.partitioned.borders.local import local
from graphlang.graph.partitioned.learning.survey import UNIT, Survey, together
from graphlang.graph.propagation.edges.edge_features import NAMES, EdgeFeatures
from graphlang.graph.propagation.edges.link_kinds import followed
from graphlang.graph.propagation.inference import read
from graphlang.graph.propagation.nodes.roles import page_roles
from graphlang.graph.propagation.nodes.score_table import BLOCK, ScoreTables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from graphlang.graph.data import Signal
    from graphlang.graph.partitioned.borders.introduce import Ghosts
    from graphlang.graph.partitioned.cut import Cut
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.propagation.options import Options

OF_HOST = 20_000  #: links that are drawn of a host, at most
OF_ALL = 100_000  #: links within hosts that are drawn in all
BETWEEN = 30_000  #: links between hosts that are drawn in all
OF_CUT = 5_000  #: links that are drawn of a host that is cut, at least

#: A link between two certain pages.
LINK = np.dtype([
    ("rank", "<u8"), ("host", "<i8"), ("key", "<u8"), ("source", "<i8"), ("target", "<i8"), ("between", "?"),
    ("kind", "u1"), ("a", "<i2"), ("b", "<i2"), ("features", "<f4", (len(NAMES),)),
])  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Rate:
    """How often a signal is right on certain pages: of all, and of hosts that are cut."""

    right: int  #: sum, in ``UNIT``
    pages: int
    hosts: NDArray[np.int64]  #: keys of the hosts that are cut, ascending, shape (h,)
    of_hosts: NDArray[np.int64]  #: sum and pages of each, shape (h, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """What some partitions show, or all."""

    links: NDArray[np.void]  #: the links that were drawn, of ``LINK``, in their order
    of_cut: NDArray[np.void]  #: those of the hosts that are cut
    hosts: PlaceLabels  #: certain pages of the hosts of those links
    signals: Mapping[str, Rate]


def observe(partition: Partition, ghosts: Ghosts, survey: Survey, cut: Cut, options: Options) -> Observed:
    """Look at one partition.

    Args:
        partition: sorted.
        ghosts: its neighbours.
        survey: of all partitions.
        cut: hosts and directories of which it may have a part.
        options: what is long and what is sure.
    """
    here = local(partition, ghosts, survey.hosts_cut, survey.directories_cut)
    links, given = read(here.graph, here.evidence, options)
    active = survey.active()
    tables = ScoreTables(here.evidence, active)
    label = page_roles(tables, options).label
    own = np.zeros(links.n, np.bool_)
    own[here.own] = True
    numbers = np.flatnonzero(
        own[links.source] & (label[links.source] >= 0) & (label[links.target] >= 0) & ~followed(links.kind)
    )
    rows = np.zeros(len(numbers), LINK)
    source, target = links.source[numbers], links.target[numbers]
    host = here.hosts[here.evidence.host]
    rows["source"], rows["target"] = here.ids[source], here.ids[target]
    rows["between"] = host[source] != host[target]
    rows["host"] = np.where(rows["between"], 0, host[source])
    rows["rank"], rows["key"] = mixed(rows["host"]), mixed(rows["source"], rows["target"])
    rows["kind"], rows["a"], rows["b"] = links.kind[numbers], active[label[source]], active[label[target]]
    drawn, of_cut = _drawn(rows), _of_cut(rows, cut)
    features = EdgeFeatures(links, numbers.astype(np.int32)[:0], survey.longest(), here.elsewhere.degrees)
    for some in (drawn, of_cut):
        rows["features"][some] = features.of(numbers[some].astype(np.int32))
    known = np.flatnonzero(label[here.own] >= 0)
    of_links = np.setdiff1d(np.union1d(rows["host"][drawn], rows["host"][of_cut]), cut.hosts)
    known = known[np.isin(partition.host[known], of_links)]
    labels = active[label[here.own[known]]]
    counted = place_labels(partition.host[known], labels, np.ones(len(known), np.int64))
    rates = {name: _rate(tables, one, label, here.own, host, cut) for name, one in given.items() if one.weight}
    return Observed(rows[drawn], rows[of_cut], counted, rates)


def gathered(parts: Iterable[Observed]) -> Observed:
    """What all partitions show together.

    Args:
        parts: of each partition.
    """
    all_of = list(parts)
    links = np.concatenate([np.zeros(0, LINK), *(part.links for part in all_of)])
    of_cut = np.concatenate([np.zeros(0, LINK), *(part.of_cut for part in all_of)])
    links, of_cut = links[_drawn(links)], of_cut[_least(of_cut, OF_CUT)]
    hosts = together([part.hosts for part in all_of])
    wanted = np.union1d(links["host"], of_cut["host"])
    counts, entries = hosts.of(wanted)
    labels = place_labels(np.repeat(wanted, counts), entries["language"], entries["pages"].astype(np.int64))
    names = sorted({name for part in all_of for name in part.signals})
    rates = {name: _summed([part.signals[name] for part in all_of if name in part.signals]) for name in names}
    return Observed(links, of_cut, labels, rates)


def mixed(*columns: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A hash of some numbers.

    Args:
        columns: shape (m,) each.

    >>> found = mixed(np.array([1, 2, 1]), np.array([2, 1, 2]))
    >>> bool(found[0] == found[2]), bool(found[0] == found[1])
    (True, False)
    """
    key = np.zeros(len(columns[0]), np.uint64)
    for values in columns:
        key = (key ^ np.ascontiguousarray(values).view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        key ^= key >> np.uint64(29)
        key *= np.uint64(0xBF58476D1CE4E5B9)
        key ^= key >> np.uint64(32)
    return key


def _least(rows: NDArray[np.void], most: int) -> NDArray[np.int64]:
    """So many links of each host by their keys, hosts by rank; numbers of the rows."""
    order = np.lexsort((rows["target"], rows["source"], rows["key"], rows["host"], rows["rank"]))
    host = rows["host"][order]
    first = np.ones(len(order), np.bool_)
    first[1:] = host[1:] != host[:-1]
    start = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    return order[np.arange(len(order)) - start < most]


def _drawn(rows: NDArray[np.void]) -> NDArray[np.int64]:
    between = np.flatnonzero(rows["between"])
    within = np.flatnonzero(~rows["between"])
    return np.concatenate([
        within[_least(rows[within], OF_HOST)[:OF_ALL]], between[_least(rows[between], BETWEEN)]
    ])  # fmt: skip


def _of_cut(rows: NDArray[np.void], cut: Cut) -> NDArray[np.int64]:
    some = np.flatnonzero(np.isin(rows["host"], cut.hosts) & ~rows["between"])
    return some[_least(rows[some], OF_CUT)]


def _rate(  # noqa: PLR0917  internal
    tables: ScoreTables,
    signal: Signal,
    label: NDArray[np.int16],
    own: NDArray[np.int64],
    host: NDArray[np.int64],
    cut: Cut,
) -> Rate:
    known = own[label[own] >= 0]
    sums, pages = np.zeros((len(cut.hosts), 2), np.int64), 0
    right = 0
    for at in range(0, len(known), BLOCK):
        part = known[at : at + BLOCK]
        scores = tables.of(part, signal)
        some = np.flatnonzero(scores.sum(axis=1) > 0)
        share = np.rint(scores[some, label[part[some]]] / UNIT).astype(np.int64)
        right, pages = right + int(share.sum()), pages + len(some)
        keys = host[part[some]]
        inside = np.isin(keys, cut.hosts)
        number = np.searchsorted(cut.hosts, keys[inside])
        np.add.at(sums, number, np.stack([share[inside], np.ones(len(number), np.int64)], axis=1))
    there = sums[:, 1] > 0
    return Rate(right, pages, cut.hosts[there], sums[there])


def _summed(rates: list[Rate]) -> Rate:
    hosts = np.unique(np.concatenate([rate.hosts for rate in rates]))
    sums = np.zeros((len(hosts), 2), np.int64)
    for rate in rates:
        sums[np.searchsorted(hosts, rate.hosts)] += rate.of_hosts
    return Rate(sum(rate.right for rate in rates), sum(rate.pages for rate in rates), hosts, sums)
