"""Supersteps: rounds of the inference on one partition, with the beliefs of its ghosts held fixed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.graph.data import NONE, Answer, FixedBeliefs
from graphlang.graph.options import Options
from graphlang.graph.partitioned.borders import Local, make_local
from graphlang.graph.partitioned.records import PageRecords, join_records, pack, unpack
from graphlang.graph.propagation.inference import learn_hosts, prepare, to_answer
from graphlang.graph.propagation.rounds import Exchange, GhostBeliefs, Motion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.partitioned.borders import Ghosts
    from graphlang.graph.partitioned.learning import PartitionParameters
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.propagation.compatibility import EdgeCompatibility
    from graphlang.graph.propagation.learned import Learned as Model
    from graphlang.graph.propagation.message_weights import MessageWeights
    from graphlang.graph.propagation.potentials import NodePotentials


@dataclass(frozen=True, slots=True, eq=False)
class Ready:
    """A partition, its ghosts, and the model of its hosts."""

    here: Local
    border: NDArray[np.int64]  #: rows of the pages at the border, ascending
    model: Model  #: of the hosts of all rows


def make_partition_ready(
    partition: Partition, learned: PartitionParameters, ghosts: Ghosts, options: Options | None = None
) -> Ready:
    """Make a partition ready."""
    here = make_local(partition, ghosts, learned.of_hosts, learned.of_directories)
    arrays = (here.graph, here.evidence, learned.of(here.hosts), here.elsewhere)
    return Ready(here, here.own[partition.border()], learn_hosts(*arrays, options or Options()))


_LABEL = np.dtype([("label", "<i2")])


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """Constants of all supersteps; n rows: the pages of a partition and its ghosts, by ascending id."""

    ids: NDArray[np.int64]  #: shape (n,)
    own: NDArray[np.int64]  #: rows of the partition's pages, ascending
    ghosts: NDArray[np.int64]  #: rows of the ghosts, ascending
    border: NDArray[np.int64]  #: rows of its latent pages at the border, ascending
    host: NDArray[np.int32]  #: number of the host of each row, shape (n,)
    potentials: NodePotentials
    edges: EdgeCompatibility
    weights: MessageWeights

    def exchange(self, ghost_beliefs: PageRecords, options: Options) -> Exchange:
        """Return the pages ready to exchange messages, with the beliefs of the latent ghosts."""
        potentials, rows = self.potentials, np.searchsorted(self.ids, ghost_beliefs.pages)
        candidate_count, prior = potentials.candidates.shape[1], potentials.prior
        table = decode_beliefs(ghost_beliefs, candidate_count, prior.probability, prior.group[rows])
        nothing = potentials.no_evidence.copy()
        nothing[rows] = ~table.known
        potentials_now = replace(potentials, no_evidence=nothing)
        return Exchange(potentials_now, self.edges, self.weights, self.host, options.neighbours, table.held(rows))


def prepare_supersteps(ready: Ready, labels: PageRecords | None, options: Options) -> Prepared:
    """Compute all data that are constant in the supersteps; labels of ghosts may still be missing."""
    here = ready.here
    fixed = None if labels is None or not len(labels.pages) else _make_fixed(labels, here.ids)
    exchange = prepare(
        here.graph, here.evidence, options=options, learned=ready.model, fixed=fixed, elsewhere=here.elsewhere
    )
    if exchange is None:
        raise ValueError("nothing was learned: there is no language to infer")
    potentials = exchange.potentials if fixed is None else _drop_latent_ghosts(exchange.potentials, fixed.rows)
    border = ready.border[potentials.number[ready.border] >= 0]
    none = np.zeros(0, np.uint8)  # messages do not depend on kinds
    edges = replace(exchange.edges, kind=none, p_same=none.astype(np.float32))
    rows = (here.ids, here.own, here.ghosts, border)
    return Prepared(*rows, here.evidence.host, potentials, edges, exchange.weights)


def find_border_labels(prepared: Prepared) -> PageRecords:
    """Return the likely labels of latent pages at the border, from which neighbours choose their candidates."""
    potentials, rows = prepared.potentials, prepared.border
    numbers = potentials.number[rows]
    best = potentials.log_potential[numbers, :-1].argmax(axis=1)
    best_labels = potentials.active[potentials.candidates[numbers, best]]
    header = np.zeros(len(rows), _LABEL)
    header["label"] = np.where(potentials.no_evidence[rows], NONE, best_labels)
    return pack(prepared.ids[rows], header, [])


def _make_fixed(labels: PageRecords, ids: NDArray[np.int64]) -> FixedBeliefs:
    head, _ = unpack(labels, _LABEL, [])
    label = head["label"].astype(np.int16)[:, None]
    return FixedBeliefs(np.searchsorted(ids, labels.pages), label, (label >= 0).astype(np.float32))


def _drop_latent_ghosts(potentials: NodePotentials, rows: NDArray[np.int64]) -> NodePotentials:
    """Remove the beliefs of latent ghosts from the potentials; each superstep adds current ones."""
    clamped = potentials.clamped
    remaining = ~np.isin(clamped.unsure, rows)  # fixed beliefs are never one-hot
    clamped_kept = replace(clamped, unsure=clamped.unsure[remaining], unsure_belief=clamped.unsure_belief[remaining])
    return replace(potentials, clamped=clamped_kept)


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """The m latent pages, of f, whose state has changed since a snapshot."""

    numbers: NDArray[np.int64]  #: of these pages among the latent ones, ascending, shape (m,)
    motion: Motion  #: their state, row by row


def find_moves(snapshot: Motion, motion: Motion) -> Moves:
    """Return what moved between two states.

    >>> then = Motion(np.float32([[1, 0], [1, 0]]), np.zeros((2, 2), np.float32), np.zeros((2, 1), np.float32))
    >>> now = Motion(np.float32([[1, 0], [0, 1]]), then.step, then.damping)
    >>> moves = find_moves(then, now)
    >>> moves.numbers.tolist(), apply_moves(then, moves).belief.tolist()
    ([1], [[1.0, 0.0], [0.0, 1.0]])
    """
    pairs = zip(_make_arrays(snapshot), _make_arrays(motion), strict=True)
    moved = np.flatnonzero(np.logical_or.reduce([(was != now).any(axis=1) for was, now in pairs]))
    return Moves(moved, Motion(*(values[moved] for values in _make_arrays(motion))))


def apply_moves(snapshot: Motion, moves: Moves) -> Motion:
    """Apply moves to the snapshot that they were computed from."""
    arrays = [values.copy() for values in _make_arrays(snapshot)]
    for values, moved_values in zip(arrays, _make_arrays(moves.motion), strict=True):
        values[moves.numbers] = moved_values
    return Motion(*arrays)


def _make_arrays(motion: Motion) -> tuple[NDArray[np.float32], ...]:
    return motion.belief, motion.step, motion.damping


STILL = 0.1  #: share of the tolerance: smaller changes of a belief are not sent


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The outcome of a superstep on one partition."""

    border: PageRecords  #: last beliefs sent of all latent pages at the border
    moved: PageRecords  #: changed ones
    #: largest difference between a belief and its messages, 0 without border; 1 at first, and while evidence reaches
    #: pages at the border that had none
    largest_change: float
    motion: Motion  #: state of its latent pages


def first(prepared: Prepared, options: Options) -> Step:
    """Return superstep 0: beliefs of pages at the border from their own evidence."""
    exchange = prepared.exchange(join_records([]), options)
    motion = exchange.initial_state()
    records = _encode_border(prepared, prepared.border, motion, ~exchange.find_unreached()[prepared.border])
    return Step(records, records, float(len(prepared.border) > 0), motion)


def advance(prepared: Prepared, ghost_beliefs: PageRecords, before: Step, options: Options) -> Step:
    """Take another superstep, with the last beliefs of the latent ghosts."""
    if not len(prepared.border):  # no neighbours
        return replace(before, moved=join_records([]), largest_change=0.0)
    exchange = prepared.exchange(ghost_beliefs, options)
    motion = before.motion.copy()
    outcome = exchange.run(1, options.tolerance, motion=motion)
    is_known, largest = ~exchange.find_unreached(), outcome.largest
    records, changed = [join_records([])], [join_records([])]
    for at in range(0, len(prepared.border), BLOCK):
        rows = prepared.border[at : at + BLOCK]
        pages = prepared.ids[rows]
        old, new = before.border.of(pages), _encode_border(prepared, rows, motion, is_known[rows])
        sent, current = _decode_border(prepared, rows, old), motion.belief[prepared.potentials.number[rows]]
        newly_known = is_known[rows] != sent.known
        if newly_known.any():  # evidence must reach the pages behind them
            largest = 1.0
        moved = pages[newly_known | (np.abs(current - sent.belief).max(axis=1) > STILL * options.tolerance)]
        changed.append(new.of(moved))
        records.append(join_records([changed[-1], old.of(np.setdiff1d(pages, moved, assume_unique=True))]))
    return Step(join_records(records), join_records(changed), largest, motion)


def is_settled(largest: float, news: int, options: Options) -> bool:
    """True if another superstep would change nothing; ``news`` counts ghosts with new beliefs."""
    return not news and largest <= STILL * options.tolerance


def answer_of(prepared: Prepared, ghost_beliefs: PageRecords, motion: Motion | None, options: Options) -> Answer:
    """Return the answers of a partition's pages."""
    exchange = prepared.exchange(ghost_beliefs, options)
    rounds = (
        1 if len(prepared.border) and motion is not None else options.rounds
    )  # the last superstep is one round, too
    outcome = exchange.run(rounds, options.tolerance, motion=None if motion is None else motion.copy())
    return _select_rows(to_answer(exchange, outcome, options), prepared.own)


def _select_rows(answer: Answer, rows: NDArray[np.int64]) -> Answer:
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


def _read_beliefs(
    prepared: Prepared, rows: NDArray[np.int64], motion: Motion, is_known: NDArray[np.bool_]
) -> BeliefTable:
    """Return the beliefs of some latent pages."""
    potentials = prepared.potentials
    numbers = potentials.number[rows]
    candidates = potentials.candidates[numbers]
    prior = make_prior_beliefs(candidates, potentials.prior.probability, potentials.prior.group[rows])
    return BeliefTable(candidates, motion.belief[numbers], prior, is_known)


def _encode_border(
    prepared: Prepared, rows: NDArray[np.int64], motion: Motion, is_known: NDArray[np.bool_]
) -> PageRecords:
    records = [join_records([])]
    for at in range(0, len(rows), BLOCK):
        block = slice(at, at + BLOCK)
        table = _read_beliefs(prepared, rows[block], motion, is_known[block])
        records.append(encode_beliefs(prepared.ids[rows[block]], table, len(prepared.potentials.active)))
    return join_records(records)


def _decode_border(prepared: Prepared, rows: NDArray[np.int64], records: PageRecords) -> BeliefTable:
    """Return the beliefs of some latent pages as their neighbours decode them."""
    candidate_count, prior = prepared.potentials.candidates.shape[1], prepared.potentials.prior
    return decode_beliefs(records, candidate_count, prior.probability, prior.group[rows])


LEAST = np.float32(1e-6)  #: smaller priors count as 0
ALIKE = 1e-4  #: smaller differences are not sent: they are far below the uninformative share of links (0.02)
BLOCK = 1 << 14  #: pages whose tables are in memory at a time

#: ``names`` and ``marks`` are sizes of bit sets in bytes: languages that are candidates, and candidates that are sent.
_HEADER = np.dtype([("others", "<f4"), ("known", "u1"), ("names", "<u2"), ("marks", "u1"), ("entries", "u1")])
_BYTE, _NUMBER = np.dtype("u1"), np.dtype("<f4")
_LISTS = (("names", _BYTE), ("marks", _BYTE), ("entries", _NUMBER))


@dataclass(frozen=True, slots=True, eq=False)
class BeliefTable:
    """Beliefs of b pages about their K candidates, and last about all other languages together."""

    candidates: NDArray[np.int16]  #: columns, ascending, shape (b, K)
    belief: NDArray[np.float32]  #: shape (b, K + 1)
    prior: NDArray[np.float32]  #: belief without evidence, shape (b, K + 1)
    known: NDArray[np.bool_]  #: pages with evidence, shape (b,)

    def held(self, rows: NDArray[np.int64]) -> GhostBeliefs:
        """Return the pages as the rounds take them."""
        return GhostBeliefs(rows, self.candidates, self.belief)


def make_prior_beliefs(
    candidates: NDArray[np.int16], prior: NDArray[np.float32], group: NDArray[np.int32]
) -> NDArray[np.float32]:
    """Return prior beliefs about the candidates, and about all other languages together, shape (b, K + 1).

    Shapes: candidates (b, K), columns; prior of each group of pages (P, L); group of each page (b,).

    >>> make_prior_beliefs(np.int16([[0, 2]]), np.float32([[0.5, 0.25, 0.125, 0.125]]), np.int32([0])).tolist()
    [[0.5, 0.125, 0.375]]
    """
    belief = np.zeros((len(candidates), candidates.shape[1] + 1), np.float32)
    for at in range(0, len(candidates), BLOCK):
        rows, columns = slice(at, at + BLOCK), candidates[at : at + BLOCK].astype(np.int64)
        priors = prior[group[rows]]
        belief[rows, :-1] = np.take_along_axis(priors, columns, 1)
        np.put_along_axis(priors, columns, 0, 1)
        belief[rows, -1] = priors.sum(axis=1)
    return belief


def encode_beliefs(pages: NDArray[np.int64], table: BeliefTable, languages: int) -> PageRecords:
    """Encode the beliefs of pages (ids ascending, (b,)) about L languages as a record for each page."""
    ratio = table.belief[:, -1] / np.maximum(table.prior[:, -1], LEAST)
    ratio_of_others = np.where(
        table.prior[:, -1] > LEAST, ratio, ~table.known
    )  # where there are none, what most candidates have
    alike = ratio_of_others[:, None] * table.prior[:, :-1]
    own_ratio = np.abs(table.belief[:, :-1] - alike) > ALIKE * table.prior[:, :-1]
    names = np.zeros((len(pages), languages), np.bool_)
    np.put_along_axis(names, table.candidates.astype(np.int64), True, 1)  # noqa: FBT003 - the value
    named, marked = np.packbits(names, axis=1), np.packbits(own_ratio, axis=1)
    header = np.zeros(len(pages), _HEADER)
    header["others"], header["known"] = ratio_of_others, table.known
    header["names"], header["marks"], header["entries"] = named.shape[1], marked.shape[1], own_ratio.sum(axis=1)
    lists: list[tuple[NDArray[np.int64], NDArray[Any]]] = [
        (np.full(len(pages), bits.shape[1], np.int64), bits.reshape(-1)) for bits in (named, marked)
    ]
    return pack(pages, header, [*lists, (own_ratio.sum(axis=1), table.belief[:, :-1][own_ratio].astype(_NUMBER))])


def decode_beliefs(
    records: PageRecords, candidate_count: int, prior: NDArray[np.float32], group: NDArray[np.int32]
) -> BeliefTable:
    """Decode records of `encode_beliefs` with K candidates of each page.

    Shapes: prior of each group of pages (P, L); group of each page (b,). Raise a ValueError for records of other
    languages or another number of candidates.
    """
    head, lists = unpack(records, _HEADER, _LISTS)
    names, marks, entries = (entry_bytes.view(kind) for (_, entry_bytes), (_, kind) in zip(lists, _LISTS, strict=True))
    many, size = len(head), prior.shape[1]
    wide, marked = -(-size // 8), -(-candidate_count // 8)
    if (head["names"] != wide).any() or (head["marks"] != marked).any():
        raise ValueError(f"records have other languages than {candidate_count} of {size}")
    candidates = np.empty((many, candidate_count), np.int16)
    for at in range(0, many, BLOCK):
        named = np.unpackbits(names.reshape(many, wide)[at : at + BLOCK], axis=1, count=size)
        if (named.sum(axis=1) != candidate_count).any():
            raise ValueError(f"a record has more or fewer candidates than {candidate_count}")
        candidates[at : at + BLOCK] = np.nonzero(named)[1].reshape(-1, candidate_count)
    own_ratio = np.unpackbits(marks.reshape(many, marked), axis=1, count=candidate_count).view(np.bool_)
    before = make_prior_beliefs(candidates, prior, group)
    belief = head["others"][:, None] * before
    belief[:, :-1][own_ratio] = entries
    return BeliefTable(candidates, belief, before, head["known"] > 0)
