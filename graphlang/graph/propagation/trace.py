"""Why a page has its language: what each term and each neighbour added to the log-odds of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE, Contribution, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.propagation.rounds import Exchange, Outcome


def explain(exchange: Exchange, outcome: Outcome, weights: Mapping[str, float], row: int) -> Trace:
    """What moved a page, in log-odds of its answer over its runner-up; the contributions sum to the final ones.

    Args:
        exchange: after its rounds.
        outcome: where they ended.
        weights: of the terms of the potentials, by name; 1 where there is none.
        row: the page, one of those that the rounds followed.
    """
    given, active = exchange.potentials, exchange.potentials.active
    number = int(given.number[row])
    terms = given.terms[row]
    if number < 0:
        (final,) = terms.values()
    else:
        final = exchange.full_distribution(row, exchange.final(outcome.incoming, np.array([number]))[0])
        # only the sums of candidates are exact
        final[np.setdiff1d(np.arange(len(active)), given.candidates[number])] = -1
    ranking = np.argsort(-final, kind="stable")
    best, second = int(ranking[0]), int(ranking[min(1, len(active) - 1)])

    def log_odds(logs: NDArray[np.floating]) -> float:
        return float(logs[best]) - float(logs[second])

    def most_likely(logs: NDArray[np.floating]) -> int:
        return int(active[logs.argmax()]) if np.ptp(logs) > 0 else NONE

    parts = [
        Contribution(name, NONE, NONE, most_likely(logs), weights.get(name, 1.0), log_odds(logs))
        for name, logs in terms.items()
    ]
    edges = exchange.edges
    inlinks = ("inlink", True, edges.target, edges.source, exchange.weights.to_target)
    outlinks = ("outlink", False, edges.source, edges.target, exchange.weights.to_source)
    heed = 0.0 if number < 0 else _heed(exchange, outcome, number, best, second)
    for name, to_target, receivers, senders, weight in (inlinks, outlinks):
        links = np.flatnonzero(receivers == row)
        shifts = exchange.message(links, to_target=to_target).astype(np.float64)
        shifts *= heed * weight[links][:, None]
        parts += [
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
    return Trace(row, tuple(parts), sum(part.log_odds for part in parts), path)


def _heed(exchange: Exchange, outcome: Outcome, number: int, best: int, second: int) -> float:
    """What a latent page's incoming log-odds are multiplied by: its weight, and less where they exceed the bound."""
    places = np.searchsorted(exchange.potentials.candidates[number], [best, second])
    sums = outcome.incoming[number, places]
    if sums[0] == sums[1]:
        return float(exchange.neighbour_weight[exchange.potentials.latent[number]])
    heard = exchange.neighbour_log_odds(outcome.incoming, np.array([number]))[0, places].astype(np.float64)
    return float((heard[0] - heard[1]) / (sums[0] - sums[1]))
