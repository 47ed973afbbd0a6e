"""The stage ``infer``, where one task can hold all pages: the inference of one machine.

Most URLs of a crawl were only linked to, by pages whose text leaves no question: they learn from these pages, and no
page learns from them. So they are left out at first (``graph.data.Graph.outside``), and answered for afterwards,
some at a time, or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from graphlang.analysis.graph_input import SHORT
from graphlang.analysis.page_scripts import HostLabels
from graphlang.cluster.arrays import (
    LINKS,
    PAGES,
    bundle_partition,
    find_listening,
    hash_hosts,
    hash_names,
    make_signals,
    number_labels,
)
from graphlang.cluster.classify_captures import CONTENT
from graphlang.cluster.stages import BucketFile
from graphlang.cluster.steps import answer_linked, list_answers, list_facts
from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import ANSWERS
from graphlang.codes import languages
from graphlang.graph.data import NONE, Evidence, Graph
from graphlang.graph.partitioned.partition import find_directory, find_host
from graphlang.graph.propagation.inference import propagate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.cluster.arrays import Labels
    from graphlang.cluster.stages import Stages, TaskOutput
    from graphlang.cluster.storage import Location
    from graphlang.graph.data import Answer, Signal
    from graphlang.graph.options import Options
    from graphlang.graph.partitioned.partition import Partition

#: URLs that were only linked to, and are answered for at a time: each time all pages take part again.
TOGETHER: Final = 1 << 18
INFERRED: Final = "answers/run=2"
SENT_ANSWERS_TABLE: Final = f"{WORK}/sent-answers"
#: What the table of languages has of an answer; sent to the task of the page's bucket as the answer is written.
SENT_ANSWERS: Final = pa.schema(
    [ANSWERS.field(name) for name in ("page", "label", "confidence", "runner_up_label", "runner_up_confidence")]
    + [ANSWERS.field(name) for name in ("characters", "encoding")]
)
_LINK_COLUMNS: Final = [name for name in LINKS if name != "other"]
_PAGE_COLUMNS: Final = [name for name in PAGES if name != "copies"]
#: The tables that a job infers from, with the columns that are read: URLs, answers for their texts, declarations.
TABLES: Final = {
    "pages": ("page", "url", "tld"),
    CONTENT: ("page", "label", "characters", "scores", "shares", "read"),
    "captures": ("page", "declared"),
}
_ROWS: Final = 50_000  # of answers that are handed out at once


@dataclass(frozen=True, slots=True, eq=False)
class OneTask:
    """The options of an inference in one task."""

    labels: Collection[str] | None  #: that the method may give; None: those that pages have
    weights: Mapping[str, float]  #: of the signals
    options: Options
    most_links: int  #: more are refused
    linked: bool  #: whether all URLs that were only linked to are answered for


def infer_in_one_task(stages: Stages, task: OneTask, bucket_count: int) -> None:
    """Write the answers for all pages."""
    tables = {INFERRED: ANSWERS, SENT_ANSWERS_TABLE: None}
    stages.begin("infer", tables)
    done = stages.run([stages.folder], partial(_write_answers, task, bucket_count))
    stages.end("infer", tables, [file for _, files in done for file in files], {})


def _write_answers(task: OneTask, bucket_count: int, folder: Location, output: TaskOutput) -> None:
    answers = output.rows(INFERRED, "part-00000", ANSWERS)
    sent = BucketFile(output, SENT_ANSWERS_TABLE, "part-00000", SENT_ANSWERS, bucket_count)
    tables = [(folder / table, columns) for table, columns in TABLES.items()]
    for batch in infer_tables(task, tables, folder / "links"):
        answers.write(batch)
        sent.write(batch.select(SENT_ANSWERS.names))
    sent.close()


def infer_tables(
    task: OneTask, pages: Sequence[tuple[Location, Sequence[str]]], links: Location
) -> Iterator[pa.RecordBatch]:
    """Yield rows of `ANSWERS` for the pages with any evidence.

    `pages` are tables with the columns to read; the first one has all pages and their URLs.
    """
    tables = [_read_table(location, columns) for location, columns in pages]
    yield from _infer(task, tables, _read_table(links, _LINK_COLUMNS))


def _read_table(folder: Location, columns: Sequence[str]) -> pa.Table:
    """Read some columns of all files of a folder; `pyarrow.dataset` would load pandas, which takes half a second."""
    tables = []
    for location in folder.files(".parquet"):
        with location.open_input() as file, pq.ParquetFile(file) as parquet:
            tables.append(parquet.read(list(columns)))
    return pa.concat_tables(tables)


def _infer(task: OneTask, tables: Sequence[pa.Table], links: pa.Table) -> Iterator[pa.RecordBatch]:
    if not tables[0].num_rows:
        return
    pages = _PageTables(tables)
    counts = pc.value_counts(pages.column("label", pages.stored).drop_null()).to_pylist()
    pages_by_label = {count["values"]: count["counts"] for count in counts}
    names = task.labels
    if names is None:
        listed = pages.column("scores", pages.stored).combine_chunks().flatten()
        names = {*pages_by_label, *pc.unique(listed.field("label")).to_pylist()}
    labels = number_labels(names, pages_by_label)
    for answers_table in _OneTaskInference(task, labels, pages, links).yield_answers():
        yield from answers_table.to_batches(max_chunksize=_ROWS)


class _PageTables:
    """All pages by ascending id, with the columns of several tables."""

    def __init__(self, tables: Sequence[pa.Table]) -> None:
        first = tables[0]["page"].to_numpy()
        # Its URLs are many, and most are never read: they stay where they are.
        self._order: NDArray[np.int64] = np.argsort(first, kind="stable")
        self._tables = [tables[0], *(table.sort_by("page") for table in tables[1:])]
        self.ids: NDArray[np.int64] = first[self._order]
        ids_read = [table["page"].to_numpy() for table in self._tables[1:]]
        for table in self._tables:  # a page with an answer or a declaration was read
            for name in ("label", "declared"):
                if name in table.column_names:
                    ids_read += [table["page"].to_numpy()[table[name].is_valid().to_numpy()]]
        self.stored: NDArray[np.int64] = np.searchsorted(self.ids, np.unique(np.concatenate([self.ids[:0], *ids_read])))

    def column(self, name: str, rows: NDArray[np.int64]) -> pa.ChunkedArray:
        """Return a column for some rows; null where no table has the page."""
        for table in self._tables:
            if name in table.column_names:
                if table is self._tables[0]:
                    return table[name].take(pa.array(self._order[rows]))
                ids = table["page"].to_numpy()
                at = np.minimum(np.searchsorted(ids, self.ids[rows]), max(len(ids) - 1, 0))
                present = ids[at] == self.ids[rows] if len(ids) else np.zeros(len(rows), np.bool_)
                return table[name].take(pa.array(at, mask=~present))
        raise KeyError(name)

    def host(self) -> NDArray[np.int32]:
        """Return the host of each page, numbered by their keys."""
        _, host = np.unique(hash_hosts(self._tables[0]["url"]), return_inverse=True)
        return host[self._order].astype(np.int32)

    def list_unknown(self) -> pa.Array:
        """Return the ids of pages with a long text in an unknown language."""
        label, characters = (self.column(name, self.stored) for name in ("label", "characters"))
        silent = pc.and_(pc.equal(label, languages.UND), pc.greater_equal(characters, SHORT))
        return pa.array(self.ids[self.stored][silent.fill_null(False).to_numpy()])  # noqa: FBT003 - the value

    def table(self, rows: NDArray[np.int64]) -> pa.Table:
        """Return some rows with the columns of `PAGES`."""
        columns = {name: self.column(name, rows) for name in _PAGE_COLUMNS}
        return pa.table({**columns, "copies": pa.nulls(len(rows), pa.int32())})


class _OneTaskInference:
    """Rows: pages that were read, URLs that listening pages link to or from, then a chunk of the others."""

    def __init__(self, task: OneTask, labels: Labels, pages: _PageTables, links: pa.Table) -> None:
        self._task, self._labels, self._pages = task, labels, pages
        links = _drop_unknown(links, pages.list_unknown())
        links = links.append_column("other", pa.array(np.zeros(links.num_rows, np.int32)))
        read = pages.table(pages.stored)
        no_cuts = np.zeros(0, np.int64)
        self._partition, self._details = bundle_partition(
            0, read, links, labels, task.weights, task.most_links, no_cuts
        )
        best = self._details.labels[:, 0].astype(np.int64)
        self._host_labels = HostLabels.count(labels.scripts, self._partition.host, best)
        self._host = pages.host()
        self._source, self._target = (
            np.searchsorted(pages.ids, end) for end in (self._partition.source, self._partition.target)
        )
        self._linked = np.setdiff1d(self._find_reached(), pages.stored, assume_unique=True)

    def yield_answers(self) -> Iterator[pa.Table]:
        """Yield the answers for pages that were read, then those for the others, some at a time."""
        first_rows = np.concatenate([self._pages.stored, self._linked])
        waiting = np.ones(len(self._pages.ids), np.bool_)
        waiting[first_rows] = False
        rest = np.flatnonzero(waiting) if self._task.linked else first_rows[:0]
        rows_known = _PageEvidence.of_read(self._partition, self._host[self._pages.stored]).append(
            self._only_linked(self._linked)
        )
        for at in range(0, max(len(rest), 1), TOGETHER):
            chunk = rest[at : at + TOGETHER]
            answer = self._infer_rows(
                np.concatenate([first_rows, chunk]), rows_known.append(self._only_linked(chunk)), len(chunk)
            )
            if not at:
                n = len(self._pages.stored)
                facts = list_facts(self._partition, self._details)
                yield list_answers(self._labels, facts, answer.languages[:n], answer.probabilities[:n])
            if self._task.linked:
                first = len(first_rows) if at else len(self._pages.stored)
                rows = np.concatenate([first_rows, chunk])[first:]
                beliefs = answer.languages[first:], answer.probabilities[first:]
                yield answer_linked(self._labels, self._pages.ids[rows], self._default_labels(rows), *beliefs)

    def _default_labels(self, rows: NDArray[np.int64]) -> NDArray[np.int16]:
        """Return the labels of some pages that were only linked to, in languages with several scripts."""
        scripts, urls = self._labels.scripts, self._pages.column("url", rows).to_pylist()
        host = hash_names(find_host(url.encode()) for url in urls)
        return scripts.find_default_labels(host, self._host_labels, scripts.find_url_labels(urls)).astype(np.int16)

    def _find_reached(self) -> NDArray[np.int64]:
        """Return the pages that are linked from or to a page that listens to its neighbours."""
        partition = self._partition
        listens = np.ones(len(self._pages.ids), np.bool_)
        listens[self._pages.stored] = find_listening(partition.probabilities, partition.length, self._task.options)
        source, target = self._source, self._target
        return np.unique(np.concatenate([target[listens[source]], source[listens[target]]]))

    def _only_linked(self, rows: NDArray[np.int64]) -> _PageEvidence:
        """Return the evidence of pages that were only linked to."""
        pages = self._pages.table(rows)
        urls = pages["url"].to_pylist()
        directory = hash_names(find_directory(url.encode()) for url in urls)
        return _PageEvidence(self._host[rows], directory, make_signals(pages, self._labels, self._task.weights))

    def _infer_rows(self, rows: NDArray[np.int64], page_rows: _PageEvidence, asked_count: int) -> Answer:
        partition, n = self._partition, len(rows)
        read, total = len(self._pages.stored), len(self._pages.ids)
        outside = np.ones(total, np.bool_)
        outside[rows] = False
        left_out = np.flatnonzero(outside)
        row_of = np.empty(total, np.int32)
        row_of[rows] = np.arange(n, dtype=np.int32)
        row_of[left_out] = np.arange(n, total, dtype=np.int32)
        ends = row_of[self._source], row_of[self._target]
        graph = Graph(
            *(total, *ends, partition.kind, partition.hreflang),
            ordinal=partition.ordinal,
            outside=self._host[left_out] if len(left_out) else None,
        )

        def spread(values: NDArray[Any], fill: float) -> NDArray[Any]:
            values_of_all = np.full((n, *values.shape[1:]), fill, values.dtype)
            values_of_all[:read] = values
            return values_of_all

        _, directory = np.unique(page_rows.directory, return_inverse=True)
        evidence = Evidence(
            partition.codes,
            spread(partition.languages, NONE),
            spread(partition.probabilities, 0),
            spread(partition.length, 0),
            page_rows.host,
            directory.astype(np.int32),
            page_rows.signals,
            None if partition.copies is None else spread(partition.copies, 1),
            asked_count,
        )
        return propagate(graph, evidence, options=self._task.options)


def _drop_unknown(links: pa.Table, unknown: pa.Array) -> pa.Table:
    """Drop links from or to pages in an unknown language, as one machine does."""
    if not len(unknown):
        return links
    ends = (pc.is_in(links[end], value_set=unknown) for end in ("source", "target"))
    return links.filter(pc.invert(pc.or_(*ends)))


@dataclass(frozen=True, slots=True, eq=False)
class _PageEvidence:
    """The evidence of n pages besides their texts."""

    host: NDArray[np.int32]  #: shape (n,)
    directory: NDArray[np.int64]  #: keys, shape (n,)
    signals: Mapping[str, Signal]

    @classmethod
    def of_read(cls, partition: Partition, host: NDArray[np.int32]) -> _PageEvidence:
        """Return that of the pages that were read."""
        return cls(host, partition.directory, partition.signals)

    def append(self, other: _PageEvidence) -> _PageEvidence:
        """Append other pages."""
        signals = {
            name: replace(
                signal,
                languages=np.concatenate([signal.languages, other.signals[name].languages]),
                probabilities=np.concatenate([signal.probabilities, other.signals[name].probabilities]),
            )
            for name, signal in self.signals.items()
        }
        host = np.concatenate([self.host, other.host])
        return _PageEvidence(host, np.concatenate([self.directory, other.directory]), signals)
