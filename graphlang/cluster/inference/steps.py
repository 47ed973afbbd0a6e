"""On an executor: the steps of `graphlang.graph.partitioned`, from the rows of one partition to rows for others."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from graphlang.cluster.inference import parcels
from graphlang.cluster.inference.bundle import Beside, bundle
from graphlang.cluster.inference.labels import spelled
from graphlang.cluster.inference.parcels import (
    ASKED,
    BESIDE,
    COUNTS,
    GHOSTS,
    LINKS,
    OBSERVED,
    ORDERED,
    PARTITION,
    RESULT,
    SURVEY,
)
from graphlang.cluster.tables import ANSWER
from graphlang.codes import languages
from graphlang.content.scoring.score_lists import LEAST
from graphlang.graph.partitioned import order
from graphlang.graph.partitioned.introduce import ghosts_of, introduce
from graphlang.graph.partitioned.local import signals_of
from graphlang.graph.partitioned.neighbours import asked, links_among, with_links
from graphlang.graph.partitioned.observe import gathered, observe
from graphlang.graph.partitioned.records import Records, joined
from graphlang.graph.partitioned.survey import survey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from graphlang.cluster.inference.labels import Labels
    from graphlang.graph.partitioned.learn import Learned
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.partitioned.survey import Cut, Survey
    from graphlang.graph.propagation.options import Options

#: What partitions answer: one row a page.
ANSWERS = pa.schema([("page", pa.int64()), *ANSWER])


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What all partitions are told; what comes later in the work is None before."""

    labels: Labels
    weights: Mapping[str, float]  #: of the signals
    options: Options
    cut: Cut
    most_links: int  #: of a partition
    survey: Survey | None = None
    counts: order.Counts | None = None
    learned: Learned | None = None


def make(given: Given, pages: pa.Table, links: pa.Table) -> pa.Table:
    """Make a partition's arrays.

    Args:
        given: what all are told.
        pages: its pages.
        links: its links.
    """
    if not pages.num_rows:
        return parcels.table([])
    number = pages["partition"][0].as_py()
    made, beside = bundle(number, pages, links, given.labels, given.weights, given.most_links)
    kept = {field.name: getattr(beside, field.name) for field in fields(beside)}
    return parcels.table([*parcels.parcel(number, PARTITION, made), *parcels.parcel(number, BESIDE, kept)])


def begin(given: Given, own: pa.Table) -> pa.Table:
    """Count in a partition, and introduce its pages at the border to its neighbours.

    Args:
        given: what all are told.
        own: rows of the partition.
    """
    number, partition, beside, _ = opened_partition(own)
    counted = survey(partition, signals_of(partition, given.options), given.cut, given.options)
    rows = parcels.parcel(number, SURVEY, counted)
    return parcels.table(
        rows + _sent(number, introduce(partition, given.options, given.cut), routes_of(partition, beside))
    )


def meet(given: Given, own: pa.Table, said: pa.Table) -> pa.Table:
    """Learn who the neighbours are and ask for the links between them; tell pages where lists name them.

    Args:
        given: with the survey.
        own: rows of the partition.
        said: what others introduced.
    """
    number, partition, beside, _ = opened_partition(own)
    ghosts = ghosts_of(partition, _heard(said))
    rows = parcels.parcel(number, GHOSTS, ghosts)
    for home, pages in asked(ghosts, beside.homes, given.cut).items():
        rows += parcels.parcel(home, ASKED + number, {"pages": pages})
    named = order.lists(partition, ghosts, there(given.survey), given.options)
    homes = np.full(len(named.pages), number, np.int32)
    away = np.flatnonzero(~partition.own(named.pages))
    homes[away] = beside.homes[np.searchsorted(beside.ghosts, named.pages[away])]
    for home in np.unique(homes).tolist():
        some = homes == home
        rows += parcels.parcel(
            home, number, order.Places(*(values[some] for values in (named.pages, named.context, named.lists)))
        )
    return parcels.table(rows)


def tell(given: Given, own: pa.Table, said: pa.Table) -> pa.Table:
    """Answer which links join some pages.

    Args:
        given: what all are told; it changes nothing.
        own: rows of the partition.
        said: what others asked.
    """
    del given
    number, partition, _, _ = opened_partition(own)
    rows: list[dict[str, Any]] = []
    for sender, question in parcels.opened(said).items():
        found = links_among(partition, question["pages"])
        if found.size:
            rows += parcels.parcel(sender - ASKED, LINKS + number, {"links": found})
    return parcels.table(rows)


def count(given: Given, own: pa.Table, said: pa.Table) -> pa.Table:
    """Count in which contexts lists name a partition's pages.

    Args:
        given: with the survey.
        own: rows of the partition.
        said: places that others told.
    """
    number, partition, _, _ = opened_partition(own)
    places = order.together(parcels.opened(said).values())
    return parcels.table(
        parcels.parcel(number, COUNTS, order.count(partition, places, there(given.survey), given.options))
    )


def look(given: Given, own: pa.Table, said: pa.Table) -> pa.Table:
    """Add what the order of links says, and show how links and signals behave.

    Args:
        given: with the survey and the counts.
        own: rows of the partition, of its ghosts and of the links between them.
        said: places that others told.
    """
    number, partition, _, kept = opened_partition(own)
    counted, ghosts = there(given.survey), kept[GHOSTS]
    places = order.together(parcels.opened(said).values())
    ordered = order.with_order(partition, ghosts, places, there(given.counts), counted, given.cut, given.options)
    seen = observe(ordered, ghosts, counted, given.cut, given.options)
    more = {name: signal for name, signal in ordered.signals.items() if name not in partition.signals}
    return parcels.table([*parcels.parcel(number, ORDERED, more), *parcels.parcel(number, OBSERVED, seen)])


def answer(given: Given, own: pa.Table, said: pa.Table) -> pa.Table:
    """The answers of a partition's pages, as rows of `ANSWERS`.

    Pages of which nothing is known have none; pages without letters are ``zxx``; a long text in a script of none of the
    method's languages stays without an answer, as on one machine (`graphlang.analysis.arrays.graph_output`).

    Args:
        given: what all are told.
        own: rows of the partition.
        said: the last result.
    """
    _, partition, beside, _ = opened_partition(own)
    result = parcels.opened(said)[RESULT]
    names = np.array([*given.labels.names, languages.ZXX, None], dtype=object)
    label = np.stack([spelled(column, beside.labels, given.labels) for column in result["languages"].T], axis=1)
    zxx = len(given.labels.names)
    first, second = (np.where(beside.no_letters, none, label[:, rank]) for rank, none in ((0, zxx), (1, -1)))
    label[:, 1:][result["probabilities"][:, 1:] < LEAST] = -1
    label[beside.no_letters] = -1
    answered = np.flatnonzero((first >= 0) & ~beside.unknown)
    best, less = (np.round(result["probabilities"][:, column].astype(np.float64), 6) for column in (0, 1))
    best[beside.no_letters] = 1
    columns: list[Any] = [
        partition.pages[answered],
        names[first[answered]],
        best[answered],
        names[second[answered]],
        np.where(second >= 0, less, None)[answered],
        beside.characters[answered],
        np.full(len(answered), None),
        np.full(len(answered), None),
        _listed(label[answered], result["probabilities"][answered], names),
        np.full(len(answered), None),
    ]
    return pa.Table.from_arrays(
        [pa.array(column, type=field.type) for column, field in zip(columns, ANSWERS, strict=True)], schema=ANSWERS
    )


def gather(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Put together what partitions of one task observed: it never grows beyond what one machine draws.

    Args:
        batches: rows whose sender is `OBSERVED`; the sender is their partition from here on.

    Yields:
        Rows of one partition that stands for all of them.
    """
    seen: Any = None
    pieces: dict[int, list[dict[str, Any]]] = {}
    for batch in batches:
        for row in batch.to_pylist():
            pieces.setdefault(row["partition"], []).append(row)
    for number in sorted(pieces):
        one = parcels.opened(parcels.table(pieces.pop(number)))[OBSERVED]
        seen = gathered([one] if seen is None else [seen, one])
    yield from parcels.table([] if seen is None else parcels.parcel(0, OBSERVED, seen)).to_batches()


def opened_partition(own: pa.Table) -> tuple[int, Partition, Beside, dict[int, Any]]:
    """The number of a partition, its arrays with the links between its ghosts, what is beside, and all that is kept.

    Args:
        own: rows of the partition.
    """
    kept = parcels.opened(own)
    between = [one["links"] for sender, one in kept.items() if sender >= LINKS]
    partition = with_links(kept[PARTITION], between) if between else kept[PARTITION]
    return own["partition"][0].as_py(), partition, Beside(**kept[BESIDE]), kept


def there(found: Any) -> Any:
    """What was learned before.

    Args:
        found: None where it was not.

    Raises:
        ValueError: it was not.
    """
    if found is None:
        raise ValueError("a step was taken before what it needs was learned")
    return found


def _heard(said: pa.Table) -> Records:
    return joined(list(parcels.opened(said).values()))


def routes_of(partition: Partition, beside: Beside) -> dict[int, NDArray[np.int64]]:
    """The pages at the border, by the partition that has them as ghosts.

    Args:
        partition: sorted.
        beside: where its ghosts are at home.
    """
    source, target = partition.own(partition.source), partition.own(partition.target)
    out, into = np.flatnonzero(source & ~target), np.flatnonzero(target & ~source)
    mine = np.concatenate([partition.source[out], partition.target[into]])
    others = np.concatenate([partition.target[out], partition.source[into]])
    homes = beside.homes[np.searchsorted(beside.ghosts, others)]
    return {int(home): np.unique(mine[homes == home]) for home in np.unique(homes)}


def _sent(number: int, records: Records, routes: Mapping[int, NDArray[np.int64]]) -> list[dict[str, Any]]:
    return [row for home, pages in routes.items() for row in parcels.parcel(home, number, records.of(pages))]


def _listed(label: NDArray[np.int64], probability: NDArray[np.float32], names: NDArray[Any]) -> list[Any]:
    rounded = np.round(probability.astype(np.float64), 6).tolist()
    return [
        [{"label": names[one], "score": score} for one, score in zip(own, scores, strict=True) if one >= 0]
        for own, scores in zip(label.tolist(), rounded, strict=True)
    ]
