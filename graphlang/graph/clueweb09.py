"""ClueWeb09's rule for unfetched URLs: a URL may be in any language of the pages that link to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import sort_links
from graphlang.graph.data import NONE, Answer, make_answer
from graphlang.graph.vote import trace_vote

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.graph.data import Evidence, Graph

CLUEWEB09 = "clueweb09"  #: the rule's name as a method
MIN_BYTES = 400  #: referring pages with fewer bytes of text do not count
KEEP = 20  #: languages of a URL in an answer, most referring pages first; ``count_referring`` counts all


def count_referring(
    graph: Graph, language: NDArray[np.int16], size: NDArray[np.int32], languages: int, *, min_bytes: int = MIN_BYTES
) -> sparse.csr_matrix:
    """Count the referring pages of each page by language, shape (n, languages); each counted language is possible.

    `language` of each page (n,) is -1 if it has none. Pages with less than `min_bytes` of text (`size`, in bytes, (n,))
    do not count; 400 in ClueWeb09. Raise a ValueError if it is negative.
    """
    if min_bytes < 0:
        raise ValueError(f"min_bytes is {min_bytes}; it must not be negative")
    from scipy import sparse  # noqa: PLC0415 - slow to import, and only this rule needs it

    links = sort_links(graph)
    counts = (language[links.source] >= 0) & (size[links.source] >= min_bytes)
    pairs = (links.target[counts], language[links.source[counts]].astype(np.int32))
    return sparse.csr_matrix((np.ones(int(counts.sum()), np.int32), pairs), shape=(graph.n, languages))


def find_skipped(possible: sparse.csr_matrix, saturated: Collection[int]) -> NDArray[np.bool_]:
    """Return the pages that ClueWeb09's crawler would skip: no referring page is in a wanted language; shape (n,).

    A page without counted referring pages is skipped too, as in the rule ("the crawler skips a URL when no referring
    page is in a poorly crawled language"). `possible` is the result of ``count_referring``, `saturated` are the
    languages with enough pages.
    """
    is_wanted = np.ones(possible.shape[1], bool)
    is_wanted[list(saturated)] = False
    return np.equal(np.asarray(possible[:, is_wanted].sum(axis=1)).ravel(), 0)


def guess(
    graph: Graph,
    evidence: Evidence,
    size: NDArray[np.int32],
    fetched: NDArray[np.bool_],
    *,
    min_bytes: int = MIN_BYTES,
    trace: Sequence[int] = (),
) -> Answer:
    """Answer with ClueWeb09's rule: unfetched URLs get the languages of the pages that refer to them.

    The rule names a set of languages without order. Here the languages are sorted by the number of referring pages,
    then by code. The probability of each is its share of the referring pages; at most ``KEEP`` are returned. Fetched
    pages keep the answer of their text.

    Args:
        graph: the links.
        evidence: the texts.
        size: bytes of text of each page, shape (n,).
        fetched: pages that were fetched, shape (n,).
        min_bytes: referring pages with fewer bytes do not count; 400 in ClueWeb09.
        trace: rows to explain, as in ``vote.inlinks``.

    Raises:
        ValueError: ``min_bytes`` is negative, or graph and evidence have different numbers of pages.
    """
    if graph.n != evidence.n:
        raise ValueError(f"the graph has {graph.n} pages, the evidence {evidence.n}")
    language, _ = evidence.best()
    possible = count_referring(graph, language, size, len(evidence.codes), min_bytes=min_bytes)
    alphabetical = np.empty(len(evidence.codes), np.int64)
    alphabetical[sorted(range(len(evidence.codes)), key=evidence.codes.__getitem__)] = np.arange(len(evidence.codes))
    pairs = possible.tocoo()
    rows, columns, votes = pairs.row, pairs.col, pairs.data
    total = np.bincount(rows, votes, minlength=graph.n)
    order = np.lexsort((alphabetical[columns], -votes, rows))
    rows, columns, votes = rows[order], columns[order], votes[order]
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
    listed = (rank < KEEP) & ~fetched[rows]
    languages, probabilities = np.full((graph.n, KEEP), NONE, np.int16), np.zeros((graph.n, KEEP), np.float32)
    languages[rows[listed], rank[listed]] = columns[listed]
    probabilities[rows[listed], rank[listed]] = votes[listed] / total[rows[listed]]
    width = min(KEEP, evidence.languages.shape[1])
    languages[fetched, :width] = evidence.languages[fetched, :width]
    probabilities[fetched, :width] = evidence.probabilities[fetched, :width]
    result = make_answer(languages, probabilities)
    traces = []
    for row in trace:
        links = sort_links(graph)
        refers = (links.target == row) & (language[links.source] >= 0) & (size[links.source] >= min_bytes)
        refers &= not fetched[row]
        min_length = -1 if fetched[row] else 0
        voters, kinds = links.source[refers], links.kind[refers]
        traces.append(trace_vote(int(row), result, language, voters, kinds, evidence, min_length, inward=True))
    return make_answer(languages, probabilities, traces=traces)
