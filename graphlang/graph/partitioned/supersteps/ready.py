"""A partition ready for supersteps: what stays the same from one to the next is worked out once, and can be stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphlang.graph.partitioned.borders.local import Local, local
from graphlang.graph.propagation.inference import learned_for
from graphlang.graph.propagation.options import Options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from graphlang.graph.partitioned.borders.introduce import Ghosts
    from graphlang.graph.partitioned.learning.learn import Learned
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.propagation.learned import Learned as Model


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
