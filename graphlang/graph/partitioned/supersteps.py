"""Supersteps: rounds of the inference on one partition, with the beliefs of its ghosts held fixed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE, FixedBeliefs
from graphlang.graph.partitioned import beliefs
from graphlang.graph.partitioned import beliefs as beliefs_
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
    """A partition, its ghosts, and what was learned of its hosts."""

    here: Local
    border: NDArray[np.int64]  #: rows of the pages at the border, ascending
    model: Model  #: of the hosts of all rows


def ready_of(partition: Partition, learned: Learned, ghosts: Ghosts, options: Options | None = None) -> Ready:
    """Make a partition ready.

    Args:
        partition: sorted.
        learned: of the whole collection.
        ghosts: what is known of its neighbours.
        options: weights and limits.

    Raises:
        ValueError: arrays that do not fit each other.
    """
    here = local(partition, ghosts, learned.of_hosts, learned.of_directories)
    given = (here.graph, here.evidence, learned.of(here.hosts), here.elsewhere)
    return Ready(here, here.own[partition.border()], learned_for(*given, options or Options()))


_LABEL = np.dtype([("label", "<i2")])


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """n rows: the pages of a partition and its ghosts, by ascending id."""

    ids: NDArray[np.int64]  #: shape (n,)
    own: NDArray[np.int64]  #: rows of the partition's pages, ascending
    ghosts: NDArray[np.int64]  #: rows of the ghosts, ascending
    border: NDArray[np.int64]  #: rows of its latent pages at the border, ascending
    host: NDArray[np.int32]  #: number of the host of each row, shape (n,)
    potentials: NodePotentials
    edges: EdgeCompatibility
    weights: MessageWeights

    def exchange(self, heard: Records, options: Options) -> Exchange:
        """The pages ready to exchange messages.

        Args:
            heard: what the latent ghosts believe.
            options: weights and limits.
        """
        potentials, rows = self.potentials, np.searchsorted(self.ids, heard.pages)
        kept, prior = potentials.candidates.shape[1], potentials.prior
        table = beliefs.heard(heard, kept, prior.probability, prior.group[rows])
        nothing = potentials.no_evidence.copy()
        nothing[rows] = ~table.known
        given = replace(potentials, no_evidence=nothing)
        return Exchange(given, self.edges, self.weights, self.host, options.neighbours, table.held(rows))


def prepared_of(ready: Ready, labels: Records | None, options: Options) -> Prepared:
    """Work out what stays the same in all supersteps.

    Args:
        ready: the partition.
        labels: `labels_of` the latent ghosts; None where they have not said it yet.
        options: weights and limits.

    Raises:
        ValueError: arrays that do not fit each other.
    """
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
    """What the latent pages at the border may most likely be, which tells their neighbours what to ask about.

    Args:
        prepared: before the ghosts said anything.
    """
    given, rows = prepared.potentials, prepared.border
    numbers = given.number[rows]
    best = given.log_potential[numbers, :-1].argmax(axis=1)
    found = given.active[given.candidates[numbers, best]]
    header = np.zeros(len(rows), _LABEL)
    header["label"] = np.where(given.no_evidence[rows], NONE, found)
    return pack(prepared.ids[rows], header, [])


def _fixed(labels: Records, ids: NDArray[np.int64]) -> FixedBeliefs:
    head, _ = unpack(labels, _LABEL, [])
    label = head["label"].astype(np.int16)[:, None]
    return FixedBeliefs(np.searchsorted(ids, labels.pages), label, (label >= 0).astype(np.float32))


def _without(potentials: NodePotentials, rows: NDArray[np.int64]) -> NodePotentials:
    """The potentials without what latent ghosts believe, which each superstep puts in."""
    clamped = potentials.clamped
    kept = ~np.isin(clamped.unsure, rows)  # what is given travels as it is: all of them are unsure
    some = replace(clamped, unsure=clamped.unsure[kept], unsure_belief=clamped.unsure_belief[kept])
    return replace(potentials, clamped=some)


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The latent pages that do not stand as they did; m of f."""

    numbers: NDArray[np.int64]  #: of these pages among the latent ones, ascending, shape (m,)
    motion: Motion  #: where they stand, row by row


def since(snapshot: Motion, motion: Motion) -> Moves:
    """What moved.

    Args:
        snapshot: where all pages stood.
        motion: where all pages stand.

    >>> then = Motion(np.float32([[1, 0], [1, 0]]), np.zeros((2, 2), np.float32), np.zeros((2, 1), np.float32))
    >>> now = Motion(np.float32([[1, 0], [0, 1]]), then.step, then.damping)
    >>> found = since(then, now)
    >>> found.numbers.tolist(), after(then, found).belief.tolist()
    ([1], [[1.0, 0.0], [0.0, 1.0]])
    """
    pairs = zip(_arrays(snapshot), _arrays(motion), strict=True)
    moved = np.flatnonzero(np.logical_or.reduce([(was != now).any(axis=1) for was, now in pairs]))
    return Moves(moved, Motion(*(values[moved] for values in _arrays(motion))))


def after(snapshot: Motion, moves: Moves) -> Motion:
    """Where all pages stand.

    Args:
        snapshot: where they stood.
        moves: of `since`.
    """
    found = [values.copy() for values in _arrays(snapshot)]
    for every, some in zip(found, _arrays(moves.motion), strict=True):
        every[moves.numbers] = some
    return Motion(*found)


def _arrays(motion: Motion) -> tuple[NDArray[np.float32], ...]:
    return motion.belief, motion.step, motion.damping


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
