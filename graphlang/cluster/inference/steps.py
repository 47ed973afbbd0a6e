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
    SURVEY,
)
from graphlang.cluster.tables import ANSWERS
from graphlang.codes import languages
from graphlang.content.scoring.score_lists import LEAST
from graphlang.graph.partitioned import link_order as order
from graphlang.graph.partitioned.borders import asked, ghosts_of, introduce, links_among, with_links
from graphlang.graph.partitioned.learning import gathered, observe, survey
from graphlang.graph.partitioned.local import signals_of
from graphlang.graph.partitioned.records import Records, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from graphlang.cluster.inference.labels import Labels
    from graphlang.graph.partitioned.learning import Cut, Learned, Survey
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.propagation.options import Options
    from graphlang.graph.result import Answer

_DIGITS = 4  # of confidences of URLs that were only linked to, as a database keeps them


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """What all partitions are told; what comes later in the work is None before."""

    labels: Labels
    weights: Mapping[str, float]  #: of the signals
    options: Options
    cut: Cut
    most_links: int  #: of a partition
    linked: bool = True  #: whether URLs that were only linked to are answered for
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
    made, beside = _bundled(given, pages, links)
    kept = {field.name: getattr(beside, field.name) for field in fields(beside)}
    return parcels.table([*parcels.parcel(number, PARTITION, made), *parcels.parcel(number, BESIDE, kept)])


def _bundled(given: Given, pages: pa.Table, links: pa.Table) -> tuple[Partition, Beside]:
    number = pages["partition"][0].as_py()
    return bundle(number, pages, links, given.labels, given.weights, given.most_links, given.cut.hosts)


def begin(given: Given, own: pa.Table) -> pa.Table:
    """Count in a partition, and introduce its pages at the border to its neighbours.

    Args:
        given: what all are told.
        own: rows of the partition.
    """
    number, partition, beside, _ = opened_partition(own)
    counted = survey(partition, signals_of(partition, given.options), given.cut, given.options)
    rows, routes = parcels.parcel(number, SURVEY, counted), partition.routes(beside.ghosts, beside.homes)
    return parcels.table(rows + _sent(number, introduce(partition, given.options, given.cut, routes), routes))


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
    for home, pages in asked(ghosts, beside.homes).items():
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
        own: rows of the partition.
        said: its ghosts, the links between them, and places that others told.
    """
    number, partition, _, kept = opened_partition(own, said)
    counted, ghosts = there(given.survey), kept[GHOSTS]
    places = order.together(one for sender, one in kept.items() if 0 <= sender < LINKS)
    ordered = order.with_order(partition, ghosts, places, there(given.counts), counted, given.cut, given.options)
    seen = observe(ordered, ghosts, counted, given.cut, given.options)
    more = {name: signal for name, signal in ordered.signals.items() if name not in partition.signals}
    return parcels.table([*parcels.parcel(number, ORDERED, more), *parcels.parcel(number, OBSERVED, seen)])


def facts_of(partition: Partition, beside: Beside) -> dict[str, Any]:
    """What the answers of a partition are made of, besides what is inferred.

    Args:
        partition: sorted.
        beside: what is kept beside it.
    """
    names = ("labels", "no_letters", "unknown", "characters", "read")
    return {"pages": partition.pages, **{name: getattr(beside, name) for name in names}}


def answers_of(labels: Labels, facts: Mapping[str, Any], found: Answer, *, linked: bool) -> pa.Table:
    """The answers of a partition's pages, as rows of `ANSWERS`.

    Args:
        labels: of all partitions.
        facts: of `facts_of`.
        found: what is inferred of its pages.
        linked: whether URLs that were only linked to are among them.
    """
    read, beliefs = facts["read"], (found.languages, found.probabilities)
    told = answers(labels, {name: values[read] for name, values in facts.items()}, *(one[read] for one in beliefs))
    if not linked:
        return told
    return pa.concat_tables([told, of_linked(labels, facts["pages"][~read], *(one[~read] for one in beliefs))])


def answers(
    labels: Labels, facts: Mapping[str, Any], language: NDArray[np.int16], probability: NDArray[np.float32]
) -> pa.Table:
    """The answers for pages that were read, as rows of `ANSWERS`.

    Pages of which nothing is known have none; pages without letters are ``zxx``; a long text in a script of none of the
    method's languages stays without an answer, as on one machine (`graphlang.analysis.arrays.graph_output`).

    Args:
        labels: of all partitions.
        facts: of `facts_of`.
        language: that its pages are believed to have, best first, -1 padding, shape (n, k).
        probability: how likely, shape (n, k).
    """
    names = np.array([*labels.names, languages.ZXX, None], dtype=object)
    no_letters = facts["no_letters"]
    label = np.stack([spelled(column, facts["labels"], labels) for column in language.T], axis=1)
    first, second = (np.where(no_letters, none, label[:, at]) for at, none in ((0, len(labels.names)), (1, -1)))
    label[:, 1:][probability[:, 1:] < LEAST] = -1
    label[no_letters] = -1
    answered = np.flatnonzero((first >= 0) & ~facts["unknown"])
    best, less = (np.round(probability[:, column].astype(np.float64), 6) for column in (0, 1))
    best[no_letters] = 1
    of_second: NDArray[Any] = less.astype(object)
    of_second[second < 0] = None
    columns: list[Any] = [
        facts["pages"][answered],
        names[first[answered]],
        best[answered],
        names[second[answered]],
        of_second[answered],
        facts["characters"][answered],
        np.full(len(answered), None),
        np.full(len(answered), None),
        _listed(label[answered], probability[answered], names),
        np.full(len(answered), None),
    ]
    return pa.Table.from_arrays(
        [pa.array(column, type=field.type) for column, field in zip(columns, ANSWERS, strict=True)], schema=ANSWERS
    )


def of_linked(
    labels: Labels, pages: NDArray[np.int64], language: NDArray[np.int16], probability: NDArray[np.float32]
) -> pa.Table:
    """The answers for URLs that were only linked to, as rows of `ANSWERS`; their lists are not kept.

    Args:
        labels: of all pages.
        pages: ids, shape (n,).
        language: as for `answers`.
        probability: as for `answers`.
    """
    names = pa.array([*labels.names, None], type=pa.string())
    first, second = (labels.usual[language[:, rank]] for rank in (0, 1))
    answered = np.flatnonzero(first >= 0)
    best, less = (np.round(probability[answered, rank].astype(np.float64), _DIGITS) for rank in (0, 1))
    columns = {
        "page": pa.array(pages[answered]),
        "label": names.take(pa.array(first[answered])),
        "confidence": pa.array(best),
        "runner_up_label": names.take(pa.array(second[answered] % len(names))),
        "runner_up_confidence": pa.array(less, mask=second[answered] < 0),
        "characters": pa.array(np.zeros(len(answered), np.int64)),
    }
    rest = {field.name: pa.nulls(len(answered), field.type) for field in ANSWERS if field.name not in columns}
    return pa.table({**columns, **rest}).select(ANSWERS.names).cast(ANSWERS)


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


def opened_partition(own: pa.Table, *more: pa.Table) -> tuple[int, Partition, Beside, dict[int, Any]]:
    """The number of a partition, its arrays with the links between its ghosts, what is beside, and all that there is.

    Args:
        own: rows of the partition.
        more: rows with its ghosts and the links between them.
    """
    kept = parcels.opened(own, *more)
    between = [one["links"] for sender, one in kept.items() if LINKS <= sender < ASKED]
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


def _sent(number: int, records: Records, routes: Mapping[int, NDArray[np.int64]]) -> list[dict[str, Any]]:
    return [row for home, pages in routes.items() for row in parcels.parcel(home, number, records.of(pages))]


def _listed(label: NDArray[np.int64], probability: NDArray[np.float32], names: NDArray[Any]) -> list[Any]:
    rounded = np.round(probability.astype(np.float64), 6).tolist()
    return [
        [{"label": names[one], "score": score} for one, score in zip(own, scores, strict=True) if one >= 0]
        for own, scores in zip(label.tolist(), rounded, strict=True)
    ]
