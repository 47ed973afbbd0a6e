"""Evidence from the position of links (see `graphlang.graph.propagation.link_order`) on hosts that are cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import sort_links
from graphlang.graph.data import NONE, Graph, Signal
from graphlang.graph.partitioned.borders import find_certain, make_local
from graphlang.graph.partitioned.learning import UNIT
from graphlang.graph.propagation import link_order, site_prior
from graphlang.graph.propagation.link_order import FARTHEST, KEEP, PSEUDO, SINGLE, Usual
from graphlang.numerics import softmax

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from graphlang.graph.options import Options
    from graphlang.graph.partitioned.borders import Ghosts
    from graphlang.graph.partitioned.learning import Survey
    from graphlang.graph.partitioned.partition import Cut, Partition

SIDES = 2  #: before a page in its lists, and behind it


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Contexts of pages in lists, with the number of lists; q distinct rows."""

    pages: NDArray[np.int64]  #: ids, ascending, shape (q,)
    #: (side x FARTHEST + distance - 1) x (C + 1) + language of the nearest certain page, C at the end of a list; (q,)
    context: NDArray[np.int64]
    lists: NDArray[np.int64]  #: how many, shape (q,)

    def of(self, pages: NDArray[np.int64]) -> Places:
        """Return the places of some pages."""
        rows = np.isin(self.pages, pages)
        return Places(self.pages[rows], self.context[rows], self.lists[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Counts:
    """Pages by host (if cut), context and language; q distinct rows."""

    host: NDArray[np.int64]  #: keys, ascending, shape (q,)
    context: NDArray[np.int64]  #: see ``Places``, shape (q,)
    language: NDArray[np.int64]  #: of certain pages in that context, -1 all pages, shape (q,)
    pages: NDArray[np.int64]  #: pages in ``UNIT``; a page in several contexts has a share in each, shape (q,)


def find_usual_languages(survey: Survey) -> Usual:
    """Return the languages of the certain pages of a collection."""
    languages = np.flatnonzero(survey.label).astype(np.int16)
    none = np.zeros(len(languages))
    return Usual(
        languages,
        site_prior.compute_shares(none, survey.label[languages], survey.pages) if len(languages) else none,
    )


def add_places(parts: Iterable[Places]) -> Places:
    """Add up the places that several partitions found."""
    all_of = [Places(*np.zeros((3, 0), np.int64)), *parts]
    page, context = (np.concatenate([getattr(places, name) for places in all_of]) for name in ("pages", "context"))
    (page, context), lists = _sum_by_key((page, context), np.concatenate([places.lists for places in all_of]))
    return Places(page, context, lists)


def add_list_counts(parts: Iterable[Counts]) -> Counts:
    """Add up the counts of several partitions."""
    all_of = [Counts(*np.zeros((4, 0), np.int64)), *parts]
    names = ("host", "context", "language")
    keys = tuple(np.concatenate([getattr(counts, name) for counts in all_of]) for name in names)
    (host, context, language), pages = _sum_by_key(keys, np.concatenate([counts.pages for counts in all_of]))
    return Counts(host, context, language, pages)


def find_multilingual(survey: Survey) -> NDArray[np.int64]:
    """Return the keys of cut, multilingual hosts, ascending; other hosts have no order."""
    of = survey.hosts_cut
    pages = np.add.reduceat(of.pages, of.start[:-1]) if len(of.place) else of.pages
    largest = np.maximum.reduceat(of.pages, of.start[:-1]) if len(of.place) else of.pages
    return of.place[largest < SINGLE * pages]


def find_lists(partition: Partition, ghosts: Ghosts, survey: Survey, options: Options) -> Places:
    """Return the contexts in which a partition's lists name pages of cut, multilingual hosts."""
    hosts = find_multilingual(survey)
    if not len(hosts) or not options.link_order or not np.isin(partition.host, hosts).any():
        return add_places([])
    here = make_local(partition, ghosts, survey.hosts_cut, survey.directories_cut)
    own_rows = np.zeros(here.graph.n, np.bool_)
    own_rows[here.own] = True
    graph = here.graph
    own_pages = own_rows[graph.source]
    ends = graph.source[own_pages], graph.target[own_pages]
    ordinal = None if graph.ordinal is None else graph.ordinal[own_pages]
    links = sort_links(Graph(graph.n, *ends, graph.kind[own_pages], graph.hreflang[own_pages], None, ordinal))
    usual = find_usual_languages(survey)
    best, probability = here.evidence.best()
    sure = here.evidence.long(options.certain_length) & (probability >= options.certain)
    label = _find_columns(np.where(sure, best, NONE).astype(np.int16), usual)
    chosen = np.isin(here.hosts, hosts)
    targets = []
    size, codes = len(usual.languages), len(partition.codes)
    for side in range(SIDES):
        counts = (links, label, here.evidence.host, chosen, size)
        page, key = link_order.list_contexts(*counts, backwards=bool(side))
        distance, language = np.divmod(key % (FARTHEST * (size + 1)), size + 1)
        named = np.append(usual.languages.astype(np.int64), codes)[language]
        context = (side * FARTHEST + distance) * (codes + 1) + named
        (pages, contexts), many = _sum_by_key((here.ids[page], context), np.ones(len(page), np.int64))
        targets.append(Places(pages, contexts, many))
    return add_places(targets)


def count(partition: Partition, places: Places, survey: Survey, options: Options) -> Counts:
    """Count the contexts of a partition's pages."""
    rows, shares = _compute_shares(partition, places, len(partition.codes))
    label = find_certain(partition, options)[rows].astype(np.int64)
    host = partition.host[rows]
    certain_rows = np.flatnonzero((label >= 0) & np.isin(label, find_usual_languages(survey).languages))
    amount = np.rint(shares / UNIT).astype(np.int64)
    hosts = np.concatenate([host, host[certain_rows]])
    contexts = np.concatenate([places.context, places.context[certain_rows]])
    languages = np.concatenate([np.full(len(host), NONE, np.int64), label[certain_rows]])
    return add_list_counts([Counts(hosts, contexts, languages, np.concatenate([amount, amount[certain_rows]]))])


def add_link_order(  # noqa: PLR0917  internal
    partition: Partition, ghosts: Ghosts, places: Places, counts: Counts, survey: Survey, cut: Cut, options: Options
) -> Partition:
    """Add the evidence of positions in lists to a partition as one more signal."""
    usual = find_usual_languages(survey)
    if not options.link_order or not len(usual.languages):
        return partition
    here = make_local(partition, ghosts, survey.hosts_cut, survey.directories_cut)
    links = sort_links(here.graph)
    sure = here.evidence.long(options.certain_length) & (here.evidence.best()[1] >= options.certain)
    languages, probabilities = link_order.infer_from_order(links, here.evidence, sure, usual=usual)
    languages, probabilities = languages[here.own], probabilities[here.own]
    separate = np.isin(partition.host, cut.hosts)
    languages[separate], probabilities[separate] = NONE, 0
    rows, shares = _compute_shares(partition, places, len(partition.codes))
    label = _find_columns(find_certain(partition, options), usual)
    for host in np.unique(partition.host[rows]):
        model = _Host(host, counts, survey, usual)
        rows_cut = np.flatnonzero(partition.host[rows] == host)
        pages, at = np.unique(rows[rows_cut], return_inverse=True)
        logs = model.logs(at, places.context[rows_cut], shares[rows_cut], label[pages])
        order = np.argsort(-logs, axis=1, kind="stable")[:, :KEEP]
        languages[pages[:, None], np.arange(order.shape[1])] = usual.languages[order]
        share = np.minimum(np.take_along_axis(softmax(logs), order, 1), 1)
        probabilities[pages[:, None], np.arange(order.shape[1])] = share
    signal = Signal(languages, probabilities, options.link_order)
    return replace(partition, signals={**partition.signals, link_order.NAME: signal})


class _Host:
    """Order of links on a cut host; A languages, c contexts."""

    def __init__(self, host: np.int64, counts: Counts, survey: Survey, usual: Usual) -> None:
        self._size, self._codes = len(usual.languages), len(survey.codes)
        first, stop = (int(np.searchsorted(counts.host, host, side)) for side in ("left", "right"))
        span = slice(first, stop)
        self._contexts = np.unique(counts.context[span])
        row = np.searchsorted(self._contexts, counts.context[span])
        named = counts.language[span] >= 0
        column = np.searchsorted(usual.languages, counts.language[span][named])
        self._counts = np.zeros((len(self._contexts), self._size))
        self._counts[row[named], column] = counts.pages[span][named] * UNIT
        side = self._contexts // (FARTHEST * (self._codes + 1))
        seen = self._counts.sum(axis=1) + 0.5
        self._usual = PSEUDO * seen / np.maximum(np.bincount(side, seen, minlength=SIDES), 1e-9)[side]
        self._side = side
        self._totals = np.stack([self._counts[side == number].sum(axis=0) for number in range(SIDES)])
        self._ratios = np.log1p(self._counts / self._usual[:, None])
        _, entries = survey.hosts_cut.of(np.array([host]))
        pages = np.zeros(self._size)
        pages[np.searchsorted(usual.languages, entries["language"])] = entries["pages"]
        self._prior = np.log((pages + site_prior.PAGES * usual.shares) / (pages.sum() + site_prior.PAGES))

    def logs(
        self,
        page: NDArray[np.int64],
        context: NDArray[np.int64],
        share: NDArray[np.float64],
        label: NDArray[np.int16],
    ) -> NDArray[np.float64]:
        """Return log-probabilities of some pages up to a constant; shape (p, A)."""
        at = np.searchsorted(self._contexts, context)
        side = self._side[at]
        logs = np.tile(self._prior, (len(label), 1))
        by_side = np.zeros((SIDES, len(label), self._size))
        np.add.at(by_side, (side, page), share[:, None] * self._ratios[at])
        listed = np.zeros((SIDES, len(label)), np.bool_)
        listed[side, page] = True
        by_side += np.where(listed[:, :, None], np.log(PSEUDO / (self._totals + PSEUDO))[:, None], 0)
        # a certain page is scored without its own counts
        is_known = np.flatnonzero(label[page] >= 0)
        column = label[page[is_known]]
        other_pages = np.maximum(self._counts[at[is_known], column] - share[is_known], 0)
        total = np.maximum(self._totals[side[is_known], column] - 1, 0)
        ratio = np.log((other_pages / self._usual[at[is_known]] + 1) * PSEUDO / (total + PSEUDO))
        without = np.zeros((SIDES, len(label)))
        np.add.at(without, (side[is_known], page[is_known]), share[is_known] * ratio)
        for place in range(SIDES):
            rows = np.flatnonzero(listed[place] & (label >= 0))
            by_side[place, rows, label[rows]] = without[place, rows]
        logs += by_side.sum(axis=0)
        return logs


def _find_columns(language: NDArray[np.int16], usual: Usual) -> NDArray[np.int16]:
    """Return the number of each certain page's language among the usual ones, else -1."""
    at = np.searchsorted(usual.languages, language)
    present = (np.append(usual.languages, NONE)[at] == language) & (language >= 0)
    return np.where(present, at, NONE).astype(np.int16)


def _compute_shares(partition: Partition, places: Places, codes: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the row of each place's page, and the share of the place in the lists on its side of the page."""
    rows = np.searchsorted(partition.pages, places.pages)
    side = places.context // (FARTHEST * (codes + 1))
    key = rows * SIDES + side
    total = np.bincount(key, places.lists, minlength=len(partition.pages) * SIDES)
    return rows, places.lists / np.maximum(total[key], 1)


def _sum_by_key(
    keys: tuple[NDArray[np.int64], ...], values: NDArray[np.int64]
) -> tuple[tuple[NDArray[np.int64], ...], NDArray[np.int64]]:
    """Add up the values of equal keys; return them in ascending order of the keys."""
    if not len(values):
        return keys, values
    order = np.lexsort(keys[::-1])
    ordered = tuple(key[order] for key in keys)
    new = np.ones(len(order), np.bool_)
    new[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in ordered])
    first = np.flatnonzero(new)
    return tuple(key[first] for key in ordered), np.add.reduceat(values[order], first)
