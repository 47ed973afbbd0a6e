"""What the position of links says: pages list the versions of a text, and much else, in an order of their own.

A menu of translations names them in the same order on every page of a site (``de | en | fr | ja``), so that whoever
stands between German and French is most likely English. Menus, indexes and tables of contents have their order, too.
None of this needs more than the order of the links and some pages whose language is certain. For each host we count how
often a page in language b comes next (or second, third, ...) behind one in language a, and how often before one.

    S(b) = prior of the host(b) x product over both sides of the mean over lists of P(a, d | b) / P(a, d)

with a the language of the nearest page in the list whose text is certain, or the end of the list, and d its distance.
The mean is of logarithms: lists that name a page agree with each other, for they are one template. A certain page is
judged without its own contribution to the counts, which shows how far the order can be relied on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import padded
from graphlang.graph.data import NONE
from graphlang.graph.native import link_order as _kernels
from graphlang.graph.propagation import messages, site_prior
from graphlang.numerics import distinct, numbered, softmax

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from graphlang.graph.adjacency import Links
    from graphlang.graph.data import Evidence


NAME = "link_order"  #: of the signal
KEEP = 8  #: languages of a page that are kept
FARTHEST = 8  #: distances from here on count as one
SINGLE = 0.95  #: a host with so large a share of its certain pages in one language is left out: it has no such order
PSEUDO = 5.0  #: pages' worth of independence in the counts
LINKS = 1 << 24  #: links of the hosts that are looked at at once, if these are several
PAGES = 1 << 15  #: pages worked on at once
BITS = 1 << 32  #: so many contexts, possible or not, are numbered without sorting


@dataclass(frozen=True, slots=True, eq=False)
class Usual:
    """Languages of the certain pages of a collection. A languages."""

    languages: NDArray[np.int16]  #: indices, ascending, shape (A,)
    shares: NDArray[np.float64]  #: a distribution, shape (A,)


def from_link_order(
    links: Links,
    evidence: Evidence,
    certain: NDArray[np.bool_],
    outside: NDArray[np.int32] | None = None,
    usual: Usual | None = None,
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Languages of each page by its positions in lists, best first, and their probabilities; shape (n, KEEP) each.

    Only links within a host of several languages (``SINGLE``) count, and pages that no list names have no languages.

    Args:
        links: with ordinals.
        evidence: whose texts and hosts tell what is known.
        certain: pages whose text is long and sure enough, shape (n,).
        outside: hosts of the pages that are left out.
        usual: languages of the collection of which these pages are a partition.
    """
    n = evidence.n
    languages, probabilities = np.full((n, KEEP), NONE, np.int16), np.zeros((n, KEEP), np.float32)
    best, _ = evidence.best()
    known = certain & (best >= 0)
    if links.ordinal is None or not known.any():
        return languages, probabilities
    named = distinct(best[known]) if usual is None else usual.languages
    label = np.full(links.n, NONE, np.int16)
    label[:n][known] = np.searchsorted(named, best[known])
    every = evidence.host if outside is None else np.concatenate([evidence.host, outside])
    several = _multilingual(evidence.host[known], label[:n][known], len(named))
    host = _numbers_of(every, several)
    del every
    everywhere = site_prior.collection(np.zeros(len(named)), label, links.pages) if usual is None else usual.shares
    log_prior = np.log(site_prior.distributions(label, host, len(several) + 1, everywhere[None]))
    keep = min(KEEP, len(named))
    for chosen in _together(links, host, len(several)):
        sides = [_Side(links, label, host, chosen, len(named), backwards=way) for way in (False, True)]
        listed = np.flatnonzero(np.diff(sides[0].start[: n + 1]))
        for at in range(0, len(listed), PAGES):
            part = listed[at : at + PAGES]
            found = softmax(log_prior[host[part]] + sides[0].log_ratio(part) + sides[1].log_ratio(part))
            order = np.argsort(-found, axis=1, kind="stable")[:, :keep]
            languages[part, :keep] = named[order]
            probabilities[part, :keep] = np.minimum(np.take_along_axis(found, order, 1), 1)
    return languages, probabilities


def _multilingual(host: NDArray[np.int32], label: NDArray[np.int16], size: int) -> NDArray[np.int32]:
    """Hosts of several languages, ascending, given host and language of each certain page."""
    hosts, inverse = numbered(host)
    pages = np.bincount(inverse.astype(np.int64) * size + label, minlength=len(hosts) * size).reshape(len(hosts), size)
    several: NDArray[np.int32] = hosts[pages.max(axis=1) < SINGLE * pages.sum(axis=1)]
    return several


def _numbers_of(host: NDArray[np.int32], hosts: NDArray[np.int32]) -> NDArray[np.int32]:
    """The number of each page's host among some hosts, S; S itself where it is none of them."""
    at = np.searchsorted(hosts, host)
    return np.where(padded(hosts, len(hosts) + 1, NONE)[at] == host, at, len(hosts)).astype(np.int32)


def _together(links: Links, host: NDArray[np.int32], hosts: int) -> Iterator[NDArray[np.bool_]]:
    """Some hosts at a time: no host depends on another, and memory goes with their links."""
    out = np.bincount(host, np.diff(links.out_start), minlength=hosts)[:hosts]
    part = np.cumsum(out) // LINKS
    for number in distinct(part):
        yield np.append(part == number, False)  # none of the others


class _Side:
    """What comes before the pages in their lists, or behind them. A languages, c different contexts (host, a, d)."""

    def __init__(
        self,
        links: Links,
        label: NDArray[np.int16],
        host: NDArray[np.int32],
        chosen: NDArray[np.bool_],
        size: int,
        *,
        backwards: bool,
    ) -> None:
        hosts = len(chosen)
        page, key = contexts(links, label, host, chosen, size, backwards=backwards)
        context, count = _numbered(key, hosts * FARTHEST * (size + 1))
        del key
        home = np.zeros(count, np.int64)
        home[context] = host[page]
        if links.outside:  # lists name them as well, but nobody asks for them, and their language is not known
            inside = page < links.inside
            page, context = page[inside], context[inside]
            label, host = label[: links.inside], host[: links.inside]
        self.label, self.host, self.size = label, host, size
        #: how often, of all the lists that name it, each page has each context: those of page p, which sum to 1, stand
        #: from start[p] to start[p + 1] - 1
        self.start, self.context, self.share = _shares(page, context, links.inside, count)
        del page, context
        #: certain pages by context and language; a page counts as one, however many lists name it
        self.first, self.named, self.counts = _counts(self.start, self.context, self.share, label, count, size)
        rows = np.repeat(np.arange(count), np.diff(self.first))
        cells = home[rows] * size + self.named
        #: certain pages by host and language, shape (H, A)
        self.totals = np.bincount(cells, self.counts, minlength=hosts * size).reshape(hosts, size)
        seen = np.bincount(rows, self.counts, minlength=count) + 0.5
        #: share of each context among those of its host, times ``PSEUDO``; shape (c,)
        self.usual = PSEUDO * seen / np.bincount(home, seen, minlength=hosts)[home]
        self.log_ratios = np.log1p(self.counts / self.usual[rows])
        self._cells = rows * size + self.named  # ascending

    def log_ratio(self, pages: NDArray[np.int64]) -> NDArray[np.float64]:
        """Mean of log P(context | b) / P(context) over the lists that name each page; shape (p, A)."""
        listed = self.start[pages + 1] > self.start[pages]
        found = np.zeros((len(pages), self.size))
        sizes, of_pages = (len(self.start) - 1, len(self.usual)), (self.start, self.context, self.share)
        _kernels.link_ratios(*sizes, *of_pages, self.first, self.named, self.log_ratios, pages, found)
        found += np.where(listed[:, None], np.log(PSEUDO / (self.totals[self.host[pages]] + PSEUDO)), 0)
        certain = np.flatnonzero(listed & (self.label[pages] >= 0))
        if len(certain):
            found[certain, self.label[pages[certain]]] = self._without(pages[certain])
        return found

    def _without(self, pages: NDArray[np.int64]) -> NDArray[np.float64]:
        """The same for the language of certain pages alone, as if they had not been counted."""
        sizes = self.start[pages + 1] - self.start[pages]
        row = np.repeat(np.arange(len(pages)), sizes)
        own = np.arange(len(row)) + (self.start[pages] - np.cumsum(sizes) + sizes)[row]
        context, share = self.context[own], self.share[own]
        language = self.label[pages[row]].astype(np.int64)
        at = np.searchsorted(self._cells, context * np.int64(self.size) + language)
        others = np.maximum(self.counts[at] - share, 0)
        total = np.maximum(self.totals[self.host[pages[row]], language] - 1, 0)
        ratio = np.log((others / self.usual[context] + 1) * PSEUDO / (total + PSEUDO))
        return np.asarray(np.bincount(row, share * ratio, minlength=len(pages)), np.float64)


def _shares(
    page: NDArray[np.int32], context: NDArray[np.int32], pages: int, contexts: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    start = np.empty(pages + 1, np.int64)
    found, share = np.empty(len(page), np.int32), np.empty(len(page))
    count = _kernels.link_shares(pages, page, context, start, found, share, np.zeros(contexts, np.uint32))
    return start, found[:count], share[:count]


def _counts(  # noqa: PLR0917  internal
    start: NDArray[np.int64],
    context: NDArray[np.int32],
    share: NDArray[np.float64],
    label: NDArray[np.int16],
    contexts: int,
    size: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
    first = np.empty(contexts + 1, np.int64)
    named, counts = np.empty(len(context), np.int32), np.empty(len(context))
    number = _kernels.link_counts(contexts, start, context, share, label, first, named, counts, np.zeros(size))
    return first, named[:number], counts[:number]


def _numbered(keys: NDArray[np.int64], below: int) -> tuple[NDArray[np.int32], int]:
    if below <= BITS:
        return messages.numbered(keys, below)
    different, numbers = np.unique(keys, return_inverse=True)
    return numbers.astype(np.int32), len(different)


def contexts(
    links: Links,
    label: NDArray[np.int16],
    host: NDArray[np.int32],
    chosen: NDArray[np.bool_],
    size: int,
    *,
    backwards: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Targets of links, list by list, and the number of the context that each has there.

    A list is what a page links to on its own host, if that is one of the chosen; links without an ordinal are left out.

    Args:
        links: with ordinals.
        label: language of each certain page, 0..A-1, -1 for the others, shape (n,).
        host: of each page, 0..H-1, shape (n,).
        chosen: hosts whose lists count, shape (H,).
        size: A.
        backwards: count what comes behind the pages; else what comes before them.

    Returns:
        pages and contexts, shape (c,) each. The context is (host x FARTHEST + d - 1) x (A + 1) + a, with a = A at the
        end of a list.

    Raises:
        ValueError: the links have no ordinals; a page, host or language outside its range.
    """
    if links.ordinal is None:
        raise ValueError("the links have no ordinals")
    page, key = np.empty(links.m, np.int32), np.empty(links.m, np.int64)
    room = np.empty(min(int(np.diff(links.out_start).max(initial=0)), links.m), np.int64)
    given = (links.out_start, links.target, links.ordinal, host, label, chosen)
    count = _kernels.link_contexts(size, FARTHEST, backwards, *given, room, page, key)
    return page[:count], key[:count]
