"""Reasons for the language of a page: the log-odds that each term and each neighbour added."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE, Contribution, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.propagation.rounds import Exchange, Outcome


def explain(exchange: Exchange, outcome: Outcome, weights: Mapping[str, float], row: int) -> Trace:
    """Return the contributions to a page's log-odds of answer over runner-up; they sum to the final ones.

    ``weights`` are those of the potential's terms, by name, default 1. ``row`` is one of the rows whose path was
    recorded.
    """
    potentials, active = exchange.potentials, exchange.potentials.active
    number = int(potentials.number[row])
    terms = potentials.terms[row]
    if number < 0:
        (final,) = terms.values()
    else:
        final = exchange.full_distribution(row, exchange.final_belief(outcome.incoming, np.array([number]))[0])
        # only candidates have exact sums
        final[np.setdiff1d(np.arange(len(active)), potentials.candidates[number])] = -1
    ranking = np.argsort(-final, kind="stable")
    best, second = int(ranking[0]), int(ranking[min(1, len(active) - 1)])

    def log_odds(logs: NDArray[np.floating]) -> float:
        return float(logs[best]) - float(logs[second])

    def most_likely(logs: NDArray[np.floating]) -> int:
        return int(active[logs.argmax()]) if np.ptp(logs) > 0 else NONE

    contributions = [
        Contribution(name, NONE, NONE, most_likely(logs), weights.get(name, 1.0), log_odds(logs))
        for name, logs in terms.items()
    ]
    edges = exchange.edges
    inlinks = ("inlink", True, edges.target, edges.source, exchange.weights.to_target)
    outlinks = ("outlink", False, edges.source, edges.target, exchange.weights.to_source)
    factor = 0.0 if number < 0 else _message_factor(exchange, outcome, number, best, second)
    for name, to_target, receivers, senders, weight in (inlinks, outlinks):
        links = np.flatnonzero(receivers == row)
        shifts = exchange.message(links, to_target=to_target).astype(np.float64)
        shifts *= factor * weight[links][:, None]
        contributions += [
            Contribution(
                name,
                int(senders[link]),
                int(edges.kind[link]),
                most_likely(exchange.belief_of(int(senders[link]))),
                float(edges.p_same[link]),
                log_odds(shift),
            )
            for link, shift in zip(links, shifts, strict=True)
        ]
    path = tuple((int(active[column]), probability) for column, probability in outcome.path[row])
    return Trace(row, tuple(contributions), sum(part.log_odds for part in contributions), path)


def _message_factor(exchange: Exchange, outcome: Outcome, number: int, best: int, second: int) -> float:
    """Return the factor of a latent page's incoming log-odds: its weight, and less where the bound applies."""
    places = np.searchsorted(exchange.potentials.candidates[number], [best, second])
    sums = outcome.incoming[number, places]
    if sums[0] == sums[1]:
        return float(exchange.neighbour_weight[exchange.potentials.latent[number]])
    bounded = exchange.neighbour_log_odds(outcome.incoming, np.array([number]))[0, places].astype(np.float64)
    return float((bounded[0] - bounded[1]) / (sums[0] - sums[1]))
