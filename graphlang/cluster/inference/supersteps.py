"""On an executor: a partition is made ready, takes its supersteps, and answers: its rows in, rows for others out.

What a partition says in a superstep: to each neighbour what those of its pages at the border believe that moved; to
itself what all of them believe and lately believed, and what its ghosts do. So the rows of one superstep, and those of
the partition as it was made ready, are all that the next one reads: a checkpoint.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.cluster.inference import parcels
from graphlang.cluster.inference.parcels import FACTS, GHOSTS, MOVED, ORDERED, PREPARED, READY, ROUTES, STATE
from graphlang.cluster.inference.steps import answers_of, facts_of, opened_partition, routes_of, there
from graphlang.cluster.tables import ANSWERS
from graphlang.graph.partitioned.records import Records, joined
from graphlang.graph.partitioned.supersteps.prepared import prepared_of
from graphlang.graph.partitioned.supersteps.ready import ready_of
from graphlang.graph.partitioned.supersteps.superstep import Step, advance, answer_of, first, is_settled

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from graphlang.cluster.inference.steps import Given
    from graphlang.graph.propagation.options import Options


def ready(given: Given, own: pa.Table, said: pa.Table) -> pa.Table:
    """Make a partition ready, and say what its pages at the border say for themselves.

    Args:
        given: with what was learned.
        own: rows of the partition.
        said: its ghosts, the links between them, and the order of links.
    """
    number, partition, beside, kept = opened_partition(own, said)
    partition = replace(partition, signals={**partition.signals, **kept[ORDERED]})
    made = ready_of(partition, there(given.learned), kept[GHOSTS], given.options)
    routes = routes_of(partition, beside)
    pages = [np.zeros(0, np.int64), *routes.values()]
    homes = np.repeat(np.array(list(routes), np.int64), [len(one) for one in routes.values()])
    sent = {"pages": np.concatenate(pages), "homes": homes}
    rows = [*parcels.parcel(number, READY, made), *parcels.parcel(number, ROUTES, sent)]
    rows += parcels.parcel(number, FACTS, facts_of(partition, beside))
    step = first(prepared_of(made, None, given.options), given.options)
    return parcels.table(rows + _said(number, step, joined([]), sent))


def step(options: Options, superstep: int, own: pa.Table, said: pa.Table) -> pa.Table:
    """One superstep.

    Args:
        options: weights and limits.
        superstep: its number, from 1.
        own: rows of the partition that is ready; in superstep 1 it is prepared for the others.
        said: what others, and the partition itself, said in the superstep before.
    """
    number, kept = own["partition"][0].as_py(), parcels.opened(own)
    news, state = _heard(said)
    rows = []
    prepared = kept.get(PREPARED)
    if prepared is None:
        prepared = prepared_of(kept[READY], news, options)
        rows += parcels.parcel(number, PREPARED, prepared)
        rows += [row for sender in (ROUTES, FACTS) for row in parcels.parcel(number, sender, kept[sender])]
    elif is_settled(state["most"], len(news.pages), options):
        return parcels.table(parcels.parcel(number, STATE, state) + _moved(number, state["most"]))
    heard = state["heard"].updated(news)
    before = Step(state["told"], joined([]), state["most"], state["trail"])
    done = advance(prepared, heard, before, superstep, options)
    return parcels.table(rows + _said(number, done, heard, kept[ROUTES]))


def answer(given: Given, own: pa.Table, said: pa.Table) -> pa.Table:
    """The answers of a partition's pages, as rows of `graphlang.cluster.tables.ANSWERS`.

    Args:
        given: what all are told.
        own: rows of the partition, prepared or, if there is no border at all, ready.
        said: what others, and the partition itself, said in the last superstep.
    """
    if not own.num_rows:
        return ANSWERS.empty_table()
    kept = parcels.opened(own)
    news, state = _heard(said)
    prepared = kept.get(PREPARED) or prepared_of(kept[READY], None, given.options)
    found = answer_of(prepared, state["heard"].updated(news), given.options)
    return answers_of(given.labels, kept[FACTS], found, linked=given.linked)


def _heard(said: pa.Table) -> tuple[Records, Any]:
    """What is new of the ghosts, and what the partition said to itself."""
    found = parcels.opened(said)
    return joined([one for sender, one in found.items() if sender >= 0]), found[STATE]


def _said(number: int, step: Step, heard: Records, routes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows for the neighbours of a partition, for itself and for the driver."""
    most = float(step.most)
    state = {"told": step.border, "heard": heard, "most": most, "trail": step.trail}
    rows = parcels.parcel(number, STATE, state) + _moved(number, most)
    for other in np.unique(routes["homes"]).tolist():
        news = step.moved.of(routes["pages"][routes["homes"] == other])
        if len(news.pages):
            rows += parcels.parcel(other, number, news)
    return rows


def _moved(number: int, most: float) -> list[dict[str, Any]]:
    return parcels.parcel(number, MOVED, {"most": most})
