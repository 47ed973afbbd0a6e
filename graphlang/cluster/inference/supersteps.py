"""On an executor: a partition is made ready, takes its supersteps, and answers: its rows in, rows for others out.

What a partition says in a superstep: to each neighbour what those of its pages at the border believe that moved; to
itself what all of them were last said to believe, what its ghosts do, and which of its pages moved since the last
snapshot of where they all stand. So the rows of one superstep, and those of the partition as it was prepared and last
stood, are all that the next one reads: a checkpoint.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from graphlang.cluster.inference import parcels
from graphlang.cluster.inference.parcels import (
    FACTS,
    GHOSTS,
    MOTION,
    MOVED,
    ORDERED,
    PREPARED,
    READY,
    ROUTES,
    STATE,
)
from graphlang.cluster.inference.steps import answers_of, facts_of, opened_partition, there
from graphlang.cluster.tables import ANSWERS
from graphlang.graph.partitioned.records import Records, joined
from graphlang.graph.partitioned.supersteps import (
    Step,
    advance,
    after,
    answer_of,
    first,
    is_settled,
    labels_of,
    prepared_of,
    ready_of,
    since,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from graphlang.cluster.inference.steps import Given
    from graphlang.graph.propagation.motion import Motion
    from graphlang.graph.propagation.options import Options

#: Supersteps after which a partition tells where all its pages stand, and not only which moved since the last time.
SNAPSHOTS: Final = frozenset({8, 16, 32, 64, 128})


def ready(given: Given, own: pa.Table, said: pa.Table) -> pa.Table:
    """Make a partition ready, and say which languages its pages at the border may be in.

    Args:
        given: with what was learned.
        own: rows of the partition.
        said: its ghosts, the links between them, and the order of links.
    """
    number, partition, beside, kept = opened_partition(own, said)
    partition = replace(partition, signals={**partition.signals, **kept[ORDERED]})
    made = ready_of(partition, there(given.learned), kept[GHOSTS], given.options)
    routes = partition.routes(beside.ghosts, beside.homes)
    pages = [np.zeros(0, np.int64), *routes.values()]
    homes = np.repeat(np.array(list(routes), np.int64), [len(one) for one in routes.values()])
    sent = {"pages": np.concatenate(pages), "homes": homes}
    rows = [*parcels.parcel(number, READY, made), *parcels.parcel(number, ROUTES, sent)]
    rows += parcels.parcel(number, FACTS, facts_of(partition, beside))
    labels = labels_of(prepared_of(made, None, given.options))
    return parcels.table(rows + _told(number, labels, sent) + _moved(number, float(len(labels.pages) > 0)))


def prepare(given: Given, own: pa.Table, said: pa.Table) -> pa.Table:
    """Prepare a partition for its supersteps, and say what its pages at the border say for themselves.

    Args:
        given: what all are told.
        own: rows of the partition that is ready.
        said: which languages its ghosts may be in.
    """
    number, kept = own["partition"][0].as_py(), parcels.opened(own)
    prepared = prepared_of(kept[READY], _of_others(parcels.opened(said)), given.options)
    rows = parcels.parcel(number, PREPARED, prepared)
    rows += [row for sender in (ROUTES, FACTS) for row in parcels.parcel(number, sender, kept[sender])]
    step = first(prepared, given.options)
    rows += parcels.parcel(number, MOTION, step.motion)
    return parcels.table(rows + _said(number, step, joined([]), step.motion, kept[ROUTES]))


def step(options: Options, superstep: int, own: pa.Table, said: pa.Table) -> pa.Table:
    """One superstep.

    Args:
        options: weights and limits.
        superstep: its number, from 1.
        own: rows of the partition that is prepared, and of where its pages stood.
        said: what others, and the partition itself, said in the superstep before.
    """
    number, kept = own["partition"][0].as_py(), parcels.opened(own)
    news, state = _heard(said)
    heard, snapshot = state["heard"].updated(news), kept[MOTION]
    done = Step(state["told"], joined([]), state["most"], after(snapshot, state["moves"]))
    if not is_settled(state["most"], len(news.pages), options):
        done = advance(kept[PREPARED], heard, done, options)
    rows = []
    if superstep in SNAPSHOTS:
        snapshot = done.motion
        rows = parcels.parcel(number, MOTION, snapshot)
    return parcels.table(rows + _said(number, done, heard, snapshot, kept[ROUTES]))


def answer(given: Given, own: pa.Table, said: pa.Table) -> pa.Table:
    """The answers of a partition's pages, as rows of `ANSWERS`.

    Args:
        given: what all are told.
        own: rows of the partition, prepared or, if there is no border at all, ready.
        said: what others, and the partition itself, said in the last superstep.
    """
    if not own.num_rows:
        return ANSWERS.empty_table()
    kept = parcels.opened(own)
    if PREPARED in kept:
        news, state = _heard(said)
        motion = after(kept[MOTION], state["moves"])
        found = answer_of(kept[PREPARED], state["heard"].updated(news), motion, given.options)
    else:
        found = answer_of(prepared_of(kept[READY], None, given.options), joined([]), None, given.options)
    return answers_of(given.labels, kept[FACTS], found, linked=given.linked)


def _heard(said: pa.Table) -> tuple[Records, Any]:
    """What is new of the ghosts, and what the partition said to itself."""
    found = parcels.opened(said)
    return _of_others(found), found[STATE]


def _of_others(found: Mapping[int, Any]) -> Records:
    return joined([one for sender, one in found.items() if sender >= 0])


def _said(number: int, step: Step, heard: Records, snapshot: Motion, routes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows for the neighbours of a partition, for itself and for the driver."""
    state = {"told": step.border, "heard": heard, "most": float(step.most), "moves": since(snapshot, step.motion)}
    rows = parcels.parcel(number, STATE, state) + _moved(number, float(step.most))
    return rows + _told(number, step.moved, routes)


def _told(number: int, records: Records, routes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rows for the neighbours of a partition: the records of pages that they have as ghosts."""
    rows = []
    for other in np.unique(routes["homes"]).tolist():
        some = records.of(routes["pages"][routes["homes"] == other])
        if len(some.pages):
            rows += parcels.parcel(other, number, some)
    return rows


def _moved(number: int, most: float) -> list[dict[str, Any]]:
    return parcels.parcel(number, MOVED, {"most": most})
