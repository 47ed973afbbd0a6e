"""From the database to the arrays that the graph kernels take; `graph_output` leads back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from graphlang.analysis import signals
from graphlang.analysis.graph_rows import Links, Rows, graph_of, of_several_languages, spoken
from graphlang.codes import languages
from graphlang.db import StoreError, collection, corrections, snapshot
from graphlang.db.runs.answers import all_labels, digests_of_short_pages, read_answers, read_scores
from graphlang.db.runs.run import chosen_run, get_run, latest_run
from graphlang.graph.data import Evidence, Graph, Signal
from graphlang.graph.lists import Lists, ListTable, starts_of
from graphlang.graph.propagation.candidates import LIKELY
from graphlang.graph.propagation.messages import release_memory

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from graphlang.analysis.read_ahead import ReadsAhead
    from graphlang.db.runs.run import Run
    from graphlang.graph.propagation.options import Options

#: Labels of a page that the graph sees.
WIDTH = 20
#: A page with so many letters may have a copy: its own text will do.
SHORT = 200
_PAGES = 1 << 16  # whose lists are tables at once
_LINKS = 1 << 20  # that are looked at at once


@dataclass(frozen=True, slots=True, eq=False)
class GraphInput:
    """A finished content run together with the links, as arrays; row i is the page ``pages[i]``."""

    run: Run
    graph: Graph
    evidence: Evidence
    labels: ListTable[np.int32]  #: the run's score lists by ``labels.id``, -1 padding, shape (rows, k)
    language_of: dict[int, int]  #: ``labels.id`` -> index in ``evidence.codes``
    no_letters: NDArray[np.bool_]  #: pages whose text holds no letters: they are ``zxx``, whatever links to them
    unknown: NDArray[np.bool_]  #: pages with a long text of which nothing can be told: they stay ``und``, without links
    pages: NDArray[np.int64]  #: ids of the rows, shape (rows,)
    stored: NDArray[np.bool_]  #: rows that were fetched, or that the run answered: each has a row of its own in a run
    corrected: NDArray[np.int64]  #: ``labels.id`` that somebody gave each row by hand, -1 none, shape (rows,)
    removed: NDArray[np.int64]  #: ids that no page of the collection has any more, ascending

    def row(self, page: int) -> int:
        """Where a page stands, -1 if it is left out."""
        found = np.flatnonzero(self.pages == page)
        return int(found[0]) if len(found) else -1

    def for_output(self) -> GraphInput:
        """The same without links and scores: what is left when a kernel has taken them, and its answers are written."""
        n, none = self.evidence.n, np.zeros(0, np.int32)
        nothing = np.zeros((n, 0), np.int16), np.zeros((n, 0), np.float32)
        evidence = Evidence(self.evidence.codes, *nothing, self.evidence.length, self.evidence.host)
        graph = Graph(n, none, none, none.astype(np.uint8), none.astype(np.int16))
        return replace(self, graph=graph, evidence=evidence)


@dataclass(frozen=True, slots=True)
class Listening:
    """Which texts do not listen to their neighbours; see ``graphlang.graph.propagation.options.Options``."""

    clamp_length: int
    doubtful: float
    certain_length: int

    @classmethod
    def of(cls, options: Options) -> Listening:
        """What the options of an inference say."""
        return cls(options.clamp_length, options.doubtful, options.certain_length)


def seed_run(connection: sqlite3.Connection, run: int | None) -> Run:
    """Return the run to start from: the one with this id, else the chosen content run.

    A chosen vote or propagation stands for the content run that it started from. Without either, the newest content run
    is taken. So a run that was only made to compare methods changes no later inference.

    Args:
        connection: the collection.
        run: id of a run over texts or URLs.

    Raises:
        StoreError: there is none, or it is of another kind.
    """
    if run is not None:
        found = get_run(connection, run)
        if found.kind not in ("content", "url"):
            msg = f"run {run} is a {found.kind} run; the graph starts from a content run"
            raise StoreError(msg)
        return found
    chosen = chosen_run(connection)
    if chosen is not None and chosen.kind in ("vote", "propagation") and chosen.seeds:
        chosen = get_run(connection, chosen.seeds[0])
    if chosen is not None and chosen.kind == "content" and chosen.at == snapshot.moment(connection):
        return chosen
    newest = latest_run(connection, "content")
    if newest is None:
        msg = "nothing is classified yet: run 'graphlang classify' first"
        raise StoreError(msg)
    return newest


def load(connection: sqlite3.Connection, run: Run, weights: Mapping[str, float] | None = None) -> GraphInput:
    """Read the links and what the run says of every page, fetched or not; row i is the page i + 1.

    Args:
        connection: the collection.
        run: a finished content run.
        weights: of the signals besides text and links, see ``signals.NAMES``; what is not named is left out. None
            leaves the directories out as well, which only the inference asks for.
    """
    return Loaded(connection, run).arrays(weights)


class Loaded:
    """A finished content run and the links, read once, from which the seeds of any pages are made.

    Most URLs of a crawl were only linked to, by pages whose long text leaves no question: they learn from these pages
    and teach nobody. So they can be left out, as long as nobody asks for them, and nothing changes for the others.

    Args:
        connection: the collection.
        run: a finished content run.
        links: of the collection, where they were read before.
        one_graph: keep the first graph that leaves pages out, and not the links, which are read anew for any other.
        later: weights of signals that will be asked for with that graph, and who reads them meanwhile.
    """

    _made: tuple[Listening, NDArray[np.int64], Rows, Graph] | None = None
    _begun: tuple[Rows, Mapping[str, float], Future[tuple[dict[str, Signal], NDArray[np.int32]]]] | None = None

    def __init__(
        self,
        connection: sqlite3.Connection,
        run: Run,
        links: Links | None = None,
        *,
        one_graph: bool = False,
        later: tuple[Mapping[str, float], ReadsAhead] | None = None,
    ) -> None:
        release_memory()  # what was used to identify texts
        self.run, self._connection, self._one_graph, self._later = run, connection, one_graph, later
        self.count = collection.count_pages(connection)
        self._links: collection.Edges | None
        self._links, self._hosts = links or Links.of(connection)
        #: ids that no page has any more, ascending
        self.removed = collection.missing(connection)
        answers = read_answers(connection, run.id)
        #: by page: whether it was fetched, or the run answers for it
        self.stored = collection.fetched(connection)
        self.stored[answers.pages - 1] = True
        known_pages, known_labels = corrections.of_pages(connection)
        if elsewhere := snapshot.elsewhere(connection):  # nobody looked at what a page said at another time
            now = ~np.isin(known_pages, elsewhere)
            known_pages, known_labels = known_pages[now], known_labels[now]
        own = self.stored.copy()
        own[known_pages - 1] = True
        self._own = np.flatnonzero(own)
        scores = read_scores(connection, run.id, own, WIDTH)
        self._labels, self._longest = Lists(starts_of(scores.count), scores.label), int(scores.count.max(initial=1))
        known = all_labels(connection)
        special = (languages.UND, languages.ZXX)
        self._codes = tuple(sorted({language for _, language, _ in known.values() if language not in special}))
        self._index = {code: number for number, code in enumerate(self._codes)}
        self._language_of = {
            label: self._index[language] for label, (_, language, _) in known.items() if language not in special
        }
        table = np.full(max(known, default=0) + 2, -1, dtype=np.int16)  # the last entry stands for the padding, -1
        for label, language in self._language_of.items():
            table[label] = language
        self._language = table
        self._corrected = np.full(len(self._own), -1, dtype=np.int64)
        self._corrected[np.searchsorted(self._own, known_pages - 1)] = known_labels
        lists = Lists(self._labels.start, scores.score)
        del scores
        self._read_lists(lists)
        del lists
        rows = np.searchsorted(self._own, answers.pages - 1)
        self._length = np.zeros(len(self._own), dtype=np.int32)
        self._length[rows] = answers.characters
        self._length[~self._has_letters] = 0  # no letters: no evidence
        self._no_letters = np.zeros(len(self._own), dtype=np.bool_)
        zxx = [label for label, (_, language, _) in known.items() if language == languages.ZXX]
        self._no_letters[rows[np.isin(answers.label, zxx)]] = True
        und = [label for label, (_, language, _) in known.items() if language == languages.UND]
        self._unknown = np.zeros(len(self._own), dtype=np.bool_)
        self._unknown[rows[np.isin(answers.label, und) & (answers.characters >= SHORT)]] = True
        del answers, rows
        self._correct(zxx)
        self._copies = _copies(connection, run, self._own, self._hosts)
        if self._links is not None:
            self._links = spoken(self._links, self._own[self._unknown])

    def _correct(self, zxx: list[int]) -> None:
        """Where somebody found that a page has no language, its text says nothing."""
        given = self._corrected >= 0
        self._length[given & (self._language[self._corrected] < 0)] = 0
        self._no_letters[given], self._unknown[given] = np.isin(self._corrected[given], zxx), False

    @property
    def _edges(self) -> collection.Edges:
        if self._links is None:
            self._links = spoken(collection.edges(self._connection, places=True), self._own[self._unknown])
        return self._links

    def _read_lists(self, scores: Lists[np.float32]) -> None:
        """Languages in the place of labels, best first; what somebody found in the place of what the texts say."""
        self._has_letters, self._sure = np.empty(len(self._own), np.bool_), np.empty(len(self._own), np.float32)
        self._best = np.empty(len(self._own), np.int16)
        counts, indices, chances = [np.zeros(0, np.int64)], [np.zeros(0, np.int16)], [np.zeros(0, np.float32)]
        for at in range(0, len(self._own), _PAGES):
            part = np.arange(at, min(at + _PAGES, len(self._own)))
            label = self._labels.to_table(part, self._longest, -1)
            index, chance = join_scripts(self._language[label], scores.to_table(part, self._longest, 0))
            self._has_letters[part] = index[:, 0] >= 0
            given = np.flatnonzero(self._corrected[part] >= 0)
            language = self._language[self._corrected[part[given]]]
            index[given], chance[given] = -1, 0
            index[given, 0], chance[given, 0] = language, language >= 0
            self._best[part], self._sure[part] = index[:, 0], chance[:, 0]
            there = index >= 0
            count = np.where(there.any(axis=1), there.shape[1] - there[:, ::-1].argmax(axis=1), 0)
            kept = np.arange(there.shape[1]) < count[:, None]
            counts.append(count)
            indices.append(index[kept])
            chances.append(chance[kept])
        start = starts_of(np.concatenate(counts))
        self._indices = Lists(start, np.concatenate(indices))
        self._probabilities = Lists(start, np.concatenate(chances))

    def arrays(
        self,
        weights: Mapping[str, float] | None = None,
        *,
        asked: NDArray[np.int64] | None = None,
        listening: Listening | None = None,
    ) -> GraphInput:
        """Arrays for the graph kernels.

        Args:
            weights: see `load`.
            asked: with ``listening``: ids of pages that are not to be left out, ascending.
            listening: leave out all pages that were only linked to, and that no page links to which listens to its
                neighbours. None leaves nothing out.
        """
        rows, graph = self._rows_and_graph(asked, listening)
        pages = rows.pages
        places = np.full(self.count, -1, dtype=np.int32)  # in the arrays by own rows
        places[self._own] = np.arange(len(self._own), dtype=np.int32)
        every = places[pages]
        del places
        has = np.flatnonzero(every >= 0)
        own = every[has]

        def spread(values: NDArray[Any], fill: float) -> NDArray[Any]:
            found = np.full((len(pages), *values.shape[1:]), fill, dtype=values.dtype)
            found[has] = values[own]
            return found

        few = (
            ListTable(every, self._indices, self._longest, -1),
            ListTable(every, self._probabilities, self._longest, 0),
        )
        tables = few if listening is not None else (np.asarray(few[0]), np.asarray(few[1]))
        ids = pages + 1
        given: dict[str, Signal] = {}
        directory = None
        if weights is not None:
            given, directory = self._signals(rows, weights)
        return GraphInput(
            self.run,
            graph,
            Evidence(
                self._codes,
                tables[0],
                tables[1],
                spread(self._length, 0),
                self._hosts[pages],
                directory=directory,
                signals=given,
                copies=spread(self._copies, 1),
                answer_only=rows.asked,
                labelled=self._labelled(spread),
            ),
            ListTable(every, self._labels, self._longest, -1),
            self._language_of,
            spread(self._no_letters, 0),
            spread(self._unknown, 0),
            ids,
            self.stored[pages],
            spread(self._corrected, -1),
            self.removed,
        )

    def _signals(self, rows: Rows, weights: Mapping[str, float]) -> tuple[dict[str, Signal], NDArray[np.int32]]:
        begun, self._begun = self._begun, None
        if begun is not None and begun[0] is rows and begun[1] == weights:
            return begun[2].result()
        return signals.load(self._connection, self._index, rows.pages + 1, weights, self._hosts[rows.pages])

    def _begin_signals(self, rows: Rows) -> None:
        if self._later is not None:
            weights, ahead = self._later
            given = (self._index, rows.pages + 1, weights, self._hosts[rows.pages])
            self._begun = rows, weights, ahead.begin(lambda connection: signals.load(connection, *given))

    def _labelled(self, spread: Callable[[NDArray[Any], float], NDArray[Any]]) -> NDArray[np.bool_] | None:
        labelled = (self._corrected >= 0) & (self._sure > 0)
        return spread(labelled, 0) if labelled.any() else None

    def _rows_and_graph(self, asked: NDArray[np.int64] | None, listening: Listening | None) -> tuple[Rows, Graph]:
        if listening is None:
            rows = self._chosen(None, None)
            return rows, self._graph(rows, whole=True)
        asked = np.zeros(0, np.int64) if asked is None else asked
        if self._made is not None and self._made[0] == listening and np.array_equal(self._made[1], asked):
            return self._made[2:]
        rows = self._chosen(asked, listening)
        if self._one_graph:
            self._begin_signals(rows)
        graph = self._graph(rows, whole=False)
        if self._one_graph:
            self._made, self._links = (listening, asked, rows, graph), None
        return rows, graph

    def _chosen(self, asked: NDArray[np.int64] | None, listening: Listening | None) -> Rows:
        """Pages that are not left out, those that are asked for last."""
        if listening is None:
            return Rows(np.arange(self.count), np.ones(self.count, dtype=np.bool_), 0)
        listens = np.ones(self.count, dtype=np.bool_)
        sure, length = self._sure, self._length
        silent = (sure >= listening.doubtful) & (length >= listening.clamp_length)
        silent &= (sure >= LIKELY) | ((sure > 0) & (length >= listening.certain_length))  # its language is in play
        silent |= (self._corrected >= 0) & (sure > 0)
        listens[self._own[silent]] = False
        inside = np.zeros(self.count, dtype=np.bool_)
        inside[self._own] = True
        source, target = self._edges.source, self._edges.target
        for at in range(0, len(source), _LINKS):
            part = slice(at, at + _LINKS)
            inside[target[part][listens[source[part]]]] = True
            inside[source[part][listens[target[part]]]] = True
        kept = np.flatnonzero(inside)
        if asked is None or not len(asked):
            return Rows(kept, inside, 0)
        new = asked - 1
        new = new[~inside[new]]
        inside[new] = True
        return Rows(np.concatenate([kept, new]), inside, len(new))

    def _graph(self, rows: Rows, *, whole: bool) -> Graph:
        edges = self._edges
        tags = np.array([self._index.get(languages.code(tag) or "", -1) for tag in edges.tags] + [-1], dtype=np.int16)
        if whole:
            hreflang = tags[edges.hreflang]
            return Graph(self.count, edges.source, edges.target, edges.kind, hreflang, edges.nofollow, edges.place)
        several = np.zeros(int(self._hosts.max(initial=-1)) + 1, dtype=np.bool_)
        found = of_several_languages(self._hosts[self._own], self._best)
        several[: len(found)] = found
        return graph_of(Links(edges, self._hosts), rows, tags, several)


def _copies(
    connection: sqlite3.Connection, run: Run, own: NDArray[np.int64], hosts: NDArray[np.int32]
) -> NDArray[np.int32]:
    """How many pages of its host have the very same short text as each of some pages, itself among them.

    Args:
        connection: the collection.
        run: a content run.
        own: rows of the pages in the collection, ascending: all that the run answers for.
        hosts: of all pages of the collection.
    """
    copies = np.ones(len(own), dtype=np.int32)
    pages, read = digests_of_short_pages(connection, run.id, SHORT)
    if len(pages):
        key = np.stack([hosts[pages - 1].astype(np.int64), read], axis=1)
        _, group, counts = np.unique(key, axis=0, return_inverse=True, return_counts=True)
        copies[np.searchsorted(own, pages - 1)] = counts[group.ravel()]
    return copies


def join_scripts(
    indices: NDArray[np.int16], probabilities: NDArray[np.float32]
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Labels of one language (its scripts) become one entry; every row best first again.

    Args:
        indices: of the language of each label, -1 padding, shape (n, k).
        probabilities: of the labels, shape (n, k).
    """
    indices = indices.copy()
    probabilities = np.where(indices >= 0, probabilities, 0).astype(np.float32)
    for later in range(1, indices.shape[1]):
        for earlier in range(later):
            same = (indices[:, later] == indices[:, earlier]) & (indices[:, later] >= 0)
            probabilities[same, earlier] += probabilities[same, later]
            indices[same, later], probabilities[same, later] = -1, 0
    order = np.argsort(-probabilities, axis=1, kind="stable")
    return np.take_along_axis(indices, order, 1), np.minimum(np.take_along_axis(probabilities, order, 1), 1)
