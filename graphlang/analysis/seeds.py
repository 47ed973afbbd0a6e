"""From the database to the arrays that the graph kernels take, and back from their answers to labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from graphlang import languages
from graphlang.analysis import signals
from graphlang.db import StoreError, collection, runs
from graphlang.graph.evidence import Evidence, Graph

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from graphlang.graph.answer import Answer

#: Labels of a page that the graph sees.
WIDTH = 20
#: A page with so many letters may have a copy: its own text will do.
SHORT = 200
#: Probabilities below this are not kept.
LEAST = 0.001
_STEP = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Seeds:
    """A finished content run together with the links, as arrays; row ``id - 1`` is the page ``id``."""

    run: runs.Run
    graph: Graph
    evidence: Evidence
    labels: NDArray[np.int32]  #: the run's score lists by ``labels.id``, -1 padding, shape (pages, k)
    language_of: dict[int, int]  #: ``labels.id`` -> index in ``evidence.codes``
    no_letters: NDArray[np.bool_]  #: pages whose text holds no letters: they are ``zxx``, whatever links to them


def seed_run(connection: sqlite3.Connection, run: int | None) -> runs.Run:
    """The run to start from: the one asked for, else the newest content run.

    Raises:
        StoreError: there is none, or it is of another kind.
    """
    if run is not None:
        found = runs.get(connection, run)
        if found.kind not in ("content", "url"):
            msg = f"run {run} is a {found.kind} run; the graph starts from a content run"
            raise StoreError(msg)
        return found
    newest = runs.latest(connection, "content")
    if newest is None:
        msg = "nothing is classified yet: run 'graphlang classify' first"
        raise StoreError(msg)
    return newest


def load(connection: sqlite3.Connection, run: runs.Run, weights: Mapping[str, float] | None = None) -> Seeds:
    """Read the links and what the run says of every page.

    Args:
        connection: the collection.
        run: a finished content run.
        weights: of the signals besides text and links, see ``signals.NAMES``; what is not named is left out. None
            leaves the directories out as well, which only the inference asks for.
    """
    return with_signals(connection, _load(connection, run), weights)


def with_signals(connection: sqlite3.Connection, bare: Seeds, weights: Mapping[str, float] | None) -> Seeds:
    """Seeds that were loaded without weights, with the directories and the signals that have one."""
    if weights is None:
        return bare
    evidence, pages = bare.evidence, bare.graph.n
    index = {code: number for number, code in enumerate(evidence.codes)}
    given = signals.load(connection, index, pages, weights)
    return replace(bare, evidence=replace(evidence, directory=signals.directories(connection, pages), signals=given))


class Remembered:
    """``load`` for several steps over one collection: links and scores are read once for as long as this is kept."""

    def __init__(self) -> None:
        self._bare: Seeds | None = None

    def __call__(
        self, connection: sqlite3.Connection, run: runs.Run, weights: Mapping[str, float] | None = None
    ) -> Seeds:
        """As ``load``."""
        if self._bare is None or self._bare.run != run:
            self._bare = load(connection, run)
        return with_signals(connection, self._bare, weights)


def _load(connection: sqlite3.Connection, run: runs.Run) -> Seeds:
    pages = collection.count_pages(connection)
    known = runs.labels(connection)
    scores = runs.read_scores(connection, run.id, pages, WIDTH)
    answers = runs.read_answers(connection, run.id)
    length = np.zeros(pages, dtype=np.int32)
    length[answers.pages - 1] = answers.characters
    no_letters = np.zeros(pages, dtype=np.bool_)
    zxx = [label for label, (_, language, _) in known.items() if language == languages.ZXX]
    no_letters[answers.pages[np.isin(answers.label, zxx)] - 1] = True

    special = (languages.UND, languages.ZXX)
    codes = tuple(sorted({language for _, language, _ in known.values() if language not in special}))
    index = {code: number for number, code in enumerate(codes)}
    language_of = {label: index[language] for label, (_, language, _) in known.items() if language not in special}
    table = np.full(max(known, default=0) + 2, -1, dtype=np.int16)  # the last entry stands for the padding, -1
    for label, language in language_of.items():
        table[label] = language
    indices, probabilities = _join(table[scores.label], scores.score)
    length[indices[:, 0] < 0] = 0  # no letters: no evidence

    hosts = collection.hosts(connection)
    edges = collection.edges(connection, places=True)
    tags = np.array([index.get(languages.code(tag) or "", -1) for tag in edges.tags] + [-1], dtype=np.int16)
    return Seeds(
        run,
        Graph(pages, edges.source, edges.target, edges.kind, tags[edges.hreflang], edges.nofollow, edges.place),
        Evidence(
            codes,
            indices,
            probabilities,
            length,
            hosts,
            copies=_copies(connection, run, hosts),
        ),
        scores.label,
        language_of,
        no_letters,
    )


def _copies(connection: sqlite3.Connection, run: runs.Run, hosts: NDArray[np.int32]) -> NDArray[np.int32]:
    """How many pages of its host have the very same short text as each page, itself among them."""
    copies = np.ones(len(hosts), dtype=np.int32)
    pages, read = runs.readings(connection, run.id, SHORT)
    if len(pages):
        key = np.stack([hosts[pages - 1].astype(np.int64), read], axis=1)
        _, group, counts = np.unique(key, axis=0, return_inverse=True, return_counts=True)
        copies[pages - 1] = counts[group.ravel()]
    return copies


def _join(
    indices: NDArray[np.int16], probabilities: NDArray[np.float32]
) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
    """Labels of one language (its scripts) become one entry; every row best first again."""
    indices = indices.copy()
    probabilities = np.where(indices >= 0, probabilities, 0).astype(np.float32)
    for later in range(1, indices.shape[1]):
        for earlier in range(later):
            same = (indices[:, later] == indices[:, earlier]) & (indices[:, later] >= 0)
            probabilities[same, earlier] += probabilities[same, later]
            indices[same, later], probabilities[same, later] = -1, 0
    order = np.argsort(-probabilities, axis=1, kind="stable")
    return np.take_along_axis(indices, order, 1), np.minimum(np.take_along_axis(probabilities, order, 1), 1)


def write(
    connection: sqlite3.Connection,
    run: runs.Run,
    seeds: Seeds,
    answer: Answer,
    *,
    choose: bool,
    inputs: str | None = None,
) -> runs.Run:
    """Write what a graph kernel answered, as the answers of ``run``, and close it.

    The script comes from the page's own text where that has a label in the answer's language, else it is the one
    that most pages of the collection with that language have. A page whose text has no letters stays ``zxx``: there
    is nothing whose language the links could tell. A page of which neither text nor links say anything gets no row: the
    views show it as ``und``.
    """
    columns = [answer.language, answer.runner_up, *answer.languages.T]
    chosen = _labels(connection, seeds, columns)
    (zxx,) = runs.label_ids(connection, [(languages.ZXX, languages.ZXX, None)])
    best = np.where(seeds.no_letters, zxx, chosen[0])
    confidence = np.where(seeds.no_letters, 1.0, answer.confidence).astype(np.float64)
    runner_up = np.where(seeds.no_letters, -1, chosen[1])
    top = np.stack(chosen[2:], axis=1)
    top[:, 1:][answer.probabilities[:, 1:] < LEAST] = -1
    top[seeds.no_letters] = -1
    answered = np.flatnonzero(best >= 0)
    runs.clear(connection, run.id)
    for start in range(0, len(answered), _STEP):
        part = answered[start : start + _STEP]
        runs.write(
            connection,
            run.id,
            runs.Answers(
                part + 1,
                best[part],
                confidence[part],
                runner_up[part],
                answer.runner_up_confidence[part].astype(np.float64),
                seeds.evidence.length[part].astype(np.int64),
            ),
            (top[part], answer.probabilities[part]),
        )
    runs.finish(
        connection,
        run.id,
        pages=len(answered),
        rounds=answer.rounds,
        converged=answer.converged,
        inputs=inputs,
        choose=choose,
    )
    return runs.get(connection, run.id)


def _labels(connection: sqlite3.Connection, seeds: Seeds, columns: list[NDArray[np.int16]]) -> list[NDArray[np.int64]]:
    """For columns of languages (indices, -1 none) the columns of ``labels.id``, -1 where there is none."""
    usual = _usual_labels(connection, seeds)
    table = np.full(int(seeds.labels.max(initial=0)) + 2, -1, dtype=np.int16)
    for label, language in seeds.language_of.items():
        if label < len(table) - 1:
            table[label] = language
    language_of_own = table[seeds.labels]
    results = []
    for column in columns:
        found = usual[column]  # -1 takes the last entry, which is -1
        for rank in range(seeds.labels.shape[1] - 1, -1, -1):
            same = (language_of_own[:, rank] == column) & (column >= 0)
            found = np.where(same, seeds.labels[:, rank], found)
        results.append(found.astype(np.int64))
    return results


def _usual_labels(connection: sqlite3.Connection, seeds: Seeds) -> NDArray[np.int64]:
    """For each language the label that most pages with it have, else the first by name; a last entry of -1."""
    best = seeds.labels[:, 0]
    counts = np.bincount(best[best >= 0], minlength=max(seeds.language_of, default=0) + 1)
    names = {label: name for label, (name, _, _) in runs.labels(connection).items()}
    usual = np.full(len(seeds.evidence.codes) + 1, -1, dtype=np.int64)
    for label in sorted(seeds.language_of, key=lambda label: (-int(counts[label]), names[label])):
        language = seeds.language_of[label]
        if usual[language] < 0:
            usual[language] = label
    return usual
