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

from graphlang.analysis.arrays.graph_input import SHORT
from graphlang.cluster.classify_captures import CONTENT
from graphlang.cluster.inference.bundle import LINKS, PAGES, bundle, host_keys, keys_of, signals_of
from graphlang.cluster.inference.inside import listening
from graphlang.cluster.inference.labels import labels_of
from graphlang.cluster.inference.steps import answers, facts_of, of_linked
from graphlang.cluster.storage import WORK
from graphlang.cluster.tables import ANSWERS
from graphlang.cluster.task_files import BucketFile
from graphlang.codes import languages
from graphlang.graph.data import NONE, Evidence, Graph
from graphlang.graph.partitioned.assign import directory_of
from graphlang.graph.propagation.inference import propagate

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from graphlang.cluster.inference.labels import Labels
    from graphlang.cluster.stages import Stages
    from graphlang.cluster.storage import Location
    from graphlang.cluster.task_files import TaskOutput
    from graphlang.graph.data import Signal
    from graphlang.graph.partitioned.partition import Partition
    from graphlang.graph.propagation.options import Options
    from graphlang.graph.result import Answer

#: URLs that were only linked to, and are answered for at a time: what is common to all pages is done anew each time.
TOGETHER: Final = 1 << 18
INFERRED: Final = "answers/run=2"
TOLD_TABLE: Final = f"{WORK}/told"
#: What the table of languages has of an answer; sent to the task of the page's bucket as the answer is written.
TOLD: Final = pa.schema(
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
    """What the task infers, and how."""

    labels: Collection[str] | None  #: that the method may give; None: those that pages have
    weights: Mapping[str, float]  #: of the signals
    options: Options
    most_links: int  #: more are refused
    linked: bool  #: whether all URLs that were only linked to are answered for


def infer_in_one_task(stages: Stages, task: OneTask, bucket_count: int) -> None:
    """Write the answers for all pages."""
    tables = {INFERRED: ANSWERS, TOLD_TABLE: None}
    stages.begin("infer", tables)
    done = stages.run([stages.folder], partial(_write_answers, task, bucket_count))
    stages.end("infer", tables, [file for _, files in done for file in files], {})


def _write_answers(task: OneTask, bucket_count: int, folder: Location, output: TaskOutput) -> None:
    answers = output.rows(INFERRED, "part-00000", ANSWERS)
    told = BucketFile(output, TOLD_TABLE, "part-00000", TOLD, bucket_count)
    tables = [(folder / table, columns) for table, columns in TABLES.items()]
    for batch in infer_tables(task, tables, folder / "links"):
        answers.write(batch)
        told.write(batch.select(TOLD.names))
    told.close()


def infer_tables(
    task: OneTask, pages: Sequence[tuple[Location, Sequence[str]]], links: Location
) -> Iterator[pa.RecordBatch]:
    """Yield rows of `ANSWERS` for the pages of which anything is known.

    Args:
        task: what to infer.
        pages: tables of pages with the columns to read; the first has all pages and their URLs.
        links: the table of links.
    """
    tables = [_read_table(location, columns) for location, columns in pages]
    yield from _inferred(task, tables, _read_table(links, _LINK_COLUMNS))


def _read_table(folder: Location, columns: Sequence[str]) -> pa.Table:
    """Read some columns of all files of a folder; `pyarrow.dataset` would load pandas, which takes half a second."""
    tables = []
    for location in folder.files(".parquet"):
        with location.open_input() as file, pq.ParquetFile(file) as parquet:
            tables.append(parquet.read(list(columns)))
    return pa.concat_tables(tables)


def _inferred(wanted: OneTask, tables: Sequence[pa.Table], links: pa.Table) -> Iterator[pa.RecordBatch]:
    if not tables[0].num_rows:
        return
    pages = _Pages(tables)
    counts = pc.value_counts(pages.column("label", pages.stored).drop_null()).to_pylist()
    known = {one["values"]: one["counts"] for one in counts}
    names = wanted.labels
    if names is None:
        listed = pages.column("scores", pages.stored).combine_chunks().flatten()
        names = {*known, *pc.unique(listed.field("label")).to_pylist()}
    labels = labels_of(names, known)
    for found in _Work(wanted, labels, pages, links).answered():
        yield from found.to_batches(max_chunksize=_ROWS)


class _Pages:
    """All pages by ascending id, with what tables say of them."""

    def __init__(self, tables: Sequence[pa.Table]) -> None:
        first = tables[0]["page"].to_numpy()
        # Its URLs are many, and most of them nobody asks for: they stay where they are.
        self._order: NDArray[np.int64] = np.argsort(first, kind="stable")
        self._tables = [tables[0], *(table.sort_by("page") for table in tables[1:])]
        self.ids: NDArray[np.int64] = first[self._order]
        known = [table["page"].to_numpy() for table in self._tables[1:]]
        for table in self._tables:  # a page of which anything is said was read
            for name in ("label", "declared"):
                if name in table.column_names:
                    known += [table["page"].to_numpy()[table[name].is_valid().to_numpy()]]
        self.stored: NDArray[np.int64] = np.searchsorted(self.ids, np.unique(np.concatenate([self.ids[:0], *known])))

    def column(self, name: str, rows: NDArray[np.int64]) -> pa.ChunkedArray:
        """What a column says of some rows, null where no table says anything."""
        for table in self._tables:
            if name in table.column_names:
                if table is self._tables[0]:
                    return table[name].take(pa.array(self._order[rows]))
                ids = table["page"].to_numpy()
                at = np.minimum(np.searchsorted(ids, self.ids[rows]), max(len(ids) - 1, 0))
                there = ids[at] == self.ids[rows] if len(ids) else np.zeros(len(rows), np.bool_)
                return table[name].take(pa.array(at, mask=~there))
        raise KeyError(name)

    def host(self) -> NDArray[np.int32]:
        """The host of each page, numbered by their keys."""
        _, found = np.unique(host_keys(self._tables[0]["url"]), return_inverse=True)
        return found[self._order].astype(np.int32)

    def unknown(self) -> pa.Array:
        """Ids of pages with a long text in a language that is not known."""
        label, characters = (self.column(name, self.stored) for name in ("label", "characters"))
        silent = pc.and_(pc.equal(label, languages.UND), pc.greater_equal(characters, SHORT))
        return pa.array(self.ids[self.stored][silent.fill_null(False).to_numpy()])  # noqa: FBT003 - the value

    def table(self, rows: NDArray[np.int64]) -> pa.Table:
        """Some rows with the columns of `PAGES`."""
        columns = {name: self.column(name, rows) for name in _PAGE_COLUMNS}
        return pa.table({**columns, "copies": pa.nulls(len(rows), pa.int32())})


class _Work:
    """Rows are the pages that were read, then those that were only linked to by pages that listen, then those asked."""

    def __init__(self, wanted: OneTask, labels: Labels, pages: _Pages, links: pa.Table) -> None:
        self._wanted, self._labels, self._pages = wanted, labels, pages
        links = _spoken(links, pages.unknown())
        links = links.append_column("other", pa.array(np.zeros(links.num_rows, np.int32)))
        read = pages.table(pages.stored)
        no_cuts = np.zeros(0, np.int64)
        self._made, self._beside = bundle(0, read, links, labels, wanted.weights, wanted.most_links, no_cuts)
        self._host = pages.host()
        self._source, self._target = (np.searchsorted(pages.ids, end) for end in (self._made.source, self._made.target))
        self._heard = np.setdiff1d(self._reached(), pages.stored, assume_unique=True)

    def answered(self) -> Iterator[pa.Table]:
        """The answers for pages that were read, then those for the others, so many at a time."""
        kept = np.concatenate([self._pages.stored, self._heard])
        left = np.ones(len(self._pages.ids), np.bool_)
        left[kept] = False
        rest = np.flatnonzero(left) if self._wanted.linked else kept[:0]
        known = _Rows.of_read(self._made, self._host[self._pages.stored]).beside(self._only_linked(self._heard))
        for at in range(0, max(len(rest), 1), TOGETHER):
            asked = rest[at : at + TOGETHER]
            found = self._inferred(np.concatenate([kept, asked]), known.beside(self._only_linked(asked)), len(asked))
            if not at:
                n = len(self._pages.stored)
                facts = facts_of(self._made, self._beside)
                yield answers(self._labels, facts, found.languages[:n], found.probabilities[:n])
            if self._wanted.linked:
                first = len(kept) if at else len(self._pages.stored)
                pages = self._pages.ids[np.concatenate([kept, asked])[first:]]
                yield of_linked(self._labels, pages, found.languages[first:], found.probabilities[first:])

    def _reached(self) -> NDArray[np.int64]:
        """Pages that one that listens links to, or is linked from."""
        made = self._made
        listens = np.ones(len(self._pages.ids), np.bool_)
        listens[self._pages.stored] = listening(made.probabilities, made.length, self._wanted.options)
        source, target = self._source, self._target
        return np.unique(np.concatenate([target[listens[source]], source[listens[target]]]))

    def _only_linked(self, rows: NDArray[np.int64]) -> _Rows:
        """What pages that were only linked to say for themselves."""
        pages = self._pages.table(rows)
        urls = pages["url"].to_pylist()
        directory = keys_of(directory_of(url.encode()) for url in urls)
        return _Rows(self._host[rows], directory, signals_of(pages, self._labels, self._wanted.weights))

    def _inferred(self, rows: NDArray[np.int64], given: _Rows, asked: int) -> Answer:
        made, n = self._made, len(rows)
        read, total = len(self._pages.stored), len(self._pages.ids)
        outside = np.ones(total, np.bool_)
        outside[rows] = False
        left_out = np.flatnonzero(outside)
        row_of = np.empty(total, np.int32)
        row_of[rows] = np.arange(n, dtype=np.int32)
        row_of[left_out] = np.arange(n, total, dtype=np.int32)
        ends = row_of[self._source], row_of[self._target]
        graph = Graph(
            *(total, *ends, made.kind, made.hreflang),
            ordinal=made.ordinal,
            outside=self._host[left_out] if len(left_out) else None,
        )

        def spread(values: NDArray[Any], fill: float) -> NDArray[Any]:
            found = np.full((n, *values.shape[1:]), fill, values.dtype)
            found[:read] = values
            return found

        _, directory = np.unique(given.directory, return_inverse=True)
        evidence = Evidence(
            made.codes,
            spread(made.languages, NONE),
            spread(made.probabilities, 0),
            spread(made.length, 0),
            given.host,
            directory.astype(np.int32),
            given.signals,
            None if made.copies is None else spread(made.copies, 1),
            asked,
            parts=made.parts,
        )
        return propagate(graph, evidence, options=self._wanted.options)


def _spoken(links: pa.Table, unknown: pa.Array) -> pa.Table:
    """Links but those from or to pages in a language that is not known, as one machine leaves them out."""
    if not len(unknown):
        return links
    ends = (pc.is_in(links[end], value_set=unknown) for end in ("source", "target"))
    return links.filter(pc.invert(pc.or_(*ends)))


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """What n pages say besides their texts."""

    host: NDArray[np.int32]  #: shape (n,)
    directory: NDArray[np.int64]  #: keys, shape (n,)
    signals: Mapping[str, Signal]

    @classmethod
    def of_read(cls, made: Partition, host: NDArray[np.int32]) -> _Rows:
        """Of the pages that were read."""
        return cls(host, made.directory, made.signals)

    def beside(self, other: _Rows) -> _Rows:
        """These pages, and others behind them."""
        signals = {
            name: replace(
                one,
                languages=np.concatenate([one.languages, other.signals[name].languages]),
                probabilities=np.concatenate([one.probabilities, other.signals[name].probabilities]),
            )
            for name, one in self.signals.items()
        }
        host = np.concatenate([self.host, other.host])
        return _Rows(host, np.concatenate([self.directory, other.directory]), signals)
