"""ClueWeb09's rule for URLs not fetched yet: a URL may be in any language of the pages that refer to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import canonical
from graphlang.graph.data import NONE, Answer, answer
from graphlang.graph.vote import ballots

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.graph.data import Evidence, Graph

CLUEWEB09 = "clueweb09"  #: the rule's name as a method
MIN_BYTES = 400  #: shorter referring pages do not count
KEEP = 20  #: languages of a URL that an answer holds, the commonest; ``referred`` has all


def referred(
    graph: Graph, language: NDArray[np.int16], size: NDArray[np.int32], languages: int, *, min_bytes: int = MIN_BYTES
) -> sparse.csr_matrix:
    """How many referring pages of each language every page has; a language with any is possible.

    Args:
        graph: the links.
        language: language of each page, -1 none, shape (n,).
        size: bytes of text of each page; those below ``min_bytes`` do not count as referring pages, shape (n,).
        languages: number of languages.
        min_bytes: 400 in ClueWeb09.

    Returns:
        counts, shape (n, languages).

    Raises:
        ValueError: ``min_bytes`` is negative.
    """
    if min_bytes < 0:
        raise ValueError(f"min_bytes is {min_bytes}; it must not be negative")
    from scipy import sparse  # noqa: PLC0415 - only who asks for this rule needs it

    links = canonical(graph)
    counts = (language[links.source] >= 0) & (size[links.source] >= min_bytes)
    pairs = (links.target[counts], language[links.source[counts]].astype(np.int32))
    return sparse.csr_matrix((np.ones(int(counts.sum()), np.int32), pairs), shape=(graph.n, languages))


def skipped(possible: sparse.csr_matrix, saturated: Collection[int]) -> NDArray[np.bool_]:
    """Pages that ClueWeb09's crawler would not fetch: no referring page is in a language still wanted; shape (n,).

    A page that nothing counted refers to is skipped too, by the letter of the rule ("the crawler skips a URL when no
    referring page is in a poorly crawled language").

    Args:
        possible: how many referring pages of each language every page has, see ``referred``, shape (n, languages).
        saturated: numbers of the languages of which there is enough.
    """
    wanted = np.ones(possible.shape[1], bool)
    wanted[list(saturated)] = False
    return np.equal(np.asarray(possible[:, wanted].sum(axis=1)).ravel(), 0)


def guess(
    graph: Graph,
    evidence: Evidence,
    size: NDArray[np.int32],
    fetched: NDArray[np.bool_],
    *,
    min_bytes: int = MIN_BYTES,
    trace: Sequence[int] = (),
) -> Answer:
    """ClueWeb09's rule as a method: URLs not fetched yet have the languages of the pages that refer to them.

    The rule names a set of languages and none of them first. To answer with one, the languages stand by the number of
    referring pages, then by code, each with its share of these pages as the probability, ``KEEP`` at most. Pages that
    were fetched keep what their text says.

    Args:
        graph: the links.
        evidence: what every page says for itself.
        size: bytes of text of each page; those below ``min_bytes`` do not count as referring pages, shape (n,).
        fetched: pages that were fetched, shape (n,).
        min_bytes: 400 in ClueWeb09.
        trace: rows to explain, as in ``vote.inlinks``.

    Raises:
        ValueError: ``min_bytes`` is negative, or a graph and evidence of different numbers of pages.
    """
    if graph.n != evidence.n:
        raise ValueError(f"the graph has {graph.n} pages, the evidence {evidence.n}")
    language, _ = evidence.best()
    possible = referred(graph, language, size, len(evidence.codes), min_bytes=min_bytes)
    alphabetical = np.empty(len(evidence.codes), np.int64)
    alphabetical[sorted(range(len(evidence.codes)), key=evidence.codes.__getitem__)] = np.arange(len(evidence.codes))
    pairs = possible.tocoo()
    rows, columns, votes = pairs.row, pairs.col, pairs.data
    total = np.bincount(rows, votes, minlength=graph.n)
    order = np.lexsort((alphabetical[columns], -votes, rows))
    rows, columns, votes = rows[order], columns[order], votes[order]
    rank = np.arange(len(rows)) - np.searchsorted(rows, rows)
    kept = (rank < KEEP) & ~fetched[rows]
    languages, probabilities = np.full((graph.n, KEEP), NONE, np.int16), np.zeros((graph.n, KEEP), np.float32)
    languages[rows[kept], rank[kept]] = columns[kept]
    probabilities[rows[kept], rank[kept]] = votes[kept] / total[rows[kept]]
    width = min(KEEP, evidence.languages.shape[1])
    languages[fetched, :width] = evidence.languages[fetched, :width]
    probabilities[fetched, :width] = evidence.probabilities[fetched, :width]
    result = answer(languages, probabilities)
    traces = []
    for row in trace:
        links = canonical(graph)
        refers = (links.target == row) & (language[links.source] >= 0) & (size[links.source] >= min_bytes)
        refers &= not fetched[row]
        alone = -1 if fetched[row] else 0
        voters, kinds = links.source[refers], links.kind[refers]
        traces.append(ballots(int(row), result, language, voters, kinds, evidence, alone, inward=True))
    return answer(languages, probabilities, traces=traces)
