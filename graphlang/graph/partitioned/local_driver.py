"""All partitions in one process, with the functions that the tasks of a cluster call: for tests and benchmarks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang.graph.partitioned.borders.introduce import ghosts_of, introduce
from graphlang.graph.partitioned.borders.local import signals_of
from graphlang.graph.partitioned.borders.neighbours import asked, links_among, with_links
from graphlang.graph.partitioned.cut import Cut
from graphlang.graph.partitioned.learning.learn import Learned, learn
from graphlang.graph.partitioned.learning.observe import gathered, observe
from graphlang.graph.partitioned.learning.order import added, count, lists, together, with_order
from graphlang.graph.partitioned.learning.survey import merged, survey
from graphlang.graph.partitioned.records import joined
from graphlang.graph.partitioned.supersteps.prepared import prepared_of
from graphlang.graph.partitioned.supersteps.ready import ready_of
from graphlang.graph.partitioned.supersteps.superstep import Step, advance, answer_of, first, is_settled
from graphlang.graph.propagation.options import Options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from graphlang.graph.partitioned.borders.introduce import Ghosts
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.result import Answer

SUPERSTEPS = 60  #: cap on supersteps


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """How it went."""

    pages: Sequence[NDArray[np.int64]]  #: ids of the pages of each partition, ascending
    answers: Sequence[Answer]  #: of these pages
    steps: Sequence[Step]  #: the last step of each partition
    supersteps: int  #: besides number 0
    converged: bool
    moved: Sequence[float]  #: the largest move at a border in each superstep
    worked: int  #: partitions that were worked on, in all supersteps
    sent: Sequence[int]  #: bytes of beliefs that were sent before each superstep
    introduced: int  #: bytes that were sent once of pages at the borders


def run(
    partitions: Sequence[Partition],
    cut: Cut | None = None,
    *,
    options: Options | None = None,
    supersteps: int = SUPERSTEPS,
    learned: Learned | None = None,
) -> Run:
    """Infer the languages of all partitions.

    Args:
        partitions: of one collection, each page in one of them, and each link wherever one of its ends is.
        cut: hosts and directories whose pages lie in several partitions.
        options: weights and limits.
        supersteps: cap on supersteps.
        learned: what was learned of the collection; if not given, it is learned from the partitions.
    """
    options, cut = options or Options(), cut or Cut()
    parts = [one.sorted() for one in partitions]
    introduced = joined([introduce(one, options, cut) for one in parts])
    ghosts = [ghosts_of(one, introduced) for one in parts]
    sent_once = sum(len(introduced.of(one.pages).data) for one in ghosts)
    parts = with_links_between_ghosts(parts, ghosts, cut)
    if learned is None:
        counted = merged([survey(one, signals_of(one, options), cut, options) for one in parts])
        named = together([lists(one, near, counted, options) for one, near in zip(parts, ghosts, strict=True)])
        order = added([count(one, named.of(one.pages), counted, options) for one in parts])
        parts = [
            with_order(one, near, named.of(one.pages), order, counted, cut, options)
            for one, near in zip(parts, ghosts, strict=True)
        ]
        seen = gathered([observe(one, near, counted, cut, options) for one, near in zip(parts, ghosts, strict=True)])
        learned = learn(counted, seen, cut)
    ready = [ready_of(one, learned, near, options) for one, near in zip(parts, ghosts, strict=True)]
    steps = [first(prepared_of(one, None, options), options) for one in ready]
    beliefs = joined([step.border for step in steps])
    prepared = [prepared_of(one, beliefs.of(one.here.ids[one.here.ghosts]), options) for one in ready]
    news, sent = [beliefs.of(near.pages) for near in ghosts], []
    moved: list[float] = []
    number = worked = 0
    while (any(len(one.pages) for one in news) or (moved and moved[-1] > options.tolerance)) and number < supersteps:
        sent.append(sum(len(one.data) for one in news))
        number += 1
        for at, (one, near, last) in enumerate(zip(prepared, ghosts, steps, strict=True)):
            if number > 1 and is_settled(last.most, len(news[at].pages), options):
                steps[at] = replace(last, moved=joined([]))
                continue
            steps[at] = advance(one, beliefs.of(near.pages), last, number, options)
            worked += 1
        beliefs, told = joined([step.border for step in steps]), joined([step.moved for step in steps])
        news = [told.of(near.pages) for near in ghosts]
        moved.append(max(step.most for step in steps))
        if moved[-1] <= options.tolerance:
            break
    found = [answer_of(one, beliefs.of(near.pages), options) for one, near in zip(prepared, ghosts, strict=True)]
    converged = not moved or moved[-1] <= options.tolerance
    return Run([part.pages for part in parts], found, steps, number, converged, moved, worked, sent, sent_once)


def with_links_between_ghosts(parts: Sequence[Partition], ghosts: Sequence[Ghosts], cut: Cut) -> list[Partition]:
    """The partitions with the links between their ghosts that others know of.

    Args:
        parts: sorted.
        ghosts: of each.
        cut: hosts whose pages lie in several partitions.
    """
    pages = np.concatenate([part.pages for part in parts])
    order = np.argsort(pages)
    owner = np.repeat(np.arange(len(parts), dtype=np.int32), [len(part.pages) for part in parts])[order]
    found = []
    for part, near in zip(parts, ghosts, strict=True):
        homes = owner[np.searchsorted(pages[order], near.pages)]
        found.append(with_links(part, [links_among(parts[at], some) for at, some in asked(near, homes, cut).items()]))
    return found
