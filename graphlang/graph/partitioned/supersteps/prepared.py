"""A partition in the middle of its supersteps: all that stays the same from one to the next, as arrays.

What pages say for themselves, how links bind them and what messages weigh is worked out once, when the beliefs of the
ghosts are first known. A superstep puts other beliefs in their place, and exchanges messages.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.partitioned.supersteps import beliefs
from graphlang.graph.propagation.inference import prepare
from graphlang.graph.propagation.nodes.potentials import with_fixed
from graphlang.graph.propagation.rounds import Exchange

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphlang.graph.partitioned.records import Records
    from graphlang.graph.partitioned.supersteps.ready import Ready
    from graphlang.graph.propagation.edges.compatibility import EdgeCompatibility
    from graphlang.graph.propagation.edges.degree_cap import MessageWeights
    from graphlang.graph.propagation.nodes.potentials import NodePotentials
    from graphlang.graph.propagation.options import Options


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """n rows: the pages of a partition and its ghosts, by ascending id."""

    ids: NDArray[np.int64]  #: shape (n,)
    own: NDArray[np.int64]  #: rows of the partition's pages, ascending
    ghosts: NDArray[np.int64]  #: rows of the ghosts, ascending
    border: NDArray[np.int64]  #: rows of its latent pages at the border, ascending
    languages: int  #: how many the evidence tells apart
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
        fixed = beliefs.heard(heard, self.ids)
        potentials = with_fixed(self.potentials, fixed, self.languages)
        return Exchange(potentials, self.edges, self.weights, self.host, options.neighbours)


def prepared_of(ready: Ready, heard: Records | None, options: Options) -> Prepared:
    """Work out what stays the same in all supersteps.

    Args:
        ready: the partition.
        heard: what the latent ghosts say for themselves; None where they have not said it yet.
        options: weights and limits.

    Raises:
        ValueError: arrays that do not fit each other.
    """
    here = ready.here
    fixed = None if heard is None or not len(heard.pages) else beliefs.heard(heard, here.ids)
    exchange = prepare(
        here.graph, here.evidence, options=options, learned=ready.model, fixed=fixed, elsewhere=here.elsewhere
    )
    if exchange is None:
        raise ValueError("nothing was learned: there is no language to infer")
    border = ready.border[exchange.potentials.number[ready.border] >= 0]
    none = np.zeros(0, np.uint8)  # of links only what messages depend on is kept
    edges = replace(exchange.edges, kind=none, p_same=none.astype(np.float32))
    rows = (here.ids, here.own, here.ghosts, border)
    of_all = (exchange.potentials, edges, exchange.weights)
    return Prepared(*rows, len(here.evidence.codes), here.evidence.host, *of_all)
