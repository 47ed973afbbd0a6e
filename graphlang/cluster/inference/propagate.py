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
from graphlang.cluster.inference.bundle import LINKS, PAGES
from graphlang.cluster.inference.labels import labels_of
from graphlang.cluster.inference.parcels import ASKED, COUNTS, MOVED, OBSERVED, PARCELS, RESULT, SURVEY
from graphlang.cluster.inference.parcels import LINKS as LINKED
from graphlang.cluster.tables import ddl
from graphlang.graph.partitioned import order
from graphlang.graph.partitioned.learn import learn
from graphlang.graph.partitioned.observe import gathered
from graphlang.graph.partitioned.survey import Cut, merged
from graphlang.graph.propagation.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

#: Pages of a partition, where the user says nothing of how many there are.
USUAL: Final = 250_000
_RESULTS: Final = f"sender = {RESULT}"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How the work is cut."""

    partitions: int | None = None  #: None: one for each core, or more where these would have more than `USUAL` pages
    host_pages: int = USUAL  #: a host with more pages is cut by directory
    most_links: int = 100_000_000  #: a partition with more is refused
    supersteps: int = 30  #: at most


@dataclass(frozen=True, slots=True)
class Inferred:
    """What came of it."""

    answers: Any  #: a DataFrame of `graphlang.cluster.inference.steps.ANSWERS`
    partitions: int
    supersteps: int
    converged: bool
    moved: Sequence[float]  #: the largest move at a border in each superstep
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
    progress: Callable[[str], None] = lambda _: None,
) -> Inferred:
    """Infer the language of every page.

    Args:
        pages: a DataFrame of all pages, fetched or not: ``page``, ``url``, ``tld``, and what a content method says of
            them (``label``, ``characters``, ``scores``, ``read``), null where there is no text; ``declared`` may be
            missing.
        links: a DataFrame of ``source``, ``target``, ``kind``, ``hreflang`` and ``place``; both ends are pages.
        work: a folder that does not exist, for what is written between steps.
        labels: that the method may give; None: those that pages have.
        options: weights and limits of the inference.
        weights: of the signals, see ``graphlang.analysis.arrays.signals.NAMES``.
        sizes: how the work is cut.
        progress: told the name of each step.

    Raises:
        ValueError: neither text nor signal names a language.
    """
    spark = pages.sparkSession
    sizes = sizes or Sizes()
    work_ = _Work(spark, work, progress)
    progress("partition")
    many = sizes.partitions or max(spark.sparkContext.defaultParallelism, -(-pages.count() // USUAL))
    cuts = assign.cuts_of(pages, sizes.host_pages)
    homes = work_.written("homes", assign.assigned(pages, cuts, many))
    known = {row["label"]: row["count"] for row in pages.where("label IS NOT NULL").groupBy("label").count().collect()}
    if labels is None:
        named = pages.selectExpr("explode(scores.label) AS label").distinct()
        labels = {row["label"] for row in named.collect()} | known.keys()
    cut = Cut(cuts.cut_hosts(), cuts.cut_directories())
    given = steps.Given(labels_of(labels, known), weights, options or Options(), cut, sizes.most_links)
    work_.many = many
    own = work_.paired("partitions", _pages(pages, homes), _links(links, homes), partial(steps.make, given))
    done = work_.learned(own, given)
    numbers, moved, last = work_.supersteps(done, sizes.supersteps)
    converged = not moved or moved[-1] <= done.options.tolerance
    both = work_.together(own, last.where(_RESULTS))
    answered = both.applyInArrow(partial(_answer, spark.sparkContext.broadcast(done)), ddl(steps.ANSWERS))
    return Inferred(work_.written("answers", answered), many, numbers, converged, moved, cuts.warnings())


def _pages(pages: Any, homes: Any) -> Any:
    """The pages of all partitions with the columns of `PAGES`."""
    if "declared" not in pages.columns:
        pages = pages.selectExpr("*", "CAST(NULL AS array<struct<source: string, value: string>>) AS declared")
    columns = ("page", "url", "tld", "label", "characters", "scores", "declared", "read")
    placed = pages.select(*columns).join(homes, "page")
    short = placed.where(f"read IS NOT NULL AND characters < {SHORT}")
    copies = short.groupBy("host", "read").count().where("count > 1").withColumnRenamed("count", "copies")
    copied = short.select("page", "host", "read").join(copies, ["host", "read"]).select("page", "copies")
    return placed.join(copied, "page", "left").select("partition", *PAGES)


def _links(links: Any, homes: Any) -> Any:
    """The links of all partitions with the columns of `LINKS`; one across a border stands in both."""
    ends = [
        homes.selectExpr(f"page AS {end}", f"partition AS {end}_home").hint("shuffle_hash")
        for end in ("source", "target")
    ]
    named = (
        links.select("source", "target", "kind", "hreflang", "place").join(ends[0], "source").join(ends[1], "target")
    )
    both = "IF(source_home = target_home, array(source_home), array(source_home, target_home))"
    placed = named.selectExpr("*", f"explode({both}) AS partition")
    other = "IF(partition = source_home, target_home, source_home) AS other"
    return placed.selectExpr("*", other).select("partition", *LINKS)


class _Work:
    """The steps, each written to a folder of its own."""

    def __init__(self, spark: Any, folder: str, progress: Callable[[str], None]) -> None:
        self._spark, self._folder, self._progress = spark, folder, progress
        self.many = 1
        self._shared: Any = None

    def written(self, name: str, frame: Any) -> Any:
        """Write a step, and read it from there."""
        frame.write.parquet(f"{self._folder}/{name}")
        return self._spark.read.parquet(f"{self._folder}/{name}")

    def paired(self, name: str, left: Any, right: Any, work: Callable[..., Any]) -> Any:
        """What some work makes of the rows of each partition in two DataFrames; the first has some of all."""
        return self.written(name, self.together(left, right).applyInArrow(work, ddl(PARCELS)))

    def together(self, left: Any, right: Any) -> Any:
        """Two DataFrames by partition."""
        grouped = [one.repartition(self.many, "partition").groupBy("partition") for one in (left, right)]
        return grouped[0].cogroup(grouped[1])

    def step(self, name: str, work: Callable[..., Any], given: steps.Given, own: Any, said: Any | None = None) -> Any:
        """One step on every partition."""
        self._progress(name)
        shared = self._spark.sparkContext.broadcast(given)
        if said is None:
            frame = own.repartition(self.many, "partition").groupBy("partition")
            # Spark looks at the annotations of a function, and cannot those of a partial one.
            return self.written(name, frame.applyInArrow(lambda rows: work(shared.value, rows), ddl(PARCELS)))
        return self.paired(name, own, said, partial(_beside, work, shared))

    def learned(self, own: Any, given: steps.Given) -> steps.Given:
        """Learn what is common to all partitions."""
        begun = self.step("begin", steps.begin, given, own)
        given = replace(given, survey=merged(self._collected(begun, SURVEY)))
        met = self.step("meet", steps.meet, given, own, begun.where("sender >= 0"))
        places = met.where(f"sender >= 0 AND sender < {LINKED}")
        told = self.step("tell", steps.tell, given, own, met.where(f"sender >= {ASKED}"))
        own = own.unionByName(met.where("sender < 0")).unionByName(told)
        counts = order.added([])
        if given.survey is not None and len(order.several(given.survey)):
            counted = self.step("count", steps.count, given, own, places)
            for one in self._collected(counted, COUNTS):
                counts = order.added([counts, one])
        given = replace(given, counts=counts)
        seen = self.step("look", steps.look, given, own, places)
        self._ready = own.unionByName(seen.where(f"sender = {parcels.ORDERED}"))
        drawn = seen.where(f"sender = {OBSERVED}").coalesce(max(1, self.many // 16)).mapInArrow(_gather, ddl(PARCELS))
        drawn = self.written("drawn", drawn.selectExpr("spark_partition_id() AS partition", "sender", "number", "data"))
        seen_of: Any = None
        for one in self._collected(drawn, OBSERVED):
            seen_of = one if seen_of is None else gathered([seen_of, one])
        if given.survey is None:
            raise ValueError("there are no pages")
        return replace(given, learned=learn(given.survey, seen_of, given.cut))

    def supersteps(self, given: steps.Given, most: int) -> tuple[int, list[float], Any]:
        """Supersteps until no belief at a border moves; their number, the moves, and what the last one said."""
        made = self.step("ready", supersteps.ready, given, self._ready)
        ready = made.repartition(self.many, "partition").persist()
        said = self._spark.createDataFrame([], ddl(PARCELS))
        moved: list[float] = []
        for number in range(most + 1):
            self._progress(f"superstep {number}")
            work = partial(_superstep, given.options, number)
            said = self.written(f"superstep-{number}", self.together(ready, said).applyInArrow(work, ddl(PARCELS)))
            if number:
                moved.append(max(one["most"] for one in self._collected(said, MOVED)))
            if moved and moved[-1] <= given.options.tolerance:
                break
        ready.unpersist()
        return number, moved, said

    def _collected(self, frame: Any, sender: int) -> Iterator[Any]:
        """What each partition made for the driver, one after the other."""
        rows = frame.where(f"sender = {sender}").orderBy("partition", "number")
        pieces: list[dict[str, Any]] = []
        for row in rows.toLocalIterator():
            if pieces and pieces[0]["partition"] != row["partition"]:
                yield parcels.opened(parcels.table(pieces))[sender]
                pieces = []
            pieces.append(row.asDict())
        if pieces:
            yield parcels.opened(parcels.table(pieces))[sender]


def _beside(work: Callable[..., Any], shared: Any, own: pa.Table, said: pa.Table) -> pa.Table:
    return work(shared.value, own, said) if own.num_rows else parcels.table([])


def _superstep(options: Options, number: int, own: pa.Table, said: pa.Table) -> pa.Table:
    return supersteps.step(options, number, own, said) if own.num_rows else parcels.table([])


def _answer(shared: Any, own: pa.Table, said: pa.Table) -> pa.Table:
    return steps.answer(shared.value, own, said)


def _gather(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return steps.gather(batches)
