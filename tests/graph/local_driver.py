"""All partitions in one process, with the functions that the tasks of a cluster call: one after the other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.options import Options
from graphlang.graph.partitioned.borders import (
    add_ghost_links,
    decode_ghosts,
    find_links_among,
    group_ghost_pairs,
    introduce,
    list_signals,
)
from graphlang.graph.partitioned.learning import (
    PartitionParameters,
    join_samples,
    learn,
    merge_surveys,
    observe,
    survey,
)
from graphlang.graph.partitioned.list_counts import add_link_order, add_list_counts, add_places, count, find_lists
from graphlang.graph.partitioned.partition import Cut
from graphlang.graph.partitioned.records import join_records
from graphlang.graph.partitioned.supersteps import (
    Step,
    advance,
    answer_of,
    find_border_labels,
    first,
    is_settled,
    make_partition_ready,
    prepare_supersteps,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.data import Answer
    from graphlang.graph.partitioned.borders import Ghosts
    from graphlang.graph.partitioned.partition import Partition


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """How it went."""

    pages: Sequence[NDArray[np.int64]]  #: ids of the pages of each partition, ascending
    answers: Sequence[Answer]  #: of these pages
    steps: Sequence[Step]  #: the last step of each partition
    supersteps: int  #: besides number 0
    converged: bool
    moved: Sequence[float]  #: the largest move in each superstep
    sent: Sequence[int]  #: bytes of beliefs that were sent before each superstep
    introduced: int  #: bytes that were sent once of pages at the borders


def run(
    partitions: Sequence[Partition],
    cut: Cut | None = None,
    *,
    options: Options | None = None,
    supersteps: int | None = None,
    learned: PartitionParameters | None = None,
) -> Run:
    """Infer the languages of all partitions.

    Args:
        partitions: of one collection, each page in one of them, and each link wherever one of its ends is.
        cut: hosts and directories whose pages lie in several partitions.
        options: weights and limits.
        supersteps: cap on supersteps; None: that on the rounds of one machine.
        learned: what was learned of the collection; if not given, it is learned from the partitions.
    """
    options, cut = options or Options(), cut or Cut()
    supersteps = options.rounds if supersteps is None else supersteps
    parts = [one.sort() for one in partitions]
    introduced = join_records([
        introduce(one, options, cut, routes) for one, routes in zip(parts, routes_of(parts), strict=True)
    ])  # fmt: skip
    ghosts = [decode_ghosts(one, introduced) for one in parts]
    sent_once = sum(len(introduced.of(one.pages).data) for one in ghosts)
    parts = with_links_between_ghosts(parts, ghosts)
    if learned is None:
        counted = merge_surveys([survey(one, list_signals(one, options), cut, options) for one in parts])
        named = add_places([find_lists(one, near, counted, options) for one, near in zip(parts, ghosts, strict=True)])
        order = add_list_counts([count(one, named.of(one.pages), counted, options) for one in parts])
        parts = [
            add_link_order(one, near, named.of(one.pages), order, counted, cut, options)
            for one, near in zip(parts, ghosts, strict=True)
        ]
        seen = join_samples(
            [observe(one, near, counted, cut, options) for one, near in zip(parts, ghosts, strict=True)]
        )
        learned = learn(counted, seen, cut)
    ready = [make_partition_ready(one, learned, near, options) for one, near in zip(parts, ghosts, strict=True)]
    labels = join_records([find_border_labels(prepare_supersteps(one, None, options)) for one in ready])
    prepared = [prepare_supersteps(one, labels.of(one.here.ids[one.here.ghosts]), options) for one in ready]
    steps = [first(one, options) for one in prepared]
    beliefs = join_records([step.border for step in steps])
    news, sent = [beliefs.of(near.pages) for near in ghosts], []
    moved: list[float] = []
    number = 0
    talk = any(len(one.pages) for one in news)
    while talk and number < supersteps and not (moved and moved[-1] <= options.tolerance):
        sent.append(sum(len(one.data) for one in news))
        number += 1
        for at, (one, near, last) in enumerate(zip(prepared, ghosts, steps, strict=True)):
            if number > 1 and is_settled(last.largest_change, len(news[at].pages), options):
                steps[at] = replace(last, moved=join_records([]))
                continue
            steps[at] = advance(one, beliefs.of(near.pages), last, options)
        beliefs, told = join_records([step.border for step in steps]), join_records([step.moved for step in steps])
        news = [told.of(near.pages) for near in ghosts]
        moved.append(max(step.largest_change for step in steps))
    found = [
        answer_of(one, beliefs.of(near.pages), last.motion, options)
        for one, near, last in zip(prepared, ghosts, steps, strict=True)
    ]
    converged = not moved or moved[-1] <= options.tolerance
    return Run([part.pages for part in parts], found, steps, number, converged, moved, sent, sent_once)


def with_links_between_ghosts(parts: Sequence[Partition], ghosts: Sequence[Ghosts]) -> list[Partition]:
    """The partitions with the links between their ghosts that others know of.

    Args:
        parts: sorted.
        ghosts: of each.
    """
    return [
        add_ghost_links(
            part, [find_links_among(parts[at], some) for at, some in group_ghost_pairs(near, homes).items()]
        )
        for part, near, homes in zip(parts, ghosts, _homes(parts, [one.pages for one in ghosts]), strict=True)
    ]


def _homes(parts: Sequence[Partition], pages: Sequence[NDArray[np.int64]]) -> list[NDArray[np.int32]]:
    """The partitions of some pages, list by list."""
    every = np.concatenate([part.pages for part in parts])
    order = np.argsort(every)
    owner = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part.pages) for part in parts])[order]
    return [owner[np.searchsorted(every[order], some)] for some in pages]


def routes_of(parts: Sequence[Partition]) -> list[dict[int, NDArray[np.int64]]]:
    """The pages at the border of each partition, by the partition that has them as ghosts.

    Args:
        parts: sorted.
    """
    homes = _homes(parts, [part.ghosts() for part in parts])
    return [part.routes(part.ghosts(), of_ghosts) for part, of_ghosts in zip(parts, homes, strict=True)]
