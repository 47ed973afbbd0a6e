"""What a page's place in lists says: pages list the versions of a text, and much else, in an order of their own.

A menu of translations names them in the same order on every page of a site (``de | en | fr | ja``), so that whoever
stands between German and French is most likely English. Menus, indexes and tables of contents have their order, too.
None of this needs more than the order of the links and some pages whose language is known: for each host we count how
often a page in language b comes next (or second, third, ...) behind one in language a, and how often before one.

    S(b) = prior of the host(b) x product over both sides of the mean over lists of P(a, d | b) / P(a, d)

with a the language of the nearest page in the list whose text is certain, or the end of the list, and d how far it is
away. The mean is of logarithms: lists that name a page agree with each other, for they are one template. A certain page
is judged without its own contribution to the counts, which shows how far the order can be relied on.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from graphlang.graph import native, sites, voices
from graphlang.graph.evidence import NONE
from graphlang.graph.text import softmax

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from graphlang.graph.evidence import Evidence
    from graphlang.graph.matrix import Links

KEEP = 8  #: languages of a page that are kept
FAR = 8  #: places from which on the distance no longer counts
SINGLE = 0.95  #: a host with so large a share of its certain pages in one language is left out: it has no such order
PSEUDO = 5.0  #: pages' worth of independence in the counts
LINKS = 1 << 24  #: links of the hosts that are looked at at once, if these are several
PAGES = 1 << 15  #: pages worked on at once
BITS = 1 << 32  #: so many contexts, possible or not, are numbered without sorting


def listed(
    links: Links, evidence: Evidence, certain: NDArray[np.bool_]
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Languages of each page by its places in lists, best first, and their probabilities; shape (n, KEEP) each.

    Only links within a host of several languages (``SINGLE``) count, and pages that no list names have no languages.

    Args:
        links: with places.
        evidence: whose texts and hosts tell what is known.
        certain: pages whose text is long and sure enough, shape (n,).
    """
    n = links.n
    languages, chances = np.full((n, KEEP), NONE, np.int16), np.zeros((n, KEEP), np.float32)
    best, _ = evidence.best()
    known = certain & (best >= 0)
    if links.place is None or not known.any():
        return languages, chances
    spoken, numbers = np.unique(best[known], return_inverse=True)
    label = np.full(n, NONE, np.int16)
    label[known] = numbers
    hosts, inverse = np.unique(evidence.host, return_inverse=True)
    host = inverse.astype(np.int32)
    everywhere = sites.collection(np.zeros(len(spoken)), label)
    prior = np.log(sites.distributions(label, host, len(hosts), everywhere[None]))
    keep = min(KEEP, len(spoken))
    for several in _parts(links, label, host, len(hosts), len(spoken)):
        before, behind = (_Side(links, label, host, several, len(spoken), backwards=way) for way in (False, True))
        named = np.flatnonzero(before.times)
        for at in range(0, len(named), PAGES):
            part = named[at : at + PAGES]
            said = softmax(prior[host[part]] + before.said(part) + behind.said(part))
            order = np.argsort(-said, axis=1, kind="stable")[:, :keep]
            languages[part, :keep] = spoken[order]
            chances[part, :keep] = np.minimum(np.take_along_axis(said, order, 1), 1)
    return languages, chances


def _parts(
    links: Links, label: NDArray[np.int16], host: NDArray[np.int32], hosts: int, size: int
) -> Iterator[NDArray[np.bool_]]:
    """Hosts of several languages, some at a time: no host depends on another, and memory goes with their links."""
    known = label >= 0
    pages = np.bincount(host[known].astype(np.int64) * size + label[known], minlength=hosts * size)
    pages = pages.reshape(hosts, size)
    several = np.flatnonzero(pages.max(axis=1) < SINGLE * pages.sum(axis=1))
    out = np.bincount(host, links.outdegree(), minlength=hosts)[several]
    part = np.cumsum(out) // LINKS
    for number in np.unique(part):
        chosen = np.zeros(hosts, np.bool_)
        chosen[several[part == number]] = True
        yield chosen


class _Side:
    """What comes before the pages in their lists, or behind them. A languages, c different contexts (host, a, d)."""

    def __init__(
        self,
        links: Links,
        label: NDArray[np.int16],
        host: NDArray[np.int32],
        several: NDArray[np.bool_],
        size: int,
        *,
        backwards: bool,
    ) -> None:
        hosts = len(several)
        page, key = _contexts(links, label, host, several, size, backwards=backwards)
        context, count = _numbered(key, hosts * FAR * (size + 1))
        self.label, self.host, self.size = label, host, size
        #: lists that name each page
        self.times = np.bincount(page, minlength=links.n)
        #: how often, of all the lists that name it, each page has each context; rows sum to 1
        self.shares = sparse.csr_matrix((np.ones(len(page)), (page, context)), shape=(links.n, count))
        row = np.repeat(np.arange(links.n, dtype=np.int32), np.diff(self.shares.indptr))
        self.shares.data /= self.times[row]
        said = label[row]
        known = said >= 0
        pairs = (self.shares.data[known], (self.shares.indices[known], said[known]))
        #: certain pages by context and language; a page counts as one, however many lists name it
        self.counts = sparse.csr_matrix(pairs, shape=(count, size))
        home = np.zeros(count, np.int64)
        home[context] = host[page]
        by_host = sparse.csr_matrix((np.ones(count), (home, np.arange(count))), shape=(hosts, count))
        self.totals = np.asarray((by_host @ self.counts).todense())
        seen = np.asarray(self.counts.sum(axis=1)).ravel() + 0.5
        #: share of each context among those of its host
        self.usual = PSEUDO * seen / np.asarray(by_host @ seen).ravel()[home]
        rows = np.repeat(np.arange(count), np.diff(self.counts.indptr))
        odds = np.log1p(self.counts.data / self.usual[rows])
        self.odds = sparse.csr_matrix((odds, self.counts.indices, self.counts.indptr), shape=self.counts.shape)

    def said(self, pages: NDArray[np.int64]) -> NDArray[np.float64]:
        """Mean of log P(context | b) / P(context) over the lists that name each page; shape (p, A)."""
        shares = self.shares[pages]
        named = self.times[pages] > 0
        found = np.asarray((shares @ self.odds).todense())
        found += np.where(named[:, None], np.log(PSEUDO / (self.totals[self.host[pages]] + PSEUDO)), 0)
        certain = np.flatnonzero(named & (self.label[pages] >= 0))
        if len(certain):
            found[certain, self.label[pages[certain]]] = self._without(pages[certain], shares[certain])
        return found

    def _without(self, pages: NDArray[np.int64], shares: sparse.csr_matrix) -> NDArray[np.float64]:
        """The same for the language of certain pages alone, as if they had not been counted."""
        row = np.repeat(np.arange(len(pages)), np.diff(shares.indptr))
        language = self.label[pages[row]].astype(np.int64)
        cells = np.repeat(np.arange(self.counts.shape[0]), np.diff(self.counts.indptr)) * self.size
        place = np.searchsorted(cells + self.counts.indices, shares.indices * np.int64(self.size) + language)
        others = np.maximum(self.counts.data[place] - shares.data, 0)
        total = np.maximum(self.totals[self.host[pages[row]], language] - 1, 0)
        odds = np.log((others / self.usual[shares.indices] + 1) * PSEUDO / (total + PSEUDO))
        return np.asarray(np.bincount(row, shares.data * odds, minlength=len(pages)), np.float64)


def _numbered(keys: NDArray[np.int64], below: int) -> tuple[NDArray[np.int32], int]:
    if below <= BITS:
        return voices.numbered(keys, below)
    different, numbers = np.unique(keys, return_inverse=True)
    return numbers.astype(np.int32), len(different)


class _Lists(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("pages", "links", "hosts", "languages", "far")),
        *((name, ctypes.c_void_p) for name in ("start", "target", "place", "host", "label", "several")),
    )


@cache
def _library() -> ctypes.CDLL:
    library = native.load("_listed")
    outcome = (native.INT64, ctypes.c_int64, native.INT32, native.INT64)
    library.graphlang_contexts.argtypes = [ctypes.POINTER(_Lists), ctypes.c_int, *outcome]
    library.graphlang_contexts.restype = ctypes.c_int64
    return library


def _contexts(
    links: Links,
    label: NDArray[np.int16],
    host: NDArray[np.int32],
    several: NDArray[np.bool_],
    size: int,
    *,
    backwards: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Targets of links, list by list, and the number of the context that each has there.

    A list is what a page links to on its own host, if that is one of ``several`` languages; links without a place are
    left out.

    Raises:
        ValueError: a page, host or language that is not there.
    """
    if links.place is None:
        raise ValueError("the links have no places")
    arrays: list[NDArray[Any]] = [links.start, links.target, links.place, host, label, several.view(np.uint8)]
    lengths = [links.n + 1, links.m, links.m, links.n, links.n, len(several)]
    if [len(array) for array in arrays] != lengths:
        raise ValueError("arrays that do not fit each other")
    kinds = (np.int64, np.int32, np.int16, np.int32, np.int16, np.uint8)
    given = _Lists(links.n, links.m, len(several), size, FAR, *native.pointers(arrays, kinds))
    page, key = np.empty(links.m, np.int32), np.empty(links.m, np.int64)
    longest = min(int(links.outdegree().max(initial=0)), links.m)
    count = _library().graphlang_contexts(given, backwards, np.empty(longest, np.int64), longest, page, key)
    if count < 0:
        raise ValueError("a page, host or language that is not there")
    return page[:count], key[:count]
