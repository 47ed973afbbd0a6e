"""Signal from the position of links: lists name the versions of a text, and much else, in a constant order.

A menu of translations names them in the same order on every page of a site (``de | en | fr | ja``), so a page named
between German and French is most likely English. Menus, indexes and tables of contents have an order, too. The signal
needs only the order of links and some pages with certain text. For each host it counts how often a page in language b
follows one in language a in a list (as next, second next, ...), and how often it precedes one.

    S(b) = prior of the host(b) x product over both sides of the mean over lists of P(a, d | b) / P(a, d)

with a the language of the nearest certain page in the list, or the end of the list, and d its distance. The mean is
geometric: lists that name a page come from one template and agree. A certain page is scored without its own
contribution to the counts, so that the reliability of the signal can be measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import pad_values
from graphlang.graph.data import NONE
from graphlang.graph.native import link_order as _kernels
from graphlang.graph.propagation import messages, site_prior
from graphlang.numerics import find_distinct, number_distinct, softmax

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import SortedLinks
    from graphlang.graph.data import Evidence


NAME = "link_order"  #: name of the signal
KEEP = 8  #: languages per page in the signal
FARTHEST = 8  #: greater distances count as this one
SINGLE = 0.95  #: hosts with this share of certain pages in one language have no order and are ignored
PSEUDO = 5.0  #: pseudo-counts of independence of context and language
LINKS = 1 << 24  #: links handled at a time, or those of a single host
PAGES = 1 << 15  #: pages handled at a time
BITS = 1 << 32  #: up to this many possible contexts are numbered without sorting


@dataclass(frozen=True, slots=True, eq=False)
class Usual:
    """Language distribution of the certain pages of a collection; A languages."""

    languages: NDArray[np.int16]  #: indices, ascending, shape (A,)
    shares: NDArray[np.float64]  #: a distribution, shape (A,)


def infer_from_order(
    links: SortedLinks,
    evidence: Evidence,
    certain: NDArray[np.bool_],
    outside: NDArray[np.int32] | None = None,
    usual: Usual | None = None,
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Return the best languages of each page by its positions in lists, and their probabilities; shape (n, KEEP) each.

    Only links with ordinals within multilingual hosts count; pages in no list have no languages. `certain` pages (n,)
    have certain text, `outside` are hosts of the excluded pages. `usual` is the language distribution of the
    collection, if these pages are a partition of it.
    """
    n = evidence.n
    languages, probabilities = np.full((n, KEEP), NONE, np.int16), np.zeros((n, KEEP), np.float32)
    best, _ = evidence.best()
    labelled = certain & (best >= 0)
    if links.ordinal is None or not labelled.any():
        return languages, probabilities
    present = find_distinct(best[labelled]) if usual is None else usual.languages
    label = np.full(links.n, NONE, np.int16)
    label[:n][labelled] = np.searchsorted(present, best[labelled])
    all_hosts = evidence.host if outside is None else np.concatenate([evidence.host, outside])
    multilingual = _find_multilingual(evidence.host[labelled], label[:n][labelled], len(present))
    host = _find_host_index(all_hosts, multilingual)
    del all_hosts
    distribution = (
        site_prior.compute_collection_shares(np.zeros(len(present)), label, links.pages)
        if usual is None
        else usual.shares
    )
    log_prior = np.log(site_prior.compute_group_shares(label, host, len(multilingual) + 1, distribution[None]))
    keep = min(KEEP, len(present))
    for chosen in _group_hosts(links, host, len(multilingual)):
        sides = [_Side(links, label, host, chosen, len(present), backwards=backwards) for backwards in (False, True)]
        listed = np.flatnonzero(np.diff(sides[0].start[: n + 1]))
        for at in range(0, len(listed), PAGES):
            pages = listed[at : at + PAGES]
            scores = softmax(log_prior[host[pages]] + sides[0].log_ratio(pages) + sides[1].log_ratio(pages))
            order = np.argsort(-scores, axis=1, kind="stable")[:, :keep]
            languages[pages, :keep] = present[order]
            probabilities[pages, :keep] = np.minimum(np.take_along_axis(scores, order, 1), 1)
    return languages, probabilities


def _find_multilingual(host: NDArray[np.int32], label: NDArray[np.int16], size: int) -> NDArray[np.int32]:
    """Return the multilingual hosts, ascending, from host and language of each certain page."""
    hosts, inverse = number_distinct(host)
    pages = np.bincount(inverse.astype(np.int64) * size + label, minlength=len(hosts) * size).reshape(len(hosts), size)
    multilingual: NDArray[np.int32] = hosts[pages.max(axis=1) < SINGLE * pages.sum(axis=1)]
    return multilingual


def _find_host_index(host: NDArray[np.int32], hosts: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the index of each page's host in ``hosts``; their number for other hosts."""
    at = np.searchsorted(hosts, host)
    return np.where(pad_values(hosts, len(hosts) + 1, NONE)[at] == host, at, len(hosts)).astype(np.int32)


def _group_hosts(links: SortedLinks, host: NDArray[np.int32], hosts: int) -> Iterator[NDArray[np.bool_]]:
    """Yield masks of hosts, in groups whose links fit in memory; hosts do not depend on each other."""
    out = np.bincount(host, np.diff(links.out_start), minlength=hosts)[:hosts]
    group = np.cumsum(out) // LINKS
    for number in find_distinct(group):
        yield np.append(group == number, False)  # the last entry is for other hosts


class _Side:
    """Contexts (host, a, d) before or behind pages in lists. A languages, c distinct contexts."""

    def __init__(
        self,
        links: SortedLinks,
        label: NDArray[np.int16],
        host: NDArray[np.int32],
        chosen: NDArray[np.bool_],
        size: int,
        *,
        backwards: bool,
    ) -> None:
        hosts = len(chosen)
        page, key = list_contexts(links, label, host, chosen, size, backwards=backwards)
        context, count = _number_keys(key, hosts * FARTHEST * (size + 1))
        del key
        home = np.zeros(count, np.int64)
        home[context] = host[page]
        if links.outside:  # excluded pages need no answer
            inside = page < links.inside
            page, context = page[inside], context[inside]
            label, host = label[: links.inside], host[: links.inside]
        self.label, self.host, self.size = label, host, size
        #: share of each context in the lists that name a page: page p has start[p]..start[p + 1] - 1, which sum to 1
        self.start, self.context, self.share = _compute_shares(page, context, links.inside, count)
        del page, context
        #: certain pages by context and language; each page counts once, in any number of lists
        self.first, self.languages, self.counts = _count_contexts(
            self.start, self.context, self.share, label, count, size
        )
        rows = np.repeat(np.arange(count), np.diff(self.first))
        cells = home[rows] * size + self.languages
        #: certain pages by host and language, shape (H, A)
        self.totals = np.bincount(cells, self.counts, minlength=hosts * size).reshape(hosts, size)
        seen = np.bincount(rows, self.counts, minlength=count) + 0.5
        #: share of each context on its host, times ``PSEUDO``; shape (c,)
        self.usual = PSEUDO * seen / np.bincount(home, seen, minlength=hosts)[home]
        self.log_ratios = np.log1p(self.counts / self.usual[rows])
        self._cells = rows * size + self.languages  # ascending

    def log_ratio(self, pages: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the mean of log P(context | b) / P(context) over the lists of each page; shape (p, A)."""
        listed = self.start[pages + 1] > self.start[pages]
        ratios = np.zeros((len(pages), self.size))
        sizes, page_arrays = (len(self.start) - 1, len(self.usual)), (self.start, self.context, self.share)
        _kernels.link_ratios(*sizes, *page_arrays, self.first, self.languages, self.log_ratios, pages, ratios)
        ratios += np.where(listed[:, None], np.log(PSEUDO / (self.totals[self.host[pages]] + PSEUDO)), 0)
        certain = np.flatnonzero(listed & (self.label[pages] >= 0))
        if len(certain):
            ratios[certain, self.label[pages[certain]]] = self._leave_out(pages[certain])
        return ratios

    def _leave_out(self, pages: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return `log_ratio` for the language of certain pages, without their own counts; shape (p,)."""
        sizes = self.start[pages + 1] - self.start[pages]
        row = np.repeat(np.arange(len(pages)), sizes)
        entries = np.arange(len(row)) + (self.start[pages] - np.cumsum(sizes) + sizes)[row]
        context, share = self.context[entries], self.share[entries]
        language = self.label[pages[row]].astype(np.int64)
        at = np.searchsorted(self._cells, context * np.int64(self.size) + language)
        counts = np.maximum(self.counts[at] - share, 0)
        total = np.maximum(self.totals[self.host[pages[row]], language] - 1, 0)
        ratio = np.log((counts / self.usual[context] + 1) * PSEUDO / (total + PSEUDO))
        return np.asarray(np.bincount(row, share * ratio, minlength=len(pages)), np.float64)


def _compute_shares(
    page: NDArray[np.int32], context: NDArray[np.int32], pages: int, contexts: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    start = np.empty(pages + 1, np.int64)
    contexts_of_pages, share = np.empty(len(page), np.int32), np.empty(len(page))
    count = _kernels.link_shares(pages, page, context, start, contexts_of_pages, share, np.zeros(contexts, np.uint32))
    return start, contexts_of_pages[:count], share[:count]


def _count_contexts(  # noqa: PLR0917  internal
    start: NDArray[np.int64],
    context: NDArray[np.int32],
    share: NDArray[np.float64],
    label: NDArray[np.int16],
    contexts: int,
    size: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    first = np.empty(contexts + 1, np.int64)
    languages, counts = np.empty(len(context), np.int32), np.empty(len(context))
    number = _kernels.link_counts(contexts, start, context, share, label, first, languages, counts, np.zeros(size))
    return first, languages[:number], counts[:number]


def _number_keys(keys: NDArray[np.int64], below: int) -> tuple[NDArray[np.int32], int]:
    if below <= BITS:
        return messages.number_keys(keys, below)
    different, numbers = np.unique(keys, return_inverse=True)
    return numbers.astype(np.int32), len(different)


def list_contexts(
    links: SortedLinks,
    label: NDArray[np.int16],
    host: NDArray[np.int32],
    chosen: NDArray[np.bool_],
    size: int,
    *,
    backwards: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """List the targets of links, list by list, with the number of their context, shape (c,) each.

    A list is the targets of a page on its own host, if that is one of the `chosen` hosts (H,); links without ordinal
    are ignored. `label` is the language of each certain page (n,), 0..A-1 with A the `size`, else -1. The context is
    (host x FARTHEST + d - 1) x (A + 1) + a, with a = A at the end of a list; with `backwards` it is that of the pages
    behind each target, else before it. Raise a ValueError without ordinals, or for a page, host or language outside its
    range.
    """
    if links.ordinal is None:
        raise ValueError("the links have no ordinals")
    page, key = np.empty(links.m, np.int32), np.empty(links.m, np.int64)
    scratch = np.empty(min(int(np.diff(links.out_start).max(initial=0)), links.m), np.int64)
    arrays = (links.out_start, links.target, links.ordinal, host, label, chosen)
    count = _kernels.link_contexts(size, FARTHEST, backwards, *arrays, scratch, page, key)
    return page[:count], key[:count]
