"""Why a page has its language: what each piece of evidence and each neighbour added to the log-odds of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph import text
from graphlang.graph.answer import Contribution, Trace
from graphlang.graph.evidence import NONE
from graphlang.graph.own import TINY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.propagate import Inference


def explain(inference: Inference, row: int, heard: NDArray[np.float64]) -> Trace:
    """What moved a page, in log-odds of its answer over its runner-up; the contributions sum to the final ones."""
    number = int(inference.own.number[row])
    if number < 0:
        full = text.columns(
            inference.evidence.languages[[row]],
            inference.evidence.probabilities[[row]],
            inference.playing,
            len(inference.evidence.codes),
        )
        final = text.sharpened(full, text.weight(inference.evidence.length[[row]]))[0]
        pieces: Mapping[str, NDArray[np.float32]] = {"text": np.log(np.maximum(final, TINY))}
    else:
        final = inference.opened(row, inference.final(heard, np.array([number]))[0])
        pieces = inference.own.pieces[row]
    if number >= 0:  # only languages that the page keeps have sums that are exact
        others = np.setdiff1d(np.arange(inference.size), inference.own.slots[number])
        final[others] = -1
    ranking = np.argsort(-final, kind="stable")
    best, second = int(ranking[0]), int(ranking[min(1, inference.size - 1)])

    def odds(scores: NDArray[np.floating]) -> float:
        return float(scores[best]) - float(scores[second])

    def likeliest(scores: NDArray[np.floating]) -> int:
        return int(inference.playing[scores.argmax()]) if np.ptp(scores) > 0 else NONE

    parts = [
        Contribution(name, NONE, NONE, likeliest(said), inference.weights.get(name, 1.0), odds(said))
        for name, said in pieces.items()
    ]
    inlinks = ("inlink", True, inference.target, inference.shares.along)
    outlinks = ("outlink", False, inference.source, inference.shares.against)
    for name, inward, ends, share in (inlinks, outlinks):
        part = np.flatnonzero(ends == row)
        sender = (inference.source if inward else inference.target)[part]
        shifts = inference.message(part, inward=inward).astype(np.float64)
        shifts *= inference.scale[row] * share[part][:, None]
        parts += [
            Contribution(
                name,
                int(neighbour),
                int(inference.links.kind[inference.wanted[link]]),
                likeliest(inference.believed(int(neighbour))),
                float(inference.couplings.keeps[link]),
                odds(shift),
            )
            for link, neighbour, shift in zip(part, sender, shifts, strict=True)
        ]
    return Trace(row, tuple(parts), sum(part.log_odds for part in parts), tuple(inference.path[row]))
