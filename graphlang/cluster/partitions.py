"""On the driver: run the inference over DataFrames step by step; each step is written before the next one begins.

No page, link or belief is sent to the driver: only counts, the sample of links to learn from, and the parameters.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from graphlang.analysis.graph_input import SHORT, join_scripts
from graphlang.analysis.page_scripts import HostLabels
from graphlang.analysis.propagate import SIGNALS
from graphlang.cluster import parcels, steps
from graphlang.cluster.arrays import LINKS, PAGES, find_listening, hash_names, number_labels, read_scores
from graphlang.cluster.one_task import OneTask, infer_tables
from graphlang.cluster.parcels import (
    ASKED,
    COUNTS,
    FACTS,
    MOTION,
    MOVED,
    OBSERVED,
    PARCELS,
    PREPARED,
    READY,
    ROUTES,
    STATE,
    SURVEY,
)
from graphlang.cluster.parcels import LINKS as LINKED
from graphlang.cluster.storage import Location
from graphlang.cluster.tables import ANSWERS, write_ddl
from graphlang.codes import languages
from graphlang.graph.options import Options
from graphlang.graph.partitioned import list_counts
from graphlang.graph.partitioned.learning import Cut, join_samples, learn, merge_surveys
from graphlang.graph.partitioned.partition import Cuts, cut_host, find_partitions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from graphlang.cluster.arrays import Labels

#: ``unknown``: whether the page has a long text in an unknown language; its links are left out.
ASSIGNED: Final = pa.schema([("page", pa.int64()), ("partition", pa.int32()), ("unknown", pa.bool_())])
_UNKNOWN: Final = f"coalesce(label = '{languages.UND}' AND characters >= {SHORT}, false) AS unknown"
#: SQL for what `graphlang.graph.partitioned.partition.find_host` says of a URL, and `directory_of`.
HOST: Final = "regexp_extract(url, '//([^/?#]*)', 1)"
_DIRECTORY: Final = r"regexp_extract(split_part(url, '?', 1), '^([\\s\\S]*)/', 1)"


def find_cuts(pages: Any, limit: int) -> Cuts:
    """Return where to cut the hosts that have more pages than a limit; only counts come to the driver."""
    hosts = pages.selectExpr(f"{HOST} AS host").groupBy("host").count().where(f"count > {limit}")
    named = [row["host"] for row in hosts.collect()]
    if not named:
        return Cuts(limit)
    large = hosts.select("host").hint("broadcast")
    urls = pages.selectExpr("url", f"{HOST} AS host").join(large, "host", "left_semi")
    counted = urls.selectExpr("host", f"{_DIRECTORY} AS directory").groupBy("host", "directory").count()
    directories: dict[bytes, dict[bytes, int]] = {}
    for host, directory, count in counted.toLocalIterator():
        directories.setdefault(host.encode(), {})[directory.encode()] = count
    return Cuts(limit, {host: cut_host(of, limit) for host, of in sorted(directories.items())})


def assign_partitions(pages: Any, cuts: Cuts, partitions: int) -> Any:
    """Return a DataFrame of `ASSIGNED`: every page with its partition."""
    shared = pages.sparkSession.sparkContext.broadcast(cuts)
    return pages.selectExpr("page", "url", _UNKNOWN).mapInArrow(
        partial(_assign, shared, partitions), write_ddl(ASSIGNED)
    )


def _assign(shared: Any, partitions: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        urls = [url.encode() for url in batch.column("url").to_pylist()]
        pages = batch.column("page")
        number = find_partitions(urls, pages.to_numpy(), shared.value, partitions)
        yield pa.RecordBatch.from_arrays([pages, pa.array(number), batch.column("unknown")], schema=ASSIGNED)


_PAGE: Final = pa.schema([("page", pa.int64())])


def select_inside(pages: Any, links: Any, labels: Labels, options: Options) -> Any:
    """Return a DataFrame of the pages that were read, and of those that a page links to which listens to neighbours.

    Other URLs that were only linked to are evidence for no page. In several partitions they are left out together with
    the links to them, which count in the shape of the graph where one task takes all pages.
    """
    has_answer = "label IS NOT NULL OR declared IS NOT NULL" if "declared" in pages.columns else "label IS NOT NULL"
    read = pages.where(has_answer)
    shared = pages.sparkSession.sparkContext.broadcast(labels)
    listeners = read.select("page", "characters", "scores").mapInArrow(
        partial(_select_listening, shared, options), write_ddl(_PAGE)
    )
    targets = links.join(listeners.withColumnRenamed("page", "source"), "source", "left_semi").selectExpr(
        "target AS page"
    )
    return read.select("page").unionByName(targets).distinct()


def _select_listening(shared: Any, options: Options, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        table = pa.Table.from_batches([batch])
        text_labels, score = read_scores(table, shared.value)
        indices, probabilities = join_scripts(shared.value.language[text_labels], score)
        characters = table["characters"].fill_null(0).to_numpy()
        length = np.where(indices[:, 0] < 0, 0, characters).astype(np.int32)
        rows = np.flatnonzero(find_listening(probabilities, length, options))
        yield batch.select(["page"]).take(pa.array(rows))


#: Pages of a partition, unless the user sets the number of partitions.
USUAL: Final = 250_000
#: Pages that one task takes at most where no more than `USUAL` of them were read, and links.
ALONE: Final = 10 * USUAL
_MOST_ALONE: Final = 20_000_000
_AT_ONCE: Final = 64  # partitions whose counts the driver holds at once
_SAID: Final = f"sender >= 0 OR sender = {STATE}"
_ROWS: Final = write_ddl(ANSWERS)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Limits of partitions, hosts and supersteps."""

    partitions: int | None = (
        None  #: None: one up to `USUAL` pages; else one for each core, or as many as needed for all to fit
    )
    host_pages: int = USUAL  #: a host with more pages is cut by directory
    most_links: int = 100_000_000  #: a partition with more is refused
    supersteps: int = 200  #: at most, as rounds on one machine


@dataclass(frozen=True, slots=True)
class Inferred:
    """The answers of an inference, and how it ended."""

    answers: Any  #: a DataFrame of `graphlang.cluster.tables.ANSWERS`
    partitions: int
    supersteps: int
    converged: bool
    moved: Sequence[float]  #: the largest move in each superstep
    warnings: Sequence[str]  #: of directories that had to be cut


def infer(
    pages: Any,
    links: Any,
    work: str,
    *,
    labels: Iterable[str] | None = None,
    options: Options | None = None,
    weights: Mapping[str, float] = SIGNALS,
    sizes: Sizes | None = None,
    answers: Location | None = None,
    linked: bool = True,
    progress: Callable[[str], None] = lambda _: None,
) -> Inferred:
    """Infer the language of every page.

    `pages` is a DataFrame of all pages, fetched or not: ``page``, ``url``, ``tld``, and the answer of a content method
    (``label``, ``characters``, ``scores``, ``read``), null where there is no text; ``declared`` and ``shares`` may be
    missing. `links` has ``source``, ``target``, ``kind``, ``hreflang`` and ``place``; both ends are pages. `work` is a
    folder that does not exist, for the results of steps. `labels` are those of the method, by default those that pages
    have; `weights` those of the signals (``graphlang.analysis.signals.NAMES``). The answers are written to `answers`,
    by default a folder in `work`; without `linked`, URLs that were only linked to get none. `progress` gets the name of
    each step.

    Raise a ValueError if neither text nor signal names a language.
    """
    sizes, folder = sizes or Sizes(), Location.of(work)
    inference = _PartitionedInference(pages.sparkSession, folder, answers or folder / "answers", progress)
    pages = _add_missing_columns(pages)
    progress("partition")
    many = inference.many = sizes.partitions or _choose_partition_count(pages, links)
    if many == 1:
        names = None if labels is None else sorted(labels)
        task = OneTask(names, weights, options or Options(), sizes.most_links, linked)
        return Inferred(inference.run_in_one_task(pages, links, task), many, 0, converged=True, moved=[], warnings=[])
    counted = pages.groupBy("label").count().collect()
    total = sum(row["count"] for row in counted)
    pages_by_label = {row["label"]: row["count"] for row in counted if row["label"] is not None}
    if labels is None:
        listed = pages.selectExpr("explode(scores.label) AS label").distinct()
        labels = {row["label"] for row in listed.collect()} | pages_by_label.keys()
    options, named = options or Options(), number_labels(labels, pages_by_label)
    if not linked:
        ids = inference.write_step("inside", select_inside(pages, links, named, options))
        pages = pages.join(ids, "page", "left_semi")
        links = links.join(ids.withColumnRenamed("page", "target"), "target", "left_semi")
        total = int(ids.count())
        many = inference.many = sizes.partitions or _find_lowest_ids(links, total)
    cuts = Cuts(sizes.host_pages)
    if total > sizes.host_pages:
        cuts = find_cuts(pages, sizes.host_pages)
        named = replace(named, cut_hosts=_count_labels_of_cut_hosts(pages, cuts, named))
    cut = Cut(cuts.cut_hosts(), cuts.cut_directories())
    shared = steps.Shared(named, weights, options, cut, sizes.most_links, linked)
    homes = inference.write_step("homes", assign_partitions(pages, cuts, many))
    partitions_written = inference.partitions(_join_pages(pages, homes, cuts), _join_links(links, homes), shared)
    with parcels.small_batches(pages.sparkSession):
        ready, shared = inference.learn(partitions_written, shared)
        moved, answered = inference.supersteps(ready, shared, sizes.supersteps)
    converged = not moved or moved[-1] <= shared.options.tolerance
    return Inferred(answered, many, len(moved), converged, moved, cuts.warnings())


def _count_labels_of_cut_hosts(pages: Any, cuts: Cuts, labels: Labels) -> HostLabels:
    """Count the labels of languages with several scripts on the hosts that are cut."""
    hosts = pages.sparkSession.createDataFrame([(host.decode(),) for host in cuts.hosts], "host string")
    names = ", ".join(f"'{name}'" for name in labels.several)
    best = pages.selectExpr("scores[0].label AS label", f"{HOST} AS host")
    some = best.where(f"label IN ({names})" if names else "false")
    rows = some.join(hosts.hint("broadcast"), "host", "left_semi").groupBy("host", "label").count().collect()
    host = hash_names(row["host"].encode() for row in rows)
    label = np.array([labels.scripts.number[row["label"]] for row in rows], dtype=np.int64)
    return HostLabels.count(labels.scripts, host, label, np.array([row["count"] for row in rows], dtype=np.int64))


def _choose_partition_count(pages: Any, links: Any) -> int:
    """Return into how many partitions pages are cut: one, if they fit it, for borders cost more than they bring."""
    count = int(pages.count())
    if count <= USUAL:
        return 1
    read = int(pages.where("label IS NOT NULL OR declared IS NOT NULL").count())
    if fits_one_task(count, read, 0) and fits_one_task(count, read, links.count()):
        return 1
    return _find_lowest_ids(links, count)


def fits_one_task(pages: int, read: int, links: int) -> bool:
    """True if one task can take all pages of a collection, fetched or only linked to.

    >>> fits_one_task(ALONE, USUAL, 0), fits_one_task(ALONE, USUAL + 1, 0), fits_one_task(USUAL, USUAL, 1 << 40)
    (True, False, True)
    """
    return pages <= USUAL or (pages <= ALONE and read <= USUAL and links <= _MOST_ALONE)


def _find_lowest_ids(frame: Any, pages: int) -> int:
    return max(int(frame.sparkSession.sparkContext.defaultParallelism), -(-pages // USUAL))


def _add_missing_columns(pages: Any) -> Any:
    """Add null columns for those that may be missing."""
    for name, fields in (("declared", "source: string, value: string"), ("shares", "label: string, share: double")):
        if name not in pages.columns:
            pages = pages.selectExpr("*", f"CAST(NULL AS array<struct<{fields}>>) AS {name}")
    return pages


def _join_pages(pages: Any, homes: Any, cuts: Cuts) -> Any:
    """Return the pages of all partitions with the columns of `PAGES`."""
    placed = pages.select(*(name for name in PAGES if name != "copies"))
    placed = placed.join(homes.select("page", "partition"), "page")
    if not cuts.hosts:
        return placed.selectExpr("partition", *PAGES[:-1], "CAST(NULL AS int) AS copies")
    # The pages of a host that is cut are not all in one partition: their copies are counted here.
    hosts = pages.sparkSession.createDataFrame([(host.decode(),) for host in cuts.hosts], "host string")
    short = placed.where(f"read IS NOT NULL AND characters < {SHORT}").selectExpr("page", "read", f"{HOST} AS host")
    short = short.join(hosts.hint("broadcast"), "host", "left_semi")
    copies = short.groupBy("host", "read").count().where("count > 1")
    copied = short.join(copies, ["host", "read"]).selectExpr("page", "CAST(count AS int) AS copies")
    return placed.join(copied, "page", "left").select("partition", *PAGES)


def _join_links(links: Any, homes: Any) -> Any:
    """Return the links of all partitions with the columns of `LINKS`; one across a border is in both.

    Links of pages in an unknown language are left out, as on one machine.
    """
    homes = homes.where("NOT unknown")
    named = links.select("source", "target", "kind", "hreflang", "place")
    for end in ("source", "target"):
        of_end = homes.selectExpr(f"page AS {end}", f"partition AS {end}_home").hint("shuffle_hash")
        named = named.join(of_end, end)
    both = "IF(source_home = target_home, array(source_home), array(source_home, target_home))"
    placed = named.selectExpr("*", f"explode({both}) AS partition")
    other = "IF(partition = source_home, target_home, source_home) AS other"
    return placed.selectExpr("*", other).select("partition", *LINKS)


class _PartitionedInference:
    """Run the steps, and write each to its own folder."""

    def __init__(self, spark: Any, folder: Location, answers: Location, progress: Callable[[str], None]) -> None:
        self._spark, self._folder, self._answers, self._progress = spark, folder, answers, progress
        self.many = 1

    def write_step(self, name: str, frame: Any, folder: Location | None = None) -> Any:
        """Write a step, and read it from there."""
        folder = folder or self._folder / name
        options = parcels.WRITTEN if "data" in frame.columns else {}
        frame.write.options(**options).parquet(folder.for_spark_to_write)
        return self._spark.read.schema(frame.schema).parquet(folder.for_spark)

    def run_in_one_task(self, pages: Any, links: Any, task: OneTask) -> Any:
        """Return the answers of one task, which takes all pages from files."""
        self._progress("infer")
        names = [name for name in PAGES if name in pages.columns]
        self.write_step("pages", pages.select(*names))
        self.write_step("links", links.select("source", "target", "kind", "hreflang", "place"))
        work = partial(_infer_in_task, task, [(self._folder / "pages", names)], self._folder / "links")
        done = self._spark.range(0, 1, 1, 1).mapInArrow(work, _ROWS)
        return self.write_step("answers", done, self._answers)

    def partitions(self, pages: Any, links: Any, shared: steps.Shared) -> Any:
        """Return the arrays of all partitions."""
        grouped = self._group_by_partition(pages).cogroup(self._group_by_partition(links))
        return self.write_step(
            "partitions", grouped.applyInArrow(partial(_make, self._broadcast(shared)), write_ddl(PARCELS))
        )

    def learn(self, partitions: Any, shared: steps.Shared) -> tuple[Any, steps.Shared]:
        """Learn the parameters that all partitions share, and prepare each partition."""
        rows_kept = self._persist(partitions)
        begun = self._step("begin", steps.survey_partition, shared, rows_kept)
        shared = replace(shared, survey=merge_surveys(self._collect(begun, SURVEY)))
        met = self._step("meet", steps.meet_neighbours, shared, rows_kept, begun.where("sender >= 0"))
        places = met.where(f"sender >= 0 AND sender < {LINKED}")
        links_found = self._step("tell", steps.find_links, shared, rows_kept, met.where(f"sender >= {ASKED}"))
        near = met.where("sender < 0").unionByName(links_found)
        counts = list_counts.add_list_counts([])
        if shared.survey is not None and len(list_counts.find_multilingual(shared.survey)):
            counted = self._step("count", steps.count_contexts, shared, rows_kept, places)
            for partition_counts in self._collect(counted, COUNTS):
                counts = list_counts.add_list_counts([counts, partition_counts])
        shared = replace(shared, counts=counts)
        seen = self._step("look", steps.observe_partition, shared, rows_kept, near.unionByName(places))
        drawn = (
            seen.where(f"sender = {OBSERVED}").coalesce(max(1, self.many // 16)).mapInArrow(_gather, write_ddl(PARCELS))
        )
        drawn = self.write_step(
            "drawn", drawn.selectExpr("spark_partition_id() AS partition", "sender", "number", "data")
        )
        seen_of: Any = None
        for sample in self._collect(drawn, OBSERVED):
            seen_of = sample if seen_of is None else join_samples([seen_of, sample])
        if shared.survey is None:
            raise ValueError("there are no pages")
        shared = replace(shared, learned=learn(shared.survey, seen_of, shared.cut))
        near = near.unionByName(seen.where(f"sender = {parcels.ORDERED}"))
        partitions = self._step("ready", steps.make_ready, shared, rows_kept, near)
        rows_kept.unpersist()
        return partitions, shared

    def supersteps(self, messages: Any, shared: steps.Shared, limit: int) -> tuple[list[float], Any]:
        """Take supersteps until no belief moves; return the moves and the answers."""
        rows_kept = self._persist(messages.where(f"sender IN ({READY}, {ROUTES}, {FACTS})"))
        moved: list[float] = []
        if self._find_largest_move(messages):
            messages = self._step("prepare", steps.prepare_partition, shared, rows_kept, messages.where("sender >= 0"))
            rows_kept.unpersist()
            rows_kept = self._persist(messages.where(f"sender IN ({PREPARED}, {ROUTES}, {FACTS}, {MOTION})"))
            while len(moved) < limit and not (moved and moved[-1] <= shared.options.tolerance):
                number = len(moved) + 1
                self._progress(f"superstep {number}")
                grouped = self._cogroup(rows_kept, messages.where(_SAID))
                work = partial(_run_superstep, shared.options, number)
                messages = self.write_step(f"superstep-{number}", grouped.applyInArrow(work, write_ddl(PARCELS)))
                moved.append(self._find_largest_move(messages))
                if number in steps.SNAPSHOTS:
                    stood = messages.where(f"sender = {MOTION}")
                    rows_now = self._persist(rows_kept.where(f"sender <> {MOTION}").unionByName(stood))
                    rows_now.count()  # before its source is dropped
                    rows_kept.unpersist()
                    rows_kept = rows_now
        self._progress("answer")
        work = partial(_answer, self._broadcast(shared))
        answered = self._cogroup(rows_kept, messages.where(_SAID)).applyInArrow(work, _ROWS)
        answered = self.write_step("answers", answered, self._answers)
        rows_kept.unpersist()
        return moved, answered

    def _persist(self, frame: Any) -> Any:
        """Keep rows of partitions that several steps read on the disks of their executors."""
        return frame.repartition(self.many, "partition").persist(_choose_storage())

    def _group_by_partition(self, frame: Any) -> Any:
        return frame.repartition(self.many, "partition").groupBy("partition")

    def _cogroup(self, rows_kept: Any, messages: Any) -> Any:
        """Group rows of `_persist` with the messages to each partition."""
        return rows_kept.groupBy("partition").cogroup(self._group_by_partition(messages))

    def _broadcast(self, shared: steps.Shared) -> Any:
        return self._spark.sparkContext.broadcast(shared)

    def _step(
        self, name: str, work: Callable[..., Any], shared: steps.Shared, rows_kept: Any, messages: Any | None = None
    ) -> Any:
        """Run one step on every partition."""
        self._progress(name)
        sent = self._broadcast(shared)
        if messages is None:
            # Spark looks at the annotations of a function, and cannot those of a partial one.
            rows = rows_kept.groupBy("partition").applyInArrow(lambda rows: work(sent.value, rows), write_ddl(PARCELS))
        else:
            rows = self._cogroup(rows_kept, messages).applyInArrow(partial(_run_step, work, sent), write_ddl(PARCELS))
        return self.write_step(name, rows)

    def _find_largest_move(self, messages: Any) -> float:
        """Return the largest move."""
        rows = messages.where(f"sender = {MOVED}").select("partition", "sender", "number", "data").collect()
        moves = [parcels.open_parcels(parcels.make_table([row.asDict()]))[MOVED]["most"] for row in rows]
        return max(moves, default=0.0)

    def _collect(self, frame: Any, sender: int) -> Iterator[Any]:
        """Yield the data that each partition sent to the driver, one partition at a time."""
        rows = frame.where(f"sender = {sender}").repartition(max(1, self.many // _AT_ONCE), "partition")
        pieces: list[dict[str, Any]] = []
        for row in rows.sortWithinPartitions("partition", "number").toLocalIterator():
            if pieces and pieces[0]["partition"] != row["partition"]:
                yield parcels.open_parcels(parcels.make_table(pieces))[sender]
                pieces = []
            pieces.append(row.asDict())
        if pieces:
            yield parcels.open_parcels(parcels.make_table(pieces))[sender]


def _choose_storage() -> Any:
    from pyspark import StorageLevel  # noqa: PLC0415 - an extra

    return StorageLevel.DISK_ONLY


def _make(shared: Any, pages: pa.Table, links: pa.Table) -> pa.Table:
    return steps.make_partition(shared.value, pages, links)


def _infer_in_task(
    task: OneTask,
    pages: Sequence[tuple[Location, Sequence[str]]],
    links: Location,
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if batch.num_rows:
            yield from infer_tables(task, pages, links)


def _run_step(work: Callable[..., Any], shared: Any, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    return work(shared.value, rows_kept, messages) if rows_kept.num_rows else parcels.make_table([])


def _run_superstep(options: Options, number: int, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    return steps.take_superstep(options, number, rows_kept, messages) if rows_kept.num_rows else parcels.make_table([])


def _answer(shared: Any, rows_kept: pa.Table, messages: pa.Table) -> pa.Table:
    return steps.answer_partition(shared.value, rows_kept, messages)


def _gather(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return steps.gather(batches)
