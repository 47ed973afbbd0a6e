"""All of it: from archives to the tables of a collection."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import graphlang
from graphlang.analysis.propagate import SIGNALS
from graphlang.cluster import captures as of_captures
from graphlang.cluster import frames, pages, storage, views
from graphlang.cluster.classifying import method_of
from graphlang.cluster.inference.propagate import Sizes, infer
from graphlang.cluster.links import links_of
from graphlang.cluster.spark_session import told_in_a_line
from graphlang.cluster.tables import KEPT_CAPTURES, LINKS, RANGE, RUNS, ddl
from graphlang.content.page_input import ENOUGH, TellsMixed
from graphlang.content.scoring.score_lists import KEPT, LEAST
from graphlang.db.clock import now
from graphlang.db.write.choose_capture import Keep
from graphlang.graph.propagation.options import Options
from graphlang.ingest import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphlang.cluster.inference.propagate import Inferred

_ANSWER: Final = ("page", "label", "confidence", "runner_up_label", "runner_up_confidence", "characters", "encoding")


@dataclass(frozen=True, slots=True)
class Done:
    """What a job made."""

    archives: int
    pages: int  #: URLs, fetched or only linked to
    fetched: int
    links: int
    problems: int
    supersteps: int
    converged: bool
    warnings: Sequence[str]  #: of hosts that were cut in an unusual place


def run(
    spark: Any,
    paths: Sequence[str],
    out: str,
    *,
    method: str = "nfc",
    keep: Keep = Keep.BEST,
    limits: Limits | None = None,
    overwrite: bool = False,
    sizes: Sizes | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Done:
    """Find the language of every page of some archives, and write all tables.

    Args:
        spark: the session.
        paths: see `graphlang.cluster.read`.
        out: the folder for the tables, made by this.
        method: content method, or a model file.
        keep: which of several captures of a URL is the page's own.
        limits: bounds of a record.
        overwrite: whether a folder that exists gives way.
        sizes: how the inference is cut.
        progress: told the name of each stage as it begins.

    Raises:
        OutputError: the folder exists.
        InputError: a path does not exist.
        ModelError: there is no such method.
        CollisionError: two URLs have the same id.
    """
    limits = limits or Limits()
    wanted, identifier = method_of(method)
    archives = frames.find(spark, paths)
    with told_in_a_line(), storage.replacing(spark, out, overwrite=overwrite) as part:
        work = storage.Folder(spark, f"{part}.work")
        try:
            return _Job(spark, part, work.path, progress).all(
                archives, wanted.name, identifier, keep, limits, sizes or Sizes()
            )
        finally:
            work.delete()


class _Job:
    def __init__(self, spark: Any, out: str, work: str, progress: Callable[[str], None]) -> None:
        self._spark, self._out, self._work, self._progress = spark, out, work, progress

    def all(  # noqa: PLR0917  internal
        self, archives: Sequence[Any], method: str, identifier: Any, keep: Keep, limits: Limits, sizes: Sizes
    ) -> Done:
        """Make every table, each of those before."""
        started = now()
        self._progress("digest")
        archives = self._once(archives, keep, limits)
        self._progress("read")
        records = frames.records_of(self._spark, archives, limits, f"{self._work}/records")
        problems = records.where(f"kind IS NOT NULL AND kind <> '{RANGE}'")
        problems = self._written("problems", problems.select("file", "offset", "url", "kind", "reason"))
        self._progress("pages")
        urls = pages.distinct_urls(records)
        urls.write.parquet(f"{self._work}/urls")
        urls = self._spark.read.parquet(f"{self._work}/urls")
        pages.refuse_collisions(urls)
        every = self._written("pages", pages.with_sites(urls))
        own = of_captures.with_originals(of_captures.captures_of(records, keep))
        kept = self._written("captures", own.select(*KEPT_CAPTURES.names))
        self._progress("links")
        links = self._written("links", own.mapInArrow(links_of, ddl(LINKS)))
        self._progress("classify")
        texts = kept.where("text <> '' OR title <> ''").select("page", "title", "text", "main", "visible")
        content = frames.classify(texts, method=method).drop("title", "text", "main", "visible")
        content = self._written("answers/run=1", content)
        rows = [self._content_run(identifier, content, started)]
        said = kept.select("page", "declared")
        evidence = every.join(content, "page", "left").join(said, "page", "left")
        inferred = infer(
            evidence,
            links,
            f"{self._work}/inference",
            labels=identifier.labels,
            sizes=sizes,
            progress=self._progress,
        )
        answers = self._written("answers/run=2", inferred.answers)
        rows.append(_inference_run(inferred, sizes, rows[0][9], answers.count()))
        self._written("runs", self._spark.createDataFrame(rows, ddl(RUNS)))
        self._progress("languages")
        answers = answers.select(*_ANSWER)
        told = views.languages_of(every, kept, answers, identifier.labels, method="propagation", run=2)
        told = self._written("languages", told)
        self._written("sites", views.sites_of(told))
        counts = {"pages": every, "fetched": kept, "links": links, "problems": problems}
        return Done(
            archives=len(archives),
            supersteps=inferred.supersteps,
            converged=inferred.converged,
            warnings=inferred.warnings,
            **{name: frame.count() for name, frame in counts.items()},
        )

    def _written(self, name: str, frame: Any) -> Any:
        """Write a table, and read it from there: what comes after does not work it out again."""
        frame.write.parquet(f"{self._out}/{name}")
        return self._spark.read.parquet(f"{self._out}/{name}")

    def _once(self, archives: Sequence[Any], keep: Keep, limits: Limits) -> list[Any]:
        """Of archives with the same bytes only the first: the same bytes are read once, whatever their name."""
        frames.sources_of(self._spark, archives).write.parquet(f"{self._work}/sources")
        sources = self._spark.read.parquet(f"{self._work}/sources")
        first = {row[0] for row in sources.groupBy("sha256").agg({"source": "min"}).select("min(source)").collect()}
        how = "'{}' AS keep", "'{}' AS options"
        options = json.dumps(asdict(limits), sort_keys=True)
        kept = sources.where(f"source IN ({', '.join(map(str, sorted(first)))})")
        self._written("sources", kept.selectExpr("*", how[0].format(keep), how[1].format(options)))
        return [archive for archive in archives if archive.number in first]

    def _content_run(self, identifier: Any, content: Any, started: str) -> tuple[Any, ...]:
        parameters = {"title": True, "main": ENOUGH, "kept": KEPT, "least": LEAST, **identifier.describe()}
        if isinstance(identifier, TellsMixed):
            parameters["shares"] = True
        name, model = identifier.name, identifier.hash
        written = json.dumps(parameters, sort_keys=True)
        end = now()
        counted = content.count()
        return 1, "content", name, name, model, written, "[]", graphlang.__version__, started, end, counted, None, None


def _inference_run(inferred: Inferred, sizes: Sizes, started: str, pages: int) -> tuple[Any, ...]:
    parameters = {**asdict(Options()), "signals": SIGNALS}
    parameters |= {"partitions": inferred.partitions, "host_pages": sizes.host_pages}
    written, version = json.dumps(parameters, sort_keys=True), graphlang.__version__
    rounds, rest = inferred.supersteps, int(inferred.converged)
    return 2, "propagation", "propagation", None, None, written, "[1]", version, started, now(), pages, rounds, rest
