"""Supersteps: rounds of the inference on one partition, with the beliefs of its ghosts held fixed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE, FixedBeliefs
from graphlang.graph.partitioned import beliefs
from graphlang.graph.partitioned.local import Local, local
from graphlang.graph.partitioned.records import Records, joined, pack, unpack
from graphlang.graph.propagation.inference import answered, learned_for, prepare
from graphlang.graph.propagation.motion import Motion
from graphlang.graph.propagation.options import Options
from graphlang.graph.propagation.rounds import Exchange
from graphlang.graph.result import Answer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.partitioned.borders import Ghosts
    from graphlang.graph.partitioned.learning import Learned
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.propagation.edges.compatibility import EdgeCompatibility
    from graphlang.graph.propagation.edges.degree_cap import MessageWeights
    from graphlang.graph.propagation.learned import Learned as Model
    from graphlang.graph.propagation.nodes.potentials import NodePotentials


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """A partition, its ghosts, and the model of its hosts."""

    here: Local
    border: NDArray[np.int64]  #: rows of the pages at the border, ascending
    model: Model  #: of the hosts of all rows


def ready_of(partition: Partition, learned: Learned, ghosts: Ghosts, options: Options | None = None) -> Ready:
    """Make a partition ready."""
    here = local(partition, ghosts, learned.of_hosts, learned.of_directories)
    arrays = (here.graph, here.evidence, learned.of(here.hosts), here.elsewhere)
    return Ready(here, here.own[partition.border()], learned_for(*arrays, options or Options()))


_LABEL = np.dtype([("label", "<i2")])


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What stays the same in all supersteps; n rows: the pages of a partition and its ghosts, by ascending id."""

    ids: NDArray[np.int64]  #: shape (n,)
    own: NDArray[np.int64]  #: rows of the partition's pages, ascending
    ghosts: NDArray[np.int64]  #: rows of the ghosts, ascending
    border: NDArray[np.int64]  #: rows of its latent pages at the border, ascending
    host: NDArray[np.int32]  #: number of the host of each row, shape (n,)
    potentials: NodePotentials
    edges: EdgeCompatibility
    weights: MessageWeights

    def exchange(self, ghost_beliefs: Records, options: Options) -> Exchange:
        """Return the pages ready to exchange messages, with the beliefs of the latent ghosts."""
        potentials, rows = self.potentials, np.searchsorted(self.ids, ghost_beliefs.pages)
        candidate_count, prior = potentials.candidates.shape[1], potentials.prior
        table = beliefs.decode(ghost_beliefs, candidate_count, prior.probability, prior.group[rows])
        nothing = potentials.no_evidence.copy()
        nothing[rows] = ~table.known
        potentials_now = replace(potentials, no_evidence=nothing)
        return Exchange(potentials_now, self.edges, self.weights, self.host, options.neighbours, table.held(rows))


def prepared_of(ready: Ready, labels: Records | None, options: Options) -> Prepared:
    """Compute what stays the same in all supersteps; labels of ghosts may still be missing."""
    here = ready.here
    fixed = None if labels is None or not len(labels.pages) else _fixed(labels, here.ids)
    exchange = prepare(
        here.graph, here.evidence, options=options, learned=ready.model, fixed=fixed, elsewhere=here.elsewhere
    )
    if exchange is None:
        raise ValueError("nothing was learned: there is no language to infer")
    potentials = exchange.potentials if fixed is None else _without(exchange.potentials, fixed.rows)
    border = ready.border[potentials.number[ready.border] >= 0]
    none = np.zeros(0, np.uint8)  # of links only what messages depend on is kept
    edges = replace(exchange.edges, kind=none, p_same=none.astype(np.float32))
    rows = (here.ids, here.own, here.ghosts, border)
    return Prepared(*rows, here.evidence.host, potentials, edges, exchange.weights)


def labels_of(prepared: Prepared) -> Records:
    """Return the likely labels of latent pages at the border, from which neighbours choose their candidates."""
    potentials, rows = prepared.potentials, prepared.border
    numbers = potentials.number[rows]
    best = potentials.log_potential[numbers, :-1].argmax(axis=1)
    best_labels = potentials.active[potentials.candidates[numbers, best]]
    header = np.zeros(len(rows), _LABEL)
    header["label"] = np.where(potentials.no_evidence[rows], NONE, best_labels)
    return pack(prepared.ids[rows], header, [])


def _fixed(labels: Records, ids: NDArray[np.int64]) -> FixedBeliefs:
    head, _ = unpack(labels, _LABEL, [])
    label = head["label"].astype(np.int16)[:, None]
    return FixedBeliefs(np.searchsorted(ids, labels.pages), label, (label >= 0).astype(np.float32))


def _without(potentials: NodePotentials, rows: NDArray[np.int64]) -> NodePotentials:
    """Remove the latent ghosts' beliefs from the potentials; each superstep puts them in."""
    clamped = potentials.clamped
    remaining = ~np.isin(clamped.unsure, rows)  # what is given travels as it is: all of them are unsure
    clamped_kept = replace(clamped, unsure=clamped.unsure[remaining], unsure_belief=clamped.unsure_belief[remaining])
    return replace(potentials, clamped=clamped_kept)


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The m latent pages, of f, whose state has changed since a snapshot."""

    numbers: NDArray[np.int64]  #: of these pages among the latent ones, ascending, shape (m,)
    motion: Motion  #: where they stand, row by row


def since(snapshot: Motion, motion: Motion) -> Moves:
    """Return what moved between two states.

    >>> then = Motion(np.float32([[1, 0], [1, 0]]), np.zeros((2, 2), np.float32), np.zeros((2, 1), np.float32))
    >>> now = Motion(np.float32([[1, 0], [0, 1]]), then.step, then.damping)
    >>> moves = since(then, now)
    >>> moves.numbers.tolist(), after(then, moves).belief.tolist()
    ([1], [[1.0, 0.0], [0.0, 1.0]])
    """
    pairs = zip(_arrays(snapshot), _arrays(motion), strict=True)
    moved = np.flatnonzero(np.logical_or.reduce([(was != now).any(axis=1) for was, now in pairs]))
    return Moves(moved, Motion(*(values[moved] for values in _arrays(motion))))


def after(snapshot: Motion, moves: Moves) -> Motion:
    """Apply moves to the snapshot that they were computed from."""
    arrays = [values.copy() for values in _arrays(snapshot)]
    for values, moved_values in zip(arrays, _arrays(moves.motion), strict=True):
        values[moves.numbers] = moved_values
    return Motion(*arrays)


def _arrays(motion: Motion) -> tuple[NDArray[np.float32], ...]:
    return motion.belief, motion.step, motion.damping


STILL = 0.1  #: of the tolerance: a page that moved by less since it was sent is not sent again


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The outcome of a superstep on one partition."""

    border: Records  #: what its latent pages at the border were last said to believe, all of them
    moved: Records  #: those that changed
    #: the largest distance of a page from its messages, 0 if none is at the border; 1 at first, and as long as
    #: something comes to be known of pages at the border of which nothing was
    most: float
    motion: Motion  #: where its latent pages stand


def first(prepared: Prepared, options: Options) -> Step:
    """Return superstep 0: what the pages at the border believe from their own evidence."""
    exchange = prepared.exchange(joined([]), options)
    motion = exchange.at_rest()
    records = _said(prepared, prepared.border, motion, ~exchange.unreached()[prepared.border])
    return Step(records, records, float(len(prepared.border) > 0), motion)


def advance(prepared: Prepared, ghost_beliefs: Records, before: Step, options: Options) -> Step:
    """Take another superstep, with the last beliefs of the latent ghosts."""
    if not len(prepared.border):  # no neighbours
        return replace(before, moved=joined([]), most=0.0)
    exchange = prepared.exchange(ghost_beliefs, options)
    motion = before.motion.copy()
    outcome = exchange.run(1, options.tolerance, motion=motion)
    is_known, largest = ~exchange.unreached(), outcome.largest
    records, changed = [joined([])], [joined([])]
    for at in range(0, len(prepared.border), beliefs.BLOCK):
        rows = prepared.border[at : at + beliefs.BLOCK]
        pages = prepared.ids[rows]
        old, new = before.border.of(pages), _said(prepared, rows, motion, is_known[rows])
        last, now = _heard(prepared, rows, old), motion.belief[prepared.potentials.number[rows]]
        newly_known = is_known[rows] != last.known
        if newly_known.any():  # evidence has to reach the pages behind them
            largest = 1.0
        moved = pages[newly_known | (np.abs(now - last.belief).max(axis=1) > STILL * options.tolerance)]
        changed.append(new.of(moved))
        records.append(joined([changed[-1], old.of(np.setdiff1d(pages, moved, assume_unique=True))]))
    return Step(joined(records), joined(changed), largest, motion)


def is_settled(largest: float, news: int, options: Options) -> bool:
    """True if another superstep would change nothing; ``news`` counts ghosts with new beliefs."""
    return not news and largest <= STILL * options.tolerance


def answer_of(prepared: Prepared, ghost_beliefs: Records, motion: Motion | None, options: Options) -> Answer:
    """Return the answers of a partition's pages."""
    exchange = prepared.exchange(ghost_beliefs, options)
    rounds = 1 if len(prepared.border) and motion is not None else options.rounds  # nor does it go ahead in the end
    outcome = exchange.run(rounds, options.tolerance, motion=None if motion is None else motion.copy())
    return _of_rows(answered(exchange, outcome, options), prepared.own)


def _of_rows(answer: Answer, rows: NDArray[np.int64]) -> Answer:
    return Answer(
        answer.language[rows],
        answer.confidence[rows],
        answer.runner_up[rows],
        answer.runner_up_confidence[rows],
        answer.languages[rows],
        answer.probabilities[rows],
        answer.rounds,
        answer.converged,
    )


def _table(prepared: Prepared, rows: NDArray[np.int64], motion: Motion, is_known: NDArray[np.bool_]) -> beliefs.Table:
    """Return the beliefs of some latent pages."""
    potentials = prepared.potentials
    numbers = potentials.number[rows]
    candidates = potentials.candidates[numbers]
    prior = beliefs.usual(candidates, potentials.prior.probability, potentials.prior.group[rows])
    return beliefs.Table(candidates, motion.belief[numbers], prior, is_known)


def _said(prepared: Prepared, rows: NDArray[np.int64], motion: Motion, is_known: NDArray[np.bool_]) -> Records:
    records = [joined([])]
    for at in range(0, len(rows), beliefs.BLOCK):
        block = slice(at, at + beliefs.BLOCK)
        table = _table(prepared, rows[block], motion, is_known[block])
        records.append(beliefs.encode(prepared.ids[rows[block]], table, len(prepared.potentials.active)))
    return joined(records)


def _heard(prepared: Prepared, rows: NDArray[np.int64], records: Records) -> beliefs.Table:
    """Return the beliefs of some latent pages as their neighbours decode them."""
    candidate_count, prior = prepared.potentials.candidates.shape[1], prepared.potentials.prior
    return beliefs.decode(records, candidate_count, prior.probability, prior.group[rows])
