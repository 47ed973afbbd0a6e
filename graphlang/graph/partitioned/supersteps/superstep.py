"""One superstep: the inference on one partition, its ghosts being held at what they were last said to believe.

Each superstep starts from the evidence and not from what the last one came to: the equations may have several solutions
(see ``propagation.inference``), and one machine starts from the evidence as well. So a superstep has no memory but what
the borders believe, and repeating it changes nothing. Partitions whose borders answer each other may swing to and
fro: a page whose belief turns back is held back. Others creep: these leap ahead (``beliefs.Table.leapt``).

Which solution is come to depends on who speaks first. On one machine all pages hear all others from the first round on.
A partition that went on until its own pages agree would have made up its mind before it hears its neighbours', and with
several solutions it would keep to its own: so it takes two rounds in the first superstep, and twice as many in each
one after it.
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
    from graphlang.graph.propagation.options import Options
    from graphlang.graph.propagation.rounds import Exchange

INNER = 0.3  #: of the tolerance: rounds within a partition end later, so that borders can come to rest
LEAP, LAST = 4, 48  #: pages that creep leap ahead every so many supersteps, but for the last, which end in small steps
GROWTH = 2  #: rounds within a partition in superstep n are at most this to the power of n
STILL = 0.1  #: of the tolerance: a page that moved by less is not told anew


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What a partition comes to in a superstep."""

    border: Records  #: what its latent pages at the border believe, all of them
    moved: Records  #: those of them that have anything new to tell
    #: the largest move of a probability at the border; 1 if nothing was told before, or the partition was stopped early
    most: float
    trail: tuple[
        Records, ...
    ] = ()  #: of pages that move, what they told when superstep numbers were even, oldest first


def first(prepared: Prepared, options: Options) -> Step:
    """Superstep 0: what the pages at the border say for themselves.

    Args:
        prepared: before the ghosts said anything.
        options: weights and limits.
    """
    if not len(prepared.border):
        return Step(joined([]), joined([]), 0.0)
    exchange = prepared.exchange(joined([]), options)
    return _border(exchange, prepared, np.zeros(exchange.belief.shape), None, options)


def advance(prepared: Prepared, heard: Records, before: Step, number: int, options: Options) -> Step:
    """Another superstep.

    Args:
        prepared: when the ghosts had said what they are by themselves.
        heard: what the latent ghosts were last said to believe.
        before: what the partition came to in the superstep before.
        number: of the superstep, from 1.
        options: weights and limits.

    Raises:
        ValueError: arrays that do not fit each other.
    """
    if not len(prepared.border):  # nobody listens
        return replace(before, moved=joined([]), most=0.0)
    exchange = prepared.exchange(heard, options)
    rounds = min(options.rounds, GROWTH**number)
    outcome = exchange.run(rounds, options.tolerance * INNER)
    done = _border(exchange, prepared, outcome.incoming, before, options, leap=number % LEAP == 0 and number <= LAST)
    if rounds < options.rounds and not outcome.converged:  # it has more to say, whatever its border does
        done = replace(done, most=1.0)
    if number % 2:
        return replace(done, trail=before.trail)
    restless = done.moved.pages
    # A partition that was settled when others leapt has an older one, of a time since which nothing moved.
    trail = () if number % LEAP == 0 else tuple(one.of(restless) for one in before.trail[-1:])
    return replace(done, trail=(*trail, done.border.of(restless)))


def is_settled(most: float, news: int, options: Options) -> bool:
    """Whether another superstep would come to the same, so that it need not be taken.

    Args:
        most: what moved most at the partition's border in the last superstep, which was not number 0.
        news: how many of its ghosts had anything new to tell in that superstep.
        options: weights and limits.
    """
    return not news and most <= STILL * options.tolerance


def answer_of(prepared: Prepared, heard: Records, options: Options) -> Answer:
    """The answers of a partition's pages.

    Args:
        prepared: when the ghosts had said what they are by themselves.
        heard: what the latent ghosts believe in the end.
        options: weights and limits.
    """
    exchange = prepared.exchange(heard, options)
    outcome = exchange.run(options.rounds, options.tolerance * (INNER if len(prepared.ghosts) else 1))
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


def _border(
    exchange: Exchange,
    prepared: Prepared,
    incoming: NDArray[np.float64],
    before: Step | None,
    options: Options,
    *,
    leap: bool = False,
) -> Step:
    """Records of the latent pages at the border, those that moved, and by how much."""
    given, rows = exchange.potentials, prepared.border
    known = ~exchange.unreached()
    every, changed = [joined([])], [joined([])]
    largest = 0.0
    for at in range(0, len(rows), beliefs_.BLOCK):
        part = rows[at : at + beliefs_.BLOCK]
        pages = prepared.ids[part]
        table = _table(exchange, part, incoming, known)
        moves = np.ones(len(part), np.float32)
        if before is None:
            records = beliefs_.told(pages, table, given.active)
            changed.append(records)
            every.append(records)
        else:
            old = before.border.of(pages)
            last = beliefs_.last_told(old, pages, table, given.active)
            table, moves = table.moved_from(last)
            if leap and len(before.trail) > 1:
                earlier, later = (beliefs_.last_told(one.of(pages), pages, table, given.active) for one in before.trail)
                table = table.leapt(later, earlier, options.tolerance)
                moves = np.maximum(moves, np.abs(table.belief - last.belief).max(axis=1))
            new = moves > STILL * options.tolerance
            changed.append(beliefs_.told(pages, table, given.active).of(pages[new]))
            every.append(joined([changed[-1], old.of(pages[~new])]))
        largest = max(largest, float(moves.max(initial=0)))
    return Step(joined(every), joined(changed), largest)


def _table(
    exchange: Exchange, rows: NDArray[np.int64], incoming: NDArray[np.float64], known: NDArray[np.bool_]
) -> beliefs_.Table:
    """What some latent pages believe."""
    given = exchange.potentials
    numbers = given.number[rows].astype(np.int64)
    found = exchange.final(incoming, numbers)
    prior = given.prior.probability[given.prior.group[rows]]
    columns = given.candidates[numbers].astype(np.int64)
    unlisted = prior.copy()
    np.put_along_axis(unlisted, columns, 0, 1)
    left = unlisted.sum(axis=1)
    others = np.where(left > beliefs_.LEAST, found[:, -1] / np.maximum(left, beliefs_.LEAST), 0).astype(np.float32)
    belief = unlisted * others[:, None]
    np.put_along_axis(belief, columns, found[:, :-1], 1)
    zeros = np.zeros(len(rows), np.int16)
    return beliefs_.Table(belief, prior, others, known[rows], zeros.astype(np.uint8), zeros)
