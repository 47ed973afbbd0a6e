"""Label spreading, as a baseline: each page's score is a mean of its own score and those of its neighbours.

Zhou, Bousquet, Lal, Weston and Schoelkopf, "Learning with local and global consistency" (2004), on the undirected
graph: F <- a S F + (1 - a) Y with S = D^-1/2 A D^-1/2. It assumes that every link keeps the language. (The harmonic
function of Zhu, Ghahramani and Lafferty 2003 differs: it clamps the labelled nodes.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import sort_links
from graphlang.graph.data import NONE, Answer, make_answer
from graphlang.graph.tables import score_table

if TYPE_CHECKING:
    from graphlang.graph.data import Evidence, Graph

KEEP = 5


def label_spreading(
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
