"""Learn what is common to all partitions, from counts and samples that do not depend on how these are cut.

`survey` counts, `observe` draws links, `learn` fits the model that every partition gets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.partitioned.borders import PlaceLabels, certain, place_labels
from graphlang.graph.partitioned.local import local
from graphlang.graph.partitioned.partition import Cut
from graphlang.graph.propagation import learned as whole
from graphlang.graph.propagation.edges import from_sample
from graphlang.graph.propagation.edges.edge_features import AFFORDABLE, LEAST, LONGEST, NAMES, EdgeFeatures
from graphlang.graph.propagation.edges.link_kinds import followed
from graphlang.graph.propagation.elsewhere import PlaceCounts
from graphlang.graph.propagation.inference import read
from graphlang.graph.propagation.nodes import site_prior
from graphlang.graph.propagation.nodes.active_languages import LIKELY, chosen
from graphlang.graph.propagation.nodes.roles import page_roles
from graphlang.graph.propagation.nodes.score_table import BLOCK, ScoreTables
from graphlang.graph.propagation.nodes.signals import PSEUDO, USUAL, Reliability

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from graphlang.graph.data import Signal
    from graphlang.graph.partitioned.borders import Ghosts, PlaceLabels
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


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """What every partition is given. Its size goes with the number of hosts that are cut, not with that of pages."""

    model: whole.Learned  #: of the cut hosts, numbered as in ``hosts``, and of all others together
    hosts: NDArray[np.int64]  #: keys of the cut hosts, ascending, shape (H,)
    of_hosts: PlaceLabels  #: certain pages of the cut hosts
    of_directories: PlaceLabels  #: certain pages of the cut directories

    def of(self, hosts: NDArray[np.int64]) -> whole.Learned:
        """The model for the hosts of a partition.

        Args:
            hosts: keys, by number, ascending.
        """
        rows = np.flatnonzero(np.isin(self.hosts, hosts, assume_unique=True))
        model = self.model
        numbers = np.searchsorted(hosts, self.hosts[rows]).astype(np.int32)
        return replace(
            model,
            hosts=numbers,
            sites=model.sites[rows],
            reliability={name: Reliability(one.overall, one.of_hosts[rows]) for name, one in model.reliability.items()},
            compatibility=model.compatibility.of_hosts(rows),
        )


def learn(survey: Survey, observed: Observed, cut: Cut) -> Learned:
    """Learn from what all partitions counted and drew.

    Args:
        survey: of all partitions.
        observed: of all partitions.
        cut: hosts whose pages lie in several partitions.

    Raises:
        ValueError: neither text nor signal names a language.
    """
    active = survey.active()
    if not len(active):
        raise ValueError("there is nothing to learn from: neither text nor signal names a language")
    known = np.where(active >= 0, active, 0)
    shown = active >= 0
    scores, labels = (survey.scores[known] * shown).astype(np.float64) * UNIT, survey.label[known] * shown
    collection = site_prior.of_counts(scores, labels, survey.pages)
    columns = np.full(len(survey.codes), -1, np.int64)
    columns[active[shown]] = np.flatnonzero(shown)

    def sites(labels: PlaceLabels, keys: NDArray[np.int64]) -> NDArray[np.float64]:
        counts, entries = labels.of(keys)
        of = PlaceCounts(keys, np.concatenate([[0], np.cumsum(counts)]), entries["language"], entries["pages"])
        pages = of.table(active, len(survey.codes)).pages
        return np.asarray(
            (pages + site_prior.PAGES * collection) / (pages.sum(axis=1, keepdims=True) + site_prior.PAGES)
        )

    # the sample and the links of hosts that are cut, each once
    drawn = np.concatenate([observed.links, observed.of_cut])
    _, first = np.unique(drawn[["source", "target"]], return_index=True)
    of_sample = first < len(observed.links)
    drawn = drawn[first]
    others = np.setdiff1d(drawn["host"][~drawn["between"]], cut.hosts)
    keys = np.concatenate([cut.hosts, others])
    order = np.argsort(keys, kind="stable")
    number = order[np.minimum(np.searchsorted(keys[order], drawn["host"]), max(len(keys) - 1, 0))] if len(keys) else 0
    group = np.where(drawn["between"], len(keys), number)
    of_cut = sites(survey.hosts_cut, cut.hosts)
    model = from_sample.learn(
        from_sample.Sample(
            drawn["features"],
            drawn["kind"],
            columns[drawn["a"]],
            columns[drawn["b"]],
            group.astype(np.int64),
            of_sample,
        ),
        np.vstack([of_cut, sites(observed.hosts, others)]),
        collection,
        survey.kinds,
        survey.longest(),
        keep=len(cut.hosts),
    )
    rates = {name: _reliability(rate, cut) for name, rate in observed.signals.items()}
    learned = whole.Learned(
        survey.codes, active, np.arange(len(cut.hosts), dtype=np.int32), collection, of_cut, rates, model
    )
    return Learned(learned, cut.hosts, survey.hosts_cut, survey.directories_cut)


def _reliability(rate: Rate, cut: Cut) -> Reliability:
    overall = (rate.right * UNIT + PSEUDO * USUAL) / (rate.pages + PSEUDO)
    right, pages = np.zeros(len(cut.hosts)), np.zeros(len(cut.hosts))
    at = np.searchsorted(cut.hosts, rate.hosts)
    right[at], pages[at] = rate.of_hosts[:, 0] * UNIT, rate.of_hosts[:, 1]
    return Reliability(overall, (right + PSEUDO * overall) / (pages + PSEUDO))
