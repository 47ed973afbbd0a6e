"""The whole job: from archives to the tables of a collection, stage after stage.

Tasks read files and write files; no row passes through Java, because that costs more than the work on a row. Spark
distributes the tasks, repeats those that fail, and returns the names of their files. Its own tables do three things:
the inference in several partitions, the content that revisit records borrow, and maps.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import graphlang
from graphlang.analysis.propagate import SIGNALS
from graphlang.cluster.archives import digest_row, find_archives
from graphlang.cluster.captures import borrow_content, choose_captures
from graphlang.cluster.classify_captures import CONTENT, classify_captures, load_method
from graphlang.cluster.language_tables import View, write_languages
from graphlang.cluster.one_task import INFERRED, SENT_ANSWERS_TABLE, OneTask, infer_in_one_task
from graphlang.cluster.page_ids import ATTEMPTS, CollisionError, derive_key
from graphlang.cluster.partitions import Inferred, Sizes, fits_one_task, infer
from graphlang.cluster.read_archives import list_pages, read_archives
from graphlang.cluster.spark_session import errors_in_one_line, fit_shuffles
from graphlang.cluster.stages import Stages, run_tasks
from graphlang.cluster.storage import WORK, Location, refuse_existing, replacing
from graphlang.cluster.tables import ANSWERS, KEPT_CAPTURES, LINKS, PAGES, RUNS, SOURCES, SOURCES_KEPT, write_ddl
from graphlang.cluster.template_lines import count_lines
from graphlang.content.page_input import ENOUGH
from graphlang.content.score_lists import KEPT, LEAST
from graphlang.content.segments.readers import ReadsParts
from graphlang.content.template_lines import GENERAL, REPEATED
from graphlang.db.values import get_time
from graphlang.db.write.choose_capture import Keep
from graphlang.graph.options import Options
from graphlang.ingest import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from graphlang.cluster.archives import Archive
    from graphlang.cluster.classify_captures import Method

_SHUFFLES: Final = "spark.sql.shuffle.partitions"
#: What a job leaves of an inference, and of what comes after.
_AFTER_CONTENT: Final = (f"{WORK}/inference", INFERRED, SENT_ANSWERS_TABLE, "runs", "languages", "sites")


@dataclass(frozen=True, slots=True)
class Done:
    """Counts of a job's tables, and how the inference ended."""

    archives: int
    pages: int  #: URLs, fetched or only linked to
    fetched: int
    links: int
    problems: int
    supersteps: int
    converged: bool
    warnings: Sequence[str]  #: of hosts that were cut in an unusual place
    bytes_passed_on: int = 0  #: in files of tasks for other tasks, besides what Spark shuffles


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
    progress: Callable[[str], None] = lambda _: None,
) -> Done:
    """Find the language of every page of some archives, and write all tables.

    `paths` are those of `graphlang.cluster.read`, `out` a folder that every executor sees, or an address. `method` is a
    content method or a model file. `keep` chooses the main capture of a URL. With `resume` the job continues with the
    tables that an earlier one of the same archives and options left beside `out`. Without `linked`, URLs that were only
    linked to are ``pending`` in the tables, and a database made of these answers for them on request. `progress` gets
    the name of each stage as it begins.

    Raise an OutputError if the folder exists or there is nothing to resume, an InputError if a path does not exist, a
    ModelError if there is no such method, a CollisionError if two URLs have the same id under each of several keys.
    """
    limits, sizes = limits or Limits(), sizes or Sizes()
    content, identifier = load_method(method)
    refuse_existing(Location.of(out), overwrite=overwrite)
    archives = find_archives(paths)
    fit_shuffles(spark, sum(archive.size for archive in archives))
    with errors_in_one_line():
        progress("digest")
        sources = _drop_duplicates(run_tasks(spark, archives, digest_row))
    numbers = {row[0] for row in sources}
    archives = [archive for archive in archives if archive.number in numbers]
    reading: dict[str, Any] = {"keep": str(keep), "options": json.dumps(asdict(limits), sort_keys=True)}
    reading |= {"position": 0, "finished": 1, "readings": 1, "lacks": ""}
    key = _digest_inputs(list(sources), identifier.hash, str(keep), asdict(limits))
    with (
        replacing(out, key=key, overwrite=overwrite, resume=resume, lost=(CollisionError,)) as folder,
        errors_in_one_line("; what was done is kept, and --resume goes on with it"),
    ):
        stages = Stages(spark, folder, progress)
        stages.write("sources", SOURCES_KEPT, [dict(zip(SOURCES.names, row, strict=True)) | reading for row in sources])
        job = _Job(spark, stages, progress)
        digests = [row[SOURCES.get_field_index("sha256")] for row in sources]
        inferred, rows = job.run(archives, digests, content, identifier, keep, limits, sizes, linked=linked)
    return Done(
        archives=len(archives),
        pages=rows["pages"],
        fetched=rows["captures"],
        links=rows["links"],
        problems=rows["problems"],
        supersteps=inferred.supersteps,
        converged=inferred.converged,
        warnings=inferred.warnings,
        bytes_passed_on=stages.bytes_passed_on,
    )


def _drop_duplicates(sources: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Keep the first of archives with the same bytes, whatever their names."""
    first: dict[str, tuple[Any, ...]] = {}
    for row in sorted(sources):
        first.setdefault(row[SOURCES.get_field_index("sha256")], row)
    return sorted(first.values())


def _digest_inputs(*values: Any) -> str:
    """Return a digest of what tables depend on, and of the version that makes them."""
    return hashlib.sha256(json.dumps([graphlang.__version__, *values], sort_keys=True).encode()).hexdigest()[:16]


class _Job:
    """Runs every stage that is not done, each after those before."""

    def __init__(self, spark: Any, stages: Stages, progress: Callable[[str], None]) -> None:
        self._spark, self._stages, self._progress = spark, stages, progress

    def run(  # noqa: PLR0917  internal
        self,
        archives: Sequence[Archive],
        digests: Sequence[str],
        method: Method,
        identifier: Any,
        keep: Keep,
        limits: Limits,
        sizes: Sizes,
        *,
        linked: bool,
    ) -> tuple[Inferred, dict[str, int]]:
        """Write all tables; return what came of the inference, and the number of rows of tables."""
        started, stages = get_time(), self._stages
        self._read(archives, digests, keep, limits)
        if not method.shipped:
            self._spark.sparkContext.addFile(str(Path(method.name).absolute()))
        if stages.result("templates") is None:
            count_lines(stages, self._bucket_count())
        if stages.result("classify") is None:
            classify_captures(stages, method)
        done = [stages.result(name) for name in ("read", "pages", "captures", "classify")]
        rows = {table: count for result in done if result for table, count in result["rows"].items()}
        runs = [_make_content_run(identifier, rows[CONTENT], started)]
        inferred = self._infer(identifier.labels, sizes, rows, linked=linked)
        runs.append(
            _make_inference_run(inferred, sizes, runs[0]["finished"], stages.count_rows(INFERRED), linked=linked)
        )
        stages.write("runs", RUNS, runs)
        if stages.result("languages") is None:
            write_languages(stages, View(identifier.labels, "propagation", 2, linked), self._bucket_count())
        return inferred, rows

    def _read(self, archives: Sequence[Archive], digests: Sequence[str], keep: Keep, limits: Limits) -> None:
        """Make the tables of pages, captures and links; ``digests`` are those of the archives."""
        stages = self._stages
        for attempt in range(ATTEMPTS):
            if stages.result("read") is None:
                cores, buckets = int(self._spark.sparkContext.defaultParallelism), int(self._spark.conf.get(_SHUFFLES))
                read_archives(stages, archives, limits, cores, buckets, derive_key(digests, attempt))
            try:
                with errors_in_one_line():
                    if stages.result("pages") is None:
                        list_pages(stages, self._bucket_count())
                break
            except CollisionError as error:
                if attempt == ATTEMPTS - 1:
                    raise
                self._progress(f"{error}: reading again with other ids")
                stages.forget("read")
        reading = stages.result("read") or {}
        buckets, borrowing, key = reading["buckets"], bool(reading["borrowers"]), bytes.fromhex(reading["key"])
        several = (stages.result("pages") or {})["several"]
        if stages.result("captures") is None:
            if not borrowing or stages.result("chosen") is None:
                choose_captures(stages, keep, buckets, several, key, borrowing=borrowing)
            if borrowing:
                borrow_content(self._spark, stages)

    def _bucket_count(self) -> int:
        """Into how many buckets pages were cut when archives were read."""
        return int((self._stages.result("read") or {})["buckets"])

    def _infer(self, labels: Sequence[str], sizes: Sizes, rows: dict[str, int], *, linked: bool) -> Inferred:
        """Infer the languages of all pages; the answers are a table."""
        stages = self._stages
        name = f"infer-{_digest_inputs(asdict(sizes), asdict(Options()), SIGNALS, linked)}"
        result = stages.result(name)
        if result is None:
            # An earlier try may have cut it otherwise: because a partition was too large, say.
            for table in _AFTER_CONTENT:
                (stages.folder / table).delete()
            stages.forget("languages")
            fits = fits_one_task(rows["pages"], rows["captures"], rows["links"])
            if (sizes.partitions or (1 if fits else None)) == 1:
                task = OneTask(sorted(labels), SIGNALS, Options(), sizes.most_links, linked)
                infer_in_one_task(stages, task, self._bucket_count())
                inferred = Inferred(None, 1, 0, converged=True, moved=[], warnings=[])
            else:
                inferred = self._infer_in_partitions(labels, sizes, linked=linked)
            result = {
                field.name: getattr(inferred, field.name) for field in fields(inferred) if field.name != "answers"
            }
            stages.end(name, {}, (), result)
        return Inferred(None, **{field: value for field, value in result.items() if field != "rows"})

    def _infer_in_partitions(self, labels: Sequence[str], sizes: Sizes, *, linked: bool) -> Inferred:
        """Infer in several partitions, whose rows Spark brings together."""
        folder = self._stages.folder
        columns = {"pages": PAGES, CONTENT: ANSWERS, "captures": KEPT_CAPTURES, "links": LINKS}
        pages, content, captures, links = (
            self._spark.read.schema(write_ddl(schema)).parquet((folder / name).for_spark)
            for name, schema in columns.items()
        )
        return infer(
            functools.reduce(
                lambda pages, table: pages.join(table, "page", "left"),
                [pages, content, captures.select("page", "declared")],
            ),
            links,
            (folder / WORK / "inference").address,
            labels=labels,
            sizes=sizes,
            answers=folder / INFERRED,
            linked=linked,
            progress=self._progress,
        )


def _make_content_run(identifier: Any, pages: int, started: str) -> dict[str, Any]:
    """Return the row of the run of a content method."""
    reading = {"title": True, "main": ENOUGH, "repeated": REPEATED, "general": GENERAL}
    parameters = {**reading, "kept": KEPT, "least": LEAST, **identifier.describe()}
    if isinstance(identifier, ReadsParts):
        parameters["shares"] = True
    name, model = identifier.name, identifier.hash
    columns = {"model": name, "model_hash": model, "parameters": json.dumps(parameters, sort_keys=True)}
    return _run_row(1, "content", name, pages=pages, seeds="[]", started=started, **columns)


def _make_inference_run(inferred: Inferred, sizes: Sizes, started: str, pages: int, *, linked: bool) -> dict[str, Any]:
    """Return the row of the run of the inference."""
    parameters = {**asdict(Options()), "signals": SIGNALS}
    parameters |= {"partitions": inferred.partitions, "host_pages": sizes.host_pages}
    columns = {"parameters": json.dumps(parameters, sort_keys=True), "seeds": "[1]", "started": started, "chosen": 1}
    columns |= {"rounds": inferred.supersteps, "converged": int(inferred.converged), "linked": int(linked)}
    return _run_row(2, "propagation", "propagation", pages=pages, **columns)


def _run_row(number: int, kind: str, method: str, **columns: Any) -> dict[str, Any]:
    """Return the row of a run that ends now."""
    row = {"id": number, "kind": kind, "method": method, "version": graphlang.__version__, "chosen": 0}
    row |= {"finished": get_time(), **columns}
    return {name: row.get(name) for name in RUNS.names}
