"""A partition in the middle of its supersteps: all that stays the same from one to the next, as arrays.

What pages say for themselves, which languages they ask about, how links bind them and what messages weigh is worked out
once, when it is known which languages the ghosts speak for. A superstep puts in what these believe, and exchanges
messages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.data import NONE, FixedBeliefs
from graphlang.graph.partitioned.records import Records, pack, unpack
from graphlang.graph.partitioned.supersteps import beliefs
from graphlang.graph.propagation.inference import prepare
from graphlang.graph.propagation.rounds import Exchange

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.partitioned.supersteps.ready import Ready
    from graphlang.graph.propagation.edges.compatibility import EdgeCompatibility
    from graphlang.graph.propagation.edges.degree_cap import MessageWeights
    from graphlang.graph.propagation.nodes.potentials import NodePotentials
    from graphlang.graph.propagation.options import Options

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
