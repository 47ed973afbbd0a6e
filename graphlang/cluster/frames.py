"""The steps as functions on Spark's DataFrames, for pipelines of your own."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphlang.analysis.propagate import SIGNALS
from graphlang.cluster.archives import cut_archives, find_archives
from graphlang.cluster.classify_captures import READ, classify_batches, load_method
from graphlang.cluster.partitions import USUAL, Sizes, infer
from graphlang.cluster.read_archives import RECORDS_TABLE, read_archives
from graphlang.cluster.stages import Stages
from graphlang.cluster.storage import Location
from graphlang.cluster.tables import ANSWER, PROBLEMS, RANGE, RECORDS, write_ddl
from graphlang.ingest import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from graphlang.cluster.archives import Piece
    from graphlang.graph.options import Options

#: Columns that `propagate` needs.
_PAGE_COLUMNS: Final = ("page", "url", "tld", "label", "characters", "scores", "read")
_LINK_COLUMNS: Final = ("source", "target", "kind", "hreflang", "place")


def read(spark: Any, paths: Sequence[str], *, limits: Limits | None = None, work: str | None = None) -> Any:
    """Read archives: one row a capture, or a problem.

    Args:
        spark: the session.
        paths: files, folders and patterns that every executor sees under the same path; or addresses that Arrow opens
            (``hdfs://``, ``s3://`` or ``s3a://``, ``gs://``, ``abfs://``).
        limits: bounds of a record, see `graphlang.ingest.Limits`.
        work: a folder where the rows are written to; rows of an earlier try are used. With one, large
            archives are cut, so that several executors read them. Without, one task reads each archive.

    Returns:
        A DataFrame. Captures have no ``kind``; problems have ``kind``, ``reason``, ``file``, ``offset`` and ``url``.
        `graphlang.cluster.tables.RECORDS` has all columns.

    Raises:
        InputError: a path does not exist, or holds nothing to read.
    """
    limits, archives = limits or Limits(), find_archives(paths)
    if work is None:
        groups = cut_archives(archives, 0)
        shared = spark.sparkContext.broadcast((groups, limits))
        rows = spark.range(0, len(groups), 1, len(groups)).mapInArrow(partial(_read_groups, shared), write_ddl(RECORDS))
        return rows.where(f"kind IS NULL OR kind <> '{RANGE}'")
    stages = Stages(spark, Location.of(work), lambda _: None)
    if stages.result("read") is None:
        read_archives(stages, archives, limits, int(spark.sparkContext.defaultParallelism), 1)
    captures = spark.read.schema(write_ddl(RECORDS)).parquet((stages.folder / RECORDS_TABLE).for_spark)
    problems = spark.read.schema(write_ddl(PROBLEMS)).parquet((stages.folder / "problems").for_spark)
    return captures.unionByName(problems, allowMissingColumns=True)


def _read_groups(shared: Any, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    from graphlang.cluster.read_archives import read_pieces  # noqa: PLC0415 - on an executor

    groups: list[list[Piece]]
    groups, limits = shared.value
    for batch in batches:
        for number in batch.column("id").to_pylist():
            yield from read_pieces(groups[number], limits)


def classify(frame: Any, *, method: str = "nfc") -> Any:
    """Identify the language of texts.

    Args:
        frame: a DataFrame with a column ``text``, and perhaps ``title``, ``main`` (characters at the start of the text
            that are main content) and ``visible`` (bytes that were not decoded), as `read` returns them.
        method: a content method that `graphlang methods` lists, or a model file, which Spark sends to the executors.

    Returns:
        The same rows with the columns ``label``, ``confidence``, ``runner_up_label``, ``runner_up_confidence``,
        ``characters``, ``encoding``, ``read`` and ``scores`` (the best labels with their probabilities); null where
        there is no text.

    Raises:
        ModelError: there is no such method or model.
        ValueError: there is no column ``text``.
    """
    if "text" not in frame.columns:
        raise ValueError(f"there is no column text among {', '.join(frame.columns)}; classify reads {', '.join(READ)}")
    content, _ = load_method(method)
    spark = frame.sparkSession
    if not content.shipped:
        spark.sparkContext.addFile(str(Path(method).absolute()))
    columns = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema)
    return frame.mapInArrow(partial(_classify, content), f"{columns}, {write_ddl(ANSWER)}")


def _classify(method: Any, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return classify_batches(batches, method)


def propagate(
    pages: Any,
    links: Any,
    work: str,
    *,
    partitions: int | None = None,
    host_pages: int = USUAL,
    weights: Mapping[str, float] = SIGNALS,
    options: Options | None = None,
) -> Any:
    """Infer the language of every page from its own text and its neighbours' languages.

    Args:
        pages: a DataFrame of all pages, fetched or not: ``page`` (a 64-bit number), ``url`` and ``tld``; for pages with
            text the columns that `classify` adds, null for the others; perhaps ``declared``.
        links: a DataFrame of ``source``, ``target``, ``kind``, ``hreflang`` and ``place``; both ends are pages.
        work: a folder that does not exist, for what is written between steps. What this returns is read from there.
        partitions: into how many the pages are cut; None: one for each core, or more where these would be too large.
        host_pages: a host with more pages is cut by directory.
        weights: of what else is known of pages: ``declared``, ``cctld`` and ``url``.
        options: weights and limits of the inference.

    Returns:
        A DataFrame with the answer for each page of which anything is known: the columns of `classify`, and ``page``.

    Raises:
        ValueError: a column is missing; or neither text nor signal names a language.
    """
    for frame, needed in ((pages, _PAGE_COLUMNS), (links, _LINK_COLUMNS)):
        if missing := [name for name in needed if name not in frame.columns]:
            columns = ", ".join(frame.columns)
            raise ValueError(f"there is no column {missing[0]} among {columns}; propagate reads {', '.join(needed)}")
    sizes = Sizes(partitions=partitions, host_pages=host_pages)
    return infer(pages, links, work, options=options, weights=weights, sizes=sizes).answers
