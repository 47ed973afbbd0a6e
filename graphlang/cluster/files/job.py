"""All of the job, stage after stage, where archives and tables are files that every executor sees."""

from __future__ import annotations

import functools
import shutil
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphlang.analysis.propagate import SIGNALS
from graphlang.cluster.files import answers, captures, languages, pages, read
from graphlang.cluster.files.answers import CONTENT, INFERRED
from graphlang.cluster.files.facts import TOLD_TABLE
from graphlang.cluster.files.stage import Stages, each
from graphlang.cluster.inference.alone import Wanted
from graphlang.cluster.inference.propagate import Inferred, fits_one_task, infer
from graphlang.cluster.reading.hashing import digests_of_files
from graphlang.cluster.runs import content_run, inference_run
from graphlang.cluster.storage import WORK, literal
from graphlang.cluster.tables import ANSWERS, KEPT_CAPTURES, LINKS, PAGES, RUNS, SOURCES_KEPT, ddl
from graphlang.db.values import now
from graphlang.graph.propagation.options import Options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphlang.cluster.classifying import Method
    from graphlang.cluster.inference.propagate import Sizes
    from graphlang.cluster.reading.archives import Archive
    from graphlang.db.write.choose_capture import Keep
    from graphlang.ingest import Limits

#: What a job leaves of an inference, and what comes after.
_INFERRED: Final = (f"{WORK}/inference", INFERRED, TOLD_TABLE, "runs", "languages", "sites")


def sources(spark: Any, archives: Sequence[Archive]) -> list[tuple[Any, ...]]:
    """Rows of `graphlang.cluster.tables.SOURCES`: the archives with their digests.

    Args:
        spark: the session.
        archives: local ones.
    """
    return [tuple(row.values()) for rows in each(spark, archives, _digest) for row in rows]


def _digest(archive: Archive) -> list[dict[str, Any]]:
    return [row for batch in digests_of_files([archive]) for row in batch.to_pylist()]


class Job:
    """Makes every table that is not there yet, each of those before.

    Args:
        spark: the session.
        out: the folder of the tables, as every executor sees it.
        tell: told the name of each stage as it begins.
    """

    def __init__(self, spark: Any, out: str, tell: Callable[[str], None]) -> None:
        self._spark, self._tell = spark, tell
        self._stages = Stages(spark, out, tell)
        self.passed_on = 0  #: bytes that tasks wrote for other tasks

    def all(  # noqa: PLR0917  internal
        self,
        archives: Sequence[Archive],
        listed: Sequence[dict[str, Any]],
        method: Method,
        identifier: Any,
        keep: Keep,
        limits: Limits,
        sizes: Sizes,
        key: str,
        *,
        linked: bool,
    ) -> tuple[Inferred, dict[str, int]]:
        """Make all tables.

        Args:
            archives: that are read.
            listed: rows of the table of sources.
            method: the content method.
            identifier: the same here.
            keep: which of several captures of a URL is the page's own.
            limits: bounds of a record.
            sizes: how the inference is cut.
            key: a digest of all that the inference depends on besides.
            linked: whether URLs that were only linked to are answered for.

        Returns:
            what came of the inference, and the number of rows of tables.
        """
        started, stages = now(), self._stages
        stages.write("sources", SOURCES_KEPT, listed)
        self._content(archives, method, keep, limits)
        rows = self._rows()
        runs = [content_run(identifier, rows[CONTENT], started)]
        inferred = self._inferred(identifier.labels, sizes, f"infer-{key}", rows, linked=linked)
        answered = sum(stages.rows_of(path) for path in stages.files(INFERRED))
        runs.append(inference_run(inferred, sizes, runs[0]["finished"], answered, linked=linked))
        stages.write("runs", RUNS, runs)
        if stages.done("languages") is None:
            view = languages.View(identifier.labels, "propagation", 2, linked)
            languages.languages(stages, view, self._buckets())
        self.passed_on = stages.passed_on
        return inferred, rows

    def _content(self, archives: Sequence[Archive], method: Method, keep: Keep, limits: Limits) -> None:
        """All that comes before the inference."""
        stages, context = self._stages, self._spark.sparkContext
        if stages.done("read") is None:
            cores = int(context.defaultParallelism)
            read.read(stages, archives, limits, cores, int(self._spark.conf.get("spark.sql.shuffle.partitions")))
        many, lends = self._buckets(), (stages.done("read") or {})["lends"]
        if stages.done("pages") is None:
            pages.pages(stages, many)
        if not method.shipped:
            context.addFile(str(Path(method.name).absolute()))
        if stages.done("captures") is None:
            if lends:
                captures.lent(self._spark, stages, keep)
            else:
                captures.captures(stages, method, keep, many, (stages.done("pages") or {})["several"])
        if not stages.has(CONTENT):
            answers.classify(stages, method)

    def _buckets(self) -> int:
        """Into how many the pages were cut when archives were read."""
        return int((self._stages.done("read") or {})["buckets"])

    def _rows(self) -> dict[str, int]:
        done = [self._stages.done(name) for name in ("read", "pages", "captures", "classify")]
        return {table: rows for said in done if said for table, rows in said["rows"].items()}

    def _inferred(
        self, labels: Sequence[str], sizes: Sizes, name: str, rows: dict[str, int], *, linked: bool
    ) -> Inferred:
        """What came of the inference; its answers are a table."""
        stages = self._stages
        said = stages.done(name)
        if said is None:
            # An earlier try may have cut it otherwise: because a partition was too large, say.
            for left in _INFERRED:
                shutil.rmtree(stages.out / left, ignore_errors=True)
            stages.forget("languages")
            fits = fits_one_task(rows["pages"], rows["captures"], rows["links"])
            if (sizes.partitions or (1 if fits else None)) == 1:
                self._tell("partition")
                wanted = Wanted(sorted(labels), SIGNALS, Options(), sizes.most_links, linked)
                answers.infer(stages, wanted, self._buckets())
                inferred = Inferred(None, 1, 0, converged=True, moved=[], warnings=[])
            else:
                inferred = self._partitions(labels, sizes, linked=linked)
            said = {one.name: getattr(inferred, one.name) for one in fields(inferred) if one.name != "answers"}
            stages.end(name, {}, (), said)
        return Inferred(None, **{one: value for one, value in said.items() if one != "rows"})

    def _partitions(self, labels: Sequence[str], sizes: Sizes, *, linked: bool) -> Inferred:
        """The inference in several partitions, whose rows Spark brings together."""
        out = f"file://{self._stages.out}"
        columns = {"pages": PAGES, CONTENT: ANSWERS, "captures": KEPT_CAPTURES, "links": LINKS}
        every, content, kept, links = (
            self._spark.read.schema(ddl(schema)).parquet(literal(f"{out}/{name}")) for name, schema in columns.items()
        )
        parts = [every, content, kept.select("page", "declared")]
        return infer(
            functools.reduce(lambda joined, part: joined.join(part, "page", "left"), parts),
            links,
            f"{out}/{WORK}/inference",
            labels=labels,
            sizes=sizes,
            answers=f"{out}/{INFERRED}",
            linked=linked,
            parts=parts,
            progress=self._tell,
        )
