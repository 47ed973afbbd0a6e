"""All of it: from archives to the tables of a collection."""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final

import graphlang
from graphlang.analysis.propagate import SIGNALS
from graphlang.cluster import frames, storage, views
from graphlang.cluster.choosing import captures as of_captures
from graphlang.cluster.choosing import pages
from graphlang.cluster.choosing.links import links_of
from graphlang.cluster.classifying import method_of
from graphlang.cluster.files import job as files
from graphlang.cluster.inference.propagate import Inferred, Sizes, infer
from graphlang.cluster.reading.page_ids import CollisionError
from graphlang.cluster.runs import content_run, inference_run
from graphlang.cluster.spark_session import fit_shuffles, told_in_a_line
from graphlang.cluster.tables import KEPT_CAPTURES, LINKS, RANGE, RUNS, SOURCES, SOURCES_KEPT, ddl
from graphlang.db.values import now
from graphlang.db.write.choose_capture import Keep
from graphlang.graph.propagation.options import Options
from graphlang.ingest import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

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
    passed_on: int = 0  #: bytes that tasks left in files for other tasks, besides what Spark shuffles


def run(
    spark: Any,
    paths: Sequence[str],
    out: str,
    *,
    method: str = "nfc",
    keep: Keep = Keep.BEST,
    limits: Limits | None = None,
    overwrite: bool = False,
    resume: bool = False,
    sizes: Sizes | None = None,
    linked: bool = True,
    by_tasks: bool | None = None,
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
        resume: go on with the tables that an earlier job of the same archives and options left beside it.
        sizes: how the inference is cut.
        linked: whether to answer for the URLs that were only linked to; else they are ``pending`` in the tables, and
            a database that is made of these works them out when it is asked for them.
        by_tasks: whether tasks write the tables themselves, which they can where these and the archives are files that
            every executor sees; None: wherever they can.
        progress: told the name of each stage as it begins.

    Raises:
        OutputError: the folder exists; or there is nothing to resume.
        InputError: a path does not exist.
        ModelError: there is no such method.
        CollisionError: two URLs have the same id.
    """
    limits = limits or Limits()
    wanted, identifier = method_of(method)
    sizes = sizes or Sizes()
    storage.refuse_existing(storage.Folder(spark, out), overwrite=overwrite)
    archives = frames.find(spark, paths)
    fit_shuffles(spark, sum(archive.size for archive in archives))
    direct = not archives[0].remote and storage.Folder(spark, out).of_this_machine() is not None
    direct = direct if by_tasks is None else by_tasks
    with told_in_a_line():
        progress("digest")
        given = files.sources(spark, archives) if direct else map(tuple, frames.sources_of(spark, archives).collect())
        sources = _first_of_each(given)
    kept = {row[0] for row in sources}
    archives = [archive for archive in archives if archive.number in kept]
    facts: dict[str, Any] = {"keep": str(keep), "options": json.dumps(asdict(limits), sort_keys=True)}
    facts |= {"position": 0, "finished": 1, "readings": 1, "lacks": ""}
    listed = [dict(zip(SOURCES.names, row, strict=True)) | facts for row in sources]
    key = _key(list(sources), identifier.hash, str(keep), asdict(limits), direct)
    lost = (CollisionError,)
    with (
        storage.replacing(spark, out, key=key, overwrite=overwrite, resume=resume, lost=lost) as part,
        told_in_a_line("; what was done is kept, and --resume goes on with it"),
    ):
        if direct:
            cut = _key(asdict(sizes), asdict(Options()), SIGNALS, linked)
            own = files.Job(spark, str(storage.Folder(spark, part).of_this_machine()), progress)
            inferred, rows = own.all(archives, listed, wanted, identifier, keep, limits, sizes, cut, linked=linked)
        else:
            job = _Job(spark, part, progress)
            inferred, rows = job.all(archives, listed, wanted.name, identifier, keep, limits, sizes, linked=linked)
    return Done(
        archives=len(archives),
        pages=rows["pages"],
        fetched=rows["captures"],
        links=rows["links"],
        problems=rows["problems"],
        supersteps=inferred.supersteps,
        converged=inferred.converged,
        warnings=inferred.warnings,
        passed_on=own.passed_on if direct else 0,
    )


def _first_of_each(sources: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Of archives with the same bytes only the first: the same bytes are read once, whatever their name."""
    first: dict[str, tuple[Any, ...]] = {}
    for row in sorted(sources):
        first.setdefault(row[SOURCES.get_field_index("sha256")], row)
    return sorted(first.values())


def _key(*given: Any) -> str:
    """A digest of what tables depend on, and of the version that makes them."""
    return hashlib.sha256(json.dumps([graphlang.__version__, *given], sort_keys=True).encode()).hexdigest()[:16]


class _Job:
    def __init__(self, spark: Any, out: str, progress: Callable[[str], None]) -> None:
        self._spark, self._out, self._work = spark, out, f"{out}/{storage.WORK}"
        self._tell = progress

    def all(  # noqa: PLR0917  internal
        self,
        archives: Sequence[Any],
        listed: Sequence[Mapping[str, Any]],
        method: str,
        identifier: Any,
        keep: Keep,
        limits: Limits,
        sizes: Sizes,
        *,
        linked: bool,
    ) -> tuple[Inferred, dict[str, int]]:
        """Make every table that is not there yet, each of those before."""
        started = now()
        rows = [tuple(row.values()) for row in listed]
        self._written("sources", self._spark.createDataFrame(rows, ddl(SOURCES_KEPT)))
        self._progress("read", f"{storage.WORK}/records/first")
        records = frames.records_of(self._spark, archives, limits, f"{self._work}/records")
        problems = records.where(f"kind IS NOT NULL AND kind <> '{RANGE}'")
        problems = self._written("problems", problems.select("file", "offset", "url", "kind", "reason"))
        self._progress("pages", "captures")
        every = self._written("pages", pages.distinct_pages(records))
        own, others = of_captures.captures_of(records, keep, f"{self._work}/chosen")
        if others is not None:
            self._written("history", others)
        own = of_captures.with_originals(own)
        kept = self._written("captures", own.select(*KEPT_CAPTURES.names))
        self._progress("links", "links")
        links = self._written("links", own.mapInArrow(links_of, ddl(LINKS)))
        self._progress("classify", "answers/run=1")
        texts = kept.where("text <> '' OR title <> ''").select("page", "title", "text", "main", "visible")
        content = frames.classify(texts, method=method).drop("title", "text", "main", "visible")
        content = self._written("answers/run=1", content)
        runs = [content_run(identifier, content.count(), started)]
        said = kept.select("page", "declared")
        answers, inferred = self._inferred([every, content, said], links, identifier, sizes, linked=linked)
        runs.append(inference_run(inferred, sizes, runs[0]["finished"], answers.count(), linked=linked))
        self._written("runs", self._spark.createDataFrame([tuple(row.values()) for row in runs], ddl(RUNS)))
        self._progress("languages", "sites")
        answers = answers.select(*_ANSWER)
        told = views.languages_of(every, kept, answers, identifier.labels, method="propagation", run=2, linked=linked)
        told = self._written("languages", told)
        self._written("sites", views.sites_of(told))
        counts = {"pages": every, "captures": kept, "links": links, "problems": problems}
        return inferred, {name: frame.count() for name, frame in counts.items()}

    def _inferred(
        self, parts: Sequence[Any], links: Any, identifier: Any, sizes: Sizes, *, linked: bool
    ) -> tuple[Any, Inferred]:
        """The answers of the inference, and how it came to them."""
        name = "answers/run=2"
        facts = f"{self._work}/inferred-{_key(asdict(sizes), asdict(Options()), SIGNALS, linked)}"
        if storage.is_finished(self._spark, facts):
            answers = self._spark.read.parquet(storage.literal(f"{self._out}/{name}"))
            (told,) = self._spark.read.json(storage.literal(facts)).collect()
            return answers, Inferred(answers, **json.loads(told.facts))
        # An earlier try may have cut it otherwise: because a partition was too large, say.
        for left in (f"{storage.WORK}/inference", name, "runs", "languages", "sites"):
            storage.Folder(self._spark, f"{self._out}/{left}").delete()
        every, *others = parts
        inferred = infer(
            functools.reduce(lambda pages, part: pages.join(part, "page", "left"), others, every),
            links,
            f"{self._work}/inference",
            labels=identifier.labels,
            sizes=sizes,
            answers=f"{self._out}/{name}",
            linked=linked,
            parts=parts,
            folders=[f"{self._out}/{table}" for table in ("pages", "answers/run=1", "captures", "links")],
            progress=self._tell,
        )
        told = {one.name: getattr(inferred, one.name) for one in fields(inferred) if one.name != "answers"}
        self._spark.createDataFrame([(json.dumps(told),)], "facts string").write.json(facts)
        return inferred.answers, inferred

    def _progress(self, stage: str, table: str) -> None:
        """Tell the name of a stage, if the table that it makes last is still to be made."""
        if not storage.is_finished(self._spark, f"{self._out}/{table}"):
            self._tell(stage)

    def _written(self, name: str, frame: Any) -> Any:
        """Write a table, and read it from there: what comes after does not work it out again."""
        return storage.written(self._spark, f"{self._out}/{name}", frame)
