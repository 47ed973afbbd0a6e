"""One superstep: a round of the inference on one partition, its ghosts being held at what they said they believe.

The equations may have several solutions (see ``propagation.inference``), and which one is come to depends on who speaks
when. On one machine all pages hear all others in every round. So they do here: a superstep is a round, it goes on where
the last one ended, and the supersteps end when the rounds of one machine would, or as soon after it as every page that
evidence reaches has heard of it, one border in a superstep. What differs is the last digit of sums that were added up
in another order, and that a page at rest, which one machine does not look at, is damped less as time goes by.

A superstep depends on nothing but where the last one ended and what the ghosts believe: repeating it changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.partitioned.records import Records, joined
from graphlang.graph.partitioned.supersteps import beliefs as beliefs_
from graphlang.graph.propagation.inference import answered
from graphlang.graph.result import Answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.partitioned.supersteps.prepared import Prepared
    from graphlang.graph.propagation.motion import Motion
    from graphlang.graph.propagation.options import Options

STILL = 0.1  #: of the tolerance: a page that moved by less since it was told is not told anew


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What a partition comes to in a superstep."""

    border: Records  #: what its latent pages at the border were last said to believe, all of them
    moved: Records  #: those of them that have anything new to tell
    #: how far one of its pages is at most from what it hears, 0 if none is at the border; 1 at first, and as long as
    #: something comes to be known of pages at the border of which nothing was
    most: float
    motion: Motion  #: where its latent pages stand


def first(prepared: Prepared, options: Options) -> Step:
    """Superstep 0: what the pages at the border say for themselves.

    Args:
        prepared: when the ghosts had said which languages they may be in.
        options: weights and limits.
    """
    exchange = prepared.exchange(joined([]), options)
    motion = exchange.at_rest()
    said = _said(prepared, prepared.border, motion, ~exchange.unreached()[prepared.border])
    return Step(said, said, float(len(prepared.border) > 0), motion)


def advance(prepared: Prepared, heard: Records, before: Step, options: Options) -> Step:
    """Another superstep.

    Args:
        prepared: as for `first`.
        heard: what the latent ghosts were last said to believe.
        before: what the partition came to in the superstep before.
        options: weights and limits.

    Raises:
        ValueError: arrays that do not fit each other.
    """
    if not len(prepared.border):  # nobody listens
        return replace(before, moved=joined([]), most=0.0)
    exchange = prepared.exchange(heard, options)
    motion = before.motion.copy()
    outcome = exchange.run(1, options.tolerance, motion=motion)
    known, most = ~exchange.unreached(), outcome.largest
    every, changed = [joined([])], [joined([])]
    for at in range(0, len(prepared.border), beliefs_.BLOCK):
        rows = prepared.border[at : at + beliefs_.BLOCK]
        pages = prepared.ids[rows]
        old, new = before.border.of(pages), _said(prepared, rows, motion, known[rows])
        last, now = _heard(prepared, rows, old), motion.belief[prepared.potentials.number[rows]]
        found = known[rows] != last.known
        if found.any():  # pages behind them, of which nothing is known either, have to be told
            most = 1.0
        moved = pages[found | (np.abs(now - last.belief).max(axis=1) > STILL * options.tolerance)]
        changed.append(new.of(moved))
        every.append(joined([changed[-1], old.of(np.setdiff1d(pages, moved, assume_unique=True))]))
    return Step(joined(every), joined(changed), most, motion)


def is_settled(most: float, news: int, options: Options) -> bool:
    """Whether another superstep would come to the same, so that it need not be taken.

    Args:
        most: of the partition's last step.
        news: how many of its ghosts had anything new to tell in that superstep.
        options: weights and limits.
    """
    return not news and most <= STILL * options.tolerance


def answer_of(prepared: Prepared, heard: Records, motion: Motion | None, options: Options) -> Answer:
    """The answers of a partition's pages.

    Args:
        prepared: as for `first`.
        heard: what the latent ghosts believe in the end.
        motion: where its latent pages stand; None where nothing was said across borders.
        options: weights and limits.
    """
    exchange = prepared.exchange(heard, options)
    rounds = 1 if len(prepared.border) and motion is not None else options.rounds  # nor does it go ahead in the end
    outcome = exchange.run(rounds, options.tolerance, motion=None if motion is None else motion.copy())
    return _of_rows(answered(exchange, outcome, options), prepared.own)


def _of_rows(every: Answer, rows: NDArray[np.int64]) -> Answer:
    return Answer(
        every.language[rows],
        every.confidence[rows],
        every.runner_up[rows],
        every.runner_up_confidence[rows],
        every.languages[rows],
        every.probabilities[rows],
        every.rounds,
        every.converged,
    )


def _table(prepared: Prepared, rows: NDArray[np.int64], motion: Motion, known: NDArray[np.bool_]) -> beliefs_.Table:
    """What some latent pages believe."""
    given = prepared.potentials
    numbers = given.number[rows]
    candidates = given.candidates[numbers]
    prior = beliefs_.usual(candidates, given.prior.probability, given.prior.group[rows])
    return beliefs_.Table(candidates, motion.belief[numbers], prior, known)


def _said(prepared: Prepared, rows: NDArray[np.int64], motion: Motion, known: NDArray[np.bool_]) -> Records:
    found = [joined([])]
    for at in range(0, len(rows), beliefs_.BLOCK):
        part = slice(at, at + beliefs_.BLOCK)
        table = _table(prepared, rows[part], motion, known[part])
        found.append(beliefs_.told(prepared.ids[rows[part]], table, len(prepared.potentials.active)))
    return joined(found)


def _heard(prepared: Prepared, rows: NDArray[np.int64], said: Records) -> beliefs_.Table:
    """What was said of some latent pages, as those hear it that have them as ghosts."""
    kept, prior = prepared.potentials.candidates.shape[1], prepared.potentials.prior
    return beliefs_.heard(said, kept, prior.probability, prior.group[rows])
