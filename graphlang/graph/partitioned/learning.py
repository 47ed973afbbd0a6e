"""Learn the parameters that all partitions share, from counts and samples that do not depend on the cut.

`survey` counts, `observe` draws links, and `learn` fits the model that every partition gets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.partitioned.borders import PlaceLabels, find_certain, make_local, sum_place_labels
from graphlang.graph.partitioned.partition import Cut
from graphlang.graph.propagation import compatibility, site_prior
from graphlang.graph.propagation import learned as whole
from graphlang.graph.propagation.candidates import LIKELY, choose_active
from graphlang.graph.propagation.edge_features import AFFORDABLE, LEAST, LONGEST, NAMES, EdgeFeatures
from graphlang.graph.propagation.inference import read
from graphlang.graph.propagation.learned import PlaceCounts
from graphlang.graph.propagation.likelihoods import HOST_PSEUDO, SIGNAL_PSEUDO, USUAL, Reliability
from graphlang.graph.propagation.link_regressions import is_followed
from graphlang.graph.propagation.roles import assign_roles
from graphlang.graph.tables import BLOCK, ScoreTables

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from graphlang.graph.data import Signal
    from graphlang.graph.options import Options
    from graphlang.graph.partitioned.borders import Ghosts, PlaceLabels
    from graphlang.graph.partitioned.partition import Partition

__all__ = ["UNIT", "Cut", "Survey", "add_counts", "merge_surveys", "survey"]

UNIT = 2.0**-30  #: unit of summed probabilities; 2 ** 33 of them fit into 64 bits


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """Counts of some partitions, or of all, over C languages."""

    codes: tuple[str, ...]
    pages: int
    links: int  #: links from pages of these partitions
    label: NDArray[np.int64]  #: certain pages by language, shape (C,)
    scores: NDArray[np.int64]  #: sum of the scores of all texts, in ``UNIT``, shape (C,)
    likely: NDArray[np.int64]  #: pages whose text activates a language, shape (C,)
    best: NDArray[np.int64]  #: pages by the best language of their text, shape (C,)
    signals: Mapping[str, NDArray[np.int64]]  #: pages by likely language of each signal with a weight, shape (C,)
    kinds: NDArray[np.bool_]  #: which kinds of links there are, shape (256,)
    steps: NDArray[np.int64]  #: cost of features with each of ``LONGEST``, shape (5,)
    hosts_cut: PlaceLabels  #: certain pages of the cut hosts
    directories_cut: PlaceLabels  #: and of the cut directories

    def active(self) -> NDArray[np.int16]:
        """Return the indices of the active languages, ascending (see ``candidates.find_active_languages``)."""
        named = self.likely if self.likely.any() else self.best
        return choose_active(np.flatnonzero(named), list(self.signals.values()))

    def longest(self) -> int:
        """Return the longest lists of neighbours that the collection can afford to compare."""
        limit = max(LEAST, AFFORDABLE * self.links)
        return next((long for long, steps in zip(LONGEST, self.steps.tolist(), strict=True) if steps <= limit), 0)


def survey(partition: Partition, signals: Mapping[str, Signal], cut: Cut, options: Options) -> Survey:
    """Count in one partition."""
    size = len(partition.codes)
    label = find_certain(partition, options)
    certain_rows = np.flatnonzero(label >= 0)
    ones = np.ones(len(certain_rows), np.int64)
    languages, probabilities = partition.languages, partition.probabilities
    present = (languages >= 0) & (probabilities > 0)
    scores = np.zeros(size, np.int64)
    np.add.at(scores, languages[present], np.rint(probabilities[present] / UNIT).astype(np.int64))
    best = np.where(present[:, :1].any(axis=1), languages[:, :1].max(axis=1, initial=-1), -1)
    likely = (probabilities[:, :1].max(axis=1, initial=0) >= LIKELY) | (partition.length >= options.certain_length)
    if partition.labelled is not None:
        likely |= partition.labelled
    long = partition.length >= options.certain_length
    other_languages = languages[:, 1:][present[:, 1:] & long[:, None] & (probabilities[:, 1:] >= LIKELY)]
    inside = partition.is_inside(partition.source)
    kinds = np.zeros(256, np.bool_)
    kinds[partition.kind[inside]] = True

    def of_places(places: NDArray[np.int64], of: NDArray[np.int64]) -> PlaceLabels:
        inside_places = np.isin(places[certain_rows], of)
        return sum_place_labels(
            places[certain_rows][inside_places], label[certain_rows][inside_places], ones[inside_places]
        )

    return Survey(
        partition.codes,
        len(partition.pages),
        int(inside.sum()),
        _group_by_language(label, size),
        scores,
        _group_by_language(np.concatenate([best[likely], other_languages]), size),
        _group_by_language(best, size),
        {name: _group_by_language(_first(ones), size) for name, ones in signals.items() if ones.weight},
        kinds,
        _estimate_steps(partition),
        of_places(partition.host, cut.hosts),
        of_places(partition.directory, cut.directories),
    )


def merge_surveys(parts: Iterable[Survey]) -> Survey:
    """Add up the surveys of several partitions."""
    surveys = list(parts)
    if not surveys:
        raise ValueError("there is no survey to merge")
    codes = surveys[0].codes
    if any(survey_part.codes != codes for survey_part in surveys):
        raise ValueError("the partitions have different languages; codes must be equal and in one order")

    def total(name: str) -> NDArray[np.int64]:
        return np.asarray(sum((getattr(survey_part, name) for survey_part in surveys[1:]), getattr(surveys[0], name)))

    names = sorted({name for survey_part in surveys for name in survey_part.signals})
    zeros = np.zeros(len(codes), np.int64)
    return Survey(
        codes,
        sum(survey_part.pages for survey_part in surveys),
        sum(survey_part.links for survey_part in surveys),
        total("label"),
        total("scores"),
        total("likely"),
        total("best"),
        {
            name: np.asarray(sum((survey_part.signals.get(name, zeros) for survey_part in surveys), zeros))
            for name in names
        },
        np.logical_or.reduce([survey_part.kinds for survey_part in surveys]),
        total("steps"),
        add_counts([survey_part.hosts_cut for survey_part in surveys]),
        add_counts([survey_part.directories_cut for survey_part in surveys]),
    )


def add_counts(parts: Iterable[PlaceLabels]) -> PlaceLabels:
    """Add up the counts of several partitions."""
    counts_list = list(parts)
    places = [np.repeat(counts.place, np.diff(counts.start)) for counts in counts_list]
    none = np.zeros(0, np.int64)
    return sum_place_labels(
        np.concatenate([none, *places]),
        np.concatenate([none.astype(np.int16), *(counts.language for counts in counts_list)]),
        np.concatenate([none, *(counts.pages for counts in counts_list)]),
    )


def _group_by_language(languages: NDArray[np.int16], size: int) -> NDArray[np.int64]:
    return np.bincount(languages[languages >= 0], minlength=size).astype(np.int64)


def _first(signal: Signal) -> NDArray[np.int16]:
    """Return the likely language of each page by a signal, else -1."""
    if not signal.languages.shape[1]:
        return np.full(len(signal.languages), -1, np.int16)
    return np.where(signal.probabilities[:, 0] >= LIKELY, signal.languages[:, 0], -1).astype(np.int16)


def _estimate_steps(partition: Partition) -> NDArray[np.int64]:
    """Estimate the cost of the links' features for each of ``LONGEST``; shape (5,)."""
    costs = np.zeros(len(LONGEST), np.int64)
    for ends in (partition.source, partition.target):
        inside = partition.is_inside(ends)
        degree = np.bincount(np.searchsorted(partition.pages, ends[inside]), minlength=len(partition.pages))
        for at, longest in enumerate(LONGEST):
            degrees = degree[degree <= longest].astype(np.int64)
            costs[at] += int((degrees * degrees).sum()) + 2 * int(degrees.sum())
    return costs


OF_HOST = 20_000  #: largest number of sampled links of a host
OF_ALL = 100_000  #: largest number of sampled links within hosts
BETWEEN = 30_000  #: largest number of sampled links between hosts
OF_CUT = 5_000  #: number of sampled links of each host that is cut

#: A link between two certain pages.
LINK = np.dtype([
    ("rank", "<u8"), ("host", "<i8"), ("key", "<u8"), ("source", "<i8"), ("target", "<i8"), ("between", "?"),
    ("kind", "u1"), ("a", "<i2"), ("b", "<i2"), ("features", "<f4", (len(NAMES),)),
])  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Rate:
    """Counts of right answers of a signal on certain pages: of all, and of hosts that are cut."""

    right: int  #: sum, in ``UNIT``
    pages: int
    hosts: NDArray[np.int64]  #: keys of the hosts that are cut, ascending, shape (h,)
    of_hosts: NDArray[np.int64]  #: sum and pages of each, shape (h, 2)


@dataclass(frozen=True, slots=True, eq=False)
class Observed:
    """The sample of some partitions, or of all."""

    links: NDArray[np.void]  #: sampled links, of ``LINK``, in order
    of_cut: NDArray[np.void]  #: links of hosts that are cut
    hosts: PlaceLabels  #: certain pages of the hosts of those links
    signals: Mapping[str, Rate]


def observe(partition: Partition, ghosts: Ghosts, survey: Survey, cut: Cut, options: Options) -> Observed:
    """Draw the sample of one partition."""
    here = make_local(partition, ghosts, survey.hosts_cut, survey.directories_cut)
    links, signals_read = read(here.graph, here.evidence, options)
    active = survey.active()
    tables = ScoreTables(here.evidence, active)
    label = assign_roles(tables, options).label
    inside = np.zeros(links.n, np.bool_)
    inside[here.own] = True
    numbers = np.flatnonzero(
        inside[links.source] & (label[links.source] >= 0) & (label[links.target] >= 0) & ~is_followed(links.kind)
    )
    rows = np.zeros(len(numbers), LINK)
    source, target = links.source[numbers], links.target[numbers]
    host = here.hosts[here.evidence.host]
    rows["source"], rows["target"] = here.ids[source], here.ids[target]
    rows["between"] = host[source] != host[target]
    rows["host"] = np.where(rows["between"], 0, host[source])
    rows["rank"], rows["key"] = hash_columns(rows["host"]), hash_columns(rows["source"], rows["target"])
    rows["kind"], rows["a"], rows["b"] = links.kind[numbers], active[label[source]], active[label[target]]
    drawn, of_cut = _draw(rows), _select_cut_hosts(rows, cut)
    features = EdgeFeatures(links, numbers.astype(np.int32)[:0], survey.longest(), here.elsewhere.degrees)
    for sample in (drawn, of_cut):
        rows["features"][sample] = features.compute(numbers[sample].astype(np.int32))
    certain_rows = np.flatnonzero(label[here.own] >= 0)
    of_links = np.setdiff1d(np.union1d(rows["host"][drawn], rows["host"][of_cut]), cut.hosts)
    certain_rows = certain_rows[np.isin(partition.host[certain_rows], of_links)]
    labels = active[label[here.own[certain_rows]]]
    counted = sum_place_labels(partition.host[certain_rows], labels, np.ones(len(certain_rows), np.int64))
    rates = {
        name: _compute_rate(tables, signal, label, here.own, host, cut)
        for name, signal in signals_read.items()
        if signal.weight
    }
    return Observed(rows[drawn], rows[of_cut], counted, rates)


def join_samples(parts: Iterable[Observed]) -> Observed:
    """Join the samples of several partitions to the sample of the whole collection."""
    samples = list(parts)
    links = np.concatenate([np.zeros(0, LINK), *(sample.links for sample in samples)])
    of_cut = np.concatenate([np.zeros(0, LINK), *(sample.of_cut for sample in samples)])
    links, of_cut = links[_draw(links)], of_cut[_select_lowest_keys(of_cut, OF_CUT)]
    hosts = add_counts([sample.hosts for sample in samples])
    hosts_named = np.union1d(links["host"], of_cut["host"])
    counts, entries = hosts.of(hosts_named)
    labels = sum_place_labels(np.repeat(hosts_named, counts), entries["language"], entries["pages"].astype(np.int64))
    names = sorted({name for sample in samples for name in sample.signals})
    rates = {name: _sum_rates([sample.signals[name] for sample in samples if name in sample.signals]) for name in names}
    return Observed(links, of_cut, labels, rates)


def hash_columns(*columns: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Hash columns of numbers.

    >>> found = hash_columns(np.array([1, 2, 1]), np.array([2, 1, 2]))
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


def _select_lowest_keys(rows: NDArray[np.void], limit: int) -> NDArray[np.int64]:
    """Return the rows of at most `limit` links of each host by their keys, hosts by rank."""
    order = np.lexsort((rows["target"], rows["source"], rows["key"], rows["host"], rows["rank"]))
    host = rows["host"][order]
    first = np.ones(len(order), np.bool_)
    first[1:] = host[1:] != host[:-1]
    start = np.maximum.accumulate(np.where(first, np.arange(len(order)), 0))
    return order[np.arange(len(order)) - start < limit]


def _draw(rows: NDArray[np.void]) -> NDArray[np.int64]:
    between = np.flatnonzero(rows["between"])
    within = np.flatnonzero(~rows["between"])
    of_hosts = within[_select_lowest_keys(rows[within], OF_HOST)[:OF_ALL]]
    return np.concatenate([of_hosts, between[_select_lowest_keys(rows[between], BETWEEN)]])


def _select_cut_hosts(rows: NDArray[np.void], cut: Cut) -> NDArray[np.int64]:
    within = np.flatnonzero(np.isin(rows["host"], cut.hosts) & ~rows["between"])
    return within[_select_lowest_keys(rows[within], OF_CUT)]


def _compute_rate(  # noqa: PLR0917  internal
    tables: ScoreTables,
    signal: Signal,
    label: NDArray[np.int16],
    own_rows: NDArray[np.int64],
    host: NDArray[np.int64],
    cut: Cut,
) -> Rate:
    certain_rows = own_rows[label[own_rows] >= 0]
    sums, pages = np.zeros((len(cut.hosts), 2), np.int64), 0
    right = 0
    for at in range(0, len(certain_rows), BLOCK):
        block = certain_rows[at : at + BLOCK]
        scores = tables.scores(block, signal)
        named = np.flatnonzero(scores.sum(axis=1) > 0)
        share = np.rint(scores[named, label[block[named]]] / UNIT).astype(np.int64)
        right, pages = right + int(share.sum()), pages + len(named)
        keys = host[block[named]]
        inside = np.isin(keys, cut.hosts)
        number = np.searchsorted(cut.hosts, keys[inside])
        np.add.at(sums, number, np.stack([share[inside], np.ones(len(number), np.int64)], axis=1))
    present = sums[:, 1] > 0
    return Rate(right, pages, cut.hosts[present], sums[present])


def _sum_rates(rates: list[Rate]) -> Rate:
    hosts = np.unique(np.concatenate([rate.hosts for rate in rates]))
    sums = np.zeros((len(hosts), 2), np.int64)
    for rate in rates:
        sums[np.searchsorted(hosts, rate.hosts)] += rate.of_hosts
    return Rate(sum(rate.right for rate in rates), sum(rate.pages for rate in rates), hosts, sums)


@dataclass(frozen=True, slots=True, eq=False)
class PartitionParameters:
    """Parameters for every partition; the size depends on the number of cut hosts, not of pages."""

    model: whole.Learned  #: of the cut hosts, numbered as in ``hosts``, and of all others together
    hosts: NDArray[np.int64]  #: keys of the cut hosts, ascending, shape (H,)
    of_hosts: PlaceLabels  #: certain pages of the cut hosts
    of_directories: PlaceLabels  #: certain pages of the cut directories

    def of(self, hosts: NDArray[np.int64]) -> whole.Learned:
        """Return the model for the hosts of a partition, by ascending keys."""
        rows = np.flatnonzero(np.isin(self.hosts, hosts, assume_unique=True))
        model = self.model
        numbers = np.searchsorted(hosts, self.hosts[rows]).astype(np.int32)
        return replace(
            model,
            hosts=numbers,
            sites=model.sites[rows],
            reliability={
                name: Reliability(reliability.overall, reliability.by_host[rows])
                for name, reliability in model.reliability.items()
            },
            compatibility=model.compatibility.select_hosts(rows),
        )


def learn(survey: Survey, observed: Observed, cut: Cut) -> PartitionParameters:
    """Learn from the surveys and samples of all partitions."""
    active = survey.active()
    if not len(active):
        raise ValueError("no evidence: no text or signal names a language")
    active_rows = np.where(active >= 0, active, 0)
    has_label = active >= 0
    scores, labels = (
        (survey.scores[active_rows] * has_label).astype(np.float64) * UNIT,
        survey.label[active_rows] * has_label,
    )
    collection = site_prior.compute_shares(scores, labels, survey.pages)
    columns = np.full(len(survey.codes), -1, np.int64)
    columns[active[has_label]] = np.flatnonzero(has_label)

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
    other_hosts = np.setdiff1d(drawn["host"][~drawn["between"]], cut.hosts)
    keys = np.concatenate([cut.hosts, other_hosts])
    order = np.argsort(keys, kind="stable")
    number = order[np.minimum(np.searchsorted(keys[order], drawn["host"]), max(len(keys) - 1, 0))] if len(keys) else 0
    group = np.where(drawn["between"], len(keys), number)
    of_cut = sites(survey.hosts_cut, cut.hosts)
    model = compatibility.learn_from_sample(
        compatibility.Sample(
            drawn["features"],
            drawn["kind"],
            columns[drawn["a"]],
            columns[drawn["b"]],
            group.astype(np.int64),
            of_sample,
        ),
        np.vstack([of_cut, sites(observed.hosts, other_hosts)]),
        collection,
        survey.kinds,
        survey.longest(),
        keep=len(cut.hosts),
    )
    rates = {name: _estimate_reliability(rate, cut) for name, rate in observed.signals.items()}
    learned = whole.Learned(
        survey.codes, active, np.arange(len(cut.hosts), dtype=np.int32), collection, of_cut, rates, model
    )
    return PartitionParameters(learned, cut.hosts, survey.hosts_cut, survey.directories_cut)


def _estimate_reliability(rate: Rate, cut: Cut) -> Reliability:
    overall = (rate.right * UNIT + SIGNAL_PSEUDO * USUAL) / (rate.pages + SIGNAL_PSEUDO)
    right, pages = np.zeros(len(cut.hosts)), np.zeros(len(cut.hosts))
    at = np.searchsorted(cut.hosts, rate.hosts)
    right[at], pages[at] = rate.of_hosts[:, 0] * UNIT, rate.of_hosts[:, 1]
    return Reliability(overall, (right + HOST_PSEUDO * overall) / (pages + HOST_PSEUDO))
