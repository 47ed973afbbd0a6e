"""One superstep: the inference on one partition, its ghosts being held at what they were last said to believe.

Each superstep starts from the evidence and not from what the last one came to: the equations may have several solutions
(see ``propagation.inference``), and one machine starts from the evidence as well. So a superstep has no memory but what
the borders believe, and repeating it changes nothing. Partitions whose borders answer each other may swing to and
fro: a page whose belief turns back is held back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.adjacency import reached_by_evidence
from graphlang.graph.data import NONE
from graphlang.graph.partitioned import beliefs as beliefs_
from graphlang.graph.partitioned.ready import ready_of
from graphlang.graph.partitioned.records import Records, joined
from graphlang.graph.propagation.inference import KEEP, answered, prepare
from graphlang.graph.propagation.options import Options
from graphlang.graph.result import Answer, answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.partitioned.introduce import Ghosts
    from graphlang.graph.partitioned.learn import Learned
    from graphlang.graph.partitioned.local import Local
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.partitioned.ready import Ready
    from graphlang.graph.propagation.rounds import Exchange

INNER = 0.3  #: of the tolerance: rounds within a partition end later, so that borders can come to rest
STILL = 0.1  #: of the tolerance: a page that moved by less is not told anew


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What a partition comes to in a superstep."""

    pages: NDArray[np.int64]  #: ids, ascending, shape (n,)
    answer: Answer  #: of these pages; nothing is said in superstep 0
    border: Records  #: what its latent pages at the border believe, all of them
    moved: Records  #: those of them that have anything new to tell
    most: float  #: the largest move of a probability at the border; 1 if nothing was told before


def superstep(
    partition: Partition,
    learned: Learned,
    ghosts: Ghosts,
    beliefs: Records | None,
    before: Records | None,
    *,
    number: int,
    options: Options | None = None,
) -> Step:
    """Infer the languages of a partition's pages.

    Args:
        partition: sorted.
        learned: of the whole collection.
        ghosts: what is known of its neighbours.
        beliefs: what ghosts were last said to believe, in superstep ``number - 1``; None in superstep 0.
        before: what the partition said of its own pages then; None in superstep 0.
        number: of the superstep. Number 0 only says what the pages at the border say for themselves.
        options: weights and limits.

    Raises:
        ValueError: arrays that do not fit each other.
    """
    options = options or Options()
    if number == 0 and not len(partition.border()):
        return Step(partition.pages, _no_answer(len(partition.pages)), joined([]), joined([]), 0.0)
    return advance(ready_of(partition, learned, ghosts, options), beliefs, before, number=number, options=options)


def advance(
    ready: Ready, beliefs: Records | None, before: Records | None, *, number: int, options: Options | None = None
) -> Step:
    """One superstep of a partition that is ready, see ``superstep``.

    Args:
        ready: the partition.
        beliefs: what ghosts were last said to believe; None in superstep 0.
        before: what the partition said of its own pages then; None in superstep 0.
        number: of the superstep.
        options: weights and limits.

    Raises:
        ValueError: arrays that do not fit each other.
    """
    options, here = options or Options(), ready.here
    pages = here.ids[here.own]
    if number == 0 and not len(ready.border):
        return Step(pages, _no_answer(len(pages)), joined([]), joined([]), 0.0)
    fixed = None if beliefs is None else beliefs_.heard(beliefs.of(here.ids[here.ghosts]), here.ids)
    exchange = prepare(
        here.graph,
        here.evidence,
        options=options,
        learned=ready.model,
        fixed=None if fixed is None or not len(fixed.rows) else fixed,
        elsewhere=here.elsewhere,
    )
    if exchange is None:
        raise ValueError("nothing was learned: there is no language to infer")
    rows = ready.border[exchange.potentials.number[ready.border] >= 0]
    if number == 0:
        incoming = np.zeros(exchange.belief.shape)
        return Step(pages, _no_answer(len(pages)), *_border(exchange, here, rows, incoming, before, options))
    outcome = exchange.run(options.rounds, options.tolerance * (INNER if len(here.ghosts) else 1))
    told = _border(exchange, here, rows, outcome.incoming, before, options)
    return Step(pages, _of_rows(answered(exchange, outcome, options), here.own), *told)


def is_settled(most: float, news: int, options: Options) -> bool:
    """Whether another superstep would come to the same, so that it need not be taken.

    Args:
        most: what moved most at the partition's border in the last superstep, which was not number 0.
        news: how many of its ghosts had anything new to tell in that superstep.
        options: weights and limits.
    """
    return not news and most <= STILL * options.tolerance


def _no_answer(pages: int) -> Answer:
    return answer(np.full((pages, KEEP), NONE, np.int16), np.zeros((pages, KEEP), np.float32), rounds=0)


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


def _border(  # noqa: PLR0917  internal
    exchange: Exchange,
    here: Local,
    rows: NDArray[np.int64],
    incoming: NDArray[np.float64],
    before: Records | None,
    options: Options,
) -> tuple[Records, Records, float]:
    """Records of the latent pages at the border, those that moved, and by how much."""
    given = exchange.potentials
    known = ~given.no_evidence | reached_by_evidence(exchange.edges.source, exchange.edges.target, given.no_evidence)
    every, changed = [joined([])], [joined([])]
    largest = 0.0
    for at in range(0, len(rows), beliefs_.BLOCK):
        part = rows[at : at + beliefs_.BLOCK]
        pages = here.ids[part]
        table = _table(exchange, part, incoming, known)
        moves = np.ones(len(part), np.float32)
        old = None if before is None else before.of(pages)
        if old is not None:
            table, moves = table.moved_from(beliefs_.last_told(old, pages, table, given.active))
        largest = max(largest, float(moves.max(initial=0)))
        new = moves > STILL * options.tolerance
        records = beliefs_.told(pages, table, given.active)
        changed.append(records.of(pages[new]))
        every.append(changed[-1] if old is None else joined([changed[-1], old.of(pages[~new])]))
    return joined(every), joined(changed), largest


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
