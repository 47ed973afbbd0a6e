"""Read arrays for the graph algorithms from the database; `graph_output` writes the answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.analysis import signals
from graphlang.analysis.graph_rows import LinkRows, PageRows, build_graph, drop_unknown, find_multilingual
from graphlang.codes import languages
from graphlang.db import StoreError, collection, corrections, snapshot
from graphlang.db.runs.answers import read_answers, read_labels, read_scores, read_short_page_digests
from graphlang.db.runs.run import find_latest_run, get_chosen_run, get_run
from graphlang.graph.data import Evidence, Graph, Signal
from graphlang.graph.propagation.candidates import LIKELY
from graphlang.graph.propagation.messages import release_memory
from graphlang.graph.tables import Lists, ListTable, list_starts

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from graphlang.analysis.read_ahead import PrefetchThread
    from graphlang.db.runs.run import Run
    from graphlang.graph.options import Options

#: Labels per page in the graph.
WIDTH = 20
#: Copies of texts are counted below this number of letters; longer texts are evidence enough.
SHORT = 200
_PAGES = 1 << 16  # pages whose lists are expanded at a time
_LINKS = 1 << 20  # links handled at a time


@dataclass(frozen=True, slots=True, eq=False)
class GraphInput:
    """A finished content run and the links, as arrays; row i is the page ``pages[i]``."""

    run: Run
    graph: Graph
    evidence: Evidence
    labels: ListTable[np.int32]  #: the run's score lists by ``labels.id``, -1 padding, shape (rows, k)
    language_of: dict[int, int]  #: ``labels.id`` -> index in ``evidence.codes``
    no_letters: NDArray[np.bool_]  #: pages whose text has no letters: always ``zxx``
    unknown: NDArray[np.bool_]  #: pages with long text in an unknown language: always ``und``, without links
    pages: NDArray[np.int64]  #: ids of the rows, shape (rows,)
    stored: NDArray[np.bool_]  #: pages that were fetched or have an answer: each has its own row in a run
    corrected: NDArray[np.int64]  #: ``labels.id`` set by hand, -1 none, shape (rows,)
    removed: NDArray[np.int64]  #: ids of removed pages, ascending

    def find_row(self, page: int) -> int:
        """Return the row of a page, -1 if it is excluded."""
        rows = np.flatnonzero(self.pages == page)
        return int(rows[0]) if len(rows) else -1

    def drop_links(self) -> GraphInput:
        """Drop links and scores, which are not needed to write the answers."""
        n, no_links = self.evidence.n, np.zeros(0, np.int32)
        empty = np.zeros((n, 0), np.int16), np.zeros((n, 0), np.float32)
        evidence = Evidence(self.evidence.codes, *empty, self.evidence.length, self.evidence.host)
        graph = Graph(n, no_links, no_links, no_links.astype(np.uint8), no_links.astype(np.int16))
        return replace(self, graph=graph, evidence=evidence)


@dataclass(frozen=True, slots=True)
class ClampLimits:
    """Limits that decide which texts use their neighbours; see ``graphlang.graph.options.Options``."""

    clamp_length: int
    doubtful: float
    certain_length: int

    @classmethod
    def from_options(cls, options: Options) -> ClampLimits:
        """Take the limits from options of an inference."""
        return cls(options.clamp_length, options.doubtful, options.certain_length)


def find_seed_run(connection: sqlite3.Connection, run: int | None) -> Run:
    """Return the run to start from: the one with this id, else the chosen content run.

    If a vote or propagation is chosen, it is the content run that it started from. Without a chosen run it is the
    newest content run. So runs made only to compare methods do not change later inferences. Raise a StoreError if there
    is no such run, or it is not a run over texts or URLs.
    """
    if run is not None:
        requested = get_run(connection, run)
        if requested.kind not in ("content", "url"):
            msg = f"run {run} is a {requested.kind} run; the graph starts from a content run"
            raise StoreError(msg)
        return requested
    chosen = get_chosen_run(connection)
    if chosen is not None and chosen.kind in ("vote", "propagation") and chosen.seeds:
        chosen = get_run(connection, chosen.seeds[0])
    if chosen is not None and chosen.kind == "content" and chosen.at == snapshot.get_moment(connection):
        return chosen
    newest = find_latest_run(connection, "content")
    if newest is None:
        msg = "nothing is classified yet: run 'graphlang classify' first"
        raise StoreError(msg)
    return newest


def load(connection: sqlite3.Connection, run: Run, weights: Mapping[str, float] | None = None) -> GraphInput:
    """Read the links and the run's scores of every page, fetched or not; row i is the page i + 1.

    ``weights`` are those of the signals, see ``signals.NAMES``; others are left out. None also leaves out the
    directories, which only the inference needs.
    """
    return LoadedRun(connection, run).make_input(weights)


class LoadedRun:
    """A finished content run and the links, read once, to make the input of any pages.

    Most URLs of a crawl are unfetched, and linked to only by pages whose long text is clear. They receive evidence and
    send none. So they can be excluded unless an answer for them is requested, which changes nothing for other pages.

    ``links`` are those of the collection, if already read. ``one_graph`` keeps the first graph with excluded pages
    instead of the links, which are read again for other graphs. ``prefetch`` has the weights of the signals for that
    graph, and the thread that reads them meanwhile.
    """

    _cached_graph: tuple[ClampLimits, NDArray[np.int64], PageRows, Graph] | None = None
    _started_signals: tuple[PageRows, Mapping[str, float], Future[signals.PageSignals]] | None = None
    #: evidence of URLs of the last input that is not stored yet; None without signals
    new_urls: NDArray[Any] | None = None

    def __init__(
        self,
        connection: sqlite3.Connection,
        run: Run,
        links: LinkRows | None = None,
        *,
        one_graph: bool = False,
        prefetch: tuple[Mapping[str, float], PrefetchThread] | None = None,
    ) -> None:
        release_memory()  # of the identification of texts
        self.run, self._connection, self._one_graph, self._prefetch = run, connection, one_graph, prefetch
        self.count = collection.count_pages(connection)
        self._links: collection.Edges | None
        self._links, self._hosts = links or LinkRows.read(connection)
        #: ids of removed pages, ascending
        self.removed = collection.list_removed_pages(connection)
        answers = read_answers(connection, run.id)
        #: whether each page was fetched or has an answer of the run
        self.stored = collection.load_is_fetched(connection)
        self.stored[answers.pages - 1] = True
        corrected_pages, correction_labels = corrections.read_corrected_labels(connection)
        if changed_pages := snapshot.find_changed_pages(connection):  # corrections are about the main capture
            is_current = ~np.isin(corrected_pages, changed_pages)
            corrected_pages, correction_labels = corrected_pages[is_current], correction_labels[is_current]
        has_row = self.stored.copy()
        has_row[corrected_pages - 1] = True
        self._rows = np.flatnonzero(has_row)
        scores = read_scores(connection, run.id, has_row, WIDTH)
        self._labels, self._longest = Lists(list_starts(scores.counts), scores.label), int(scores.counts.max(initial=1))
        labels = read_labels(connection)
        special = (languages.UND, languages.ZXX)
        self._codes = tuple(sorted({language for _, language, _ in labels.values() if language not in special}))
        self._index = {code: number for number, code in enumerate(self._codes)}
        self._language_of = {
            label: self._index[language] for label, (_, language, _) in labels.items() if language not in special
        }
        table = np.full(max(labels, default=0) + 2, -1, dtype=np.int16)  # the last entry is for the padding, -1
        for label, language in self._language_of.items():
            table[label] = language
        self._language = table
        self._corrected = np.full(len(self._rows), -1, dtype=np.int64)
        self._corrected[np.searchsorted(self._rows, corrected_pages - 1)] = correction_labels
        lists = Lists(self._labels.start, scores.score)
        del scores
        self._read_lists(lists)
        del lists
        rows = np.searchsorted(self._rows, answers.pages - 1)
        self._length = np.zeros(len(self._rows), dtype=np.int32)
        self._length[rows] = answers.characters
        self._length[~self._has_letters] = 0  # no letters: no evidence
        self._no_letters = np.zeros(len(self._rows), dtype=np.bool_)
        zxx = [label for label, (_, language, _) in labels.items() if language == languages.ZXX]
        self._no_letters[rows[np.isin(answers.label, zxx)]] = True
        und = [label for label, (_, language, _) in labels.items() if language == languages.UND]
        self._unknown = np.zeros(len(self._rows), dtype=np.bool_)
        self._unknown[rows[np.isin(answers.label, und) & (answers.characters >= SHORT)]] = True
        del answers, rows
        self._correct(zxx)
        self._copies = _count_copies(connection, run, self._rows, self._hosts)
        if self._links is not None:
            self._links = drop_unknown(self._links, self._rows[self._unknown])

    def _correct(self, zxx: list[int]) -> None:
        """Remove the text evidence of pages that were corrected to no language."""
        is_corrected = self._corrected >= 0
        self._length[is_corrected & (self._language[self._corrected] < 0)] = 0
        self._no_letters[is_corrected], self._unknown[is_corrected] = np.isin(self._corrected[is_corrected], zxx), False

    @property
    def _edges(self) -> collection.Edges:
        if self._links is None:
            self._links = drop_unknown(collection.read_edges(self._connection, places=True), self._rows[self._unknown])
        return self._links

    def _read_lists(self, scores: Lists[np.float32]) -> None:
        """Convert labels to languages, best first; corrections replace the scores of the text."""
        self._has_letters, self._sure = np.empty(len(self._rows), np.bool_), np.empty(len(self._rows), np.float32)
        self._best = np.empty(len(self._rows), np.int16)
        counts, indices, chances = [np.zeros(0, np.int64)], [np.zeros(0, np.int16)], [np.zeros(0, np.float32)]
        for at in range(0, len(self._rows), _PAGES):
            rows = np.arange(at, min(at + _PAGES, len(self._rows)))
            label = self._labels.to_table(rows, self._longest, -1)
            index, chance = join_scripts(self._language[label], scores.to_table(rows, self._longest, 0))
            self._has_letters[rows] = index[:, 0] >= 0
            corrected = np.flatnonzero(self._corrected[rows] >= 0)
            language = self._language[self._corrected[rows[corrected]]]
            index[corrected], chance[corrected] = -1, 0
            index[corrected, 0], chance[corrected, 0] = language, language >= 0
            self._best[rows], self._sure[rows] = index[:, 0], chance[:, 0]
            is_present = index >= 0
            count = np.where(is_present.any(axis=1), is_present.shape[1] - is_present[:, ::-1].argmax(axis=1), 0)
            is_used = np.arange(is_present.shape[1]) < count[:, None]
            counts.append(count)
            indices.append(index[is_used])
            chances.append(chance[is_used])
        start = list_starts(np.concatenate(counts))
        self._indices = Lists(start, np.concatenate(indices))
        self._probabilities = Lists(start, np.concatenate(chances))

    def make_input(
        self,
        weights: Mapping[str, float] | None = None,
        *,
        requested: NDArray[np.int64] | None = None,
        limits: ClampLimits | None = None,
    ) -> GraphInput:
        """Return the input of the graph algorithms.

        ``weights`` are as in `load`. With ``limits``, pages are excluded that were only linked to, and only by
        pages that do not use their neighbours. ``requested`` has the ids of pages that are never excluded, ascending.
        """
        rows, graph = self._rows_and_graph(requested, limits)
        pages = rows.pages
        entry_of_page = np.full(self.count, -1, dtype=np.int32)  # index in the arrays of this class
        entry_of_page[self._rows] = np.arange(len(self._rows), dtype=np.int32)
        list_number = entry_of_page[pages]
        del entry_of_page
        present_rows = np.flatnonzero(list_number >= 0)
        entries = list_number[present_rows]

        def to_rows(values: NDArray[Any], fill: float) -> NDArray[Any]:
            result = np.full((len(pages), *values.shape[1:]), fill, dtype=values.dtype)
            result[present_rows] = values[entries]
            return result

        lists = (
            ListTable(list_number, self._indices, self._longest, -1),
            ListTable(list_number, self._probabilities, self._longest, 0),
        )
        tables = lists if limits is not None else (np.asarray(lists[0]), np.asarray(lists[1]))
        ids = pages + 1
        page_signals: dict[str, Signal] = {}
        directory = None
        if weights is not None:
            page_signals, directory, self.new_urls = self._load_signals(rows, weights)
        return GraphInput(
            self.run,
            graph,
            Evidence(
                self._codes,
                tables[0],
                tables[1],
                to_rows(self._length, 0),
                self._hosts[pages],
                directory=directory,
                signals=page_signals,
                copies=to_rows(self._copies, 1),
                answer_only=rows.answer_only,
                labelled=self._find_labelled(to_rows),
            ),
            ListTable(list_number, self._labels, self._longest, -1),
            self._language_of,
            to_rows(self._no_letters, 0),
            to_rows(self._unknown, 0),
            ids,
            self.stored[pages],
            to_rows(self._corrected, -1),
            self.removed,
        )

    def _load_signals(self, rows: PageRows, weights: Mapping[str, float]) -> signals.PageSignals:
        started, self._started_signals = self._started_signals, None
        if started is not None and started[0] is rows and started[1] == weights:
            return started[2].result()
        return signals.load(self._connection, self._index, rows.pages + 1, weights, self._hosts[rows.pages])

    def _start_signals(self, rows: PageRows) -> None:
        if self._prefetch is not None:
            weights, thread = self._prefetch
            arguments = (self._index, rows.pages + 1, weights, self._hosts[rows.pages])
            self._started_signals = rows, weights, thread.begin(lambda connection: signals.load(connection, *arguments))

    def _find_labelled(self, to_rows: Callable[[NDArray[Any], float], NDArray[Any]]) -> NDArray[np.bool_] | None:
        labelled = (self._corrected >= 0) & (self._sure > 0)
        return to_rows(labelled, 0) if labelled.any() else None

    def _rows_and_graph(
        self, requested: NDArray[np.int64] | None, limits: ClampLimits | None
    ) -> tuple[PageRows, Graph]:
        if limits is None:
            rows = self._choose_rows(None, None)
            return rows, self._build_graph(rows, whole=True)
        requested = np.zeros(0, np.int64) if requested is None else requested
        if (
            self._cached_graph is not None
            and self._cached_graph[0] == limits
            and np.array_equal(self._cached_graph[1], requested)
        ):
            return self._cached_graph[2:]
        rows = self._choose_rows(requested, limits)
        if self._one_graph:
            self._start_signals(rows)
        graph = self._build_graph(rows, whole=False)
        if self._one_graph:
            self._cached_graph, self._links = (limits, requested, rows, graph), None
        return rows, graph

    def _choose_rows(self, requested: NDArray[np.int64] | None, limits: ClampLimits | None) -> PageRows:
        """Return the pages that are not excluded, the requested ones last."""
        if limits is None:
            return PageRows(np.arange(self.count), np.ones(self.count, dtype=np.bool_), 0)
        uses_neighbours = np.ones(self.count, dtype=np.bool_)
        sure, length = self._sure, self._length
        clamped = (sure >= limits.doubtful) & (length >= limits.clamp_length)
        clamped &= (sure >= LIKELY) | ((sure > 0) & (length >= limits.certain_length))  # its language is active
        clamped |= (self._corrected >= 0) & (sure > 0)
        uses_neighbours[self._rows[clamped]] = False
        inside = np.zeros(self.count, dtype=np.bool_)
        inside[self._rows] = True
        source, target = self._edges.source, self._edges.target
        for at in range(0, len(source), _LINKS):
            block = slice(at, at + _LINKS)
            inside[target[block][uses_neighbours[source[block]]]] = True
            inside[source[block][uses_neighbours[target[block]]]] = True
        included = np.flatnonzero(inside)
        if requested is None or not len(requested):
            return PageRows(included, inside, 0)
        new = requested - 1
        new = new[~inside[new]]
        inside[new] = True
        return PageRows(np.concatenate([included, new]), inside, len(new))

    def _build_graph(self, rows: PageRows, *, whole: bool) -> Graph:
        edges = self._edges
        tags = np.array([self._index.get(languages.code(tag) or "", -1) for tag in edges.tags] + [-1], dtype=np.int16)
        if whole:
            hreflang = tags[edges.hreflang]
            return Graph(self.count, edges.source, edges.target, edges.kind, hreflang, edges.nofollow, edges.place)
        multilingual = np.zeros(int(self._hosts.max(initial=-1)) + 1, dtype=np.bool_)
        flags = find_multilingual(self._hosts[self._rows], self._best)
        multilingual[: len(flags)] = flags
        return build_graph(LinkRows(edges, self._hosts), rows, tags, multilingual)


def _count_copies(
    connection: sqlite3.Connection, run: Run, rows: NDArray[np.int64], hosts: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Count the pages of its host with the same short text as each page, itself included.

    ``rows`` are those of all pages with an answer of the run, ascending; ``hosts`` those of all pages.
    """
    copies = np.ones(len(rows), dtype=np.int32)
    pages, digests = read_short_page_digests(connection, run.id, SHORT)
    if len(pages):
        key = np.stack([hosts[pages - 1].astype(np.int64), digests], axis=1)
        _, group, counts = np.unique(key, axis=0, return_inverse=True, return_counts=True)
        copies[np.searchsorted(rows, pages - 1)] = counts[group.ravel()]
    return copies


def join_scripts(
    indices: NDArray[np.int16], probabilities: NDArray[np.float32]
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Join the labels of one language (its scripts) to one entry; each row is best first.

    ``indices`` (languages of the labels, -1 padding) and ``probabilities`` have shape (n, k).
    """
    indices, probabilities = indices.copy(), np.where(indices >= 0, probabilities, 0).astype(np.float32)
    rows = np.flatnonzero((indices[:, 1:] >= 0).any(axis=1))  # most pages have one label
    several, sums = indices[rows], probabilities[rows]
    used = np.flatnonzero((several >= 0).any(axis=0))
    for later in used[used > 0].tolist():
        for earlier in range(later):
            same = np.flatnonzero((several[:, later] == several[:, earlier]) & (several[:, later] >= 0))
            sums[same, earlier] += sums[same, later]
            several[same, later], sums[same, later] = -1, 0
    order = np.argsort(-sums, axis=1, kind="stable")
    indices[rows], probabilities[rows] = np.take_along_axis(several, order, 1), np.take_along_axis(sums, order, 1)
    return indices, np.minimum(probabilities, 1)
