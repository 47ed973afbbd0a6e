"""The steps as functions on Spark's DataFrames, to be put into a pipeline of one's own."""

from __future__ import annotations

import errno
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from graphlang.analysis.propagate import SIGNALS
from graphlang.cluster.classifying import READ, classify_batches, method_of
from graphlang.cluster.inference.propagate import USUAL, Sizes, infer
from graphlang.cluster.reading.archives import Archive, is_remote, listed, pieces
from graphlang.cluster.reading.hashing import digests_of, unread
from graphlang.cluster.reading.misread import misread
from graphlang.cluster.reading.pieces import read_content, read_pieces
from graphlang.cluster.storage import Folder, literal, written
from graphlang.cluster.tables import ANSWER, RANGE, RECORDS, SOURCES, ddl
from graphlang.db import InputError
from graphlang.ingest import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyarrow import Schema

    from graphlang.cluster.reading.archives import Piece
    from graphlang.graph.propagation.options import Options

#: Columns that `propagate` cannot do without.
_OF_PAGES: Final = ("page", "url", "tld", "label", "characters", "scores", "read")
_OF_LINKS: Final = ("source", "target", "kind", "hreflang", "place")
_FEW: Final = 1 << 20  # archives that are named to the driver at most


def read(spark: Any, paths: Sequence[str], *, limits: Limits | None = None, work: str | None = None) -> Any:
    """Read archives: one row a capture, or a problem.

    Args:
        spark: the session.
        paths: files, folders and patterns that every executor sees under the same path; or addresses that Spark reads
            (``hdfs://``, ``s3a://``, ...).
        limits: bounds of a record, see `graphlang.ingest.Limits`.
        work: a folder where the rows are written to; what it holds of an earlier try is taken. With one, large
            archives are cut, so that several executors read them. Without, one task reads each archive.

    Returns:
        A DataFrame. Captures have no ``kind``; problems have ``kind``, ``reason``, ``file``, ``offset`` and ``url``.
        `graphlang.cluster.tables.RECORDS` has all columns.

    Raises:
        InputError: a path does not exist, or holds nothing to read.
    """
    limits = limits or Limits()
    return records_of(spark, find(spark, paths), limits, work).where(f"kind IS NULL OR kind <> '{RANGE}'")


def find(spark: Any, paths: Sequence[str]) -> list[Archive]:
    """The archives that paths mean, in the order of reading.

    Args:
        spark: the session.
        paths: see `read`.

    Raises:
        InputError: a path does not exist, or holds nothing to read; local paths and addresses are mixed.
    """
    remote = [is_remote(path) for path in paths]
    if not any(remote):
        return listed(paths)
    if not all(remote):
        raise InputError("name either local files or addresses, not both")
    try:
        rows = spark.read.format("binaryFile").load(list(paths)).select("path", "length").take(_FEW)
    except Exception as error:  # of Spark, with as many kinds as there are file systems
        from graphlang.cluster.spark_session import first_line  # noqa: PLC0415 - only when it failed

        raise InputError(f"cannot read {', '.join(paths)}: {first_line(error)}") from error
    if not rows:
        raise InputError(f"cannot read {', '.join(paths)}: there is nothing")
    return [Archive(number, path, size, remote=True) for number, (path, size) in enumerate(sorted(map(tuple, rows)))]


def classify(frame: Any, *, method: str = "nfc") -> Any:
    """Identify the language of texts.

    Args:
        frame: a DataFrame with a column ``text``, and perhaps ``title``, ``main`` (characters at the start of the text
            that are main content) and ``visible`` (bytes that were not decoded), as `read` gives them.
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
    wanted, _ = method_of(method)
    spark = frame.sparkSession
    if not wanted.shipped:
        spark.sparkContext.addFile(str(Path(method).absolute()))
    columns = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema)
    return frame.mapInArrow(partial(_classified, wanted), f"{columns}, {ddl(ANSWER)}")


def _classified(method: Any, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
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
    for frame, wanted in ((pages, _OF_PAGES), (links, _OF_LINKS)):
        if missing := [name for name in wanted if name not in frame.columns]:
            found = ", ".join(frame.columns)
            raise ValueError(f"there is no column {missing[0]} among {found}; propagate reads {', '.join(wanted)}")
    sizes = Sizes(partitions=partitions, host_pages=host_pages)
    return infer(pages, links, work, options=options, weights=weights, sizes=sizes).answers


def sources_of(spark: Any, archives: Sequence[Archive]) -> Any:
    """The archives with their digests: a DataFrame of `graphlang.cluster.tables.SOURCES`.

    Args:
        spark: the session.
        archives: to be read.
    """
    if archives[0].remote:
        by_path = {archive.name: archive for archive in archives}
        found = _fetched(spark, archives, partial(digests_of, by_path), SOURCES).collect()
        there = {row.source for row in found}
        gone = [unread(archive) for archive in archives if archive.number not in there]
        return spark.createDataFrame([*map(tuple, found), *gone], ddl(SOURCES))
    groups = [[archive] for archive in archives]
    return _by_task(spark, groups, _hashed, SOURCES)


def _hashed(group: Sequence[Archive]) -> Iterator[pa.RecordBatch]:
    from graphlang.cluster.reading.hashing import digests_of_files  # noqa: PLC0415 - on an executor

    return digests_of_files(group)


def records_of(spark: Any, archives: Sequence[Archive], limits: Limits, work: str | None) -> Any:
    """Rows of `graphlang.cluster.tables.RECORDS`, those of byte ranges among them.

    Args:
        spark: the session.
        archives: what is read.
        limits: bounds of a record.
        work: see `read`.
    """
    if archives[0].remote:
        by_path = {archive.name: archive for archive in archives}
        found = _fetched(spark, archives, partial(_read_fetched, by_path, limits), RECORDS)
        if work is None:
            return found
        found = written(spark, f"{work}/first", found)
        return found.unionByName(_of_gone(spark, archives, found))
    if work is None:
        found = _by_task(spark, pieces(archives, 0), partial(_read_pieces, limits), RECORDS)
    else:
        found = _by_task(
            spark, pieces(archives, spark.sparkContext.defaultParallelism), partial(_read_pieces, limits), RECORDS
        )
    if work is None:
        return found
    found = written(spark, f"{work}/first", found)
    # Where a byte range begins is first a guess. An archive where one was wrong is read again, as a whole.
    ranges = found.where(f"kind = '{RANGE}'").select("source", "begin", "found", "ended", "stop")
    ordered = ranges.repartition("source").sortWithinPartitions("source", "begin")
    again = sorted(row.source for row in ordered.mapInArrow(misread, "source int").collect())
    if not again:
        return found
    wrong = [archive for archive in archives if archive.number in again]
    whole = _by_task(spark, pieces(wrong, 0), partial(_read_pieces, limits), RECORDS)
    rest = found.where(f"source NOT IN ({', '.join(map(str, again))})")
    return rest.unionByName(written(spark, f"{work}/again", whole))


def _read_pieces(limits: Limits, group: Sequence[Piece]) -> Iterator[pa.RecordBatch]:
    return read_pieces(group, limits)


def _read_fetched(
    by_path: dict[str, Archive], limits: Limits, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for path, content in zip(batch.column("path").to_pylist(), batch.column("content"), strict=True):
            if path in by_path:  # what was added since is not read
                yield from read_content(by_path[path], content.as_buffer(), limits)


def _of_gone(spark: Any, archives: Sequence[Archive], found: Any) -> Any:
    """A problem for each archive that is not there any more."""
    there = {row.source for row in found.where(f"kind = '{RANGE}'").select("source").distinct().collect()}
    gone = [archive for archive in archives if archive.number not in there]
    rows = [
        {"source": one.number, "file": one.name, "offset": 0, "kind": "unreadable", "reason": _GONE} for one in gone
    ]
    return spark.createDataFrame([tuple(row.get(name) for name in RECORDS.names) for row in rows], ddl(RECORDS))


#: In the words of the operating system, as of local archives.
_GONE: Final = os.strerror(errno.ENOENT)


def _fetched(
    spark: Any,
    archives: Sequence[Archive],
    work: Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]],
    schema: Schema,
) -> Any:
    """What some work makes of the bytes of archives that Spark brings; those that vanished are passed over."""
    source = spark.read.format("binaryFile").option("ignoreMissingFiles", "true")
    try:
        files = source.load([literal(archive.name) for archive in archives])
    except Exception as error:  # of Spark, with as many kinds as there are file systems
        there = [archive.name for archive in archives if Folder(spark, archive.name).exists()]
        if len(there) == len(archives):
            raise
        if not there:
            raise InputError(f"cannot read {archives[0].name}: it was there, and is not any more") from error
        files = source.load(list(map(literal, there)))
    return files.select("path", "content").mapInArrow(work, ddl(schema))


def _by_task(spark: Any, groups: Sequence[Any], work: Callable[[Any], Iterator[pa.RecordBatch]], schema: Schema) -> Any:
    """What some work makes of each group, each in a task of its own."""
    shared = spark.sparkContext.broadcast(groups)

    def of_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column("id").to_pylist():
                yield from work(shared.value[number])

    return spark.range(0, len(groups), 1, len(groups)).mapInArrow(of_task, ddl(schema))
