"""The language of every page from its own evidence and its neighbours' beliefs, round by round."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphlang.graph.answer import Answer, Contribution, Trace, answer
from graphlang.graph.evidence import NONE
from graphlang.graph.matrix import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.evidence import Evidence, Graph

KEEP = 5


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the inference.

    Raises:
        ValueError: a number that is negative or none.
    """

    rounds: int = 30  #: cap on rounds
    tolerance: float = 1e-3  #: converged when no belief moves by more in a round
    strength: float = 1.0  #: weight of the neighbours; 0 leaves the text alone
    degree: float = 6.0  #: neighbours beyond so many only share their weight
    certain: float = 0.9  #: couplings are learned from pages whose text is at least so sure ...
    certain_length: int = 150  #: ... and at least so long

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (np.isfinite(value) and value >= 0):
                raise ValueError(f"{field.name} is {value}; it must be a number that is not negative")


def propagate(graph: Graph, evidence: Evidence, *, options: Options | None = None, trace: Sequence[int] = ()) -> Answer:
    """Infer the language of every page."""
    options = options or Options()
    if graph.n != evidence.n:
        raise ValueError(f"the graph has {graph.n} pages, the evidence {evidence.n}")
    n, count = evidence.n, len(evidence.codes)
    if not n or not count:
        return answer(np.full((n, KEEP), NONE, np.int16), np.zeros((n, KEEP), np.float32))
    links = canonical(graph)
    scores = np.zeros((n, count))
    rows, ranks = np.nonzero((evidence.languages >= 0) & (evidence.probabilities > 0))
    scores[rows, evidence.languages[rows, ranks]] = evidence.probabilities[rows, ranks]
    known = scores.sum(1) > 0
    best, sure = evidence.best()
    certain = (sure >= options.certain) & (evidence.length >= options.certain_length)
    weight = np.minimum(0.5 + evidence.length / 50, 8.0)[:, None]
    own = np.where(known[:, None], np.log(scores * (1 - 1e-4) + 1e-4 / count), 0.0) * weight
    prior = 1 / count
    both = certain[links.source] & certain[links.target]
    same = both & (best[links.source] == best[links.target])
    hosts = int(evidence.host.max()) + 1
    home = evidence.host[links.source]
    total, kept = np.bincount(home[both], minlength=hosts), np.bincount(home[same], minlength=hosts)
    overall = (kept.sum() + 8 * 0.9) / (total.sum() + 8)
    coupling = np.clip((kept + 4 * overall) / (total + 4), 0.02, 0.98)[home][:, None]
    gather = [
        (links.source, sparse.csr_matrix((np.ones(links.m), (links.target, np.arange(links.m))), (n, links.m))),
        (links.target, sparse.csr_matrix((np.ones(links.m), (links.source, np.arange(links.m))), (n, links.m))),
    ]
    degree = links.indegree() + links.outdegree()
    scale = options.strength * np.minimum(1.0, options.degree / np.maximum(degree, 1))[:, None]
    belief = _softmax(own)
    history = [belief]
    converged = False
    rounds = 0
    while rounds < options.rounds and not converged:
        rounds += 1
        heard = sum(matrix @ _message(belief[giver], coupling, prior) for giver, matrix in gather)
        moved = 0.5 * belief + 0.5 * _softmax(own + scale * heard)
        converged = bool(np.abs(moved - belief).max() <= options.tolerance)
        belief = moved
        history.append(belief)
    silent = ~known & (np.ptp(belief, axis=1) < 1e-6)  # noqa: PLR2004  nothing was heard
    belief[silent] = 0
    order = np.argsort(-belief, axis=1, kind="stable")[:, :KEEP]
    top = np.take_along_axis(belief, order, 1).astype(np.float32)
    traces = []
    for row in trace:
        a, b = (int(x) for x in order[row, :2]) if count > 1 else (0, 0)
        parts = [
            Contribution("text", NONE, NONE, int(best[row]), float(weight[row, 0]), float(own[row, a] - own[row, b]))
        ]
        for name, giver, taker in (("inlink", links.source, links.target), ("outlink", links.target, links.source)):
            for i in np.flatnonzero(taker == row):
                message = _message(belief[giver[i]][None], coupling[i], prior)[0] * scale[row]
                said = int(belief[giver[i]].argmax()) if belief[giver[i]].max() > 0 else NONE
                parts.append(
                    Contribution(
                        name,
                        int(giver[i]),
                        int(links.kind[i]),
                        said,
                        float(coupling[i, 0]),
                        float(message[a] - message[b]),
                    )
                )
        path = tuple((int(h[row].argmax()), float(h[row].max())) for h in history)
        traces.append(Trace(row, tuple(parts), sum(p.log_odds for p in parts), path))
    return answer(order.astype(np.int16), top, rounds=rounds, converged=converged, traces=traces)


def _message(belief: NDArray[np.float64], coupling: NDArray[np.float64], prior: float) -> NDArray[np.float64]:
    return np.asarray(np.log(coupling * belief / prior + (1 - coupling) * (1 - belief) / (1 - prior + 1e-12) + 1e-12))


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))
