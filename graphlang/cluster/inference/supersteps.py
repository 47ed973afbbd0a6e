"""On an executor: a partition is made ready, and takes its supersteps: its rows in, rows for others out.

What a partition says in a superstep: to each neighbour what its pages at the border believe, all of them, and how many
of these have anything new to tell; to itself the same, and its answers. So the rows of one superstep are all that the
next one reads: a checkpoint.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.cluster.inference import parcels
from graphlang.cluster.inference.parcels import GHOSTS, MOVED, ORDERED, READY, RESULT, ROUTES
from graphlang.cluster.inference.steps import opened_partition, routes_of, there
from graphlang.graph.partitioned.ready import ready_of
from graphlang.graph.partitioned.records import joined
from graphlang.graph.partitioned.superstep import advance, is_settled

if TYPE_CHECKING:
    import pyarrow as pa

    from graphlang.cluster.inference.steps import Given
    from graphlang.graph.partitioned.records import Records
    from graphlang.graph.propagation.options import Options


def ready(given: Given, own: pa.Table) -> pa.Table:
    """Make a partition ready.

    Args:
        given: with what was learned.
        own: rows of the partition, of its ghosts, of the links between them and of the order of links.
    """
    number, partition, beside, kept = opened_partition(own)
    partition = replace(partition, signals={**partition.signals, **kept[ORDERED]})
    made = ready_of(partition, there(given.learned), kept[GHOSTS], given.options)
    routes = routes_of(partition, beside)
    pages = [np.zeros(0, np.int64), *routes.values()]
    homes = np.repeat(np.array(list(routes), np.int64), [len(one) for one in routes.values()])
    sent = {"pages": np.concatenate(pages), "homes": homes}
    return parcels.table([*parcels.parcel(number, READY, made), *parcels.parcel(number, ROUTES, sent)])


def step(options: Options, number: int, own: pa.Table, said: pa.Table) -> pa.Table:
    """One superstep.

    Args:
        options: weights and limits.
        number: of the superstep, from 0.
        own: rows of the partition that is ready.
        said: what others, and the partition itself, said in the superstep before; nothing in number 0.
    """
    home, kept = own["partition"][0].as_py(), parcels.opened(own)
    before = parcels.opened(said)
    mine, result, last = (before.pop(sender, None) for sender in (home, RESULT, MOVED))
    news = sum(one["news"] for one in before.values())
    if number > 1 and last is not None and is_settled(last["most"], news, options):
        rows = [*parcels.parcel(home, RESULT, result), *parcels.parcel(home, MOVED, last)]
        return parcels.table(rows + _sent(home, mine["border"], joined([]), kept[ROUTES]))
    beliefs = None if number == 0 else joined([one["border"] for one in before.values()])
    done = advance(kept[READY], beliefs, None if mine is None else mine["border"], number=number, options=options)
    found = {"languages": done.answer.languages, "probabilities": done.answer.probabilities}
    rows = [*parcels.parcel(home, RESULT, found), *parcels.parcel(home, MOVED, {"most": float(done.most)})]
    return parcels.table(rows + _sent(home, done.border, done.moved, kept[ROUTES]))


def _sent(home: int, border: Records, moved: Records, routes: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows for the neighbours of a partition, and for itself."""
    rows = parcels.parcel(home, home, {"border": border, "news": 0})
    for other in np.unique(routes["homes"]).tolist():
        pages = routes["pages"][routes["homes"] == other]
        news = len(moved.of(pages).pages)
        rows += parcels.parcel(other, home, {"border": border.of(pages), "news": news})
    return rows
