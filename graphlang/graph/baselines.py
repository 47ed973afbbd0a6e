"""Baselines of papers: the top-level domain, label spreading, and ClueWeb09's rule.

*Top-level domain*: languages by training (Hayati 2004) or by official languages (Baykan 2008).

*Label spreading*: each page's score is a mean of its own score and those of its neighbours. Zhou, Bousquet, Lal, Weston
and Schoelkopf, "Learning with local and global consistency" (2004), on the undirected graph: F <- a S F + (1 - a) Y
with S = D^-1/2 A D^-1/2. It assumes that every link keeps the language. (The harmonic function of Zhu, Ghahramani and
Lafferty 2003 differs: it clamps the labelled nodes.)

*ClueWeb09's rule* for unfetched URLs: a URL may be in any language of the pages that link to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import sort_links
from graphlang.graph.data import NONE, Answer, make_answer
from graphlang.graph.tables import score_table
from graphlang.graph.vote import trace_vote

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray
    from scipy import sparse

    from graphlang.graph.data import Evidence, Graph

KEEP = 5  #: languages per page in the answer
ENGLISH = "eng"
ENGLISH_TERRITORIES = ("au", "ie", "nz", "us", "gov", "mil", "gb", "uk")  #: Baykan et al. 2008, section 3.2
ALSO_ENGLISH = ("com", "org")  #: what ccTLD+ adds


def answer_from_domain(
    tld: NDArray[np.int32], language: NDArray[np.int16], languages: int, trusted: NDArray[np.bool_] | None = None
) -> Answer:
    """TOP-LEVEL DOMAIN (Hayati 2004, algorithm 5.2), trained on the collection itself.

    Training finds the most frequent language of each top-level domain, and every page gets the language of its domain.
    Two cases are not in the paper: ties go to the lowest number, and a domain without trained pages has no language.

    Args:
        tld: number of each page's top-level domain, -1 none, shape (n,).
        language: each page's language by its text, -1 none, shape (n,).
        languages: number of languages.
        trusted: pages to train on, shape (n,); default: all pages with a language.

    Returns:
        an Answer; the confidence is the share of the language among the trained pages of the domain.

    >>> import numpy as np
    >>> a = answer_from_domain(np.int32([0, 0, 0, 1, -1]), np.int16([4, 4, 2, -1, 3]), 5)
    >>> a.language.tolist(), [round(float(c), 2) for c in a.confidence]
    ([4, 4, 4, -1, -1], [0.67, 0.67, 0.67, 0.0, 0.0])
    """
    seen = (tld >= 0) & (language >= 0)
    if trusted is not None:
        seen &= trusted
    domains = int(tld.max(initial=-1)) + 1
    key = tld[seen].astype(np.int64) * languages + language[seen]
    counts = np.bincount(key, minlength=domains * languages).reshape(domains, languages)
    keep = min(KEEP, languages)
    order = np.argsort(-counts, axis=1, kind="stable")[:, :keep]
    total = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    shares = np.take_along_axis(counts, order, 1) / total
    # an empty last row for pages without a domain (index -1)
    order = np.vstack([order, np.full((1, keep), NONE)])
    shares = np.vstack([shares, np.zeros((1, keep))])
    return make_answer(order[tld].astype(np.int16), shares[tld].astype(np.float32))


def answer_from_territory(
    tlds: Sequence[str],
    tld: NDArray[np.int32],
    codes: Sequence[str],
    official: Mapping[str, Sequence[str]],
    *,
    plus: bool = False,
) -> Answer:
    """Country code top-level domains (Baykan, Henzinger, Weber 2008, section 3.2): ccTLD, and ccTLD+ with ``plus``.

    A page gets the first official language of the country of its domain. The paper lists the domains of five
    languages; ``official`` lists those of the world. As in the paper, ``gov`` and ``mil`` are English, and with
    ``plus`` also ``com`` and ``org``.

    Args:
        tlds: names of the top-level domains, lower case, without a dot.
        tld: index into ``tlds`` for each page, -1 none, shape (n,).
        codes: ISO 639-3 codes; the answer holds indices into them.
        official: the languages of each ccTLD, most speakers first.
        plus: count com and org as English.

    Returns:
        an Answer. The i-th of k official languages (from 1) has probability 2^-i, and the last two have the same. The
        paper assigns one language to each domain.
    """
    index = {code: i for i, code in enumerate(codes)}
    english = {*ENGLISH_TERRITORIES, *(ALSO_ENGLISH if plus else ())}
    languages = np.full((len(tlds) + 1, KEEP), NONE, np.int16)
    shares = np.zeros((len(tlds) + 1, KEEP), np.float32)
    for row, name in enumerate(tlds):
        names = [ENGLISH] if name in english else list(official.get(name, ()))
        names = [code for code in names if code in index][:KEEP]
        for rank, code in enumerate(names):
            languages[row, rank] = index[code]
            shares[row, rank] = 0.5 ** min(rank + 1, len(names) - 1)
    return make_answer(languages[tld], shares[tld])


def spread_labels(
    graph: Graph, evidence: Evidence, *, alpha: float = 0.85, rounds: int = 50, tolerance: float = 1e-3
) -> Answer:
    """Spread the content scores over the links, ignoring their direction and kind.

    Args:
        graph: the links.
        evidence: the content scores.
        alpha: share of the neighbours in each round.
        rounds: cap on rounds.
        tolerance: converged when no score moves by more.

    Returns:
        an Answer whose probabilities are each page's scores divided by their sum.

    Raises:
        ValueError: alpha outside 0..1, or graph and evidence have different numbers of pages.
    """
    if not 0 <= alpha <= 1:
        raise ValueError(f"alpha is {alpha}; it must be from 0 to 1")
    if graph.n != evidence.n:
        raise ValueError(f"the graph has {graph.n} pages, the evidence {evidence.n}")
    n = graph.n
    languages, probabilities = np.asarray(evidence.languages), np.asarray(evidence.probabilities)
    active = np.unique(languages[probabilities > 0]).astype(np.int16)
    if not len(active):
        return make_answer(np.full((n, KEEP), NONE, np.int16), np.zeros((n, KEEP), np.float32), rounds=0)
    links = sort_links(graph)
    initial = score_table(languages, probabilities, active, len(evidence.codes)).astype(np.float32)
    weights = np.ones(links.m, np.float32)
    from scipy import sparse  # noqa: PLC0415 - slow to import, and only this algorithm needs it

    directed = sparse.csr_matrix((weights, (links.source, links.target)), shape=(n, n))
    undirected = directed.maximum(directed.T).tocsr()
    degree = np.asarray(undirected.sum(axis=1)).ravel()
    root = sparse.diags_array((1 / np.sqrt(np.maximum(degree, 1))).astype(np.float32))
    spread = (root @ undirected @ root).tocsr()
    score, done, converged = initial.copy(), 0, False
    while done < rounds and not converged:
        update = np.float32(alpha) * (spread @ score) + np.float32(1 - alpha) * initial
        converged = bool(np.abs(update - score).max() <= tolerance)
        score, done = update, done + 1
    total = score.sum(axis=1, keepdims=True)
    score = np.divide(score, total, out=np.zeros_like(score), where=total > 0)
    order = np.argsort(-score, axis=1, kind="stable")[:, :KEEP]
    return make_answer(active[order], np.take_along_axis(score, order, 1), rounds=done, converged=converged)


CLUEWEB09 = "clueweb09"  #: the rule's name as a method
MIN_BYTES = 400  #: referring pages with fewer bytes of text do not count
MOST = 20  #: languages of a URL in an answer, most referring pages first; ``count_referring`` counts all


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


def guess_unfetched(
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
    then by code. The probability of each is its share of the referring pages; at most ``MOST`` are returned. Fetched
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
    listed = (rank < MOST) & ~fetched[rows]
    languages, probabilities = (
        np.full((graph.n, MOST), NONE, np.int16),
        np.zeros((graph.n, MOST), np.float32),
    )
    languages[rows[listed], rank[listed]] = columns[listed]
    probabilities[rows[listed], rank[listed]] = votes[listed] / total[rows[listed]]
    width = min(MOST, evidence.languages.shape[1])
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
