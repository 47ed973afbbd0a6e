"""On the driver: the inference over DataFrames, step by step; each step is written down before the next one begins.

No page, link or belief comes to the driver: only counts, the few links that it learns from, and what was learned.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from graphlang.analysis.arrays.graph_input import SHORT
from graphlang.analysis.propagate import SIGNALS
from graphlang.cluster.inference import assign, parcels, steps, supersteps
from graphlang.cluster.inference.assign import HOST
from graphlang.cluster.inference.bundle import LINKS, PAGES
from graphlang.cluster.inference.inside import ids_inside
from graphlang.cluster.inference.labels import labels_of
from graphlang.cluster.inference.parcels import (
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
from graphlang.cluster.inference.parcels import LINKS as LINKED
from graphlang.cluster.one_task import OneTask, infer_tables
from graphlang.cluster.storage import Location
from graphlang.cluster.tables import ANSWERS, ddl
from graphlang.graph.partitioned import link_order as order
from graphlang.graph.partitioned.assign import Cuts
from graphlang.graph.partitioned.learning import Cut, gathered, learn, merged
from graphlang.graph.propagation.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

#: Pages of a partition, where the user says nothing of how many there are.
USUAL: Final = 250_000
#: Pages that one task takes at most where no more than `USUAL` of them were read, and links.
ALONE: Final = 10 * USUAL
_MOST_ALONE: Final = 20_000_000
_AT_ONCE: Final = 64  # partitions whose counts the driver holds at once
_SAID: Final = f"sender >= 0 OR sender = {STATE}"
_ROWS: Final = ddl(ANSWERS)


@dataclass(frozen=True, slots=True)
class Sizes:
    """How the work is cut."""

    partitions: int | None = None  #: None: one up to `USUAL` pages; else one for each core, or so many that all fit
    host_pages: int = USUAL  #: a host with more pages is cut by directory
    most_links: int = 100_000_000  #: a partition with more is refused
    supersteps: int = 200  #: at most, as rounds on one machine


@dataclass(frozen=True, slots=True)
class Inferred:
    """What came of it."""

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

    Args:
        pages: a DataFrame of all pages, fetched or not: ``page``, ``url``, ``tld``, and the answer of a content method
            (``label``, ``characters``, ``scores``, ``read``), null where there is no text; ``declared`` and ``shares``
            may be missing.
        links: a DataFrame of ``source``, ``target``, ``kind``, ``hreflang`` and ``place``; both ends are pages.
        work: a folder that does not exist, for what is written between steps.
        labels: that the method may give; None: those that pages have.
        options: weights and limits of the inference.
        weights: of the signals, see ``graphlang.analysis.arrays.signals.NAMES``.
        sizes: how the work is cut.
        answers: the folder that the answers are written to; None: one in ``work``.
        linked: whether URLs that were only linked to are answered for.
        progress: called with the name of each step.

    Raises:
        ValueError: neither text nor signal names a language.
    """
    sizes, folder = sizes or Sizes(), Location.of(work)
    work_ = _Work(pages.sparkSession, folder, answers or folder / "answers", progress)
    pages = _with_all_columns(pages)
    progress("partition")
    many = work_.many = sizes.partitions or _partitions(pages, links)
    if many == 1:
        names = None if labels is None else sorted(labels)
        task = OneTask(names, weights, options or Options(), sizes.most_links, linked)
        return Inferred(work_.one_task(pages, links, task), many, 0, converged=True, moved=[], warnings=[])
    counted = pages.groupBy("label").count().collect()
    total = sum(row["count"] for row in counted)
    known = {row["label"]: row["count"] for row in counted if row["label"] is not None}
    if labels is None:
        listed = pages.selectExpr("explode(scores.label) AS label").distinct()
        labels = {row["label"] for row in listed.collect()} | known.keys()
    options, named = options or Options(), labels_of(labels, known)
    if not linked:
        ids = work_.written("inside", ids_inside(pages, links, named, options))
        pages = pages.join(ids, "page", "left_semi")
        links = links.join(ids.withColumnRenamed("page", "target"), "target", "left_semi")
        total = int(ids.count())
        many = work_.many = sizes.partitions or _least(links, total)
    cuts = Cuts(sizes.host_pages)
    if total > sizes.host_pages:
        cuts = assign.cuts_of(pages, sizes.host_pages)
    cut = Cut(cuts.cut_hosts(), cuts.cut_directories())
    given = steps.Given(named, weights, options, cut, sizes.most_links, linked)
    homes = work_.written("homes", assign.assigned(pages, cuts, many))
    made = work_.partitions(_pages(pages, homes, cuts), _links(links, homes), given)
    with parcels.one_at_a_time(pages.sparkSession):
        ready, given = work_.learned(made, given)
        moved, answered = work_.supersteps(ready, given, sizes.supersteps)
    converged = not moved or moved[-1] <= given.options.tolerance
    return Inferred(answered, many, len(moved), converged, moved, cuts.warnings())


def _partitions(pages: Any, links: Any) -> int:
    """Return into how many partitions pages are cut: one, if they fit it, for borders cost more than they bring."""
    count = int(pages.count())
    if count <= USUAL:
        return 1
    read = int(pages.where("label IS NOT NULL OR declared IS NOT NULL").count())
    if fits_one_task(count, read, 0) and fits_one_task(count, read, links.count()):
        return 1
    return _least(links, count)


def fits_one_task(pages: int, read: int, links: int) -> bool:
    """Whether one task can take all pages of a collection.

    Args:
        pages: fetched or only linked to.
        read: those that were fetched.
        links: between them.

    >>> fits_one_task(ALONE, USUAL, 0), fits_one_task(ALONE, USUAL + 1, 0), fits_one_task(USUAL, USUAL, 1 << 40)
    (True, False, True)
    """
    return pages <= USUAL or (pages <= ALONE and read <= USUAL and links <= _MOST_ALONE)


def _least(frame: Any, pages: int) -> int:
    return max(int(frame.sparkSession.sparkContext.defaultParallelism), -(-pages // USUAL))


def _with_all_columns(pages: Any) -> Any:
    """Pages with null for what may be missing."""
    for name, fields in (("declared", "source: string, value: string"), ("shares", "label: string, share: double")):
        if name not in pages.columns:
            pages = pages.selectExpr("*", f"CAST(NULL AS array<struct<{fields}>>) AS {name}")
    return pages


def _pages(pages: Any, homes: Any, cuts: Cuts) -> Any:
    """The pages of all partitions with the columns of `PAGES`."""
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


def _links(links: Any, homes: Any) -> Any:
    """The links of all partitions with the columns of `LINKS`; one across a border stands in both.

    Those of pages in a language that is not known are left out, as on one machine.
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


class _Work:
    """The steps, each written to a folder of its own."""

    def __init__(self, spark: Any, folder: Location, answers: Location, progress: Callable[[str], None]) -> None:
        self._spark, self._folder, self._answers, self._progress = spark, folder, answers, progress
        self.many = 1

    def written(self, name: str, frame: Any, folder: Location | None = None) -> Any:
        """Write a step, and read it from there."""
        folder = folder or self._folder / name
        options = parcels.WRITTEN if "data" in frame.columns else {}
        frame.write.options(**options).parquet(folder.for_spark_to_write)
        return self._spark.read.schema(frame.schema).parquet(folder.for_spark)

    def one_task(self, pages: Any, links: Any, task: OneTask) -> Any:
        """The answers, where one task takes all pages from files."""
        self._progress("infer")
        names = [name for name in PAGES if name in pages.columns]
        self.written("pages", pages.select(*names))
        self.written("links", links.select("source", "target", "kind", "hreflang", "place"))
        work = partial(_infer_in_task, task, [(self._folder / "pages", names)], self._folder / "links")
        done = self._spark.range(0, 1, 1, 1).mapInArrow(work, _ROWS)
        return self.written("answers", done, self._answers)

    def partitions(self, pages: Any, links: Any, given: steps.Given) -> Any:
        """The arrays of all partitions."""
        grouped = self._by_partition(pages).cogroup(self._by_partition(links))
        return self.written("partitions", grouped.applyInArrow(partial(_make, self._shared(given)), ddl(PARCELS)))

    def learned(self, made: Any, given: steps.Given) -> tuple[Any, steps.Given]:
        """Learn what is common to all partitions, and make each ready."""
        own = self._kept(made)
        begun = self._step("begin", steps.begin, given, own)
        given = replace(given, survey=merged(self._collected(begun, SURVEY)))
        met = self._step("meet", steps.meet, given, own, begun.where("sender >= 0"))
        places = met.where(f"sender >= 0 AND sender < {LINKED}")
        told = self._step("tell", steps.tell, given, own, met.where(f"sender >= {ASKED}"))
        near = met.where("sender < 0").unionByName(told)
        counts = order.added([])
        if given.survey is not None and len(order.several(given.survey)):
            counted = self._step("count", steps.count, given, own, places)
            for one in self._collected(counted, COUNTS):
                counts = order.added([counts, one])
        given = replace(given, counts=counts)
        seen = self._step("look", steps.look, given, own, near.unionByName(places))
        drawn = seen.where(f"sender = {OBSERVED}").coalesce(max(1, self.many // 16)).mapInArrow(_gather, ddl(PARCELS))
        drawn = self.written("drawn", drawn.selectExpr("spark_partition_id() AS partition", "sender", "number", "data"))
        seen_of: Any = None
        for one in self._collected(drawn, OBSERVED):
            seen_of = one if seen_of is None else gathered([seen_of, one])
        if given.survey is None:
            raise ValueError("there are no pages")
        given = replace(given, learned=learn(given.survey, seen_of, given.cut))
        near = near.unionByName(seen.where(f"sender = {parcels.ORDERED}"))
        made = self._step("ready", supersteps.ready, given, own, near)
        own.unpersist()
        return made, given

    def supersteps(self, said: Any, given: steps.Given, most: int) -> tuple[list[float], Any]:
        """Supersteps until no belief moves; the moves, and the answers."""
        own = self._kept(said.where(f"sender IN ({READY}, {ROUTES}, {FACTS})"))
        moved: list[float] = []
        if self._moved(said):
            said = self._step("prepare", supersteps.prepare, given, own, said.where("sender >= 0"))
            own.unpersist()
            own = self._kept(said.where(f"sender IN ({PREPARED}, {ROUTES}, {FACTS}, {MOTION})"))
            while len(moved) < most and not (moved and moved[-1] <= given.options.tolerance):
                number = len(moved) + 1
                self._progress(f"superstep {number}")
                grouped = self._beside(own, said.where(_SAID))
                work = partial(_superstep, given.options, number)
                said = self.written(f"superstep-{number}", grouped.applyInArrow(work, ddl(PARCELS)))
                moved.append(self._moved(said))
                if number in supersteps.SNAPSHOTS:
                    stood = said.where(f"sender = {MOTION}")
                    anew = self._kept(own.where(f"sender <> {MOTION}").unionByName(stood))
                    anew.count()  # while what it is made of is there
                    own.unpersist()
                    own = anew
        self._progress("answer")
        work = partial(_answer, self._shared(given))
        answered = self._beside(own, said.where(_SAID)).applyInArrow(work, _ROWS)
        answered = self.written("answers", answered, self._answers)
        own.unpersist()
        return moved, answered

    def _kept(self, frame: Any) -> Any:
        """Rows of partitions that several steps read: they lie where they are worked on."""
        return frame.repartition(self.many, "partition").persist(_storage())

    def _by_partition(self, frame: Any) -> Any:
        return frame.repartition(self.many, "partition").groupBy("partition")

    def _beside(self, own: Any, said: Any) -> Any:
        """Rows of partitions of `_kept`, and what is said to each."""
        return own.groupBy("partition").cogroup(self._by_partition(said))

    def _shared(self, given: steps.Given) -> Any:
        return self._spark.sparkContext.broadcast(given)

    def _step(self, name: str, work: Callable[..., Any], given: steps.Given, own: Any, said: Any | None = None) -> Any:
        """One step on every partition."""
        self._progress(name)
        shared = self._shared(given)
        if said is None:
            # Spark looks at the annotations of a function, and cannot those of a partial one.
            made = own.groupBy("partition").applyInArrow(lambda rows: work(shared.value, rows), ddl(PARCELS))
        else:
            made = self._beside(own, said).applyInArrow(partial(_worked, work, shared), ddl(PARCELS))
        return self.written(name, made)

    def _moved(self, said: Any) -> float:
        """What moved most."""
        rows = said.where(f"sender = {MOVED}").select("partition", "sender", "number", "data").collect()
        found = [parcels.opened(parcels.table([row.asDict()]))[MOVED]["most"] for row in rows]
        return max(found, default=0.0)

    def _collected(self, frame: Any, sender: int) -> Iterator[Any]:
        """What each partition made for the driver, one after the other."""
        rows = frame.where(f"sender = {sender}").repartition(max(1, self.many // _AT_ONCE), "partition")
        pieces: list[dict[str, Any]] = []
        for row in rows.sortWithinPartitions("partition", "number").toLocalIterator():
            if pieces and pieces[0]["partition"] != row["partition"]:
                yield parcels.opened(parcels.table(pieces))[sender]
                pieces = []
            pieces.append(row.asDict())
        if pieces:
            yield parcels.opened(parcels.table(pieces))[sender]


def _storage() -> Any:
    from pyspark import StorageLevel  # noqa: PLC0415 - an extra

    return StorageLevel.DISK_ONLY


def _make(shared: Any, pages: pa.Table, links: pa.Table) -> pa.Table:
    return steps.make(shared.value, pages, links)


def _infer_in_task(
    task: OneTask,
    pages: Sequence[tuple[Location, Sequence[str]]],
    links: Location,
    batches: Iterable[pa.RecordBatch],
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if batch.num_rows:
            yield from infer_tables(task, pages, links)


def _worked(work: Callable[..., Any], shared: Any, own: pa.Table, said: pa.Table) -> pa.Table:
    return work(shared.value, own, said) if own.num_rows else parcels.table([])


def _superstep(options: Options, number: int, own: pa.Table, said: pa.Table) -> pa.Table:
    return supersteps.step(options, number, own, said) if own.num_rows else parcels.table([])


def _answer(shared: Any, own: pa.Table, said: pa.Table) -> pa.Table:
    return supersteps.answer(shared.value, own, said)


def _gather(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return steps.gather(batches)
