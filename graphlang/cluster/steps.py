"""On an executor: run the steps of `graphlang.graph.partitioned`, from the rows of one partition to rows for others.

A superstep writes for each neighbour the changed beliefs of its pages at the border. For the partition itself it writes
a checkpoint: everything the next superstep reads besides the prepared partition.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from graphlang.cluster import parcels
from graphlang.cluster.arrays import PageDetails, bundle_partition
from graphlang.cluster.parcels import (
    ASKED,
    BESIDE,
    COUNTS,
    FACTS,
    GHOSTS,
    LINKS,
    MOTION,
    MOVED,
    OBSERVED,
    ORDERED,
    PARTITION,
    PREPARED,
    READY,
    ROUTES,
    STATE,
    SURVEY,
)
from graphlang.cluster.tables import ANSWERS
from graphlang.codes import languages
from graphlang.content.score_lists import LEAST
from graphlang.graph.partitioned import list_counts
from graphlang.graph.partitioned.borders import (
    add_ghost_links,
    decode_ghosts,
    find_links_among,
    group_ghost_pairs,
    introduce,
    list_signals,
)
from graphlang.graph.partitioned.learning import join_samples, observe, survey
from graphlang.graph.partitioned.records import PageRecords, join_records
from graphlang.graph.partitioned.supersteps import (
    Step,
    advance,
    answer_of,
    apply_moves,
    find_border_labels,
    find_moves,
    first,
    is_settled,
    make_partition_ready,
    prepare_supersteps,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from graphlang.cluster.arrays import Labels
    from graphlang.graph.data import Answer
    from graphlang.graph.options import Options
    from graphlang.graph.partitioned.learning import Cut, PartitionParameters, Survey
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.propagation.rounds import Motion

_DIGITS = 4  # of confidences of URLs that were only linked to, as a database keeps them


@dataclass(frozen=True, slots=True, eq=False)
class Shared:
    """Parameters that all partitions share; later steps fill those that are None."""

    labels: Labels
    weights: Mapping[str, float]  #: of the signals
    options: Options
    cut: Cut
    most_links: int  #: of a partition
    linked: bool = True  #: whether URLs that were only linked to are answered for
    survey: Survey | None = None
    counts: list_counts.Counts | None = None
    learned: PartitionParameters | None = None


def make_partition(shared: Shared, pages: pa.Table, links: pa.Table) -> pa.Table:
    """Make a partition's arrays."""
    if not pages.num_rows:
        return parcels.make_table([])
    number = pages["partition"][0].as_py()
    partition, details = _make_partition(shared, pages, links)
    columns = {field.name: getattr(details, field.name) for field in fields(details)}
    return parcels.make_table(
        [*parcels.make_parcel(number, PARTITION, partition), *parcels.make_parcel(number, BESIDE, columns)]
    )


def _make_partition(shared: Shared, pages: pa.Table, links: pa.Table) -> tuple[Partition, PageDetails]:
    number = pages["partition"][0].as_py()
    return bundle_partition(number, pages, links, shared.labels, shared.weights, shared.most_links, shared.cut.hosts)


def survey_partition(shared: Shared, rows_kept: pa.Table) -> pa.Table:
    """Count in a partition, and introduce its pages at the border to its neighbours."""
    number, partition, details, _ = open_partition(rows_kept)
    counted = survey(partition, list_signals(partition, shared.options), shared.cut, shared.options)
    rows, routes = parcels.make_parcel(number, SURVEY, counted), partition.routes(details.ghosts, details.homes)
    return parcels.make_table(
        rows + _send_ghosts(number, introduce(partition, shared.options, shared.cut, routes), routes)
    )


def meet_neighbours(shared: Shared, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    """Store the ghosts, ask for the links between them, and send pages the places where lists name them."""
    number, partition, details, _ = open_partition(rows_kept)
    ghosts = decode_ghosts(partition, _join_records(messages))
    rows = parcels.make_parcel(number, GHOSTS, ghosts)
    for home, pages in group_ghost_pairs(ghosts, details.homes).items():
        rows += parcels.make_parcel(home, ASKED + number, {"pages": pages})
    named = list_counts.find_lists(partition, ghosts, require(shared.survey), shared.options)
    homes = np.full(len(named.pages), number, np.int32)
    away = np.flatnonzero(~partition.is_inside(named.pages))
    homes[away] = details.homes[np.searchsorted(details.ghosts, named.pages[away])]
    for home in np.unique(homes).tolist():
        at_home = homes == home
        rows += parcels.make_parcel(
            home, number, list_counts.Places(*(values[at_home] for values in (named.pages, named.context, named.lists)))
        )
    return parcels.make_table(rows)


def find_links(shared: Shared, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    """Answer which links join some pages."""
    del shared
    number, partition, _, _ = open_partition(rows_kept)
    rows: list[dict[str, Any]] = []
    for sender, question in parcels.open_parcels(messages).items():
        links = find_links_among(partition, question["pages"])
        if links.size:
            rows += parcels.make_parcel(sender - ASKED, LINKS + number, {"links": links})
    return parcels.make_table(rows)


def count_contexts(shared: Shared, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    """Count in which contexts lists name a partition's pages."""
    number, partition, _, _ = open_partition(rows_kept)
    places = list_counts.add_places(parcels.open_parcels(messages).values())
    return parcels.make_table(
        parcels.make_parcel(
            number, COUNTS, list_counts.count(partition, places, require(shared.survey), shared.options)
        )
    )


def observe_partition(shared: Shared, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    """Add the evidence of the order of links, and sample how links and signals behave."""
    number, partition, _, objects = open_partition(rows_kept, messages)
    counted, ghosts = require(shared.survey), objects[GHOSTS]
    places = list_counts.add_places(places_sent for sender, places_sent in objects.items() if 0 <= sender < LINKS)
    ordered = list_counts.add_link_order(
        partition, ghosts, places, require(shared.counts), counted, shared.cut, shared.options
    )
    seen = observe(ordered, ghosts, counted, shared.cut, shared.options)
    ordered_signals = {name: signal for name, signal in ordered.signals.items() if name not in partition.signals}
    return parcels.make_table(
        [*parcels.make_parcel(number, ORDERED, ordered_signals), *parcels.make_parcel(number, OBSERVED, seen)]
    )


def list_facts(partition: Partition, details: PageDetails) -> dict[str, Any]:
    """Return the data for the answers of a partition that are not inferred."""
    names = ("labels", "no_letters", "unknown", "characters", "read", "default_labels")
    return {"pages": partition.pages, **{name: getattr(details, name) for name in names}}


def list_inferred_answers(labels: Labels, facts: Mapping[str, Any], answer: Answer, *, linked: bool) -> pa.Table:
    """Return the answers of a partition's pages as rows of `ANSWERS`."""
    read, beliefs = facts["read"], (answer.languages, answer.probabilities)
    answers_read = list_answers(
        labels, {name: values[read] for name, values in facts.items()}, *(columns[read] for columns in beliefs)
    )
    if not linked:
        return answers_read
    return pa.concat_tables(
        [
            answers_read,
            answer_linked(
                labels, facts["pages"][~read], facts["default_labels"][~read], *(columns[~read] for columns in beliefs)
            ),
        ]
    )


def list_answers(
    labels: Labels, facts: Mapping[str, Any], language: NDArray[np.int16], probability: NDArray[np.float32]
) -> pa.Table:
    """Return the answers for pages that were read as rows of `ANSWERS`.

    Pages of which nothing is known have none; pages without letters are ``zxx``; a long text in a script of none of the
    method's languages has no answer, as on one machine (`graphlang.analysis.graph_output`).
    """
    names = np.array([*labels.names, languages.ZXX, None], dtype=object)
    no_letters = facts["no_letters"]
    texts = facts["labels"], facts["default_labels"]
    label = np.stack([labels.scripts.choose_labels(column, *texts) for column in language.T], axis=1)
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
        _list_scores(label[answered], probability[answered], names),
        np.full(len(answered), None),
    ]
    return pa.Table.from_arrays(
        [pa.array(column, type=field.type) for column, field in zip(columns, ANSWERS, strict=True)], schema=ANSWERS
    )


def answer_linked(
    labels: Labels,
    pages: NDArray[np.int64],
    default: NDArray[np.int16],
    language: NDArray[np.int16],
    probability: NDArray[np.float32],
) -> pa.Table:
    """Return the answers for URLs that were only linked to as rows of `ANSWERS`, without lists of scores."""
    names = pa.array([*labels.names, None], type=pa.string())
    no_text = np.zeros((len(pages), 0), np.int16)
    first, second = (labels.scripts.choose_labels(language[:, rank], no_text, default) for rank in (0, 1))
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
    """Join the samples of the partitions of one task: a sample never grows beyond what one machine draws."""
    seen: Any = None
    pieces: dict[int, list[dict[str, Any]]] = {}
    for batch in batches:
        for row in batch.to_pylist():
            pieces.setdefault(row["partition"], []).append(row)
    for number in sorted(pieces):
        sample = parcels.open_parcels(parcels.make_table(pieces.pop(number)))[OBSERVED]
        seen = join_samples([sample] if seen is None else [seen, sample])
    yield from parcels.make_table([] if seen is None else parcels.make_parcel(0, OBSERVED, seen)).to_batches()


def open_partition(rows_kept: pa.Table, *messages: pa.Table) -> tuple[int, Partition, PageDetails, dict[int, Any]]:
    """Return the number of a partition, its arrays with the links between ghosts, its details, and all objects sent."""
    objects = parcels.open_parcels(rows_kept, *messages)
    between = [sent["links"] for sender, sent in objects.items() if LINKS <= sender < ASKED]
    partition = add_ghost_links(objects[PARTITION], between) if between else objects[PARTITION]
    return rows_kept["partition"][0].as_py(), partition, PageDetails(**objects[BESIDE]), objects


def require(value: Any) -> Any:
    """Return what an earlier step learned."""
    if value is None:
        raise ValueError("a step ran before the step that it depends on")
    return value


def _join_records(messages: pa.Table) -> PageRecords:
    return join_records(list(parcels.open_parcels(messages).values()))


def _send_ghosts(number: int, records: PageRecords, routes: Mapping[int, NDArray[np.int64]]) -> list[dict[str, Any]]:
    return [row for home, pages in routes.items() for row in parcels.make_parcel(home, number, records.of(pages))]


def _list_scores(label: NDArray[np.int64], probability: NDArray[np.float32], names: NDArray[Any]) -> list[Any]:
    rounded = np.round(probability.astype(np.float64), 6).tolist()
    return [
        [
            {"label": names[label_number], "score": score}
            for label_number, score in zip(labels_of_page, scores, strict=True)
            if label_number >= 0
        ]
        for labels_of_page, scores in zip(label.tolist(), rounded, strict=True)
    ]


#: Supersteps after which a partition stores the state of all its pages, not only of those that moved.
SNAPSHOTS: Final = frozenset({8, 16, 32, 64, 128})


def make_ready(shared: Shared, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    """Make a partition ready, and send which languages its pages at the border may be in."""
    number, partition, details, objects = open_partition(rows_kept, messages)
    partition = replace(partition, signals={**partition.signals, **objects[ORDERED]})
    ready_partition = make_partition_ready(partition, require(shared.learned), objects[GHOSTS], shared.options)
    routes = partition.routes(details.ghosts, details.homes)
    pages = [np.zeros(0, np.int64), *routes.values()]
    homes = np.repeat(np.array(list(routes), np.int64), [len(pages_sent) for pages_sent in routes.values()])
    sent = {"pages": np.concatenate(pages), "homes": homes}
    rows = [*parcels.make_parcel(number, READY, ready_partition), *parcels.make_parcel(number, ROUTES, sent)]
    rows += parcels.make_parcel(number, FACTS, list_facts(partition, details))
    labels = find_border_labels(prepare_supersteps(ready_partition, None, shared.options))
    return parcels.make_table(
        rows + _send_records(number, labels, sent) + _send_largest_change(number, float(len(labels.pages) > 0))
    )


def prepare_partition(shared: Shared, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    """Prepare a partition for supersteps, and send what its pages at the border believe at first."""
    number, objects = rows_kept["partition"][0].as_py(), parcels.open_parcels(rows_kept)
    prepared = prepare_supersteps(objects[READY], _join_received(parcels.open_parcels(messages)), shared.options)
    rows = parcels.make_parcel(number, PREPARED, prepared)
    rows += [row for sender in (ROUTES, FACTS) for row in parcels.make_parcel(number, sender, objects[sender])]
    step = first(prepared, shared.options)
    rows += parcels.make_parcel(number, MOTION, step.motion)
    return parcels.make_table(rows + _send_step(number, step, join_records([]), step.motion, objects[ROUTES]))


def take_superstep(options: Options, superstep: int, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    """Take one superstep from the messages of the one before."""
    number, objects = rows_kept["partition"][0].as_py(), parcels.open_parcels(rows_kept)
    news, state = _receive(messages)
    beliefs, snapshot = state["beliefs"].update(news), objects[MOTION]
    done = Step(state["sent"], join_records([]), state["most"], apply_moves(snapshot, state["moves"]))
    if not is_settled(state["most"], len(news.pages), options):
        done = advance(objects[PREPARED], beliefs, done, options)
    rows = []
    if superstep in SNAPSHOTS:
        snapshot = done.motion
        rows = parcels.make_parcel(number, MOTION, snapshot)
    return parcels.make_table(rows + _send_step(number, done, beliefs, snapshot, objects[ROUTES]))


def answer_partition(shared: Shared, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    """Return the answers of a partition's pages as rows of `ANSWERS`."""
    if not rows_kept.num_rows:
        return ANSWERS.empty_table()
    objects = parcels.open_parcels(rows_kept)
    if PREPARED in objects:
        news, state = _receive(messages)
        motion = apply_moves(objects[MOTION], state["moves"])
        answer = answer_of(objects[PREPARED], state["beliefs"].update(news), motion, shared.options)
    else:
        answer = answer_of(
            prepare_supersteps(objects[READY], None, shared.options), join_records([]), None, shared.options
        )
    return list_inferred_answers(shared.labels, objects[FACTS], answer, linked=shared.linked)


def _receive(messages: pa.Table) -> tuple[PageRecords, Any]:
    """Return the new beliefs of the ghosts, and the state of the partition."""
    objects = parcels.open_parcels(messages)
    return _join_received(objects), objects[STATE]


def _join_received(objects: Mapping[int, Any]) -> PageRecords:
    return join_records([records for sender, records in objects.items() if sender >= 0])


def _send_step(
    number: int, step: Step, beliefs: PageRecords, snapshot: Motion, routes: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return rows for the neighbours of a partition, for itself and for the driver."""
    state = {
        "sent": step.border,
        "beliefs": beliefs,
        "most": float(step.largest_change),
        "moves": find_moves(snapshot, step.motion),
    }
    rows = parcels.make_parcel(number, STATE, state) + _send_largest_change(number, float(step.largest_change))
    return rows + _send_records(number, step.moved, routes)


def _send_records(number: int, records: PageRecords, routes: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return rows for the neighbours: the records of pages that they have as ghosts."""
    rows = []
    for other in np.unique(routes["homes"]).tolist():
        records_sent = records.of(routes["pages"][routes["homes"] == other])
        if len(records_sent.pages):
            rows += parcels.make_parcel(other, number, records_sent)
    return rows


def _send_largest_change(number: int, largest: float) -> list[dict[str, Any]]:
    return parcels.make_parcel(number, MOVED, {"most": largest})
